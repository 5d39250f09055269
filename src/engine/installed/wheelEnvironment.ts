import * as path from "node:path";
import { ArchiveError, memberPath, openArchive, SparseFiles } from "../binaries/archive/index.ts";
import type { Archive, ByteSource, Member } from "../binaries/archive/index.ts";
import type { LibraryImage } from "../binaries/library.ts";
import { describeRelease } from "../catalogue/index.ts";
import type { Catalogue, TorchVariant } from "../catalogue/index.ts";
import { valueOf } from "../model/index.ts";
import type { Evidence, Fact, Files, InstalledBody } from "../model/index.ts";
import { pythonOfSuffix } from "./describe.ts";
import { distributionsIn } from "./distributions.ts";
import { guardedHeaders } from "./headers.ts";
import { describeTorch, isTorchPackage } from "./torchPackage.ts";
import { libraryImage } from "./wheelEnvironmentLibraries.ts";
import type { Permission } from "./wheelEnvironmentLibraries.ts";

export interface WheelEnvironmentOptions {
  readonly catalogue: Catalogue;
  /**
   * Asked before a step that costs much: unpacking a whole large library. `bytes` is what would be fetched, `what` names
   * it. Without it this is done for a wheel on this machine only; `notKnown` says what it would have cost.
   */
  readonly allow?: Permission;
}

export interface WheelEnvironment {
  readonly body: InstalledBody;
  /** Of torch/lib and torch/_C, as far as they could be read. */
  readonly libraries: readonly LibraryImage[];
  /** The wheel's files, with the content of those that were fetched; below `torchRoot`. */
  readonly files: Files;
  readonly torchRoot: string;
  /** What could not be read, in sentences; also part of the body's. */
  readonly notKnown: readonly string[];
}

/** What `describeTorch` and the readers of torch's headers ask for. */
const texts = new Set([
  "torch/version.py", "torch/__init__.py", "torch/share/cmake/Torch/TorchConfig.cmake", "torch/utils/cpp_extension.py", "torch/include/pybind11/detail/common.h",
  "torch/include/torch/headeronly/version.h", "torch/include/torch/csrc/stable/c/shim.h", "torch/include/torch/csrc/inductor/aoti_torch/c/shim.h",
  ...guardedHeaders.map((name) => `torch/include/${name}`),
]);
const generatedShims = /^torch\/include\/torch\/csrc\/inductor\/aoti_torch\/generated\/c_shim_\w+\.h$/;
const distributionTexts = /^torch-[^/]+\.dist-info\/(?:METADATA|WHEEL)$/;
const maximumText = 4 * 1024 * 1024;

/** Libraries that `import torch` loads or that an extension links, by their stem; others in torch/lib are test material. */
const libraryNames = /^torch\/(?:lib\/lib(?:c10(?:_\w+)?|torch(?:_(?:cpu|python|global_deps|cuda|cuda_linalg|cuda_cpp|cuda_cu|hip|xpu))?|shm|gomp)(?:-[0-9a-f]{8})?\.so(?:\.[\d.]+)?|_C\.[\w-]+\.so)$/;
/** Its constants hold the pybind11 key, in the middle of the file. */
const pythonLibrary = /^torch\/lib\/libtorch_python\.so/;
/** Without it the libstdc++ ABI is not seen; it is small. */
const coreLibrary = /^torch\/lib\/libc10\.so/;
const maximumCore = 32 * 1024 * 1024;

/**
 * Describes the torch in a wheel, local or on a server, from its directory, a few texts, and the export tables of its
 * libraries. `where` is its path or address. Throws ArchiveError when it is no torch wheel or a hostile one, and
 * ByteSourceError.
 */
export async function describeTorchWheel(source: ByteSource, where: string, options: WheelEnvironmentOptions): Promise<WheelEnvironment> {
  const archive = await openArchive(source);
  // An address may hold a password; the source's name is fit to be shown.
  return /^https?:\/\//i.test(where) ? describeArchive(archive, source.name, options) : describeArchive(archive, where, { allow: () => true, ...options });
}

