import * as path from "node:path";
import type { BinaryProfile, BuiltBody, Files, PythonModule } from "../../model/index.ts";
import { cudaRuntimeOf, readDeviceCode } from "../cuda/index.ts";
import type { DeviceCode } from "../cuda/index.ts";
import { machineName, openElf } from "../elf/index.ts";
import type { ElfFile } from "../elf/index.ts";
import { scanConstants } from "./constants.ts";
import type { Constants } from "./constants.ts";
import { factsOfProfile } from "./facts.ts";
import { buildIdOf, isaLevelOf } from "./notes.ts";
import { signsOf } from "./signs.ts";
import { readStamp } from "./stamp.ts";
import { stringAbi } from "./string-abi.ts";
import { readSymbols } from "./symbols.ts";
import type { SymbolFacts } from "./symbols.ts";

const machines: Readonly<Record<number, BinaryProfile["machine"] | undefined>> = { 62: "x86_64", 183: "aarch64" };

type DescribedBinary =
  | { readonly ok: true; readonly body: BuiltBody; readonly image: ElfFile }
  | { readonly ok: false; readonly message: string };

/** Describes a shared library, an extension module, a program or an object file. The message of a failure is a sentence. */
export function describeBinary(file: string, files: Files): DescribedBinary {
  const opened = openElf(file, files);
  if (!opened.ok) {
    return { ok: false, message: opened.message };
  }
  const { elf } = opened;
  const machine = machines[elf.machine];
  if (machine === undefined) {
    return { ok: false, message: `${elf.path} is an ELF file for ${machineName(elf.machine)}; files for x86-64 and aarch64 are described.` };
  }
  if (elf.type === "CORE" || elf.type === "OTHER") {
    return { ok: false, message: `${elf.path} is ${elf.type === "CORE" ? "a core dump" : "an ELF file of an unknown type"}, not a library, a program or an object file.` };
  }
  const symbols = readSymbols(elf);
  // Thousands of headers lie far apart in device code: they are read past the cache of blocks, which would copy all of it.
  const device = readDeviceCode(elf, (offset, length) => files.readBytes(file, offset, length));
  const constants = scanConstants(elf, device?.ranges);
  const profile = profileOf(elf, machine, symbols, device, constants);
  const strings = stringAbi(elf, symbols, constants);
  const body: BuiltBody = {
    role: "built",
    name: path.basename(elf.path),
    path: elf.path,
    profile,
    facts: [...(strings.fact === undefined ? [] : [strings.fact]), ...factsOfProfile(profile, device?.toolkit)],
    notKnown: [...strings.notKnown, ...notKnown(elf, profile)],
  };
  return { ok: true, body, image: elf };
}

function profileOf(elf: ElfFile, machine: BinaryProfile["machine"], symbols: SymbolFacts, device: DeviceCode | undefined, constants: Constants): BinaryProfile {
  const name = path.basename(elf.path);
  const { soname, needed, rpath, runpath } = elf;
  const versionNeeds = elf.versionNeeds();
  const notes = elf.notes();
  const shared = { path: elf.path, soname, needed, versionNeeds };
  return {
    path: elf.path,
    size: elf.size,
    machine,
    kind: kindOf(elf, symbols),
    soname,
    needed,
    rpath,
    runpath,
    modules: symbols.moduleEntries.map((one) => ({ ...one, suffix: suffixOf(name) })),
    imports: symbols.imports,
    exports: symbols.exports,
    versionNeeds,
    pybind11Keys: constants.pybind11Keys,
    nanobindKeys: constants.nanobindKeys,
    pybind11Conduit: constants.pybind11Conduit,
    cuda: device?.content,
    cudaRuntime: cudaRuntimeOf({ ...shared, definesRegistration: symbols.definesRegistration, holdsRuntimeText: constants.holdsCudaRuntime, toolkit: device?.toolkit?.version }),
    compilers: elf.comment(),
    buildId: buildIdOf(notes),
    isaLevel: machine === "x86_64" ? isaLevelOf(notes) : undefined,
    stamp: readStamp(notes),
    signs: signsOf({ ...shared, name, rpath, runpath, hasTextRelocations: elf.textRelocations }, symbols, constants),
  };
}

function kindOf(elf: ElfFile, symbols: SymbolFacts): BinaryProfile["kind"] {
  if (elf.type === "REL") {
    return "object";
  }
  // libc has an interpreter too, and a name that others need it by.
  if (elf.type === "EXEC" || elf.positionIndependentProgram || (elf.interpreter !== undefined && elf.soname === undefined)) {
    return "executable";
  }
  return symbols.moduleEntries.length > 0 ? "python-module" : symbols.registrar !== undefined ? "operator-library" : "shared-library";
}

/** "cpython-311-x86_64-linux-gnu" of "_C.cpython-311-x86_64-linux-gnu.so". Source: PEP 3149, PEP 384, PEP 803, and PyPy's and GraalPy's EXT_SUFFIX. */
function suffixOf(name: string): PythonModule["suffix"] {
  return /\.((?:cpython-3|pypy3|graalpy)[\w-]*|abi3t?)\.so$/.exec(name)?.[1];
}

function notKnown(elf: ElfFile, profile: BinaryProfile): readonly string[] {
  const sentences = [...elf.problems];
  if (profile.kind === "object") {
    sentences.push(`${elf.path} is an object file: what it defines and needs stands in a table that is not read, and is settled when it is linked.`);
  }
  if (elf.section(".hip_fatbin") !== undefined) {
    sentences.push(`${elf.path} holds device code for AMD GPUs (HIP), whose architectures are not read.`);
  }
  if (profile.cuda?.notRead !== undefined) {
    sentences.push(`The CUDA device code of ${elf.path} was read in part: ${profile.cuda.notRead}.`);
  }
  if (profile.pybind11Keys.length > 1) {
    sentences.push(`${elf.path} holds several pybind11 internals keys (${profile.pybind11Keys.join(", ")}): parts built with different pybind11 were linked together, and which of them shares its types with another module is not known.`);
  }
  return sentences;
}
