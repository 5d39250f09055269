import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { says, silent, verdictOf } from "./reading.ts";

describe("macOS's loader", () => {
  it("symbols, with who asks and where they were expected, without Mach-O's underscore", async () => {
    const verdict = await verdictOf("ImportError: dlopen(/Users/kim/e/op/_C.cpython-311-darwin.so, 0x0002): Symbol not found: __ZN3own4geluEi\n  Referenced from: <1B2C-33> /Users/kim/e/op/_C.cpython-311-darwin.so\n  Expected in:     <A1A1-33> /Users/kim/e/op/libown.dylib");
    assert.equal(verdict.file, "/Users/kim/e/op/_C.cpython-311-darwin.so");
    assert.equal(verdict.symbols?.[0]?.symbol, "_ZN3own4geluEi");
    assert.deepEqual(verdict.lines, { first: 1, last: 3 });
    const old = await says("ImportError: dlopen(/u/x.so, 2): Symbol not found: _cublasCreate_v2\n  Referenced from: /u/x.so\n  Expected in: flat namespace\n in /u/x.so", "library-not-linked", "likely", /x\.so uses `cublasCreate_v2`/);
    assert.deepEqual(old.lines, { first: 1, last: 4 });
    assert.equal((await verdictOf("ImportError: dlopen(/u/k/_C.so, 0x0002): symbol not found in flat namespace '__ZN3own4geluEi'")).symbols?.[0]?.symbol, "_ZN3own4geluEi");
    await says("ImportError: dlopen(/u/k.so, 0x0002): symbol not found in flat namespace '_PyList_GET_SIZE'", "python-abi", "likely", /PyList_GET_SIZE/);
  });

  it("of the system: built for a newer macOS", async () => {
    await says("dyld: Symbol not found: __ZNSt3__17codecvtIDiDu11__mbstate_tE2idE\n  Referenced from: /u/lib/libk.dylib (built for macOS 14.0 which is newer than running OS)\n  Expected in: /usr/lib/libc++.1.dylib", "library-too-old", "certain", /^libk\.dylib was built for a newer macOS \(14\.0\)/);
  });

  it("libraries", async () => {
    const verdict = await says("ImportError: dlopen(/u/k/_C.so, 0x0002): Library not loaded: @rpath/libc10.dylib\n  Referenced from: <AAAA> /u/k/_C.so\n  Reason: tried: '/u/k/../libc10.dylib' (no such file), '/usr/local/lib/libc10.dylib' (no such file)", "torch-library-missing", "likely", /^_C\.so was loaded before torch: libc10\.dylib/);
    assert.equal(verdict.file, "/u/k/_C.so");
    await says("dyld[9412]: Library not loaded: @rpath/libtorch_cpu.dylib\n  Referenced from: <AAAA> /Users/m/demo\n  Reason: tried: '/x/libtorch_cpu.dylib' (no such file)", "torch-library-missing", "certain", /^The program needs libtorch_cpu\.dylib/);
    await says("OSError: dlopen(libfoo.dylib, 0x0006): tried: 'libfoo.dylib' (no such file), '/usr/lib/libfoo.dylib' (no such file, not in dyld cache)", "library-missing", "certain", /libfoo\.dylib/);
  });

  it("a library whose stated version is too old", async () => {
    await says("ImportError: dlopen(/Users/u/lib/python3.9/site-packages/torch/_C.cpython-39-darwin.so, 9): Library not loaded: @rpath/libATen.dylib\n  Referenced from: /Users/u/lib/python3.9/site-packages/torch/lib/libshm.dylib\n  Reason: Incompatible library version: libshm.dylib requires version 1.0.0 or later, but libATen.dylib provides version 0.0.0", "library-too-old", "certain", /^libshm\.dylib was linked against libATen\.dylib 1\.0\.0 or later, and the one that is found is 0\.0\.0\.$/);
  });

  it("architectures and signatures", async () => {
    const verdict = await says("ImportError: dlopen(/u/k/_C.so, 0x0002): tried: '/u/k/_C.so' (mach-o file, but is an incompatible architecture (have 'x86_64', need 'arm64'))", "wrong-architecture", "certain", /^_C\.so is for x86_64, and the process needs arm64/);
    assert.equal(verdict.file, "/u/k/_C.so");
    await says("ImportError: dlopen(/u/k.so, 0x0002): Library not loaded: @rpath/libown.dylib\n  Referenced from: <A> /u/k.so\n  Reason: tried: '/u/libown.dylib' (mach-o file, but is an incompatible architecture (have (arm64), need (x86_64)))", "wrong-architecture", "certain", /^libown\.dylib is for arm64, and the process needs x86_64/);
    const signed = await says("ImportError: dlopen(/u/k.so, 0x0002): tried: '/u/k.so' (code signature in <AB> '/u/k.so' not valid for use in process: mapping process and mapped file (non-platform) have different Team IDs)", "loading-refused", "certain", /signature/);
    assert.match(signed.copy ?? "", /^codesign --force --sign - /);
  });

  it("near misses are silent", async () => {
    await silent('if "Symbol not found: _foo" in str(e):');
    await silent("Symbol not found: AAPL is no ticker of this exchange");
  });
});
