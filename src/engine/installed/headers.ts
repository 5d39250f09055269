import * as path from "node:path";
import type { Fact, Files, InstalledBody } from "../model/index.ts";
import { valueOf } from "../model/index.ts";
import { observed } from "./facts.ts";

/** Guards stand at the top of a header. */
const headOfHeader = 8 * 1024;

/** Headers that carry torch's "C++NN or later" #error in some release (see data/torch-wheels.json). */
export const guardedHeaders = ["torch/csrc/api/include/torch/all.h", "ATen/ATen.h", "c10/util/C++17.h"];

/** Value of __cplusplus by standard: ISO C++, section cpp.predefined. */
const standards: Readonly<Record<string, number>> = { 201103: 11, 201402: 14, 201703: 17, 202002: 20, 202302: 23 };

/** Folders in which a torch keeps its headers, first wins: its own, a conda prefix's, the system's, very old torch's. */
export function includeFolders(torchRoot: string, prefix: string | undefined): readonly string[] {
  const own = [path.join(torchRoot, "include"), path.join(torchRoot, "lib", "include")];
  const shared = prefix === undefined ? [] : [path.join(prefix, "include")];
  const folders = [...own, ...shared];
  // torch/extension.h and torch/torch.h are found through a second folder of every torch.
  return folders.flatMap((folder) => [folder, path.join(folder, "torch", "csrc", "api", "include")]);
}

/** Path of a torch header ("ATen/ATen.h", "torch/extension.h") in an installed torch; undefined when it is not there. */
export function torchHeader(body: InstalledBody, name: string, files: Files): string | undefined {
  if (body.torchRoot === undefined || name.includes("..")) {
    return undefined;
  }
  return includeFolders(body.torchRoot, headerPrefix(body)).map((folder) => path.join(folder, name)).find((file) => files.status(file)?.kind === "file");
}

/** Whether an installed torch has its headers with it at all (Debian splits them off). */
export function hasHeaders(body: InstalledBody, files: Files): boolean {
  return torchHeader(body, "ATen/ATen.h", files) !== undefined;
}

/**
 * Whether a torch header refuses to be included once TORCH_STABLE_ONLY or TORCH_TARGET_VERSION is defined: it then
 * begins with `#if !defined(TORCH_STABLE_ONLY) && ...` and ends in an #error. undefined when the header is not there.
 */
export function isRefusedUnderStableAbi(body: InstalledBody, header: string, files: Files): boolean | undefined {
  const file = torchHeader(body, header, files);
  const head = file === undefined ? undefined : readHead(file, files);
  return head === undefined ? undefined : /^\s*#\s*if\s+!\s*defined\s*\(?\s*TORCH_(?:STABLE_ONLY|TARGET_VERSION)\b/.test(head);
}

/** The C++ standard that the headers' own #error guards demand. */
export function standardFloor(torchRoot: string, prefix: string | undefined, files: Files): Fact | undefined {
  let found: { readonly standard: number; readonly file: string } | undefined;
  for (const name of guardedHeaders) {
    const file = includeFolders(torchRoot, prefix).map((folder) => path.join(folder, name)).find((one) => files.status(one) !== undefined);
    const head = file === undefined ? undefined : readHead(file, files);
    for (const [, year = ""] of (head ?? "").matchAll(/__cplusplus\s*<\s*(\d{6})L/g)) {
      const standard = standards[year];
      if (file !== undefined && standard !== undefined && standard > (found?.standard ?? 0)) {
        found = { standard, file };
      }
    }
  }
  return found === undefined ? undefined : observed("cxx-standard-floor", found.standard, found.file, `#error unless C++${found.standard} or later`);
}

/** The release of the pybind11 headers that torch ships. */
export function pybind11Version(torchRoot: string, prefix: string | undefined, files: Files): Fact | undefined {
  // A conda prefix's include folder holds a pybind11 of its own, which is not torch's.
  const file = includeFolders(torchRoot, undefined).map((folder) => path.join(folder, "pybind11", "detail", "common.h")).find((one) => files.status(one) !== undefined)
    ?? (prefix === undefined ? undefined : path.join(prefix, "include", "pybind11", "detail", "common.h"));
  const head = file === undefined ? undefined : readHead(file, files);
  const part = (name: string): string | undefined => new RegExp(`PYBIND11_VERSION_${name}\\s+(\\w+)`).exec(head ?? "")?.[1];
  const [major, minor, patch] = [part("MAJOR"), part("MINOR"), part("MICRO") ?? part("PATCH")];
  if (file === undefined || major === undefined || minor === undefined || patch === undefined) {
    return undefined;
  }
  return observed("pybind11-version", `${major}.${minor}.${patch}`, file, "PYBIND11_VERSION_MAJOR, _MINOR and _PATCH");
}

/** The release that torch's own version header names: all there is in a libtorch without build-version. */
export function headerVersion(torchRoot: string, files: Files): { readonly version: string; readonly file: string } | undefined {
  for (const name of ["torch/headeronly/version.h", "torch/csrc/api/include/torch/version.h"]) {
    const file = path.join(torchRoot, "include", name);
    const head = readHead(file, files) ?? "";
    const part = (macro: string): string | undefined => new RegExp(`TORCH_VERSION_${macro}\\s+(\\d+)`).exec(head)?.[1];
    const [major, minor, patch] = [part("MAJOR"), part("MINOR"), part("PATCH")];
    if (major !== undefined && minor !== undefined && patch !== undefined) {
      return { version: `${major}.${minor}.${patch}`, file };
    }
  }
  return undefined;
}

function headerPrefix(body: InstalledBody): string | undefined {
  const channel = valueOf(body.facts, "torch-channel");
  return channel === "debian" ? debianPrefix(body.torchRoot) : channel === "conda-forge" || channel === "conda-pytorch" ? body.prefix : undefined;
}

/** "/usr" of "/usr/lib/python3/dist-packages/torch": Debian's headers are in its include folder. */
export function debianPrefix(torchRoot: string | undefined): string | undefined {
  const at = torchRoot?.search(/[\\/]lib[\\/]python3[\\/]dist-packages[\\/]torch$/) ?? -1;
  return at < 0 ? undefined : torchRoot?.slice(0, at);
}

function readHead(file: string, files: Files): string | undefined {
  const bytes = files.readBytes(file, 0, headOfHeader);
  return bytes === undefined ? undefined : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}
