import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ReadWitness } from "../../../src/engine/diagnosis/readWitness.ts";
import { applySuppressions, suppressionsOf } from "../../../src/engine/diagnosis/suppressions.ts";
import type { Finding } from "../../../src/engine/model/index.ts";
import { MemoryFiles } from "../../support/memory-files.ts";

function findingAt(path: string, line: number, rule = "cxx-standard"): Finding {
  const range = { start: { line, character: 0 }, end: { line, character: 4 } };
  return { rule, severity: "error", message: "m", location: { path, range }, related: [], against: [], fixes: [] };
}

const isRule = (name: string): boolean => ["cxx-standard", "libstdcxx-abi"].includes(name);

describe("suppression comments", () => {
  it("are read in the comment syntax of every file kind", () => {
    const text = ["set(A 1) # abiding: ignore[cxx-standard] built by hand", "// abiding: ignore[a, b]", "; abiding: ignore[c]", "<!-- abiding: ignore[d] -->", "plain abiding: ignore[e]"].join("\r\n");
    assert.deepEqual([...suppressionsOf(text)].map(([line, one]) => [line, one.rules, one.alone]), [[0, ["cxx-standard"], false], [1, ["a", "b"], true], [2, ["c"], true], [3, ["d"], true]]);
  });

  it("silence the named rule on their line and the line below, nothing else", () => {
    const files = new MemoryFiles({ "/p/setup.py": "x\n# abiding: ignore[cxx-standard] reason\ny\nz\n" });
    const findings = [findingAt("/p/setup.py", 0), findingAt("/p/setup.py", 1), findingAt("/p/setup.py", 2), findingAt("/p/setup.py", 3), findingAt("/p/setup.py", 2, "libstdcxx-abi")];
    const result = applySuppressions(findings, new ReadWitness(files), isRule, []);
    assert.deepEqual(result.kept.map((one) => [one.rule, one.location.range.start.line]), [["cxx-standard", 0], ["cxx-standard", 3], ["libstdcxx-abi", 2]]);
    assert.equal(result.silenced, 2);
    assert.deepEqual(result.gaps, []);
  });

  it("after code speak for their own line only", () => {
    const files = new MemoryFiles({ "/p/setup.py": "x  # abiding: ignore[cxx-standard]\ny\n" });
    const result = applySuppressions([findingAt("/p/setup.py", 0), findingAt("/p/setup.py", 1)], new ReadWitness(files), isRule, []);
    assert.deepEqual(result.kept.map((one) => one.location.range.start.line), [1]);
  });

  it("that name no rule are reported where they stand", () => {
    const files = new MemoryFiles({ "/p/CMakeLists.txt": "project(x)\nset(A 1) # abiding: ignore[cxx-standart]\n" });
    const result = applySuppressions([], new ReadWitness(files), isRule, ["/p/CMakeLists.txt"]);
    assert.equal(result.gaps.length, 1);
    assert.match(result.gaps[0]?.message ?? "", /"cxx-standart", which is no rule/);
    assert.deepEqual(result.gaps[0]?.location?.range, { start: { line: 1, character: 0 }, end: { line: 1, character: 40 } });
  });
});
