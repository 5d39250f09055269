/** A line's own words, and who wrote it where its prefix tells. */
export interface Unprefixed {
  readonly text: string;
  readonly writer?: string;
  /** pytest shows what was raised; above it stands the source that raised it. */
  readonly isRaised?: true;
}

const level = "(?:DEBUG|INFO|NOTICE|WARNING|WARN|ERROR|CRITICAL|FATAL|TRACE)";
const module = String.raw`(?!\w*(?:Error|Exception|Warning):)[\w.<>/-]{1,80}(?::[\w<>]{1,80}){0,2}`;

const time = /^\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?\]?:? ?|^\[?\d\d:\d\d:\d\d(?:[.,]\d{1,6})?\]?:? /;

/** What loggers put between the time and the message: Python's logging in its usual formats, loguru, DeepSpeed, accelerate. */
const loggers: readonly RegExp[] = [
  new RegExp(`^- ${module} - ${level} - `),
  new RegExp(`^\\| ${level} +\\| ${module} - `),
  new RegExp(`^\\[${level}\\] (?:\\[${module}\\] )?`),
  new RegExp(`^- ${level} - (?:${module} - )?`),
  new RegExp(`^${level}:? +(?:\\[?${module}\\]?(?::| -) )?(?:- )?`),
  new RegExp(`^${module} ${level}:? `),
];

/** What stands before a line in logs of the usual programs. Each is anchored and bounded; its first group is the writer. */
const prefixes: readonly RegExp[] = [
  // `gh run view --log`: job, step, time.
  /^([^\t]{1,100})\t[^\t]{1,200}\t(?=\d{4}-\d\d-\d\dT)/,
  // vLLM, glog, Python's basicConfig.
  new RegExp(String.raw`^${level} \d\d-\d\d \d\d:\d\d:\d\d (?:\[[^\]]{1,80}\]|[\w./]+:\d+\]) ?`),
  /^[IWEF]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ [\w./-]+:\d+\] ?(?:\[\d+\/\d+\] )?/,
  new RegExp(`^${level}:[\\w.]+:(?! )`),
  // syslog, journald.
  /^[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d [\w.-]{1,80} ([\w./@-]{1,80}(?:\[\d+\])?): ?/,
  /^[\w.-]{1,80} ([\w./@-]{1,80}\[\d+\]): ?/,
  // pytest's summary.
  /^(?:FAILED|ERROR) [^\s]{1,300}\.py(?:::\S{1,300})? - (?=\w)/,
  // Commands of GitHub Actions.
  /^##\[\w{1,20}\]/,
  /^::(?:error|warning|notice|debug)(?: [^:]{0,300})?::/,
  // MSBuild's number of the project, and what Visual Studio puts before CMake's output.
  /^\d{1,3}>(?!&)(?: ?\[CMake\] ?)?/,
  // docker buildkit, docker compose, kubectl, concurrently.
  /^(#\d+) (?:\d+\.\d+ |(?=ERROR|DONE|CACHED|\[))/,
  /^([A-Za-z][\w.-]{0,80}[-_]\d+) *\| ?/,
  /^\[(pod\/[\w./-]{1,200})\] /,
  // torchrun, torch's own logging, mpirun, srun --label, Ray, vLLM.
  /^\[((?:rank|default|trainer|worker|node|local_rank|gpu|device)[ _:=]?\d+)\]:? ?/i,
  /^((?:rank|worker)[ _]?\d+)\]?: ?/i,
  /^\[(\d+,\d+)\](?:<(?:stdout|stderr)>)?: ?/,
  /^\(([A-Za-z_][\w.]*(?:\([^()]{0,40}\))? pid=\d+(?:, ip=[\d.:a-f]+)?)\)(?: \[repeated [^\]]{1,80}\])? ?/,
];

// Quotes of mail and Markdown, nix, prompts of Python, but not what lld prints below an error; pytest's margins; the boxes of pip, uv and rich.
const quotes = /^ {0,8}(?:(?!>>> (?:referenced (?:by |\d)|defined (?:in|at) |did you mean|the vtable symbol| {4,}\S))>{1,3} )+|^>{1,3}$/;
const pytest = /^E {3}(?: {4})*/;
const rich = /^\s*[╭┌][─━]+ ?(Traceback \(most recent call last\)) ?[─━]*[╮┐]?\s*$/;
const box = /^\s*[│┃║╎╰╭├└┌×❱╯╮─━▶][│┃║╎╰╭├└┌×❱╯╮─━▶>]*(?: ❱)? ?/;
const boxEnd = /\s*[│┃║╯╮┐┘─━]+\s*$/;
/** The margin of exception groups; gcc has one that looks alike before its carets. */
const group = /^ {2,40}\| (?= {2}File "| {4}[^\s^~]|Traceback \(|(?:\w+\.)*\w*(?:Error|Exception|Group|Exit|Interrupt)\b|The above|During)/;
const anyPrefix = /^(?:[\d[(#:>]|[A-Za-z]{1,100}[^ ]{0,100}\t|[A-Z][a-z]{2} [ \d]\d |[IWEF]\d{4} |[A-Z]{4,8}[: ]|[\w.-]{1,80}[-_]\d+ *\||[\w.-]{1,80} [\w./@-]{1,80}\[\d|(?:rank|worker)[ _]?\d|E {3}| {0,8}>| {2,40}\||\s*[│┃║╎╰╭├└┌×❱╯╮─━▶])/i;
/** Fences of Markdown, and the end of what pip quotes. */
const fence = /^\s*(?:(?:```|~~~)[\w-]{0,20}|\[end of output\])\s*$/;

/** The line without what CI systems, container tools, launchers, loggers and formatters put before it. */
export function withoutPrefix(line: string): Unprefixed {
  let text = line;
  let writer: string | undefined;
  let isRaised = false;
  for (let round = 0; round < 6 && anyPrefix.test(text); round += 1) {
    const before = text;
    text = withoutTime(text);
    for (const pattern of prefixes) {
      const found = pattern.exec(text);
      if (found === null || found[0] === "") continue;
      text = text.slice(found[0].length);
      if (found[1] !== undefined) writer = writer === undefined ? found[1] : `${writer} ${found[1]}`;
    }
    isRaised ||= pytest.test(text);
    text = withoutMargins(text);
    if (text === before) break;
  }
  if (fence.test(text)) text = "";
  return { text, ...(writer === undefined ? {} : { writer }), ...(isRaised ? { isRaised } : {}) };
}

/** Times are those of GitHub Actions, docker, journald and loggers. */
function withoutTime(line: string): string {
  const found = time.exec(line);
  if (found === null) return line;
  const text = line.slice(found[0].length);
  for (const logger of loggers) {
    const words = logger.exec(text);
    if (words !== null) return text.slice(words[0].length);
  }
  return text;
}

function withoutMargins(line: string): string {
  const text = line.replace(quotes, "").replace(pytest, "").replace(group, "");
  const opening = rich.exec(text);
  if (opening !== null) return `${opening[1] ?? ""}:`;
  return box.test(text) ? text.replace(box, "").replace(boxEnd, "") : text;
}
