import assert from "node:assert/strict";
import { test } from "node:test";
import { fit } from "../../../src/engine/fit/index.ts";
import type { FitResult } from "../../../src/engine/fit/index.ts";
import { ProcessModel } from "../../../src/engine/fit/process.ts";
import { built, environment, library, machine, options } from "./fakes.ts";
import type { Sketch } from "./fakes.ts";

function open(model: ProcessModel, sketch: Sketch & { readonly path: string }) {
  return model.open(library(sketch.path, sketch), { loader: undefined, how: "opened", isGlobal: false, assume: () => undefined });
}

function model(files: Parameters<typeof machine>[0]): ProcessModel {
  return new ProcessModel({ machine: machine(files), companions: new Map(), main: undefined });
}

test("the first to bear a name keeps it: a second file of that soname is loaded by its path, and the name still means the first", () => {
  const [first, second] = [library("/usr/lib/libx.so.1", {}), library("/other/libx.so.1", {})];
  const process = model([first, second]);
  open(process, { path: "/p/one.so", needed: ["libx.so.1"] });
  const { scope } = open(process, { path: "/p/two.so", needed: ["/other/libx.so.1", "libx.so.1"] });
  assert.deepEqual(scope.map((one) => one.path), ["/p/two.so", "/other/libx.so.1", "/usr/lib/libx.so.1"]);
  assert.equal(process.loaded("libx.so.1")?.path, "/usr/lib/libx.so.1");
  assert.equal(process.loaded("/other/libx.so.1")?.path, "/other/libx.so.1");
});

test("one file under two names is one object that bears both", () => {
  const image = library("/usr/lib/libreal.so.1", {});
  const files = machine([image]);
  const process = new ProcessModel({ machine: { ...files, open: (path) => (path === "/usr/lib/libalias.so" ? image : files.open(path)) }, companions: new Map(), main: undefined });
  const { scope, added } = open(process, { path: "/p/one.so", needed: ["libreal.so.1", "libalias.so"] });
  assert.deepEqual(scope.map((one) => one.path), ["/p/one.so", "/usr/lib/libreal.so.1"]);
  assert.equal(added.length, 2);
  assert.equal(process.loaded("libalias.so"), process.loaded("libreal.so.1"));
});

function load(sketch: Sketch, files: Parameters<typeof machine>[0] = []): FitResult {
  return fit(built(), library("/project/ops.so", sketch), environment({ files }), options);
}

test("a library that defines no versions passes the comparison of versions", () => {
  const needs = [{ library: "libplain.so", versions: ["PLAIN_2"] }];
  assert.deepEqual(load({ needed: ["libplain.so"], needs }, [library("/usr/lib/libplain.so", {})]).missingVersions, []);
  assert.deepEqual(load({ needed: ["libplain.so"], needs }, [library("/usr/lib/libplain.so", { versions: ["PLAIN_1"] })]).missingVersions.map((one) => one.version), ["PLAIN_2"]);
});

test("a symbol with a version may lie in the library of that version alone: another that was not found excuses nothing", () => {
  const result = load({ needed: ["libmine.so.1", "libstdc++.so.6"], imports: ["_ZSt7missingv@GLIBCXX_3.4:libstdc++.so.6", "mine@MINE_1:libmine.so.1"] });
  assert.deepEqual(result.missing.map((one) => [one.kind, one.symbol]), [["other-library", "_ZSt7missingv"]]);
  assert.deepEqual(result.missingDependencies.map((one) => one.name), ["libmine.so.1"]);
  assert.ok(result.notChecked.some((one) => one.startsWith("1 symbol that nothing else provides may lie in libmine.so.1")));
});
