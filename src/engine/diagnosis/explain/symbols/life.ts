import { overloadLives, symbolLives } from "../../../binaries/history/index.ts";
import type { OtherSignature, ReleaseRange, SymbolLife } from "../../../binaries/history/index.ts";
import { abiTwin, abiTwinCandidates, demangle, familyOf, readMangled, variantsOf } from "../../../binaries/mangling/index.ts";
import type { RecordedSymbols } from "../../../catalogue/index.ts";
import { compareVersions } from "../../../model/index.ts";
import { scopesOf, stringAbiOfText } from "./demangled.ts";
import type { SymbolError } from "./types.ts";
import { minorOf } from "./words.ts";

/** Another exported symbol of the same name. */
export interface Overload {
  readonly symbol: string;
  readonly demangled: string;
  readonly releases: readonly string[];
}

/** Which releases of torch have what a name names. */
export interface Life {
  /** Mangled where it is known, else as printed. */
  readonly symbol: string;
  /** False: names of its kind are not recorded, so nothing is known of releases. */
  readonly isRecorded: boolean;
  /** Releases whose wheel exports it as it is spelled. */
  readonly releases: readonly string[];
  /** Releases whose wheel exports it in either spelling of std::string. */
  readonly either: readonly string[];
  /** In the other spelling, where some release has that. */
  readonly twin: Overload | undefined;
  /** The _GLIBCXX_USE_CXX11_ABI that its user was compiled with, where the name shows it. */
  readonly wants: 0 | 1 | undefined;
  /** Stems of the libraries that export it, in the newest release that has it; of its overload, where no release has it. */
  readonly homes: readonly string[];
  /** What took its place, or what it took the place of. */
  readonly overload: Overload | undefined;
  /** The name was told from its qualified name alone: its parameters are not known. */
  readonly isByName: boolean;
}

type Named = Pick<SymbolError, "symbol" | "isDemangled" | "isCut" | "system">;

const known = new WeakMap<RecordedSymbols, Map<string, Life>>();
/** A text may name thousands of symbols. */
const mostKnown = 5000;

/** What the recorded releases say of the symbol of an error. */
export function lifeOf(error: Named, history: RecordedSymbols): Life {
  const lives = known.get(history) ?? new Map<string, Life>();
  known.set(history, lives);
  const key = `${error.isDemangled} ${error.isCut} ${error.system} ${error.symbol}`;
  const life = lives.get(key) ?? ofSystem(read(error, history), error);
  if (lives.size < mostKnown) {
    lives.set(key, life);
  }
  return life;
}

/** Only libstdc++ has two spellings of std::string. */
function ofSystem(life: Life, { system }: Named): Life {
  return system === "linux" ? life : { ...life, releases: life.either, twin: undefined, wants: undefined };
}

function read(error: Named, history: RecordedSymbols): Life {
  const { symbol, isDemangled, isCut, system } = error;
  if (system === "windows") {
    return ofName(error, history);
  }
  if (isCut) {
    const begun = isDemangled ? undefined : beginningWith(symbol, history);
    const [life, ...others] = begun ?? [];
    return life === undefined ? ofName(error, history) : others.length === 0 ? ofMangled(life.symbol, history) : ofLives(symbol, begun ?? [], history);
  }
  if (isDemangled) {
    const [life] = symbolLives(symbol, history);
    return life === undefined ? ofName(error, history) : ofMangled(spelledAs(symbol, life), history);
  }
  const found = system === "linux" ? symbol : [symbol, ofLinux(symbol)].find((one) => symbolLives(one, history).length > 0);
  if (found === undefined) return ofName(error, history);
  // A text may end in the middle of a name, where that is a name as well.
  const longer = system === "linux" && symbolLives(found, history).length === 0 ? beginningWith(found, history) : undefined;
  return longer === undefined ? ofMangled(found, history) : ofLives(found, longer, history);
}

/** The name of libc++'s string in the place of libstdc++'s, which the table has: most names of macOS differ in nothing else. */
function ofLinux(symbol: string): string {
  return symbol.replaceAll("NSt3__112basic_stringIcNS_11char_traitsIcEENS_9allocatorIcEEEE", "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE");
}

/** The mangled form of what a demangled text names, in the std::string that the text speaks of. */
function spelledAs(text: string, { spellings, symbol }: SymbolLife): string {
  const asked = stringAbiOfText(text) ?? null;
  const [other] = spellings;
  const same = spellings.find((one) => one.libstdcxxAbi === asked);
  if (same !== undefined || other === undefined) {
    return same?.symbol ?? symbol;
  }
  return (other.libstdcxxAbi === 1 ? abiTwin(other.symbol) : asked === 1 ? abiTwinCandidates(other.symbol)[0] : undefined) ?? other.symbol;
}

