import * as path from "node:path";
import { torchLibraryStem } from "../catalogue/index.ts";
import { valueOf } from "../model/index.ts";
import { torchName } from "./classify.ts";
import { cudaLibrary, distributionOf } from "./cudaLibraries.ts";
import type { Unfound } from "./process.ts";
import { stemOf, torchLibrary } from "./torchProcess.ts";
import type { FitEnvironment, MissingDependency } from "./types.ts";

/** CUDA major of the torch of an environment; null: built without CUDA. */
export function torchCudaMajor(environment: FitEnvironment): number | null | undefined {
  const version = valueOf(environment.body.facts, "cuda-version");
  return version === null || version === undefined ? version : Number.parseInt(version, 10);
}

/** When the file is loaded: by Python after or before torch was imported, or as a program of its own. */
export type Moment = "after-torch" | "before-torch" | "program";

/** Says of a library that the loader would not find whose it is. */
export function missingDependency(one: Unfound, environment: FitEnvironment, moment: Moment): MissingDependency {
  const { because, providedBy } = explain(one, environment, moment);
  return {
    name: one.name,
    neededBy: one.neededBy.path,
    searched: one.searched,
    ...(providedBy === undefined ? {} : { providedBy }),
    ...(one.refusal === undefined ? {} : { refused: one.refusal.loaderText }),
    because,
  };
}

function explain({ name, neededBy, refusal }: Unfound, environment: FitEnvironment, moment: Moment): { readonly because: string; readonly providedBy?: string } {
  const who = path.basename(neededBy.path);
  if (refusal !== undefined) {
    return { because: `${who} loads ${name}, and what the loader finds is no library. ${refusal.because}` };
  }
  const torch = torchName(environment);
  const stem = torchLibraryStem(name);
  if (stem !== undefined) {
    return { because: ofTorch(name, stem, who, environment, moment) };
  }
  const cuda = cudaLibrary(name);
  if (cuda !== undefined) {
    const major = torchCudaMajor(environment);
    const providedBy = distributionOf(name, major ?? undefined);
    const rest = providedBy === undefined ? {} : { providedBy };
    if (cuda.isDriver) {
      return { ...rest, because: `${who} loads ${name}, which comes with the NVIDIA driver, and no driver was found where the loader looks.` };
    }
    const whose = cuda.majors.length === 1 ? `, the library of CUDA ${cuda.majors[0]}` : "";
    const against = major === undefined ? "" : major === null ? `, and ${torch} is built without CUDA` : cuda.majors.length > 0 && !cuda.majors.includes(major) ? `, and ${torch} is built with CUDA ${valueOf(environment.body.facts, "cuda-version")}` : "";
    return { ...rest, because: `${who} loads ${name}${whose}${against}. ${placeOf(name, environment)}` };
  }
  if (/^libpython\d/.test(name)) {
    return { because: `${who} is linked against ${name}, the library of one Python; the interpreter that would import it does not have it. Extensions need not link libpython.` };
  }
  const place = environment.torchLibraries.find((image) => path.basename(image.path) === name);
  return { because: place === undefined ? `${who} loads ${name}, which is not where the loader looks.` : `${who} loads ${name}, which lies in ${path.dirname(place.path)}, where the loader does not look for it.` };
}

function placeOf(name: string, environment: FitEnvironment): string {
  const place = environment.liesIn?.(name);
  return place === undefined ? "It is not where the loader looks." : `It lies in ${path.dirname(place)}, where the loader does not look for it: give the file an RPATH that leads there, or load the library before it.`;
}

function ofTorch(name: string, stem: string, who: string, environment: FitEnvironment, moment: Moment): string {
  const torch = torchName(environment);
  const image = torchLibrary(environment, name);
  if (image !== undefined) {
    const folder = path.dirname(image.path);
    switch (moment) {
      case "after-torch":
        return `${who} loads ${name}, which ${torch} has and does not load itself; it is not where the loader looks.`;
      case "before-torch":
        return `${who} loads ${name} of torch without saying where it is. After import torch it would be loaded already: import torch first.`;
      case "program":
        return `${who} loads ${name}, which lies in ${folder}, where the loader does not look for it: link with -Wl,-rpath,${folder}, or set LD_LIBRARY_PATH.`;
    }
  }
  const own = environment.torchLibraries.find((one) => stemOf(one.path) === stem);
  if (own !== undefined) {
    return `${who} loads ${name}, and the ${stem} of ${torch} is ${path.basename(own.soname ?? own.path)}: the file was linked against another torch, whose library bears another name.`;
  }
  const device = /(cuda|hip|xpu|mps)/.exec(stem)?.[1];
  return device === undefined
    ? `${who} loads ${name}, and ${torch} has no ${stem}.`
    : `${who} loads ${name}, and ${torch} has no ${stem}: it is a build without ${device === "hip" ? "ROCm" : device.toUpperCase()}, and the file was built for one that has it.`;
}
