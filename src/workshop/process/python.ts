/** The environment that belongs to a Python interpreter. */
import { existsSync } from "node:fs";
import { basename, delimiter, dirname, join } from "node:path";
import { variable, withVariable } from "./environment.ts";
import type { Variables } from "./types.ts";

const isWindows = process.platform === "win32";

function changed(environment: Variables, changes: Readonly<Record<string, string | undefined>>): Variables {
  return Object.entries(changes).reduce((sum, [name, value]) => withVariable(sum, name, value), environment);
}

function inFront(environment: Variables, folders: readonly string[]): string {
  const rest = (variable(environment, "PATH") ?? "").split(delimiter).filter((one) => one !== "" && !folders.includes(one));
  return [...folders, ...rest].join(delimiter);
}

/** `bin` (POSIX) or `Scripts` (Windows) holds the interpreter of a venv; a conda prefix on Windows holds it itself. */
function prefixOf(interpreter: string): string {
  const folder = dirname(interpreter);
  return /^(?:bin|Scripts)$/i.test(basename(folder)) ? dirname(folder) : folder;
}

/** Folders that `conda activate` puts in front (conda, `activate.py`: `_get_path_dirs`). */
function condaFolders(prefix: string): string[] {
  if (!isWindows) return [join(prefix, "bin")];
  return [prefix, ...["Library/mingw-w64/bin", "Library/usr/bin", "Library/bin", "Scripts", "bin"].map((folder) => join(prefix, folder))];
}

/**
 * The environment as activating the interpreter's virtual environment or conda prefix would make it. An environment
 * that was active before is taken out of it. A system interpreter changes nothing.
 */
export function pythonEnvironment(base: Variables, interpreter: string): Variables {
  // Not the real path: the interpreter of a venv is a link to the system's.
  const prefix = prefixOf(interpreter);
  if (existsSync(join(prefix, "pyvenv.cfg"))) {
    const clean = deactivated(base, prefix);
    return changed(clean, { PATH: inFront(clean, [join(prefix, isWindows ? "Scripts" : "bin")]), VIRTUAL_ENV: prefix, VIRTUAL_ENV_PROMPT: basename(prefix), PYTHONHOME: undefined });
  }
  if (existsSync(join(prefix, "conda-meta"))) {
    const clean = deactivated(base, prefix);
    return changed(clean, { PATH: inFront(clean, condaFolders(prefix)), CONDA_PREFIX: prefix, CONDA_DEFAULT_ENV: condaName(prefix), PYTHONHOME: undefined });
  }
  return base;
}

/** An environment in a folder `envs` is called by its own name, others by their path (conda, `activate.py`: `_default_env`). */
function condaName(prefix: string): string {
  return basename(dirname(prefix)) === "envs" ? basename(prefix) : existsSync(join(prefix, "condabin")) ? "base" : prefix;
}

function deactivated(base: Variables, prefix: string): Variables {
  const venv = variable(base, "VIRTUAL_ENV");
  const conda = variable(base, "CONDA_PREFIX");
  const old = [
    ...(venv === undefined || venv === prefix ? [] : [join(venv, isWindows ? "Scripts" : "bin")]),
    ...(conda === undefined || conda === prefix ? [] : condaFolders(conda)),
  ];
  const path = (variable(base, "PATH") ?? "").split(delimiter).filter((one) => !old.includes(one)).join(delimiter);
  const gone = { VIRTUAL_ENV: undefined, VIRTUAL_ENV_PROMPT: undefined, CONDA_PREFIX: undefined, CONDA_DEFAULT_ENV: undefined, CONDA_PROMPT_MODIFIER: undefined, CONDA_SHLVL: undefined };
  return changed(base, { ...gone, PATH: path });
}
