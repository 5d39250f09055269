import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePython } from "../../../../src/engine/sources/python/parser.ts";
import type { Expression, Statement } from "../../../../src/engine/sources/python/syntax.ts";
import { read } from "./reading.ts";

/** The tree as text: types, and what is written at the leaves. */
function show(node: unknown): string {
  const one = node as Expression;
  switch (one.type) {
    case "name": return one.id;
    case "number": return String(one.value);
    case "string": return JSON.stringify(one.value);
    case "constant": return one.value;
    case "binary": return `(${show(one.left)} ${one.operator} ${show(one.right)})`;
    case "unary": return `(${one.operator} ${show(one.operand)})`;
    case "boolean": return `(${one.values.map(show).join(` ${one.operator} `)})`;
    case "comparison": return `(${show(one.left)}${one.rest.map((part) => ` ${part.operator} ${show(part.right)}`).join("")})`;
    case "call": return `${show(one.callee)}(${one.arguments.map((argument) => `${argument.star ?? ""}${argument.name === undefined ? "" : `${argument.name}=`}${show(argument.value)}`).join(", ")})`;
    case "attribute": return `${show(one.object)}.${one.name}`;
    case "subscript": return `${show(one.object)}[${show(one.index)}]`;
    case "slice": return `${one.lower === undefined ? "" : show(one.lower)}:${one.upper === undefined ? "" : show(one.upper)}`;
    case "list": case "tuple": case "set": return `${one.type}(${one.elements.map(show).join(", ")})`;
    case "dict": return `{${one.entries.map((entry) => `${entry.key === undefined ? "**" : `${show(entry.key)}: `}${show(entry.value)}`).join(", ")}}`;
    case "conditional": return `(${show(one.then)} if ${show(one.test)} else ${show(one.otherwise)})`;
    case "lambda": return `lambda ${one.parameters.map((parameter) => parameter.star + parameter.name).join(",")}: ${show(one.body)}`;
    case "comprehension": return `${one.makes}<${show(one.element)}${one.clauses.map((clause) => ` for ${show(clause.target)} in ${show(clause.iterable)}${clause.tests.map((test) => ` if ${show(test)}`).join("")}`).join("")}>`;
    case "starred": return `${one.stars}${show(one.value)}`;
    case "walrus": return `(${show(one.target)} := ${show(one.value)})`;
    case "fstring": return `f<${one.parts.map((part) => typeof part === "string" ? JSON.stringify(part) : show(part.expression)).join(" ")}>`;
    default: return one.type;
  }
}

function expression(text: string): string {
  const module = parsePython(text);
  assert.deepEqual(module.problems, []);
  const [statement] = module.body;
  assert.equal(statement?.type, "expression");
  return statement?.type === "expression" ? show(statement.value) : "";
}

function statements(text: string): readonly Statement[] {
  const module = parsePython(text);
  assert.deepEqual(module.problems, []);
  return module.body;
}

test("operators bind as in Python", () => {
  assert.equal(expression("a + b * c ** -d"), "(a + (b * (c ** (- d))))");
  assert.equal(expression("not a in b and c or d"), "(((not (a in b)) and c) or d)");
  assert.equal(expression("a < b <= c is not None not in d"), "(a < b <= c is not None not in d)");
  assert.equal(expression("x if a else y if b else z"), "(x if a else (y if b else z))");
  assert.equal(expression("a | b & c << 1"), "(a | (b & (c << 1)))");
});

test("calls, subscripts and displays", () => {
  assert.equal(expression("f(a, *b, c=1, **d)[1:-1].e"), "f(a, *b, c=1, **d)[1:(- 1)].e");
  assert.equal(expression("[1, *x, (2, 3), {4}, {'a': 1, **y}, ()]"), 'list(1, *x, tuple(2, 3), set(4), {"a": 1, **y}, tuple())');
  assert.equal(expression("f(x for x in y if x if z)"), "f(generator<x for x in y if x if z>)");
  assert.equal(expression("{k: v for k, v in d.items()}"), "dict<k for tuple(k, v) in d.items()>");
  assert.equal(expression("(y := f(x))"), "(y := f(x))");
  assert.equal(expression("lambda a, *b, c=1: a"), "lambda a,*b,c: a");
});

