import { demangle } from "../../../binaries/mangling/index.ts";
import type { SymbolError } from "./types.ts";

/** Longer C++ signatures tell a reader nothing more. */
const longest = 120;

/** The new std::string as people write it; what else a demangler spells out of it. */
const spelledString = /std::__cxx11::basic_string<char, ?std::char_traits<char>, ?std::allocator<char> ?>/g;
const oldSpelledString = /std::basic_string<char, ?std::char_traits<char>, ?std::allocator<char> ?>/g;

/** What a name says, in quotes and short: `c10::cuda::SetDevice(signed char)`. */
export function shown(demangled: string): string {
  const short = demangled.replace(spelledString, "std::__cxx11::string").replace(oldSpelledString, "std::string");
  return `\`${short.length <= longest ? short : `${short.slice(0, longest - 1)}…`}\``;
}

/** The symbol of an error as a person reads it. */
export function demangledOf(error: Pick<SymbolError, "symbol" | "isDemangled">): string {
  return error.isDemangled ? error.symbol : demangle(error.symbol) ?? error.symbol;
}

/** "_C.so", or what to call a file that the text does not name. */
export function fileName(file: string | undefined): string {
  const name = file?.split(/[\\/]/).at(-1) ?? "";
  return name === "" ? "The file" : name;
}

/** At the beginning of a sentence, or inside of one. */
export function inside(name: string): string {
  return name === "The file" ? "the file" : name;
}

/** A sentence of the loading model, which says "the file", with the file's name. */
export function naming(sentence: string, file: string): string {
  return file === "The file" ? sentence : sentence.replaceAll("The file ", `${file} `).replaceAll(" the file ", ` ${file} `);
}

/**
 * Releases as runs of the recorded ones: "2.3 to 2.7", "2.10 and later", "1.13 (the oldest recorded) to 2.9.1". Whole minor
 * releases are named without a patch.
 */
export function range(releases: readonly string[], all: readonly string[]): string {
  const runs = runsOf(releases, all);
  return runs.map(([first, last]) => run(first, last, all)).join(" and ");
}

function run(first: string, last: string, all: readonly string[]): string {
  const from = first === all[0] ? `${minorOr(first, all, 0)} (the oldest recorded)` : minorOr(first, all, 0);
  if (last === all.at(-1)) {
    return first === last ? from : `${from} and later`;
  }
  const to = minorOr(last, all, -1);
  if (first === last || (first !== all[0] && from === to)) {
    return first === last ? first : from;
  }
  return `${from} to ${to}`;
}

/** "2.7" where the release is the first (or last) recorded one of its minor. */
function minorOr(release: string, all: readonly string[], end: 0 | -1): string {
  const minor = minorOf(release);
  return all.filter((one) => minorOf(one) === minor).at(end) === release ? minor : release;
}

/** The same for a file that needs what those releases have: "torch 2.9 or older", "torch 2.3 to 2.7". */
export function torches(releases: readonly string[], all: readonly string[]): string {
  const [first, last] = [releases[0] ?? "", releases.at(-1) ?? ""];
  const isWhole = runsOf(releases, all).length === 1;
  if (isWhole && first === all[0] && last !== all.at(-1)) {
    return `torch ${minorOr(last, all, -1)} or older`;
  }
  if (isWhole && last === all.at(-1)) {
    return `torch ${minorOr(first, all, 0)}${first === last ? "" : " or newer"}`;
  }
  return `torch ${range(releases, all)}`;
}

export function minorOf(release: string): string {
  return release.split(".", 2).join(".");
}

function runsOf(releases: readonly string[], all: readonly string[]): readonly (readonly [string, string])[] {
  const has = new Set(releases);
  const runs: [string, string][] = [];
  let isOpen = false;
  for (const one of all) {
    const last = runs.at(-1);
    if (has.has(one) && isOpen && last !== undefined) {
      last[1] = one;
    } else if (has.has(one)) {
      runs.push([one, one]);
    }
    isOpen = has.has(one);
  }
  return runs;
}

/** Whether a torch is a vendor's, nightly or own build and no official release: "2.8.0a0+5228986c39.nv25.06", "2.8.0.dev20250319", "2.4.0a0+git1234". */
export function isBetweenReleases(torch: string): boolean {
  return /a\d|\.dev|rc\d|\+git|nv\d/.test(torch);
}
