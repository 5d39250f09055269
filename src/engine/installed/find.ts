import * as path from "node:path";
import type { Catalogue } from "../catalogue/index.ts";
import type { Files, InstalledBody } from "../model/index.ts";
import { describeEnvironment, describePrefix } from "./describe.ts";
import { interpreterOfEditorSettings } from "./editorSettings.ts";
import { prefixOfInterpreter, readPython } from "./python.ts";
import type { PythonSettings } from "./python.ts";

/** Where to look for environments, and with what. */
export interface Surroundings {
  /** The workspace folder. */
  readonly root: string;
  readonly files: Files;
  readonly catalogue: Catalogue;
  /** Variables of the process: VIRTUAL_ENV, CONDA_PREFIX, PATH, HOME, PYTHONPATH. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The interpreter that the editor or the user chose. */
  readonly interpreter?: string;
  /** Torches that were read beforehand, by what names them: wheels on servers take longer than a question may. */
  readonly opened?: ReadonlyMap<string, InstalledBody>;
}

export interface FoundEnvironment {
  /** What `resolveAgainst` takes: the prefix. */
  readonly path: string;
  readonly origin: "interpreter" | "VIRTUAL_ENV" | "CONDA_PREFIX" | "workspace" | "PATH" | "system" | "other";
  readonly kind: "venv" | "conda" | "installation";
  /** "3.11". */
  readonly pythonVersion: string | undefined;
}

const maximumFolders = 400;
const interpreterNames = ["python3", "python", "python.exe"];

/** Environments in the order in which they are preferred: the chosen, the active, the workspace's, those on PATH, others. */
export function findEnvironments(where: Surroundings): readonly FoundEnvironment[] {
  const found = new Map<string, FoundEnvironment>();
  for (const [prefix, origin] of candidates(where)) {
    const real = where.files.realPath(prefix);
    if (real === undefined || found.has(real)) {
      continue;
    }
    const python = readPython(prefix, where.files);
    if (python !== undefined) {
      found.set(real, { path: prefix, origin, kind: python.kind, pythonVersion: python.libraryVersion });
    }
  }
  return [...found.values()];
}

/**
 * The torch that a project in these surroundings would meet: of the chosen interpreter alone when there is one; else of the
 * first environment that has one. Only the chosen, the active, the workspace's and the one on PATH are asked.
 */
export function describeDefault(where: Surroundings): InstalledBody | undefined {
  const settings = settingsOf(where.environment);
  if (where.interpreter !== undefined) {
    const body = describeInterpreter(where.interpreter, where);
    return body?.torchRoot === undefined ? undefined : body;
  }
  const seen = new Set<string>();
  for (const [prefix, origin] of candidates(where)) {
    const real = where.files.realPath(prefix);
    if (origin === "other" || real === undefined || seen.has(real)) {
      continue;
    }
    seen.add(real);
    const body = describePrefix(prefix, where.files, where.catalogue, settings);
    if (body?.torchRoot !== undefined) {
      return body;
    }
  }
  return undefined;
}

/** An interpreter path, resolved in these surroundings. */
export function describeInterpreter(interpreter: string, where: Surroundings): InstalledBody | undefined {
  const prefix = where.files.status(interpreter)?.kind === "file" ? prefixOfInterpreter(interpreter, where.files, where.environment, where.root) : interpreter;
  return prefix === undefined ? undefined : describeEnvironment(prefix, where.files, where.catalogue, settingsOf(where.environment));
}

export function settingsOf(environment: Readonly<Record<string, string | undefined>>): PythonSettings {
  return { PYTHONPATH: environment["PYTHONPATH"], HOME: environment["HOME"] ?? environment["USERPROFILE"], PYTHONNOUSERSITE: environment["PYTHONNOUSERSITE"] };
}

function* candidates(where: Surroundings): Generator<readonly [string, FoundEnvironment["origin"]]> {
  const { files, environment, root } = where;
  if (where.interpreter !== undefined) {
    const prefix = prefixOfInterpreter(where.interpreter, files, environment, root);
    if (prefix !== undefined) {
      yield [prefix, "interpreter"];
    }
  }
  const chosen = interpreterOfEditorSettings(root, files);
  const chosenPrefix = chosen === undefined ? undefined : files.status(chosen)?.kind === "directory" ? chosen : prefixOfInterpreter(chosen, files, environment, root);
  if (chosenPrefix !== undefined) {
    yield [chosenPrefix, "workspace"];
  }
  for (const variable of ["VIRTUAL_ENV", "CONDA_PREFIX"] as const) {
    const prefix = environment[variable];
    if (prefix !== undefined && path.isAbsolute(prefix)) {
      yield [prefix, variable];
    }
  }
  yield* workspaceEnvironments(root, files);
  for (const folder of (environment["PATH"] ?? "").split(path.delimiter).filter((one) => path.isAbsolute(one)).slice(0, maximumFolders)) {
    for (const name of interpreterNames) {
      const prefix = prefixOfInterpreter(path.join(folder, name), files, environment, root);
      if (prefix !== undefined) {
        yield [prefix, "PATH"];
      }
    }
  }
  yield* otherEnvironments(environment, files);
}

/** .venv and venv first, as tools make them; then any other folder of the workspace with a pyvenv.cfg or conda-meta. */
function* workspaceEnvironments(root: string, files: Files): Generator<readonly [string, "workspace"]> {
  const names = new Set([".venv", "venv", "env", ".env", ...files.list(root).slice(0, maximumFolders)]);
  for (const name of names) {
    const folder = path.join(root, name);
    if (files.status(path.join(folder, "pyvenv.cfg")) !== undefined || files.status(path.join(folder, "conda-meta")) !== undefined) {
      yield [folder, "workspace"];
    }
  }
  // pixi keeps its environments one level deeper.
  for (const name of files.list(path.join(root, ".pixi", "envs")).slice(0, maximumFolders)) {
    yield [path.join(root, ".pixi", "envs", name), "workspace"];
  }
}

function* otherEnvironments(environment: Readonly<Record<string, string | undefined>>, files: Files): Generator<readonly [string, "system" | "other"]> {
  yield ["/usr", "system"];
  const home = environment["HOME"] ?? environment["USERPROFILE"];
  if (home === undefined) {
    return;
  }
  for (const folder of [".virtualenvs", path.join(".local", "share", "virtualenvs"), path.join(".cache", "pypoetry", "virtualenvs")]) {
    for (const name of files.list(path.join(home, folder)).slice(0, maximumFolders)) {
      yield [path.join(home, folder, name), "other"];
    }
  }
  const list = files.readText(path.join(home, ".conda", "environments.txt"));
  for (const line of list.ok ? list.text.split(/\r?\n/).slice(0, maximumFolders) : []) {
    if (path.isAbsolute(line.trim())) {
      yield [line.trim(), "other"];
    }
  }
  const pyenv = path.join(environment["PYENV_ROOT"] ?? path.join(home, ".pyenv"), "versions");
  for (const name of files.list(pyenv).slice(0, maximumFolders)) {
    yield [path.join(pyenv, name), "other"];
  }
}
