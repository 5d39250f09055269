import assert from "node:assert/strict";
import { test } from "node:test";
import { libstdcxxAbi } from "../../../../src/engine/rules/libstdcxx-abi.ts";
import { missingLibrary } from "../../../../src/engine/rules/missing-library.ts";
import { ownSymbol } from "../../../../src/engine/rules/own-symbol.ts";
import { stableAbi } from "../../../../src/engine/rules/stable-abi.ts";
import { torchSymbols } from "../../../../src/engine/rules/torch-symbols.ts";
import { packagePair } from "../../../../src/engine/rules/package-pair.ts";
import { pybind11Internals } from "../../../../src/engine/rules/pybind11-internals.ts";
import { rules } from "../../../../src/engine/rules/index.ts";
import { missing, trait } from "../../../support/built-file.ts";
import { lines, RuleProject } from "../../../support/rule-project.ts";

const twin = "_ZN3c105ErrorC2ENS_14SourceLocationESs";
const twins = [
  missing(twin, "c10::Error::Error(c10::SourceLocation, std::string)", "abi-twin", { foundIn: "/venv/torch/lib/libc10.so", twin: "_ZN3c105ErrorC2ENS_14SourceLocationENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE" }),
  missing("_ZNK5torch8autograd4Node4nameEv", "torch::autograd::Node::name() const", "abi-twin", { foundIn: "/venv/torch/lib/libtorch_cpu.so" }),
  missing("_ZNK2at10TensorBase4nameEv", "at::TensorBase::name() const", "abi-twin", { foundIn: "/venv/torch/lib/libtorch_cpu.so" }),
];

function project(flag: string | undefined) {
  const made = new RuleProject({ "/p/setup.py": `ops\n${flag ?? ""}\n`, "/p/ops.cpp": "#include <torch/extension.h>\n" });
  return made
    .target("/p/setup.py", ["/p/ops.cpp"], { builder: "setuptools", kind: "extension", madeBy: "CppExtension", arguments: flag === undefined ? [] : [made.argument("/p/setup.py", flag)] })
    .torch("2.13.0", { "libstdcxx-abi": 1, "python-suffix": "cpython-311-x86_64-linux-gnu" });
}

test("forty symbols of the other std::string are one finding, at the target", () => {
  const found = project(undefined).build("/p/ops.cpython-311-x86_64-linux-gnu.so", { fit: { missing: twins } }).check(libstdcxxAbi);
  assert.deepEqual(lines(found), ["/p/setup.py:1 error"]);
  assert.equal(
    found[0]?.message,
    "ops.cpython-311-x86_64-linux-gnu.so is compiled with _GLIBCXX_USE_CXX11_ABI=0, and torch 2.13.0 in .venv is built with 1: it needs `c10::Error::Error(c10::SourceLocation, std::string)` and 2 more symbols, which torch 2.13.0 in .venv exports with the other std::string only in libc10.so. "
      + `Importing it stops with "undefined symbol: ${twin}". Rebuild it with _GLIBCXX_USE_CXX11_ABI=1.`,
  );
  assert.equal(found[0]?.target, "ops");
  assert.deepEqual(found[0]?.related.map((one) => [one.location.path, one.message]), [["/p/ops.cpython-311-x86_64-linux-gnu.so", "ops.cpython-311-x86_64-linux-gnu.so was built from this target."]]);
});

test("the line that caused it leads, and the file is its witness", () => {
  const flag = "-D_GLIBCXX_USE_CXX11_ABI=0";
  const plain = project(flag).check(libstdcxxAbi);
  const found = project(flag).build("/p/build/ops.so", { fit: { missing: twins } }).check(libstdcxxAbi);
  assert.deepEqual(lines(found), ["/p/setup.py:2 error"]);
  assert.equal(found[0]?.message, `${plain[0]?.message ?? ""} build/ops.so needs \`c10::Error::Error(c10::SourceLocation, std::string)\` and 2 more symbols, which torch 2.13.0 in .venv exports with the other std::string only in libc10.so. Importing it stops with "undefined symbol: ${twin}".`);
  assert.deepEqual(found[0]?.related.at(-1), { message: "build/ops.so, built from it, shows the conflict.", location: { path: "/p/build/ops.so", range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } } } });
});

test("where the flag is right by now, the file is only old", () => {
  const found = project("-D_GLIBCXX_USE_CXX11_ABI=1").build("/p/ops.so", { fit: { missing: twins } }).check(libstdcxxAbi);
  assert.match(found[0]?.message ?? "", /The build files ask for 1 by now: rebuild it\.$/);
});

