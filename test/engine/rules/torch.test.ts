import assert from "node:assert/strict";
import { test } from "node:test";
import type { Requirement } from "../../../src/engine/model/index.ts";
import type { Rule } from "../../../src/engine/rules/index.ts";
import { allowedTorch, dependsOnTorchVersion } from "../../../src/engine/rules/torch.ts";
import { RuleProject } from "../../support/rule-project.ts";

test("conditions on torch's version", () => {
  const depends = (text: string) => dependsOnTorchVersion([{ text, id: text, branch: 0, location: { path: "/p", range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } } } }]);
  for (const text of ['torch.__version__ >= "2.1"', "Torch_VERSION VERSION_LESS 2.7", "K2_TORCH_VERSION_MAJOR EQUAL 2", "TORCH_MAJOR >= 2", "TORCH_MINOR > 1", "torch_ver >= (2, 1)", "is_torch_2_1", "Version(torch.__version__) < Version('2.14')"]) assert.equal(depends(text), true, text);
  for (const text of ["torch.version.cuda is not None", "torch.version.hip", "USE_TORCH", "TORCH_CUDA_VERSION", "CUDA_VERSION >= 12", "torch.cuda.is_available()", "USE_TORCH_VERBOSE"]) assert.equal(depends(text), false, text);
});

/** First, last and number of the releases that a set of requirements allows for /p/csrc/CMakeLists.txt, and the words. */
function allowed(requirements: readonly (readonly [string, string, Requirement["role"]])[]): string {
  const made = new RuleProject({ "/p/setup.py": "" });
  for (const [path, text, role] of requirements) made.require(path, text, { role });
  let result = "";
  const probe: Rule = {
    name: "probe", severity: "info", summary: "",
    check(context) {
      const { releases, words } = allowedTorch(context, "/p/csrc/CMakeLists.txt");
      result = `${releases[0]?.version === context.catalogue.torchReleases[0]?.version ? "first" : (releases[0]?.version ?? "none")}..${releases.at(-1)?.version === context.catalogue.torchReleases.at(-1)?.version ? "last" : (releases.at(-1)?.version ?? "none")}; ${words}`;
      return [];
    },
  };
  made.check(probe);
  return result;
}

test("no requirement, a bare one, and bounds", () => {
  assert.equal(allowed([]), "first..last; no requirement of the project bounds torch");
  assert.equal(allowed([["/p/setup.py", "torch", "install"]]), "first..last; the project asks for torch without a bound (setup.py:1)");
  assert.equal(allowed([["/p/setup.py", "torch>=2.9", "install"]]), "2.9.0..last; the project asks for torch>=2.9 (setup.py:1)");
});

test("what the package declares counts together and before requirements files", () => {
  assert.match(allowed([["/p/pyproject.toml", "torch>=2.9", "build"], ["/p/setup.py", "torch<2.11", "install"]]), /^2\.9\.0\.\.2\.10\.0;/);
  assert.match(allowed([["/p/setup.py", "torch>=2.9", "install"], ["/p/requirements.txt", "torch==2.5.1", "requirements-file"]]), /^2\.9\.0\.\.last;/);
});

test("requirements files are alternatives", () => {
  assert.match(allowed([["/p/requirements/cpu.txt", "torch==2.5.1", "requirements-file"], ["/p/requirements/gpu.txt", "torch==2.8.0+cu128", "requirements-file"]]), /^2\.5\.1\.\.2\.8\.0;/);
});

test("a nightly stands for its release", () => {
  assert.match(allowed([["/p/requirements.txt", "torch==2.13.0.dev20260501", "requirements-file"]]), /^2\.13\.0\.\.2\.13\.0;/);
});

test("documentation and other projects beside this one do not count", () => {
  assert.match(allowed([["/p/docs/requirements.txt", "torch==1.13.0", "requirements-file"]]), /^first\.\.last;/);
  assert.match(allowed([["/p/csrc/setup.py", "torch>=2.9", "install"], ["/p/other/setup.py", "torch<2.0", "install"]]), /^2\.9\.0\.\.last;/);
});
