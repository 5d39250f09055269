import * as fs from "node:fs";
import type { Location } from "../../../engine/model/index.ts";
import { object, objects, text } from "../../../engine/sources/cmake/fileApi/json.ts";
import type { Json } from "../../../engine/sources/cmake/fileApi/json.ts";
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

/** A report of ten thousand tests has some megabytes. */
const largest = 64 * 1024 * 1024;

/** https://google.github.io/googletest/advanced.html#generating-a-json-report. Empty when the program wrote none, or something else there. */
export function readReport(file: string): readonly ReportedCase[] {
  let report: unknown;
  try {
    const status = fs.statSync(file);
    if (!status.isFile() || status.size > largest) return [];
    report = JSON.parse(fs.readFileSync(file, "utf8"));
  } catch {
    return [];
  }
  return objects(object(report)?.["testsuites"]).flatMap((suite) => objects(suite["testsuite"]).flatMap((one) => caseOf(suite, one)));
}

function caseOf({ name: suite }: Json, { name, file, line, status, result, time, failures: told }: Json): readonly ReportedCase[] {
  if (typeof suite !== "string" || typeof name !== "string") return [];
  const failures = objects(told).flatMap(({ failure }) => text(failure) ?? []);
  return [{
    name: `${suite}.${name}`,
    status: status === "NOTRUN" || result === "SUPPRESSED" ? "disabled" : result === "SKIPPED" ? "skipped" : failures.length > 0 ? "failed" : "passed",
    milliseconds: typeof time === "string" ? Math.round(Number.parseFloat(time) * 1000) || 0 : 0,
    ...(typeof file === "string" && typeof line === "number" ? { location: lineOf(file, line) } : {}),
    failures,
  }];
}
