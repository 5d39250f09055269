import * as path from "node:path";
import { NodeFiles } from "../../../engine/files/index.ts";
import { readPython } from "../../../engine/installed/python.ts";
import { Explainer } from "../../smoke/index.ts";
import { findProgram, pythonEnvironment, recordedReason } from "../../process/index.ts";
import type { ProcessResult } from "../../process/types.ts";
import { whyNotInstalled } from "./installing.ts";
import { isWell, runIn } from "./trial.ts";
import type { Ended, Trial } from "./trial.ts";

/**
 * Imports torch, then loads one file: as the extension module that it is, without running the `__init__` of its package, whose
 * other needs are not the question; else as a plain library. Both bind all symbols at once, as `import` does.
 */
const script = `
import ctypes, importlib.util, os, sys
file, module, folder = sys.argv[1:4]
sys.path.insert(0, folder)
print("abiding: importing torch", flush=True)
import torch
print("abiding: torch", torch.__version__, flush=True)
library = ctypes.CDLL(file)
if hasattr(library, "PyInit_" + module.rpartition(".")[2]):
    print("abiding: importing", module, flush=True)
    specification = importlib.util.spec_from_file_location(module, file)
    specification.loader.exec_module(importlib.util.module_from_spec(specification))
print("abiding: loaded", flush=True)
`;

/** Milliseconds for each file: torch's own import takes seconds from a cold disk. */
const longest = 600_000;
/** More files than this are said, not loaded. */
const mostLoaded = 32;

/** Loads what was built, each file in a process of its own; wheels are installed into the scratch environment first. */
export async function loadStep(trial: Trial, products: readonly string[]): Promise<Ended> {
  const { activity } = trial.workshop;
  const wheels = products.filter((one) => one.endsWith(".whl"));
  for (const wheel of wheels) {
    const problem = await installWheel(trial, wheel);
    if (problem !== undefined) {
      return problem;
    }
  }
  const files = wheels.length > 0 ? filesOfWheels(trial, wheels) : products;
  if (files.length === 0) {
    return { outcome: "passed", isNothing: true, reason: { message: "Nothing was built that could be loaded." } };
  }
  for (const [index, file] of files.slice(0, mostLoaded).entries()) {
    activity.progress(index / files.length);
    const ended = await load(trial, file);
    if (ended !== undefined) {
      return ended;
    }
  }
  if (files.length > mostLoaded) {
    activity.note(`${files.length} libraries were built; the first ${mostLoaded} were loaded.`);
  }
  return { outcome: "passed" };
}

async function load(trial: Trial, file: string): Promise<Ended | undefined> {
  const { interpreter, workshop, root } = trial;
  const environment = pythonEnvironment(workshop.environment, interpreter);
  const result = await runIn(trial, [interpreter, "-I", "-X", "faulthandler", "-c", script, file, ...moduleOf(file)], path.dirname(file), environment, { timeLimit: longest, leftBehind: "end" });
  if (isWell(result) && result.stdout.text.includes("abiding: loaded")) {
    return undefined;
  }
  workshop.activity.signal.throwIfAborted();
  const output = result.output.text;
  if (!output.includes("abiding: torch ")) {
    return { outcome: "unknown", reason: { message: `torch itself could not be imported in the scratch environment: ${lastWords(result)}` } };
  }
  const name = path.basename(file);
  const elsewhere = notOfTheCombination(output);
  if (elsewhere !== undefined) {
    return { outcome: "unknown", isOfHere: true, reason: { message: `${name} could not be loaded here: ${elsewhere}` } };
  }
  const { symbol, explanation } = await new Explainer(workshop, root, [interpreter]).explain(output, root, [file]) ?? {};
  const { message, ...rule } = recordedReason(explanation, lastWords(result));
  return {
    outcome: "failed",
    reason: {
      message: `${name} does not load: ${message}`, ...rule,
      ...(symbol === undefined ? {} : { symbols: [symbol] }),
    },
  };
}

/** What another machine or environment would not lack. */
function notOfTheCombination(output: string): string | undefined {
  const driver = /\b(libcuda\.so\.1|libnvidia-ml\.so\.1|libamdhip64\.so\S*): cannot open shared object file/.exec(output)?.[1];
  if (driver !== undefined) {
    return `this machine has no ${driver}, which comes with the GPU's driver.`;
  }
  const module = /ModuleNotFoundError: No module named '([^']+)'/.exec(output)?.[1];
  return module === undefined ? undefined : `it imports ${module}, which is not installed in the scratch environment. Name it in "install" of "combinations" in abiding.json.`;
}

function lastWords({ ending, output }: ProcessResult): string {
  const line = output.text.trimEnd().split("\n").findLast((one) => /^\w[\w.]*(?:Error|Exception)\b/.test(one)) ?? output.text.trimEnd().split("\n").at(-1) ?? "";
  switch (ending.kind) {
    case "signalled": return `the process was ended by ${ending.signal}.`;
    case "timed-out": return `it took longer than ${Math.round(ending.limit / 1000)} s.`;
    case "exited": return /[.!?]$/.test(line) ? line : `${line}.`;
    case "cancelled":
    case "not-started": return "the process was not run.";
  }
}

/** The dotted name that a module has by the packages around it, and the folder that they lie in. */
function moduleOf(file: string): readonly [name: string, folder: string] {
  const names = [path.basename(file).split(".", 1)[0] ?? ""];
  const files = new NodeFiles();
  let folder = path.dirname(file);
  for (; files.status(path.join(folder, "__init__.py")) !== undefined; folder = path.dirname(folder)) {
    names.unshift(path.basename(folder));
  }
  return [names.join("."), folder];
}

/** By uv where it is there: an environment of its making has no pip. */
async function installWheel(trial: Trial, wheel: string): Promise<Ended | undefined> {
  const { interpreter, workshop, task } = trial;
  const uv = findProgram("uv", workshop.environment);
  const argv = uv === undefined
    ? [interpreter, "-m", "pip", "install", "--disable-pip-version-check", "--no-deps", "--no-index", "--force-reinstall", wheel]
    : [uv, "pip", "install", "--python", interpreter, "--no-deps", "--no-index", "--reinstall", wheel];
  const result = await runIn(trial, argv, task.folder, pythonEnvironment(workshop.environment, interpreter));
  if (isWell(result)) {
    return undefined;
  }
  workshop.activity.signal.throwIfAborted();
  const { isOfHere, message } = whyNotInstalled(result, path.basename(wheel));
  return { outcome: isOfHere ? "unknown" : "failed", isOfHere, reason: { message } };
}

/** Libraries that installed wheels have brought, by their RECORD (packaging.python.org, "Recording installed projects"). */
function filesOfWheels({ environment }: Trial, wheels: readonly string[]): readonly string[] {
  const files = new NodeFiles();
  const names = new Set(wheels.map((wheel) => path.basename(wheel).split("-").slice(0, 2).join("-").toLowerCase()));
  return (readPython(environment, files)?.searchPath ?? []).flatMap((folder) => {
    const records = files.list(folder).filter((name) => name.endsWith(".dist-info") && names.has(name.slice(0, -".dist-info".length).toLowerCase())).map((name) => files.readText(path.join(folder, name, "RECORD")));
    const rows = records.flatMap((record) => (record.ok ? record.text.split(/\r?\n/) : []));
    return rows.map((row) => row.split(",", 1)[0]?.replaceAll('"', "") ?? "").filter((one) => /\.(?:so(?:\.\d+)*|pyd|dll|dylib)$/.test(one)).map((one) => path.join(folder, one));
  });
}
