import * as fs from "node:fs";
import * as path from "node:path";

export const configurationName = "TorchConfig.cmake";

export interface Place {
  readonly folder: string;
  readonly torchDir: string;
}

/**
 * Where the libtorch lies that a path stands for: the folder of TorchConfig.cmake itself, a libtorch or torch folder, a folder
 * that holds one, `torch.utils.cmake_prefix_path`, or the prefix of an environment or of a system. Undefined when there is none.
 */
export function placeOf(given: string): Place | undefined {
  const own = [given, path.join(given, "Torch"), path.join(given, "cmake", "Torch")].map((torchDir) => ({ folder: prefixOf(torchDir), torchDir }));
  const inside = [given, path.join(given, "torch"), path.join(given, "libtorch"), ...pythonTorches(given)].map((folder) => ({ folder, torchDir: path.join(folder, "share", "cmake", "Torch") }));
  const system = ["lib", "lib64", ...multiarch(given)].map((library) => ({ folder: given, torchDir: path.join(given, library, "cmake", "Torch") }));
  return [...own, ...inside, ...system].find((place) => isFile(path.join(place.torchDir, configurationName)));
}

/** Whether something of a libtorch is there, though it cannot be found by CMake. */
export function holdsLibraries(given: string): string | undefined {
  return [given, path.join(given, "lib"), path.join(given, "libtorch", "lib"), path.join(given, "torch", "lib")].find((folder) => libraryNames.some((name) => isFile(path.join(folder, name))));
}

const libraryNames = ["libc10.so", "libc10.dylib", "libc10.a", "c10.dll"];

/** The prefix to which a folder of CMake packages belongs: "/p" of "/p/share/cmake/Torch" and of "/p/lib/x86_64-linux-gnu/cmake/Torch". */
function prefixOf(torchDir: string): string {
  return /^(.*?)[\\/](?:share|lib|lib64|lib[\\/][^\\/]+-linux-gnu)[\\/]cmake[\\/]Torch[\\/]?$/.exec(torchDir)?.[1] ?? torchDir;
}

function pythonTorches(prefix: string): readonly string[] {
  return ["lib", "lib64"].flatMap((library) => list(path.join(prefix, library)).filter((name) => /^python3(?:\.\d+t?)?$/.test(name)).flatMap((name) => ["site-packages", "dist-packages"].map((packages) => path.join(prefix, library, name, packages, "torch"))));
}

function multiarch(prefix: string): readonly string[] {
  return list(path.join(prefix, "lib")).filter((name) => /-linux-gnu$/.test(name)).map((name) => path.join("lib", name));
}

function list(folder: string): readonly string[] {
  try {
    return fs.readdirSync(folder).sort();
  } catch {
    return [];
  }
}

export function isFile(file: string): boolean {
  return fs.statSync(file, { throwIfNoEntry: false })?.isFile() === true;
}
