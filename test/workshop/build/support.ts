import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { EngineDiagnostician } from "../../../src/cli/workshop/diagnostician.ts";
import type { BuildRequest } from "../../../src/workshop/build/index.ts";
import { runProcess } from "../../../src/workshop/process/index.ts";
import type { Variables } from "../../../src/workshop/process/types.ts";
import type { CMakeBuild, PythonBuild } from "../../../src/workshop/project/types.ts";
import type { Workshop } from "../../../src/workshop/workshop.ts";

/** A temporary folder, removed with `remove`. */
export function scratchFolder(name: string): { readonly folder: string; readonly remove: () => void } {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), `abiding-${name}-`)));
  return { folder, remove: () => fs.rmSync(folder, { recursive: true, force: true }) };
}

export function writeFiles(folder: string, files: Readonly<Record<string, string>>): string {
  for (const [file, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    fs.writeFileSync(path.join(folder, file), text);
  }
  return folder;
}

/** The variables of this process without what would choose a Python, a generator or a number of jobs. */
export const environment: Variables = Object.fromEntries(Object.entries(process.env).flatMap(([name, value]) =>
  (value === undefined || /^(?:VIRTUAL_ENV|CONDA_.*|CMAKE_.*|MAX_JOBS|CC|CXX|CFLAGS|CXXFLAGS|Torch_.*|TORCH_.*|LD_LIBRARY_PATH)$/.test(name) ? [] : [[name, value]])));

export interface Bench extends Workshop {
  readonly notes: string[];
  readonly steps: string[];
  readonly fractions: number[];
  readonly printed: () => string;
  readonly cancel: () => void;
}

/** A workshop with everything real; what it says is kept. */
export function bench(variables: Variables = {}, options: { readonly onOutput?: (text: string, cancel: () => void) => void; readonly interpreter?: string } = {}): Bench {
  const stop = new AbortController();
  const notes: string[] = [];
  const steps: string[] = [];
  const fractions: number[] = [];
  const all = { ...environment, ...variables };
  let printed = "";
  return {
    run: runProcess,
    diagnostician: new EngineDiagnostician({ environment: all }, options.interpreter, () => undefined),
    activity: {
      signal: stop.signal,
      step: (title) => steps.push(title),
      progress: (fraction) => fractions.push(fraction),
      output: (text) => {
        printed += text;
        options.onOutput?.(printed, () => stop.abort());
      },
      note: (sentence) => notes.push(sentence),
    },
    environment: all, version: "0.0.0", now: () => new Date(),
    notes, steps, fractions, printed: () => printed, cancel: () => stop.abort(),
  };
}

const nowhere = { path: "/", range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } } };

export function cmakePlan(source: string, changes: Partial<CMakeBuild> = {}): CMakeBuild {
  return { kind: "cmake", id: "cmake", label: "CMake", origin: "detected", shownBy: nowhere, variables: {}, source, folder: path.join(source, "build"), arguments: [], targets: [], ...changes };
}

export function pythonPlan(source: string, changes: Partial<PythonBuild> = {}): PythonBuild {
  return { kind: "python", id: "python", label: "Python", origin: "detected", shownBy: nowhere, variables: {}, source, backend: "setuptools", mode: "in-place", arguments: [], ...changes };
}

export function request(root: string, plan: BuildRequest["plan"], changes: Partial<BuildRequest> = {}): BuildRequest {
  return { root, plan, against: [], stopOn: "error", fresh: false, ...changes };
}
