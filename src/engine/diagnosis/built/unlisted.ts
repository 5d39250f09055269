import * as path from "node:path";
import { valueOf } from "../../model/index.ts";
import type { Files, InstalledBody, InstalledDistribution } from "../../model/index.ts";
import { isInBuildFolder, isLibraryName, sourceOf } from "./candidates.ts";
import type { Candidate } from "./candidates.ts";

/** Beyond these the search stops, and says so. */
const limits = { folders: 20_000, depth: 10, places: 500, files: 5000 };

/** A path or name of a package that Python can import; "~orch" is what a failed uninstall left. */
const importable = /^[A-Za-z_]\w*$/;
/** Torch, what comes with it, and its CUDA libraries fit together by their releases. */
const torchsOwn = /^(?:torch|functorch|torchgen|caffe2|triton|nvidia|cuda)$/;
const neverImported = /^(?:__pycache__|node_modules|site-packages|dist-packages|CMakeFiles|[.~].*)$/;

export interface Unlisted {
  readonly candidates: readonly Candidate[];
  /** What stays out, in sentences. */
  readonly notChecked: readonly string[];
}

interface Walk {
  readonly files: Files;
  /** Libraries that a RECORD lists: looked at already. */
  readonly recorded: ReadonlySet<string>;
  /** The part of a module's name that this Python imports: "cpython-311-x86_64-linux-gnu". */
  readonly suffix: string | undefined;
  readonly seen: Set<string>;
  readonly found: string[];
  readonly foreign: string[];
  /** Projects have builds beside what is imported from them. */
  isInProject: boolean;
  isCutOff: boolean;
}

/**
 * Libraries that can be imported and that no RECORD lists: of folders that were put into site-packages without an
 * installer, of distributions without a list, and of editable projects, whose libraries stay in the project. The steps
 * name what is walked.
 */
export function* unlistedLibraries(installed: InstalledBody, recorded: ReadonlySet<string>, files: Files): Generator<string, Unlisted, undefined> {
  const walk: Walk = { files, recorded, suffix: valueOf(installed.facts, "python-suffix"), seen: new Set(), found: [], foreign: [], isInProject: false, isCutOff: false };
  const sites = siteFolders(installed, files);
  // The torch itself may be a link, or an editable project.
  const torch = installed.torchRoot === undefined ? undefined : files.realPath(installed.torchRoot);
  if (torch !== undefined) {
    walk.seen.add(torch);
  }
  for (const site of sites) {
    yield site;
    walkTop(site, () => true, walk);
  }
  const inSites = walk.found.splice(0).map((file): Candidate => ({ path: file, origin: "installed" }));
  const editables = installed.distributions.flatMap((one) => editable(one, files));
  // The root of a machine is nobody's project.
  const named = sites.flatMap((site) => namedPlaces(site, files)).filter(({ place }) => place !== path.parse(place).root);
  const places = named.filter(({ place }) => isLibraryName(place) || files.status(place)?.kind === "directory").slice(0, limits.places);
  walk.isInProject = true;
  for (const { place, isSearched } of places) {
    yield place;
    if (isSearched) {
      walkTop(place, (folder) => looksLikePackage(folder, files), walk);
    } else if (isLibraryName(place)) {
      take(place, walk);
    } else if (!torchsOwn.test(path.basename(place))) {
      walkPackage(place, 0, walk);
    }
  }
  const inProjects = walk.found.map((file): Candidate => {
    const owner = editables.find(({ source }) => isBelow(file, source))?.distribution;
    return { path: file, origin: "editable-install", ...(owner === undefined ? {} : { distribution: { name: owner.name, version: owner.version, requires: owner.requires } }) };
  });
  const unfollowed = editables.filter(({ source }) => !named.some(({ place }) => isBelow(place, source) || isBelow(source, place))).map(({ distribution }) => `${distribution.name} ${distribution.version}`);
  const notChecked = [
    ...(unfollowed.length === 0 ? [] : [`${few(unfollowed)} ${unfollowed.length === 1 ? "is" : "are"} installed editable, and no .pth file or finder tells from which folder ${unfollowed.length === 1 ? "it is" : "they are"} imported: libraries there were not looked at.`]),
    ...(walk.foreign.length === 0 ? [] : [`${walk.foreign.length} ${walk.foreign.length === 1 ? "module is" : "modules are"} for another Python than this one and ${walk.foreign.length === 1 ? "was" : "were"} left out: ${few([...new Set(walk.foreign.map((one) => path.basename(one)))])}.`]),
    ...(walk.isCutOff ? [`The environment has more folders or files than are walked (${limits.folders} folders, ${limits.depth} levels, ${limits.files} libraries): libraries beyond that which no distribution lists were not looked for.`] : []),
  ];
  return { candidates: [...inSites, ...inProjects], notChecked };
}

