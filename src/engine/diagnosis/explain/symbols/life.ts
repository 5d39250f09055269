import { abiTwin, abiTwinCandidates, demangle, entityKey, familyOf, readMangled, variantsOf } from "../../../binaries/mangling/index.ts";
import type { RecordedSymbols } from "../../../catalogue/index.ts";
import { minorOf } from "./words.ts";
import { mangledFor, readDemangled, recordedOverloads } from "./demangled.ts";
import type { NameParts } from "./demangled.ts";
import type { SymbolError } from "./types.ts";

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

const known = new WeakMap<RecordedSymbols, Map<string, Life>>();

/** What the recorded releases say of the symbol of an error. */
export function lifeOf(error: Pick<SymbolError, "symbol" | "isDemangled" | "isCut" | "system">, history: RecordedSymbols): Life {
  const lives = known.get(history) ?? new Map<string, Life>();
  known.set(history, lives);
  const key = `${error.isDemangled} ${error.isCut} ${error.system} ${error.symbol}`;
  const life = lives.get(key) ?? read(error, history);
  if (lives.size < 5000) {
    lives.set(key, life);
  }
  return life;
}

function read(error: Pick<SymbolError, "symbol" | "isDemangled" | "isCut" | "system">, history: RecordedSymbols): Life {
  const { symbol, isDemangled, isCut, system } = error;
  if (!isDemangled && !isCut && system !== "windows") {
    const spelled = system === "macos" ? [symbol, ofLinux(symbol)] : [symbol];
    const found = spelled.find((one) => eitherOf(one, history).length > 0);
    return system === "macos" && found === undefined ? ofName(symbol, partsOfMangled(symbol), history) : ofMangled(found ?? symbol, history);
  }
  const parts = isDemangled ? readDemangled(symbol) : system === "windows" ? readMicrosoft(symbol) : partsOfMangled(symbol);
  const overloads = parts === undefined ? new Map<string, readonly string[]>() : recordedOverloads(parts, history);
  const begun = isCut && !isDemangled ? beginningWith(symbol, history) : undefined;
  const entities = new Set([...(begun?.keys() ?? [])].map(canonical));
  const one = begun === undefined ? (isCut ? undefined : mangledFor(symbol, overloads.keys())) : entities.size === 1 ? begun.keys().next().value : undefined;
  return one === undefined ? ofName(symbol, parts, history, begun ?? overloads) : ofMangled(one, history);
}

/** What a name whose end is missing may be: the recorded names that begin so, unless that says too little. */
function beginningWith(symbol: string, history: RecordedSymbols): ReadonlyMap<string, readonly string[]> | undefined {
  const found = new Map<string, string[]>();
  for (const release of symbol.length < 12 ? [] : history.releases) {
    for (const name of history.namesStartingWith(symbol, release)) {
      found.set(name, [...(found.get(name) ?? []), release]);
    }
    if (found.size > 200) {
      return undefined;
    }
  }
  return found.size === 0 ? undefined : found;
}

/** The name of libc++'s string in the place of libstdc++'s, which the table has: macOS has no other difference in most names. */
function ofLinux(symbol: string): string {
  return symbol.replaceAll("NSt3__112basic_stringIcNS_11char_traitsIcEENS_9allocatorIcEEEE", "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE");
}

/** "?Method@Class@Namespace@@QEAA..." (Microsoft's mangling: components from the inside out). */
export function readMicrosoft(symbol: string): NameParts | undefined {
  const match = /^(?:__imp_)?\?(\?[01])?((?:\w+@)+)@/.exec(symbol);
  const components = match?.[2]?.split("@").filter((one) => one !== "").reverse();
  const last = components?.at(-1);
  if (match === null || components === undefined || last === undefined) {
    return undefined;
  }
  return { kind: "", components: match[1] === undefined ? components : [...components, match[1] === "?1" ? `~${last}` : last] };
}

/** As far as a mangled name tells without its parameters, which may be cut. */
function partsOfMangled(symbol: string): NameParts | undefined {
  const whole = entityKey(symbol);
  if (whole !== undefined) {
    return readDemangled(whole);
  }
  const match = /^_Z(TV|TI|TS)?N?[rVK]*[RO]?(?=\d)/.exec(symbol);
  const components: string[] = [];
  for (let at = match?.[0].length ?? symbol.length; at < symbol.length;) {
    const digits = /^\d{1,4}/.exec(symbol.slice(at, at + 4))?.[0];
    const text = digits === undefined ? "" : symbol.slice(at + digits.length, at + digits.length + Number(digits));
    if (digits === undefined || text.length < Number(digits)) {
      if (/^[CD]/.test(symbol.slice(at))) components.push(`${symbol.charAt(at) === "D" ? "~" : ""}${components.at(-1) ?? ""}`);
      break;
    }
    components.push(text);
    at += digits.length + text.length;
  }
  const kind = match?.[1] === "TV" ? "vtable for " : match?.[1] === "TI" ? "typeinfo for " : match?.[1] === "TS" ? "typeinfo name for " : "";
  return components.length === 0 ? undefined : { kind, components };
}

function releasesOf(symbol: string, history: RecordedSymbols): readonly string[] {
  const releases = new Set(variantsOf(symbol).flatMap((one) => history.releasesExporting(one) ?? []));
  return history.releases.filter((one) => releases.has(one));
}

