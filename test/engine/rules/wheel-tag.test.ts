import assert from "node:assert/strict";
import { test } from "node:test";
import { wheelTag } from "../../../src/engine/rules/wheel-tag.ts";
import type { WheelDisagreement, WheelProfile } from "../../../src/engine/model/index.ts";
import { RuleProject } from "../../support/rule-project.ts";

function said(...disagreements: readonly WheelDisagreement[]): readonly string[] {
  const project = new RuleProject({ "/p/setup.py": "ops\n" }).torch("2.13.0", {});
  const wheel: WheelProfile = {
    path: "/p/dist/ops-1.0-cp39-abi3-manylinux_2_17_x86_64.whl", fileName: "ops-1.0-cp39-abi3-manylinux_2_17_x86_64.whl", size: 1, name: "ops", version: "1.0", tags: { pythons: ["cp39"], abis: ["abi3"], platforms: ["manylinux_2_17_x86_64"] }, wheelTags: [], generator: undefined,
    isPurelib: false, requiresPython: undefined, requires: [], libraries: [], platformTag: undefined, platformTagBesideTorch: undefined, abi3Floor: undefined, disagreements, notKnown: [],
  };
  project.wheels.push(wheel);
  return project.check(wheelTag).map((one) => `${one.severity} ${one.message}`);
}

const needs = (weight: WheelDisagreement["weight"], what: string): WheelDisagreement => ({ kind: "platform-tag", weight, message: `ops/_C.so needs ${what}.`, member: "ops/_C.so", evidence: [] });

test("fires once for each kind and weight of broken promises", () => {
  assert.deepEqual(said(needs("error", "GLIBC_2.28"), needs("error", "GLIBCXX_3.4.29"), needs("info", "libjpeg.so.62")), [
    "error ops-1.0-cp39-abi3-manylinux_2_17_x86_64.whl: ops/_C.so needs GLIBC_2.28. The same holds in 1 more place of the wheel.",
    "info ops-1.0-cp39-abi3-manylinux_2_17_x86_64.whl: ops/_C.so needs libjpeg.so.62.",
  ]);
});

test("is silent where all promises are kept, and of what other rules report", () => {
  assert.deepEqual(said(), []);
  assert.deepEqual(said({ kind: "requires-torch", weight: "warning", message: "", evidence: [] }, { kind: "grafted", weight: "warning", message: "", evidence: [] }), []);
});