test("neighbouring strings are one, over their whole range", () => {
  assert.equal(expression("('a' \"b\"\n 'c')"), '"abc"');
  assert.equal(expression(`'a' f"{b + 1}c" 'd'`), 'f<"a" (b + 1) "c" "d">');
  const [statement] = parsePython("x = ('-D'\n     'A=1')").body;
  assert.deepEqual(statement?.type === "assign" && [statement.value?.start, statement.value?.end], [5, 20]);
});

test("statements of every kind are known", () => {
  const text = [
    "from . import a as b, c", "from ..d.e import (f,)", "import g.h as i, j", "k: int = 1", "l = m = 2", "n += 3", "del o, p", "assert q, 'no'",
    "global r", "raise S from t", "return", "pass; break", "type U[V] = list[V]",
    "@w.x\n@y\nasync def z[T](a: int = 1, /, *b, c, **d) -> None: ...", "class A(B, metaclass=C): pass",
    "try:\n  a\nexcept (B, C) as d:\n  e\nexcept* F:\n  g\nelse:\n  h\nfinally:\n  i",
    "with (open(a) as b, c):\n  d", "with (a): b", "with a, b as c: d", "for i, *j in k, l:\n  m\nelse:\n  n", "while a: b", "async with a: b", "async for a in b: c",
    "match x, y:\n  case {'a': [1, *_]} as z if w:\n    pass\n  case A(b=str() as c) | None:\n    pass\n  case _: pass", "match = 1", "match(x)", "case = type = 2", "print(match, case)",
    "if a:\n  b\nelif c:\n  d\nelse:\n  e",
  ].join("\n");
  const types = statements(text).map((statement) => statement.type);
  assert.deepEqual(types, [
    "import-from", "import-from", "import", "assign", "assign", "augmented", "delete", "assert", "global", "raise", "return", "pass", "break", "pass",
    "function", "class", "try", "with", "with", "with", "for", "while", "with", "for", "match", "assign", "expression", "assign", "expression", "if",
  ]);
});

test("one statement that cannot be read costs only itself", () => {
  const module = parsePython("a = 1\nb = = 2\nif x:\n  c = )\n  d = 4\ne = 5\n");
  assert.deepEqual(module.body.map((statement) => statement.type), ["assign", "broken", "if", "assign"]);
  const inner = module.body[2];
  assert.deepEqual(inner?.type === "if" && inner.body.map((statement) => statement.type), ["broken", "assign"]);
  assert.equal(module.problems.length, 2);
});

test("hostile nesting is given up, not fallen into", () => {
  for (const text of ["(".repeat(10_000), "[".repeat(10_000) + "]".repeat(10_000), "a".concat("(a".repeat(5_000)), "not ".repeat(10_000), "- ".repeat(10_000), "lambda: ".repeat(10_000), 'f"{'.repeat(3_000)]) {
    assert.ok(parsePython(text).body.length >= 0);
  }
  const deep = Array.from({ length: 500 }, (_, depth) => `${" ".repeat(depth)}if a:`).join("\n");
  assert.ok(parsePython(deep).body.length > 0);
});

test("a chain of ten thousand elifs or additions is no nesting", () => {
  const chain = `if a: b\n${"elif c: d\n".repeat(10_000)}`;
  assert.deepEqual(parsePython(chain).problems, []);
  assert.deepEqual(parsePython(`x = ${Array(10_000).fill("a").join(" + ")}`).problems, []);
});

test("a file with too many tokens is read up to the limit, and says so instead of blaming what is cut", () => {
  const reading = read(`from setuptools import setup, Extension\nsetup(ext_modules=[Extension("e", ["e.cpp"])])\nx = [${"1, ".repeat(210_000)}]\ny = 1\n`);
  assert.equal(reading.targets.length, 1);
  assert.deepEqual(reading.gaps.map(({ message, kind }) => [message, kind]), [["setup.py has more than 400,000 tokens: it was read up to line 3, and nothing behind that was checked.", "file"]]);
});
