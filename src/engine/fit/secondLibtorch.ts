import { torchLibraryStem } from "../catalogue/index.ts";
import type { LoadedObject } from "./process.ts";
import { stemOf } from "./torchProcess.ts";
import type { FitEnvironment, TraitComparison } from "./types.ts";

/** The libraries of which there may be one copy in a process: each holds the registries of operators and types. */
const single = new Set(["libc10", "libtorch", "libtorch_cpu", "libtorch_cuda", "libtorch_python", "libc10_cuda"]);

const ends = 'Two copies register the same operators, and the process ends with SIGABRT: "terminate called after throwing an instance of \'std::system_error\'" or "Tried to register multiple backend fallbacks".';

/** Debian's libc10 1.13 beside the libc10 of 2.6, 2.13 and 2.14: it loads. */
const isolated = "libc10 alone loads beside another; each has its own exceptions, allocators and thread-local state, and what the file sets or throws by one, torch does not see.";

/**
 * Libraries of another torch among those that the file would load: both register the same operators and share mutexes by
 * name, and the process ends with SIGABRT ("std::system_error, Invalid argument") before Python sees an exception.
 */
export function secondLibtorch(scope: readonly LoadedObject[], environment: FitEnvironment): TraitComparison | undefined {
  const own = new Set(environment.torchLibraries);
  // By a link to it, the loader recognises a file that it has loaded.
  const isOwn = (one: LoadedObject): boolean => [one.image, environment.machine?.open(one.path)].some((image) => image !== undefined && own.has(image));
  const foreign = scope.filter((one) => {
    const stem = torchLibraryStem(one.name) ?? torchLibraryStem(one.path);
    return stem !== undefined && single.has(stem) && one.image !== undefined && !isOwn(one);
  });
  if (foreign.length === 0 || environment.torchLibraries.length === 0) {
    return undefined;
  }
  const ours = foreign.flatMap((one) => environment.torchLibraries.find((image) => stemOf(image.path) === (torchLibraryStem(one.name) ?? torchLibraryStem(one.path))) ?? []);
  const [first] = foreign;
  const isCore = foreign.every((one) => /^libc10/.test(torchLibraryStem(one.name) ?? torchLibraryStem(one.path) ?? ""));
  return {
    trait: "two-libtorch",
    built: foreign.map((one) => one.path).join(", "),
    installed: (ours.length > 0 ? ours : environment.torchLibraries).map((one) => one.path).join(", "),
    agrees: false,
    weight: "error",
    because: `Loading the file brings ${first?.path} (found by ${first?.how}) into a process that has another libtorch. ${isCore ? isolated : ends}`,
    evidence: foreign.map((one) => ({ kind: "file" as const, path: one.path, what: `loaded for ${one.loader?.path ?? "the file"}` })),
  };
}
