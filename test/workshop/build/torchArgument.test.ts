import assert from "node:assert/strict";
import * as path from "node:path";
import { after, describe, it } from "node:test";
import { build } from "../../../src/workshop/build/index.ts";
import type { BuildReport, BuildRequest } from "../../../src/workshop/build/index.ts";
import type { CMakeBuild } from "../../../src/workshop/project/types.ts";
import { bench, cmakePlan, request, scratchFolder, writeFiles } from "./support.ts";

const { folder: scratch, remove } = scratchFolder("build-torch");
after(remove);

/** A virtual environment with as much of a torch as is read by files. */
const venv = writeFiles(path.join(scratch, "venv"), {
  "pyvenv.cfg": "home = /usr/bin\nversion = 3.11.2\n",
  "bin/python": "",
  "lib/python3.11/site-packages/torch/__init__.py": "",
  "lib/python3.11/site-packages/torch/version.py": "__version__ = '2.13.0+cpu'\ncuda = None\n",
  "lib/python3.11/site-packages/torch-2.13.0+cpu.dist-info/METADATA": "Name: torch\nVersion: 2.13.0+cpu\n",
  "lib/python3.11/site-packages/torch/share/cmake/Torch/TorchConfig.cmake": "set(TORCH_LIBRARIES m)\n",
});
const argument = `-DTorch_DIR=${venv}/lib/python3.11/site-packages/torch/share/cmake/Torch`;
const find = "cmake_minimum_required(VERSION 3.22)\nproject(ops C)\nfind_package(Torch REQUIRED)\nadd_library(ops SHARED ops.c)\n";
let count = 0;

async function built(lists: string, changes: Partial<BuildRequest> = {}, plan: Partial<CMakeBuild> = {}, variables: Readonly<Record<string, string>> = {}, files: Readonly<Record<string, string>> = {}): Promise<{ readonly report: BuildReport; readonly passed: boolean; readonly notes: readonly string[] }> {
  count += 1;
  const root = writeFiles(path.join(scratch, String(count)), { "CMakeLists.txt": lists, "ops.c": "int ops(void) { return 1; }\n", ...files });
  const workshop = bench(variables);
  const report = await build(request(root, cmakePlan(root, plan), { stopOn: "never", ...changes }), workshop);
  return { report, passed: report.steps[0]?.command.includes(argument) === true, notes: workshop.notes };
}

describe("the argument that tells CMake where torch is", () => {
  it("is passed when an environment was selected and nothing else says it, and that is said", async () => {
    for (const changes of [{ interpreter: `${venv}/bin/python` }, { against: [venv] }]) {
      const { report, passed, notes } = await built(find, changes);
      assert.deepEqual([report.outcome, passed], ["built", true], report.reason);
      assert.equal(notes[0], `${argument} is passed: the project asks for torch, nothing else says where it is, and that environment was selected.`);
    }
  });

  it("is only told after a failure when the environment was found by itself", async () => {
    const { report, passed } = await built(find, {}, {}, { VIRTUAL_ENV: venv });
    assert.deepEqual([report.outcome, passed], ["failed", false]);
    assert.equal(report.reason, `CMake found no torch: nothing told it where to look. The environment's torch is found with ${argument}: add it after "--", or select the environment.`);
  });

  it("is left out where the project, its preset, the arguments or the environment say it, and where no torch is asked for", async () => {
    const selected = { interpreter: `${venv}/bin/python` };
    const elsewhere = `${venv}/lib/python3.11/site-packages/torch`;
    const presets = JSON.stringify({ version: 3, configurePresets: [{ name: "base", hidden: true, cacheVariables: { CMAKE_PREFIX_PATH: elsewhere } }, { name: "host", inherits: "base", binaryDir: "${sourceDir}/build", generator: "Ninja" }] });
    const outcomes = [
      await built(`cmake_minimum_required(VERSION 3.22)\nproject(ops C)\nlist(APPEND CMAKE_PREFIX_PATH ${elsewhere})\nfind_package(Torch REQUIRED)\nadd_library(ops SHARED ops.c)\n`, selected),
      await built(find, selected, { configurePreset: "host" }, {}, { "CMakePresets.json": presets }),
      await built(find, selected, { arguments: [`-DCMAKE_PREFIX_PATH=${elsewhere}`] }),
      await built(find, { ...selected, arguments: [`-DTorch_ROOT:PATH=${elsewhere}`] }),
      await built(find, selected, {}, { CMAKE_PREFIX_PATH: elsewhere }),
      await built(find, selected, { variables: { Torch_DIR: `${elsewhere}/share/cmake/Torch` } }),
      await built("cmake_minimum_required(VERSION 3.22)\nproject(ops C)\nadd_library(ops SHARED ops.c)\n", selected),
    ];
    assert.deepEqual(outcomes.map(({ report, passed }) => [report.outcome, passed]), outcomes.map(() => ["built", false]));
  });
});
