import assert from "node:assert/strict";
import { test } from "node:test";
import type { Reading } from "../../../../src/engine/model/index.ts";
import { readPresets } from "../../../../src/engine/sources/cmake/presets.ts";
import { MemoryFiles } from "../../../support/memory-files.ts";

const read = (files: Readonly<Record<string, string>>, name = "CMakePresets.json") => readPresets(`/p/${name}`, new MemoryFiles(Object.fromEntries(Object.entries(files).map(([path, text]) => [`/p/${path}`, text]))));
const shown = (reading: Reading) =>
  reading.observations.flatMap((one) => (one.kind === "cmake-arguments" ? [`${one.conditions[0]?.text}: ${one.definitions.map((definition) => `${definition.name}=${definition.value ?? "?"}`).join(" ")}`] : []));

const text = `{
  "version": 6,
  "configurePresets": [
    { "name": "base", "hidden": true, "cacheVariables": { "CMAKE_CXX_STANDARD": "17", "ABI": { "type": "BOOL", "value": false }, "GONE": "x" } },
    { "name": "other", "hidden": true, "cacheVariables": { "CMAKE_CXX_STANDARD": "14", "HOME_DIR": "$env{HOME}", "FLAGS": "$env{ABI_FLAG} -O2" } },
    { "name": "gpu", "inherits": ["base", "other"], "environment": { "TORCH_CUDA_ARCH_LIST": "8.0", "ABI_FLAG": "-D_GLIBCXX_USE_CXX11_ABI=0" },
      "cacheVariables": { "GONE": null, "DIR": "\${sourceDir}/\${presetName}", "USE_CUDA": true } }
  ]
}`;

test("resolves inheritance, macros, booleans and removed variables", () => {
  const reading = read({ "CMakePresets.json": text });
  assert.deepEqual(shown(reading), ["preset gpu: DIR=/p/gpu USE_CUDA=TRUE CMAKE_CXX_STANDARD=17 ABI=FALSE HOME_DIR=? FLAGS=-D_GLIBCXX_USE_CXX11_ABI=0 -O2"]);
  const arguments_ = reading.observations.find((one) => one.kind === "cmake-arguments");
  const standard = arguments_?.definitions.find((one) => one.name === "CMAKE_CXX_STANDARD");
  assert.deepEqual([standard?.evidence.text, standard?.evidence.location.range, standard?.evidence.via.map((one) => one.what)], ['"17"', { start: { line: 3, character: 80 }, end: { line: 3, character: 84 } }, ["preset gpu inherits base"]]);
  assert.equal(arguments_?.sourceDirectory, "/p");
  assert.deepEqual(reading.observations.filter((one) => one.kind === "architecture-list").map((one) => one.value), ["8.0"]);
});

test("follows includes and reports a user's presets apart from the project's", () => {
  const files = { "CMakePresets.json": text, "CMakeUserPresets.json": '{"include": ["more/x.json"], "configurePresets": [{"name": "mine", "inherits": "base"}]}', "more/x.json": '{"include": ["../CMakeUserPresets.json"], "configurePresets": [{"name": "x", "cacheVariables": {"A": "${fileDir}"}}]}' };
  const reading = read(files, "CMakeUserPresets.json");
  assert.deepEqual(shown(reading), ["preset x: A=/p/more", "preset mine: CMAKE_CXX_STANDARD=17 ABI=FALSE GONE=x"]);
  assert.deepEqual(reading.files, ["/p/CMakeUserPresets.json", "/p/more/x.json", "/p/CMakePresets.json"]);
});

test("survives cycles, malformed and hostile files", () => {
  assert.deepEqual(shown(read({ "CMakePresets.json": '{"configurePresets": [{"name": "a", "inherits": "b", "cacheVariables": {"X": "$env{Y}"}, "environment": {"Y": "$env{Y}"}}, {"name": "b", "inherits": "a"}]}' })), ["preset a: X=?", "preset b: X=?"]);
  const broken = read({ "CMakePresets.json": '{"configurePresets": [{"name": "a", "cacheVariables": {"X": "1"}}, ' });
  assert.deepEqual([shown(broken), broken.gaps.length], [["preset a: X=1"], 1]);
  for (const hostile of ["", "[".repeat(100_000), '{"a":'.repeat(50_000), '{"configurePresets": {"name": 3}}', '{"include": [3, "$penv{X}/a.json"]}', "null"]) {
    assert.equal(read({ "CMakePresets.json": hostile }).observations.length, 0);
  }
  assert.equal(read({}).gaps.length, 1);
});