function twinsOf(symbol: string, history: RecordedSymbols): Overload | undefined {
  for (const twin of abiTwinCandidates(symbol).flatMap(variantsOf)) {
    const releases = releasesOf(twin, history);
    if (releases.length > 0) {
      return { symbol: twin, demangled: demangle(twin) ?? twin, releases };
    }
  }
  return undefined;
}

function eitherOf(symbol: string, history: RecordedSymbols): readonly string[] {
  const twin = twinsOf(symbol, history);
  const releases = new Set([...releasesOf(symbol, history), ...(twin?.releases ?? [])]);
  return history.releases.filter((one) => releases.has(one));
}

function ofMangled(symbol: string, history: RecordedSymbols): Life {
  const releases = releasesOf(symbol, history);
  const twin = twinsOf(symbol, history);
  const either = eitherOf(symbol, history);
  const abi = readMangled(symbol)?.stringAbi;
  const overload = overloadOf(symbol, either, history);
  const home = homesOf(symbol, releases, history) ?? (twin === undefined ? undefined : homesOf(twin.symbol, twin.releases, history)) ?? (overload === undefined ? undefined : homesOf(overload.symbol, overload.releases, history));
  return {
    symbol, releases, either, twin, overload,
    isRecorded: history.isRecorded(symbol),
    wants: abi === "both" ? undefined : abi ?? (twin === undefined ? undefined : 0),
    homes: home ?? [],
    isByName: false,
  };
}

/** By the qualified name: where its parameters cannot be compared, any overload stands for it. */
function ofName(symbol: string, parts: NameParts | undefined, history: RecordedSymbols, overloads = parts === undefined ? new Map<string, readonly string[]>() : recordedOverloads(parts, history)): Life {
  const all = new Set([...overloads.values()].flat());
  const either = history.releases.filter((one) => all.has(one));
  const [newest] = [...overloads].sort(([, a], [, b]) => history.releases.indexOf(b.at(-1) ?? "") - history.releases.indexOf(a.at(-1) ?? ""));
  return {
    symbol, releases: [], either, twin: undefined, wants: undefined, isByName: true,
    isRecorded: overloads.size > 0,
    homes: newest === undefined ? [] : homesOf(newest[0], newest[1], history) ?? [],
    overload: newest === undefined ? undefined : { symbol: newest[0], demangled: demangle(newest[0]) ?? newest[0], releases: newest[1] },
  };
}

function homesOf(symbol: string, releases: readonly string[], history: RecordedSymbols): readonly string[] | undefined {
  const last = releases.at(-1);
  const files = last === undefined ? [] : variantsOf(symbol).flatMap((one) => history.librariesOf(one, last) ?? []);
  return files.length === 0 ? undefined : [...new Set(files.map((one) => one.replace(/\.so.*$/, "")))];
}

/** One text for both spellings of std::string and all variants of a constructor. */
function canonical(symbol: string): string {
  const old = symbol.includes("cxx11") ? abiTwin(symbol) ?? symbol : symbol;
  return [...variantsOf(old)].sort()[0] ?? old;
}

/**
 * The overload that came when the symbol went, or went when it came; else one that any release has. What stood beside it is
 * no successor.
 */
function overloadOf(symbol: string, either: readonly string[], history: RecordedSymbols): Overload | undefined {
  const key = symbol.startsWith("_Z") && (history.isRecorded(symbol) || familyOf(symbol) === "torch") ? entityKey(symbol) : undefined;
  const parts = key === undefined ? undefined : readDemangled(key);
  if (parts === undefined || (either.length === history.releases.length && either.length > 0)) {
    return undefined;
  }
  const own = canonical(symbol);
  const others = new Map<string, { symbol: string; releases: Set<string> }>();
  for (const [name, releases] of recordedOverloads(parts, history)) {
    const entity = canonical(name);
    if (entity !== own) {
      const other = others.get(entity) ?? { symbol: name, releases: new Set<string>() };
      // The newest spelling is the one that people meet.
      others.set(entity, { symbol: name, releases: new Set([...other.releases, ...releases]) });
    }
  }
  const [first, last] = [either[0], either.at(-1)];
  const at = (release: string | undefined, step: number): string | undefined => (release === undefined ? undefined : history.releases[history.releases.indexOf(release) + step]);
  const [before, after] = [at(first, -1), at(last, 1)];
  const came = [...others.values()].filter((one) => after !== undefined && one.releases.has(after) && !one.releases.has(last ?? ""));
  const went = [...others.values()].filter((one) => before !== undefined && one.releases.has(before) && !one.releases.has(first ?? ""));
  const chosen = came[0] ?? went[0] ?? (either.length === 0 ? [...others.values()].at(-1) : undefined);
  return chosen === undefined ? undefined : { symbol: chosen.symbol, demangled: demangle(chosen.symbol) ?? chosen.symbol, releases: history.releases.filter((one) => chosen.releases.has(one)) };
}

/** Whether every recorded release has it. */
export function isInAll(life: Life, history: RecordedSymbols): boolean {
  return history.releases.length > 0 && life.either.length === history.releases.length;
}

/** Whether a release, which the text names perhaps without its patch, has it; undefined: that release is not recorded. */
export function isIn(release: string, life: Life, history: RecordedSymbols): boolean | undefined {
  const same = history.releases.filter((one) => one === release || minorOf(one) === release);
  return same.length === 0 ? undefined : same.some((one) => life.either.includes(one));
}
