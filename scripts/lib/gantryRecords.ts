import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { execa } from "execa";
import { cacheFolder, findProgram, root } from "../../test/harness/locations.ts";
import { torch, torchVersion } from "../prerequisites/torch.ts";
import { compilerCache } from "../testing/compilerCache.ts";
import { progress, tail } from "./step.ts";

const minute = 60_000;

/** Two that take a second each. */
const quickBenchmarks = "^(one_row|gather/table:l2/row:64/uniform/i64/threads:1/real_time)$";

/** What the build needs; the rest is left out where it is not there. */
const programs = ["cmake", "ninja", "c++"];

/**
 * Builds a copy of native/ in `folder` with the command line that was built, runs its smoke tests and two benchmarks with a
 * torch beside them, and records what came out in the copy. Returns the copy. What cannot be done on this machine is said and
 * left out. `fetches`: a torch is downloaded when none was before.
 */
export async function tryGantry(folder: string, fetches: boolean): Promise<string> {
  const copy = join(folder, "gantry");
  cpSync(join(root, "native"), copy, { recursive: true, filter: (file) => !/^(?:build.*|__pycache__|\.abiding)$/.test(basename(file)) });
  const missing = programs.filter((program) => findProgram(program) === undefined);
  if (missing.length > 0) {
    progress("gantry", `not built: ${missing.join(", ")} ${missing.length === 1 ? "is" : "are"} not on PATH`);
    return copy;
  }
  const preparing = pythonWithTorch(fetches);
  const built = await abiding(copy, 10 * minute, "build", copy, "--", "-DGANTRY_CUDA=OFF", "-DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON");
  const python = await preparing;
  if (!built) {
    return copy;
  }
  const interpreter = python === undefined ? [] : ["--interpreter", python];
  if (python !== undefined) {
    mkdirSync(join(copy, ".vscode"));
    writeFileSync(join(copy, ".vscode", "settings.json"), JSON.stringify({ "abiding.environment": dirname(dirname(python)) }));
  }
  await abiding(copy, 5 * minute, "smoke", copy, "--record", ...interpreter);
  await abiding(copy, 5 * minute, "benchmark", copy, ...interpreter, "--repetitions", "6", "--filter", quickBenchmarks);
  if (existsSync(join(copy, ".abiding", "combinations.jsonl"))) {
    await execa(process.execPath, [join(root, "dist", "cli.js"), "combinations", "list", copy], { stdio: "inherit", reject: false });
  }
  return copy;
}

/** Runs a command of the command line; its output is shown when it fails. True when it succeeded. */
async function abiding(copy: string, timeout: number, ...parameters: readonly string[]): Promise<boolean> {
  progress("gantry", `abiding ${parameters.slice(0, 1).join(" ")} (a minute or two)`);
  // The copy's place is another each time.
  const environment = { ...compilerCache(), CCACHE_BASEDIR: copy };
  const result = await execa(process.execPath, [join(root, "dist", "cli.js"), ...parameters], { cwd: copy, all: true, reject: false, stdin: "ignore", timeout, env: environment });
  if (result.failed) {
    progress("gantry", `abiding ${parameters.slice(0, 1).join(" ")} ${result.timedOut ? `took more than ${timeout / minute} minutes and was ended` : "did not succeed"}:\n${tail(result.all, 3000)}`);
  }
  return !result.failed;
}

/** A record is of a torch: the one that the tests keep, else one that is downloaded, else none. */
async function pythonWithTorch(fetches: boolean): Promise<string | undefined> {
  const kept = join(cacheFolder(), `torch-${torchVersion}`, "bin", "python");
  if (existsSync(kept)) {
    return kept;
  }
  if (!fetches) {
    progress("gantry", "no torch is kept from an earlier run, and this run fetches none: the one of this machine's Python is taken, if any");
    return undefined;
  }
  progress("gantry", `fetching torch ${torchVersion} (200 MB, once)`);
  const late = new AbortController();
  try {
    const prefix = await Promise.race([torch.prepare(), delay(8 * minute, undefined, { signal: late.signal }).then(() => Promise.reject(new Error("It took more than eight minutes.")))]);
    return join(prefix, "bin", "python");
  } catch (error) {
    progress("gantry", `no torch: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  } finally {
    late.abort();
  }
}
