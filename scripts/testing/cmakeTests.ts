import { existsSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { XMLParser } from "fast-xml-parser";
import { root } from "../../test/harness/locations.ts";
import { tail } from "../lib/step.ts";
import { compilerCache } from "./compilerCache.ts";
import type { Tally } from "./tally.ts";

export interface CMakeTestOptions {
  /** Folder of CMakeLists.txt and CMakePresets.json, relative to the checkout. */
  readonly source: string;
  readonly preset: string;
  /** Of the configuration, such as `-DNAME=value`. */
  readonly settings: readonly string[];
  /** Tests with such a label are left out. */
  readonly withoutLabels: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** What `ctest --output-junit` writes of one test: https://cmake.org/cmake/help/latest/manual/ctest.1.html. */
interface TestCase {
  readonly name: string;
  readonly status: string;
  readonly "system-out"?: string;
}

const minute = 60_000;

/** Configures, builds and tests a CMake project by a preset, and prints what failed or was skipped. */
export async function runCMakeTests(options: CMakeTestOptions): Promise<Tally> {
  const folder = join(root, options.source);
  const junit = join(folder, "build", `${options.preset}.junit.xml`);
  rmSync(junit, { force: true });
  const leftOut = options.withoutLabels.length > 0 ? ["--label-exclude", `^(${options.withoutLabels.join("|")})$`] : [];
  const steps: readonly (readonly [string, ...string[]])[] = [
    ["cmake", "--preset", options.preset, ...options.settings],
    ["cmake", "--build", "--preset", options.preset],
    // Not by the preset: CTest 3.25 forgets labels to leave out when the preset leaves out some too.
    ["ctest", "--test-dir", join(folder, "build", options.preset), "--no-tests=error", "--output-on-failure", "--parallel", String(availableParallelism()), ...leftOut, "--output-junit", junit],
  ];
  for (const [program, ...parameters] of steps) {
    // Tests that configure and compile themselves get the compilers as they are.
    const env = program === "cmake" ? { ...options.environment, ...compilerCache() } : options.environment;
    const result = await execa(program, parameters, { cwd: folder, all: true, reject: false, stdin: "ignore", timeout: 20 * minute, env });
    // ctest's exit code is told test by test below.
    if (!result.failed || (program === "ctest" && existsSync(junit))) continue;
    print(`FAILED: ${[program, ...parameters].join(" ")}\n${indent(tail(result.all))}`);
    return { passed: 0, failed: 1, skipped: 0 };
  }
  return count(testCases(readFileSync(junit, "utf8")));
}

function testCases(xml: string): readonly TestCase[] {
  const parser = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: "", isArray: (name) => name === "testcase", parseAttributeValue: false, parseTagValue: false });
  const report = parser.parse(xml) as { readonly testsuite?: { readonly testcase?: readonly TestCase[] } };
  return report.testsuite?.testcase ?? [];
}

function count(cases: readonly TestCase[]): Tally {
  const tally = { passed: 0, failed: 0, skipped: 0 };
  for (const { name, status, "system-out": output = "" } of cases) {
    if (status === "run") {
      tally.passed += 1;
      // Of a file of Python tests that passed, some may have been skipped.
      for (const line of output.matchAll(/^skipped: .*$/gm)) print(`${name}: ${line[0]}`);
    } else if (status === "fail") {
      tally.failed += 1;
      print(`FAILED: ${name}\n${indent(tail(output))}`);
    } else {
      tally.skipped += 1;
      print(`skipped: ${name} (${output.trim().split("\n").at(-1) ?? "no reason given"})`);
    }
  }
  return tally;
}

function indent(text: string): string {
  return text.replace(/^/gm, "    ");
}

function print(text: string): void {
  process.stdout.write(`  ${text}\n`);
}
