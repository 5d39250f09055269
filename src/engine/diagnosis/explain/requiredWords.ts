/**
 * Tells whether any of many patterns matches a line. Most lines of a large text have none of the words that the patterns spell
 * out, and one look for all words is far cheaper than one for all patterns.
 */
export function anyOf(patterns: readonly RegExp[]): (line: string) => boolean {
  const groups = [...new Set(patterns.map((one) => one.flags))].map((flags) => {
    const own = patterns.filter((one) => one.flags === flags);
    const words = onlyShortest(own.flatMap((one) => requiredWords(one) ?? []));
    return {
      wordless: alternation(own.flatMap((one) => (requiredWords(one) === undefined ? [one.source] : [])), flags),
      words: alternation(words.map(escaped), flags),
      spelled: alternation(own.flatMap((one) => (requiredWords(one) === undefined ? [] : [one.source])), flags),
    };
  });
  const has = (one: RegExp | undefined, line: string): boolean => one?.test(line) === true;
  return (line) => groups.some(({ wordless, words, spelled }) => has(words, line) && has(spelled, line) || has(wordless, line));
}

/** One pattern for all; undefined: there is none. Groups lose their numbers in it. */
function alternation(sources: readonly string[], flags: string): RegExp | undefined {
  return sources.length === 0 ? undefined : new RegExp([...new Set(sources)].join("|"), flags);
}

/** A word that holds another need not be looked for. */
function onlyShortest(words: readonly string[]): readonly string[] {
  return [...new Set(words)].filter((word, _at, all) => !all.some((other) => other !== word && word.includes(other)));
}

function escaped(word: string): string {
  return word.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}

/** A part of a pattern: text that it spells out, or nothing that is known of it. */
interface Part {
  /** Each match of the part has one of these; undefined: none need be there. */
  readonly words: readonly string[] | undefined;
  /** The part is exactly this text. */
  readonly exact?: string;
}

/** Shorter ones are everywhere. */
const shortest = 3;

/**
 * Words of which every match of a pattern has one, as the pattern spells them; undefined where none is certain. Of a line without
 * any of the words nobody needs to ask the pattern.
 */
export function requiredWords({ source }: RegExp): readonly string[] | undefined {
  const reader = { source, at: 0 };
  return alternatives(reader);
}

interface Reader {
  readonly source: string;
  at: number;
}

function alternatives(reader: Reader): readonly string[] | undefined {
  const all: (readonly string[] | undefined)[] = [];
  for (;;) {
    all.push(sequence(reader));
    if (reader.source[reader.at] !== "|") break;
    reader.at += 1;
  }
  const words = all.flatMap((one) => one ?? []);
  return all.includes(undefined) ? undefined : [...new Set(words)];
}

/** Of the parts that stand behind each other the one whose shortest word is longest. */
function sequence(reader: Reader): readonly string[] | undefined {
  let best: readonly string[] | undefined;
  let run = "";
  const offer = (words: readonly string[] | undefined): void => {
    if (words !== undefined && least(words) >= shortest && (best === undefined || least(words) > least(best))) best = words;
  };
  while (reader.at < reader.source.length && !/[|)]/.test(reader.source[reader.at] ?? "")) {
    const part = partAt(reader);
    const times = quantifierAt(reader);
    if (part.exact === undefined || times === "maybe") {
      offer([run]);
      run = "";
      if (times !== "maybe") offer(part.words);
    } else {
      run += part.exact;
      if (times === "repeated") {
        offer([run]);
        run = "";
      }
    }
  }
  offer([run]);
  return best;
}

/** Length of the shortest; a character of Chinese or Japanese is as rare as a few letters. */
function least(words: readonly string[]): number {
  return Math.min(...words.map((word) => word.length + 2 * (word.match(/[^\x00-\xff]/g)?.length ?? 0)));
}

/** What matches nothing by itself: bounds of words and lines. */
const nothing: Part = { words: undefined, exact: "" };
const anything: Part = { words: undefined };

/** Characters by their numbers, and other escapes that are longer than a letter. */
const codes = /^(?:x[\da-fA-F]{2}|u(?:[\da-fA-F]{4}|\{[\da-fA-F]+\})|c[A-Za-z]|k<\w+>|[pP]\{[\w=]+\}|\d+)/;

function partAt(reader: Reader): Part {
  const { source } = reader;
  const character = source[reader.at] ?? "";
  reader.at += 1;
  if (character === "(") return groupAt(reader);
  if (character === "[") {
    while (source[reader.at] !== "]") reader.at += source[reader.at] === "\\" ? 2 : 1;
    reader.at += 1;
    return anything;
  }
  if (character === "\\") {
    const escaped = source[reader.at] ?? "";
    reader.at += 1;
    if (/[bB]/.test(escaped)) return nothing;
    reader.at += (codes.exec(source.slice(reader.at - 1, reader.at + 40))?.[0].length ?? 1) - 1;
    return /\w/.test(escaped) ? anything : { words: undefined, exact: escaped };
  }
  return character === "^" || character === "$" ? nothing : character === "." ? anything : { words: undefined, exact: character };
}

function groupAt(reader: Reader): Part {
  const kind = /^\?(?:[:=!]|<[=!]|<\w+>)/.exec(reader.source.slice(reader.at, reader.at + 40))?.[0] ?? "";
  reader.at += kind.length;
  const words = alternatives(reader);
  reader.at += 1;
  return /^\?<?[=!]$/.test(kind) ? nothing : { words };
}

/** How often the part before may stand: once, at least once, or not at all as well. */
function quantifierAt(reader: Reader): "once" | "repeated" | "maybe" {
  const found = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/.exec(reader.source.slice(reader.at, reader.at + 24))?.[0];
  if (found === undefined) return "once";
  reader.at += found.length;
  return /^(?:[*?]|\{0)/.test(found) ? "maybe" : "repeated";
}
