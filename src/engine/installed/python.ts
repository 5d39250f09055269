import * as path from "node:path";
import type { Fact, Files } from "../model/index.ts";
import { observed } from "./facts.ts";

/** More entries than this on one search path are not followed. */
const maximumPathEntries = 64;
const maximumPthFiles = 200;

/** A Python installation or virtual environment, as its files show it. */
export interface PythonEnvironment {
  readonly prefix: string;
  readonly kind: "venv" | "conda" | "installation";
  /** Where its standard library is: the same as `prefix` unless this is a venv. */
  readonly basePrefix: string;
  /** "3.11", "3.13t": the name of its library folder. */
  readonly libraryVersion: string | undefined;
  readonly facts: readonly Fact[];
  /** Folders that `import` looks into for third-party packages, first wins. */
  readonly searchPath: readonly string[];
}

/** What the process environment adds to a search path. */
export interface PythonSettings {
  readonly PYTHONPATH?: string | undefined;
  readonly HOME?: string | undefined;
  readonly PYTHONNOUSERSITE?: string | undefined;
}

/** The environment at a prefix; undefined when there is no Python. */
export function readPython(prefix: string, files: Files, settings: PythonSettings = {}): PythonEnvironment | undefined {
  const configuration = files.readText(path.join(prefix, "pyvenv.cfg"));
  const venv = configuration.ok ? parseConfiguration(configuration.text) : undefined;
  const isConda = files.status(path.join(prefix, "conda-meta"))?.kind === "directory";
  const libraryVersion = libraryVersionOf(prefix, files, venv?.get("version") ?? venv?.get("version_info"));
  if (venv === undefined && !isConda && libraryVersion === undefined) {
    return undefined;
  }
  const home = venv?.get("home");
  const basePrefix = home === undefined ? prefix : baseOf(home, files);
  const environment = { prefix, basePrefix, libraryVersion, kind: venv !== undefined ? "venv" as const : isConda ? "conda" as const : "installation" as const };
  const withSystem = venv?.get("include-system-site-packages")?.toLowerCase() === "true";
  return {
    ...environment,
    facts: pythonFacts(environment, venv, files),
    searchPath: searchPath(environment, withSystem, files, settings),
  };
}

/** The prefix of an interpreter: a venv's own folder, else where links lead. Shims of pyenv are resolved by its rules. */
export function prefixOfInterpreter(interpreter: string, files: Files, environment: Readonly<Record<string, string | undefined>> = {}, workingDirectory?: string): string | undefined {
  if (files.status(interpreter)?.kind !== "file") {
    return undefined;
  }
  const folder = path.dirname(interpreter);
  for (const candidate of [path.dirname(folder), folder]) {
    if (files.status(path.join(candidate, "pyvenv.cfg")) !== undefined || files.status(path.join(candidate, "conda-meta")) !== undefined) {
      return candidate;
    }
  }
  if (path.basename(folder) === "shims") {
    return pyenvPrefix(path.dirname(folder), files, environment, workingDirectory);
  }
  const real = files.realPath(interpreter) ?? interpreter;
  return path.basename(path.dirname(real)) === "bin" ? path.dirname(path.dirname(real)) : path.dirname(real);
}

/** pyenv decides by PYENV_VERSION, then .python-version upwards from the working directory, then its global file. */
function pyenvPrefix(root: string, files: Files, environment: Readonly<Record<string, string | undefined>>, workingDirectory: string | undefined): string | undefined {
  const texts: (string | undefined)[] = [environment["PYENV_VERSION"]];
  for (let folder = workingDirectory; folder !== undefined; folder = path.dirname(folder) === folder ? undefined : path.dirname(folder)) {
    const local = files.readText(path.join(folder, ".python-version"));
    texts.push(local.ok ? local.text : undefined);
  }
  const global = files.readText(path.join(root, "version"));
  texts.push(global.ok ? global.text : undefined);
  const name = texts.find((text) => text !== undefined && text.trim() !== "")?.trim().split(/[\s:]+/, 1)[0];
  if (name === undefined || name === "system" || name.includes("..")) {
    return undefined;
  }
  const versions = path.join(root, "versions");
  const exact = path.join(versions, name);
  if (files.status(exact)?.kind === "directory") {
    return exact;
  }
  // "3.11" stands for the newest 3.11.x that is installed.
  const patch = (one: string): number => Number(one.slice(name.length + 1));
  const newest = files.list(versions).filter((one) => one.startsWith(`${name}.`) && !Number.isNaN(patch(one))).sort((a, b) => patch(b) - patch(a))[0];
  return newest === undefined ? undefined : path.join(versions, newest);
}

function parseConfiguration(text: string): ReadonlyMap<string, string> {
  const entries = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const at = line.indexOf("=");
    if (at > 0) {
      entries.set(line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim());
    }
  }
  return entries;
}

function baseOf(home: string, files: Files): string {
  const real = files.realPath(home) ?? home;
  return path.basename(real) === "bin" ? path.dirname(real) : real;
}

