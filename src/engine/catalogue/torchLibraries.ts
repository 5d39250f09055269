import table from "../../../data/torch-provided-libraries.json" with { type: "json" };

/** A library that torch's wheels had and have no longer, with the first and the last release that had it. */
export interface FormerTorchLibrary {
  readonly stem: string;
  readonly since: string;
  readonly until: string;
}

const former: ReadonlyMap<string, FormerTorchLibrary> = new Map(table.former.libraries.map((one) => [one.stem, one]));
const stems: ReadonlySet<string> = new Set([...table.stems, ...former.keys()]);

/**
 * The library of torch itself, of today's or of a former release, whose name a path or soname bears: "libc10" of
 * "libc10.so.1.13", "libc10-9b4183be.so" and "libc10.9b4183be.so". Undefined for others, also for those that other projects
 * call likewise (libtorch_npu, libtorchaudio). Names are as on Linux.
 */
export function torchLibraryStem(name: string): string | undefined {
  const stem = name.slice(name.lastIndexOf("/") + 1).replace(/\.so(?:\..*)?$/, "").replace(/[-.][0-9a-f]{8}$/, "");
  return stems.has(stem) ? stem : undefined;
}

/** Undefined for a library that today's releases have, and for one that is not torch's. */
export function formerTorchLibrary(stem: string): FormerTorchLibrary | undefined {
  return former.get(stem);
}
