import type { WheelDisagreement } from "../../model/index.ts";
import { isLoader } from "./loading.ts";
import { isIndependent, isOwnedByNvidia, isTorchItself, providerOf, stemOf, withoutHash } from "./provided.ts";
import type { WheelContent, WheelLibrary } from "./types.ts";

/** Copies of libraries that the machine or other wheels bring: of torch, of CUDA, of the driver; and what went wrong in copying. */
export function judgeGrafts(content: WheelContent): readonly WheelDisagreement[] {
  if (isTorchItself(content.name.distribution) || isOwnedByNvidia(content.name.distribution)) {
    return [];
  }
  return [...copies(content), ...lostVersions(content)];
}

function copies({ where, libraries }: WheelContent): readonly WheelDisagreement[] {
  const byStem = new Map<string, WheelLibrary[]>();
  for (const one of libraries) {
    const stem = stemOf(nameOf(one));
    const provider = providerOf(nameOf(one));
    if (provider !== undefined && provider !== "other") {
      byStem.set(stem, [...(byStem.get(stem) ?? []), one]);
    }
  }
  return [...byStem.values()].flatMap((group): WheelDisagreement[] => {
    const [first] = group;
    return first === undefined ? [] : [{ kind: "grafted", ...judgeCopy(first, group.length, libraries), member: first.member, evidence: [{ kind: "file", path: `${where}/${first.member}`, what: `a copy of ${withoutHash(nameOf(first))}` }] }];
  });
}

function judgeCopy(copy: WheelLibrary, count: number, libraries: readonly WheelLibrary[]): { readonly weight: WheelDisagreement["weight"]; readonly message: string } {
  const name = nameOf(copy);
  const what = `${copy.member} is a copy of ${withoutHash(name)}${count > 1 ? ` (one of ${count} files of ${stemOf(name)})` : ""}`;
  const provider = providerOf(name);
  if (provider === "torch") {
    return { weight: "warning", message: `${what}, which torch brings: with torch imported, two of them are in the process.` };
  }
  if (provider === "driver") {
    return { weight: "warning", message: `${what}, a library of the NVIDIA driver: it works only with the kernel driver of its own release, and hides the machine's.` };
  }
  const other = libraries.find((one) => one.body.profile.needed.some((needed) => isOther(needed, name, libraries)));
  const outside = other?.body.profile.needed.find((needed) => isOther(needed, name, libraries));
  // What nothing in the wheel needs is opened by its path, for a purpose of its own.
  const isLoaded = libraries.some((one) => one.body.profile.needed.some((needed) => needed === name || needed === copy.body.profile.soname));
  return {
    weight: isLoaded && !isIndependent(name) ? "warning" : "info",
    message: `${what}, which NVIDIA's wheels bring${other === undefined ? "" : `; ${other.member} needs ${outside}, from outside of the wheel, as well`}: two of them may be in one process.`,
  };
}

function isOther(needed: string, name: string, libraries: readonly WheelLibrary[]): boolean {
  return needed !== name && stemOf(needed) === stemOf(name) && !isHeld(needed, libraries);
}

function nameOf({ member }: WheelLibrary): string {
  return member.split("/").at(-1) ?? "";
}

function isHeld(needed: string, libraries: readonly WheelLibrary[]): boolean {
  return libraries.some((one) => one.member.endsWith(`/${needed}`) || one.body.profile.soname === needed);
}

/**
 * A library that was renamed without its symbol versions: NEEDED names the copy, the versions still name the original,
 * and the loader ends the process unless something else loaded that ("dl-version.c: needed != NULL").
 */
function lostVersions({ where, libraries }: WheelContent): readonly WheelDisagreement[] {
  return libraries.flatMap(({ member, body }): WheelDisagreement[] => {
    const { needed, versionNeeds } = body.profile;
    const lost = versionNeeds.find((one) => !isLoader(one.library) && !needed.includes(one.library) && needed.some((name) => name !== one.library && withoutHash(name) !== name && stemOf(name) === stemOf(one.library)));
    if (lost === undefined) {
      return [];
    }
    const renamed = needed.find((name) => stemOf(name) === stemOf(lost.library)) ?? "";
    const isElsewhere = providerOf(lost.library) !== undefined;
    return [{ kind: "grafted", weight: isElsewhere ? "warning" : "error", member, message: `${member} needs ${renamed}, and its symbol versions still name ${lost.library}: only one of the two was renamed. The loader ends the process${isElsewhere ? ` unless ${lost.library} was loaded before` : ""}.`, evidence: [{ kind: "file", path: `${where}/${member}`, what: `NEEDED ${renamed}, symbol versions of ${lost.library}` }] }];
  });
}
