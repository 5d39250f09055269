import * as path from "node:path";
import type { Catalogue } from "../catalogue/index.ts";
import type { Fact, Files, TraitValues } from "../model/index.ts";
import { torchDistribution } from "./distributions.ts";
import { inferred, observed, seenIn } from "./facts.ts";
import { debianPrefix, headerVersion, pybind11Version, standardFloor } from "./headers.ts";
import { findLibrary, libraryFolders, libstdcxxAbi, platformOf, pythonLibraryFacts } from "./libraries.ts";

export interface TorchDescription {
  readonly facts: readonly Fact[];
  readonly notKnown: readonly string[];
  readonly version: string | undefined;
}

/** Whether a folder is a torch package. */
export function isTorchPackage(folder: string, files: Files): boolean {
  return files.status(path.join(folder, "version.py"))?.kind === "file" && files.status(path.join(folder, "__init__.py"))?.kind === "file";
}

/** Whether a folder is a libtorch: the C++ distribution, without Python. */
export function isLibtorch(folder: string, files: Files): boolean {
  return files.status(path.join(folder, "lib"))?.kind === "directory"
    && (files.status(path.join(folder, "share", "cmake", "Torch", "TorchConfig.cmake")) !== undefined || files.status(path.join(folder, "build-version")) !== undefined);
}

/** __version__ of a torch package. */
export function torchVersion(torchRoot: string, files: Files): string | undefined {
  const read = files.readText(path.join(torchRoot, "version.py"));
  return read.ok ? constant(read.text, "__version__") ?? undefined : undefined;
}

/** Everything that the files of one torch say. `prefix` is the environment's, for torches whose libraries are shared with it. */
export function describeTorch(torchRoot: string, prefix: string | undefined, files: Files, catalogue: Catalogue): TorchDescription {
  const notKnown: string[] = [];
  const identity = isTorchPackage(torchRoot, files) ? packageIdentity(torchRoot, prefix, files, notKnown) : libtorchIdentity(torchRoot, files, notKnown);
  const channel = identity.find((fact) => fact.trait === "torch-channel")?.value as TraitValues["torch-channel"] | undefined;
  const sharedPrefix = channel === "debian" ? debianPrefix(torchRoot) : channel === "conda-forge" || channel === "conda-pytorch" ? prefix : undefined;
  const folders = libraryFolders(torchRoot, sharedPrefix, files);
  const library = findLibrary("libc10", folders, files);
  const configurations = [path.join(torchRoot, "share"), ...folders.slice(1), ...(sharedPrefix === undefined ? [] : [path.join(sharedPrefix, "share")])].map((folder) => path.join(folder, "cmake", "Torch", "TorchConfig.cmake"));
  const version = identity.find((fact) => fact.trait === "torch-version")?.value as string | undefined;
  const floor = standardFloor(torchRoot, sharedPrefix, files) ?? catalogueStandard("cxx-standard-floor", version, catalogue);
  const facts: (Fact | undefined)[] = [
    ...identity,
    ...libstdcxxAbi(folders, configurations, files, notKnown),
    floor,
    defaultStandard(torchRoot, files) ?? catalogueStandard("cxx-standard-default", version, catalogue),
    pybind11Version(torchRoot, sharedPrefix, files),
    ...pythonLibraryFacts(folders, files, notKnown),
    platformOf(library, files),
  ];
  if (library === undefined && files.list(path.join(torchRoot, "lib")).every((name) => !/\.(?:dylib|dll)$/.test(name))) {
    notKnown.push(`No libc10 was found for the torch in ${torchRoot}, so its libstdc++ ABI could not be read from a library.`);
  }
  return { facts: facts.filter((fact) => fact !== undefined), notKnown, version };
}

