import * as path from "node:path";
import type { Fact, Files, ToolchainBody, TraitValues } from "../model/index.ts";
import { observed } from "./facts.ts";
import type { Surroundings } from "./find.ts";
import { prefixOfInterpreter } from "./python.ts";

type Bounds = TraitValues["host-compiler-bounds"];

/** What a search for compilers needs to know. */
type Machine = Pick<Surroundings, "files" | "environment" | "interpreter">;

const maximumEntries = 200;

/** Compilers and CUDA toolkits of the machine, read from their files. The toolkit that a build would take comes first. */
export function findToolchains(where: Machine): readonly ToolchainBody[] {
  return [...cudaToolkits(where), ...gccs(where.files), ...clangs(where.files)];
}

/** The toolkit in a folder: its version, and the host compilers that its own header accepts. */
export function describeCudaToolkit(folder: string, files: Files): ToolchainBody | undefined {
  const includes = [path.join(folder, "include"), ...files.list(path.join(folder, "targets")).slice(0, 8).map((target) => path.join(folder, "targets", target, "include"))];
  const version = toolkitVersion(folder, includes, files);
  if (version === undefined) {
    return undefined;
  }
  const facts: Fact[] = [version.fact];
  for (const include of includes) {
    const file = path.join(include, "crt", "host_config.h");
    const read = files.readText(file);
    if (read.ok) {
      facts.push(observed("host-compiler-bounds", hostCompilerBounds(read.text), file, "#error unsupported compiler"));
      break;
    }
  }
  return { role: "toolchain", name: `CUDA ${version.text}`, path: folder, facts };
}

/**
 * Bounds in crt/host_config.h. The plain gcc and clang blocks are meant; blocks for other compilers (icc, pgc++, Grace clang)
 * test macros of their own beside these.
 */
export function hostCompilerBounds(text: string): Bounds {
  const number = (pattern: RegExp): number | undefined => {
    const found = pattern.exec(text)?.[1];
    return found === undefined ? undefined : Number(found);
  };
  const gccMax = number(/__GNUC__\s*>\s*(\d+)/);
  const gccMin = number(/__GNUC__\s*<\s*(\d+)/);
  const clangAbove = number(/__clang_major__\s*>=\s*(\d+)/);
  const clangMin = number(/__clang_major__\s*<\s*(\d+)/);
  return {
    gcc: { ...(gccMin === undefined ? {} : { min: gccMin }), ...(gccMax === undefined ? {} : { max: gccMax }) },
    clang: { ...(clangMin === undefined ? {} : { min: clangMin }), ...(clangAbove === undefined ? {} : { max: clangAbove - 1 }) },
  };
}

function toolkitVersion(folder: string, includes: readonly string[], files: Files): { readonly text: string; readonly fact: Fact } | undefined {
  const json = path.join(folder, "version.json");
  const read = files.readText(json);
  // {"cuda": {"name": "CUDA SDK", "version": "12.4.1"}, ...}
  const named = read.ok ? /"cuda"\s*:\s*\{[^}]*"version"\s*:\s*"(\d+\.\d+)/.exec(read.text)?.[1] : undefined;
  if (named !== undefined) {
    return { text: named, fact: observed("cuda-version", named, json, `version ${named}`) };
  }
  for (const [name, macro] of [["cuda.h", "CUDA_VERSION"], ["cuda_runtime_api.h", "CUDART_VERSION"]] as const) {
    for (const include of includes) {
      const file = path.join(include, name);
      const header = files.readText(file);
      const value = header.ok ? new RegExp(`#\\s*define\\s+${macro}\\s+(\\d{4,5})\\b`).exec(header.text)?.[1] : undefined;
      if (value !== undefined) {
        const version = `${Math.floor(Number(value) / 1000)}.${Math.floor((Number(value) % 1000) / 10)}`;
        return { text: version, fact: observed("cuda-version", version, file, `${macro} ${value}`) };
      }
    }
  }
  return undefined;
}

