import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCMake } from "../../../../src/engine/sources/cmake/parser.ts";

function args(text: string): string[][] {
  const file = parseCMake("/p/CMakeLists.txt", text);
  return file.commands.map((command) => [command.name, ...command.args.map((arg) => file.source(arg))]);
}

test("quoted, unquoted, bracket and legacy arguments", () => {
  assert.deepEqual(args('SET(A "b c" d;e [==[x]]y]==] -DX="v w" $(MAKE)/x a\\ b)'), [
    ["set", "A", "b c", "d;e", "x]]y", '-DX="v w"', "$(MAKE)/x", "a\\ b"],
  ]);
});

test("comments in argument lists, bracket comments, nested parentheses", () => {
  const text = "if((A) AND # why (\n B)\n#[[ set(X)\n]] set(Y 1)\nendif()\n";
  assert.deepEqual(args(text), [["if", "(", "A", ")", "AND", "B"], ["set", "Y", "1"], ["endif"]]);
  assert.equal(parseCMake("/f", text).comments.length, 2);
});

test("byte order mark, CRLF and exact ranges", () => {
  const file = parseCMake("/f", "\uFEFFset(A 1)\r\n  add_definitions(-DB=\u{1F600} -DC)\r\n");
  const command = file.commands[1];
  assert.ok(command);
  const last = command.args[1];
  assert.ok(last);
  assert.deepEqual(file.range(last.start, last.end), { start: { line: 1, character: 25 }, end: { line: 1, character: 28 } });
  assert.equal(file.offset({ line: 1, character: 25 }), last.start);
  assert.equal(file.problems.length, 0);
});

test("a quoted argument keeps escapes and line continuations as written", () => {
  assert.deepEqual(args('message("a \\" b \\\n c;d")'), [["message", 'a \\" b \\\n c;d']]);
});

test("generator expressions split over arguments keep every part", () => {
  assert.deepEqual(args("target_compile_options(t PRIVATE $<$<CONFIG:Debug>:-a -b>)"), [
    ["target_compile_options", "t", "PRIVATE", "$<$<CONFIG:Debug>:-a", "-b>"],
  ]);
});

test("an unclosed command does not swallow the next", () => {
  const file = parseCMake("/f", "set(A 1\nset(B 2)\nmessage(\"open\nset(C 3)\n");
  assert.deepEqual(file.commands.map((c) => c.name), ["set", "set", "message", "set"]);
  assert.equal(file.problems.length, 2);
});

test("blocks: if chains, loops, definitions, and unbalanced ends", () => {
  const file = parseCMake("/f", "if(A)\nset(x)\nelseif(B)\nelse()\nforeach(i a)\nendforeach()\nendif()\nendwhile()\nfunction(f)\nif(X)\nendfunction()\nset(z)");
  assert.deepEqual(file.nodes.map((n) => n.kind), ["if", "function", "command"]);
  const [first] = file.nodes;
  assert.ok(first?.kind === "if");
  assert.deepEqual(first.branches.map((b) => b.body.length), [1, 0, 1]);
  assert.deepEqual(file.problems.map((p) => p.message), ["endwhile() without while().", "if() is not closed."]);
});

test("binary and deeply nested texts neither throw nor hang", () => {
  assert.equal(parseCMake("/f", "\u0000\u0001(((\n\u0002\n").commands.length, 0);
  assert.equal(parseCMake("/f", "if(A)\n".repeat(50_000)).nodes.length, 1);
  assert.equal(parseCMake("/f", "set(A \"".repeat(20_000)).commands.length > 0, true);
  assert.equal(parseCMake("/f", "set(A [[\n".repeat(20_000)).commands.length > 0, true);
});

test("a carriage return by itself ends a line", () => {
  const file = parseCMake("/p/x", "a(b)\rset(x y)\r\nc()\n");
  assert.deepEqual(file.commands.map((one) => file.position(one.start)), [{ line: 0, character: 0 }, { line: 1, character: 0 }, { line: 2, character: 0 }]);
});
