import assert from "node:assert/strict";
import { test } from "node:test";
import { torchRequirement } from "../../../src/engine/rules/torch-requirement.ts";
import { pinnedProject } from "../../support/pinned-project.ts";
import { lines } from "../../support/rule-project.ts";
import { processorTime } from "../../support/processorTime.ts";

const check = (files: Readonly<Record<string, string>>, native = true) => pinnedProject(files, native).check(torchRequirement);
const project = (...dependencies: readonly string[]) => `[project]\nname = "ops"\ndependencies = [\n${dependencies.map((one) => `  "${one}",\n`).join("")}]\n`;

test("a native package that admits other torches than its own", () => {
  const bare = check({ "pyproject.toml": project("torch") });
  assert.deepEqual(lines(bare), ["/p/pyproject.toml:4 warning"]);
  assert.match(bare[0]?.message ?? "", /^Target ops binds to the C\+\+ interface .* the install requirement `torch` \(pyproject\.toml:4\) admits any torch/);
  assert.deepEqual(lines(check({ "pyproject.toml": project("numpy", "torch>=2.1") })), ["/p/pyproject.toml:5 warning"]);
  const missing = check({ "pyproject.toml": project("numpy") });
  assert.deepEqual(lines(missing), ["/p/pyproject.toml:4 warning"]);
  assert.match(missing[0]?.message ?? "", /do not name torch: the built package installs beside any torch/);
});

test("silent about packages that are bound, not native, or whose build already says it", () => {
  assert.deepEqual(check({ "pyproject.toml": project("torch==2.8.*") }), []);
  assert.deepEqual(check({ "pyproject.toml": project("torch>=2.7.0,<2.7.2") }), []);
  assert.deepEqual(check({ "pyproject.toml": project("torch>=2.1,<3") }, false), []);
  assert.deepEqual(check({ "pyproject.toml": `[build-system]\nrequires = ["torch"]\n${project("torch")}` }), []);
  assert.deepEqual(check({ "pyproject.toml": '[project]\nname = "ops"\n' }), []);
});

test("an install list whose versions or names are computed", () => {
  const computed = (name: string) => lines(pinnedProject({}).require("/p/setup.py", "ops", { name, specifier: "=={version}", known: false }).check(torchRequirement));
  assert.deepEqual(computed("mkl-static"), ["/p/setup.py:1 warning"]);
  assert.deepEqual(computed("{dependency}"), []);
});

test("a requirements file counts as metadata when setup.py reads it", () => {
  const reads = { "setup.py": "ops\nimport torch\nopen('requirements.txt')\n", "requirements.txt": "torch>=2.1\n" };
  assert.deepEqual(lines(check(reads)), ["/p/requirements.txt:1 warning"]);
  assert.deepEqual(check({ "requirements.txt": "torch>=2.1\n" }), []);
});

test("a computed exact pin is taken as it is, a computed floor is not", () => {
  const computed = (specifier: string) => lines(pinnedProject({}).require("/p/setup.py", "torch", { specifier, known: false }).check(torchRequirement));
  assert.deepEqual(computed("=={torch.__version__}"), []);
  assert.deepEqual(computed(">={torch.__version__}"), ["/p/setup.py:2 warning"]);
});

test("the build and the install exclude each other", () => {
  const found = check({ "pyproject.toml": `[build-system]\nrequires = ["torch==2.14.*"]\n${project("torch<2.9")}` });
  assert.match(found[0]?.message ?? "", /^The build requires `torch==2\.14\.\*` \(pyproject\.toml:2\) and the install requires `torch<2\.9` \(pyproject\.toml:6\): no torch meets both/);
  assert.equal(found[0]?.severity, "warning");
});

test("requirements that nothing can meet", () => {
  assert.deepEqual(lines(check({ "requirements.txt": "torch>=2.9,<2.8\n" }, false)), ["/p/requirements.txt:1 error"]);
  const label = check({ "requirements.txt": "torch==2.8.0+cu130\n" }, false);
  assert.deepEqual(lines(label), ["/p/requirements.txt:1 warning"]);
  assert.match(label[0]?.message ?? "", /torch 2\.8\.0 was released for cu126, cu128 and cu129, not for cu130\. Builds labelled cu130 begin with torch 2\.9\.$/);
  assert.deepEqual(label[0]?.fixes[0]?.edits[0]?.newText, "==2.8.0+cu129");
  assert.deepEqual(check({ "requirements.txt": "torch==2.8.0+cu128\n" }, false), []);
  assert.deepEqual(check({ "requirements.txt": "torch==2.8.0+cpu\n" }, false), []);
  assert.deepEqual(check({ "requirements.txt": "torch==2.10.0+cu129\n" }, false), []);
  assert.deepEqual(check({ "requirements.txt": "torch==2.8.0+mycompany1\n" }, false), []);
  assert.match(check({ "requirements.txt": "torch==2.8.0+cu117\n" }, false)[0]?.message ?? "", /not for cu117\. Builds labelled cu117 end with torch 2\.0\.$/);
});

