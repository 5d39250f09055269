import * as fs from "node:fs";
import type { Location } from "../../../engine/model/index.ts";
import { lineOf } from "../places.ts";

/** A test in the report that GoogleTest writes for GTEST_OUTPUT=json:FILE (googletest 1.8.1 and newer). */
export interface ReportedCase {
  /** With its parameters. */
  readonly name: string;
  readonly status: "passed" | "failed" | "skipped" | "disabled";
  readonly milliseconds: number;
  readonly location?: Location;
  readonly failures: readonly string[];
}

interface Suite {
  readonly name?: unknown;
  readonly testsuite?: readonly Case[];
}

interface Case {
  readonly name?: unknown;
  readonly file?: unknown;
  readonly line?: unknown;
  readonly status?: unknown;
  readonly result?: unknown;
  readonly time?: unknown;
  readonly failures?: readonly { readonly failure?: unknown }[];
}

/** https://google.github.io/googletest/advanced.html#generating-a-json-report. Empty when the program wrote none. */
export function readReport(file: string): readonly ReportedCase[] {
  let report: unknown;
  try {
    report = JSON.parse(fs.readFileSync(file, "utf8"));
  } catch {
    return [];
  }
  const suites = (report as { readonly testsuites?: readonly Suite[] } | null)?.testsuites;
  if (!Array.isArray(suites)) return [];
  return (suites as readonly Suite[]).flatMap((suite) => listOf(suite.testsuite).flatMap((one) => caseOf(suite, one)));
}

function caseOf(suite: Suite, one: Case): readonly ReportedCase[] {
  if (typeof suite.name !== "string" || typeof one.name !== "string") return [];
  const failures = listOf(one.failures).flatMap(({ failure }) => (typeof failure === "string" ? [failure] : []));
  return [{
    name: `${suite.name}.${one.name}`,
    status: one.status === "NOTRUN" || one.result === "SUPPRESSED" ? "disabled" : one.result === "SKIPPED" ? "skipped" : failures.length > 0 ? "failed" : "passed",
    milliseconds: typeof one.time === "string" ? Math.round(Number.parseFloat(one.time) * 1000) : 0,
    ...(typeof one.file === "string" && typeof one.line === "number" ? { location: lineOf(one.file, one.line) } : {}),
    failures,
  }];
}

function listOf<T>(value: readonly T[] | undefined): readonly T[] {
  return Array.isArray(value) ? (value as readonly T[]) : [];
}
