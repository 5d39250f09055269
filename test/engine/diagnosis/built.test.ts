import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { after, describe, it } from "node:test";
import { loadCatalogue } from "../../../src/engine/catalogue/index.ts";
import { scanEnvironment } from "../../../src/engine/diagnosis/built/environmentScan.ts";
import { torchOfBuild } from "../../../src/engine/diagnosis/built/builtWith.ts";
import { Workspace } from "../../../src/engine/diagnosis/workspace.ts";
import type { Diagnosis } from "../../../src/engine/diagnosis/index.ts";
import { NodeFiles } from "../../../src/engine/files/index.ts";
import { describeEnvironment } from "../../../src/engine/installed/index.ts";
import { writeFiles, writeTorch, writeVenv } from "../../support/fake-torch.ts";
import { writeExtension } from "../../support/small-extension.ts";

const scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "abiding-built-")));
after(() => fs.rmSync(scratch, { recursive: true }));

const catalogue = loadCatalogue();
const venv = path.join(scratch, "venv");
const site = writeVenv(venv, "3.11.2");
const torchRoot = path.join(site, "torch");
writeTorch(torchRoot, { version: "2.13.0+cpu", cuda: null, abi: 1, configuredAbi: 1 });
fs.utimesSync(path.join(torchRoot, "version.py"), 1000, 1000);

const setup = (flag: string): string => `from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CppExtension
setup(
  name="ops",
  ext_modules=[CppExtension("ops._C", ["ops.cpp"], extra_compile_args=[${flag}])],
  cmdclass={"build_ext": BuildExtension},
)
`;
const zero = '"-D_GLIBCXX_USE_CXX11_ABI=0"';
const suffix = "cpython-311-x86_64-linux-gnu.so";

function project(name: string, files: Readonly<Record<string, string>>): string {
  const root = path.join(scratch, name);
  writeFiles(root, files);
  return root;
}

function workspace(root: string, environment: Readonly<Record<string, string>> = {}): Workspace {
  return new Workspace(root, new NodeFiles(), { catalogue, environment, against: [venv], only: ["libstdcxx-abi", "torch-symbols", "missing-library", "own-symbol", "stale-build"] });
}

function said(diagnosis: Diagnosis): readonly string[] {
  return diagnosis.findings.map((one) => `${one.severity} ${one.rule} ${path.relative(diagnosis.root, one.location.path)}:${one.location.range.start.line + 1}`);
}

function built(diagnosis: Diagnosis): readonly string[] {
  return diagnosis.built.map((one) => `${one.origin} ${path.relative(diagnosis.root, one.body.path)} ${one.target?.name ?? "-"} ${one.fit?.verdict ?? "-"}`);
}

