import * as path from "node:path";
import type { LibraryImage } from "../binaries/library.ts";
import type { MachineLibraries, Refusal } from "./types.ts";

/** An object of the process, as far as the search for its dependencies asks. */
export interface Requester {
  readonly image: LibraryImage | undefined;
  /** What caused it to be loaded. */
  readonly loader: Requester | undefined;
}

export interface Places {
  readonly machine: MachineLibraries | undefined;
  /** Libraries that come with the file, by path. */
  readonly companions: ReadonlyMap<string, LibraryImage>;
  /** The executable: its RPATH serves all. */
  readonly main: LibraryImage | undefined;
}

export interface Found {
  readonly image: LibraryImage;
  readonly how: string;
}

/** A file of that name that is no ELF file: the loader looks no further. */
export interface Refused {
  readonly refusal: Refusal;
}

/** Variants for newer processors that glibc 2.33 and later looks into first, the best first. */
const hardwareFolders = ["glibc-hwcaps/x86-64-v3", "glibc-hwcaps/x86-64-v2"];

/**
 * The file that glibc would take for a NEEDED name that is not loaded yet (elf/dl-load.c, _dl_map_object): RPATHs of the
 * requester and of those that loaded it, unless the requester has a RUNPATH; LD_LIBRARY_PATH; RUNPATH of the requester
 * alone; ld.so.cache; the default folders. Files of another machine are passed over. `searched` collects the folders.
 */
export function searchLibrary(name: string, requester: Requester, places: Places, searched: string[]): Found | Refused | undefined {
  const { machine } = places;
  const accepts = (image: LibraryImage | undefined): image is LibraryImage => image !== undefined && (image.machine === undefined || requester.image?.machine === undefined || image.machine === requester.image.machine);
  const openAt = (file: string): LibraryImage | undefined => places.companions.get(file) ?? (isRemote(file) ? undefined : machine?.open(file));
  const lookInto = (folders: readonly string[], how: string): Found | Refused | undefined => {
    for (const folder of folders) {
      searched.push(folder);
      if (isRemote(folder)) {
        const image = openAt(`${folder}/${name}`);
        if (accepts(image)) {
          return { image, how };
        }
        continue;
      }
      const hasVariants = machine?.isFolder(path.join(folder, "glibc-hwcaps")) === true;
      for (const place of hasVariants ? [...hardwareFolders.map((one) => path.join(folder, one)), folder] : [folder]) {
        const image = openAt(path.join(place, name));
        if (accepts(image)) {
          return { image, how };
        }
        const refusal = image === undefined ? machine?.refusal?.(path.join(place, name)) : undefined;
        if (refusal !== undefined) {
          return { refusal };
        }
      }
    }
    return undefined;
  };
  if (name.includes("/")) {
    const image = openAt(name);
    searched.push(path.dirname(name));
    return accepts(image) ? { image, how: "its path" } : undefined;
  }
  const own = requester.image;
  if (own === undefined || own.runpath.length === 0) {
    for (const one of rpathOwners(requester, places.main)) {
      const found = lookInto(expand(one.rpath, one, machine), `RPATH of ${path.basename(one.path)}`);
      if (found !== undefined) {
        return found;
      }
    }
  }
  const byVariable = lookInto(machine?.libraryPath ?? [], "LD_LIBRARY_PATH");
  if (byVariable !== undefined) {
    return byVariable;
  }
  const byRunpath = own === undefined ? undefined : lookInto(expand(own.runpath, own, machine), `RUNPATH of ${path.basename(own.path)}`);
  if (byRunpath !== undefined || machine === undefined) {
    return byRunpath;
  }
  if (own?.noDefaultLib === true) {
    return undefined;
  }
  const cached = machine.cached(name, own?.machine);
  const image = cached === undefined ? undefined : machine.open(cached);
  return accepts(image) ? { image, how: "ld.so.cache" } : lookInto(machine.defaultFolders, "the loader's default folders");
}

/** The objects whose RPATH counts: the requester, those that loaded it, the executable; without those that have a RUNPATH. */
function rpathOwners(requester: Requester, main: LibraryImage | undefined): readonly LibraryImage[] {
  const owners: LibraryImage[] = [];
  for (let one: Requester | undefined = requester; one !== undefined; one = one.loader) {
    if (one.image !== undefined && !owners.includes(one.image)) {
      owners.push(one.image);
    }
  }
  if (main !== undefined && !owners.includes(main)) {
    owners.push(main);
  }
  return owners.filter((one) => one.rpath.length > 0 && one.runpath.length === 0);
}

/** $ORIGIN, $LIB and $PLATFORM replaced; an entry that asks for what is not known is left out. */
function expand(entries: readonly string[], owner: LibraryImage, machine: MachineLibraries | undefined): readonly string[] {
  const origin = path.dirname(owner.path);
  return entries.flatMap((entry) => entry.split(":")).filter((entry) => entry !== "").flatMap((entry) => {
    const placed = entry.replace(/\$(?:ORIGIN|\{ORIGIN\})/g, origin).replace(/\$(?:PLATFORM|\{PLATFORM\})/g, machine?.platform ?? "x86_64");
    const choices = /\$(?:LIB|\{LIB\})/.test(placed) ? (machine?.lib ?? ["lib64"]).map((lib) => placed.replace(/\$(?:LIB|\{LIB\})/g, lib)) : [placed];
    // A relative entry depends on the folder in which the process was started.
    return choices.flatMap((one) => (isRemote(one) ? resolvedAddress(one) : path.isAbsolute(one) ? path.resolve(one) : []));
  });
}

/** Members of a wheel on a server lie below its address, where this machine has nothing. */
function isRemote(place: string): boolean {
  return /^https?:\/\//i.test(place);
}

/** Without "..", as far as the host: path.resolve would take an address for a relative path. */
function resolvedAddress(address: string): string {
  const start = address.indexOf("//") + 1;
  return `${address.slice(0, start)}${path.posix.resolve(address.slice(start))}`;
}
