import * as fs from "node:fs";
import * as path from "node:path";
import { isInside } from "../../engine/files/index.ts";

/** What tells one state of a file from another. */
type Snapshot = ReadonlyMap<string, string>;

const product = /\.(?:so(?:\.\d+)*|dylib|pyd|dll|whl)$/;
/** No products lie there, and walking them takes long. */
const skipped = new Set([".git", ".hg", ".svn", "node_modules", "__pycache__", "CMakeFiles", ".cmake", "site-packages", "dist-packages", ".tox", ".nox"]);
const mostFolders = 40_000;

/** All shared libraries and wheels in the folders, and those that are named; links to files followed, links to folders not. */
export function productsIn(folders: readonly string[], named: readonly string[]): Snapshot {
  const found = new Map<string, string>();
  const add = (place: string): void => {
    const file = product.test(place) ? realPathOf(place) : undefined;
    const state = file === undefined ? undefined : stateOf(file);
    if (file !== undefined && state !== undefined) {
      found.set(file, state);
    }
  };
  named.forEach(add);
  const queue = [...new Set(folders)];
  let visited = 0;
  for (let folder = queue.shift(); folder !== undefined && visited < mostFolders; folder = queue.shift()) {
    visited += 1;
    for (const entry of entriesOf(folder)) {
      const full = path.join(folder, entry.name);
      if (entry.isDirectory()) {
        if (!skipped.has(entry.name) && !isSetuptoolsScratch(folder, entry.name, folders) && !fs.existsSync(path.join(full, "pyvenv.cfg"))) {
          queue.push(full);
        }
      } else {
        add(full);
      }
    }
  }
  return found;
}

/** New or renewed since `before`; what CMake names only now, and lies elsewhere, when it was written since `started`. Sorted. */
export function renewedProducts(before: Snapshot, folders: readonly string[], named: readonly string[], started: number): { readonly renewed: readonly string[]; readonly unchanged: readonly string[] } {
  const after = [...productsIn(folders, named)];
  const isSearched = (file: string): boolean => folders.some((folder) => isInside(file, realPathOf(folder) ?? folder));
  const isRenewed = ([file, state]: readonly [string, string]): boolean => {
    const earlier = before.get(file);
    // File systems with coarse times round down.
    return earlier === undefined && !isSearched(file) ? (fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) >= started - 2000 : earlier !== state;
  };
  const renewed = after.filter(isRenewed).map(([file]) => file);
  return { renewed: renewed.sort(), unchanged: after.map(([file]) => file).filter((file) => !renewed.includes(file)).sort() };
}

/** `build/lib.linux-x86_64-cpython-311` holds what is copied into place, `build/bdist.…` what goes into the wheel. */
function isSetuptoolsScratch(folder: string, name: string, roots: readonly string[]): boolean {
  return path.basename(folder) === "build" && roots.includes(path.dirname(folder)) && /^(?:lib|temp|bdist)(?:\.|$)/.test(name);
}

function entriesOf(folder: string): readonly fs.Dirent[] {
  try {
    return fs.readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function realPathOf(file: string): string | undefined {
  try {
    return fs.realpathSync(file);
  } catch {
    return undefined;
  }
}

/** A copy may keep the time of what it was copied from: the change of the inode tells it all the same. */
function stateOf(file: string): string | undefined {
  const status = fs.statSync(file, { throwIfNoEntry: false });
  return status?.isFile() === true ? `${status.ino} ${status.size} ${status.mtimeMs} ${status.ctimeMs}` : undefined;
}
