/** A build that fails tells what its failure comes from, where that is understood. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as path from "node:path";
import { after, it } from "node:test";
import Ajv from "ajv";
import buildSchema from "../../../docs/schema/build.schema.json" with { type: "json" };
import { buildJson } from "../../../src/cli/reporters/buildJson.ts";
import { buildText } from "../../../src/cli/reporters/buildText.ts";
import { build } from "../../../src/workshop/build/index.ts";
import type { BuildReport } from "../../../src/workshop/build/index.ts";
import { bench, cmakePlan, request, scratchFolder, writeFiles } from "./support.ts";

const { folder: scratch, remove } = scratchFolder("build-explained");
after(remove);

const declared = "#include <string>\nnamespace c10 { struct SourceLocation { const char* file; }; struct Error { Error(SourceLocation, std::string); };";

function built(name: string, source: string, more = ""): Promise<BuildReport> {
  const root = writeFiles(path.join(scratch, name), {
    "CMakeLists.txt": `cmake_minimum_required(VERSION 3.18)
project(ops CXX)
add_library(ops SHARED ops.cpp)
target_compile_definitions(ops PRIVATE _GLIBCXX_USE_CXX11_ABI=0)
target_link_libraries(ops PRIVATE \${CMAKE_SOURCE_DIR}/libc10.so -Wl,-z,defs)
${more}`,
    "ops.cpp": source,
  });
  execFileSync("g++", ["-shared", "-fPIC", "-x", "c++", "-", "-o", path.join(root, "libc10.so")], { input: `${declared} Error::Error(SourceLocation, std::string) {} }` });
  return build(request(root, cmakePlan(root), { against: ["torch==2.14.1+cpu"], stopOn: "never" }), bench());
}

it("a link that fails on the other std::string ABI is skew", async () => {
  const report = await built("twin", `${declared} }\nextern "C" void use() { c10::Error error({"a"}, "text"); }\n`);
  const { outcome, explanation } = report;
  assert.deepEqual([outcome, explanation?.rule, explanation?.cause], ["failed", "libstdcxx-abi", "libstdcxx-abi"]);
  assert.match(explanation?.headline ?? "", /_GLIBCXX_USE_CXX11_ABI=0/);
  assert.ok((explanation?.fix ?? "").length > 0);
  const ajv = new Ajv({ strict: false });
  assert.ok(ajv.validate(buildSchema, JSON.parse(JSON.stringify(buildJson(report)))), JSON.stringify(ajv.errors));
  assert.match(buildText(report, { workingDirectory: scratch, colours: false }), /^ {2}because: .*_GLIBCXX_USE_CXX11_ABI=0[^]*\[libstdcxx-abi,\s+docs\/rules\/libstdcxx-abi\.md\]\n {2}to do: /m);
});

it("a mistake in the project's own source is not explained, with torch's headers or without them", async () => {
  const mistake = "int area(int side) { return sid * side; }\n";
  for (const [name, more] of [["mistake", ""], ["mistake-torch", "target_include_directories(ops PRIVATE ${CMAKE_SOURCE_DIR}/venv/lib/python3.12/site-packages/torch/include)\n"]] as const) {
    const { outcome, problems, explanation } = await built(name, mistake, more);
    assert.deepEqual([outcome, problems[0]?.tool, explanation], ["failed", "gcc", undefined], name);
  }
});

it("a link that lacks a function of the project's own is explained", async () => {
  const { explanation } = await built("own", 'namespace warp { struct Plan { explicit Plan(int); }; }\nextern "C" void use() { warp::Plan plan(3); }\n');
  assert.deepEqual([explanation?.cause, explanation?.rule, explanation?.confidence], ["own-symbol", "own-symbol", undefined]);
  assert.match(explanation?.headline ?? "", /^ops\.cpp\.o needs `warp::Plan::Plan\(int\)`, which belongs to no known library/);
});

it("a link that lacks a function of c10 which several causes would explain carries the guess, as a guess", async () => {
  const report = await built("guess", 'namespace c10 { namespace impl { void fold_strides(int); } }\nextern "C" void use() { c10::impl::fold_strides(2); }\n');
  const { outcome, explanation } = report;
  assert.deepEqual([outcome, explanation?.cause, explanation?.rule, explanation?.confidence], ["failed", "library-not-linked", "missing-library", "possible"]);
  assert.equal(explanation?.headline, "Possible (others explain it as well): ops.cpp.o needs `c10::impl::fold_strides(int)` of torch, which no library on the link line defines.");
  assert.equal(explanation.message, explanation.headline);
  assert.match(explanation.fix ?? "", /^What would settle it: Whether the target links /);
  const ajv = new Ajv({ strict: false });
  assert.ok(ajv.validate(buildSchema, JSON.parse(JSON.stringify(buildJson(report)))), JSON.stringify(ajv.errors));
  assert.match(buildText(report, { workingDirectory: scratch, colours: false }), /^ {2}because: Possible \(others explain it as well\): ops\.cpp\.o needs/m);
});