async function describeArchive(archive: Archive, where: string, options: WheelEnvironmentOptions): Promise<WheelEnvironment> {
  if (!archive.members.has("torch/version.py") || !archive.members.has("torch/__init__.py")) {
    throw new ArchiveError(archive.source.name, "holds no torch package");
  }
  const members = [...archive.members.values()];
  const notKnown: string[] = [];
  const contents = new Map<string, Uint8Array>();
  const wanted = members.filter((one) => texts.has(one.name) || generatedShims.test(one.name) || distributionTexts.test(one.name) || coreLibrary.test(one.name));
  await Promise.all(wanted.map(async (member) => {
    const bytes = await readWhole(archive, member, coreLibrary.test(member.name) ? maximumCore : maximumText, notKnown);
    if (bytes !== undefined) {
      contents.set(member.name, bytes);
    }
  }));
  const libraries: LibraryImage[] = [];
  for (const member of members.filter((one) => libraryNames.test(one.name))) {
    const image = await libraryImage(archive, member, memberPath(where, member), { whole: contents.get(member.name), allow: options.allow, notKnown });
    if (image !== undefined) {
      libraries.push(image);
    }
  }
  const python = await pythonLibraryContent(archive, members.find((one) => pythonLibrary.test(one.name)), options.allow);
  const files = sparseFiles(where, archive, contents, python);
  const torchRoot = path.join(where, "torch");
  const { facts, notKnown: notTold } = describe(torchRoot, where, files, options.catalogue, python === undefined);
  const body: InstalledBody = {
    role: "installed",
    name: path.posix.basename(where.replaceAll("\\", "/")),
    source: "wheel",
    facts,
    distributions: isTorchPackage(torchRoot, files) ? distributionsIn(where, files) : [],
    shadowed: [],
    notKnown: [...notTold, ...notKnown],
  };
  // Nobody needs the whole libtorch_python any more.
  return { body, libraries, files: sparseFiles(where, archive, contents, undefined), torchRoot, notKnown: body.notKnown };
}

/** One member costs only itself: what is wrong with it is said. */
async function readWhole(archive: Archive, member: Member, limit: number, notKnown: string[]): Promise<Uint8Array | undefined> {
  try {
    return await archive.read(member, limit);
  } catch (error) {
    if (error instanceof ArchiveError) {
      notKnown.push(error.message);
      return undefined;
    }
    throw error;
  }
}

async function pythonLibraryContent(archive: Archive, member: Member | undefined, allow: Permission | undefined): Promise<{ readonly name: string; readonly bytes: Uint8Array } | undefined> {
  const limit = 128 * 1024 * 1024;
  if (member === undefined || member.size > limit || (await allow?.(member.compressedSize, member.name)) !== true) {
    return undefined;
  }
  return { name: member.name, bytes: await archive.read(member, limit) };
}

function sparseFiles(where: string, archive: Archive, contents: ReadonlyMap<string, Uint8Array>, python: { readonly name: string; readonly bytes: Uint8Array } | undefined): SparseFiles {
  // What was not fetched of it must not look damaged: without its content it is not shown.
  const shown = python === undefined ? new Map([...archive.members].filter(([name]) => !pythonLibrary.test(name))) : archive.members;
  const files = new SparseFiles(where, shown);
  for (const [name, bytes] of contents) {
    files.put(name, bytes);
  }
  if (python !== undefined) {
    files.put(python.name, python.bytes);
  }
  return files;
}

function describe(torchRoot: string, where: string, files: Files, catalogue: Catalogue, withoutPython: boolean): { readonly facts: readonly Fact[]; readonly notKnown: readonly string[] } {
  const torch = describeTorch(torchRoot, undefined, files, catalogue);
  const facts = [...torch.facts, ...pythonOfSuffix(torch.facts)];
  const notKnown = [...torch.notKnown];
  if (withoutPython && torch.version !== undefined) {
    const recorded = recordedPythonFacts(torch.version, facts, catalogue);
    facts.push(...recorded);
    notKnown.push(recorded.some((fact) => fact.trait === "pybind11-internals")
      ? `The pybind11 key was taken from the catalogue for torch ${torch.version}; it stands deep inside libtorch_python, which was not read.`
      : `The pybind11 key is not known: it stands deep inside libtorch_python, which was not read, and the catalogue does not have it for torch ${torch.version}.`);
  }
  // Joining paths takes one slash of "https://".
  const witness = (one: Evidence): Evidence => (one.kind === "file" ? { ...one, path: restore(one.path, where) } : one);
  const restored = (fact: Fact): Fact => {
    const [first, ...others] = fact.evidence;
    return { ...fact, evidence: [witness(first), ...others.map(witness)] };
  };
  return { facts: facts.map(restored), notKnown: notKnown.map((one) => one.replaceAll(path.join(where), where)) };
}

/** What only libtorch_python tells, as the catalogue has it for the release and this platform and Python. */
function recordedPythonFacts(version: string, facts: readonly Fact[], catalogue: Catalogue): readonly Fact[] {
  const platform = valueOf(facts, "platform") as TorchVariant["platform"] | undefined;
  const release = describeRelease(version, catalogue, valueOf(facts, "python-version"), platform);
  const known = new Set(facts.map((fact) => fact.trait));
  return (release?.facts ?? []).filter((fact) => (fact.trait === "pybind11-internals" || fact.trait === "gxx-abi-version") && !known.has(fact.trait));
}

function restore(place: string, where: string): string {
  const collapsed = path.join(where);
  return place.startsWith(collapsed) ? where + place.slice(collapsed.length) : place;
}
