import assert from "node:assert/strict";
import * as path from "node:path";
import { after, describe, it } from "node:test";
import type { Finding } from "../../../src/engine/model/index.ts";
import { belongingTo, readProject } from "../../../src/workshop/project/index.ts";
import { scratchFolder, writeFiles } from "../build/support.ts";

const { folder: scratch, remove } = scratchFolder("project-parts");
after(remove);

const compiled = 'from setuptools import setup, Extension\nsetup(ext_modules=[Extension("x", ["x.cpp"])])\n';
const root = writeFiles(path.join(scratch, "project"), {
  "CMakeLists.txt": "cmake_minimum_required(VERSION 3.20)\nproject(main CXX)\ninclude(cmake/shared.cmake)\nadd_subdirectory(part)\n",
  "cmake/shared.cmake": "\n",
  "part/CMakeLists.txt": "cmake_minimum_required(VERSION 3.20)\nproject(part CXX)\n",
  "setup.py": compiled,
  "csrc/CMakeLists.txt": "project(csrc CXX)\n",
  "samples/ext/setup.py": compiled,
  "samples/ext/CMakeLists.txt": "project(ext CXX)\ninclude(../../cmake/shared.cmake)\n",
  "driven/setup.py": 'from setuptools import setup\nsetup(ext_modules=[CMakeExtension("x")])\n',
  "driven/CMakeLists.txt": "project(driven CXX)\n",
});
const project = await readProject(root, { environment: {} });

function finding(file: string, ...related: readonly string[]): Finding {
  const at = (one: string): Finding["location"] => ({ path: path.resolve(root, one), range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } } });
  return { rule: "cxx-standard", severity: "error", message: "", location: at(file), related: related.map((one) => ({ message: "", location: at(one) })), against: [], fixes: [] };
}

function belongings(build: string, findings: readonly Finding[], buildFolder?: string): string {
  const plan = project.builds.find((one) => one.id === build) ?? assert.fail(`${build} is not among ${project.builds.map((one) => one.id).join(", ")}`);
  const belonging = belongingTo(plan, project, buildFolder);
  return findings.map(belonging).join(" ");
}

describe("whose a finding is", () => {
  it("a build by CMake has what its CMakeLists.txt leads to, and the sources below that no other part holds", () => {
    assert.equal(belongings("cmake:build", ["CMakeLists.txt", "part/CMakeLists.txt", "cmake/shared.cmake", "part/x.cpp", "src/x.cpp"].map((one) => finding(one))), "own own own own own");
    assert.equal(belongings("cmake:build", ["samples/ext/CMakeLists.txt", "samples/ext/x.cpp", "samples/ext/setup.py", "driven/CMakeLists.txt", "csrc/CMakeLists.txt", "csrc/x.cpp"].map((one) => finding(one))), "elsewhere elsewhere elsewhere elsewhere elsewhere elsewhere");
    assert.equal(belongings("cmake:build", ["setup.py", "setup_rocm.py", "docker/Dockerfile", "requirements.txt", "environment.yml"].map((one) => finding(one))), "beside beside beside beside beside");
  });

  it("a file that several parts include is of those whose targets the finding names", () => {
    const both = finding("cmake/shared.cmake", "CMakeLists.txt", "samples/ext/CMakeLists.txt");
    const main = finding("cmake/shared.cmake", "part/CMakeLists.txt");
    const sample = finding("cmake/shared.cmake", "samples/ext/CMakeLists.txt");
    assert.equal(belongings("cmake:build", [both, main, sample]), "own own elsewhere");
    assert.equal(belongings("cmake:samples/ext/build", [both, main, sample]), "own elsewhere own");
    assert.equal(belongings("cmake:build", [finding("samples/ext/CMakeLists.txt", "CMakeLists.txt")]), "elsewhere");
  });

  it("what a build folder says is of the build in it, and what no project holds is of the machine", () => {
    const folder = path.join(scratch, "outside");
    assert.equal(belongings("cmake:build", [finding(path.join(folder, "CMakeCache.txt"))], folder), "own");
    assert.equal(belongings("cmake:samples/ext/build", [finding(path.join(root, "build/CMakeCache.txt")), finding("/usr/bin/g++")]), "elsewhere own");
  });

  it("a Python build has its setup.py and its sources, and CMake files where it has CMake build", () => {
    assert.equal(belongings("python:in-place", ["setup.py", "csrc/x.cpp", "CMakeLists.txt", "samples/ext/x.cpp", "setup_rocm.py"].map((one) => finding(one))), "own own beside elsewhere beside");
    assert.equal(belongings("python:driven/in-place", ["driven/CMakeLists.txt", "driven/setup.py", "driven/x.cpp", "CMakeLists.txt", "x.cpp"].map((one) => finding(one))), "own own own elsewhere elsewhere");
  });

  it("a command builds anything but the examples that are projects of their own", () => {
    const plan = { kind: "command", id: "all", label: "All", origin: "abiding.json", shownBy: finding("abiding.json").location, variables: {}, folder: root, steps: [["make"]] } as const;
    assert.equal([finding("driven/x.cpp"), finding("samples/ext/x.cpp")].map(belongingTo(plan, project)).join(" "), "own elsewhere");
  });
});
