import * as path from "node:path";
import { openElf } from "../../binaries/elf/index.ts";
import { familyOf } from "../../binaries/mangling/index.ts";
import { requirementsOf } from "../../installed/index.ts";
import type { Files, InstalledBody, InstalledDistribution } from "../../model/index.ts";
import { rules } from "../../rules/index.ts";
import type { BuiltFile, RuleContext } from "../../rules/index.ts";
import type { RuleSetting } from "../configuration.ts";
import { compareFindings } from "../diagnosis.ts";
import type { Diagnosis } from "../diagnosis.ts";
import { runRules } from "../runRules.ts";
import { recordedLibraries } from "./candidates.ts";
import type { Candidate } from "./candidates.ts";
import { BuiltFileReader } from "./reader.ts";
import type { ReaderOptions } from "./reader.ts";
import { unlistedLibraries } from "./unlisted.ts";

export interface EnvironmentScanOptions extends ReaderOptions {
  /** Run only these rules. */
  readonly only?: readonly string[];
  readonly rules?: ReadonlyMap<string, RuleSetting>;
}

/** Beyond these the rest is named and left out. */
const mostFiles = 5000;

/** What torch itself, its CUDA libraries and its compiler bring fits together by its releases. */
const torchsOwn = /^(?:torch|pytorch|libtorch|triton|pytorch-triton|nvidia-[\w-]+|functorch|torchgen)$/;

/** Every extension that is installed beside a torch, compared with it; the steps name the distributions. */
export function* scanEnvironment(installed: InstalledBody, options: EnvironmentScanOptions): Generator<string, Diagnosis, undefined> {
  const { files } = options;
  const candidates: Candidate[] = [];
  const notChecked: string[] = [...installed.notKnown];
  const recorded = new Set<string>();
  let looked = 0;
  const consider = (candidate: Candidate): void => {
    looked += 1;
    if (looked <= mostFiles && mayConcernTorch(candidate.path, files)) {
      candidates.push(candidate);
    }
  };
  for (const one of installed.distributions) {
    const info = one.evidence.kind === "file" ? one.evidence.path : undefined;
    if (info === undefined || torchsOwn.test(one.name)) {
      continue;
    }
    yield one.name;
    for (const file of info.endsWith(".dist-info") ? recordedLibraries(info, files) : []) {
      recorded.add(file);
      consider({ path: file, origin: "installed", distribution: distributionOf(one, info, files) });
    }
  }
  const unlisted = yield* unlistedLibraries(installed, recorded, files);
  for (const candidate of unlisted.candidates) {
    consider(candidate);
  }
  notChecked.push(...unlisted.notChecked);
  const reader = new BuiltFileReader(options);
  const built = yield* reader.read(candidates, [], installed, "");
  if (looked > mostFiles) {
    notChecked.push(`The environment has ${looked} libraries; ${looked - mostFiles} of them were not looked into.`);
  }
  notChecked.push(`${looked === 1 ? "1 installed library was" : `${Math.min(looked, mostFiles)} installed libraries were`} looked at, ${built.length} of which ${built.length === 1 ? "uses" : "use"} torch; torch's own and NVIDIA's were left out.`, ...common(built));
  const run = yield* runRules({ rules, settings: options.rules ?? new Map(), ...(options.only === undefined ? {} : { only: new Set(options.only) }) }, contextOf(installed, built, options));
  return {
    root: installed.prefix ?? installed.torchRoot ?? installed.name,
    declared: [], observations: [], requirements: [], installed: [installed], toolchains: [], built, scanned: true, configured: [],
    findings: [...run.findings].sort(compareFindings),
    suppressed: 0,
    gaps: run.gaps,
    notChecked,
    files: [],
  };
}

function contextOf(installed: InstalledBody, built: readonly BuiltFile[], options: EnvironmentScanOptions): RuleContext {
  return {
    root: sitePackages(installed) ?? installed.prefix ?? installed.name,
    declared: [], observations: [], requirements: [], built, installed, toolchains: [],
    catalogue: options.catalogue, files: options.files,
    scan: () => undefined,
  };
}

function sitePackages(installed: InstalledBody): string | undefined {
  return installed.torchRoot === undefined ? undefined : path.dirname(installed.torchRoot);
}

/** Most libraries of an environment have nothing to do with torch: what they need tells at once, else the names that they import. */
function mayConcernTorch(file: string, files: Files): boolean {
  const opened = openElf(file, files);
  if (!opened.ok) {
    return false;
  }
  if (opened.elf.needed.some((name) => /^lib(?:torch|c10)/.test(name))) {
    return true;
  }
  for (const symbol of opened.elf.imports()) {
    const family = familyOf(symbol.name);
    if (family === "torch" || family === "torch-stable") {
      return true;
    }
  }
  return false;
}

function distributionOf(one: InstalledDistribution, info: string, files: Files): NonNullable<BuiltFile["distribution"]> {
  const requires = one.requires.length > 0 ? one.requires : requirementsOf(path.join(info, "METADATA"), files);
  return { name: one.name, version: one.version, requires };
}

/** What holds for every file, once. */
function common(built: readonly BuiltFile[]): readonly string[] {
  const [first, ...others] = built.flatMap((one) => (one.fit === undefined ? [] : [one.fit.notChecked]));
  return (first ?? []).filter((sentence) => others.every((list) => list.includes(sentence)));
}
