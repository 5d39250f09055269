import assert from "node:assert/strict";
import { test } from "node:test";
import { rules } from "../../../../src/engine/rules/index.ts";
import { libstdcxxAbi } from "../../../../src/engine/rules/libstdcxx-abi.ts";
import { staleBuild } from "../../../../src/engine/rules/stale-build.ts";
import { torchSymbols } from "../../../../src/engine/rules/torch-symbols.ts";
import { missing, trait } from "../../../support/built-file.ts";
import { lines, RuleProject } from "../../../support/rule-project.ts";

/** MemoryFiles say that every file was written in the first millisecond. */
const made = "# ninja log v5\n0\t17\t1796052336\tops.o\t9e2b\n17\t18\t1796052337\tops.so\t3ffc\n";

function project(ninja: string | undefined = "-isystem /venv/torch/include", log: string | undefined = made) {
  return new RuleProject({ "/p/run.py": "ops", "/p/ops.cpp": "int x;", "/venv/torch/version.py": "", ...(ninja === undefined ? {} : { "/cache/ops/build.ninja": ninja }), ...(log === "" ? {} : { "/cache/ops/.ninja_log": log }) })
    .target("/p/run.py", ["/p/ops.cpp"], { builder: "torch-jit", kind: "extension", madeBy: "load" })
    .torch("2.13.0", { "libstdcxx-abi": 1 }, { torchRoot: "/venv/torch" });
}

const drift = missing("_ZN3c103fooEv", "c10::foo()", "drift");
const cached = { origin: "jit-cache" } as const;

test("a cached build that does not load is this rule's business alone, at the call", () => {
  const made = project().build("/cache/ops/ops.so", { fit: { missing: [drift, missing("_ZSs", "x", "abi-twin")] }, file: cached });
  assert.deepEqual(rules.filter((rule) => rule.optIn !== true).flatMap((rule) => made.check(rule)).map((one) => one.rule), ["stale-build"]);
  const found = made.check(staleBuild);
  assert.deepEqual(lines(found), ["/p/run.py:1 warning"]);
  assert.equal(found[0]?.message, "The cached build /cache/ops/ops.so does not load with torch 2.13.0 in .venv: it needs `c10::foo()` and 1 more symbol, which nothing there exports. load() passes torch's headers as system headers, which ninja does not watch, so it takes the old file when only torch has changed. Delete /cache/ops.");
  assert.deepEqual([...made.check(libstdcxxAbi), ...made.check(torchSymbols)], []);
});

test("a cached build of another torch is made anew by load() itself", () => {
  assert.deepEqual(project("-isystem /other/torch/include").build("/cache/ops/ops.so", { fit: { missing: [drift] }, file: cached }).check(staleBuild), []);
  assert.deepEqual(lines(project("-isystem /venv/torch/include -O2").build("/cache/ops/ops.so", { fit: { missing: [drift] }, file: cached }).check(staleBuild)), ["/p/run.py:1 warning"]);
});

const twin = missing("_ZN3c106detail14torchCheckFailEPKcS2_jRKSs", "c10::detail::torchCheckFail(char const*, char const*, unsigned int, std::string const&)", "abi-twin");

test("a cached build of the other libstdc++ ABI is taken as it is", () => {
  const at = (ninja: string) => project(ninja).build("/cache/ops/ops.so", { fit: { missing: [twin] }, file: cached }).check(staleBuild).map((one) => one.message);
  const needs = "The cached build /cache/ops/ops.so does not load with torch 2.13.0 in .venv: it needs `c10::detail::torchCheckFail(char const*, char const*, unsigned int, std::string const&)`, which torch exports with the other std::string only.";
  assert.deepEqual(at("-isystem /venv/torch/include"), [`${needs} load() passes torch's headers as system headers, which ninja does not watch, so it takes the old file when only torch has changed. Delete /cache/ops.`]);
  assert.deepEqual(at("-isystem /venv/torch/include -D_GLIBCXX_USE_CXX11_ABI=0"), [`${needs} Its flags in build.ninja say _GLIBCXX_USE_CXX11_ABI=0, and torch has 1: drop them from the call.`]);
  assert.deepEqual(at("-isystem /venv/torch/include -D_GLIBCXX_USE_CXX11_ABI=1"), [`${needs} load() passes torch's headers as system headers, which ninja does not watch, so it takes the old file when only torch has changed. Delete /cache/ops.`]);
});

test("a file in the cache that ninja has not made there is made anew by load(): it is nobody's finding", () => {
  for (const lone of [project("no torch"), project(undefined, ""), project("-isystem /venv/torch/include", ""), project("-isystem /venv/torch/include", "# ninja log v5\n0\t17\t1\tops.o\t9e2b\n")]) {
    const made = lone.build("/cache/ops/ops.so", { fit: { missing: [twin] }, file: cached });
    assert.deepEqual(rules.filter((rule) => rule.optIn !== true).flatMap((rule) => made.check(rule)), []);
  }
});

test("torch installed after the cached build", () => {
  const at = (modified: number, imports: object) => project().build("/cache/ops/ops.so", { profile: { imports }, fit: { verdict: "no-conflict" }, file: { ...cached, modified } }).check(staleBuild);
  assert.match(at(-10_000, { torch: 3 })[0]?.message ?? "", /^The cached build \/cache\/ops\/ops\.so was made before torch 2\.13\.0 in \.venv was installed/);
  assert.deepEqual(at(1, { torch: 3 }), []);
  assert.deepEqual(at(-10_000, { "torch-stable": 3 }), []);
});

test("a torch with other layouts", () => {
  const made = project().build("/p/ops.so", { fit: { traits: [trait("layout", "torch 2.12.0", "torch 2.13.0", { weight: "warning", because: "The file was compiled with torch 2.12.0, and the installed torch has other sizes." })] } });
  assert.deepEqual(made.check(staleBuild).map((one) => `${one.severity} ${one.message}`), ["warning ops.so was compiled with torch 2.12.0, and torch 2.13.0 in .venv has other sizes. Rebuild it against this torch."]);
});

test("newer sources are a hint, and only for files that a build left", () => {
  const at = (modified: number, origin: "build-folder" | "installed" | "named") => project().build("/p/build/ops.so", { fit: { verdict: "no-conflict" }, file: { modified, origin } }).check(staleBuild);
  const found = at(-10_000, "build-folder");
  assert.deepEqual(lines(found), ["/p/run.py:1 hint"]);
  assert.match(found[0]?.message ?? "", /^build\/ops\.so \(1969-12-31 23:59 UTC\) is older than a source of target ops: ops\.cpp changed since\./);
  assert.deepEqual([...at(1, "build-folder"), ...at(-500, "build-folder"), ...at(-10_000, "installed"), ...at(-10_000, "named")], []);
});
