import type { MissingKind, TraitComparison } from "../../src/engine/fit/types.ts";
import type { Torch } from "./torches.ts";

/**
 * One step that makes files in the folder of an experiment. Steps are data, so that what they make can be kept by their
 * content. In arguments `{folder}` is the experiment's folder, `{torch}` the torch whose headers are meant and `{python}`
 * the folder of Python.h.
 */
export type Step =
  | { readonly do: "write"; readonly file: string; readonly text: string }
  | { readonly do: "run"; readonly program: string; readonly args: readonly string[] }
  | { readonly do: "patch"; readonly file: string; readonly at: number; readonly bytes: readonly number[] }
  | { readonly do: "truncate"; readonly file: string; readonly size: number }
  | { readonly do: "move"; readonly from: string; readonly to: string };

/** How a fresh process meets the file. */
export interface Load {
  /** "import": as a Python module of the file's name; "cdll": `ctypes.CDLL`; "ops": `torch.ops.load_library`. */
  readonly how: "import" | "cdll" | "ops";
  /** Default: true. */
  readonly torchFirst?: boolean;
  /** Files of the experiment that the process has loaded before. */
  readonly before?: readonly { readonly file: string; readonly global: boolean }[];
  /** Folders of the experiment put into LD_LIBRARY_PATH; "{torch}" for the torch's own lib folder, "{1.13}" for what another torch needs on that path. */
  readonly libraryPath?: readonly string[];
  /** `sys.setdlopenflags(RTLD_LAZY)` before the import. */
  readonly lazy?: boolean;
  /** A Python expression evaluated once it is loaded, with the module as `m`. */
  readonly call?: string;
}

/** What is true by the way the experiment is built. */
export type Expectation =
  /** Loads. `disagrees`: and is wrong all the same, in this trait; `verdict`: so wrong that it counts as a conflict. */
  | { readonly is: "loads"; readonly disagrees?: TraitComparison["trait"]; readonly verdict?: "conflict" }
  /** The loader names this symbol first; "*" where that is left to the loader. More than one kind where people would call it either. */
  | { readonly is: "symbol"; readonly symbol: string; readonly kind: MissingKind | readonly MissingKind[] | ((symbol: string) => readonly MissingKind[]) }
  | { readonly is: "library"; readonly library: string }
  | { readonly is: "version"; readonly version: string; readonly library: string }
  /** The process ends without an exception; which trait tells beforehand. */
  | { readonly is: "dies"; readonly trait: TraitComparison["trait"] }
  /** It is no library of this machine and this Python: damaged, another machine, another Python's suffix. */
  | { readonly is: "refused" }
  /** Found in the wild: nothing is known beforehand, and the loader's answer is the truth. */
  | { readonly is: "open" }
  /**
   * It loads, as far as a loader is concerned, and what its initialisers or its process do next fails. Reading cannot
   * tell; what is asked of the prediction is that it finds no conflict and says that it did not look at this.
   */
  | { readonly is: "beyond"; readonly why: string };

export interface Experiment {
  /** "twin/error-constructor": its theme and its name. */
  readonly id: string;
  readonly about: string;
  readonly steps: readonly Step[];
  /** The file asked about. */
  readonly file: string;
  readonly load: Load;
  readonly expect: (torch: Torch) => Expectation;
  /** Built with the headers of a torch; named by how its version begins, "2.13". */
  readonly headers?: string;
  /** Another torch without which it cannot be loaded. */
  readonly otherTorch?: string;
  /** Run in CI as well. Default: true where no headers are needed. */
  readonly inCi?: boolean;
  /** Programs without which it cannot be built. */
  readonly needs?: readonly string[];
  /** Only for these. */
  readonly onlyFor?: (torch: Torch) => boolean;
}

export function loads(): Expectation {
  return { is: "loads" };
}
