import { writeFile } from "node:fs/promises";
import * as path from "node:path";
import { needsOf } from "../../build/index.ts";
import { NodeFiles } from "../../../engine/files/index.ts";
import type { Requirement } from "../../../engine/model/index.ts";
import { readRequirements } from "../../../engine/sources/python/requirements/index.ts";
import { findProgram, pythonEnvironment } from "../../process/index.ts";
import type { Variables } from "../../process/types.ts";
import type { Project } from "../../project/types.ts";
import { shownIndex } from "../nightlies/index.ts";
import { whyNotInstalled } from "./installing.ts";
import type { NotInstalledBecause } from "./installing.ts";
import { findPython } from "./pythons.ts";
import { isWell, runIn } from "./trial.ts";
import type { Ended, Trial } from "./trial.ts";

/** Milliseconds: CUDA wheels are gigabytes, and a server that sends nothing must not hold a run for ever. */
const longest = 3_600_000;

/** A step of the installation did not work: the cell cannot be told. */
class NotInstalled extends Error {
  readonly isOfHere: boolean;

  constructor({ message, isOfHere }: NotInstalledBecause) {
    super(message);
    this.isOfHere = isOfHere;
  }
}

/** Where the Python of an environment that does not exist yet will be. */
export function interpreterIn(environment: string): string {
  return process.platform === "win32" ? path.join(environment, "Scripts", "python.exe") : path.join(environment, "bin", "python");
}

/**
 * Makes the scratch environment and installs torch, what goes with it, what building and testing need, and what the settings
 * ask for beside. uv does it where it is there: it links files from its cache; else venv and pip, whose cache holds the wheels.
 */
export async function install(trial: Trial, readProject: () => Promise<Project>): Promise<Ended> {
  const { file: { cell } } = trial;
  const found = await findPython(cell.python, trial.workshop);
  if ("problem" in found) {
    return { outcome: "unknown", isOfHere: true, reason: { message: found.problem } };
  }
  try {
    const installer = new Installer(trial, found.file);
    await installer.makeEnvironment();
    const packages = Object.entries(cell.packages).map(([name, version]) => `${name}==${version}`);
    await installer.install([`torch==${cell.torch}`, ...packages]);
    const project = await readProject();
    await installer.install([...needsOfProject(trial, project), ...trial.file.install]);
    return { outcome: "passed" };
  } catch (error) {
    if (error instanceof NotInstalled) {
      return { outcome: "unknown", isOfHere: error.isOfHere, reason: { message: error.message } };
    }
    throw error;
  }
}

class Installer {
  readonly #trial: Trial;
  readonly #python: string;
  readonly #uv: string | undefined;

  constructor(trial: Trial, python: string) {
    this.#trial = trial;
    this.#python = python;
    this.#uv = findProgram("uv", trial.workshop.environment);
  }

