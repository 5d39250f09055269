import type { Location } from "../../engine/model/index.ts";
import type { DiscoveredTests, SmokeReport, TestCase, TestResult } from "../../workshop/smoke/types.ts";
import { jsonText } from "./jsonText.ts";
import { reportedLocation } from "../../tools/places.ts";

/** The report for programs: docs/schema/smoke.schema.json. Lines and columns count from one. */
export function smokeJson({ results, ...report }: SmokeReport): string {
  return jsonText({ ...report, results: results.map((result) => resultOf(report.root, result)) });
}

export function testListJson(root: string, { tests, problems }: DiscoveredTests): string {
  return jsonText({ schema: 1, root, tests: tests.map((test) => caseOf(root, test)), problems });
}

function resultOf(root: string, { messages, stack, ...rest }: TestResult): object {
  return {
    ...rest,
    ...(stack === undefined ? {} : { stack: stack.map((frame) => placed(root, frame)) }),
    messages: messages.map((message) => placed(root, message)),
  };
}

/** The environment of a test is not listed: it may hold secrets. */
function caseOf(root: string, { variables: _variables, ...test }: TestCase): object {
  return placed(root, test);
}

function placed<T extends { readonly location?: Location }>(root: string, { location, ...rest }: T): object {
  return { ...rest, ...(location === undefined ? {} : { location: reportedLocation(root, location) }) };
}
