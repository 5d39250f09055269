/** What readelf and nm of this machine say of a library, to compare with. */
import { execFileSync } from "node:child_process";
import type { DynamicSymbol } from "../../../../src/engine/binaries/library.ts";
import type { VersionNeed } from "../../../../src/engine/model/index.ts";
import { open } from "./compile.ts";

const types = new Map<string, DynamicSymbol["type"]>([["NOTYPE", "none"], ["OBJECT", "object"], ["FUNC", "function"], ["TLS", "tls"], ["IFUNC", "ifunc"]]);

interface Said {
  readonly symbols: readonly string[];
  readonly needed: readonly string[];
  readonly soname: string | undefined;
  readonly rpath: readonly string[];
  readonly runpath: readonly string[];
  readonly versionNeeds: readonly VersionNeed[];
  readonly versionDefinitions: readonly string[];
}

function run(tool: string, ...options: readonly string[]): string {
  return execFileSync(tool, options, { encoding: "utf8", maxBuffer: 512 * 1024 * 1024, env: { ...process.env, LC_ALL: "C" }, stdio: ["ignore", "pipe", "ignore"] });
}

function saidByReadelf(file: string): Said {
  const symbols: string[] = [];
  for (const line of run("readelf", "-W", "--dyn-syms", file).split("\n")) {
    const found = /^ +(\d+): [0-9a-f]+ +(?:0x[0-9a-f]+|\d+) (\S+|<[^>]*>: \d+) +(\S+) +(\S+) .*?(UND|ABS|COM|\d+)(?: (\S*)(?: \(\d+\))?)?$/.exec(line);
    if (found !== null && found[1] !== "0") {
      const [, , type = "", binding = "", visibility = "", section = "", name = ""] = found;
      symbols.push(`${name} ${types.get(type) ?? "other"} ${binding.toLowerCase()} ${visibility.toLowerCase()} ${section === "UND" ? "undefined" : "defined"}`);
    }
  }
  const dynamic = run("readelf", "-W", "-d", file);
  const all = (tag: string): readonly string[] => [...dynamic.matchAll(new RegExp(`\\(${tag}\\).*\\[(.*)\\]`, "g"))].map((one) => one[1] ?? "");
  const needs: { library: string; versions: string[] }[] = [];
  const definitions: string[] = [];
  let isDefinition = false;
  for (const line of run("readelf", "-W", "-V", file).split("\n")) {
    isDefinition = line.startsWith("Version definition section") || (isDefinition && !line.startsWith("Version "));
    const library = /Version: \d+ {2}File: (.*?) {2}Cnt/.exec(line)?.[1];
    const definition = isDefinition ? /Rev: \d+ {2}Flags: (.*?) {2,}Index: \d+ {2}Cnt: \d+ {2}Name: (.*)/.exec(line) : null;
    const version = /^ +0x[0-9a-f]+: {3}Name: (.*?) {2}Flags/.exec(line)?.[1];
    if (library !== undefined) {
      needs.push({ library, versions: [] });
    } else if (version !== undefined) {
      needs.at(-1)?.versions.push(version);
    } else if (definition !== null && !(definition[1] ?? "").includes("BASE")) {
      definitions.push(definition[2] ?? "");
    }
  }
  const path = (tag: string): readonly string[] => all(tag).flatMap((text) => text.split(":"));
  return { symbols, needed: all("NEEDED"), soname: all("SONAME")[0], rpath: path("RPATH"), runpath: path("RUNPATH"), versionNeeds: needs, versionDefinitions: definitions };
}

/** nm's letters: U, w and v are undefined; other small ones are local; lines are given unsorted. */
function saidByNm(file: string): readonly string[] {
  return run("nm", "-D", "-p", "--with-symbol-versions", file)
    .split("\n")
    .flatMap((line) => {
      const [, letter, name] = /^[0-9a-f ]{16} (.) (.*)$/.exec(line) ?? [];
      return letter === undefined || name === undefined ? [] : [`${/[Uwv]/.test(letter) ? "undefined" : "defined"} ${name}`];
    });
}

/** As binutils write it: no version behind the symbol that the linker defines for a version itself. */
function withVersion(symbol: DynamicSymbol): string {
  const { version } = symbol;
  return version === undefined || version.name === symbol.name ? symbol.name : `${symbol.name}${symbol.defined && !version.hidden ? "@@" : "@"}${version.name}`;
}

export interface Comparison {
  readonly symbols: number;
  /** Sentences. */
  readonly differences: readonly string[];
}

/** Every symbol with name, type, binding, visibility, whether defined, and version; and all of the dynamic segment. */
export function compareWithTools(file: string): Comparison {
  const elf = open(file);
  const said = saidByReadelf(file);
  const symbols = [...elf.symbols()];
  const differences: string[] = [];
  const compare = (what: string, ours: readonly string[], theirs: readonly string[]): void => {
    if (ours.length !== theirs.length) {
      differences.push(`${what}: ${ours.length} here, ${theirs.length} there`);
    }
    const at = ours.findIndex((one, index) => one !== theirs[index]);
    if (at >= 0) {
      differences.push(`${what} ${at}: "${ours[at]}" here, "${theirs[at]}" there`);
    }
  };
  compare("symbol", symbols.map((one) => `${withVersion(one)} ${one.type} ${one.binding} ${one.visibility} ${one.defined ? "defined" : "undefined"}`), said.symbols);
  compare("nm", symbols.filter((one) => one.name !== "").map((one) => `${one.defined ? "defined" : "undefined"} ${withVersion(one)}`), saidByNm(file));
  compare("needed", elf.needed, said.needed);
  compare("soname", [String(elf.soname)], [String(said.soname)]);
  compare("rpath", elf.rpath, said.rpath);
  compare("runpath", elf.runpath, said.runpath);
  const flat = (needs: readonly VersionNeed[]): readonly string[] => needs.flatMap((one) => one.versions.map((version) => `${one.library} ${version}`));
  compare("version need", flat(elf.versionNeeds()), flat(said.versionNeeds));
  compare("version definition", elf.versionDefinitions(), said.versionDefinitions);
  // Looked up one by one, each exported symbol is found in its own version.
  for (const one of symbols) {
    const bindable = one.defined && one.binding !== "local" && (one.visibility === "default" || one.visibility === "protected") && one.type !== "other";
    if (bindable && elf.lookup(one.name, one.version?.name)?.value !== one.value) {
      differences.push(`${withVersion(one)} is listed and not found`);
    }
  }
  return { symbols: symbols.length, differences: [...differences, ...elf.problems] };
}
