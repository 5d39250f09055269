import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { says, silent } from "../loading/reading.ts";

const fallback = "terminate called after throwing an instance of 'c10::Error'\n  what():  Tried to register multiple backend fallbacks for the same dispatch key Batched; previous registration registered at ../aten/src/ATen/BatchingRegistrations.cpp:1064, new registration registered at ../aten/src/ATen/BatchingRegistrations.cpp:1064\nException raised from registerFallback at ../aten/src/ATen/core/dispatch/Dispatcher.cpp:277 (most recent call first):\n";
const single = (first: string, second: string) => `terminate called after throwing an instance of 'c10::Error'\n  what():  Only a single TORCH_LIBRARY can be used to register the namespace fast; please put all of your definitions in a single TORCH_LIBRARY block.  If you were trying to specify implementations, consider using TORCH_LIBRARY_IMPL (which can be duplicated).  Previous registration of TORCH_LIBRARY was registered at ${first}; latest registration was registered at ${second}\nException raised from registerLibrary at /p/Dispatcher.cpp:215 (most recent call first):\n`;

describe("processes that abort", () => {
  it("have two libtorch: by the operators that both register", async () => {
    const verdict = await says(fallback, "duplicate-libtorch", "likely", /Two copies of libtorch/);
    assert.equal(verdict.rule, "duplicate-libtorch");
    assert.ok(verdict.needs.length > 0);
    const shown = await says(`${fallback}frame #0: c10::Error::Error(c10::SourceLocation, std::string) + 0x3e (0x7fa9 in /w/v/site-packages/kit/../kit.libs/libc10-9b4183be.so)\n`, "duplicate-libtorch", "certain", /Two copies/);
    assert.match(shown.because.join(" "), /kit\.libs\/libc10-9b4183be\.so/);
    assert.deepEqual(shown.needs, []);
    await says(`${fallback}frame #0: c10::Error::Error(c10::SourceLocation) + 0x3e (0x7fa9 in /w/v/site-packages/torch/lib/libc10.so)\n`, "duplicate-libtorch", "likely", /Two copies/);
  });

  it("may have two libtorch: a mutex that is none", async () => {
    const alone = await says("import torch, kit\nterminate called after throwing an instance of 'std::system_error'\n  what():  Invalid argument\nAborted (core dumped)", "duplicate-libtorch", "possible", /one cause of this is a second libtorch/);
    assert.deepEqual(alone.fixes, []);
    await says("#7 0x7f in torch::Library::_fallback () from /usr/lib/libtorch_cpu.so.1.13\nterminate called after throwing an instance of 'std::system_error'\n  what():  Invalid argument", "duplicate-libtorch", "certain", /Two copies/);
    await silent("terminate called after throwing an instance of 'std::system_error'\n  what():  Invalid argument");
    await silent("import torch\nterminate called after throwing an instance of 'std::system_error'\n  what():  Resource temporarily unavailable");
  });

  it("register a namespace or an operator twice", async () => {
    const same = await says(single("/w/src/fast.cpp:18", "/w/src/fast.cpp:18"), "namespace-registered-twice", "certain", /The namespace fast was registered twice/);
    assert.match(same.because[0] ?? "", /two copies of one library/);
    assert.match(same.needs.join(" "), /torch\.ops\.loaded_libraries/);
    const two = await says(single("/w/a/ops.cpp:18", "/w/b/ops.cpp:7"), "namespace-registered-twice", "certain", /namespace fast/);
    assert.match(two.because[0] ?? "", /One stands at \/w\/a\/ops\.cpp:18, the other at \/w\/b\/ops\.cpp:7/);
    assert.match(two.fixes[0] ?? "", /TORCH_LIBRARY_FRAGMENT/);
    await says("RuntimeError: Tried to register an operator (zz::f(Tensor a) -> Tensor) with the same name and overload name multiple times. Each overload's schema should only be registered with a single call to def(). Duplicate registration: registered at a.cpp:1. Original registration: registered at a.cpp:1", "namespace-registered-twice", "certain", /The operator zz::f was registered twice/);
    await says("RuntimeError: Tried to register an operator (aten::add(Tensor a) -> Tensor) with the same name and overload name multiple times.", "duplicate-libtorch", "likely", /Two copies/);
  });

  it("crash: silent without a second libtorch in the text", async () => {
    for (const text of ["Segmentation fault (core dumped)", "double free or corruption (!prev)\nAborted (core dumped)", "free(): invalid pointer", "Fatal Python error: Segmentation fault\n\nCurrent thread 0x7f (most recent call first):\n  File \"/w/v/torch/lib/libtorch_cpu.so\""]) await silent(text);
    await says("Segmentation fault (core dumped)\n#3 0x7f in c10::Error () from /w/v/kit.libs/libc10-9b4183be.so", "duplicate-libtorch", "possible", /crashed, and the text names a second copy/);
  });

  it("read tensors without data", async () => {
    const verdict = await says("RuntimeError: Cannot access data pointer of Tensor that doesn't have storage", "layout-skew", "possible", /without data/);
    assert.match(verdict.fixes[0] ?? "", /register_fake/);
  });
});
