// ECMA-48 control sequences, operating system commands, other strings, and escapes of two characters. An unfinished string ends where the line does.
const sequences = /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]?/g;

// The same where the escape character was lost or written out by what showed it: "[01;31m[Kerror: [m[K", "^[[31m", "␛[0m".
const writtenOut = /(?:\^\[|\u241b|\\x1b|\\e|\\033|\\u001b)\[[0-9;]{0,20}[mK]|\[(?:\d{1,3}(?:;\d{1,3}){0,8})?m(?:\[K)?|\[K/g;

// What shows as nothing or turns the text about: C0 without the tabulator, C1, zero-width characters, marks of direction, byte order marks.
const invisible = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffc]/g;
const special = /[\x00-\x08\x0b-\x1f\x7f-\xa0\u00ad\u200b-\u200f\u202a-\u202f\u2060-\u2069\ufeff\ufff9-\ufffc]/;

/** A line without what a terminal acts upon; of a progress bar, which a carriage return overwrites, the last state. */
export function withoutControls(line: string): string {
  const plain = special.test(line) ? withoutSpecial(line) : line;
  return plain.includes("[") && mayBeWrittenOut(plain) ? plain.replace(writtenOut, "") : plain;
}

function withoutSpecial(line: string): string {
  const printed = line.includes("\x1b") || line.includes("\x9b") ? line.replace(sequences, "") : line;
  const state = lastState(printed);
  return withoutOverstrikes(state).replace(invisible, "").replace(/[\xa0\u202f]/g, " ");
}

function lastState(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === "\r") end -= 1;
  return line.slice(line.lastIndexOf("\r", end - 1) + 1, end);
}

/** A backspace takes back what stands before it. */
function withoutOverstrikes(line: string): string {
  if (!line.includes("\b")) return line;
  const kept: string[] = [];
  for (const character of line) {
    if (character === "\b") kept.pop();
    else kept.push(character);
  }
  return kept.join("");
}

/** Once could be an index into an array; colours come in pairs, and gcc's always with "[K". */
function mayBeWrittenOut(line: string): boolean {
  const found = line.match(writtenOut);
  return found !== null && (found.length > 1 || found[0] !== "[m" && !/^\[\d+m$/.test(found[0]) && !/^\[K$/.test(found[0]));
}