function libraryVersionOf(prefix: string, files: Files, wanted: string | undefined): string | undefined {
  const folders = files.list(path.join(prefix, "lib")).flatMap((name) => /^python(3\.\d+t?)$/.exec(name)?.[1] ?? []);
  // /usr/lib holds several and also "python3", which belongs to all of them.
  const minor = /^3\.\d+/.exec(wanted ?? "")?.[0];
  const matching = minor === undefined ? folders : folders.filter((one) => one.replace("t", "") === minor);
  const complete = matching.filter((one) => files.status(path.join(prefix, "lib", `python${one}`, "os.py")) !== undefined);
  const candidates = complete.length > 0 ? complete : matching;
  const newest = [...candidates].sort((a, b) => Number.parseInt(b.slice(2), 10) - Number.parseInt(a.slice(2), 10))[0];
  return newest ?? minor;
}

function pythonFacts(environment: Pick<PythonEnvironment, "prefix" | "basePrefix" | "libraryVersion">, venv: ReadonlyMap<string, string> | undefined, files: Files): readonly Fact[] {
  const { prefix, basePrefix, libraryVersion } = environment;
  const facts: Fact[] = [];
  const configured = /^\d+\.\d+\.\d+/.exec(venv?.get("version") ?? venv?.get("version_info") ?? "")?.[0];
  const header = libraryVersion === undefined ? undefined : path.join(basePrefix, "include", `python${libraryVersion}`, "patchlevel.h");
  const text = header === undefined || configured !== undefined ? undefined : files.readText(header);
  const patchlevel = text?.ok === true ? /PY_VERSION\s+"([^"+]+)/.exec(text.text)?.[1] : undefined;
  if (configured !== undefined) {
    facts.push(observed("python-version", configured, path.join(prefix, "pyvenv.cfg"), `version = ${configured}`));
  } else if (patchlevel !== undefined && header !== undefined) {
    facts.push(observed("python-version", patchlevel, header, `PY_VERSION "${patchlevel}"`));
  } else if (libraryVersion !== undefined) {
    facts.push(observed("python-version", libraryVersion.replace("t", ""), path.join(prefix, "lib", `python${libraryVersion}`), "the name of its library folder"));
  }
  if (libraryVersion !== undefined) {
    const folder = path.join(basePrefix, "lib", `python${libraryVersion}`, "lib-dynload");
    const module = files.list(folder).find((name) => /\.cpython-[^.]+\.so$/.test(name));
    const suffix = module === undefined ? undefined : /\.(cpython-[^.]+)\.so$/.exec(module)?.[1];
    if (module !== undefined && suffix !== undefined) {
      facts.push(observed("python-suffix", suffix, path.join(folder, module), "the file name of a standard module"));
    }
  }
  return facts;
}

function searchPath(environment: Omit<PythonEnvironment, "facts" | "searchPath">, withSystem: boolean, files: Files, settings: PythonSettings): readonly string[] {
  const { prefix, basePrefix, libraryVersion } = environment;
  const entries: string[] = (settings.PYTHONPATH ?? "").split(path.delimiter).filter((one) => path.isAbsolute(one));
  const isVenv = environment.kind === "venv";
  if (isVenv) {
    addSite(entries, sitesOf(prefix, libraryVersion), files);
  }
  if (!isVenv || withSystem) {
    if (settings.HOME !== undefined && (settings.PYTHONNOUSERSITE ?? "") === "" && libraryVersion !== undefined) {
      addSite(entries, [path.join(settings.HOME, ".local", "lib", `python${libraryVersion}`, "site-packages")], files);
    }
    addSite(entries, sitesOf(basePrefix, libraryVersion), files);
    if (basePrefix === "/usr") {
      // Debian's layout, see its site.py.
      addSite(entries, [`/usr/local/lib/python${libraryVersion}/dist-packages`, "/usr/lib/python3/dist-packages"], files);
    }
  }
  return entries.slice(0, maximumPathEntries);
}

function sitesOf(prefix: string, libraryVersion: string | undefined): readonly string[] {
  const posix = libraryVersion === undefined ? [] : ["lib", "lib64"].map((lib) => path.join(prefix, lib, `python${libraryVersion}`, "site-packages"));
  return [...posix, path.join(prefix, "Lib", "site-packages")];
}

function addSite(entries: string[], sites: readonly string[], files: Files): void {
  const known = new Set(entries.map((one) => files.realPath(one)));
  for (const site of sites) {
    const real = files.realPath(site);
    if (real === undefined || known.has(real) || files.status(site)?.kind !== "directory") {
      continue;
    }
    known.add(real);
    entries.push(site);
    for (const name of files.list(site).filter((one) => one.endsWith(".pth")).slice(0, maximumPthFiles)) {
      const read = files.readText(path.join(site, name));
      for (const line of read.ok ? read.text.split(/\r?\n/) : []) {
        const target = line.trim();
        // Lines that begin with "import" are code; they are not run here.
        if (target === "" || target.startsWith("#") || /^import[ \t]/.test(target)) {
          continue;
        }
        const folder = path.resolve(site, target);
        const realFolder = files.realPath(folder);
        if (realFolder !== undefined && !known.has(realFolder) && files.status(folder)?.kind === "directory") {
          known.add(realFolder);
          entries.push(folder);
        }
      }
    }
  }
}
