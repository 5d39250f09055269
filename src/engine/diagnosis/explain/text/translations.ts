import table from "../../../../../data/loader-translations.json" with { type: "json" };

interface Translation {
  /** "error:", behind a place. */
  readonly isSeverity: boolean;
  /** The longest part of it without placeholders: a line without it is none. */
  readonly literal: string;
  readonly pattern: RegExp;
  /** The English text, cut at its placeholders. */
  readonly english: readonly string[];
}

/** How much of a text is looked at to learn which languages it speaks: this much of its begin and of its end. */
const sample = 1024 * 1024;

/** What turns some messages of other languages, those that a text has, into their English originals, which are what recognisers know. */
export function translatorFor(given: string): (line: string) => string {
  const text = (given.length <= 2 * sample ? given : given.slice(0, sample) + given.slice(-sample)).replaceAll("\xa0", " ").replaceAll("\u202f", " ");
  const present = all().filter(({ literal }) => text.includes(literal));
  return (line) => present.reduce((words, { literal, pattern, english }) => (words.includes(literal) ? words.replace(pattern, (...groups: readonly unknown[]) => inEnglish(english, groups)) : words), line);
}

function inEnglish(english: readonly string[], [, colon, ...named]: readonly unknown[]): string {
  const words = english.map((part, at) => (at === 0 ? part : `${String(named[at - 1]).trim()}${part}`)).join("");
  return typeof colon === "string" ? `: ${words}` : words;
}

let translations: readonly Translation[] | undefined;

/** Severities first, for their colon is also what stands before the message; the longest before those that are their beginning. */
function all(): readonly Translation[] {
  return translations ??= table.messages
    .flatMap(({ english, translations: texts }) => texts.map((text) => translation(english, text)))
    .toSorted((a, b) => Number(b.isSeverity) - Number(a.isSeverity) || b.literal.length - a.literal.length);
}

function translation(english: string, text: string): Translation {
  const isSeverity = english.startsWith(": ");
  const parts = (isSeverity ? text.slice(2) : text).split("%s");
  const literal = parts.map((part) => part.trim()).toSorted((a, b) => b.length - a.length)[0] ?? "";
  // What stands before a message ends with a colon, which Chinese catalogues write wide and French ones after a space.
  const place = isSeverity ? "(\\s?[:：]\\s?)" : "(\\s?[:：]\\s?)?";
  const body = parts.map((part, at) => (at === 0 ? "" : holder(parts, at)) + escaped(part)).join("");
  return { isSeverity, literal, pattern: new RegExp(place + body + (isSeverity ? " ?" : "")), english: (isSeverity ? english.slice(2) : english).split("%s") };
}

/** What a message names: up to what follows; a word where nothing stands before it. */
function holder(parts: readonly string[], at: number): string {
  if (at === 1 && parts[0] === "") return String.raw`([^\s:：]{1,4000})`;
  return at === parts.length - 1 && parts[at] === "" ? "(.{0,4000})" : "(.{0,4000}?)";
}

/** Spaces inside of quotes differ. */
function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/ /g, " ?");
}
