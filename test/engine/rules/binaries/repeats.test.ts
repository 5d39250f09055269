import assert from "node:assert/strict";
import { test } from "node:test";
import type { RelatedPlace } from "../../../../src/engine/model/index.ts";
import { sameSaidOnce } from "../../../../src/engine/rules/binaries/repeats.ts";

function place(file: string, message: string): RelatedPlace {
  return { message, location: { path: `/venv/${file}`, range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } } } };
}

const key = (file: string) => place(file, `${file} of x 1.0 has the pybind11 key a, and torch 2.13.0 has b.`);
const said = (places: readonly RelatedPlace[], lead?: RelatedPlace) => sameSaidOnce(places, lead).map((one) => `${one.location.path}: ${one.message}`);

test("the same of several files is said once, with their names", () => {
  assert.deepEqual(said([key("x/a.so"), key("x/b.so")]), ["/venv/x/a.so: x/a.so of x 1.0 has the pybind11 key a, and torch 2.13.0 has b.", "/venv/x/b.so: The same holds for b.so."]);
  assert.deepEqual(said(["a", "b", "c", "d", "e", "f", "g"].map((name) => key(`x/${name}.so`)), { ...key("x/_C.so"), message: `${key("x/_C.so").message} Rebuild it.` }), ["/venv/x/a.so: The same holds for a.so, b.so, c.so and 4 more."]);
});

test("what differs, and what does not name its file, stays", () => {
  const places = [key("x/a.so"), place("x/b.so", "x/b.so of x 1.0 needs libfoo.so, which is not found."), place("x/c.so", "An older copy of the same module."), place("x/d.so", "An older copy of the same module.")];
  assert.deepEqual(sameSaidOnce(places), places);
  assert.deepEqual(sameSaidOnce(places, place("setup.py", "Target x is compiled with another number.")), places);
});