  /** pip comes by a process of its own: run by venv, it would keep to itself what went wrong. */
  async makeEnvironment(): Promise<void> {
    const { environment, interpreter, workshop } = this.#trial;
    const steps = this.#uv === undefined
      ? [[this.#python, "-m", "venv", "--without-pip", environment], [interpreter, "-I", "-m", "ensurepip", "--upgrade", "--default-pip"]]
      : [[this.#uv, "venv", "--quiet", "--python", this.#python, ...(workshop.environment["UV_PYTHON_DOWNLOADS"] === undefined ? ["--no-python-downloads"] : []), environment]];
    for (const argv of steps) {
      await this.#begin(argv);
    }
  }

  async #begin(argv: readonly string[]): Promise<void> {
    const { task, workshop } = this.#trial;
    const result = await runIn(this.#trial, argv, task.folder, workshop.environment, { timeLimit: longest });
    if (isWell(result)) {
      return;
    }
    workshop.activity.signal.throwIfAborted();
    throw new NotInstalled(/No module named '?(?:venv|ensurepip)/.test(result.output.text)
      ? { isOfHere: true, message: `${this.#python} cannot make virtual environments: its modules venv and ensurepip are not installed (apt-get install python3-venv, or install uv).` }
      : whyNotInstalled(result, "Python's environment"));
  }

  /** What is already decided (torch and what goes with it) is not replaced by what comes later. */
  async install(requirements: readonly string[]): Promise<void> {
    const { task, workshop, interpreter } = this.#trial;
    if (requirements.length === 0) {
      return;
    }
    const indexes = await this.#indexes();
    const argv = this.#uv === undefined
      ? [interpreter, "-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--progress-bar", "off", ...indexes.options, ...requirements]
      : [this.#uv, "pip", "install", "--python", interpreter, "--index-strategy", "unsafe-best-match", ...indexes.options, ...requirements];
    const environment = { ...pythonEnvironment(workshop.environment, interpreter), ...await this.#constraints(), ...indexes.variables };
    const result = await runIn(this.#trial, argv, task.folder, environment, { timeLimit: longest });
    if (!isWell(result)) {
      workshop.activity.signal.throwIfAborted();
      throw new NotInstalled(whyNotInstalled(result, requirements.join(", ")));
    }
  }

  /**
   * The cell's versions are what pip may not depart from, in place of constraints that the user has configured: these would keep
   * the very torch away that is to be tried. By a variable, which goes before a configuration file; it is a list with blanks
   * between (pip's documentation, "Configuration"), so that a path with one is given relative to the folder that pip runs in.
   */
  async #constraints(): Promise<Variables> {
    const { file: { cell }, task } = this.#trial;
    const place = path.join(task.folder, "constraints.txt");
    await writeFile(place, Object.entries({ torch: cell.torch, ...cell.packages }).map(([name, version]) => `${name}==${version}\n`).join(""));
    const named = /\s/.test(place) ? path.basename(place) : place;
    return { PIP_CONSTRAINT: named, UV_CONSTRAINT: named };
  }

  /**
   * Beside the indexes that the user has configured, which may be mirrors. Users go by variables that a file of requirements
   * names (pip's documentation, "Requirements File Format": "Using environment variables"; uv reads them alike): neither a
   * command line, which others see, nor a file has them.
   */
  async #indexes(): Promise<{ readonly options: readonly string[]; readonly variables: Variables }> {
    const { file: { cell, indexes }, task, users } = this.#trial;
    const all = [...new Set([...(cell.index === undefined ? [] : [cell.index]), ...indexes.map(shownIndex)])];
    const variables: Record<string, string> = {};
    const lines: string[] = [];
    const options: string[] = [];
    for (const address of all) {
      const { username, password } = new URL(users.withUser(address));
      if (username === "" && password === "") {
        options.push("--extra-index-url", address);
        continue;
      }
      const name = `ABIDING_INDEX_CREDENTIAL_${lines.length + 1}`;
      variables[name] = password === "" ? username : `${username}:${password}`;
      lines.push(`--extra-index-url ${address.replace("://", `://\${${name}}@`)}\n`);
    }
    if (lines.length > 0) {
      const place = path.join(task.folder, "indexes.txt");
      await writeFile(place, lines.join(""));
      options.push("--requirement", place);
    }
    return { options, variables };
  }
}

function asPipTakesIt({ name, extras, specifier, marker }: Requirement): string {
  return `${name}${extras.length === 0 ? "" : `[${extras.join(",")}]`}${specifier}${marker === undefined ? "" : `; ${marker}`}`;
}

/** What the project's own files say that building, running and testing it need, torch excepted. */
function needsOfProject(trial: Trial, { builds, smoke, benchmarks }: Project): readonly string[] {
  const { interpreter, workshop, root, file: { cell, steps } } = trial;
  const environment: Variables = pythonEnvironment(workshop.environment, interpreter);
  const [plan] = builds;
  const building = plan?.kind === "python" && steps.includes("build") ? needsOf(plan, interpreter, environment, undefined).missing : [];
  const project = path.join(root, "pyproject.toml");
  const files = new NodeFiles();
  // Also what is not imported to build: setuptools translates .pyx files only where Cython is.
  const named = files.status(project) === undefined ? [] : readRequirements(project, files).requirements.filter((one) => (one.role === "install" || one.role === "build") && one.url === undefined && one.known).map(asPipTakesIt);
  const testing = steps.includes("smoke") && smoke.some((one) => one.kind === "pytest") ? ["pytest"] : [];
  const measuring = steps.includes("benchmark") && benchmarks.some((one) => one.format === "pytest-benchmark") ? ["pytest-benchmark"] : [];
  const decided = new Set(["torch", ...Object.keys(cell.packages)]);
  return [...new Set([...building, ...named, ...testing, ...measuring])].filter((one) => !decided.has(/^[\w.-]+/.exec(one)?.[0].toLowerCase().replaceAll(/[-_.]+/g, "-") ?? ""));
}