test("files that are included in each other have to agree", () => {
  const found = check({ "requirements.txt": "-r base.txt\n-c constraints.txt\ntorch==2.8.0\n", "constraints.txt": "torch==2.7.1\n", "base.txt": "numpy\n" }, false);
  assert.deepEqual(lines(found), ["/p/requirements.txt:3 warning"]);
  assert.match(found[0]?.message ?? "", /are installed together and exclude each other/);
  assert.deepEqual(check({ "requirements.txt": "-c constraints.txt\ntorch>=2.7\n", "constraints.txt": "torch==2.7.1\n" }, false), []);
});

test("silent about alternatives: markers, variants, matrix cells, other files", () => {
  assert.deepEqual(check({ "requirements.txt": "torch==2.8.0; sys_platform == 'darwin'\ntorch==2.8.0+cpu; sys_platform != 'darwin'\n" }), []);
  assert.deepEqual(check({ "requirements-cpu.txt": "torch==2.8.0+cpu\n", "requirements-cuda.txt": "torch==2.7.0\n" }), []);
  assert.deepEqual(check({ "requirements_2.13.txt": "torch==2.13.0\n", "requirements.txt": "torch==2.14.0\n" }), []);
  assert.deepEqual(check({ "docs/requirements.txt": "torch==2.1.0\n", "requirements.txt": "torch==2.8.0\n" }), []);
  const cells = "dependencies:\n  torch:\n    specific:\n      - output_types: requirements\n        matrices:\n          - matrix: {cuda: '12.9'}\n            packages: [torch==2.8.0+cu129]\n          - matrix: {cuda: '13.0'}\n            packages: [torch==2.13.0+cu130]\n";
  assert.deepEqual(check({ "dependencies.yaml": cells }), []);
});

test("two routes into one environment are information", () => {
  const found = check({ "environment.yml": "dependencies:\n  - pytorch=1.10\n", "requirements_frozen.txt": "torch==2.7.0\n" });
  assert.deepEqual(lines(found), ["/p/environment.yml:2 info"]);
  assert.match(found[0]?.message ?? "", /give the same package another torch on another route of installation/);
  assert.deepEqual(lines(check({ "requirements.txt": "pybind11==3.0.4\n", ".github/requirements/triton-test.txt": "pybind11==3.0.1\n" })), ["/p/.github/requirements/triton-test.txt:1 info"]);
  assert.deepEqual(check({ "requirements.txt": "pybind11==3.0.4\n", "pyproject.toml": '[build-system]\nrequires = ["pybind11>=3.0.1"]\n' }), []);
});

test("an image whose torch the package refuses", () => {
  const package_ = { "pyproject.toml": project("torch>=2.7.0,<2.7.2") };
  const base = check({ ...package_, "Dockerfile": "FROM nvcr.io/nvidia/pytorch:23.09-py3\nRUN pip install .\n" });
  assert.deepEqual(lines(base), ["/p/Dockerfile:1 warning"]);
  assert.match(base[0]?.message ?? "", /^The base image nvcr\.io\/nvidia\/pytorch:23\.09-py3 \(Dockerfile:1\) holds torch 2\.1\.0a0\+32f93b1, and the package requires `torch>=2\.7\.0,<2\.7\.2` \(pyproject\.toml:4\)/);
  assert.deepEqual(lines(check({ ...package_, "docker/Dockerfile": "ARG V=1.13.0\nFROM ubuntu\nARG V\nRUN pip install torch==${V}\n" })), ["/p/docker/Dockerfile:4 warning"]);
  assert.deepEqual(check({ ...package_, "Dockerfile": "FROM pytorch/pytorch:2.7.1-cuda12.6-cudnn9-devel\n" }), []);
  assert.deepEqual(check({ ...package_, "Dockerfile": "FROM pytorch/pytorch:2.1.2-cuda12.1-cudnn8-devel\nRUN pip install 'torch>=2.7'\n" }), []);
  assert.deepEqual(check({ ...package_, "examples/docker/Dockerfile": "FROM pytorch/pytorch:2.1.2-cuda12.1-cudnn8-devel\n" }), []);
});

