import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { after, describe, it } from "node:test";
import { loadCatalogue } from "../../../src/engine/catalogue/index.ts";
import { NodeFiles } from "../../../src/engine/files/index.ts";
import { describeEnvironment, hasHeaders, isRefusedUnderStableAbi, torchHeader } from "../../../src/engine/installed/index.ts";
import type { InstalledBody, Trait, TraitValues } from "../../../src/engine/model/index.ts";
import { factsOf, valueOf } from "../../../src/engine/model/index.ts";
import { writeFiles, writeTorch, writeVenv } from "../../support/fake-torch.ts";

const root = fs.mkdtempSync(path.join(os.tmpdir(), "abiding-installed-"));
after(() => fs.rmSync(root, { recursive: true }));
const files = new NodeFiles();
const catalogue = loadCatalogue();

function at(place: string): InstalledBody {
  const body = describeEnvironment(place, files, catalogue);
  assert.ok(body !== undefined, place);
  return body;
}

function value<T extends Trait>(body: InstalledBody, trait: T): TraitValues[T] | undefined {
  return valueOf(body.facts, trait);
}

describe("a venv with torch", () => {
  const prefix = path.join(root, "venv");
  const site = writeVenv(prefix, "3.11.7");
  writeTorch(path.join(site, "torch"), { version: "2.13.0+cu130", cuda: "13.0", abi: 1, pybind11Key: "v11_system_libstdcpp_gxx_abi_1xxx_use_cxx11_abi_1", architectures: "sm_80 sm_90a compute_90a", defaultStandard: 20 });
  writeFiles(site, {
    "torch-2.13.0+cu130.dist-info/INSTALLER": "pip\n",
    "torch-2.13.0+cu130.dist-info/WHEEL": "Wheel-Version: 1.0\nTag: cp311-cp311-manylinux_2_28_x86_64\n",
    "torch-2.13.0+cu130.dist-info/METADATA": "Metadata-Version: 2.4\nName: torch\nRequires-Dist: triton==3.7.1; platform_system == \"Linux\"\n\nRequires-Dist: not a header\n",
    "torchvision-0.28.0.dist-info/METADATA": "Name: torchvision\nRequires-Dist: torch (==2.13.0)\n",
    "nvidia_nccl_cu13-2.29.7.dist-info/METADATA": "Name: nvidia-nccl-cu13\n",
  });

  it("tells every fact with where it was seen", () => {
    const body = at(prefix);
    const facts = Object.fromEntries(body.facts.map((fact) => [fact.trait, fact.value]));
    assert.deepEqual(facts, {
      "torch-version": "2.13.0+cu130",
      "cuda-version": "13.0",
      "rocm-version": null,
      "torch-git-version": "0123456789abcdef0123456789abcdef01234567",
      "torch-debug": false,
      "platform-tag": "manylinux_2_28_x86_64",
      "torch-channel": "pip",
      "libstdcxx-abi": 1,
      "cxx-standard-floor": 17,
      "cxx-standard-default": 20,
      "pybind11-version": "3.0.4",
      "pybind11-internals": "v11_system_libstdcpp_gxx_abi_1xxx_use_cxx11_abi_1",
      "cuda-architectures": [{ sm: 80, suffix: "", real: true, ptx: false }, { sm: 90, suffix: "a", real: true, ptx: true }],
      platform: `linux-${process.arch === "arm64" ? "aarch64" : "x86_64"}`,
      "python-version": "3.11.7",
    });
    assert.equal(body.torchRoot, path.join(site, "torch"));
    assert.equal(body.prefix, prefix);
    assert.deepEqual(body.notKnown, []);
    assert.deepEqual(factsOf(body.facts, "libstdcxx-abi")[0]?.evidence, [{ kind: "file", path: path.join(site, "torch", "lib", "libc10.so"), what: "exports _ZN3c105ErrorC1ENS_14SourceLocationENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE" }]);
  });

  it("lists the distributions beside it", () => {
    assert.deepEqual(at(prefix).distributions.map(({ name, version, requires }) => [name, version, requires]), [
      ["nvidia-nccl-cu13", "2.29.7", []],
      ["torch", "2.13.0+cu130", ['triton==3.7.1; platform_system == "Linux"']],
      ["torchvision", "0.28.0", ["torch (==2.13.0)"]],
    ]);
  });

  it("is found from its interpreter, its site-packages and the torch folder", () => {
    for (const place of [path.join(prefix, "bin", "python"), site, path.join(site, "torch")]) {
      const body = at(place);
      assert.equal(value(body, "torch-version"), "2.13.0+cu130", place);
      assert.equal(value(body, "python-version"), "3.11.7", place);
    }
  });

  it("answers which headers exist and which the stable ABI refuses", () => {
    const body = at(prefix);
    assert.ok(hasHeaders(body, files));
    assert.equal(torchHeader(body, "torch/torch.h", files), path.join(site, "torch/include/torch/csrc/api/include/torch/torch.h"));
    assert.equal(torchHeader(body, "THC/THC.h", files), undefined);
    assert.equal(isRefusedUnderStableAbi(body, "ATen/ATen.h", files), true);
    assert.equal(isRefusedUnderStableAbi(body, "torch/headeronly/version.h", files), false);
    assert.equal(isRefusedUnderStableAbi(body, "THC/THC.h", files), undefined);
  });
});

