import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { poetrySpecifier } from "../../../../../src/engine/sources/python/requirements/pyproject.ts";
import { read, shown } from "./read.ts";

describe("pyproject.toml", () => {
  it("reads build, install, optional and group requirements", () => {
    const { requirements, observations } = read("pyproject.toml", `[build-system]
requires = ["torch==2.8.*", 'ninja']
build-backend = "setuptools.build_meta"
[project]
requires-python = ">=3.10"
dependencies = [
  "torch>=2.1 ; platform_system == 'Linux'", # comment
]
[project.optional-dependencies]
cuda = ["triton==3.4.0"]
[dependency-groups]
test = ["pytest", {include-group = "lint"}]
`);
    assert.deepEqual(shown(requirements), ["2:18-25 build torch|==2.8.*|", "2:29-34 build ninja||", "7:8-13 install torch|>=2.1|platform_system == 'Linux'", "10:15-22 optional[cuda] triton|==3.4.0|", "12:9-15 development[test] pytest||"]);
    assert.deepEqual(observations.map((one) => [one.kind, one.evidence.location.range.start.line]), [["build-system", 1], ["python-range", 4]]);
  });

  it("reads uv", () => {
    const { requirements, observations } = read("pyproject.toml", `[project]
dependencies = ["torch"]
[tool.uv]
no-build-isolation-package = ["flash-attn"]
dev-dependencies = ["ruff"]
constraint-dependencies = ["torch<3"]
[tool.uv.extra-build-dependencies]
flash-attn = [{ requirement = "torch==2.8.0", match-runtime = true }, "ninja"]
[[tool.uv.index]]
url = "https://download.pytorch.org/whl/nightly/cu128"
[[tool.uv.index]]
url = "https://example.org/explicit"
explicit = true
`);
    assert.deepEqual(shown(requirements), ["2:17-22 install torch||", "5:21-25 development[dev] ruff||", "6:33-35 constraint torch|<3|", "8:36-43 uv-build[flash-attn] torch|==2.8.0|", "8:71-76 uv-build[flash-attn] ninja||"]);
    assert.deepEqual(requirements[0]?.indexUrls, ["https://download.pytorch.org/whl/nightly/cu128"]);
    assert.deepEqual([requirements[0]?.nightly, requirements[3]?.nightly], [true, false]);
    assert.deepEqual(observations.map((one) => (one.kind === "build-isolation" ? one.packages : [])), [["flash-attn"]]);
  });

  it("translates Poetry's versions", () => {
    assert.deepEqual(["^2.1", "^0.16.2", "~2.1.3", "~2", "2.1.*", "2.8.0", ">=2,<3", "*", "^0.0.3", "2.0 || 2.1"].map(poetrySpecifier), [">=2.1,<3", ">=0.16.2,<0.17", ">=2.1.3,<2.2", ">=2,<3", "==2.1.*", "==2.8.0", ">=2,<3", "", ">=0.0.3,<0.0.4", undefined]);
    const { requirements } = read("pyproject.toml", `[tool.poetry.dependencies]\npython = "^3.10"\ntorch = "^2.1"\ntorchvision = { version = "0.16.*", optional = true, markers = "os_name == 'nt'" }\n[tool.poetry.group.dev.dependencies]\nninja = "*"\n`);
    assert.deepEqual(shown(requirements), ["3:8-14 install torch|>=2.1,<3|", "4:14-82 optional[extras] torchvision|==0.16.*|os_name == 'nt'", "6:8-11 development[dev] ninja||"]);
  });

  it("reads what fixes the compiler's environment", () => {
    const { observations } = read("pyproject.toml", `[tool.scikit-build]
wheel.py-api = "cp310"
cmake.source-dir = "csrc"
cmake.args = ["-DUSE_ABI:STRING=0", "-GNinja"]
[tool.scikit-build.cmake.define]
CMAKE_CXX_STANDARD = 17
WITH_CUDA = true
FROM_ENV = { env = "X", default = "1" }
[[tool.scikit-build.overrides]]
if.platform-system = "darwin"
cmake.define.WITH_CUDA = false
[tool.cibuildwheel.linux.environment]
TORCH_CUDA_ARCH_LIST = "8.0;9.0"
`);
    const [list, arguments_, override] = [observations.filter((one) => one.kind === "architecture-list"), ...observations.filter((one) => one.kind === "cmake-arguments")];
    assert.deepEqual(list.map((one) => one.value), ["8.0;9.0"]);
    assert.equal(arguments_?.sourceDirectory, "/p/csrc");
    assert.deepEqual(arguments_?.definitions.map((one) => `${one.name}=${one.value} ${one.evidence.location.range.start.line}`), ["CMAKE_CXX_STANDARD=17 5", "WITH_CUDA=ON 6", "FROM_ENV=1 7", "USE_ABI=0 3"]);
    assert.deepEqual([override?.definitions.map((one) => one.value), override?.conditions.length], [["OFF"], 1]);
    assert.deepEqual(observations.filter((one) => one.kind === "wheel-tag").map((one) => one.tag), ["cp310"]);
  });

  it("leaves out broken lines and keeps the rest", () => {
    const { requirements, gaps } = read("pyproject.toml", '[build-system]\nrequires = ["torch==2.8.0"]\nbroken = = 3\n[project]\ndependencies = ["torch"]\n');
    assert.deepEqual(requirements.map((one) => one.role), ["build", "install"]);
    assert.deepEqual(gaps.map((gap) => [gap.kind, gap.location?.range.start.line]), [["file", 2]]);
  });

  it("survives hostile documents", () => {
    for (const text of ["x = " + "[".repeat(10_000), "[".repeat(5000), "a.".repeat(20_000) + "b = 1", '"""', "[project]\ndependencies = [1, true, {}, [], \"\"]\n", "[project]\ndependencies = \"torch\"\n", "[[project]]\n[project.x]\n"]) {
      assert.ok(read("pyproject.toml", text).files.length === 1);
    }
  });
});
