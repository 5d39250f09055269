import type { LogLine, PrintedException } from "../types.ts";

type Frame = PrintedException["frames"][number];

const head = /Traceback \(most recent call last\):?|^(?:[\w.]+)\s{2,}Traceback \(most recent call last\)$/;
const raised = /^(\s*)((?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*)(?::(?: (.*))?)?$/;
const alone = /^(\s*)((?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Interrupt|Exit|Failed|Group|Failure))(?:: (.*)|:)?$/;
const frameLine = /^\s*File "([^"]{1,1000})", line (\d+)(?:, in .*)?$/;
const ipythonFrame = /^(?:File )?([^\s:]{1,500}):(\d+)(?:, in .*|\(.*\)|$)|^(?:Cell In|Input In) ?\[(\d+)\],? (?:line (\d+)|in .*)/;
const richFrame = /^\s*(\S{1,500}\.py):(\d+) in \S+\s*$/;
const cause = /^\s*The above exception was the direct cause of the following exception:$/;
const context = /^\s*During handling of the above exception, another exception occurred:$/;
const terminate = /^terminate called after throwing an instance of '([^']{1,200})'$/;
const what = /^\s*what\(\):\s{1,3}(.*)$/;
/** Longest message, in lines: pybind11 lists overloads, ninja prints a whole build. */
const mostLines = 400;
const ends = /^(?:\s*(?:\$ |>>> |make(?:\[\d+\])?: |ninja: |CMake |collect2: |ERROR[: ]|FAILED[: ]|={5,}|-{5,}|_{5,})|\s*\+-)/;

/** A line as IPython and rich show source: its number, and the marker at the one that runs. */
const numbered = /^\s*(?:-{2,}> ?)?\d{1,6}(?: |$)/;
/** The same of gcc, with the line of its carets. */
const compilers = /^ *\d{1,6} \| |^ +\| +(?:\||[\^~]|$)/;

/** Lines of source that tracebacks and compilers quote: what they say did not happen. */
export function codeLines(lines: readonly LogLine[], exceptions: readonly PrintedException[]): ReadonlySet<number> {
  const code = new Set<number>();
  for (const [at, { text }] of lines.entries()) if (compilers.test(text)) code.add(at);
  for (const { first, last } of exceptions) {
    for (let at = first + 1; at <= last; at += 1) {
      const before = lines[at - 1]?.text ?? "";
      const text = lines[at]?.text ?? "";
      if (frameLine.test(before) && indentOf(text) > indentOf(before) || numbered.test(text) && frameAbove(lines, at, first)) code.add(at);
    }
  }
  return code;
}

/** Numbered lines stand below a frame, in a block without other lines. */
function frameAbove(lines: readonly LogLine[], at: number, first: number): boolean {
  for (let above = at - 1; above > first && at - above < 16; above -= 1) {
    const text = lines[above]?.text ?? "";
    if (richFrame.test(text) || ipythonFrame.test(text)) return true;
    if (text !== "" && !numbered.test(text)) return false;
  }
  return false;
}

/** The exceptions that tracebacks print, with what each was caused by. Lines of one writer stand together. */
export function exceptionsOf(lines: readonly LogLine[]): readonly PrintedException[] {
  const found: PrintedException[] = [];
  /** A line said that the next exception follows from the last. */
  let chained = false;
  let chainedLoosely = false;
  for (let at = 0; at < lines.length;) {
    const line = lines[at] as LogLine;
    if (cause.test(line.text) || context.test(line.text)) {
      chained = found.length > 0;
      chainedLoosely = context.test(line.text);
      at += 1;
      continue;
    }
    const read = readAt(lines, at);
    if (read === undefined) {
      at += 1;
      continue;
    }
    const previous = found.length - 1;
    const isSame = lines[found[previous]?.last ?? at]?.writer === line.writer;
    const causedBy = chained && isSame ? { causedBy: previous, ...(chainedLoosely ? { whileHandling: true as const } : {}) } : {};
    found.push({ ...read, ...causedBy });
    chained = false;
    at = read.last + 1;
  }
  return withIndentedCauses(found, lines);
}

function readAt(lines: readonly LogLine[], at: number): PrintedException | undefined {
  const text = lines[at]?.text ?? "";
  if (head.test(text)) return ofTraceback(lines, at);
  const thrown = terminate.exec(text);
  if (thrown !== null) return ofTerminate(lines, at, thrown[1] ?? "");
  const match = alone.exec(text);
  return match === null ? undefined : withMessage(lines, at, at, match, []);
}

