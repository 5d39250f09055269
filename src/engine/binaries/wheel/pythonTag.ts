import * as path from "node:path";
import type { WheelDisagreement } from "../../model/index.ts";
import { isWithinStableAbi } from "./stableAbi.ts";
import type { WheelContent, WheelLibrary } from "./types.ts";

/** Whether the modules are for the Pythons that the name admits, and the files of the kind that it promises. */
export function judgePython(content: WheelContent): readonly WheelDisagreement[] {
  return [...pure(content), ...modules(content)];
}

function modules({ where, name, libraries }: WheelContent): readonly WheelDisagreement[] {
  const { pythons, abis } = name.tags;
  const found: WheelDisagreement[] = [];
  const say = (one: WheelLibrary, weight: WheelDisagreement["weight"], message: string): void => {
    found.push({ kind: "python-tag", weight, member: one.member, message, evidence: [{ kind: "file", path: `${where}/${one.member}`, what: `the Python module ${path.posix.basename(one.member)}` }] });
  };
  for (const [, group] of groups(libraries)) {
    const [first] = group;
    const suffixes = group.map(suffixOf);
    if (first === undefined || suffixes.some((one) => one !== undefined && !/^cpython-3|^abi3/.test(one))) {
      continue;
    }
    const versions = suffixes.flatMap((one) => /^cpython-(3\d+t?)/.exec(one ?? "")?.[1] ?? []);
    const isFree = suffixes.some((one) => one === undefined || one.startsWith("abi3"));
    // One of several modules of a name serves the Python that it is for.
    if (isFree || versions.length === 0) {
      if (abis.length === 1 && abis[0] === "none" && pythons.some((one) => one.startsWith("py")) && suffixes.every((one) => one === undefined) && isWithinStableAbi(first) === false) {
        say(first, "warning", `The name says ${pythons.join(".")}-none, for any Python. ${first.member} uses functions of CPython beyond the limited API, which tie it to the one release that it was compiled for.`);
      }
      continue;
    }
    const exact = abis.flatMap((abi) => /^cp(3\d+t?)m?$/.exec(abi)?.[1] ?? []);
    const unserved = exact.filter((one) => !versions.includes(one));
    if (unserved.length > 0) {
      say(first, "error", `The name says ABI ${unserved.map((one) => `cp${one}`).join(", ")}. ${first.member} is a module for ${list(versions)}, which that Python does not import.`);
    } else if (abis.includes("abi3") || abis.includes("abi3t")) {
      say(first, "error", `The name says ${pythons.join(".")}-${abis.join(".")}, for every CPython from that one on. ${first.member} has a name that only ${list(versions)} imports.`);
    } else if (abis.includes("none")) {
      const narrow = pythons.flatMap((one) => /^cp(3\d+)$/.exec(one)?.[1] ?? []);
      if (pythons.some((one) => one.startsWith("py")) ? versions.length === 1 : narrow.some((one) => !versions.includes(one))) {
        say(first, "warning", `The name says ${pythons.join(".")}-none, which installs for ${pythons.some((one) => one.startsWith("py")) ? "any Python" : pythons.join(", ")}. ${first.member} has a name that only ${list(versions)} imports.`);
      }
    }
  }
  return found;
}

/** Modules of one name in one folder, which a Python chooses from by their suffixes. */
function groups(libraries: readonly WheelLibrary[]): ReadonlyMap<string, readonly WheelLibrary[]> {
  const found = new Map<string, WheelLibrary[]>();
  for (const one of libraries.filter(({ body }) => body.profile.modules.length > 0)) {
    const key = `${path.posix.dirname(one.member)}/${path.posix.basename(one.member).split(".", 1)[0]}`;
    found.set(key, [...(found.get(key) ?? []), one]);
  }
  return found;
}

function suffixOf({ body }: WheelLibrary): string | undefined {
  return body.profile.modules[0]?.suffix;
}

function list(versions: readonly string[]): string {
  return versions.map((one) => `CPython 3.${one.slice(1).replace(/t$/, "")}${one.endsWith("t") ? " without GIL" : ""}`).join(", ");
}

/** "any" for files that are for one platform; Root-Is-Purelib for what is not pure. */
function pure({ where, name, libraries, metadata, members }: WheelContent): readonly WheelDisagreement[] {
  const [module = libraries[0]] = libraries.filter(({ body }) => body.profile.modules.length > 0);
  if (module === undefined) {
    return [];
  }
  const isModule = module.body.profile.modules.length > 0;
  const evidence = [{ kind: "file" as const, path: `${where}/${module.member}`, what: `an ELF file for ${module.body.profile.machine}` }];
  if (name.tags.platforms.length === 1 && name.tags.platforms[0] === "any") {
    // Libraries for several systems side by side are meant to be carried everywhere.
    const isForAll = !isModule && [...members.keys()].some((member) => /\.(?:dll|dylib)$/i.test(member));
    return [{ kind: "pure", weight: isModule ? "error" : isForAll ? "info" : "warning", member: module.member, message: `The name says "any": installers take the wheel for every system. ${module.member} is ${isModule ? "a Python module" : "a library"} for Linux on ${module.body.profile.machine}${libraries.length > 1 ? `, one of ${libraries.length} such files` : ""}${isForAll ? "; libraries for other systems are beside it" : ""}.`, evidence }];
  }
  if (metadata.isPurelib === true && isModule) {
    return [{ kind: "pure", weight: "info", member: module.member, message: `WHEEL says Root-Is-Purelib: true, so that the wheel is installed among packages that run anywhere. ${module.member} is a Python module for ${module.body.profile.machine}; where the two places differ (lib and lib64) it lies in the wrong one.`, evidence }];
  }
  return [];
}
