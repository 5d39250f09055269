import * as path from "node:path";
import cuda from "../../../data/cuda-libraries.json" with { type: "json" };
import type { LibraryImage } from "../binaries/library.ts";
import { valueOf } from "../model/index.ts";
import type { Files, InstalledBody } from "../model/index.ts";
import { machineLibraries } from "./machine.ts";
import { openImage } from "./openImage.ts";
import { headerShims } from "./stableShims.ts";
import { stemOf } from "./torchProcess.ts";
import type { FitEnvironment, MachineLibraries } from "./types.ts";

/** Files of torch in a folder that it shares with others. */
const torchFile = /^lib(?:torch|c10|shm|caffe2)[\w]*\.so(?:\.[\d.]+)?$/;

/** What the loading model may know of the process that would import the file. */
export interface Where {
  /** Variables of that process: LD_LIBRARY_PATH counts. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The loading environment of a torch on this machine: an environment, a torch package or a libtorch folder. */
export function environmentOf(body: InstalledBody, files: Files, where: Where): FitEnvironment {
  const notKnown: string[] = [];
  const platform = valueOf(body.facts, "platform") ?? "linux-x86_64";
  if (!platform.startsWith("linux-") || body.torchRoot === undefined) {
    return { body, torchLibraries: [], notKnown: [body.torchRoot === undefined ? `No torch folder is known for ${body.name}.` : `The loading model knows Linux only; this torch is for ${platform}.`] };
  }
  const nvidia = nvidiaFiles(body.torchRoot, files);
  const liesIn = (name: string): string | undefined => nvidia.find((one) => path.basename(one) === name);
  const stableShims = headerShims(body, files);
  if (!isThisMachine(platform)) {
    const torchLibraries = torchFiles(body, files).flatMap((file) => openImage(file, files) ?? []);
    return { body, torchLibraries, liesIn, stableShims, notKnown: [`The torch in ${body.torchRoot} is for ${platform}, which this machine is not: interpreter, C library, libstdc++ and CUDA libraries are not checked.`] };
  }
  const root = foreignRoot(body.torchRoot);
  const machine = machineLibraries(files, {
    environment: where.environment,
    platform: platform === "linux-aarch64" ? "aarch64" : "x86_64",
    ...(root === undefined ? {} : { root }),
  });
  const python = body.source === "libtorch" ? undefined : interpreterOf(body, root, files, machine, notKnown);
  if (python === undefined && body.source !== "libtorch") {
    notKnown.push(`No interpreter lies beside the torch in ${body.torchRoot}: names of CPython's C API are not checked.`);
  }
  if ((where.environment["LD_PRELOAD"] ?? "") !== "") {
    notKnown.push(`LD_PRELOAD is set to ${where.environment["LD_PRELOAD"]}; what it brings is not part of the model.`);
  }
  const torchLibraries = torchFiles(body, files).flatMap((file) => machine.open(file) ?? []);
  return {
    body,
    torchLibraries,
    machine,
    ...(python === undefined ? {} : { python }),
    preloaded: torchLibraries.some((one) => stemOf(one.path) === "libtorch_cuda") ? openedByPath(nvidia).flatMap((file) => machine.open(file) ?? []) : [],
    liesIn,
    stableShims,
    notKnown,
  };
}

/** Whether files for a platform could run where this program runs. */
function isThisMachine(platform: string): boolean {
  return process.platform === "linux" && platform === `linux-${process.arch === "arm64" ? "aarch64" : "x86_64"}`;
}

/** "/srv/image" of "/srv/image/usr/lib/python3/dist-packages/torch": a Debian that was unpacked below a folder. */
function foreignRoot(torchRoot: string): string | undefined {
  const root = /^(.+)\/usr\/lib\/python3\/dist-packages\/torch$/.exec(torchRoot)?.[1];
  return root === "" ? undefined : root;
}

function interpreterOf(body: InstalledBody, root: string | undefined, files: Files, machine: MachineLibraries, notKnown: string[]): LibraryImage | undefined {
  const version = valueOf(body.facts, "python-version");
  const minor = version === undefined ? undefined : /^\d+\.\d+/.exec(version)?.[0];
  const prefix = body.prefix ?? debianPrefix(body.torchRoot ?? "");
  const own = prefix === undefined ? undefined : interpreterIn(prefix, minor, files, machine);
  const system = own === undefined && root !== undefined && minor !== undefined ? machine.open(`/usr/bin/python${minor}`) : undefined;
  if (system !== undefined) {
    notKnown.push(`No interpreter lies below ${root}: ${system.path} is taken for the one that imports its torch.`);
  }
  return own ?? system;
}

function interpreterIn(prefix: string, minor: string | undefined, files: Files, machine: MachineLibraries): LibraryImage | undefined {
  for (const name of [...(minor === undefined ? [] : [`python${minor}`, `python${minor}t`]), "python3", "python"]) {
    const real = files.realPath(path.join(prefix, "bin", name));
    const image = real === undefined ? undefined : machine.open(real);
    if (image !== undefined) {
      return image;
    }
  }
  return undefined;
}

/** "/usr" of "/usr/lib/python3/dist-packages/torch". */
function debianPrefix(torchRoot: string): string | undefined {
  return /^(.*)\/lib\/python3\/dist-packages\/torch$/.exec(torchRoot)?.[1];
}

/** torch's own libraries: those of torch/lib, those that Debian and conda keep in a shared folder, and torch/_C. Each once. */
function torchFiles(body: InstalledBody, files: Files): readonly string[] {
  const torchRoot = body.torchRoot ?? "";
  const own = path.join(torchRoot, "lib");
  const channel = valueOf(body.facts, "torch-channel");
  const shared = debianPrefix(torchRoot) ?? (channel === "conda-forge" || channel === "conda-pytorch" ? body.prefix : undefined);
  const sharedFolders = shared === undefined ? [] : [path.join(shared, "lib"), path.join(shared, "lib", "x86_64-linux-gnu"), path.join(shared, "lib", "aarch64-linux-gnu")];
  const candidates = [
    ...files.list(torchRoot).filter((name) => /^_C\..*so$/.test(name)).map((name) => path.join(torchRoot, name)),
    ...files.list(own).filter((name) => /\.so(?:\.[\d.]+)?$/.test(name)).map((name) => path.join(own, name)),
    ...sharedFolders.flatMap((folder) => files.list(folder).filter((name) => torchFile.test(name)).map((name) => path.join(folder, name))),
  ];
  const seen = new Map<string, string>();
  for (const file of candidates) {
    const real = files.realPath(file) ?? file;
    // torch/lib of Debian holds links; the loader meets the libraries in the shared folder, under their sonames.
    if (!seen.has(real) || (shared !== undefined && path.dirname(file) === path.dirname(real))) {
      seen.set(real, file);
    }
  }
  return [...seen.values()];
}

/** Libraries in the wheels of NVIDIA beside torch: site-packages/nvidia/COMPONENT/lib, and nvidia/cu13/lib. */
function nvidiaFiles(torchRoot: string, files: Files): readonly string[] {
  const base = path.join(path.dirname(torchRoot), "nvidia");
  return files.list(base).map((name) => path.join(base, name, "lib")).flatMap((folder) => files.list(folder).filter((name) => name.includes(".so")).map((name) => path.join(folder, name)));
}

/** What torch opens by path before its own libraries, in its order. */
function openedByPath(nvidia: readonly string[]): readonly string[] {
  return cuda.preloaded.stems.flatMap((stem) => nvidia.find((file) => path.basename(file).startsWith(`${stem}.so.`) && /\d$/.test(file)) ?? []);
}
