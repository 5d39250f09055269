import { torchLibraryStem } from "../../catalogue/index.ts";
import type { BinaryProfile } from "../../model/index.ts";
import type { Constants } from "./constants.ts";
import type { SymbolFacts } from "./symbols.ts";

type Sign = BinaryProfile["signs"][number];

export interface SignClues {
  readonly path: string;
  /** The file name. */
  readonly name: string;
  readonly soname: string | undefined;
  readonly needed: readonly string[];
  readonly rpath: readonly string[];
  readonly runpath: readonly string[];
  readonly hasTextRelocations: boolean;
}

/** A packager's hash before ".so" or before the version: "libjpeg-185109e6.so.8", "libjpeg.185109e6.so.8". */
const grafted = /^(lib.+?)[-.]([0-9a-f]{8})\.so(?:\.|$)/;
const dateLike = /^(?:19|20)\d{2}(?:0\d|1[0-2])(?:[0-2]\d|3[01])$/;
/** Folders of a person, of a build service or of one environment: nobody else has them. Elsewhere an absolute path may be meant. */
const leaked = [
  /^\/(?:home|root|Users|tmp|var\/tmp|var\/lib\/jenkins|__w|github|builds?|workspaces?|scratch|private\/var)(?:\/|$)/,
  /\/(?:site|dist)-packages(?:\/|$)/,
  /\/(?:conda-bld|envs|(?:mini|ana)conda\d*|miniforge\d*|mambaforge|micromamba)(?:\/|$)|_placehold/,
  /\/conda(?:\/|$)/,
];
/** Distributions keep their own Python packages here. */
const system = /^\/usr\/lib(?:64)?\//;

/** What in a file is unusual and explains trouble elsewhere. */
export function signsOf(clues: SignClues, symbols: SymbolFacts, constants: Constants): readonly Sign[] {
  return [...librariesInside(clues, symbols, constants), ...graftedLibraries(clues), ...leakedPaths(clues), ...(clues.hasTextRelocations ? [sign(clues, "text-relocations", "DT_TEXTREL: the loader must write into its code")] : [])];
}

function librariesInside(clues: SignClues, symbols: SymbolFacts, constants: Constants): readonly Sign[] {
  const names = [clues.soname, clues.name].filter((one) => one !== undefined).map((one) => stemOf(one));
  const signs: Sign[] = [];
  const needsLibstdcxx = clues.needed.some((one) => stemOf(one) === "libstdc++");
  if (!needsLibstdcxx && !names.includes("libstdc++")) {
    if (symbols.definesLibstdcxx !== undefined) {
      signs.push(sign(clues, "static-libstdcxx", `defines ${symbols.definesLibstdcxx}, which is libstdc++'s, and needs no libstdc++`));
    } else if (constants.holdsLibstdcxx) {
      signs.push(sign(clues, "static-libstdcxx", `holds libstdc++'s own text "terminate called after throwing an instance of '" and needs no libstdc++`));
    }
  }
  if (symbols.definesTorch !== undefined && !names.some((one) => torchLibraryStem(one) !== undefined)) {
    signs.push(sign(clues, "static-libtorch", `defines ${symbols.definesTorch}, which is libtorch's`));
  }
  return signs;
}

function graftedLibraries(clues: SignClues): readonly Sign[] {
  return clues.needed.filter(isGrafted).map((name) => torchLibraryStem(name) !== undefined
    ? sign(clues, "bundled-libtorch", `NEEDED ${name}: a copy of libtorch under a packager's name`)
    : sign(clues, "grafted-library", `NEEDED ${name}: a copy that a packager put beside it`));
}

function leakedPaths(clues: SignClues): readonly Sign[] {
  const entries = [...clues.rpath.map((entry) => ["RPATH", entry] as const), ...clues.runpath.map((entry) => ["RUNPATH", entry] as const)];
  return entries.filter(([, entry]) => entry.startsWith("/") && !system.test(entry) && leaked.some((one) => one.test(entry))).map(([tag, entry]) => sign(clues, "leaked-path", `${tag} ${entry}: a folder of the machine that built it`));
}

function isGrafted(name: string): boolean {
  const hash = grafted.exec(name)?.[2];
  return hash !== undefined && !dateLike.test(hash);
}

/** "libtorch_cpu" of "libtorch_cpu-1a2b3c4d.so.2", "libstdc++" of "libstdc++.so.6". */
function stemOf(name: string): string {
  const hashed = isGrafted(name) ? grafted.exec(name)?.[1] : undefined;
  return hashed ?? name.split(".so", 1)[0] ?? name;
}

function sign(clues: SignClues, what: Sign["what"], seen: string): Sign {
  return { what, evidence: { kind: "file", path: clues.path, what: seen } };
}
