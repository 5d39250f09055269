import { compareNumbers } from "../versions.ts";
import type { LoadedObject } from "../process.ts";
import type { Comparison, Sides } from "./setting.ts";
import { known } from "./setting.ts";

/** e_machine of the file against that of torch. */
export const platform: Comparison = ({ built, environment }) => {
  const theirs = known(environment.body, "platform");
  if (theirs === undefined) {
    return undefined;
  }
  const mine = `linux-${built.profile.machine}`;
  const agrees = mine === theirs.value;
  const because = agrees ? `Both are for ${mine}.` : `The file is for ${mine}, the installed torch for ${theirs.value}. The loader says "cannot open shared object file: No such file or directory", though the file is there.`;
  return { trait: "platform", built: mine, installed: theirs.value, agrees, weight: "error", because, evidence: [{ kind: "file", path: built.path, what: "e_machine of its ELF header" }, ...theirs.evidence] };
};

/** The highest GLIBC_ version that the file and what it brings ask for against the C library that would be loaded. */
export const glibc: Comparison = (sides) => highest(sides, "glibc", "libc.so.6", /^GLIBC_(\d[\d.]*)$/, "GLIBC_", "The C library cannot be exchanged: build on an older distribution, or run on a newer one.");

/** The same for libstdc++: conda's comes before the system's where the search order has it first. */
export const libstdcxxVersion: Comparison = (sides) => highest(sides, "libstdcxx-version", "libstdc++.so.6", /^GLIBCXX_(\d[\d.]*)$/, "GLIBCXX_", "Install a newer libstdc++ where the loader looks first (conda: libstdcxx-ng), or build with the compiler of the environment.");

function highest(sides: Sides, trait: "glibc" | "libstdcxx-version", library: string, pattern: RegExp, series: string, advice: string): ReturnType<Comparison> {
  const wanted = sides.built.profile.versionNeeds.flatMap((need) => need.versions.flatMap((one) => pattern.exec(one)?.[1] ?? [])).sort(compareNumbers).at(-1);
  if (wanted === undefined) {
    return undefined;
  }
  const evidence = [{ kind: "file" as const, path: sides.built.path, what: `needs ${series}${wanted}` }];
  const provider: LoadedObject | undefined = sides.scope.find((one) => one.name === library);
  const offered = provider?.image?.versionDefinitions().flatMap((one) => pattern.exec(one)?.[1] ?? []).sort(compareNumbers).at(-1);
  if (provider === undefined || offered === undefined) {
    return { trait, built: wanted, installed: "not known", agrees: undefined, weight: "error", because: `The file needs ${series}${wanted}; the ${library} that would be loaded is not known.`, evidence };
  }
  const agrees = compareNumbers(wanted, offered) <= 0;
  const because = agrees
    ? `The file needs ${series}${wanted}, and ${provider.path} offers up to ${series}${offered}.`
    : `The file needs ${series}${wanted}, and ${provider.path}, which would be loaded (by ${provider.how}), offers only up to ${series}${offered}. ${advice}`;
  return { trait, built: wanted, installed: offered, agrees, weight: "error", because, evidence: [...evidence, { kind: "file", path: provider.path, what: `defines ${series}${offered}` }] };
}