function cudaToolkits(where: Machine): readonly ToolchainBody[] {
  const { files, environment } = where;
  const found = new Map<string, ToolchainBody>();
  for (const folder of cudaFolders(where)) {
    const real = files.realPath(folder);
    if (real !== undefined && !found.has(real)) {
      const body = describeCudaToolkit(folder, files);
      if (body !== undefined) {
        found.set(real, body);
      }
    }
  }
  const chosen = where.interpreter === undefined ? undefined : prefixOfInterpreter(where.interpreter, files, environment);
  const wheels = chosen ?? environment["VIRTUAL_ENV"] ?? environment["CONDA_PREFIX"];
  for (const folder of wheels === undefined ? [] : pipToolkits(wheels, files)) {
    const real = files.realPath(folder);
    const body = real === undefined || found.has(real) ? undefined : describeCudaToolkit(folder, files);
    if (real !== undefined && body !== undefined) {
      found.set(real, body);
    }
  }
  return [...found.values()];
}

/** The order of torch.utils.cpp_extension: CUDA_HOME, CUDA_PATH, nvcc on PATH, /usr/local/cuda. */
function* cudaFolders({ files, environment }: Machine): Generator<string> {
  for (const variable of ["CUDA_HOME", "CUDA_PATH"]) {
    const folder = environment[variable];
    if (folder !== undefined && path.isAbsolute(folder)) {
      yield folder;
    }
  }
  for (const entry of (environment["PATH"] ?? "").split(path.delimiter).filter((one) => path.isAbsolute(one)).slice(0, maximumEntries)) {
    const nvcc = path.join(entry, "nvcc");
    if (files.status(nvcc)?.kind === "file") {
      yield path.dirname(path.dirname(files.realPath(nvcc) ?? nvcc));
    }
  }
  yield "/usr/local/cuda";
  const versioned = files.list("/usr/local").filter((name) => /^cuda-\d+(?:\.\d+)?$/.test(name)).slice(0, maximumEntries);
  yield* versioned.map((name) => path.join("/usr/local", name)).reverse();
}

/** NVIDIA's wheels put nvcc into nvidia/cuda_nvcc (CUDA 11, 12) or nvidia/cuNN (from 13). */
function pipToolkits(prefix: string, files: Files): readonly string[] {
  const libraries = files.list(path.join(prefix, "lib")).filter((name) => /^python3\.\d+t?$/.test(name)).slice(0, maximumEntries);
  return libraries.flatMap((name) => {
    const folder = path.join(prefix, "lib", name, "site-packages", "nvidia");
    return files.list(folder).filter((one) => /^(?:cuda_nvcc|cu\d+)$/.test(one)).map((one) => path.join(folder, one));
  });
}

function gccs(files: Files): readonly ToolchainBody[] {
  const root = "/usr/lib/gcc";
  return files.list(root).slice(0, maximumEntries).flatMap((triple) => files.list(path.join(root, triple)).slice(0, maximumEntries).flatMap((version) => {
    const folder = path.join(root, triple, version);
    // cc1plus is there only where the C++ compiler is installed, and not just its libraries.
    const backends = [folder, path.join("/usr/libexec/gcc", triple, version)].map((one) => path.join(one, "cc1plus"));
    if (!/^\d+/.test(version) || backends.every((one) => files.status(one) === undefined)) {
      return [];
    }
    return [compiler(`gcc ${version}`, folder)];
  }));
}

function clangs(files: Files): readonly ToolchainBody[] {
  return files.list("/usr/lib").flatMap((name) => {
    const version = /^llvm-(\d+(?:\.\d+)*)$/.exec(name)?.[1];
    const folder = path.join("/usr/lib", name);
    return version !== undefined && files.status(path.join(folder, "bin", "clang")) !== undefined ? [compiler(`clang ${version}`, folder)] : [];
  });
}

function compiler(name: string, folder: string): ToolchainBody {
  return { role: "toolchain", name, path: folder, facts: [observed("compiler", name, folder, "the name of its folder")] };
}