describe("the libstdc++ ABI", () => {
  it("is 0 where libc10 exports the old spelling, with TorchConfig.cmake as second witness", () => {
    const torchRoot = path.join(root, "old", "torch");
    writeTorch(torchRoot, { version: "2.5.1+cu124", cuda: "12.4", abi: 0, configuredAbi: 0, pybind11Key: "v4_gcc_libstdcpp_cxxabi1011", floor: 17 });
    const body = at(torchRoot);
    assert.equal(value(body, "libstdcxx-abi"), 0);
    assert.deepEqual(factsOf(body.facts, "libstdcxx-abi")[0]?.evidence.map((one) => (one.kind === "file" ? path.basename(one.path) : one.kind)), ["libc10.so", "TorchConfig.cmake"]);
    assert.equal(value(body, "gxx-abi-version"), 1011);
    assert.deepEqual(body.notKnown, []);
  });

  it("is the library's where the witnesses disagree, and the disagreement is told", () => {
    const torchRoot = path.join(root, "torn", "torch");
    writeTorch(torchRoot, { version: "2.5.1", abi: 1, configuredAbi: 0 });
    const body = at(torchRoot);
    assert.equal(value(body, "libstdcxx-abi"), 1);
    assert.match(body.notKnown[0] ?? "", /disagree: libc10 exports symbols of _GLIBCXX_USE_CXX11_ABI=1, and TorchConfig\.cmake says 0/);
  });

  it("stays open where nothing tells it", () => {
    const torchRoot = path.join(root, "bare", "torch");
    writeTorch(torchRoot, { version: "2.9.0" });
    const body = at(torchRoot);
    assert.equal(value(body, "libstdcxx-abi"), undefined);
    assert.match(body.notKnown[0] ?? "", /No libc10 was found/);
    writeFiles(torchRoot, { "lib/libc10.so": "not ELF" });
    assert.match(at(torchRoot).notKnown[0] ?? "", /is not an ELF file/);
  });
});

describe("which torch wins", () => {
  it("is the first on the search path; the others are told", () => {
    const prefix = path.join(root, "two");
    const site = writeVenv(prefix, "3.12.1");
    writeTorch(path.join(site, "torch"), { version: "2.8.0+cpu" });
    const checkout = path.join(root, "checkout");
    writeTorch(path.join(checkout, "torch"), { version: "2.12.0a0+git1234567" });
    writeFiles(site, { "extra.pth": `# comment\nimport os; os.abort()\n${checkout}\n` });
    const body = at(prefix);
    assert.equal(value(body, "torch-version"), "2.8.0+cpu");
    assert.deepEqual(body.shadowed, [{ path: path.join(checkout, "torch"), version: "2.12.0a0+git1234567" }]);
    const first = describeEnvironment(prefix, files, catalogue, { PYTHONPATH: checkout });
    assert.equal(first?.torchRoot, path.join(checkout, "torch"));
    assert.equal(valueOf(first?.facts ?? [], "torch-channel"), "source");
    assert.deepEqual(first?.shadowed, [{ path: path.join(site, "torch"), version: "2.8.0+cpu" }]);
  });

  it("counts the user's site only where the interpreter does", () => {
    const home = path.join(root, "home");
    writeTorch(path.join(home, ".local/lib/python3.12/site-packages/torch"), { version: "2.7.1" });
    const plain = path.join(root, "plain");
    writeFiles(plain, { "lib/python3.12/os.py": "", "include/python3.12/patchlevel.h": '#define PY_VERSION "3.12.4"\n', "lib/python3.12/lib-dynload/_ssl.cpython-312-x86_64-linux-gnu.so": "" });
    const body = describeEnvironment(plain, files, catalogue, { HOME: home });
    assert.deepEqual(["torch-version", "python-version", "python-suffix"].map((trait) => valueOf(body?.facts ?? [], trait as Trait)), ["2.7.1", "3.12.4", "cpython-312-x86_64-linux-gnu"]);
    assert.equal(describeEnvironment(plain, files, catalogue, { HOME: home, PYTHONNOUSERSITE: "1" })?.torchRoot, undefined);
    const venv = path.join(root, "isolated");
    writeVenv(venv, "3.12.4");
    assert.deepEqual(describeEnvironment(venv, files, catalogue, { HOME: home })?.notKnown, [`No torch is installed in ${venv}.`]);
  });
});

