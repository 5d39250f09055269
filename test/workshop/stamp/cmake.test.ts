import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { NodeFiles } from "../../../src/engine/files/index.ts";
import { readCMake } from "../../../src/engine/sources/cmake/index.ts";
import { changes, includeLine, Project } from "./support.ts";

const head = "cmake_minimum_required(VERSION 3.22)\nproject(mine CXX)\n";

/** The CMakeLists.txt after the command. */
async function stamped(text: string, target?: string): Promise<string> {
  using project = new Project({ "CMakeLists.txt": text });
  const report = await project.stamp(target === undefined ? {} : { target });
  assert.equal(report.outcome, "stamped", report.reason);
  const after = project.read("CMakeLists.txt");
  assert.equal((await project.stamp(target === undefined ? {} : { target })).outcome, "already");
  assert.equal(project.read("CMakeLists.txt"), after);
  return after;
}

async function refusal(text: string, target?: string): Promise<string> {
  using project = new Project({ "CMakeLists.txt": text });
  const before = project.state();
  const report = await project.stamp(target === undefined ? {} : { target });
  assert.equal(report.outcome, "refused");
  assert.deepEqual(project.state(), before);
  return report.reason ?? "";
}

describe("abiding stamp on CMakeLists.txt", () => {
  it("writes one line behind what is said of the target, and three files into cmake/", async () => {
    using project = new Project({ "CMakeLists.txt": `${head}add_library(ops SHARED ops.cpp) # ops\ntarget_include_directories(ops PRIVATE /opt/torch/include)\nset_target_properties(ops PROPERTIES\n  VERSION 3)\ninstall(TARGETS ops)\n` });
    const report = await project.stamp();
    assert.equal(report.outcome, "stamped", report.reason);
    assert.deepEqual(changes(report), ["edited CMakeLists.txt:7", "created cmake/AbidingStamp.cmake", "created cmake/abiding_stamp.cpp", "created cmake/abiding_stamp_ops.cmake"]);
    assert.deepEqual(project.lines("CMakeLists.txt").slice(5, 8), ["  VERSION 3)", includeLine("ops"), "install(TARGETS ops)"]);
    const { targets, gaps } = readCMake(project.path, new NodeFiles(), { platform: "linux" });
    assert.deepEqual([targets.map(({ name }) => name), gaps], [["ops"], []], "what is read of the project is as before");
    assert.match(project.read("cmake/abiding_stamp_ops.cmake"), /\nelseif\(TARGET ops\)\n {2}include\("\$\{CMAKE_CURRENT_LIST_DIR\}\/AbidingStamp\.cmake"\)\n {2}abiding_stamp\(ops TORCH\)\nendif\(\)\n$/);
  });

  it("stays inside an if(), and goes behind it where both branches make the target", async () => {
    assert.equal(await stamped(`${head}if(WITH_OPS)\n  add_library(ops SHARED ops.cpp)\n  if(MSVC)\n    target_link_libraries(ops m)\n  endif()\nendif()\n`), `${head}if(WITH_OPS)\n  add_library(ops SHARED ops.cpp)\n  if(MSVC)\n    target_link_libraries(ops m)\n  endif()\n  ${includeLine("ops")}\nendif()\n`);
    assert.equal(await stamped(`${head}if(S)\n  add_library(ops STATIC a.cpp)\nelse()\n  add_library(ops SHARED a.cpp)\nendif()\n`), `${head}if(S)\n  add_library(ops STATIC a.cpp)\nelse()\n  add_library(ops SHARED a.cpp)\nendif()\n${includeLine("ops")}\n`);
  });

  it("goes behind a loop", async () => {
    const text = `${head}foreach(name a b)\n  add_library(\${name} SHARED \${name}.cpp)\nendforeach()\n`;
    assert.equal(await stamped(text, "b"), `${text}${includeLine("b")}\n`);
  });

  it("knows a target whose name is in a variable, and what is said of it", async () => {
    const text = `${head}add_library(\${PROJECT_NAME} SHARED a.cpp)\ntarget_sources(\${PROJECT_NAME} PRIVATE b.cpp)`;
    assert.equal(await stamped(text), `${text}\n${includeLine("mine")}\n`);
  });

  it("keeps CRLF", async () => {
    const text = `${head}add_library(ops SHARED a.cpp)\n# end\n`.replaceAll("\n", "\r\n");
    assert.equal(await stamped(text), text.replace("# end", `${includeLine("ops")}\r\n# end`));
  });

  it("writes the files of a subfolder's target into the project's cmake/", async () => {
    using project = new Project({ "CMakeLists.txt": `${head}add_subdirectory(csrc/ops)\n`, "csrc/ops/CMakeLists.txt": "pybind11_add_module(ops ops.cpp)\n" });
    assert.equal((await project.stamp()).outcome, "stamped");
    assert.equal(project.read("csrc/ops/CMakeLists.txt"), `pybind11_add_module(ops ops.cpp)\n${includeLine("ops", "../../")}\n`);
    assert.match(project.read("cmake/abiding_stamp_ops.cmake"), /abiding_stamp\(ops PYTHON PYBIND11\)/);
  });

  it("takes a program when it is named, or when there is nothing else", async () => {
    const text = `${head}add_executable(tool tool.cpp)\n`;
    assert.equal(await stamped(text), `${text}${includeLine("tool")}\n`);
    const both = `${text}add_library(ops SHARED a.cpp)\n`;
    assert.equal(await stamped(both), `${both}${includeLine("ops")}\n`);
    assert.equal(await stamped(both, "tool"), both.replace("add_library", `${includeLine("tool")}\nadd_library`));
  });

  it("leaves a target alone that is stamped by hand", async () => {
    using project = new Project({ "CMakeLists.txt": `${head}add_library(ops SHARED a.cpp)\ninclude(AbidingStamp)\nabiding_stamp(ops)\n` });
    const report = await project.stamp();
    assert.equal(report.outcome, "already");
    assert.deepEqual(Object.keys(project.state()), ["CMakeLists.txt"]);
  });

  it("refuses what could carry no stamp, and what a function makes", async () => {
    assert.equal(await refusal(`${head}add_library(headers INTERFACE)\n`, "headers"), "headers is an INTERFACE library: nothing is compiled for it, so that nothing could carry a stamp. Stamp the targets that link it.");
    assert.match(await refusal(`${head}function(make name)\n  add_library(\${name} SHARED a.cpp)\nendfunction()\nmake(ops)\n`), /^ops is made inside the function make \(CMakeLists\.txt:4\), which makes other targets too\./);
    assert.match(await refusal(`${head}add_library(a SHARED a.cpp)\nadd_library(b SHARED b.cpp)\n`), /^There are 2 targets in .*\. Name one with --target: a, b\.$/);
    assert.match(await refusal("# nothing\n"), /^No CMake target and no extension of a setup\.py was found in /);
  });

  it("takes libraries of others for its own only when they are named", async () => {
    using project = new Project({ "CMakeLists.txt": `${head}add_subdirectory(third_party/fmt)\nadd_library(ops SHARED a.cpp)\n`, "third_party/fmt/CMakeLists.txt": "add_library(fmt SHARED fmt.cpp)\n" });
    assert.equal((await project.stamp()).target, "ops");
    assert.equal((await project.stamp({ target: "fmt" })).outcome, "stamped");
    assert.equal(project.read("third_party/fmt/CMakeLists.txt"), `add_library(fmt SHARED fmt.cpp)\n${includeLine("fmt", "../../")}\n`);
  });

  it("tells two targets of one name apart by their file", async () => {
    using project = new Project({ "CMakeLists.txt": `${head}add_library(ops SHARED a.cpp)\n`, "setup.py": 'from setuptools import setup, Extension\nsetup(ext_modules=[Extension("ops", ["a.c"])])\n' });
    const refused = await project.stamp({ target: "ops" });
    assert.equal(refused.reason, "ops is the name of 2 targets. Name one with --target: CMakeLists.txt:ops, setup.py:ops.");
    assert.equal((await project.stamp({ target: "CMakeLists.txt:ops" })).outcome, "stamped");
    assert.equal(project.lines("CMakeLists.txt")[3], includeLine("ops"));
  });
});