test("a file without a target is its own place", () => {
  const found = project(undefined).build("/venv/x/_C.so", { fit: { missing: twins }, file: { origin: "installed", distribution: { name: "x", version: "1.0", requires: [] } } }, false).check(libstdcxxAbi);
  assert.deepEqual(lines(found), ["/venv/x/_C.so:1 error"]);
  assert.match(found[0]?.message ?? "", /^\/venv\/x\/_C\.so of x 1\.0 is compiled .* Install a build of x with _GLIBCXX_USE_CXX11_ABI=1 \(wheel names say cxx11abiTRUE\), or build it from source\.$/);
});

const drift = missing("_ZN3c104cuda9SetDeviceEab", "c10::cuda::SetDevice(signed char, bool)", "drift", {
  nearest: { symbol: "_ZN3c104cuda9SetDeviceEa", demangled: "c10::cuda::SetDevice(signed char)", library: "/venv/torch/lib/libc10_cuda.so" },
});

test("symbols of another torch, with the nearest and the releases that would do", () => {
  const found = project(undefined).build("/p/ops.so", { fit: { missing: [drift], releasesThatWouldDo: ["2.14.0", "2.14.1", "2.15.0"] } }).check(torchSymbols);
  assert.equal(
    found[0]?.message,
    "ops.so needs `c10::cuda::SetDevice(signed char, bool)`, which torch 2.13.0 in .venv does not export. libc10_cuda.so exports `c10::cuda::SetDevice(signed char)` instead of the first. Importing it stops with \"undefined symbol: _ZN3c104cuda9SetDeviceEab\". "
      + "Of the releases recorded, torch 2.14.0 to 2.15.0 have all that it needs of torch: the file was built for a newer torch. Rebuild it against this torch. _GLIBCXX_USE_CXX11_ABI has nothing to do with it.",
  );
  assert.deepEqual(lines(found), ["/p/setup.py:1 error"]);
});

test("several copies: the newest that this Python looks at is named, others are related", () => {
  const made = project(undefined);
  const at = (path: string, modified: number) => made.build(path, { fit: { missing: [drift] }, file: { modified, origin: "build-folder" } });
  at("/p/build/lib/ops.cpython-311-x86_64-linux-gnu.so", 5);
  at("/p/ops.cpython-311-x86_64-linux-gnu.so", 7);
  at("/p/build/lib39/ops.cpython-39-x86_64-linux-gnu.so", 9);
  const found = made.check(torchSymbols);
  assert.equal(found.length, 1);
  assert.match(found[0]?.message ?? "", /^ops\.cpython-311/);
  assert.deepEqual(found[0]?.related.map((one) => one.location.path), ["/p/ops.cpython-311-x86_64-linux-gnu.so", "/p/build/lib/ops.cpython-311-x86_64-linux-gnu.so"]);
});

test("an older copy that does not fit is silent beside a newer one that does", () => {
  const made = project(undefined);
  made.build("/p/build/lib/ops.so", { fit: { missing: [drift] }, file: { modified: 5 } });
  made.build("/p/ops.so", { file: { modified: 7 } });
  assert.deepEqual(made.check(torchSymbols), []);
});

test("a weak symbol may stay unresolved", () => {
  assert.deepEqual(project(undefined).build("/p/ops.so", { fit: { missing: [{ ...drift, binding: "weak" }] } }).check(torchSymbols), []);
});

test("a symbol that an installed library exports and nobody loads", () => {
  const found = project(undefined).build("/p/ops.so", { fit: { missing: [missing("THPVariableClass", "THPVariableClass", "missing-library", { foundIn: "/venv/torch/lib/libtorch_python.so" })] } }).check(missingLibrary);
  assert.equal(found[0]?.message, "ops.so needs `THPVariableClass`, exported by libtorch_python.so beside torch 2.13.0 in .venv, and nothing loads libtorch_python.so. Importing it stops with \"undefined symbol: THPVariableClass\". Link torch_python. This is no ABI mismatch.");
});

test("a library that is not found", () => {
  const made = project(undefined);
  const dependency = { name: "libavcodec.so.61", neededBy: "/p/ops.so", searched: ["/p/lib"], because: "" };
  assert.match(made.build("/p/ops.so", { fit: { missingDependencies: [dependency] } }).check(missingLibrary)[0]?.message ?? "", /^ops\.so needs libavcodec\.so\.61, which is not found\. It was looked for in lib\. Importing it stops with "libavcodec\.so\.61: cannot open shared object file: No such file or directory"\.$/);
});

