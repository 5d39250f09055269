import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isRequirementsFile } from "../../../../../src/engine/sources/python/requirements/index.ts";
import { read, shown } from "./read.ts";

describe("requirements files", () => {
  it("reads lines with ranges, markers, extras, comments and hashes", () => {
    const { requirements, gaps } = read("requirements.txt", "# comment\ntorch>=2.1,<2.9  # why\nTorch_Vision[a]==0.16 ; python_version > '3.8'\r\n  numpy\nninja==1.11 --hash=sha256:ab \\\n    --hash=sha256:cd\n");
    assert.deepEqual(shown(requirements), ["2:5-15 requirements-file torch|>=2.1,<2.9|", "3:15-21 requirements-file torch-vision|==0.16|python_version > '3.8'", "4:2-7 requirements-file numpy||", "5:5-11 requirements-file ninja|==1.11|"]);
    assert.deepEqual(requirements[1]?.extras, ["a"]);
    assert.equal(requirements[0]?.text, "torch>=2.1,<2.9");
    assert.deepEqual(gaps, []);
  });

  it("applies index options to all lines and tells nightlies", () => {
    const { requirements } = read("requirements.txt", "torch\nnumpy\ntorchvision==0.22.0\n--pre\n--extra-index-url=https://download.pytorch.org/whl/nightly/cu128\n-f https://example.org/links\n");
    assert.deepEqual(requirements.map((one) => one.nightly), [true, false, false]);
    assert.deepEqual(requirements[0]?.indexUrls, ["https://download.pytorch.org/whl/nightly/cu128", "https://example.org/links"]);
    assert.equal(read("requirements.txt", "torch==2.10.0.dev20250826+cu128\n").requirements[0]?.nightly, true);
  });

  it("reads direct links with the version in the wheel's name", () => {
    const wheel = "https://download.pytorch.org/whl/cu118/torch-2.1.0%2Bcu118-cp310-cp310-linux_x86_64.whl";
    const { requirements } = read("requirements.txt", `torch @ ${wheel}\n${wheel} ; sys_platform == 'linux'\ngit+https://example.org/x.git#egg=my_pkg\n./local\n-e .\n.[dev]\n`);
    assert.deepEqual(requirements.map((one) => `${one.name}${one.specifier} ${one.url === undefined ? "" : "link"} ${one.marker ?? ""}`), ["torch==2.1.0+cu118 link ", "torch==2.1.0+cu118 link sys_platform == 'linux'", "my-pkg link "]);
  });

  it("joins continued lines, and then gives no place for the version alone", () => {
    const { requirements } = read("requirements.txt", "torch \\\n  >=2.1\n");
    assert.deepEqual([requirements[0]?.specifier, requirements[0]?.specifierLocation, requirements[0]?.location.range.end], [">=2.1", undefined, { line: 1, character: 7 }]);
  });

  it("follows includes that no other reader takes up, and only once", () => {
    const { requirements, observations, files, gaps } = read("requirements.txt", "-r deps.list\n-c constraints.txt\n-r https://example.org/r.txt\n-rmissing.list\n", { "/p/deps.list": "torch==2.8.0\n-r requirements.txt\n-r deps.list\n", "/p/constraints.txt": "torch<3\n" });
    assert.deepEqual(shown(requirements), ["1:5-12 requirements-file torch|==2.8.0|"]);
    assert.deepEqual(observations.flatMap((one) => (one.kind === "requirement-include" ? [`${one.path} ${one.constraint}`] : [])), ["/p/deps.list false", "/p/requirements.txt false", "/p/deps.list false", "/p/constraints.txt true", "/p/missing.list false"]);
    assert.deepEqual(files, ["/p/requirements.txt", "/p/deps.list", "/p/missing.list"]);
    assert.deepEqual(gaps.map((gap) => gap.kind), ["evaluation", "file"]);
  });

  it("reports lines that are no requirement and goes on", () => {
    const { requirements, gaps } = read("requirements.txt", "torch 2.0\n=====\nnumpy\n");
    assert.deepEqual(requirements.map((one) => one.name), ["numpy"]);
    assert.deepEqual(gaps.map((gap) => gap.location?.range.start.line), [0, 1]);
  });

  it("gives constraints their role", () => {
    assert.deepEqual(shown(read("constraints.txt", "torch==2.8.0\n").requirements), ["1:5-12 constraint torch|==2.8.0|"]);
  });
});

describe("setup.cfg", () => {
  it("reads requirement lists, extras, python_requires and the wheel tag", () => {
    const { requirements, observations } = read("setup.cfg", "[metadata]\nname = x\n[options]\npython_requires = >=3.9\ninstall_requires =\n    torch>=2.1  # c\n    numpy; os_name == 'nt'\nsetup-requires = pybind11==2.12\n[options.extras_require]\ncuda = triton==3.1.0\n[bdist_wheel]\npy_limited_api = cp39\n");
    assert.deepEqual(shown(requirements), ["6:9-14 install torch|>=2.1|", "7:4-26 install numpy||os_name == 'nt'", "8:25-31 setup-requires pybind11|==2.12|", "10:13-20 optional[cuda] triton|==3.1.0|"]);
    assert.deepEqual(observations.map((one) => [one.kind, one.evidence.text]), [["python-range", ">=3.9"], ["wheel-tag", "cp39"]]);
  });
});

describe("names of files", () => {
  it("knows which files it reads", () => {
    const yes = ["requirements.txt", "requirements-dev.txt", "dev_requirements.txt", "requirements/cuda.txt", "requirements/test/xpu.in", "constraints.txt", "pyproject.toml", "pyproject_cpu.toml", "setup.cfg", "environment.yml", "environment-gpu.yaml", "conda/environments/all_cuda-129.yaml", "meta.yaml", "recipe.yaml", "dependencies.yaml", "Dockerfile", "docker/Dockerfile.rocm", "xpu.Dockerfile", "CMakePresets.json", "CMakeUserPresets.json"];
    const no = ["setup.py", "readme.txt", "CMakeLists.txt", "check_requirements.py", "conda_build_config.yaml", "ci.yml", "REQUIREMENTS.md", "Dockerfile.md", "update-dockerfile.sh", "package.json", "LICENSE.txt"];
    assert.deepEqual(yes.filter((one) => !isRequirementsFile(`/p/${one}`)), []);
    assert.deepEqual(no.filter((one) => isRequirementsFile(`/p/${one}`)), []);
  });
});
