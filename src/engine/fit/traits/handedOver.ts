import { readMangled } from "../../binaries/mangling/index.ts";
import { layoutChanges } from "../../catalogue/index.ts";
import { torchName } from "../classify.ts";
import type { TraitComparison } from "../types.ts";
import type { Sides } from "./setting.ts";
import { known } from "./setting.ts";

export type LayoutChange = NonNullable<ReturnType<typeof layoutChanges>>[number];

/** An object of a class of torch that the file makes and a function of torch takes. */
export interface HandedOver {
  readonly change: LayoutChange;
  /** "torch::Library::_impl". */
  readonly to: string;
}

/**
 * The changed classes whose objects the file hands to torch: parameters by value or by rvalue reference of the functions
 * that it calls. Those are made by code that was inlined into the file, in the size of the torch of the build.
 */
export function handedOver(names: readonly string[], changes: readonly LayoutChange[]): readonly HandedOver[] {
  const byClass = new Map(changes.map((one) => [one.class, one]));
  const found = new Map<LayoutChange, HandedOver>();
  for (const name of byClass.size === 0 ? [] : names) {
    const read = readMangled(name);
    for (const parameter of read?.parameters ?? []) {
      const change = byClass.get(parameter.replace(/&&$/, ""));
      if (read !== undefined && change !== undefined && !found.has(change)) {
        found.set(change, { change, to: read.qualifiedName });
      }
    }
  }
  return [...found.values()];
}

/**
 * Where nothing tells with which torch the file was compiled, the names that it needs leave some releases. Whether one of
 * those has another size of something that the file hands to torch is worth saying: torchao 0.13.0, compiled with 2.8.0,
 * finds every name in 2.9.1 and dies of std::bad_alloc in its TORCH_LIBRARY blocks, since torch::CppFunction has grown.
 */
export function layoutOfCandidates({ candidates, environment, unstableNames }: Sides, installed: string): TraitComparison | undefined {
  const others = (candidates ?? []).flatMap((release) => {
    const [first] = handedOver(unstableNames, layoutChanges(release, installed) ?? []);
    return first === undefined ? [] : [{ release, first }];
  });
  const [worst] = others;
  if (candidates === undefined || worst === undefined) {
    return undefined;
  }
  const { change, to } = worst.first;
  const isCertain = others.length === candidates.length;
  const which = others.map((one) => one.release).join(" or ");
  return {
    trait: "layout",
    built: candidates.join(" or "),
    installed,
    agrees: isCertain ? false : undefined,
    weight: isCertain ? "error" : "warning",
    because: `${isCertain ? `By the names that it needs the file was compiled with torch ${which}` : `Nothing says with which torch the file was compiled; by the names that it needs it was ${candidates.join(" or ")}. If it was ${which}`}: ${change.class}, which it makes itself and hands to ${to}, has ${change.from} bytes there and ${change.to} in ${torchName(environment)}. The loader does not see that, and the process may die in the file's initialisers.`,
    evidence: [...(known(environment.body, "torch-version")?.evidence ?? []), { kind: "catalogue", table: "torch-layouts", row: change.class, source: change.source }],
  };
}
