import table from "../../../data/libtorch-build-options.json" with { type: "json" };
import { CannotDo } from "../workshop.ts";
import { compilerOf } from "./cmakeCache.ts";
import type { CacheEntry } from "./cmakeCache.ts";
import type { BuildLibtorchRequest, CarriedEntry } from "./types.ts";

export interface Options {
  readonly generator: readonly string[];
  /** "-DNAME:TYPE=VALUE", in the order in which they are given. */
  readonly definitions: ReadonlyMap<string, string>;
  /** What the user gave behind "--" and is no definition. */
  readonly others: readonly string[];
  readonly carried: readonly CarriedEntry[];
}

const languages = ["C", "CXX", "CUDA"] as const;
const flagVariables: Readonly<Record<(typeof languages)[number], string>> = { C: "CFLAGS", CXX: "CXXFLAGS", CUDA: "CUDAFLAGS" };
const generatorOptions: Readonly<Record<string, string>> = { CMAKE_GENERATOR: "-G", CMAKE_GENERATOR_PLATFORM: "-A", CMAKE_GENERATOR_TOOLSET: "-T" };

/** What of the cache that asks goes into the configure step of libtorch, and what not, with the reason (data/libtorch-build-options.json). */
export function optionsOf(request: BuildLibtorchRequest, cache: ReadonlyMap<string, CacheEntry>, abiFlags: AbiFlags, environment: Readonly<Record<string, string>>): Options {
  const own = userArguments(request);
  const carried: CarriedEntry[] = [];
  const generator: string[] = [];
  const definitions = new Map<string, string>(table.defaults.map((row) => [row.name, row.value]));
  definitions.set("BUILD_SHARED_LIBS", request.linkage === "shared" ? "ON" : "OFF");
  for (const entry of cache.values()) {
    const row = table.entries.find((one) => new RegExp(`^(?:${one.name})$`).test(entry.name));
    if (row === undefined || entry.value === "" || entry.value.endsWith("-NOTFOUND")) {
      continue;
    }
    carried.push({ name: entry.name, value: entry.value, carried: row.carried, because: row.because });
    const option = generatorOptions[entry.name];
    if (row.carried && option !== undefined) {
      generator.push(option, entry.value);
    } else if (row.carried && !entry.name.startsWith("CMAKE_GENERATOR")) {
      definitions.set(entry.name, entry.value);
    }
  }
  for (const language of languages) {
    const compiler = compilerOf(cache, language);
    if (compiler !== undefined && definitions.has(`CMAKE_${language}_COMPILER`)) {
      definitions.set(`CMAKE_${language}_COMPILER`, compiler.join(";"));
    }
  }
  if (request.interpreter !== undefined) {
    // FindPython, FindPython3 and FindPythonInterp: PyTorch's releases use one or another.
    for (const name of ["Python_EXECUTABLE", "Python3_EXECUTABLE", "PYTHON_EXECUTABLE"]) {
      definitions.set(name, request.interpreter);
    }
  }
  for (const [name, value] of own.definitions) {
    definitions.set(name, value);
  }
  for (const language of languages) {
    const added = abiFlags[language];
    const before = definitions.get(`CMAKE_${language}_FLAGS`) ?? environment[flagVariables[language]] ?? "";
    if (added.length > 0) {
      definitions.set(`CMAKE_${language}_FLAGS`, [before, ...added].filter((one) => one !== "").join(" "));
    }
  }
  if (request.abi !== undefined) {
    // The names by which releases of PyTorch take it: cmake/CheckAbi.cmake, CMakeLists.txt.
    definitions.set("GLIBCXX_USE_CXX11_ABI", String(request.abi));
    definitions.set("_GLIBCXX_USE_CXX11_ABI", String(request.abi));
  }
  definitions.set("CMAKE_INSTALL_PREFIX", request.prefix);
  return { generator: own.generator.length > 0 ? own.generator : generator, definitions, others: own.others, carried };
}

/** Flags that set the ABI, by language. */
export type AbiFlags = Readonly<Record<(typeof languages)[number], readonly string[]>>;

/**
 * `-fabi-version` for GCC; clang has no such option that changes the macro, so the macro itself is set, as torch-mlir does. Flags
 * for the host compiler reach nvcc by -Xcompiler, definitions as they are.
 */
export function abiFlags(request: Pick<BuildLibtorchRequest, "abi" | "gxxAbiVersion">, compiler: "gcc" | "clang"): AbiFlags {
  const definition = request.abi === undefined ? [] : [`-D_GLIBCXX_USE_CXX11_ABI=${request.abi}`];
  const version = request.gxxAbiVersion;
  const macro = version === undefined ? [] : ["-U__GXX_ABI_VERSION", `-D__GXX_ABI_VERSION=${1000 + version}`];
  const host = version === undefined ? [] : compiler === "gcc" ? [`-fabi-version=${version}`] : macro;
  return { C: [], CXX: [...definition, ...host], CUDA: [...definition, ...host.map((flag) => `-Xcompiler=${flag}`)] };
}

interface UserArguments {
  readonly generator: readonly string[];
  readonly definitions: ReadonlyMap<string, string>;
  readonly others: readonly string[];
}

/** Throws CannotDo for what contradicts the request. */
function userArguments(request: BuildLibtorchRequest): UserArguments {
  const generator: string[] = [];
  const definitions = new Map<string, string>();
  const others: string[] = [];
  const given = [...request.arguments];
  for (let argument = given.shift(); argument !== undefined; argument = given.shift()) {
    if (argument === "-D") {
      argument = `-D${given.shift() ?? ""}`;
    }
    if (/^(?:-[SB]|--install-prefix|--build|--install)/.test(argument)) {
      throw new CannotDo(`${argument} is decided by --source, --build-dir and --prefix.`);
    }
    const [, name, value] = /^-D([^:=]+)(?::[A-Za-z]+)?=(.*)$/s.exec(argument) ?? [];
    if (name !== undefined && value !== undefined) {
      definitions.set(name, value);
    } else if (/^-[GAT]/.test(argument)) {
      generator.push(argument.slice(0, 2), argument.length > 2 ? argument.slice(2) : (given.shift() ?? ""));
    } else {
      others.push(argument);
    }
  }
  refuse(definitions, "CMAKE_INSTALL_PREFIX", request.prefix, "--prefix");
  refuse(definitions, "BUILD_SHARED_LIBS", request.linkage === "shared" ? "ON" : "OFF", "--static");
  for (const name of ["GLIBCXX_USE_CXX11_ABI", "_GLIBCXX_USE_CXX11_ABI"]) {
    if (request.abi !== undefined) {
      refuse(definitions, name, String(request.abi), "--abi");
    }
  }
  return { generator, definitions, others };
}

function refuse(definitions: ReadonlyMap<string, string>, name: string, wanted: string, option: string): void {
  const value = definitions.get(name);
  if (value !== undefined && truth(value) !== truth(wanted)) {
    throw new CannotDo(`-D${name}=${value} contradicts ${option}, which makes it ${wanted}.`);
  }
}

function truth(value: string): string {
  return /^(?:1|on|yes|true|y)$/i.test(value) ? "ON" : /^(?:0|off|no|false|n|)$/i.test(value) ? "OFF" : value;
}

/** Whether a switch is on in a build with these options. */
export function isOn(definitions: ReadonlyMap<string, string>, name: string, otherwise: boolean): boolean {
  const value = definitions.get(name);
  return value === undefined ? otherwise : truth(value) !== "OFF";
}
