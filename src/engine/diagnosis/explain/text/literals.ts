// Names under which containers, loggers and notebooks keep what a program wrote.
const textKeys = ["log", "message", "msg", "text", "textPayload", "MESSAGE", "body", "error", "exception", "exc_info", "stack_trace", "stack", "traceback", "stderr", "output", "evalue"];
// Under any other name lines are what a program wrote, unless they are its source.
const sourceKeys = ["source", "code", "diff", "patch"];
const jsonStart = /^\s*(?:[[{]|"(?:[^"\\]|\\.){0,60}"\s*:|"(?:[^"\\]|\\.)*\\)/;
const quotedWhole = /^\s*"(?:[^"\\]|\\.)*",?\s*$/;
const keyed = /^\s*"(?:[^"\\]|\\.){0,60}"\s*:\s*(?=")/;
const bytesOfPython = /\bb(['"])/;
const entity = /&(?:lt|gt|amp|quot|apos|nbsp|#39|#x27|#96|#x60|#\d{1,5});/;
const tag = /<\/?(?:pre|code|span|br|div|p|samp|kbd|font|b|a)(?:\s[^<>]{0,300})?\/?>/g;

/** What editors show of a failed cell of a notebook, line by line: its type, its message and its stack. */
const keyedText = /^\s*"(?:message|evalue)"\s*:\s*"(?:[^"\\]|\\.)*",?\s*$/;

export function isKeyedText(line: string): boolean {
  return keyedText.test(line);
}

/** The lines that a line holds as a string of JSON or Python, or escaped for HTML: usually itself alone. */
export function withoutQuoting(line: string, isJson: boolean): readonly string[] {
  const plain = entity.test(line) ? withoutHtml(line) : line;
  if (isJson && quotedWhole.test(plain) || isKeyedText(plain)) return ofJson(plain)?.split(/\r?\n/) ?? [plain];
  if (!plain.includes("\\")) return plain === line ? [line] : plain.split("\n");
  if (jsonStart.test(plain)) {
    const held = ofJson(plain);
    if (held !== undefined) return held.split(/\r?\n/);
  }
  // A log that somebody copied out of a string without its quotes.
  if (/(?:Traceback \(most recent call last\):|\\n)\\n +File \\?"|\\n\w+Error: /.test(plain)) return unescaped(plain).split("\n");
  const bytes = bytesOfPython.exec(plain);
  if (bytes !== null && plain.includes("\\n", bytes.index)) {
    return (plain.slice(0, bytes.index) + unescaped(plain.slice(bytes.index + 2))).split("\n");
  }
  return [plain];
}

function ofJson(line: string): string | undefined {
  const key = keyed.exec(line)?.[0] ?? "";
  const value = parsed(line.slice(key.length).trim().replace(/,$/, "").replace(/^"(?:[^"\\]|\\.)*$/, '$&"'));
  const strings = stringsOf(value, 0);
  return strings.length === 0 ? undefined : strings.join("\n");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What a program wrote, out of a record of it, in order. */
function stringsOf(value: unknown, depth: number): readonly string[] {
  if (typeof value === "string") return [value.replace(/\n$/, "")];
  if (depth > 6 || typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return joinedLines(value, depth);
  // A notebook in one line, and a record of a logger.
  return Object.entries(value).flatMap(([key, inner]) => (textKeys.includes(key) || depth < 6 && typeof inner === "object" || typeof inner === "string" && inner.includes("\n") && !sourceKeys.includes(key) ? stringsOf(inner, depth + 1) : []));
}

/** Notebooks keep lines as strings that end with their line feed. */
function joinedLines(values: readonly unknown[], depth: number): readonly string[] {
  if (values.every((value) => typeof value === "string")) return [values.map((value) => (value.endsWith("\n") ? value : `${value}\n`)).join("").replace(/\n$/, "")];
  return values.flatMap((value) => stringsOf(value, depth + 1));
}

function unescaped(text: string): string {
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([nrt"'\\]))/g, (_whole, unicode: string | undefined, hex: string | undefined, simple: string | undefined) => {
    const code = unicode ?? hex;
    if (code !== undefined) return String.fromCharCode(parseInt(code, 16));
    return { n: "\n", r: "", t: "\t" }[simple ?? ""] ?? simple ?? "";
  });
}

const named: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'", nbsp: " " };

function withoutHtml(line: string): string {
  const plain = line.replace(tag, (whole) => (whole.startsWith("<br") ? "\n" : ""));
  return plain.replace(/&(\w{2,4}|#\d{1,5}|#x[0-9a-fA-F]{1,4});/g, (whole, name: string) => {
    if (!name.startsWith("#")) return named[name] ?? whole;
    return String.fromCharCode(name[1] === "x" ? parseInt(name.slice(2), 16) : parseInt(name.slice(1), 10));
  });
}
