/** The two samples: every skew that the README of the one lists is found, and nothing else; in the other, nothing is. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import test from "node:test";
import { loadCatalogue } from "../../src/engine/catalogue/index.ts";
import { Workspace } from "../../src/engine/diagnosis/index.ts";
import { NodeFiles } from "../../src/engine/files/index.ts";
import { root } from "../harness/locations.ts";

const samples = join(root, "samples");

/** Findings as the README's table writes them: file, line, rule. */
function check(name: string): string[] {
  const folder = join(samples, name);
  const { findings } = new Workspace(folder, new NodeFiles(), { catalogue: loadCatalogue(), environment: {} }).diagnose();
  return findings.map((one) => `${relative(folder, one.location.path)}:${one.location.range.start.line + 1} ${one.rule}`).sort();
}

function planted(name: string): string[] {
  const table = readFileSync(join(samples, name, "README.md"), "utf8").split("\n").filter((line) => line.startsWith("| `"));
  return table.flatMap((row) => {
    const [, place = "", rules = ""] = row.split("|");
    return rules.split(",").map((rule) => `${place.replaceAll("`", "").trim()} ${rule.replaceAll("`", "").trim()}`);
  }).sort();
}

test("every planted skew is found, and nothing else", () => {
  assert.deepEqual(check("skewed-extension"), planted("skewed-extension"));
});

test("nothing is reported in the project that is put right", () => {
  assert.deepEqual(check("healthy-extension"), []);
});