function packageIdentity(torchRoot: string, prefix: string | undefined, files: Files, notKnown: string[]): readonly Fact[] {
  const file = path.join(torchRoot, "version.py");
  const read = files.readText(file);
  if (!read.ok) {
    notKnown.push(`The version of torch was not read: ${read.message}`);
    return [];
  }
  const facts: Fact[] = [];
  const { text } = read;
  const version = constant(text, "__version__");
  if (typeof version === "string") {
    facts.push(observed("torch-version", version, file, `__version__ = '${version}'`));
  } else {
    notKnown.push(`${file} names no __version__.`);
  }
  const cuda = constant(text, "cuda");
  if (cuda !== undefined) {
    facts.push(observed("cuda-version", cuda === null ? null : majorMinor(cuda), file, `cuda = ${cuda === null ? "None" : `'${cuda}'`}`));
  }
  const rocm = constant(text, "rocm") ?? constant(text, "hip");
  if (rocm !== undefined) {
    facts.push(observed("rocm-version", rocm === null ? null : majorMinor(rocm), file, `hip = ${rocm === null ? "None" : `'${rocm}'`}`));
  }
  const git = constant(text, "git_version");
  if (typeof git === "string" && /^[0-9a-f]{7,40}$/.test(git)) {
    facts.push(observed("torch-git-version", git, file, `git_version = '${git}'`));
  }
  const debug = /^debug\s*(?::[^=\n]*)?=\s*(True|False)\s*$/m.exec(text)?.[1];
  if (debug !== undefined) {
    facts.push(observed("torch-debug", debug === "True", file, `debug = ${debug}`));
  }
  facts.push(...distributionFacts(torchRoot, prefix, version ?? "", files));
  return facts;
}

/** A string constant of version.py; null for None; undefined when it is not there. */
function constant(text: string, name: string): string | null | undefined {
  const match = new RegExp(`^${name}\\s*(?::[^=\\n]*)?=\\s*(?:(['"])([^'"\\n]*)\\1|(None))\\s*(?:#.*)?$`, "m").exec(text);
  return match === null ? undefined : match[3] === "None" ? null : match[2];
}

function majorMinor(version: string): string {
  return /^\d+\.\d+/.exec(version)?.[0] ?? version;
}

/** Who installed this torch, and the platform tag of its wheel. */
function distributionFacts(torchRoot: string, prefix: string | undefined, version: string, files: Files): readonly Fact[] {
  const site = path.dirname(torchRoot);
  const distribution = torchDistribution(site, files);
  const facts: Fact[] = [];
  const wheel = distribution === undefined ? undefined : path.join(distribution, "WHEEL");
  const tags = wheel === undefined ? undefined : files.readText(wheel);
  const tag = tags?.ok === true ? /^Tag:\s*[^-\s]+-[^-\s]+-(\S+)\s*$/m.exec(tags.text)?.[1] : undefined;
  if (tag !== undefined && wheel !== undefined) {
    facts.push(observed("platform-tag", tag, wheel, "the platform part of its Tag"));
  }
  facts.push(channelOf(torchRoot, prefix, version, distribution, files));
  const extension = files.list(torchRoot).find((name) => /^_C\.cpython-.+\.so$/.test(name));
  const suffix = extension === undefined ? undefined : /^_C\.(cpython-.+)\.so$/.exec(extension)?.[1];
  if (extension !== undefined && suffix !== undefined) {
    facts.push(observed("python-suffix", suffix, path.join(torchRoot, extension), "the file name of torch's own extension module"));
  }
  return facts;
}

function channelOf(torchRoot: string, prefix: string | undefined, version: string, distribution: string | undefined, files: Files): Fact {
  if (/nv\d\d\.\d+/.test(version)) {
    return observed("torch-channel", "ngc", path.join(torchRoot, "version.py"), "NVIDIA's container release in the version");
  }
  if (debianPrefix(torchRoot) !== undefined) {
    return observed("torch-channel", "debian", torchRoot, "Debian's folder for Python packages");
  }
  const record = prefix === undefined ? undefined : condaRecord(prefix, files);
  const installerFile = distribution === undefined ? undefined : path.join(distribution, "INSTALLER");
  const installer = installerFile === undefined ? undefined : files.readText(installerFile);
  const who = installer?.ok === true ? installer.text.trim() : undefined;
  if (record !== undefined && who !== "pip" && who !== "uv") {
    const channel = record.channel.includes("conda-forge") ? "conda-forge" : /(?:^|\/)pytorch(?:\/|$|-)/.test(record.channel) ? "conda-pytorch" : "unknown";
    return observed("torch-channel", channel, record.file, `channel ${record.channel}`);
  }
  if (/\+git|a0$/.test(version) || distribution === undefined || files.status(path.join(torchRoot, "..", "CMakeLists.txt")) !== undefined) {
    return inferred("torch-channel", "source", seenIn(path.join(torchRoot, "version.py"), "a version or place that only a build from source has"));
  }
  if (who !== undefined && who !== "conda" && installerFile !== undefined) {
    return observed("torch-channel", "pip", installerFile, who);
  }
  return inferred("torch-channel", "unknown", seenIn(distribution, "no INSTALLER"));
}