describe("channels and layouts", () => {
  it("knows conda-forge, where libraries are shared with the prefix", () => {
    const prefix = path.join(root, "conda");
    const torchRoot = path.join(prefix, "lib/python3.11/site-packages/torch");
    writeFiles(prefix, { "conda-meta/pytorch-2.5.1-cpu_generic.json": '{"channel": "https://conda.anaconda.org/conda-forge/linux-64", "name": "pytorch"}', "lib/python3.11/os.py": "" });
    writeTorch(torchRoot, { version: "2.5.1", abi: 1 });
    fs.renameSync(path.join(torchRoot, "lib", "libc10.so"), path.join(prefix, "lib", "libc10.so"));
    const body = at(prefix);
    assert.equal(value(body, "torch-channel"), "conda-forge");
    assert.equal(value(body, "libstdcxx-abi"), 1);
    writeFiles(prefix, { "share/cmake/Torch/TorchConfig.cmake": "" });
    assert.equal(at(prefix).source, "environment");
  });

  it("knows Debian's layout", () => {
    const usr = path.join(root, "debian", "usr");
    const torchRoot = path.join(usr, "lib/python3/dist-packages/torch");
    writeTorch(torchRoot, { version: "1.13.0a0", abi: 1 });
    fs.mkdirSync(path.join(usr, "lib/x86_64-linux-gnu"), { recursive: true });
    fs.renameSync(path.join(torchRoot, "lib/libc10.so"), path.join(usr, "lib/x86_64-linux-gnu/libc10.so.1.13"));
    const body = at(torchRoot);
    assert.equal(value(body, "torch-channel"), "debian");
    assert.equal(value(body, "libstdcxx-abi"), 1);
  });

  it("knows NVIDIA's containers by the version", () => {
    const torchRoot = path.join(root, "ngc", "torch");
    writeTorch(torchRoot, { version: "2.8.0a0+5228986c39.nv25.06", cuda: "12.9" });
    assert.equal(value(at(torchRoot), "torch-channel"), "ngc");
  });

  it("describes a libtorch folder", () => {
    const libtorch = path.join(root, "libtorch");
    writeTorch(libtorch, { version: "unused", abi: 0 });
    fs.rmSync(path.join(libtorch, "version.py"));
    fs.rmSync(path.join(libtorch, "__init__.py"));
    fs.rmSync(path.join(libtorch, "utils"), { recursive: true });
    writeFiles(libtorch, { "build-version": "2.5.1+cu121\n", "build-hash": "0123456789abcdef0123456789abcdef01234567\n" });
    const body = at(libtorch);
    assert.equal(body.source, "libtorch");
    assert.deepEqual(["torch-version", "cuda-version", "torch-channel", "libstdcxx-abi", "cxx-standard-floor", "cxx-standard-default"].map((trait) => valueOf(body.facts, trait as Trait)), ["2.5.1+cu121", "12.1", "libtorch", 0, 17, 17]);
    assert.equal(factsOf(body.facts, "cxx-standard-default")[0]?.certainty, "inferred");
  });

  it("finds an editable install through its finder module", () => {
    const prefix = path.join(root, "editable");
    const site = writeVenv(prefix, "3.13.0");
    const source = path.join(root, "src", "pytorch", "torch");
    writeTorch(source, { version: "2.15.0a0+gitabcdef0" });
    writeFiles(site, { "__editable___torch_2_15_0a0_gitabcdef0_finder.py": `MAPPING: dict[str, str] = {'functorch': '/x', 'torch': '${source}'}\n` });
    assert.equal(at(prefix).torchRoot, source);
  });

  it("says when torch was built for another Python", () => {
    const prefix = path.join(root, "foreign");
    writeFiles(prefix, { "lib/python3.12/os.py": "", "lib/python3.12/lib-dynload/_ssl.cpython-312-x86_64-linux-gnu.so": "" });
    const torchRoot = path.join(prefix, "lib/python3.12/site-packages/torch");
    writeTorch(torchRoot, { version: "2.9.0", abi: 1 });
    writeFiles(torchRoot, { "_C.cpython-311-x86_64-linux-gnu.so": "" });
    assert.deepEqual(at(prefix).notKnown, [`The torch in ${torchRoot} is built for cpython-311-x86_64-linux-gnu, and the Python of ${prefix} is cpython-312-x86_64-linux-gnu: it cannot import this torch.`]);
  });

  it("answers undefined for what is no environment", () => {
    fs.mkdirSync(path.join(root, "empty"));
    assert.equal(describeEnvironment(path.join(root, "empty"), files, catalogue), undefined);
    assert.equal(describeEnvironment(path.join(root, "absent"), files, catalogue), undefined);
  });
});