/** What a name whose end is missing may be, unless it says too little. */
function beginningWith(symbol: string, history: RecordedSymbols): readonly SymbolLife[] | undefined {
  const names: string[] = [];
  for (const name of symbol.length < 12 ? [] : history.namesFrom(symbol)) {
    names.push(name);
    if (names.length > 200) {
      return undefined;
    }
  }
  const lives = new Map(names.flatMap((name) => symbolLives(name, history).map((life) => [life.spellings.map((one) => one.symbol).join(" "), life] as const)));
  return lives.size === 0 ? undefined : [...lives.values()];
}

function ofMangled(symbol: string, history: RecordedSymbols): Life {
  const [life] = symbolLives(symbol, history);
  const own = new Set(variantsOf(symbol));
  const exporting = new Set([...own].flatMap((one) => history.releasesExporting(one) ?? []));
  const releases = history.releases.filter((one) => exporting.has(one));
  const abi = readMangled(symbol)?.stringAbi;
  const other = life?.spellings.find((one) => !own.has(one.symbol));
  const either = life === undefined ? releases : releasesIn(life, history);
  const twin = other === undefined ? undefined : overloadOf({ ...other, demangled: demangle(other.symbol) ?? other.symbol }, history);
  const near = life === undefined ? nearestOf(symbol, history) : undefined;
  const overload = life?.successor ?? life?.predecessor ?? near;
  return {
    symbol, releases, either, twin,
    overload: overload === undefined ? undefined : overloadOf(overload, history),
    isRecorded: history.isRecorded(symbol),
    wants: abi === "both" ? undefined : abi ?? (twin === undefined ? undefined : 0),
    homes: stemsOf((life ?? near)?.libraries ?? []),
    isByName: false,
  };
}

/** The newest overload of a name that no release has with these parameters. */
function nearestOf(symbol: string, history: RecordedSymbols): SymbolLife | undefined {
  return history.isRecorded(symbol) || familyOf(symbol) === "torch" ? overloadLives(symbol, history).at(-1) : undefined;
}

/** By the qualified name: where its parameters cannot be compared, any overload stands for it. */
function ofName(error: Named, history: RecordedSymbols): Life {
  const scopes = scopesOf(error);
  const life = ofLives(error.symbol, scopes === undefined ? [] : symbolLives(scopes.join("::"), history), history);
  return error.isDemangled && life.either.length > 0 ? { ...life, wants: stringAbiOfText(error.symbol) } : life;
}

function ofLives(symbol: string, lives: readonly SymbolLife[], history: RecordedSymbols): Life {
  const all = new Set(lives.flatMap((one) => releasesIn(one, history)));
  const newest = lives.find((one) => one.until === null) ?? lives.at(-1);
  return {
    symbol, releases: [], either: history.releases.filter((one) => all.has(one)), twin: undefined, wants: undefined, isByName: true,
    isRecorded: lives.length > 0,
    homes: stemsOf(newest?.libraries ?? []),
    overload: newest === undefined ? undefined : overloadOf(newest, history),
  };
}

function stemsOf(libraries: readonly string[]): readonly string[] {
  return [...new Set(libraries.map((one) => one.replace(/\.so.*$/, "")))];
}

function overloadOf({ symbol, demangled, ...range }: OtherSignature, history: RecordedSymbols): Overload {
  return { symbol, demangled, releases: releasesIn(range, history) };
}

function releasesIn({ since, until, gaps = [] }: ReleaseRange & Partial<Pick<SymbolLife, "gaps">>, { releases }: RecordedSymbols): readonly string[] {
  const between = ({ since: first, until: last }: ReleaseRange): readonly string[] => releases.slice(releases.indexOf(first), last === null ? undefined : releases.indexOf(last) + 1);
  const left = new Set(gaps.flatMap(between));
  return between({ since, until }).filter((one) => !left.has(one));
}

/** Of March 2023: what was there before and still is, hardly anybody's torch lacks by its age. */
const longAgo = "2.0.0";

/** Whether it is in every release that people still run, the newest included. */
export function isInAll({ either }: Life, { releases }: RecordedSymbols): boolean {
  const [first] = either;
  return first !== undefined && either.at(-1) === releases.at(-1) && compareVersions(first, longAgo) < 0 && either.length === releases.length - releases.indexOf(first);
}

/** Whether a release, which the text names perhaps without its patch, has it; undefined: that release is not recorded. */
export function isIn(release: string, life: Life, history: RecordedSymbols): boolean | undefined {
  const same = history.releases.filter((one) => one === release || minorOf(one) === release);
  return same.length === 0 ? undefined : same.some((one) => life.either.includes(one));
}
