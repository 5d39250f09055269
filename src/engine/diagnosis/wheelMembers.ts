import * as path from "node:path";
import type { FitResult } from "../fit/index.ts";
import type { WheelProfile } from "../model/index.ts";
import type { BuiltFile } from "../rules/index.ts";
import type { ExaminedBinary } from "./examination.ts";

/** Chains of libraries that load each other are shorter by far. */
const deepestChain = 500;

/** What one more file that loads a library lacks is said of that file itself. */
const mostDependents = 32;

/** A member of a wheel, compared. */
export type Member = BuiltFile & { readonly fit: FitResult };

/** What the loader itself asks of any library. */
const loaderTraits: ReadonlySet<string> = new Set(["platform", "glibc", "libstdcxx-version"]);
/** What packages put at the end of a name to tell the backends of one library apart. */
const backends = /_(?:cpu|cuda|cu|rocm|hip|xpu|sycl|mps|musa|npu)\d*$/;

/**
 * A copy of a library that has nothing to do with torch is compared with the machine alone: that libnvjpeg holds a CUDA
 * runtime says nothing of how it goes with torch; the library that needs it is compared itself.
 */
export function withoutForeignTraits(result: FitResult, wheel: WheelProfile | undefined): FitResult {
  const { path: file, profile } = result.built;
  const listed = wheel?.libraries.find((one) => one.isGrafted && file.endsWith(`/${one.member}`));
  const usesTorch = (profile.imports.torch ?? 0) + (profile.imports["torch-stable"] ?? 0) > 0;
  return listed === undefined || usesTorch ? result : { ...result, traits: result.traits.filter((one) => loaderTraits.has(one.trait)) };
}

/**
 * Programs of a wheel are started by themselves, with another search for libraries and without torch in the process: they
 * say nothing of what importing its package does.
 */
export function withoutPrograms(binaries: readonly ExaminedBinary[]): { readonly libraries: readonly ExaminedBinary[]; readonly said: readonly string[] } {
  const programs = binaries.filter((one) => one.body.profile.kind === "executable");
  const names = programs.map((one) => one.body.name);
  return {
    libraries: programs.length === 0 ? binaries : binaries.filter((one) => !programs.includes(one)),
    said: programs.length === 0 ? [] : [`Programs were not judged: ${shortened(names)} ${names.length === 1 ? "is" : "are"} started by ${names.length === 1 ? "itself" : "themselves"}, with another search for libraries.`],
  };
}

/**
 * Members with the members that load them, after those: of libraries that are neither modules nor hold operators, which
 * nobody opens by themselves.
 */
export function dependentsFirst(libraries: readonly ExaminedBinary[]): ReadonlyMap<ExaminedBinary, readonly ExaminedBinary[]> {
  const loading = new Map<string, ExaminedBinary[]>();
  for (const one of libraries) {
    for (const name of one.body.profile.needed) {
      const others = loading.get(name);
      if (others === undefined) {
        loading.set(name, [one]);
      } else if (others.length < mostDependents) {
        others.push(one);
      }
    }
  }
  const found = new Map<ExaminedBinary, readonly ExaminedBinary[]>();
  const begun = new Set<ExaminedBinary>();
  const visit = (one: ExaminedBinary, depth: number): void => {
    if (begun.has(one)) {
      return;
    }
    begun.add(one);
    const { name, profile } = one.body;
    const dependents = profile.kind !== "shared-library" ? [] : [...new Set([...(loading.get(profile.soname ?? name) ?? []), ...(loading.get(name) ?? [])])].filter((other) => other !== one);
    for (const other of depth < deepestChain ? dependents : []) {
      visit(other, depth + 1);
    }
    found.set(one, dependents);
  };
  for (const one of libraries) {
    visit(one, 0);
  }
  return found;
}

export interface Variants {
  /** Variants that do not fit, where another one of the same library does. */
  readonly aside: ReadonlySet<Member>;
  /** What was put aside, in sentences. */
  readonly said: readonly string[];
}

/**
 * Libraries that a wheel holds in several variants, of which its package opens one: modules that differ in their suffix
 * (Python takes its own), libraries that differ in a number at the end of their names (one for each release of FFmpeg), and
 * backends that nothing links (libops_cpu.so, libops_cuda128.so), as long as they are not bound to torch.
 */
export function variantsOf(members: readonly Member[]): Variants {
  const needed = new Set(members.flatMap((one) => one.body.profile.needed));
  const groups = new Map<string, Member[]>();
  for (const member of members) {
    const key = `${path.dirname(member.body.path)}/${stemOf(member, needed)}`;
    groups.set(key, [...(groups.get(key) ?? []), member]);
  }
  const aside = new Set<Member>();
  const said: string[] = [];
  for (const group of groups.values()) {
    const fitting = group.filter((one) => one.fit.verdict === "no-conflict");
    const others = group.filter((one) => one.fit.verdict === "conflict");
    if (fitting.length > 0 && others.length > 0) {
      for (const one of others) {
        aside.add(one);
      }
      said.push(`The wheel holds ${group.length} variants of one library, of which its package opens one: ${listed(fitting)} ${fitting.length === 1 ? "fits" : "fit"}; ${listed(others)} ${others.length === 1 ? "does" : "do"} not, and ${others.length === 1 ? "was" : "were"} not counted.`);
    }
  }
  return { aside, said };
}

function stemOf({ body }: Member, needed: ReadonlySet<string>): string {
  const stem = body.name.split(".", 1)[0] ?? body.name;
  if (body.profile.modules.length > 0) {
    return stem;
  }
  const isBoundToTorch = (body.profile.imports.torch ?? 0) + (body.profile.imports["torch-stable"] ?? 0) > 0;
  const plain = isBoundToTorch || needed.has(body.name) ? stem : stem.replace(backends, "");
  return plain === stem ? stem.replace(/\d+$/, "#") : plain;
}

function listed(members: readonly Member[]): string {
  return shortened(members.map((one) => one.body.name));
}

function shortened(names: readonly string[]): string {
  return `${names.slice(0, 3).join(", ")}${names.length > 3 ? ` and ${names.length - 3} more` : ""}`;
}
