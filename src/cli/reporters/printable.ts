/**
 * Names in files that were not made here (members of wheels, symbols, library names, lines of sources) may hold what a
 * terminal obeys: control characters, escape sequences, marks that turn the direction of writing. They are shown, not sent.
 */
const control = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;
/** What `styleText` writes for the styles of the reports. */
const style = /(\u001b\[(?:0|1|2|4|22|24|31|32|33|34|39)m)/;

/** One line without anything that a terminal obeys: "\\x1b" in place of an escape character. Tabs stay. */
export function printable(text: string): string {
  return text.replace(control, shown);
}

/** The same for several lines. */
export function printableLines(text: string): string {
  return text.split("\n").map(printable).join("\n");
}

/** The same for a line that was coloured here. */
export function printableStyled(line: string): string {
  return line.split(style).map((part, index) => (index % 2 === 1 ? part : printable(part))).join("");
}

/** All texts of a report, before it is laid out and coloured. */
export function printableDeep<T>(value: T): T {
  return made(value) as T;
}

function made(value: unknown): unknown {
  if (typeof value === "string") {
    return printable(value);
  }
  if (Array.isArray(value)) {
    return value.map(made);
  }
  return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value).map(([key, one]) => [printable(key), made(one)])) : value;
}

function shown(character: string): string {
  const code = character.charCodeAt(0);
  return character === "\n" ? "\\n" : code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
}
