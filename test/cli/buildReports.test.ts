import assert from "node:assert/strict";
import test from "node:test";
import { buildText } from "../../src/cli/reporters/buildText.ts";
import type { BuildReport } from "../../src/workshop/build/index.ts";

const unknown = "Not compared: No torch was found.";

const report: BuildReport = {
  schema: 1,
  root: "/p",
  plan: { id: "cmake:build", label: "CMake in build", kind: "cmake", folder: "/p/build" },
  outcome: "built",
  against: [],
  before: [],
  elsewhere: 0,
  steps: [],
  problems: [],
  products: [
    { file: "/p/build/liba.so", verdict: "unknown", headline: unknown, findings: [] },
    { file: "/p/build/libb.so", verdict: "unknown", headline: unknown, findings: [], stamp: { schema: "1", name: "b" } },
    { file: "/p/build/libc.so", verdict: "conflict", headline: "Would not work with torch 2.14.1.", loaderSays: "undefined symbol: f", findings: [] },
    { file: "/p/build/libd.so", verdict: "conflict", headline: "Would not work with torch 2.14.1.", findings: [] },
  ],
  notChecked: [],
};

test("abiding build: why nothing could be told is said once, a verdict for every file", () => {
  assert.deepEqual(buildText(report, { workingDirectory: "/p", colours: false }).split("\n"), [
    "built  CMake in build",
    "",
    "Built",
    "  build/liba.so",
    "    unknown: Not compared: No torch was found.",
    "  build/libb.so",
    "    unknown: as above",
    "    stamp: schema=1, name=b",
    "  build/libc.so",
    "    conflict: Would not work with torch 2.14.1.",
    "    The loader would say: undefined symbol: f",
    "  build/libd.so",
    "    conflict: Would not work with torch 2.14.1.",
    "",
  ]);
});
