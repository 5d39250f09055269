import * as path from "node:path";
import { valueOf } from "../../model/index.ts";
import type { DeclaredBody, Files, InstalledBody } from "../../model/index.ts";
import type { BuiltFile } from "../../rules/index.ts";

/** A file that may have been built from the project, before anything of it is read. */
export interface Candidate {
  readonly path: string;
  readonly origin: BuiltFile["origin"];
  readonly distribution?: BuiltFile["distribution"];
}

/** Beyond these the search stops. */
export const builtLimits = { files: 200, folders: 3000, depth: 10 };

const library = /\.so(?:\.\d+)*$/;

export function isLibraryName(name: string): boolean {
  return library.test(name);
}

const buildFolder = /^(?:build|_skbuild|cmake-build-\w+|out|bdist\.\w+)$|^build[-_.]/;

/** Whether a file lies in a folder that builds write to, by its name. */
export function isInBuildFolder(root: string, file: string): boolean {
  return path.relative(root, path.dirname(file)).split(path.sep).some((part) => buildFolder.test(part));
}

/** Libraries below configured build folders: the walk of a project for build files stops at these. */
export function librariesBelow(folders: readonly string[], files: Files): readonly string[] {
  const found: string[] = [];
  const queue = folders.map((folder) => ({ folder, depth: 0 }));
  let visited = 0;
  for (let next = queue.shift(); next !== undefined && visited < builtLimits.folders; next = queue.shift()) {
    visited += 1;
    for (const entry of files.entries(next.folder)) {
      const full = path.join(next.folder, entry.name);
      if (entry.kind === "directory" && next.depth < builtLimits.depth && !/^(?:CMakeFiles|_deps|Testing|\.git)$/.test(entry.name)) {
        queue.push({ folder: full, depth: next.depth + 1 });
      } else if (entry.kind === "file" && isLibraryName(entry.name) && found.length < builtLimits.files) {
        found.push(full);
      }
    }
  }
  return found;
}

/** The cached builds of the extensions that the project compiles while it runs. */
export function cachedBuilds(declared: readonly DeclaredBody[], installed: InstalledBody | undefined, files: Files, environment: Readonly<Record<string, string | undefined>>): readonly Candidate[] {
  const folder = cacheFolder(installed, environment);
  if (folder === undefined) {
    return [];
  }
  return declared.filter((body) => body.target.builder === "torch-jit" && /^\w+$/.test(body.name)).flatMap(({ name }) => {
    const names = files.list(path.join(folder, name)).filter((one) => one === `${name}.so` || (one.startsWith(`${name}_v`) && one.endsWith(".so")));
    return names.map((one): Candidate => ({ path: path.join(folder, name, one), origin: "jit-cache" }));
  });
}

/**
 * Where load() puts what it builds: TORCH_EXTENSIONS_DIR, else the user's cache, by Python and CUDA.
 * Source: torch/utils/cpp_extension.py, `_get_build_directory`; torch/_appdirs.py, `user_cache_dir`.
 */
function cacheFolder(installed: InstalledBody | undefined, environment: Readonly<Record<string, string | undefined>>): string | undefined {
  const given = environment["TORCH_EXTENSIONS_DIR"];
  if (given !== undefined && given !== "") {
    return given;
  }
  const home = environment["XDG_CACHE_HOME"] ?? (environment["HOME"] === undefined ? undefined : path.join(environment["HOME"], ".cache"));
  const python = installed === undefined ? undefined : /^(\d+)\.(\d+)/.exec(valueOf(installed.facts, "python-version") ?? "");
  const cuda = installed === undefined ? undefined : valueOf(installed.facts, "cuda-version");
  if (home === undefined || !python || cuda === undefined) {
    return undefined;
  }
  const threads = /^cpython-\d+t/.test(valueOf(installed?.facts ?? [], "python-suffix") ?? "") ? "t" : "";
  return path.join(home, "torch_extensions", `py${python[1]}${python[2]}${threads}_${cuda === null ? "cpu" : `cu${cuda.replaceAll(".", "")}`}`);
}

/** What installers made of the project itself: distributions whose direct_url.json (PEP 610) leads here. */
export function ownInstalls(root: string, installed: InstalledBody | undefined, files: Files): readonly Candidate[] {
  const real = files.realPath(root) ?? root;
  return (installed?.distributions ?? []).flatMap((one): readonly Candidate[] => {
    const info = one.evidence.kind === "file" && one.evidence.path.endsWith(".dist-info") ? one.evidence.path : undefined;
    const source = info === undefined ? undefined : sourceOf(info, files);
    if (info === undefined || source === undefined || (source.folder !== root && source.folder !== real && !source.folder.startsWith(`${real}${path.sep}`))) {
      return [];
    }
    const origin = source.isEditable ? "editable-install" : "installed";
    return recordedLibraries(info, files).map((file): Candidate => ({ path: file, origin, distribution: { name: one.name, version: one.version, requires: one.requires } }));
  });
}

/** The folder of this machine from which a distribution was installed. Source: PEP 610. */
export function sourceOf(info: string, files: Files): { readonly folder: string; readonly isEditable: boolean } | undefined {
  const direct = files.readText(path.join(info, "direct_url.json"));
  const url = direct.ok ? /"url"\s*:\s*"file:\/\/([^"]+)"/.exec(direct.text)?.[1] : undefined;
  const folder = url === undefined ? undefined : safelyDecoded(url);
  return folder === undefined || !direct.ok ? undefined : { folder, isEditable: /"editable"\s*:\s*true/.test(direct.text) };
}

function safelyDecoded(url: string): string | undefined {
  try {
    return decodeURIComponent(url).replace(/\/$/, "");
  } catch {
    return undefined;
  }
}

/** Libraries that a distribution's RECORD lists, absolute. Source: packaging.python.org, "Recording installed projects". */
export function recordedLibraries(info: string, files: Files): readonly string[] {
  const record = files.readText(path.join(info, "RECORD"));
  if (!record.ok) {
    return [];
  }
  const site = path.dirname(info);
  return record.text.split("\n").flatMap((line) => {
    const comma = line.startsWith('"') ? line.indexOf('",') + 1 : line.indexOf(",");
    const name = line.slice(0, comma < 0 ? undefined : comma).replaceAll('"', "");
    return isLibraryName(name) ? [path.join(site, name)] : [];
  });
}
