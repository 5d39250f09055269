import * as path from "node:path";
import { openElf } from "../binaries/elf/index.ts";
import { scanConstants, torchArchitectures } from "../binaries/profile/index.ts";
import type { CudaArchitecture, Evidence, Fact, Files } from "../model/index.ts";
import { inferred, observed, seenIn } from "./facts.ts";

/**
 * Constructors that libc10 exports in one of two spellings, of which exactly one is there. By value from about 1.7,
 * by reference before. Source: exported symbols of the official wheels from 1.0 to 2.15.
 */
const newString = "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE";
const abiWitnesses = ["_ZN3c1010IndexErrorC1ENS_14SourceLocationE", "_ZN3c105ErrorC1ENS_14SourceLocationE", "_ZN3c105ErrorC2ENS_14SourceLocationE", "_ZN3c105ErrorC1ENS_14SourceLocationERK", "_ZN3c105ErrorC2ENS_14SourceLocationERK"];

/** Where libraries of a torch may lie, first wins. */
export function libraryFolders(torchRoot: string, prefix: string | undefined, files: Files): readonly string[] {
  const shared = prefix === undefined ? [] : [path.join(prefix, "lib"), ...files.list(path.join(prefix, "lib")).filter((name) => /^(?:x86_64|aarch64)-linux-gnu$/.test(name)).map((name) => path.join(prefix, "lib", name))];
  return [path.join(torchRoot, "lib"), ...shared];
}

/** A library by its stem, "libc10": its plain name, else the first with a version after ".so". */
export function findLibrary(stem: string, folders: readonly string[], files: Files): string | undefined {
  for (const folder of folders) {
    const plain = path.join(folder, `${stem}.so`);
    if (files.status(plain)?.kind === "file") {
      return plain;
    }
  }
  for (const folder of folders) {
    const versioned = files.list(folder).find((name) => name.startsWith(`${stem}.so.`));
    if (versioned !== undefined && files.status(path.join(folder, versioned))?.kind === "file") {
      return path.join(folder, versioned);
    }
  }
  return undefined;
}

/** The libstdc++ ABI by libc10's exported symbols and by TorchConfig.cmake; they are two witnesses of one fact. */
export function libstdcxxAbi(folders: readonly string[], configurations: readonly string[], files: Files, notKnown: string[]): readonly Fact[] {
  const exported = abiOfExports(findLibrary("libc10", folders, files), files, notKnown);
  const configured = abiOfConfiguration(configurations, files);
  const [first, second] = [exported, configured].filter((one) => one !== undefined);
  if (first === undefined) {
    return [];
  }
  if (second !== undefined && second.value !== first.value) {
    notKnown.push(`The two witnesses of the libstdc++ ABI disagree: libc10 exports symbols of _GLIBCXX_USE_CXX11_ABI=${first.value}, and TorchConfig.cmake says ${second.value}. The library counts.`);
  }
  const evidence: readonly [Evidence, ...Evidence[]] = second === undefined ? [first.evidence] : [first.evidence, second.evidence];
  return [{ trait: "libstdcxx-abi", value: first.value, certainty: "observed", conditions: [], evidence }];
}

interface AbiWitness {
  readonly value: 0 | 1;
  readonly evidence: Evidence;
}

function abiOfExports(library: string | undefined, files: Files, notKnown: string[]): AbiWitness | undefined {
  if (library === undefined) {
    return undefined;
  }
  const opened = openElf(library, files);
  if (!opened.ok) {
    notKnown.push(`The libstdc++ ABI was not read from libc10: ${opened.message}`);
    return undefined;
  }
  for (const stem of abiWitnesses) {
    const names = [[`${stem}${newString}`, 1], [`${stem}Ss`, 0]] as const;
    const found = names.filter(([name]) => opened.elf.lookup(name) !== undefined);
    const [only] = found;
    if (found.length === 1 && only !== undefined) {
      return { value: only[1], evidence: seenIn(library, `exports ${only[0]}`) };
    }
  }
  notKnown.push(`${library} exports none of the symbols that tell the libstdc++ ABI apart.`);
  return undefined;
}

function abiOfConfiguration(configurations: readonly string[], files: Files): AbiWitness | undefined {
  for (const file of configurations) {
    const read = files.readText(file);
    const value = read.ok ? /_GLIBCXX_USE_CXX11_ABI=([01])/.exec(read.text)?.[1] : undefined;
    if (value !== undefined) {
      return { value: value === "1" ? 1 : 0, evidence: seenIn(file, `TORCH_CXX_FLAGS holds -D_GLIBCXX_USE_CXX11_ABI=${value}`) };
    }
  }
  return undefined;
}

/** "linux-x86_64" of e_machine. */
export function platformOf(library: string | undefined, files: Files): Fact | undefined {
  const opened = library === undefined ? undefined : openElf(library, files);
  if (library === undefined || opened?.ok !== true) {
    return undefined;
  }
  const machine = opened.elf.machine === 62 ? "x86_64" : opened.elf.machine === 183 ? "aarch64" : undefined;
  return machine === undefined ? undefined : observed("platform", `linux-${machine}`, library, `an ELF file for ${machine}`);
}

/** What only libtorch_python holds: the pybind11 key, the compiler's ABI version in it, and the compiled CUDA architectures. */
export function pythonLibraryFacts(folders: readonly string[], files: Files, notKnown: string[]): readonly Fact[] {
  const library = findLibrary("libtorch_python", folders, files);
  if (library === undefined) {
    return [];
  }
  const opened = openElf(library, files);
  if (!opened.ok) {
    notKnown.push(`The pybind11 internals were not read: ${opened.message}`);
    return [];
  }
  const { pybind11Keys: keys } = scanConstants(opened.elf);
  const architectures = torchArchitectures(opened.elf);
  const facts: Fact[] = [];
  const [key] = keys;
  if (key === undefined) {
    notKnown.push(`${library} holds no pybind11 internals key among its constants.`);
  } else {
    facts.push(observed("pybind11-internals", key, library, `constant __pybind11_internals_${key}__`));
    const abi = /cxxabi(1\d{3})$/.exec(key)?.[1];
    if (abi !== undefined) {
      facts.push(inferred("gxx-abi-version", Number(abi), seenIn(library, `"cxxabi${abi}" in its pybind11 key`)));
    }
  }
  if (keys.length > 1) {
    notKnown.push(`${library} holds several pybind11 internals keys: ${keys.join(", ")}. The first is taken.`);
  }
  if (architectures !== undefined) {
    facts.push(observed("cuda-architectures", parseArchitectures(architectures), library, `constant "${architectures}"`));
  }
  return facts;
}

function parseArchitectures(text: string): readonly CudaArchitecture[] {
  const found = new Map<string, CudaArchitecture>();
  for (const [, kind, number, suffix] of text.matchAll(/(sm|compute)_(\d{2,3})([af]?)/g)) {
    const key = `${number}${suffix}`;
    const known = found.get(key);
    found.set(key, {
      sm: Number(number),
      suffix: suffix === "a" || suffix === "f" ? suffix : "",
      real: kind === "sm" || known?.real === true,
      ptx: kind === "compute" || known?.ptx === true,
    });
  }
  return [...found.values()];
}
