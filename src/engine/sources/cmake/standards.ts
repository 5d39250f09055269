import type { Language } from "../../model/index.ts";
import type { ArgumentList } from "./argumentList.ts";
import { always, conjunction } from "./guards.ts";
import type { Guard } from "./guards.ts";
import type { Interpreter } from "./interpreter.ts";
import type { ReachedTarget } from "./links.ts";
import { evaluateGenex } from "./genex.ts";
import { splitList } from "./split.ts";
import type { Target } from "./target.ts";
import { render, unsetValue, worlds } from "./value.ts";
import type { Piece, Value } from "./value.ts";
import { isFalse } from "./words.ts";

interface Level {
  readonly standard: number | undefined;
  readonly guard: Guard;
  readonly pieces: readonly Piece[];
  readonly inheritedFrom?: string;
}

/** Two-digit standards in the order of their age: 98 comes first. */
function age(standard: number): number {
  return standard > 90 ? standard - 100 : standard;
}

/**
 * The -std option: the <LANG>_STANDARD property, raised to what compile features of the target and of what it links demand.
 * CUDA takes what C++ comes to where it has no property of its own and C++ has one (seen with CMake 3.25).
 */
export function addStandards(vm: Interpreter, list: ArgumentList, target: Target, users: readonly ReachedTarget[], languages: readonly Language[]): void {
  for (const language of languages) {
    if (language === "SYCL") continue;
    let base = levels(vm, target.properties.get(`${language}_STANDARD`));
    const features = featureLevels(vm, target, users, language);
    if (language === "CUDA" && base.length === 0) {
      base = levels(vm, target.properties.get("CXX_STANDARD"));
      if (base.length > 0) features.push(...featureLevels(vm, target, users, "CXX"));
    }
    emit(list, target, language, base, features);
  }
}

function emit(list: ArgumentList, target: Target, language: Language, base: readonly Level[], features: readonly Level[]): void {
  const floor = Math.min(...base.map((level) => (level.standard === undefined ? -Infinity : age(level.standard))), Infinity);
  const raising = features.filter((feature) => feature.standard !== undefined && (base.length === 0 || age(feature.standard) > floor)).sort((a, b) => age(a.standard ?? 0) - age(b.standard ?? 0));
  // The highest that always holds makes the lower ones moot.
  const certain = Math.max(...raising.filter((level) => level.guard.length === 0).map((level) => age(level.standard ?? 0)), -Infinity);
  for (const level of [...base, ...raising]) {
    if (level.standard !== undefined && age(level.standard) < certain) continue;
    list.add({ text: spelled(target, language, level), pieces: level.pieces, guard: level.guard, origin: "standard", languages: [language], ...(level.inheritedFrom === undefined ? {} : { inheritedFrom: level.inheritedFrom }) });
    if (base.every((one) => one !== level) && level.standard !== undefined && age(level.standard) === certain && level.guard.length === 0 && level === raising.at(-1)) break;
  }
}

function spelled(target: Target, language: Language, level: Level): string {
  const number = level.standard === undefined ? render(level.pieces) : String(level.standard).padStart(2, "0");
  const extensions = target.properties.get(`${language}_EXTENSIONS`) ?? target.properties.get("CXX_EXTENSIONS");
  const gnu = language !== "CUDA" && !(extensions !== undefined && extensions.pieces.length > 0 && isFalse(render(extensions.pieces)));
  return language === "C" ? `-std=${gnu ? "gnu" : "c"}${number}` : `-std=${gnu ? "gnu" : "c"}++${number}`;
}

function levels(vm: Interpreter, property: Value | undefined): Level[] {
  const out: Level[] = [];
  for (const world of worlds(vm.conditions, (property ?? unsetValue).pieces, always, 16) ?? []) {
    const text = render(world.pieces);
    if (text === "" || world.pieces.every((piece) => piece.unset !== undefined)) continue;
    out.push({ standard: /^\d+$/.test(text) ? Number(text) : undefined, guard: world.guard, pieces: world.pieces });
  }
  return out;
}

function featureLevels(vm: Interpreter, target: Target, users: readonly ReachedTarget[], language: Language): Level[] {
  const out: Level[] = [];
  const prefix = { C: "c_std_", CXX: "cxx_std_", CUDA: "cuda_std_", HIP: "hip_std_", SYCL: "sycl_std_" }[language];
  const read = (property: Value | undefined, under: Guard, from?: string) => {
    for (const element of splitList((property ?? unsetValue).pieces)) {
      for (const world of worlds(vm.conditions, element, always, 8) ?? []) {
        const results = world.pieces.some((piece) => piece.text.includes("$<")) ? evaluateGenex(world.pieces, { vm, target, language, configuration: "Release", linking: false }) : [{ guard: always, pieces: world.pieces }];
        for (const result of results) {
          const text = render(result.pieces);
          const both = conjunction(under, conjunction(world.guard, result.guard) ?? always);
          if (both !== undefined && text.startsWith(prefix)) out.push({ standard: Number(text.slice(prefix.length)), guard: both, pieces: result.pieces, ...(from === undefined ? {} : { inheritedFrom: from }) });
        }
      }
    }
  };
  read(target.properties.get("COMPILE_FEATURES"), always);
  if (target.kind === "interface") read(target.properties.get("INTERFACE_COMPILE_FEATURES"), always);
  for (const used of users) read(used.target.properties.get("INTERFACE_COMPILE_FEATURES"), used.guard, used.target.name);
  return out.filter((level) => !Number.isNaN(level.standard));
}

/** CUDA_ARCHITECTURES as CMake spells it for nvcc: "80" is real and virtual, "80-real" and "80-virtual" are one of both. */
export function addArchitectures(vm: Interpreter, list: ArgumentList, property: Value | undefined): void {
  for (const element of splitList((property ?? unsetValue).pieces)) {
    for (const world of worlds(vm.conditions, element, always, 8) ?? []) {
      const text = render(world.pieces);
      const parts = /^(\d+[af]?)(-real|-virtual)?$/.exec(text);
      const entry = { pieces: world.pieces, guard: world.guard, origin: "architecture" as const, languages: ["CUDA" as const] };
      if (parts?.[1] !== undefined) {
        const codes = [...(parts[2] === "-real" ? [] : [`compute_${parts[1]}`]), ...(parts[2] === "-virtual" ? [] : [`sm_${parts[1]}`])];
        list.add({ ...entry, text: `--generate-code=arch=compute_${parts[1]},code=[${codes.join(",")}]` });
      } else if (text !== "" && !isFalse(text) && !world.pieces.every((piece) => piece.unset !== undefined)) list.add({ ...entry, text: `-arch=${text}` });
    }
  }
}