describe("built files of a project", () => {
  it("join the line that caused them, and are read again when a compiler replaced them", () => {
    const root = project("joined", { "setup.py": setup(zero), "ops.cpp": "#include <torch/extension.h>\n" });
    const file = path.join(root, "ops", `_C.${suffix}`);
    writeExtension(file, { abi: 0, torchRoot, module: "_C" });
    const checked = workspace(root);
    const first = checked.diagnose();
    assert.deepEqual(built(first), [`beside-package ops/_C.${suffix} ops._C conflict`]);
    assert.deepEqual(said(first), ["error libstdcxx-abi setup.py:5"]);
    assert.match(first.findings[0]?.message ?? "", /ops\/_C\.cpython-311-x86_64-linux-gnu\.so needs `c10::Error::Error\(c10::SourceLocation, /);
    assert.equal(first.findings[0]?.related.at(-1)?.location.path, file);
    assert.equal(checked.diagnose(), first);
    writeExtension(file, { abi: 1, torchRoot, module: "_C" });
    fs.utimesSync(file, new Date(Date.now() + 5000), new Date(Date.now() + 5000));
    const second = checked.diagnose();
    assert.notEqual(second, first);
    assert.deepEqual(built(second), [`beside-package ops/_C.${suffix} ops._C no-conflict`]);
    assert.doesNotMatch(second.findings[0]?.message ?? "", /needs `c10/);
  });

  it("are found when they appear, without walking the project again, and are forgotten when they go", () => {
    const root = project("appearing", { "setup.py": setup(""), "ops.cpp": "" });
    const file = path.join(root, "build", "lib.linux-x86_64-cpython-311", "ops", `_C.${suffix}`);
    const checked = workspace(root);
    assert.deepEqual(built(checked.diagnose()), []);
    writeExtension(file, { abi: 0, torchRoot, module: "_C" });
    assert.equal(checked.invalidate(file), true);
    assert.deepEqual(built(checked.diagnose()), [`build-folder build/lib.linux-x86_64-cpython-311/ops/_C.${suffix} ops._C conflict`]);
    assert.deepEqual(said(checked.diagnose()), ["error libstdcxx-abi setup.py:5"]);
    fs.rmSync(file);
    checked.invalidate(file);
    assert.deepEqual(built(checked.diagnose()), []);
    assert.equal(checked.invalidate(path.join(root, "third_party", "x.so")), false);
    assert.equal(checked.invalidate("/elsewhere/x.so"), false);
  });

  it("lie in configured build folders too", () => {
    const root = project("configured", {
      "CMakeLists.txt": "cmake_minimum_required(VERSION 3.18)\nproject(ops LANGUAGES CXX)\nfind_package(Torch REQUIRED)\nadd_library(ops SHARED ops.cpp)\ntarget_link_libraries(ops PRIVATE torch)\n",
      "ops.cpp": "", "out/CMakeCache.txt": "", "out/CMakeFiles/x.txt": "",
    });
    writeExtension(path.join(root, "out", "lib", "libops.so"), { abi: 0, torchRoot });
    writeExtension(path.join(root, "out", "CMakeFiles", "libprobe.so"), { abi: 0, torchRoot });
    const diagnosis = workspace(root).diagnose();
    assert.deepEqual(built(diagnosis), ["build-folder out/lib/libops.so ops conflict"]);
    assert.deepEqual(said(diagnosis), ["error libstdcxx-abi CMakeLists.txt:4"]);
  });

  it("that concern neither torch nor a target, other people's, and those of tests are left alone", () => {
    const root = project("others", { "setup.py": setup(""), "ops.cpp": "" });
    writeExtension(path.join(root, "tests", "data", "old.so"), { abi: 0, torchRoot });
    writeExtension(path.join(root, "third_party", "theirs.so"), { abi: 0, torchRoot });
    fs.mkdirSync(path.join(root, "lib"));
    fs.copyFileSync("/proc/self/exe", path.join(root, "lib", "plain.so"));
    fs.writeFileSync(path.join(root, "lib", "text.so"), "INPUT(-lc)");
    assert.deepEqual(built(workspace(root).diagnose()), []);
  });

  it("in torch's JIT cache are matched by name, and said to be stale", () => {
    const cache = path.join(scratch, "extensions");
    const root = project("jit", { "run.py": 'from torch.utils.cpp_extension import load\nops = load(name="ops", sources=["ops.cpp"])\n', "ops.cpp": "" });
    const file = path.join(cache, "ops", "ops.so");
    writeExtension(file, { abi: 0, torchRoot, module: "ops" });
    writeFiles(path.join(cache, "ops"), { "build.ninja": `cflags = -isystem ${torchRoot}/include\n`, ".ninja_log": "# ninja log v5\n0\t1\t2\tops.so\t3ffc\n" });
    const diagnosis = workspace(root, { TORCH_EXTENSIONS_DIR: cache }).diagnose();
    assert.deepEqual(built(diagnosis), ["jit-cache ../extensions/ops/ops.so ops conflict"]);
    assert.deepEqual(said(diagnosis), ["warning stale-build run.py:2"]);
    assert.deepEqual(built(workspace(root, { HOME: scratch }).diagnose()), []);
  });

  it("that were installed from here belong to it", () => {
    const root = project("own", { "setup.py": setup(""), "ops.cpp": "" });
    writeExtension(path.join(site, "ops", `_C.${suffix}`), { abi: 0, torchRoot, module: "_C" });
    writeFiles(path.join(site, "ops-1.0.dist-info"), { METADATA: "Name: ops\nVersion: 1.0\n", RECORD: `ops/_C.${suffix},sha256=x,1\nops/__init__.py,,\n`, "direct_url.json": `{"dir_info": {}, "url": "file://${root}"}` });
    const diagnosis = workspace(root).diagnose();
    assert.deepEqual(diagnosis.built.map((one) => [one.origin, one.target?.name, one.distribution?.name]), [["installed", "ops._C", "ops"]]);
    assert.deepEqual(said(diagnosis), ["error libstdcxx-abi setup.py:5"]);
    fs.rmSync(path.join(site, "ops"), { recursive: true });
    fs.rmSync(path.join(site, "ops-1.0.dist-info"), { recursive: true });
  });
});

