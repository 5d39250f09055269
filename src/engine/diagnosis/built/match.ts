import * as path from "node:path";
import type { DeclaredBody } from "../../model/index.ts";
import type { Candidate } from "./candidates.ts";

/** The declared target that a file was built from, by its name; `modules` are the names of its PyInit functions. */
export function targetOf(candidate: Candidate, declared: readonly DeclaredBody[], modules: readonly string[]): DeclaredBody | undefined {
  const name = path.basename(candidate.path);
  const stem = name.slice(0, name.indexOf("."));
  const fitting = declared.filter((body) => {
    const { target } = body;
    if (target.builder === "torch-jit") {
      return candidate.origin === "jit-cache" && (stem === target.name || stem.startsWith(`${target.name}_v`));
    }
    if (candidate.origin === "jit-cache") {
      return false;
    }
    return target.builder === "setuptools" ? isExtension(target.name, candidate.path, stem, modules) : isProduct(body, stem, modules);
  });
  return fitting.length < 2 ? fitting[0] : nearest(candidate.path, fitting);
}

/** "pkg._C" makes pkg/_C.<suffix>.so, below whichever folder. */
function isExtension(name: string, file: string, stem: string, modules: readonly string[]): boolean {
  const parts = name.split(".");
  const last = parts.at(-1);
  if (last !== stem || (modules.length > 0 && !modules.includes(last))) {
    return false;
  }
  const folders = path.dirname(file).split(path.sep);
  return parts.slice(0, -1).every((part, index) => folders.at(index - parts.length + 1) === part);
}

const shared = new Set(["module", "shared", "extension", "unknown"]);

/** CMake's names: lib<name>.so, <name>.so, and modules with Python's suffix. */
function isProduct({ target }: DeclaredBody, stem: string, modules: readonly string[]): boolean {
  return shared.has(target.kind) && (stem === target.name || stem === `lib${target.name}` || (modules.length === 1 && modules[0] === target.name));
}

/** Of targets with one name, that whose build file shares the longest path with the file. */
function nearest(file: string, bodies: readonly DeclaredBody[]): DeclaredBody | undefined {
  const shares = (body: DeclaredBody): number => {
    const folders = path.dirname(body.target.location.path).split(path.sep);
    const mine = path.dirname(file).split(path.sep);
    const other = folders.findIndex((folder, index) => folder !== mine[index]);
    return other < 0 ? folders.length : other;
  };
  return [...bodies].sort((a, b) => shares(b) - shares(a))[0];
}
