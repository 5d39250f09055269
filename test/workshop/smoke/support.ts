import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { makeWorkshop } from "../../../src/cli/workshop/workshop.ts";
import { discover, smoke } from "../../../src/workshop/smoke/index.ts";
import type { DiscoveredTests, SmokeEvent, SmokeReport, SmokeRequest, TestResult } from "../../../src/workshop/smoke/types.ts";
import type { CTestPlan, PytestPlan, SmokePlan } from "../../../src/workshop/project/types.ts";
import type { Variables } from "../../../src/workshop/process/types.ts";
import type { Workshop } from "../../../src/workshop/workshop.ts";

/** The environment of this process, without an environment of Python that the tests' own would be mixed up with. */
export const environment: Variables = Object.fromEntries(
  Object.entries(process.env).filter((one): one is [string, string] => one[1] !== undefined && !["VIRTUAL_ENV", "CONDA_PREFIX", "PYTEST_ADDOPTS", "GTEST_OUTPUT"].includes(one[0])),
);

/** A project in a temporary folder, with the workshop for it. */
export class Project {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), "abiding-smoke-test-")));
  readonly notes: string[] = [];
  readonly events: SmokeEvent[] = [];
  readonly stop = new AbortController();
  variables: Variables = environment;

  /** Executable when it begins with "#!". */
  file(name: string, text: string): string {
    const place = join(this.root, name);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, text);
    if (text.startsWith("#!")) chmodSync(place, 0o755);
    return place;
  }

  /** Compiles C with debug information. */
  program(name: string, source: string, ...flags: readonly string[]): string {
    const place = join(this.root, name);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(`${place}.c`, source);
    execFileSync("cc", ["-g", "-O0", ...flags, "-o", place, `${place}.c`], { stdio: "pipe" });
    return place;
  }

  ctest(folder = "build", labels: readonly string[] = []): CTestPlan {
    return { ...this.#plan(`ctest:${folder}`), kind: "ctest", folder: join(this.root, folder), labels };
  }

  pytest(paths: readonly string[] = [], more: Partial<PytestPlan> = {}): PytestPlan {
    return { ...this.#plan("pytest"), kind: "pytest", folder: this.root, paths, arguments: [], ...more };
  }

  command(id: string, command: readonly string[]): SmokePlan {
    return { ...this.#plan(id), kind: "command", folder: this.root, command };
  }

  #plan(id: string) {
    const start = { line: 0, character: 0 };
    return { id, label: id, origin: "detected" as const, shownBy: { path: join(this.root, "abiding.json"), range: { start, end: start } }, variables: {} };
  }

  get workshop(): Workshop {
    const activity = { signal: this.stop.signal, step: () => undefined, progress: () => undefined, output: () => undefined, note: (text: string) => void this.notes.push(text) };
    return makeWorkshop({ workingDirectory: this.root, environment: this.variables, version: "0.0.0", colours: false, progress: () => undefined, say: () => undefined, deliver: () => undefined }, activity);
  }

  run(plans: readonly SmokePlan[], request: Partial<SmokeRequest> = {}): Promise<SmokeReport> {
    return smoke({ root: this.root, plans, against: [], only: [], except: [], failed: false, timeLimit: 20_000, ...request }, this.workshop, (event) => this.events.push(event));
  }

  discover(plans: readonly SmokePlan[], runProjectCode = false): Promise<DiscoveredTests> {
    return discover({ root: this.root, plans, runProjectCode, timeLimit: 60_000 }, this.workshop);
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** Test files as CMake writes them; the words of each test are its command. */
export function testFile(tests: readonly { readonly name: string; readonly command: readonly string[]; readonly properties?: Readonly<Record<string, string>> }[]): string {
  const quoted = (text: string): string => `"${text.replace(/[\\"$]/g, "\\$&")}"`;
  return tests.map(({ name, command, properties = {} }) => {
    const set = Object.entries(properties).map(([key, value]) => ` ${key} "${value.replace(/[\\"]/g, "\\$&")}"`).join("");
    return `add_test([=[${name}]=] ${command.map(quoted).join(" ")})\n${set === "" ? "" : `set_tests_properties([=[${name}]=] PROPERTIES${set})\n`}`;
  }).join("");
}

/** Results by label. */
export function byLabel(report: SmokeReport): Readonly<Record<string, TestResult>> {
  return Object.fromEntries(report.results.map((one) => [one.label, one]));
}

export function outcomes(report: SmokeReport): Readonly<Record<string, string>> {
  return Object.fromEntries(report.results.map((one) => [one.label, one.outcome]));
}

export function has(program: string, ...args: readonly string[]): boolean {
  try {
    execFileSync(program, args, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