describe("the torch of a build", () => {
  const files = new NodeFiles();
  const named = (text: string, name = "out/CMakeCache.txt", modified = Date.now() + 60_000): string | undefined => {
    const root = project(`account${Math.random()}`, { [name]: text, "out/lib/libops.so": "" });
    return torchOfBuild(path.join(root, "out/lib/libops.so"), modified, root, files)?.version;
  };

  it("is what CMake's cache or the ninja file of torch's builder names", () => {
    assert.equal(named(`A:BOOL=ON\nTorch_DIR:PATH=${torchRoot}/share/cmake/Torch\n`), "2.13.0+cpu");
    assert.equal(named(`cflags = -DX -isystem ${torchRoot}/include -isystem ${torchRoot}/include/torch/csrc/api/include\n`, "out/build.ninja"), "2.13.0+cpu");
    assert.equal(named(`cflags = -I${torchRoot}/include\n`, "build/temp.linux-x86_64-cpython-311/build.ninja"), "2.13.0+cpu");
  });

  it("is not known when it is gone, came later, or is not named", () => {
    assert.equal(named("Torch_DIR:PATH=/gone/torch/share/cmake/Torch\n"), undefined);
    assert.equal(named(`Torch_DIR:PATH=${torchRoot}/share/cmake/Torch\n`, "out/CMakeCache.txt", 1), undefined);
    assert.equal(named("CMAKE_BUILD_TYPE:STRING=Release\n"), undefined);
  });
});

describe("what is installed in an environment", () => {
  function scan(): Diagnosis {
    const files = new NodeFiles();
    const body = describeEnvironment(venv, files, catalogue);
    assert.ok(body);
    const steps = scanEnvironment(body, { files, catalogue, environment: {} });
    for (;;) {
      const step = steps.next();
      if (step.done === true) {
        return step.value;
      }
    }
  }

  it("is silent when it fits, or has nothing to do with torch", () => {
    writeExtension(path.join(site, "good", "_C.abi3.so"), { abi: 1, torchRoot, module: "_C" });
    fs.copyFileSync("/proc/self/exe", path.join(site, "good", "other.so"));
    writeFiles(path.join(site, "good-2.0.dist-info"), { METADATA: "Name: good\nVersion: 2.0\nRequires-Dist: torch\n\ntext\n", RECORD: "good/_C.abi3.so,,\ngood/other.so,,\n\"good/a,b.so\",,\ngood/__init__.py,,\n" });
    const diagnosis = scan();
    assert.deepEqual(diagnosis.findings, []);
    assert.deepEqual(diagnosis.built.map((one) => [path.relative(site, one.body.path), one.fit?.verdict, one.distribution]), [["good/_C.abi3.so", "no-conflict", { name: "good", version: "2.0", requires: ["torch"] }]]);
    assert.match(diagnosis.notChecked.join(" "), /3 installed libraries were looked at, 1 of which uses torch/);
  });

  it("names the distribution and the file that do not fit", () => {
    writeExtension(path.join(site, "bad", "_C.so"), { abi: 0, torchRoot, module: "_C" });
    writeFiles(path.join(site, "bad-1.0.dist-info"), { METADATA: "Name: bad\nVersion: 1.0\n", RECORD: "bad/_C.so,,\n" });
    const diagnosis = scan();
    assert.deepEqual(diagnosis.findings.map((one) => `${one.severity} ${one.rule} ${path.relative(site, one.location.path)}`), ["error libstdcxx-abi bad/_C.so"]);
    assert.match(diagnosis.findings[0]?.message ?? "", /^bad\/_C\.so of bad 1\.0 is compiled with _GLIBCXX_USE_CXX11_ABI=0/);
  });
});
