import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readConfiguration } from "../../../src/engine/diagnosis/configuration.ts";
import { MemoryFiles } from "../../support/memory-files.ts";

const isRule = (name: string): boolean => name === "cxx-standard" || name === "c10-boundary";

function read(text: string): ReturnType<typeof readConfiguration> {
  return readConfiguration("/p", new MemoryFiles({ "/p/abiding.json": text }), isRule);
}

describe("abiding.json", () => {
  it("may be missing", () => {
    const { configuration, gaps } = readConfiguration("/p", new MemoryFiles({ "/p/x": "" }), isRule);
    assert.deepEqual(gaps, []);
    assert.deepEqual(configuration.against, []);
  });

  it("is read with comments and trailing commas", () => {
    const { configuration, gaps } = read(`{
      // the cluster
      "against": ["torch==2.8.0+cu128", ".venv",],
      "rules": { "cxx-standard": "warning", "c10-boundary": "info" },
      "ignore": [{ "rule": "cxx-standard", "path": "examples/**", "reason": "not shipped" }],
      "exclude": "vendored/**",
      "smoke": [],
    }`);
    assert.deepEqual(gaps, []);
    assert.deepEqual(configuration.against, ["torch==2.8.0+cu128", ".venv"]);
    assert.deepEqual([...configuration.rules], [["cxx-standard", "warning"], ["c10-boundary", "info"]]);
    assert.deepEqual(configuration.ignore, [{ rule: "cxx-standard", path: "examples/**", reason: "not shipped" }]);
    assert.deepEqual(configuration.exclude, ["vendored/**"]);
  });

  it("keeps what is right and names what is wrong, with its place", () => {
    const { configuration, gaps } = read(`{\n  "rules": { "cxx-standart": "off", "cxx-standard": "loud" },\n  "agianst": [],\n  "against": ["torch==2.8.0", 3]\n}`);
    assert.deepEqual(configuration.against, ["torch==2.8.0"]);
    assert.deepEqual([...configuration.rules], []);
    assert.deepEqual(
      gaps.map((gap) => [gap.message, gap.location?.range.start]),
      [
        [`"agianst" is not a setting of abiding.json.`, { line: 2, character: 2 }],
        [`"against" must hold texts only.`, { line: 3, character: 30 }],
        [`"cxx-standart" is no rule of Abiding.`, { line: 1, character: 13 }],
        [`The severity of "cxx-standard" must be one of error, warning, info, hint, off.`, { line: 1, character: 52 }],
      ],
    );
  });

  it("reports broken JSON once and still reads what stands before it", () => {
    const { configuration, gaps } = read(`{ "against": ["torch==2.8.0"], "rules": `);
    assert.deepEqual(configuration.against, ["torch==2.8.0"]);
    assert.ok(gaps.length > 0);
    assert.match(gaps[0]?.message ?? "", /not valid JSON here/);
  });
});