test("the torch to check against is not the one required", () => {
  const given = (version: string, source: "environment" | "catalogue") => lines(pinnedProject({ "pyproject.toml": project("torch==2.8.*") }).torch(version, {}, { source }).check(torchRequirement));
  assert.deepEqual(given("2.9.0+cu128", "environment"), ["/p/pyproject.toml:4 warning"]);
  assert.deepEqual(given("2.9.0+cu128", "catalogue"), ["/p/pyproject.toml:4 info"]);
  assert.deepEqual(given("2.8.0+cu128", "environment"), []);
  assert.deepEqual(given("2.8.0a0+git.nv25.06", "environment"), []);
});

test("a marker decides whether a requirement is in force", () => {
  const given = (marker: string) => lines(pinnedProject({ "pyproject.toml": project(`torch==2.8.* ; ${marker}`) }).torch("2.9.0", { platform: "linux-x86_64", "python-version": "3.11.4" }).check(torchRequirement));
  assert.deepEqual(given("sys_platform == 'linux' and python_version >= '3.10'"), ["/p/pyproject.toml:4 warning"]);
  assert.deepEqual(given("sys_platform == 'darwin'"), []);
  assert.deepEqual(given("platform_release > '5'"), []);
});

test("an extra that excludes what the package itself requires", () => {
  const extras = (own: string, ...added: readonly string[]) => check({ "pyproject.toml": `${project(own)}[project.optional-dependencies]\n${added.map((one) => `${one}\n`).join("")}` });
  const found = extras("torch==2.13.0", 'old = ["torch==2.12.0"]');
  assert.deepEqual(lines(found), ["/p/pyproject.toml:7 warning"]);
  assert.match(found[0]?.message ?? "", /^The extra old asks for `torch==2\.12\.0` \(pyproject\.toml:7\), and the package itself requires `torch==2\.13\.0` \(pyproject\.toml:4\): an extra is installed together with what the package requires/);
  assert.deepEqual(extras("torch==2.13.0", 'same = ["torch==2.13.0+cu130"]', 'floor = ["torch>=2.9"]'), []);
  assert.deepEqual(extras("torch==2.13.0; sys_platform == 'linux'", "mac = [\"torch==2.12.0; sys_platform == 'darwin'\"]"), []);
  assert.deepEqual(extras("numpy; python_version < '4'", 'a = ["torch==2.12.*"]', 'b = ["torch==2.13.*"]').filter((one) => one.message.startsWith("The extra")), []);
  const poetry = check({ "pyproject.toml": '[tool.poetry.dependencies]\ntorch = [\n  {version = "2.13.0", markers = "extra != \'old\'"},\n  {version = "2.12.0", optional = true},\n]\n' });
  assert.deepEqual(poetry.filter((one) => one.message.startsWith("The extra")), []);
  assert.deepEqual(lines(check({ "setup.cfg": "[options]\ninstall_requires =\n  torch==2.13.0\n[options.extras_require]\nold =\n  torch==2.12.0\n" })), ["/p/setup.cfg:6 warning"]);
});

test("setup_requires against install_requires", () => {
  const found = check({ "setup.cfg": "[options]\nsetup_requires =\n  torch>=2.13\ninstall_requires =\n  torch==2.12.0\n" });
  assert.deepEqual(lines(found), ["/p/setup.cfg:5 warning"]);
  assert.match(found[0]?.message ?? "", /^The build requires `torch>=2\.13` \(setup\.cfg:3\) and the install requires `torch==2\.12\.0` \(setup\.cfg:5\): no torch meets both/);
  assert.deepEqual(check({ "setup.cfg": "[options]\nsetup_requires =\n  torch>=2.12\ninstall_requires =\n  torch==2.12.0\n" }), []);
});

test("what cibuildwheel installs before a build or for a test", () => {
  const wheels = (settings: string, own = "torch==2.13.0") => check({ "pyproject.toml": `${project(own)}[tool.cibuildwheel]\n${settings}` });
  const before = wheels('before-build = "pip install -U pip && pip install torch==2.10.0 --index-url https://download.pytorch.org/whl/cpu"\n');
  assert.deepEqual(lines(before), ["/p/pyproject.toml:7 warning"]);
  assert.deepEqual(before[0]?.location.range.start.character, 50);
  assert.match(before[0]?.message ?? "", /^cibuildwheel installs `torch==2\.10\.0` \(pyproject\.toml:7\) before each build, and the package requires `torch==2\.13\.0` \(pyproject\.toml:4\)/);
  assert.deepEqual(lines(wheels('before-build = ["pip install cmake", "pip install torch==2.10.0"]\n')), ["/p/pyproject.toml:7 warning"]);
  const build = check({ "pyproject.toml": '[build-system]\nrequires = ["torch==2.13.*"]\n[tool.cibuildwheel]\nbefore-build = "pip install torch==2.10.0"\n' });
  assert.match(build[0]?.message ?? "", /and the build requires `torch==2\.13\.\*` .* the wheels are not built with what the build requires\.$/);
  const tests = wheels('test-requires = ["pytest", "torch==2.10.0"]\n');
  assert.match(tests[0]?.message ?? "", /^cibuildwheel tests the wheel with `torch==2\.10\.0` \(pyproject\.toml:7\), and the package requires/);
  assert.deepEqual(wheels('before-build = "pip install torch==2.13.0+cpu"\nbefore-all = "pip install torch==2.10.0"\n'), []);
  assert.deepEqual(wheels('[tool.cibuildwheel.windows]\nbefore-build = "pip install torch==2.10.0"\n', "torch==2.13.0; sys_platform == 'linux'"), []);
  assert.deepEqual(wheels('before-build = "pip install torch==2.10.0"\n[tool.cibuildwheel.linux]\nbefore-build = "pip install torch==2.13.0"\n', "torch==2.13.0; sys_platform == 'linux'"), []);
});

