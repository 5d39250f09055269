/** What a change costs, and what a change in the middle of a diagnosis does. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { loadCatalogue } from "../../../src/engine/catalogue/index.ts";
import { Workspace } from "../../../src/engine/diagnosis/index.ts";
import type { Diagnosis } from "../../../src/engine/diagnosis/index.ts";
import type { ReadResult } from "../../../src/engine/model/index.ts";
import { MemoryFiles } from "../../support/memory-files.ts";

const catalogue = loadCatalogue();

class CountingFiles extends MemoryFiles {
  texts: string[] = [];

  override readText(path: string): ReadResult {
    this.texts.push(path);
    return super.readText(path);
  }
}

const cmake = (standard: number): string => `cmake_minimum_required(VERSION 3.18)
project(ops LANGUAGES CXX)
set(CMAKE_CXX_STANDARD ${standard})
find_package(Torch REQUIRED)
add_library(ops SHARED ops.cpp)
target_include_directories(ops PRIVATE include)
target_link_libraries(ops PRIVATE "\${TORCH_LIBRARIES}")
`;

function project(): { readonly files: CountingFiles; readonly workspace: Workspace; readonly change: (path: string, text: string) => void } {
  const files = new CountingFiles({
    "/p/CMakeLists.txt": cmake(20),
    "/p/ops.cpp": '#include <torch/library.h>\n#include "ops.h"\nint f() { return 1; }\n',
    "/p/include/ops.h": "#pragma once\n",
    "/p/unused.cpp": "int g() { return 1; }\n",
    "/p/tools/helper.py": "print(1)\n",
    "/p/README.md": "# ops\n",
  });
  const workspace = new Workspace("/p", files, { catalogue, environment: {}, against: ["torch==2.14.1+cu130"] });
  return {
    files,
    workspace,
    change: (path, text) => {
      files.write(path, text);
      files.texts = [];
      workspace.invalidate(path);
    },
  };
}

const rules = (diagnosis: Diagnosis): readonly string[] => diagnosis.findings.map((one) => one.rule);

describe("typing", () => {
  it("in a file that the project does not build costs nothing", () => {
    const { files, workspace, change } = project();
    const before = workspace.diagnose();
    for (const [path, text] of [["/p/README.md", "# Ops\n"], ["/p/unused.cpp", "#include <THC/THC.h>\n"], ["/elsewhere/CMakeLists.in", "x"]] as const) {
      change(path, text);
      assert.equal(workspace.diagnose(), before);
      assert.deepEqual(files.texts, []);
    }
  });

  it("in a source reads that source, and nothing more while its includes and names stay", () => {
    const { files, workspace, change } = project();
    const before = workspace.diagnose();
    change("/p/ops.cpp", '#include <torch/library.h>\n#include "ops.h"\nint f() { return 22; }\n');
    assert.equal(workspace.diagnose(), before);
    assert.deepEqual(files.texts, ["/p/ops.cpp"]);
    change("/p/include/ops.h", "#pragma once\nint f();\n");
    assert.equal(workspace.diagnose(), before);
    assert.deepEqual(files.texts, ["/p/include/ops.h"]);
  });

  it("in a source is noticed when an include changes, and then in every stroke", () => {
    const { workspace, change } = project();
    assert.deepEqual(rules(workspace.diagnose()), []);
    change("/p/include/ops.h", "#pragma once\n#include <THC/THC.h>\n");
    assert.deepEqual(rules(workspace.diagnose()), ["removed-api"]);
    change("/p/include/ops.h", "#pragma once\n#include <THC/THC.h>  // abiding: ignore[removed-api] old\n");
    assert.deepEqual(rules(workspace.diagnose()), []);
    change("/p/include/ops.h", "#pragma once\n#include <THC/THC.h>\n");
    assert.deepEqual(rules(workspace.diagnose()), ["removed-api"]);
  });

  it("in a Python file that builds nothing reads that file, until it does build", () => {
    const { files, workspace, change } = project();
    const before = workspace.diagnose();
    change("/p/tools/helper.py", "print(2)\n");
    assert.equal(workspace.diagnose(), before);
    assert.deepEqual(files.texts, ["/p/tools/helper.py"]);
    change("/p/tools/helper.py", "from torch.utils.cpp_extension import load\nload(name='x', sources=['x.cpp'], extra_cflags=['-std=c++14'])\n");
    assert.deepEqual(rules(workspace.diagnose()), ["cxx-standard"]);
  });
});

describe("a diagnosis in steps", () => {
  it("says what it does, and gives what diagnose gives", () => {
    const { workspace } = project();
    const said: string[] = [];
    const steps = workspace.diagnoseInSteps();
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) said.push(step.value);
    assert.equal(step.value, workspace.diagnose());
    assert.deepEqual(said.slice(0, 4), ["folders", "environments", "/p/tools/helper.py", "/p/CMakeLists.txt"]);
    assert.equal(said.includes("cxx-standard"), true);
  });

  it("takes a change into account wherever it comes", () => {
    const { length } = [...project().workspace.diagnoseInSteps()];
    assert.equal(length > 10, true);
    for (let at = 0; at < length; at++) {
      const { workspace, change } = project();
      const steps = workspace.diagnoseInSteps();
      let step = steps.next();
      for (let count = 0; step.done !== true; count++, step = steps.next()) {
        if (count === at) change("/p/CMakeLists.txt", cmake(17));
      }
      assert.deepEqual(rules(step.value), ["cxx-standard"], `changed at step ${at}`);
    }
  });
});
