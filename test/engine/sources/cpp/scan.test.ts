import assert from "node:assert/strict";
import { test } from "node:test";
import { isDead, isVersionGuarded, scanSource } from "../../../../src/engine/sources/cpp/index.ts";
import { processorTime } from "../../../support/processorTime.ts";

const wanted = ["AT_CHECK", "c10::optional", "c10::nullopt", "PYBIND11_MODULE", "TORCH_LIBRARY"];
const scan = (text: string) => scanSource("/p/a.cpp", text, wanted);
const allNames = (text: string) => scan(text).namesWhere(() => true);
const namesIn = (text: string) => allNames(text).map((one) => one.name);

test("includes carry their exact place", () => {
  const { includes } = scan('#include <torch/extension.h>\n  #  include "mine.h" // x\n');
  assert.deepEqual(includes, [
    { header: "torch/extension.h", angled: true, guards: [], location: { path: "/p/a.cpp", range: { start: { line: 0, character: 10 }, end: { line: 0, character: 27 } } } },
    { header: "mine.h", angled: false, guards: [], location: { path: "/p/a.cpp", range: { start: { line: 1, character: 14 }, end: { line: 1, character: 20 } } } },
  ]);
});

test("comments, strings, characters and raw strings do not count", () => {
  assert.deepEqual(namesIn('// AT_CHECK(\\\nAT_CHECK)\n/* AT_CHECK\n*/ auto s = "AT_CHECK \\" AT_CHECK"; char c = \'"\'; auto r = R"x(AT_CHECK " )" AT_CHECK)x";'), []);
  assert.deepEqual(scan('const char* code = R"(\n#include <torch/extension.h>\n)";\n// #include <a.h>\n/*\n#include <b.h>\n*/').includes, []);
});

test("scanning goes on right after a literal, a digit separator or a broken string", () => {
  assert.deepEqual(namesIn('int n = 1\'000\'000; AT_CHECK(n);'), ["AT_CHECK"]);
  assert.deepEqual(namesIn('char c = \'\\\'\'; AT_CHECK(n);'), ["AT_CHECK"]);
  assert.deepEqual(namesIn('auto s = "open\nAT_CHECK(n);'), ["AT_CHECK"]);
  assert.deepEqual(namesIn('auto s = u8R"(x)"; AT_CHECK(n);'), ["AT_CHECK"]);
});

test("qualified names match as a whole and only at their own scope", () => {
  const names = allNames("::c10::optional<int> f(); mine::c10::optional<int> g(); c10 :: nullopt; c10::optionals h;");
  assert.deepEqual(names.map((one) => [one.name, one.location.range.start.character, one.location.range.end.character]), [["c10::optional", 2, 15], ["c10::nullopt", 56, 70]]);
});

test("a name in a macro's body counts, the name being defined does not", () => {
  const text = "#define CHECK(x) \\\n  AT_CHECK(x)\n#define AT_CHECK TORCH_CHECK // compat\n";
  const { defines } = scan(text);
  const names = allNames(text);
  assert.deepEqual(names.map((one) => [one.name, one.location.range.start.line]), [["AT_CHECK", 1]]);
  assert.deepEqual(defines.map((one) => [one.name, one.value]), [["CHECK", "(x) AT_CHECK(x)"], ["AT_CHECK", "TORCH_CHECK"]]);
});

test("guards are the conditions around, the file's include guard left out", () => {
  const text = "#ifndef MINE_H\n#define MINE_H\n#if TORCH_VERSION_MAJOR >= 2\n#include <a.h>\n#elif defined(X)\n#include <b.h>\n#else\n#include <c.h>\n#endif\n#include <d.h>\n#endif\n";
  assert.deepEqual(scan(text).includes.map((one) => [one.header, one.guards]), [
    ["a.h", ["TORCH_VERSION_MAJOR >= 2"]],
    ["b.h", ["!(TORCH_VERSION_MAJOR >= 2) && defined(X)"]],
    ["c.h", ["!(TORCH_VERSION_MAJOR >= 2) && !(defined(X))"]],
    ["d.h", []],
  ]);
});

test("a macro given a value is not an include guard", () => {
  assert.deepEqual(scan("#ifndef AT_CHECK\n#define AT_CHECK TORCH_CHECK\n#endif").defines[0]?.guards, ["!defined(AT_CHECK)"]);
});

test("dead and version-guarded code is told apart", () => {
  assert.equal(isDead(["defined(A)", "0"]), true);
  assert.equal(isDead(["!(1)"]), true);
  assert.equal(isDead(["!(0)"]), false);
  assert.equal(isDead(["A == 0"]), false);
  assert.equal(isVersionGuarded(["TORCH_VERSION_MINOR < 11"]), true);
  assert.equal(isVersionGuarded(["!(__has_include(<THC/THC.h>))"]), true);
  assert.equal(isVersionGuarded(["defined(USE_CUDA)"]), false);
});

test("hostile input neither throws nor takes long", () => {
  const started = processorTime();
  for (const text of ["#if x\n".repeat(200_000), '"'.repeat(500_000), 'R"('.repeat(200_000), "/*".repeat(300_000), "\\\n".repeat(300_000), "#define A \\\n".repeat(100_000), "#elif x\n".repeat(100_000), `#if a\n${"#elif x\n".repeat(50_000)}`, "c10::".repeat(100_000), "\u0000#\uD800".repeat(100_000)]) {
    scan(text);
  }
  assert.ok(processorTime() - started < 5000);
});

test("a megabyte takes milliseconds", () => {
  const line = "  TORCH_CHECK(x.sizes() == y.sizes(), \"sizes differ\"); // compare 1'000\n";
  const text = "#include <torch/extension.h>\n" + line.repeat(Math.ceil(1_000_000 / line.length));
  scan(text);
  const times = Array.from({ length: 5 }, () => {
    const started = processorTime();
    scan(text);
    return processorTime() - started;
  });
  assert.ok(Math.min(...times) < 100, `${times.join(", ")} ms`);
});
