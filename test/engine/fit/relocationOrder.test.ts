import assert from "node:assert/strict";
import { test } from "node:test";
import type { LoadedObject } from "../../../src/engine/fit/process.ts";
import { relocationOrder } from "../../../src/engine/fit/relocationOrder.ts";

/** "file: a b" lines, in the order in which they were brought; the first is the file. */
function order(...lines: readonly string[]): string {
  const parsed = lines.map((line) => line.split(/[: ]+/).filter((word) => word !== ""));
  const objects = new Map(parsed.map(([name = ""]): [string, LoadedObject] => [name, { name, path: `/${name}`, how: "", image: undefined, loader: undefined }]));
  const needs = new Map(parsed.map(([name = "", ...rest]) => [objects.get(name), rest.flatMap((one) => objects.get(one) ?? [])]));
  const [root] = objects.values();
  assert.ok(root !== undefined);
  return relocationOrder([...objects.values()], root, (one) => needs.get(one) ?? []).map((one) => one.name).join(" ");
}

test("what is needed is relocated before what needs it", () => {
  assert.equal(order("file: a b", "a: c", "b", "c"), "c b a file");
});

test("and not simply in the reverse of the search", () => {
  assert.equal(order("file: a b c", "a", "b: a", "c: a b"), "a b c file");
  assert.equal(order("file: b a", "b: a", "a"), "a b file");
});

test("in a circle the walk begins at what came last", () => {
  assert.equal(order("file: a", "a: b", "b: a"), "a b file");
  assert.equal(order("file: a", "a: b", "b: file"), "a b file");
});

test("what was in the process before is passed over", () => {
  assert.equal(order("file: libc a", "a: libc"), "a file");
});