/** Folders into which packages are installed: where distributions and torch lie. */
function siteFolders(installed: InstalledBody, files: Files): readonly string[] {
  const around = installed.torchRoot === undefined ? [] : [path.dirname(installed.torchRoot)];
  const folders = [...installed.distributions.flatMap(({ evidence }) => (evidence.kind === "file" ? [path.dirname(evidence.path)] : [])), ...around.filter((one) => /^(?:site|dist)-packages$/.test(path.basename(one)))];
  return [...new Map(folders.map((one) => [files.realPath(one) ?? one, one])).values()];
}

/** The first level of a folder of the search path: modules, and packages that can be imported. */
function walkTop(folder: string, accepts: (folder: string) => boolean, walk: Walk): void {
  for (const { name, kind } of entriesOnce(folder, walk)) {
    const full = path.join(folder, name);
    if (isLibraryName(name)) {
      take(full, walk);
    } else if (kind !== "file" && importable.test(name) && !torchsOwn.test(name) && !neverImported.test(name) && !isBuild(folder, name, walk) && accepts(full)) {
      walkPackage(full, 1, walk);
    }
  }
}

function walkPackage(folder: string, depth: number, walk: Walk): void {
  for (const { name, kind } of entriesOnce(folder, walk)) {
    const full = path.join(folder, name);
    if (kind !== "directory" && isLibraryName(name)) {
      take(full, walk);
    } else if (kind === "directory" && !neverImported.test(name) && !isBuild(folder, name, walk)) {
      if (depth >= limits.depth) {
        walk.isCutOff = true;
      } else {
        walkPackage(full, depth + 1, walk);
      }
    }
  }
}

function isBuild(folder: string, name: string, walk: Walk): boolean {
  return walk.isInProject && isInBuildFolder(folder, path.join(folder, name, "x"));
}

function entriesOnce(folder: string, walk: Walk): ReturnType<Files["entries"]> {
  const real = walk.files.realPath(folder);
  if (real === undefined || walk.seen.has(real)) {
    return [];
  }
  if (walk.seen.size >= limits.folders) {
    walk.isCutOff = true;
    return [];
  }
  walk.seen.add(real);
  const entries = walk.files.entries(folder);
  // An environment inside a project is no part of it.
  return entries.some((one) => one.name === "pyvenv.cfg") ? [] : entries;
}

function take(file: string, walk: Walk): void {
  const suffix = /\.(cpython-\d[^.]*)\.so$/.exec(path.basename(file))?.[1];
  if (walk.recorded.has(file)) {
    return;
  }
  if (suffix !== undefined && walk.suffix !== undefined && suffix !== walk.suffix && !walk.suffix.startsWith(`${suffix}-`)) {
    walk.foreign.push(file);
  } else if (walk.found.length >= limits.files) {
    walk.isCutOff = true;
  } else {
    walk.found.push(file);
  }
}

/** A project's folder on the search path holds more than packages: sources, examples, other people's projects. */
function looksLikePackage(folder: string, files: Files): boolean {
  return files.list(folder).some((name) => name === "__init__.py" || /^(?!lib)\w+(?:\.cpython-[\w-]+|\.abi3)?\.so$/.test(name));
}

interface Place {
  readonly place: string;
  /** A folder of the search path, not a package itself. */
  readonly isSearched: boolean;
}

/**
 * What the files of editable installs add to a site-packages folder: lines of .pth files are folders of the search path
 * (Python's `site` module); finders of setuptools, scikit-build-core and meson-python name packages, files and build
 * folders by their absolute paths.
 */
function namedPlaces(site: string, files: Files): readonly Place[] {
  return files.list(site).flatMap((name): readonly Place[] => {
    const isPaths = name.endsWith(".pth");
    if (!isPaths && !/^_.*editable.*\.py$/.test(name)) {
      return [];
    }
    const read = files.readText(path.join(site, name));
    const text = read.ok ? read.text : "";
    return isPaths
      ? text.split(/\r?\n/).map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("#") && !/^import[ \t]/.test(line)).map((line) => ({ place: path.resolve(site, line), isSearched: true }))
      : [...text.matchAll(/(['"])(\/[^'"\n]+)\1/g)].map((match) => ({ place: path.resolve(match[2] ?? site), isSearched: false }));
  });
}

function editable(distribution: InstalledDistribution, files: Files): readonly { readonly distribution: InstalledDistribution; readonly source: string }[] {
  const source = distribution.evidence.kind === "file" && !torchsOwn.test(distribution.name) ? sourceOf(distribution.evidence.path, files) : undefined;
  return source?.isEditable === true ? [{ distribution, source: source.folder }] : [];
}

function isBelow(file: string, folder: string): boolean {
  return file === folder || file.startsWith(`${folder}${path.sep}`);
}

function few(names: readonly string[]): string {
  return `${names.slice(0, 5).join(", ")}${names.length > 5 ? ` and ${names.length - 5} more` : ""}`;
}
