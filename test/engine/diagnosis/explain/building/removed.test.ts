import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { release, says, silent, verdictsOf } from "../loading/reading.ts";

const command = "[1/2] c++ -DTORCH_EXTENSION_NAME=ops -isystem /srv/v/lib/python3.11/site-packages/torch/include -std=c++20 -c /srv/ops/ops.cpp -o ops.o";

describe("what torch's headers do not have", () => {
  it("a header that is gone, in several compilers and languages", async () => {
    for (const text of [
      "ops.cpp:2:10: fatal error: THC/THC.h: No such file or directory\n    2 | #include <THC/THC.h>\n      |          ^~~~~~~~~~~",
      "ops.cpp:2:10: schwerwiegender Fehler: THC/THC.h: Datei oder Verzeichnis nicht gefunden\n    2 | #include <THC/THC.h>",
      "ops.cpp:2:10: 致命的エラー: THC/THC.h: そのようなファイルやディレクトリはありません\n    2 | #include <THC/THC.h>",
      "ops.cpp:2:10: fatal error: 'THC/THC.h' file not found",
      'ops.cu(2): catastrophic error: cannot open source file "THC/THC.h"',
      "ops.cpp(2): fatal error C1083: Cannot open include file: 'THC/THC.h': No such file or directory",
    ]) {
      const verdict = await says(text, "removed-api", "certain", /^The header THC\/THC\.h is gone since torch 1\.11\.0/);
      assert.equal(verdict.rule, "removed-api");
    }
  });

  it("a name that is gone, with what to write instead", async () => {
    for (const text of ["ops.cpp:3:24: error: ‘AT_CHECK’ was not declared in this scope; did you mean ‘CHECK’?", 'ops.cu(3): error: identifier "AT_CHECK" is undefined', "ops.cpp:3:24: error: use of undeclared identifier 'AT_CHECK'", "ops.cpp(3): error C3861: 'AT_CHECK': identifier not found", "ops.cpp:3:24: Fehler: »AT_CHECK« wurde in diesem Gültigkeitsbereich nicht definiert"]) {
      const { fixes } = await says(text, "removed-api", "certain", /^AT_CHECK is gone since torch 1\.5\.0/);
      assert.equal(fixes[0], "Write TORCH_CHECK instead (torch 1.2 or newer has it).");
    }
    await says('ops.cu(3): error: no suitable conversion function from "const at::DeprecatedTypeProperties" to "c10::ScalarType" exists', "removed-api", "certain", /AT_DISPATCH macro is gone since torch 2\.6\.0/);
    await says("ops.cpp:3:80: error: cannot convert ‘const at::DeprecatedTypeProperties’ to ‘c10::ScalarType’", "removed-api", "certain", /2\.6\.0/);
  });

  it("std's optional for a torch that has its own", async () => {
    const { fixes } = await says("src/a.cxx:51:60: error: could not convert 'std::nullopt' from 'const std::nullopt_t' to 'c10::optional<c10::SymInt>'", "removed-api", "likely", /of before torch 2\.2\.$/);
    assert.match(fixes[0] ?? "", /torch 2\.2 or newer/);
  });

  it("c10::optional; a name of torch's namespaces that the table does not hold", async () => {
    const { fixes } = await says("ops.cpp:3:5: error: no template named 'optional' in namespace 'c10'", "removed-api", "likely", /c10::optional, which torch has deprecated for std::optional/);
    assert.match(fixes[0] ?? "", /^Write std::optional/);
    await says('ops.cu(9): error: namespace "c10" has no member "nullopt"', "removed-api", "likely", /std::nullopt/);
    await says("ops.cpp:4:26: error: ‘class at::Tensor’ has no member named ‘sym_strides’", "removed-api", "possible", /^The source uses at::Tensor::sym_strides, which the headers of this torch do not have/);
    await says("ops.cpp:3:38: error: ‘get_generator’ is not a member of ‘at::cuda’", "removed-api", "possible", /at::cuda::get_generator/);
  });

  it("the torch of the environment still has it: the build saw a newer one", async () => {
    const { because } = await says("ops.cpp:2:10: fatal error: THC/THC.h: No such file or directory", "removed-api", "likely", /THC\/THC\.h/, await release("torch==1.10.0+cpu"));
    assert.ok(because.some((one) => one.includes("still has it: the build read the headers of a newer one")));
  });

  it("deprecations are no errors, and names of others are no names of torch", async () => {
    await silent("ops.cpp:3:59: warning: ‘at::DeprecatedTypeProperties& at::Tensor::type() const’ is deprecated: Tensor.type() is deprecated. [-Wdeprecated-declarations]");
    await silent("main.cpp:3:5: error: ‘frobnicate’ is not a member of ‘geo’");
    await silent("main.cpp:9:2: fatal error: geo/mesh.h: No such file or directory");
  });

  it("headers of CUDA, Python and torch's own", async () => {
    await says(`${command}\nIn file included from /srv/ops/ops.cpp:2:\n/srv/v/lib/python3.11/site-packages/torch/include/ATen/cuda/CUDAContextLight.h:9:10: fatal error: cuda_runtime_api.h: No such file or directory`, "cuda-in-cpp-extension", "likely", /cuda_runtime_api\.h is not on the compiler's include path/);
    await says("ops.cpp:1:10: fatal error: cuda_runtime.h: No such file or directory", "torch-cpu-only", "certain", /built without CUDA/, await release("torch==2.8.0+cpu"));
    await says("/t/torch/include/torch/csrc/python_headers.h:13:10: fatal error: Python.h: No such file or directory", "headers-missing", "certain", /Python\.h/);
    await says("/w/k.cpp:3:10: fatal error: hip/hip_runtime.h: No such file or directory", "headers-missing", "likely", /^ROCm's own header hip\/hip_runtime\.h/);
    await says("ops.cpp:1:10: fatal error: torch/extension.h: No such file or directory", "headers-missing", "likely", /is not told where torch's headers lie/);
    await says("/t/torch/include/c10/util/string_view.h:6:10: fatal error: string_view: No such file or directory", "host-compiler", "certain", /has no <string_view>/);
  });

  it("stable headers only", async () => {
    const text = (file: string): string => `In file included from ops.cpp:1:\n/t/torch/include/${file}:13:2: error: #error "This file should not be included when either TORCH_STABLE_ONLY or TORCH_TARGET_VERSION is defined."`;
    await says(text("torch/extension.h"), "stable-abi-headers", "certain", /^torch\/extension\.h is not part of torch's stable ABI/);
    const { fixes } = await says(text("pybind11/functional.h"), "stable-abi-headers", "certain", /^pybind11\/functional\.h/);
    assert.match(fixes[0] ?? "", /^Build with torch 2\.13 or newer/);
  });

  it("a project's own error in an extension is its own, once, and the rest follows", async () => {
    const verdicts = await verdictsOf(`${command}\nFAILED: ops.o\n${command.slice(6)}\n/srv/ops/ops.cpp:2:27: error: ‘undeclared_thing’ was not declared in this scope\n/srv/ops/ops.cpp:9:1: error: expected ‘}’ at end of input\nninja: build stopped: subcommand failed.\nRuntimeError: Error building extension 'ops'`);
    assert.deepEqual(verdicts.map((one) => [one.cause, one.confidence, one.lines.first]), [["source-error", "possible", 4]]);
    assert.deepEqual(verdicts[0]?.consequences.map((one) => one.line), [6, 7]);
    await silent("gcc -O2 -c list.c\nlist.c:2:27: error: ‘undeclared_thing’ undeclared (first use in this function)");
  });
});
