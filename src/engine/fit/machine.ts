import * as path from "node:path";
import type { LibraryImage } from "../binaries/library.ts";
import type { Files } from "../model/index.ts";
import { openLibrary } from "./openImage.ts";
import { isForMachine, readLoaderCache } from "./loaderCache.ts";
import type { LoaderCacheEntry } from "./loaderCache.ts";
import type { MachineLibraries, Refusal } from "./types.ts";

const maximumCacheSize = 16 * 1024 * 1024;
const cacheFile = "/etc/ld.so.cache";

/** Where it is: "x86_64" looks into lib/x86_64-linux-gnu too. */
export interface MachineSettings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly platform: "x86_64" | "aarch64";
  /** The folder above "usr" of a system that was unpacked elsewhere. */
  readonly root?: string;
}

/** The libraries of this machine: its loader's cache and folders, opened as they are asked for. */
export function machineLibraries(files: Files, settings: MachineSettings): MachineLibraries {
  const opened = new Map<string, LibraryImage | undefined>();
  const refusals = new Map<string, Refusal>();
  const folders = new Map<string, boolean>();
  let cache: ReadonlyMap<string, readonly LoaderCacheEntry[]> | undefined;
  const multiarch = `${settings.platform}-linux-gnu`;
  // glibc's trusted folders; Debian's builds have the multiarch ones first.
  const defaults = [`/lib/${multiarch}`, `/usr/lib/${multiarch}`, "/lib64", "/usr/lib64", "/lib", "/usr/lib"];
  return {
    open(file) {
      const known = opened.get(file);
      if (known !== undefined || opened.has(file)) {
        return known;
      }
      // The loader knows a file by its inode: links to one library are one library.
      const real = files.realPath(file);
      const answer = real === undefined ? undefined : opened.get(real) ?? openLibrary(file, files);
      if (answer !== undefined && "loaderText" in answer) {
        refusals.set(file, answer);
      }
      const image = answer === undefined || "loaderText" in answer ? undefined : answer;
      opened.set(file, image);
      if (real !== undefined) {
        opened.set(real, image);
      }
      return image;
    },
    refusal: (file) => refusals.get(file),
    isFolder(folder) {
      const known = folders.get(folder) ?? files.status(folder)?.kind === "directory";
      folders.set(folder, known);
      return known;
    },
    cached(name, machine) {
      cache ??= byName(cacheEntries(files));
      return cache.get(name)?.find((one) => isForMachine(one, machine))?.path;
    },
    libraryPath: (settings.environment["LD_LIBRARY_PATH"] ?? "").split(/[:;]/).filter((one) => path.isAbsolute(one)),
    defaultFolders: settings.root === undefined ? defaults : [...defaults.map((one) => path.join(settings.root ?? "", one)), ...defaults],
    platform: settings.platform,
    lib: [`lib/${multiarch}`, "lib64", "lib"],
  };
}

function cacheEntries(files: Files): readonly LoaderCacheEntry[] {
  const status = files.status(cacheFile);
  const bytes = status?.kind === "file" && status.size <= maximumCacheSize ? files.readBytes(cacheFile, 0, status.size) : undefined;
  return bytes === undefined ? [] : readLoaderCache(bytes);
}

function byName(entries: readonly LoaderCacheEntry[]): ReadonlyMap<string, readonly LoaderCacheEntry[]> {
  const found = new Map<string, LoaderCacheEntry[]>();
  for (const entry of entries) {
    const known = found.get(entry.name);
    if (known === undefined) {
      found.set(entry.name, [entry]);
    } else {
      known.push(entry);
    }
  }
  return found;
}
