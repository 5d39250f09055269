/** Where a line has something to explain: the words of real tools, near misses, and lines that are long or hostile. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { explainableIn, mangledNameAt } from "../../../src/extension/explain/links.ts";

const links = (line: string): string[] => explainableIn(line).map(({ start, end }) => line.slice(start, end));

const hits: Readonly<Record<string, readonly string[]>> = {
  "ImportError: /opt/venv/lib/rowwise/_C.so: undefined symbol: _ZN3c104warnEi": ["undefined symbol: _ZN3c104warnEi"],
  "ops.cpp:(.text+0x1b): undefined reference to `at::sum(at::Tensor const&)'": ["undefined reference to `at::sum(at::Tensor const&)'"],
  "ld.lld: error: undefined symbol: c10::warn(int)": ["undefined symbol: c10::warn(int)"],
  "Error relocating /opt/rowwise/_C.so: _ZN3c104warnEi: symbol not found": ["Error relocating /opt/rowwise/_C.so: _ZN3c104warnEi: symbol not found"],
  "ImportError: dlopen(/w/_C.so, 0x0002): Symbol not found: __ZN3c104warnEi": ["Symbol not found: __ZN3c104warnEi"],
  "Undefined symbols for architecture arm64:": ["Undefined symbols for architecture arm64"],
  "ops.obj : error LNK2001: unresolved external symbol \"int __cdecl f(void)\"": ["unresolved external symbol \"int __cdecl f(void)\""],
  "ImportError: libcudart.so.12: cannot open shared object file: No such file or directory": ["libcudart.so.12: cannot open shared object file: No such file or directory"],
  "./app: error while loading shared libraries: libc10.so: cannot open shared object file: No such file or directory": ["error while loading shared libraries: libc10.so: cannot open shared object file: No such file or directory"],
  "./_C.so: /lib/libstdc++.so.6: version `GLIBCXX_3.4.32' not found (required by ./_C.so)": ["version `GLIBCXX_3.4.32' not found (required by ./_C.so)"],
  "ImportError: DLL load failed while importing _C: The specified module could not be found.": ["DLL load failed while importing _C: The specified module could not be found."],
  "/usr/bin/ld: cannot find -lc10_cuda: No such file or directory": ["cannot find -lc10_cuda"],
  "RuntimeError: CUDA error: no kernel image is available for execution on the device": ["no kernel image is available for execution on the device"],
  "python: symbol lookup error: /opt/rowwise/_C.so: undefined symbol: _ZN3c104warnEi": ["symbol lookup error: /opt/rowwise/_C.so: undefined symbol: _ZN3c104warnEi"],
  "./app: relocation error: ./_C.so: symbol cublasLtCreate version libcublasLt.so.12 not defined in file libcublasLt.so.12 with link time reference": ["relocation error: ./_C.so: symbol cublasLtCreate version libcublasLt.so.12 not defined in file libcublasLt.so.12 with link time reference"],
  "_C.so: undefined symbol: ncclCommShrink, version NCCL_2.27": ["undefined symbol: ncclCommShrink, version NCCL_2.27"],
  "undefined symbol: _ZN3c104warnEi\t(./_C.so)": ["undefined symbol: _ZN3c104warnEi"],
  "│ ImportError: /opt/rowwise/_C.so: undefined symbol:": ["undefined symbol:"],
  "ld.lld: error: undefined symbol: void at::scan<float>(float const*)": ["undefined symbol: void at::scan<float>(float const*)"],
  "ld.lld: error: undefined hidden symbol: vtable for Table": ["undefined hidden symbol: vtable for Table"],
  "ImportError: dlopen(/w/_C.so, 0x0002): symbol not found in flat namespace '__ZN3c104warnEi'": ["symbol not found in flat namespace '__ZN3c104warnEi'"],
  "OSError: /w/libtorch_cpu.so: file too short": ["file too short"],
  "RuntimeError: operator torchvision::nms does not exist": ["operator torchvision::nms does not exist"],
  "_ZNK2at6Tensor3dimEv _ZNSs4_Rep20_S_empty_rep_storageE _ZTVN3c1010TensorImplE _ZTIi _ZThn16_N1a1bD0Ev _ZGVZ1fvE1x _ZZN1a1bEvE1c _ZStlsIcE": ["_ZNK2at6Tensor3dimEv", "_ZNSs4_Rep20_S_empty_rep_storageE", "_ZTVN3c1010TensorImplE", "_ZTIi", "_ZThn16_N1a1bD0Ev", "_ZGVZ1fvE1x", "_ZZN1a1bEvE1c", "_ZStlsIcE"],
  "_Znwm _ZdlPvm _ZnamRKSt9nothrow_t _ZL3foov _ZplRK1aS1_ _Zli2_xy _ZSt4cout": ["_Znwm", "_ZdlPvm", "_ZnamRKSt9nothrow_t", "_ZL3foov", "_ZplRK1aS1_", "_Zli2_xy", "_ZSt4cout"],
  "0000000000001139 T _ZN7rowwise3sumEi": ["_ZN7rowwise3sumEi"],
  "_Z3foov calls __Z3barv and __imp__ZN1a1bEv": ["_Z3foov", "__Z3barv", "__imp__ZN1a1bEv"],
};

for (const [line, expected] of Object.entries(hits)) {
  test(`links: ${line}`, () => assert.deepEqual(links(line), expected));
}

test("what only resembles has no link", () => {
  for (const line of ["import my_Zed", "MY_ZONE=3 make", "$ cat undefined.txt", "the symbol table has 12 symbols", "1 passed, 0 failed", "-- Found Torch: /opt/torch/lib/libtorch.so", "version 2.8.0 not found", "a_Z3foov",
    "export _ZSH_VERSION=5.9 __ZSH_X=1 _ZONE_ID=3 _Z_INDEX _ZDOTDIR", "diff --git a/_Zoo.txt b/_Zed _Zero _Zeta _Zstart _Zname _Zorro _ZNAME _ZTITLE",
    "9f3c1 Fix undefined symbol: handling in loader tests", "say more about undefined references to libtorch", "test_undefined_symbols ... ok", "Symbol not found: AAPL",
    "Couldn't find an operator", "ERROR:  operator does not exist: integer = text"]) {
    assert.deepEqual(links(line), [], line);
  }
});

test("a line has at most 16 links, and a line of a minified file none", () => {
  assert.equal(links("_Z3foov ".repeat(100)).length, 16);
  assert.deepEqual(links(`${" ".repeat(20_000)}_Z3foov`), []);
});

test("hostile lines of ten thousand columns have the links that their beginning has", () => {
  assert.deepEqual(links("a".repeat(10_000)), []);
  assert.deepEqual(links(`${"lib.".repeat(2500)}: cannot open`), []);
  assert.deepEqual(links("version `".repeat(1100)), []);
  assert.deepEqual(links("operator ".repeat(1100)), []);
  assert.equal(links("_Z1".repeat(5000)).join("").length, "_Z1".length + 4096);
  assert.deepEqual(links(`${"undefined symbol: ".repeat(1100)}`).length <= 1, true);
});

test("the name around a column, without what stands around it", () => {
  const at = (line: string, column: number): string | undefined => mangledNameAt(line, column)?.name;
  assert.equal(at("undefined symbol: _ZN3c104warnEi, version", 20), "_ZN3c104warnEi");
  assert.equal(at("undefined symbol: _ZN3c104warnEi.", 18), "_ZN3c104warnEi");
  assert.equal(at("w.o:_ZN3c104warnEi:", 10), "_ZN3c104warnEi");
  assert.equal(at("_ZN3foo3barEv.cold", 3), "_ZN3foo3barEv.cold");
  assert.equal(at("_ZNKSs4sizeEv@GLIBCXX_3.4", 24), "_ZNKSs4sizeEv@GLIBCXX_3.4");
  assert.equal(at("\u001B[1;31m_ZN3c104warnEi\u001B[0m", 10), "_ZN3c104warnEi");
  assert.equal(at("\u001B[31m_ZN3c104warnEi\u001B[0m", 2), undefined);
  assert.equal(at("lib.so@_ZN3c104warnEi", 2), undefined);
  assert.equal(at("undefined symbol: _ZN3c104warnEi", 3), undefined);
  assert.equal(at("my_Zed", 4), undefined);
  assert.equal(at("", 0), undefined);
  assert.deepEqual(mangledNameAt("x __ZN3c104warnEi y", 5), { start: 2, end: 17, name: "__ZN3c104warnEi" });
});

test("in a line of a million characters only the surroundings of the column count", () => {
  const line = `${"a".repeat(500_000)} _ZN3c104warnEi ${"b".repeat(500_000)}`;
  assert.equal(mangledNameAt(line, 500_005)?.name, "_ZN3c104warnEi");
  assert.equal(mangledNameAt(line, 250_000), undefined);
});
