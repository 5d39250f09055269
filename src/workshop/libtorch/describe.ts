import * as fs from "node:fs";
import * as path from "node:path";
import { openElf } from "../../engine/binaries/elf/index.ts";
import { loadCatalogue } from "../../engine/catalogue/index.ts";
import { NodeFiles } from "../../engine/files/index.ts";
import { describeEnvironment } from "../../engine/installed/index.ts";
import { valueOf } from "../../engine/model/index.ts";
import type { Fact } from "../../engine/model/index.ts";
import { parseCMake } from "../../engine/sources/cmake/parser.ts";
import { configurationName, holdsLibraries, isFile, placeOf } from "./places.ts";
import type { Place } from "./places.ts";
import { headOf, platformsOf, thisPlatform } from "./platform.ts";
import { differences, readRecord, recordName } from "./record.ts";
import { readStaticArchive } from "./staticArchive.ts";
import type { StaticArchive } from "./staticArchive.ts";
import type { LibtorchCandidate } from "./types.ts";

/** Constructors of c10 that exist in one of two spellings: `src/engine/installed/libraries.ts` says from which releases. */
const witnesses = ["_ZN3c1010IndexErrorC1ENS_14SourceLocationE", "_ZN3c105ErrorC1ENS_14SourceLocationE", "_ZN3c105ErrorC2ENS_14SourceLocationE"];
const newString = "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE";

/** Reads what lies at a path as a libtorch, and why it could not be used. Nothing is run. */
export function describeLibtorch(given: string, because: string): LibtorchCandidate {
  const refused = (reason: string): LibtorchCandidate => ({ folder: given, because, refused: reason, remarks: [] });
  const status = statusOf(given);
  if (typeof status === "string") {
    return refused(status);
  }
  const start = status.isFile() && path.basename(given) === configurationName ? path.dirname(given) : given;
  if (status.isFile() && start === given) {
    return refused(`${given} is a file; a folder with a libtorch is wanted.`);
  }
  const place = placeOf(start);
  if (place === undefined) {
    const libraries = holdsLibraries(start);
    return refused(libraries === undefined
      ? `${given} holds no libtorch: no share/cmake/Torch/${configurationName} is in it.`
      : `${libraries} holds libraries of torch, but ${configurationName}, which CMake needs to find them, is missing: no share/cmake/Torch is in ${given}. It was not unpacked whole, or is an environment whose development files are in a package of their own.`);
  }
  return described(place, because);
}

function described(place: Place, because: string): LibtorchCandidate {
  const { folder, torchDir } = place;
  const files = new NodeFiles();
  const body = describeEnvironment(folder, files, loadCatalogue());
  const facts = body?.facts ?? [];
  const library = c10Of(place);
  const archive = library?.endsWith(".a") === true ? readStaticArchive(library) : undefined;
  const own = ownFacts(facts, place, library, archive);
  const record = readRecord(folder);
  const remarks = [...(body?.notKnown ?? [])];
  const gxx = (typeof record === "object" ? record.gxxAbiVersion : undefined) ?? valueOf(facts, "gxx-abi-version");
  const platforms = library === undefined ? [] : platformsOf(archive === undefined ? headOf(library) : typeof archive === "string" ? new Uint8Array(0) : archive.firstObject ?? new Uint8Array(0));
  const platform = platforms.find((one) => one === thisPlatform()) ?? platforms[0];
  const linkage = library === undefined ? undefined : library.endsWith(".a") ? "static" : "shared";
  const candidate = {
    folder, because, torchDir,
    ...(typeof record !== "object" || record.gitVersion === undefined ? {} : { gitVersion: record.gitVersion }),
    ...own,
    ...(linkage === undefined ? {} : { linkage }),
    ...(platform === undefined ? {} : { platform }),
    ...(gxx === undefined ? {} : { gxxAbiVersion: gxx }),
    ...(record === undefined ? {} : { record: path.join(folder, recordName) }),
    remarks: [...remarks, ...(typeof record === "string" ? [record] : [])],
  } satisfies LibtorchCandidate;
  const refused = problemOf(place, library, typeof archive === "string" ? archive : undefined, candidate) ?? (typeof record === "object" ? differences(record, candidate) : undefined);
  return refused === undefined ? candidate : { ...candidate, refused };
}

type OwnFacts = Pick<LibtorchCandidate, "version" | "cuda" | "abi" | "gitVersion">;

function ownFacts(facts: readonly Fact[], { torchDir }: Place, library: string | undefined, archive: StaticArchive | string | undefined): OwnFacts {
  const version = valueOf(facts, "torch-version") ?? packageVersion(torchDir);
  const cuda = valueOf(facts, "cuda-version");
  const abi = valueOf(facts, "libstdcxx-abi") ?? (typeof archive === "object" ? abiOf(archive.defines) : abiOfLibrary(library));
  const gitVersion = valueOf(facts, "torch-git-version");
  return {
    ...(version === undefined ? {} : { version }),
    // Without libtorch_cuda there is none, whatever is not written down.
    ...(cuda !== undefined ? { cuda } : library === undefined || ["so", "a"].some((ending) => isFile(path.join(path.dirname(library), `libtorch_cuda.${ending}`))) ? {} : { cuda: null }),
    ...(abi === 0 || abi === 1 ? { abi } : {}),
    ...(gitVersion === undefined ? {} : { gitVersion }),
  };
}

