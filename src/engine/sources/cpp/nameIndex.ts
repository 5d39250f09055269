interface Wanted {
  readonly name: string;
  readonly parts: readonly string[];
}

/**
 * The names that are looked for, arranged so that most identifiers are rejected by their first letter and
 * length, without a substring being made.
 */
export class NameIndex {
  readonly #byFirstPart = new Map<string, readonly Wanted[]>();
  /** Per first letter (ASCII), a bit for each length modulo 32. */
  readonly #lengths = new Int32Array(128);

  constructor(names: readonly string[]) {
    for (const name of names) {
      const parts = name.split("::");
      const first = parts[0] ?? "";
      if (first === "") continue;
      const letter = first.charCodeAt(0) & 127;
      this.#lengths[letter] = (this.#lengths[letter] ?? 0) | (1 << (first.length & 31));
      // The longest spelling is tried first, so that c10::optional does not hide c10::optional::value_type.
      this.#byFirstPart.set(first, [...(this.#byFirstPart.get(first) ?? []), { name, parts }].toSorted((a, b) => b.parts.length - a.parts.length));
    }
  }

  /** The wanted name that begins with the identifier at [start, end), and where it ends. */
  match(text: string, start: number, end: number): { readonly name: string; readonly end: number } | undefined {
    const letter = text.charCodeAt(start) & 127;
    if (((this.#lengths[letter] ?? 0) & (1 << ((end - start) & 31))) === 0) return undefined;
    const candidates = this.#byFirstPart.get(text.slice(start, end));
    if (candidates === undefined) return undefined;
    for (const { name, parts } of candidates) {
      // `mine::c10::optional` is somebody else's; a macro is expanded wherever it stands.
      if (parts.length > 1 && isQualified(text, start)) continue;
      const stop = endOfParts(text, end, parts);
      if (stop !== undefined) return { name, end: stop };
    }
    return undefined;
  }
}

/** True when the identifier at `start` follows `name::`, `.` or `->`. A leading `::` alone is the global scope. */
function isQualified(text: string, start: number): boolean {
  let at = start - 1;
  while (at >= 0 && text.charCodeAt(at) === 32) at--;
  const before = text[at];
  if (before === ".") return true;
  if (before === ">" && text[at - 1] === "-") return true;
  if (before !== ":" || text[at - 1] !== ":") return false;
  return /\w/.test(text[at - 2] ?? "");
}

function endOfParts(text: string, endOfFirst: number, parts: readonly string[]): number | undefined {
  let at = endOfFirst;
  for (const part of parts.slice(1)) {
    at = skipSpaces(text, at);
    if (!text.startsWith("::", at)) return undefined;
    at = skipSpaces(text, at + 2);
    if (!text.startsWith(part, at)) return undefined;
    at += part.length;
    if (/[\w$]/.test(text[at] ?? "")) return undefined;
  }
  return at;
}

function skipSpaces(text: string, from: number): number {
  let at = from;
  while (text[at] === " ") at++;
  return at;
}
