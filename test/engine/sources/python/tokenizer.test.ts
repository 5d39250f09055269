import assert from "node:assert/strict";
import { test } from "node:test";
import { tokenize } from "../../../../src/engine/sources/python/tokenizer.ts";

function shape(text: string): string {
  return tokenize(text).map((token) => token.type === "operator" || token.type === "name" || token.type === "number" ? token.value : token.type).join(" ");
}

test("indentation opens and closes blocks, blank lines and comments do not count", () => {
  assert.equal(shape("if a:\n    b\n\n  # note\n    c\nd\n"), "if a : newline indent b newline c newline dedent d newline end");
});

test("a tab reaches the next multiple of eight, a form feed starts over", () => {
  assert.equal(shape("if a:\n\tb\n        c\n"), "if a : newline indent b newline c newline dedent end");
  assert.equal(shape("\fa\n"), "a newline end");
});

test("lines go on inside brackets and behind a backslash, with any line ending", () => {
  assert.equal(shape("a = [1,\r\n  2]\r\nb = 1 + \\\r\n 2\r\n"), "a = [ 1 , 2 ] newline b = 1 + 2 newline end");
});

test("a byte order mark is no token", () => {
  assert.equal(shape("\ufeffa = 1"), "a = 1 newline end");
});

test("every prefix of strings, and their escapes", () => {
  const values = tokenize(`"a\\n" r"a\\n" b'x' Rb'y\\z' u"\\u00e9" """a\n'b'""" '\\x41\\101\\
c' "open\n`).filter((token) => token.type === "string").map((token) => token.value);
  assert.deepEqual(values, ["a\n", "a\\n", "x", "y\\z", "é", "a\n'b'", "AAc", "open"]);
});

test("an f-string knows its expressions, conversions and formats", () => {
  const text = `f"-D{{x}}={a['b']!r:>{w}} {c=}"`;
  const [token] = tokenize(text);
  assert.equal(token?.type, "fstring");
  assert.deepEqual(token?.pieces?.map((piece) => piece.kind === "text" ? piece.value : [text.slice(piece.start, piece.end), piece.conversion, piece.format]), ["-D{x}=", ["a['b']", "r", ">{w}"], " ", ["c", "", ""]]);
});

test("an f-string may nest the quotes that it is written with", () => {
  const [token] = tokenize(`f"{x["a"]}b"`);
  assert.equal(token?.end, 12);
  assert.equal(token?.pieces?.length, 2);
});

test("raw f-strings keep escaped quotes", () => {
  const [token] = tokenize(String.raw`rf'\'{x}'`);
  assert.deepEqual(token?.pieces?.map((piece) => piece.kind === "text" ? piece.value : piece.kind), ["\\'", "expression"]);
});

test("brackets that stay open end before a line that must start a statement", () => {
  assert.equal(shape("setup(\n  a=1,\n\ndef f():\n  pass\n"), "setup ( a = 1 , newline def f ( ) : newline indent pass newline dedent end");
});

test("numbers of every form, and operators of every length", () => {
  assert.equal(shape("0x1F 1_000 1e-3 .5 a **= b // c -> d := e ..."), "0x1F 1_000 1e-3 .5 a **= b // c -> d := e ... newline end");
});

test("ten thousand brackets and unfinished text are read in time", () => {
  assert.equal(tokenize("(".repeat(10_000)).at(-1)?.type, "end");
  for (const text of ["'''", 'f"{', 'f"{a:{b', "\\", "\u0000", "f'{'{'{'{"]) assert.equal(tokenize(text).at(-1)?.type, "end");
});