function ofTraceback(lines: readonly LogLine[], first: number): PrintedException | undefined {
  const opening = lines[first]?.text ?? "";
  const indent = indentOf(opening);
  const writer = lines[first]?.writer;
  // IPython prints the type before the head.
  const type = /^([\w.]+)\s+Traceback/.exec(opening)?.[1];
  const frames: Frame[] = [];
  for (let at = first + 1; at < lines.length && at - first < 5000; at += 1) {
    const line = lines[at] as LogLine;
    if (line.writer !== writer || head.test(line.text)) return undefined;
    const frame = frameOf(line.text, lines[at + 1]?.text);
    if (frame !== undefined) {
      frames.push(frame);
      continue;
    }
    const match = raised.exec(line.text);
    if (match === null || line.text.trim() === "" || indentOf(line.text) > indent) continue;
    const name = match[2] ?? "";
    if (type === undefined ? indentOf(line.text) <= indent && (frames.length > 0 || alone.test(line.text)) : name === type || name.endsWith(`.${type}`)) return withMessage(lines, first, at, match, frames);
  }
  return undefined;
}

function frameOf(text: string, next: string | undefined): Frame | undefined {
  const found = frameLine.exec(text);
  if (found !== null) {
    const code = next !== undefined && indentOf(next) > indentOf(text) && !frameLine.test(next) && !/^\s*[\^~]+$/.test(next) ? next.trim() : undefined;
    return { file: found[1] ?? "", line: Number(found[2]), ...(code === undefined ? {} : { code }) };
  }
  const other = richFrame.exec(text) ?? ipythonFrame.exec(text);
  if (other === null) return undefined;
  return other[3] === undefined ? { file: other[1] ?? "", line: Number(other[2]) } : { file: `<cell ${other[3]}>`, line: Number(other[4] ?? 0) };
}

function withMessage(lines: readonly LogLine[], first: number, at: number, match: RegExpExecArray, frames: readonly Frame[]): PrintedException {
  const { last, message } = messageFrom(lines, at, match[3] ?? "", (match[1] ?? "").length);
  return { type: match[2] ?? "", message, first, last, frames };
}

/** A message's lines go on until a blank line, or until what only another program prints; indented ones, and pybind11's paragraphs, belong to it beyond that. */
function messageFrom(lines: readonly LogLine[], at: number, begin: string, indent: number): { readonly last: number; readonly message: string } {
  const message = [begin];
  const writer = lines[at]?.writer;
  const isBuild = begin.startsWith("Error building extension");
  const hasParagraphs = isBuild || /incompatible (?:function|constructor) arguments|^CUDA error/.test(begin);
  let last = at;
  for (let next = at + 1; next < lines.length && next - at < mostLines; next += 1) {
    const line = lines[next] as LogLine;
    if (line.writer !== writer || head.test(line.text) || cause.test(line.text) || context.test(line.text) || terminate.test(line.text) || !isBuild && ends.test(line.text)) break;
    if (line.text === "") {
      if (!hasParagraphs) break;
      continue;
    }
    if (alone.test(line.text)) break;
    if (next - last > 1 && hasParagraphs && !/^(?:\s|Invoked with|Did you forget|CUDA kernel errors|For debugging|Compile with|Search for)/.test(line.text)) break;
    for (let blank = last + 1; blank < next; blank += 1) message.push("");
    message.push(line.text.slice(Math.min(indent, indentOf(line.text))));
    last = next;
  }
  return { last, message: message.join("\n") };
}

function ofTerminate(lines: readonly LogLine[], first: number, type: string): PrintedException {
  const next = what.exec(lines[first + 1]?.text ?? "");
  if (next === null || lines[first + 1]?.writer !== lines[first]?.writer) return { type, message: "", first, last: first, frames: [] };
  const { last, message } = messageFrom(lines, first + 1, next[1] ?? "", 0);
  return { type, message, first, last, frames: [] };
}

function indentOf(text: string): number {
  return text.length - text.trimStart().length;
}

/** Some print the cause indented below, without a traceback; a group prints its members there. */
function withIndentedCauses(found: readonly PrintedException[], lines: readonly LogLine[]): readonly PrintedException[] {
  return found.map((one, index) => {
    const next = found[index + 1];
    if (one.causedBy !== undefined || next === undefined) return one;
    const isMember = /\(\d+ sub-exceptions?\)$/.test(one.message) && /^\s*\+-/.test(lines[one.last + 1]?.text ?? "");
    const isBelow = next.frames.length === 0 && next.first === one.last + 1 && indentOf(lines[next.first]?.text ?? "") > indentOf(lines[one.first]?.text ?? "");
    return isMember || isBelow ? { ...one, causedBy: index + 1 } : one;
  });
}