test("a package's libraries for several versions of another are silent; so is the driver", () => {
  const made = project(undefined);
  made.build("/venv/codec/libcore7.so", { fit: { missingDependencies: [{ name: "libavcodec.so.61", neededBy: "x", searched: [], because: "" }] }, profile: { kind: "shared-library" }, file: { origin: "installed" } }, false);
  made.build("/p/ops.so", { fit: { missingDependencies: [{ name: "libcuda.so.1", neededBy: "/p/ops.so", searched: [], because: "" }] } });
  assert.deepEqual(made.check(missingLibrary), []);
});

test("a symbol of nobody's", () => {
  const own = missing("_Z8nms_cudaRKN2at6TensorES2_f", "nms_cuda(at::Tensor const&, at::Tensor const&, float)", "own");
  const found = project(undefined).build("/p/ops.so", { fit: { missing: [own] } }).check(ownSymbol);
  assert.match(found[0]?.message ?? "", /^ops\.so needs `nms_cuda\(at::Tensor const&, at::Tensor const&, float\)`, which neither it nor any library that it loads defines, .* Target ops compiles ops\.cpp\. This is no ABI mismatch\.$/);
});

test("a plain library of a package counts on its host", () => {
  const made = project(undefined).build("/venv/x/libplugin.so", { fit: { missing: [missing("host", "host", "own")] }, profile: { kind: "shared-library" }, file: { origin: "installed" } }, false);
  assert.deepEqual(made.check(ownSymbol), []);
  const named = project(undefined).build("/x/libplugin.so", { fit: { missing: [missing("host", "host", "own")] }, profile: { kind: "shared-library" }, file: { origin: "named" } }, false);
  assert.deepEqual(lines(named.check(ownSymbol)), ["/x/libplugin.so:1 error"]);
});

test("functions of the stable ABI that came later", () => {
  const shim = missing("torch_new_string_handle", "torch_new_string_handle", "stable-shim", { torch: { since: "2.14.0", until: null, source: "s" } });
  const found = project(undefined).build("/p/ops.so", { fit: { missing: [shim] } }).check(stableAbi);
  assert.match(found[0]?.message ?? "", /which torch 2\.13\.0 in \.venv does not have: the file needs torch 2\.14\.0 or newer\./);
});

