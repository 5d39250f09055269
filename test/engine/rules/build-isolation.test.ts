import assert from "node:assert/strict";
import { test } from "node:test";
import { buildIsolation } from "../../../src/engine/rules/build-isolation.ts";
import { pinnedProject } from "../../support/pinned-project.ts";
import { lines } from "../../support/rule-project.ts";

const pyproject = (build: string, rest = "") => ({ "pyproject.toml": `[build-system]\nrequires = ["setuptools", ${build}]\n${rest}` });

test("an unpinned torch in the build environment", () => {
  const found = pinnedProject(pyproject('"torch"', '[project]\ndependencies = ["torch>=2.1"]\n')).check(buildIsolation);
  assert.deepEqual(lines(found), ["/p/pyproject.toml:2 warning"]);
  assert.match(found[0]?.message ?? "", /^An isolated build takes the newest torch that `torch` \(pyproject\.toml:2\) allows, 2\.\d+\.\d+ or later, and compiles target ops against it, while installs ask for `torch>=2\.1` \(pyproject\.toml:4\)/);
  assert.deepEqual(found[0]?.related.map((one) => one.location.range.start.line), [3]);
});

test("a floor is as open, also when no install requirement names torch", () => {
  const found = pinnedProject(pyproject('"torch>=2.8.0"')).check(buildIsolation);
  assert.deepEqual(lines(found), ["/p/pyproject.toml:2 warning"]);
  assert.match(found[0]?.message ?? "", /while no install requirement of the package names torch/);
});

test("the fix takes over the pin of the install, or the minor release at hand", () => {
  const taken = pinnedProject(pyproject('"torch"', '[project]\ndependencies = ["torch==2.8.*"]\n')).check(buildIsolation)[0]?.fixes[0];
  assert.deepEqual([taken?.preferred, taken?.edits[0]?.newText, taken?.edits[0]?.location.range.start], [true, "==2.8.*", { line: 1, character: 32 }]);
  const hand = pinnedProject(pyproject('"torch>=2"')).torch("2.8.0+cu128").check(buildIsolation)[0]?.fixes[0];
  assert.deepEqual([hand?.preferred, hand?.edits[0]?.newText], [false, "==2.8.*"]);
});

test("silent: pinned, narrow, isolation off, no native code", () => {
  assert.deepEqual(pinnedProject(pyproject('"torch==2.8.0"')).check(buildIsolation), []);
  assert.deepEqual(pinnedProject(pyproject('"torch==2.13.0+xpu"')).check(buildIsolation), []);
  assert.deepEqual(pinnedProject(pyproject('"torch>=2.7.0,<2.7.2"')).check(buildIsolation), []);
  assert.deepEqual(pinnedProject(pyproject('"torch"', '[tool.uv]\nno-build-isolation-package = ["ops"]\n')).check(buildIsolation), []);
  assert.deepEqual(pinnedProject(pyproject('"torch"'), false).check(buildIsolation), []);
});

test("a build by CMake that finds torch by itself", () => {
  const files = { "pyproject.toml": '[build-system]\nrequires = ["scikit-build-core>=0.10"]\nbuild-backend = "scikit_build_core.build"\n', "CMakeLists.txt": "ops\n" };
  const project = pinnedProject({ "pyproject.toml": files["pyproject.toml"] }, false).target("/p/CMakeLists.txt", ["/p/ops.cpp"]);
  assert.deepEqual(lines(project.check(buildIsolation)), ["/p/pyproject.toml:2 warning"]);
  const without = pinnedProject({ "pyproject.toml": files["pyproject.toml"] }, false).target("/p/CMakeLists.txt", ["/p/ops.cpp"], { usesTorch: false });
  assert.deepEqual(without.check(buildIsolation), []);
});

test("setup.py imports a torch that the build environment does not hold", () => {
  const importing = (build: string, rest = "", changes: { readonly optional?: boolean; readonly path?: string; readonly native?: boolean } = {}) => {
    const path = changes.path ?? "/p/setup.py";
    const project = pinnedProject({ ...pyproject(build, rest), "tools/build.py": "import torch\n" }, changes.native ?? true);
    project.observations.push({ kind: "torch-import", optional: changes.optional ?? false, conditions: [], evidence: project.evidence(path, "import torch") });
    return project.check(buildIsolation);
  };
  const found = importing('"wheel"');
  assert.deepEqual(lines(found), ["/p/pyproject.toml:2 info"]);
  assert.match(found[0]?.message ?? "", /^setup\.py imports torch \(setup\.py:2\), and build-system\.requires does not name it: an isolated build stops .* \(for instance torch==2\.\d+\.\*\), or build with --no-build-isolation/);
  assert.match(importing('"wheel"', '[project]\ndependencies = ["torch==2.8.*"]\n')[0]?.message ?? "", /\(torch==2\.8\.\*, as for the install\)/);
  assert.deepEqual(lines(importing('"wheel"', "", { native: false })), ["/p/pyproject.toml:2 info"]);
  assert.deepEqual(importing('"wheel"', "", { optional: true }), []);
  assert.deepEqual(importing('"wheel"', "", { path: "/p/tools/build.py" }), []);
  assert.deepEqual(importing('"torchvision==0.29.0"'), []);
  assert.deepEqual(importing('"wheel"', 'build-backend = "own_backend"\nbackend-path = ["."]\n'), []);
  assert.deepEqual(importing('"wheel"', '[tool.uv]\nno-build-isolation-package = ["ops"]\n'), []);
  assert.deepEqual(importing('"wheel"', '[tool.uv.extra-build-dependencies]\nops = ["torch"]\n'), []);
  assert.deepEqual(lines(importing('"torch"')), ["/p/pyproject.toml:2 warning"]);
  const image = (line: string) => {
    const project = pinnedProject({ ...pyproject('"wheel"'), Dockerfile: `FROM ubuntu\nRUN pip install ${line}\n` });
    project.observations.push({ kind: "torch-import", optional: false, conditions: [], evidence: project.evidence("/p/setup.py", "import torch") });
    return lines(project.check(buildIsolation));
  };
  assert.deepEqual(image("--no-build-isolation ."), []);
  assert.deepEqual(image("--no-build-isolation flash-attn"), ["/p/pyproject.toml:2 info"]);
});
