/** The operators of aten that an installed torch has, read from its files. */
import { dirname, join } from "node:path";
import { openElf } from "../../binaries/elf/index.ts";
import type { Files, InstalledBody } from "../../model/index.ts";
import { textsWithin } from "./binary.ts";

export interface InstalledOperators {
  /** Overloads of an operator by name ("" for the one without); undefined: torch's list does not name it. */
  overloads(name: string): readonly string[] | undefined;
  /** Those that begin a schema in libtorch itself: operators of TorchScript stand in no list. All when it cannot be read. */
  withSchema(beginnings: readonly string[]): ReadonlySet<string>;
  /** The list, for evidence. */
  readonly path: string;
}

const known = new WeakMap<InstalledBody, InstalledOperators | null>();

/** Undefined when torch brings no list that can be read: before 1.12 it had none in its packages. */
export function installedOperators(installed: InstalledBody, files: Files): InstalledOperators | undefined {
  let found = known.get(installed);
  if (found === undefined) known.set(installed, (found = read(installed, files) ?? null));
  return found ?? undefined;
}

/**
 * torchgen's copy of native_functions.yaml lists every operator that torch's code generator makes
 * (github.com/pytorch/pytorch, aten/src/ATen/native/README.md: `func` and `autogen`).
 */
function read(installed: InstalledBody, files: Files): InstalledOperators | undefined {
  const { torchRoot } = installed;
  if (torchRoot === undefined) return undefined;
  const path = join(dirname(torchRoot), "torchgen", "packaged", "ATen", "native", "native_functions.yaml");
  const text = files.readText(path);
  if (!text.ok) return undefined;
  const table = new Map<string, string[]>();
  const add = (qualified: string): void => {
    const [name = "", overload = ""] = qualified.split(".");
    const list = table.get(name);
    if (list === undefined) table.set(name, [overload]);
    else list.push(overload);
  };
  for (const match of text.text.matchAll(/^(?:- func:[ \t]*([\w.]+)\(|[ \t]+autogen:[ \t]*(.+)$)/gm)) {
    if (match[1] !== undefined) add(match[1]);
    for (const one of (match[2] ?? "").split(",")) if (one.trim() !== "") add(one.trim());
  }
  // A list of another shape than expected would make everything unknown.
  if (table.size < 1000 || !table.has("add")) return undefined;
  const library = join(torchRoot, "lib", "libtorch_cpu.so");
  const answers = new Map<string, boolean>();
  return {
    path,
    overloads: (name) => table.get(name),
    withSchema(beginnings) {
      const open = beginnings.filter((one) => !answers.has(one));
      if (open.length > 0) {
        const held = new Set(schemasWithin(library, open, files));
        for (const one of open) answers.set(one, held.has(one));
      }
      return new Set(beginnings.filter((one) => answers.get(one) === true));
    },
  };
}

function schemasWithin(library: string, beginnings: readonly string[], files: Files): readonly string[] {
  const opened = openElf(library, files);
  return opened.ok ? textsWithin(opened.elf, beginnings) : beginnings;
}