/** The record of the conda package that brought torch. */
function condaRecord(prefix: string, files: Files): { readonly file: string; readonly channel: string } | undefined {
  const folder = path.join(prefix, "conda-meta");
  const name = files.list(folder).find((one) => /^(?:pytorch|libtorch)-\d.*\.json$/.test(one));
  if (name === undefined) {
    return undefined;
  }
  const file = path.join(folder, name);
  const read = files.readText(file);
  const channel = read.ok ? /"channel":\s*"([^"]*)"/.exec(read.text)?.[1] : undefined;
  return channel === undefined ? undefined : { file, channel };
}

function libtorchIdentity(torchRoot: string, files: Files, notKnown: string[]): readonly Fact[] {
  const facts: Fact[] = [];
  const file = path.join(torchRoot, "build-version");
  const read = files.readText(file);
  const named = read.ok ? /^\d+\.\d+[^\s]*/.exec(read.text.trim())?.[0] : undefined;
  const fromHeader = headerVersion(torchRoot, files);
  if (named !== undefined) {
    facts.push(observed("torch-version", named, file, named));
  } else if (fromHeader !== undefined) {
    facts.push(observed("torch-version", fromHeader.version, fromHeader.file, "TORCH_VERSION_MAJOR, _MINOR and _PATCH"));
  } else {
    notKnown.push(`Neither build-version nor a version header tells the release of the libtorch in ${torchRoot}.`);
  }
  const hash = files.readText(path.join(torchRoot, "build-hash"));
  const commit = hash.ok ? /^[0-9a-f]{40}$/.exec(hash.text.trim())?.[0] : undefined;
  if (commit !== undefined) {
    facts.push(observed("torch-git-version", commit, path.join(torchRoot, "build-hash"), commit));
  }
  facts.push(...libtorchCuda(torchRoot, named, file, files, notKnown));
  facts.push(observed("torch-channel", "libtorch", torchRoot, "a libtorch folder, without Python"));
  return facts;
}

function libtorchCuda(torchRoot: string, version: string | undefined, file: string, files: Files, notKnown: string[]): readonly Fact[] {
  const label = /\+(.*)$/.exec(version ?? "")?.[1] ?? "";
  const digits = /^cu(\d+)(\d)/.exec(label);
  if (digits !== null) {
    return [observed("cuda-version", `${digits[1]}.${digits[2]}`, file, `label ${label}`)];
  }
  const library = findLibrary("libtorch_cuda", [path.join(torchRoot, "lib")], files);
  if (library === undefined) {
    return [observed("cuda-version", null, path.join(torchRoot, "lib"), "no libtorch_cuda")];
  }
  notKnown.push(`${library} is built for CUDA, and no file names the CUDA version.`);
  return [];
}

/** What torch.utils.cpp_extension adds when a project names no standard. */
function defaultStandard(torchRoot: string, files: Files): Fact | undefined {
  const file = path.join(torchRoot, "utils", "cpp_extension.py");
  const read = files.readText(file);
  const standard = read.ok ? /^\s*(?:common_)?cflags\s*(?:\+=|=\s*common_cflags\s*\+|\.append\()[^\n]*-std=c\+\+(\d\d)/m.exec(read.text)?.[1] : undefined;
  return standard === undefined ? undefined : observed("cxx-standard-default", Number(standard), file, `adds -std=c++${standard}`);
}

function catalogueStandard(trait: "cxx-standard-floor" | "cxx-standard-default", version: string | undefined, catalogue: Catalogue): Fact | undefined {
  const release = version === undefined ? undefined : catalogue.torchRelease(version);
  const value = trait === "cxx-standard-floor" ? release?.cxxStandardFloor : release?.cxxStandardDefault;
  return release === undefined || value === undefined ? undefined : inferred(trait, value, { kind: "catalogue", table: "torch-releases", row: release.version, source: release.sources.join("; ") });
}