test("a claim of the stable ABI that the file does not keep joins the source line", () => {
  const made = new RuleProject({ "/p/setup.py": "ops -DTORCH_STABLE_ONLY", "/p/ops.cpp": "int x;" });
  made.target("/p/setup.py", ["/p/ops.cpp"], { builder: "setuptools", arguments: [made.argument("/p/setup.py", "-DTORCH_STABLE_ONLY")] }).torch("2.13.0").build("/p/ops.so", { profile: { imports: { torch: 3, "torch-stable": 4 } } });
  assert.match(made.check(stableAbi)[0]?.message ?? "", /^Target ops claims torch's stable ABI \(TORCH_STABLE_ONLY at setup\.py:1\), and ops\.so needs 3 C\+\+ symbols of torch that are not part of it/);
  const kept = new RuleProject({ "/p/setup.py": "ops -DTORCH_STABLE_ONLY", "/p/ops.cpp": "int x;" });
  kept.target("/p/setup.py", ["/p/ops.cpp"], { arguments: [kept.argument("/p/setup.py", "-DTORCH_STABLE_ONLY")] }).torch("2.13.0").build("/p/ops.so", { profile: { imports: { "torch-stable": 4 } } });
  assert.deepEqual(kept.check(stableAbi), []);
});

test("a file that fits says nothing, by any rule", () => {
  const made = project(undefined).build("/p/ops.so", { fit: { verdict: "no-conflict" } });
  assert.deepEqual(rules.filter((rule) => rule.optIn !== true).flatMap((rule) => made.check(rule)), []);
});

test("a distribution for another torch is a wrong pair, and its files are witnesses", () => {
  const distribution = { name: "torchvision", version: "0.28.0", requires: ["torch==2.14.0"] };
  const evidence = { kind: "file", path: "/venv/torchvision-0.28.0.dist-info", what: "distribution" } as const;
  const made = project(undefined).torch("2.13.0", {}, { distributions: [{ ...distribution, evidence }] });
  made.build("/venv/torchvision/_C.so", { fit: { missing: [drift] }, file: { origin: "installed", distribution } }, false);
  assert.deepEqual(made.check(torchSymbols), []);
  const found = made.check(packagePair);
  assert.deepEqual(lines(found), ["/venv/torchvision-0.28.0.dist-info:1 error"]);
  assert.deepEqual(found[0]?.related.map((one) => one.message), ["/venv/torchvision/_C.so of torchvision 0.28.0 needs `c10::cuda::SetDevice(signed char, bool)`, which nothing here exports."]);
});

test("a witness that lacks CUDA's half of libtorch under a torch without it says so; another library is not found", () => {
  const distribution = { name: "torchaudio", version: "2.9.1", requires: ["torch==2.9.1"] };
  const evidence = { kind: "file", path: "/venv/torchaudio-2.9.1.dist-info", what: "distribution" } as const;
  const witness = (cuda: string | null, name: string) => {
    const made = project(undefined).torch("2.13.0", { "cuda-version": cuda }, { distributions: [{ ...distribution, evidence }] });
    for (const file of ["a", "b"]) made.build(`/venv/torchaudio/lib/${file}.so`, { fit: { missingDependencies: [{ name, neededBy: `/venv/torchaudio/lib/${file}.so`, searched: [], because: "" }] }, file: { origin: "installed", distribution } }, false);
    return made.check(packagePair)[0]?.related.map((one) => one.message);
  };
  assert.deepEqual(witness(null, "libc10_cuda.so"), ["/venv/torchaudio/lib/a.so of torchaudio 2.9.1 needs libc10_cuda.so, and torch 2.13.0 in .venv is built without CUDA.", "The same holds for b.so."]);
  assert.deepEqual(witness("13.0", "libc10_cuda.so"), ["/venv/torchaudio/lib/a.so of torchaudio 2.9.1 needs libc10_cuda.so, which is not found.", "The same holds for b.so."]);
  assert.deepEqual(witness(null, "libsox.so"), ["/venv/torchaudio/lib/a.so of torchaudio 2.9.1 needs libsox.so, which is not found.", "The same holds for b.so."]);
});

test("files of one distribution are one finding, which the gravest leads", () => {
  const made = project(undefined);
  const distribution = { name: "x", version: "1.0", requires: [] };
  for (const name of ["a", "b", "c"]) made.build(`/venv/lib/site-packages/x/${name}.so`, { fit: { missing: [drift] }, file: { origin: "installed", distribution } }, false);
  const found = made.check(torchSymbols);
  assert.deepEqual(lines(found), ["/venv/lib/site-packages/x/a.so:1 error"]);
  assert.match(found[0]?.message ?? "", /^x\/a\.so of x 1\.0 needs .* Install a build of x for this torch\./);
  assert.deepEqual(found[0]?.related.map((one) => [one.location.path, one.message]), [["/venv/lib/site-packages/x/b.so", "The same holds for b.so and c.so."]]);
  const wheel = project(undefined);
  for (const name of ["a", "b"]) wheel.build(`/p/dist/x.whl/x/${name}.so`, { fit: { missing: [drift] }, file: { origin: "wheel" } }, false);
  assert.deepEqual(wheel.check(torchSymbols).map((one) => one.related.length), [1]);
});

test("of a recorded release, what libtorch_python may export is not called the project's own", () => {
  const caster = missing("_ZN8pybind116detail11type_casterIN2at6TensorEvE4loadENS_6handleEb", "pybind11::detail::type_caster<at::Tensor, void>::load(pybind11::handle, bool)", "own");
  assert.deepEqual(project(undefined).build("/p/ops.so", { fit: { missing: [caster] } }).check(ownSymbol), []);
  const onDisk = project(undefined).torch("2.13.0", {}, { torchRoot: "/venv/torch" }).build("/p/ops.so", { fit: { missing: [caster] } });
  assert.deepEqual(lines(onDisk.check(ownSymbol)), ["/p/setup.py:1 error"]);
});

test("a file for another torch has another pybind11 key as a matter of course", () => {
  const key = trait("pybind11-internals", "v11_x", "v12_x", { weight: "warning" });
  const made = (fit: object) => project(undefined).build("/p/ops.so", { fit: { traits: [key], ...fit } }).check(pybind11Internals);
  assert.equal(made({}).length, 1);
  assert.deepEqual([...made({ missing: [drift] }), ...made({ traits: [key, trait("layout", "2.12.0", "2.13.0", { weight: "warning" })] })], []);
});

test("the other std::string of a library that is not torch's", () => {
  const open = missing("_ZN2cv6imreadERKSsi", "cv::imread(std::string const&, int)", "abi-twin", { foundIn: "/usr/lib/libopencv_imgcodecs.so.4.6" });
  assert.equal(
    project(undefined).build("/p/ops.so", { fit: { missing: [open] } }).check(libstdcxxAbi)[0]?.message,
    'ops.so needs `cv::imread(std::string const&, int)`, which libopencv_imgcodecs.so.4.6 exports with the other std::string only. Importing it stops with "undefined symbol: _ZN2cv6imreadERKSsi". One of the two has to be built with the other\'s _GLIBCXX_USE_CXX11_ABI; torch has 1.',
  );
});