function abiOfLibrary(library: string | undefined): 0 | 1 | undefined {
  const opened = library?.endsWith(".so") === true ? openElf(library, new NodeFiles()) : undefined;
  return opened?.ok === true ? abiOf((name) => opened.elf.defines(name)) : undefined;
}

function abiOf(defines: (name: string) => boolean): 0 | 1 | undefined {
  for (const stem of witnesses) {
    const spellings = [defines(`${stem}Ss`), defines(`${stem}${newString}`)];
    if (spellings[0] !== spellings[1]) {
      return spellings[1] === true ? 1 : 0;
    }
  }
  return undefined;
}

function packageVersion(torchDir: string): string | undefined {
  const read = new NodeFiles().readText(path.join(torchDir, "TorchConfigVersion.cmake"));
  return read.ok ? /^\s*set\s*\(\s*PACKAGE_VERSION\s+"([^"]+)"/m.exec(read.text)?.[1] : undefined;
}

/** Where CMake's package files and libraries of a system lie apart. */
function libraryFolders({ folder, torchDir }: Place): readonly string[] {
  return [path.join(folder, "lib"), path.dirname(path.dirname(torchDir)), path.join(folder, "lib64")];
}

function c10Of(place: Place): string | undefined {
  const names = ["libc10.so", "libc10.dylib", "libc10.a"];
  return names.flatMap((name) => libraryFolders(place).map((folder) => path.join(folder, name))).find(isFile);
}

/** Why this libtorch could not be used, whatever is wanted of it. */
function problemOf(place: Place, library: string | undefined, archiveProblem: string | undefined, candidate: LibtorchCandidate): string | undefined {
  const { folder, torchDir } = place;
  if (torchDir.includes(";")) {
    return `Its path holds a semicolon, at which CMake takes lists apart: the files of torch would look for their libraries in a part of ${torchDir}. Move it.`;
  }
  if (library === undefined) {
    return `${folder} holds no libc10 (.so, .dylib or .a): its libraries are missing, or are in a package of their own.`;
  }
  if (candidate.platform !== undefined && candidate.platform !== thisPlatform()) {
    return `${library} is built for ${candidate.platform}; this machine is ${thisPlatform()}.`;
  }
  return archiveProblem ?? configurationProblem(torchDir) ?? librariesProblem(place, library) ?? headersProblem(place);
}

/** TorchConfig.cmake whole, and with the files that it needs. */
function configurationProblem(torchDir: string): string | undefined {
  const file = path.join(torchDir, configurationName);
  const read = new NodeFiles().readText(file);
  if (!read.ok) {
    return read.message;
  }
  const [problem] = parseCMake(file, read.text).problems;
  // Every release since 1.0 ends with this call (cmake/TorchConfig.cmake.in).
  if (problem !== undefined || !/find_package_handle_standard_args\s*\(\s*[Tt]orch/.test(read.text)) {
    return problem === undefined
      ? `${file} is cut short: the call with which it ends, find_package_handle_standard_args, is not there.`
      : `${file} is cut short or damaged. ${problem.message}`;
  }
  const needs = /^\s*find_package\s*\(\s*Caffe2\s+REQUIRED/m.exec(read.text) !== null && /^if\((?:ON|1|TRUE)\)\s*\n\s*find_package\(\s*Caffe2/m.test(read.text);
  const beside = path.join(path.dirname(torchDir), "Caffe2");
  const missing = needs ? ["Caffe2Config.cmake", "Caffe2Targets.cmake"].find((name) => !isFile(path.join(beside, name))) : undefined;
  return missing === undefined ? undefined : `${path.join(beside, missing)} is missing, which ${configurationName} loads: it was not unpacked or installed whole.`;
}

/** The libraries that its exported targets name are there, and none is cut short. */
function librariesProblem(place: Place, library: string): string | undefined {
  const targets = path.join(path.dirname(place.torchDir), "Caffe2");
  const named = listed(targets).filter((name) => /^Caffe2Targets-.*\.cmake$/.test(name)).flatMap((name) => {
    const read = new NodeFiles().readText(path.join(targets, name));
    return read.ok ? [...read.text.matchAll(/"\$\{_IMPORT_PREFIX\}\/([^"$;]+\.(?:so|dylib|a))"/g)].map((match) => path.join(place.folder, match[1] ?? "")) : [];
  });
  const all = new Set([library, ...named]);
  for (const file of all) {
    const status = fs.statSync(file, { throwIfNoEntry: false });
    if (status === undefined) {
      return `${file} is missing, which its CMake files name.`;
    }
    if (file.endsWith(".so")) {
      const opened = openElf(file, new NodeFiles());
      if (!opened.ok) {
        return opened.message;
      }
    }
  }
  return undefined;
}

function headersProblem({ folder }: Place): string | undefined {
  const folders = [path.join(folder, "include"), path.join(folder, "include", "torch", "csrc", "api", "include")];
  return folders.some((one) => isFile(path.join(one, "torch", "torch.h")) || isFile(path.join(one, "c10", "macros", "Macros.h")))
    ? undefined
    : `${path.join(folder, "include")} holds no headers of torch: they are missing, or are in a package of their own.`;
}

function statusOf(given: string): fs.Stats | string {
  try {
    return fs.statSync(given, { throwIfNoEntry: false }) ?? `${given} does not exist.`;
  } catch (error) {
    return `${given} cannot be read: ${error instanceof Error ? error.message : String(error)}.`;
  }
}

function listed(folder: string): readonly string[] {
  try {
    return fs.readdirSync(folder);
  } catch {
    return [];
  }
}
