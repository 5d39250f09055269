import { findProgram } from "../../process/index.ts";
import type { Variables } from "../../process/types.ts";
import type { CompilerChoice } from "../types.ts";

/** The compilers that a word means: "gcc-13" is gcc-13 and g++-13, "clang-18" is clang-18 and clang++-18; anything else is a C++ compiler. */
export function compilerChoice(asked: string | CompilerChoice): CompilerChoice {
  if (typeof asked !== "string") {
    return asked;
  }
  const [, folder = "", family, version = ""] = /^(.*\/)?(gcc|g\+\+|clang\+\+|clang)(-\d+(?:\.\d+)*)?$/.exec(asked) ?? [];
  if (family === undefined) {
    return { name: asked, cxx: asked };
  }
  const [cc, cxx] = family.startsWith("clang") ? ["clang", "clang++"] : ["gcc", "g++"];
  return { name: asked, cc: `${folder}${cc}${version}`, cxx: `${folder}${cxx}${version}` };
}

/**
 * The environment with these compilers in it, or a sentence that says which of them is not there. CMake, setuptools and torch's
 * cpp_extension read CC and CXX; nvcc's host compiler is CUDAHOSTCXX for CMake (cmake-env-variables(7)) and NVCC_CCBIN for nvcc
 * (its manual, "NVCC Environment Variables").
 */
export function withCompilers(environment: Variables, choice: CompilerChoice | undefined): { readonly environment: Variables; readonly problem?: string } {
  if (choice === undefined) {
    return { environment };
  }
  const { cc, cxx } = choice;
  const host = choice.cudaHost ?? cxx;
  const missing = [cc, cxx, choice.cudaHost].find((one) => one !== undefined && !one.includes("/") && findProgram(one, environment) === undefined);
  return {
    environment: {
      ...environment,
      ...(cc === undefined ? {} : { CC: cc }),
      ...(cxx === undefined ? {} : { CXX: cxx }),
      ...(host === undefined ? {} : { CUDAHOSTCXX: host, NVCC_CCBIN: host }),
    },
    ...(missing === undefined ? {} : { problem: `The compiler ${missing} of "${choice.name}" was not found on PATH.` }),
  };
}