test("a conda environment, its list for pip and the files of that list", () => {
  const environment = (conda: string, ...pip: readonly string[]) => `dependencies:\n  - ${conda}\n  - pip:\n${pip.map((one) => `    - ${one}\n`).join("")}`;
  const found = check({ "environment.yml": environment("pytorch=2.13.0", "torch==2.12.0") }, false);
  assert.deepEqual(lines(found), ["/p/environment.yml:2 warning"]);
  assert.match(found[0]?.message ?? "", /are installed together and exclude each other: no version of torch meets both\.$/);
  assert.deepEqual(lines(check({ "environment.yml": environment("pytorch=2.13.0", "-r req.txt"), "req.txt": "torch==2.12.0\n" }, false)), ["/p/environment.yml:2 warning"]);
  assert.deepEqual(lines(check({ "environment.yml": environment("python", "-r requirements.txt", "torch==2.13.0"), "requirements.txt": "torch==2.12.0\n" }, false)), ["/p/environment.yml:5 warning"]);
  assert.deepEqual(check({ "environment.yml": environment("pytorch=2.13", "torch==2.13.0+cu130", "-r req.txt"), "req.txt": "torch>=2.9\n" }, false), []);
  assert.deepEqual(check({ "environment.yml": environment("pytorch=2.13.0  # [linux]", "torch==2.12.0  # [osx]") }, false), []);
  assert.deepEqual(check({ "environment-a.yml": environment("pytorch=2.13.0", "numpy"), "environment-b.yml": environment("pytorch=2.12.0", "numpy") }, false), []);
});

test("a recipe that compiles against another torch than it runs with", () => {
  const recipe = (host: string, run: string) => check({ "recipe/meta.yaml": `requirements:\n  host:\n    - ${host}\n  run:\n    - ${run}\n` }, false);
  const found = recipe("pytorch 2.12.*", "pytorch >=2.13");
  assert.deepEqual(lines(found), ["/p/recipe/meta.yaml:5 warning"]);
  assert.match(found[0]?.message ?? "", /^The recipe compiles against `torch==2\.12\.\*` \(recipe\/meta\.yaml:3\) and requires `torch>=2\.13` \(recipe\/meta\.yaml:5\) at run time/);
  assert.deepEqual(recipe("pytorch 2.12.*", "pytorch >=2.12,<2.13"), []);
  assert.deepEqual(recipe("pytorch 2.12.*", "{{ pin_compatible('pytorch') }}"), []);
  assert.deepEqual(recipe("pytorch 2.12.*  # [linux]", "pytorch >=2.13  # [not linux]"), []);
  assert.deepEqual(recipe('pytorch 2.12.*  # [cuda_compiler_version == "None"]', 'pytorch >=2.13  # [cuda_compiler_version != "None"]'), []);
  const outputs = "outputs:\n  - name: a\n    requirements:\n      host: [pytorch 2.12.*]\n  - name: b\n    requirements:\n      run: [pytorch >=2.13]\n";
  assert.deepEqual(check({ "meta.yaml": outputs }, false), []);
});

test("uv's overrides and constraints of the build are no part of the environment", () => {
  const uv = (name: string) => check({ "pyproject.toml": `[tool.uv]\nconstraint-dependencies = ["torch==2.13.0"]\n${name} = ["torch==2.12.0"]\n` }, false);
  assert.deepEqual(uv("override-dependencies"), []);
  assert.deepEqual(uv("build-constraint-dependencies"), []);
});

test("thousands of pins are compared in no time", () => {
  const many = Array.from({ length: 5000 }, (_, index) => `torch>=2.${index % 40}.${index}\n`).join("");
  const started = processorTime();
  check({ "requirements.txt": many }, false);
  assert.ok(processorTime() - started < 2000);
});
