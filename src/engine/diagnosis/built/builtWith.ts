import * as path from "node:path";
import { torchVersion } from "../../installed/index.ts";
import type { Evidence, Files } from "../../model/index.ts";

/** Folders above a file in which a build may have left its account. */
const highest = 8;

/**
 * The torch whose headers a file was compiled with, as the build folder around it tells: CMake's cache or the ninja file of
 * torch.utils.cpp_extension names its folder. Undefined when that torch was put there after the file was made, or is gone.
 */
export function torchOfBuild(file: string, modified: number, root: string, files: Files): { readonly version: string; readonly source: Evidence } | undefined {
  for (const { torch, file: account } of torchesNamed(file, root, files)) {
    const written = files.status(path.join(torch, "version.py"))?.modified;
    const version = written === undefined || modified === 0 || written > modified ? undefined : torchVersion(torch, files);
    return version === undefined ? undefined : { version, source: { kind: "file", path: account, what: `compiles with the torch in ${torch}` } };
  }
  return undefined;
}

/** The folder of the torch whose headers a file was compiled with, as the nearest account of its build names it, and that account. */
export function torchFolderOf(file: string, root: string, files: Files): { readonly torch: string; readonly file: string } | undefined {
  const [first] = torchesNamed(file, root, files);
  return first;
}

/** Accounts are large: those behind the one that counts are not read. */
function* torchesNamed(file: string, root: string, files: Files): Generator<{ readonly torch: string; readonly file: string }, void, undefined> {
  for (const account of accountsOf(file, root, files)) {
    const read = files.readText(account);
    const torch = read.ok ? torchNamed(read.text) : undefined;
    if (torch !== undefined) {
      yield { torch, file: account };
    }
  }
}

function accountsOf(file: string, root: string, files: Files): readonly string[] {
  const found: string[] = [];
  let folder = path.dirname(file);
  for (let steps = 0; steps < highest && folder !== path.dirname(folder); steps += 1, folder = path.dirname(folder)) {
    for (const name of ["CMakeCache.txt", "build.ninja"]) {
      if (files.status(path.join(folder, name))?.kind === "file") {
        found.push(path.join(folder, name));
      }
    }
    if (folder === root) {
      break;
    }
  }
  // setuptools compiles below build/temp.* what it puts into build/lib.* or beside the package.
  const build = path.join(root, "build");
  const temporary = file.startsWith(root + path.sep) ? files.list(build).filter((name) => name.startsWith("temp.")).map((name) => path.join(build, name, "build.ninja")) : [];
  return found.length > 0 ? found : temporary.length === 1 ? temporary : [];
}

function torchNamed(text: string): string | undefined {
  return /^Torch_DIR:\w+=(.+)\/share\/cmake\/Torch\/?\s*$/m.exec(text)?.[1] ?? /(?:-isystem |-I)(\/\S+\/torch)\/include(?:\s|$)/m.exec(text)?.[1];
}
