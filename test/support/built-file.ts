/** Built files and what loading them would do, made by hand for tests of rules. */
import * as path from "node:path";
import type { FitResult, MissingSymbol, TraitComparison } from "../../src/engine/fit/types.ts";
import type { BinaryProfile, BuiltBody, Fact, InstalledBody } from "../../src/engine/model/index.ts";
import type { BuiltFile } from "../../src/engine/rules/rule.ts";

export function profile(file: string, changes: Partial<BinaryProfile> = {}): BinaryProfile {
  const name = path.basename(file);
  return {
    path: file, size: 1000, machine: "x86_64", kind: "python-module", soname: undefined, needed: ["libtorch_cpu.so", "libc10.so"], rpath: [], runpath: [],
    modules: [{ name: name.split(".")[0] ?? name, entry: `PyInit_${name.split(".")[0] ?? name}`, suffix: /\.((?:cpython|abi3)[^.]*)\.so$/.exec(name)?.[1] }],
    imports: { torch: 5, python: 20 }, exports: 1, versionNeeds: [], pybind11Keys: [], nanobindKeys: [], cuda: undefined, cudaRuntime: undefined, compilers: [], buildId: undefined,
    isaLevel: undefined, stamp: undefined, signs: [], ...changes,
  };
}

export function missing(symbol: string, demangled: string, kind: MissingSymbol["kind"], changes: Partial<MissingSymbol> = {}): MissingSymbol {
  return { symbol, demangled, binding: "global", kind, because: "", ...changes };
}

export function trait(name: TraitComparison["trait"], built: string, installed: string, changes: Partial<TraitComparison> = {}): TraitComparison {
  return { trait: name, built, installed, agrees: false, weight: "error", because: "Because.", evidence: [], ...changes };
}

export interface BuiltChanges {
  readonly fit?: Partial<FitResult>;
  readonly profile?: Partial<BinaryProfile>;
  readonly facts?: readonly Fact[];
  readonly file?: Partial<BuiltFile>;
}

export function builtFile(file: string, against: InstalledBody | undefined, changes: BuiltChanges = {}): BuiltFile {
  const body: BuiltBody = { role: "built", name: path.basename(file), path: file, profile: profile(file, changes.profile), facts: changes.facts ?? [], notKnown: [] };
  const fit: FitResult | undefined = against === undefined ? undefined : {
    built: body, against, verdict: "conflict", missing: [], missingDependencies: [], missingVersions: [], traits: [], loaded: [], notChecked: [], ...changes.fit,
  };
  return { body, fit, origin: "beside-package", modified: 1, ...changes.file };
}
