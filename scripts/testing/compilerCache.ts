import { join } from "node:path";
import { cacheFolder, findProgram, root } from "../../test/harness/locations.ts";

/**
 * Variables with which CMake compiles through ccache, where that is installed: what an earlier run compiled from the same text
 * with the same flags is taken from the cache, also in another clone (CCACHE_BASEDIR, CCACHE_NOHASHDIR). Nothing where it is not.
 * https://ccache.dev/manual/4.7.5.html; https://cmake.org/cmake/help/latest/envvar/CMAKE_LANG_COMPILER_LAUNCHER.html
 */
export function compilerCache(): Readonly<Record<string, string>> {
  const program = findProgram("ccache");
  return program === undefined ? {} : {
    CMAKE_C_COMPILER_LAUNCHER: program,
    CMAKE_CXX_COMPILER_LAUNCHER: program,
    CMAKE_CUDA_COMPILER_LAUNCHER: program,
    CCACHE_DIR: join(cacheFolder(), "ccache"),
    CCACHE_BASEDIR: root,
    CCACHE_NOHASHDIR: "1",
    CCACHE_MAXSIZE: "1G",
  };
}
