import * as path from "node:path";
import type { LibraryImage } from "../binaries/library.ts";
import { ProcessModel } from "./process.ts";
import type { Assume, LoadedObject } from "./process.ts";
import type { FitEnvironment } from "./types.ts";

/** A process before the file is loaded. */
export interface TorchProcess {
  readonly model: ProcessModel;
  /** The object whose code calls dlopen: the interpreter. */
  readonly importer: LoadedObject | undefined;
  /** Libraries that torch needs itself and that were not found: taken for loaded, and not looked into. */
  readonly assumed: readonly LoadedObject[];
}

const known = new WeakMap<FitEnvironment, Map<boolean, TorchProcess>>();

/** The process in which a file of this environment is loaded, after `import torch` or without it. Worked out once. */
export function torchProcess(environment: FitEnvironment, importTorch: boolean): TorchProcess {
  const made = known.get(environment) ?? new Map<boolean, TorchProcess>();
  known.set(environment, made);
  const process = made.get(importTorch) ?? build(environment, importTorch);
  made.set(importTorch, process);
  return process;
}

/** A torch library by soname or file name. */
export function torchLibrary(environment: FitEnvironment, name: string): LibraryImage | undefined {
  return environment.torchLibraries.find((one) => one.soname === name) ?? environment.torchLibraries.find((one) => path.basename(one.path) === name);
}

/** "libc10" of "libc10.so.1.13". */
export function stemOf(name: string): string {
  return path.basename(name).replace(/\.so(?:\..*)?$/, "");
}

function build(environment: FitEnvironment, importTorch: boolean): TorchProcess {
  const model = new ProcessModel({ machine: environment.machine, companions: new Map(), main: environment.python });
  const assumed: LoadedObject[] = [];
  const isThere: Assume = (name, neededBy) => {
    const image = torchLibrary(environment, name);
    return { ...(image === undefined ? {} : { image }), path: image?.path ?? name, how: image === undefined ? `taken for loaded, since ${path.basename(neededBy.path)} needs it` : "torch's own folder" };
  };
  const open = (image: LibraryImage, how: string, isGlobal: boolean): LoadedObject | undefined => {
    const { scope, added } = model.open(image, { loader: importer, how, isGlobal, assume: isThere });
    assumed.push(...added.filter((one) => one.image === undefined));
    return scope[0];
  };
  let importer: LoadedObject | undefined;
  if (environment.python !== undefined) {
    open(environment.python, "the interpreter", true);
    // The code that calls dlopen is in libpython where there is one.
    importer = model.global.find((one) => one.name.startsWith("libpython")) ?? model.global[0];
  }
  if (importTorch) {
    for (const { image, how, isGlobal } of openedByTorch(environment)) {
      open(image, how, isGlobal);
    }
  }
  return { model, importer, assumed };
}

/**
 * What `import torch` opens, in order: libtorch_global_deps with RTLD_GLOBAL, NVIDIA's libraries by path, torch/_C (see
 * _load_global_deps and _preload_cuda_deps in torch/__init__.py). A libtorch folder is linked into a program.
 */
function openedByTorch(environment: FitEnvironment): readonly { readonly image: LibraryImage; readonly how: string; readonly isGlobal: boolean }[] {
  const how = "loaded by import torch";
  const isLinked = environment.body.source === "libtorch";
  const globals = isLinked ? [] : environment.torchLibraries.filter((one) => stemOf(one.path) === "libtorch_global_deps").map((image) => ({ image, how: "loaded by import torch, for all", isGlobal: true }));
  const nvidia = (environment.preloaded ?? []).map((image) => ({ image, how, isGlobal: false }));
  const module = environment.torchLibraries.filter((one) => /^_C\./.test(path.basename(one.path)));
  const stems = ["libtorch_python", "libtorch", "libtorch_cuda", "libtorch_cpu", "libc10_cuda", "libc10"];
  const roots = module.length > 0 ? module : stems.flatMap((stem) => environment.torchLibraries.filter((one) => stemOf(one.path) === stem));
  // What a program is linked against is global, unlike what Python loads.
  return [...globals, ...nvidia, ...roots.map((image) => ({ image, how: isLinked ? "linked into the program that uses this libtorch" : how, isGlobal: isLinked }))];
}
