import * as path from "node:path";
import type { CompileArgument, Condition, DeclaredTarget, EvaluationContext, Reading } from "../../../../src/engine/model/index.ts";
import { loadCatalogue } from "../../../../src/engine/catalogue/index.ts";
import { readPythonBuild } from "../../../../src/engine/sources/python/index.ts";
import { MemoryFiles } from "../../../support/memory-files.ts";

export const linux: EvaluationContext = { platform: "linux" };
const catalogue = loadCatalogue();

/** Reads a setup.py that stands alone, or beside other files of its project. */
export function read(text: string, context: EvaluationContext = linux, others: Readonly<Record<string, string>> = {}): Reading {
  const files = new MemoryFiles({ "/p/setup.py": text, ...Object.fromEntries(Object.entries(others).map(([name, content]) => [path.join("/p", name), content])) });
  return readPythonBuild("/p/setup.py", files, context, { catalogue });
}

/** Conditions as text; "!" where the test does not hold. */
export function conditions(all: readonly Condition[]): string {
  return all.map((one) => (one.branch === 0 ? "" : "!") + one.text).join(" & ");
}

function show(argument: CompileArgument): string {
  const when = conditions(argument.conditions);
  return `${argument.text}${argument.known ? "" : " ?"}${argument.follows === undefined ? "" : ` ~${argument.follows}`} [${argument.languages.join(",")}]${when === "" ? "" : ` if ${when}`}`;
}

/** What the extensions of a script are compiled with, without what BuildExtension adds. */
export function argumentsOf(target: DeclaredTarget | undefined): readonly string[] {
  return (target?.arguments ?? []).filter((one) => one.origin !== "builder-default").map(show);
}

export function defaultsOf(target: DeclaredTarget | undefined): readonly string[] {
  return (target?.arguments ?? []).filter((one) => one.origin === "builder-default").map(show);
}

const prelude = "import os, sys, torch\nfrom setuptools import setup\nfrom torch.utils.cpp_extension import BuildExtension, CppExtension, CUDAExtension\n";

/** The flags of one CppExtension after running `body`, which leaves them in `flags`. */
export function flags(body: string, context: EvaluationContext = linux, others: Readonly<Record<string, string>> = {}): readonly string[] {
  const reading = read(`${prelude}${body}\nsetup(ext_modules=[CppExtension("e", ["e.cpp"], extra_compile_args=flags)], cmdclass={"build_ext": BuildExtension})\n`, context, others);
  return argumentsOf(reading.targets[0]).map((one) => one.replace(" [CXX]", ""));
}
