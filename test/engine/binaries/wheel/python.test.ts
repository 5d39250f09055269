import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { described, library, platform, said } from "./made.ts";
import type { LibraryChanges } from "./made.ts";

const limited = { imports: ["PyModule_Create2", "PyLong_FromLong", "_Py_NoneStruct"] };

function at(tags: string, ...libraries: readonly (readonly [member: string, changes?: LibraryChanges])[]): Promise<readonly string[]> {
  return said({ fileName: `ops-1.0-${tags}.whl`, libraries: libraries.map(([member, changes]) => library(member, changes)) });
}

describe("Python tags", () => {
  it("are those of the modules", async () => {
    assert.deepEqual(await at(`cp311-cp311-${platform}`, ["ops/_C.cpython-311-x86_64-linux-gnu.so"]), []);
    assert.deepEqual(await at(`cp311-cp311-${platform}`, ["ops/_C.so"], ["ops/_D.abi3.so"]), []);
    assert.deepEqual(await at(`cp313-cp313t-${platform}`, ["ops/_C.cpython-313t-x86_64-linux-gnu.so"]), []);
    assert.deepEqual(await at(`pp311-pypy311_pp73-${platform}`, ["ops/_C.pypy311-pp73-x86_64-linux-gnu.so", { profile: { modules: [{ name: "_C", entry: "PyInit__C", suffix: "pypy311-pp73-x86_64-linux-gnu" }] } }]), []);
    assert.deepEqual(await at(`cp310-cp310-${platform}`, ["ops/_C.cpython-311-x86_64-linux-gnu.so"]), ["error python-tag: The name says ABI cp310. ops/_C.cpython-311-x86_64-linux-gnu.so is a module for CPython 3.11, which that Python does not import."]);
    assert.deepEqual(await at(`cp313-cp313-${platform}`, ["ops/_C.cpython-313t-x86_64-linux-gnu.so"]), ["error python-tag: The name says ABI cp313. ops/_C.cpython-313t-x86_64-linux-gnu.so is a module for CPython 3.13 without GIL, which that Python does not import."]);
  });

  it("allow several modules of one name", async () => {
    assert.deepEqual(await at(`cp310-cp310-${platform}`, ["ops/_C.cpython-310-x86_64-linux-gnu.so"], ["ops/_C.cpython-311-x86_64-linux-gnu.so"]), []);
    assert.deepEqual(await at(`py3-none-${platform}`, ["ops/_C.cpython-310-x86_64-linux-gnu.so"], ["ops/_C.cpython-311-x86_64-linux-gnu.so"]), []);
  });

  it("that admit any Python, on a module for one", async () => {
    assert.deepEqual(await at(`py3-none-${platform}`, ["ops/_C.cpython-311-x86_64-linux-gnu.so"]), ["warning python-tag: The name says py3-none, which installs for any Python. ops/_C.cpython-311-x86_64-linux-gnu.so has a name that only CPython 3.11 imports."]);
    assert.deepEqual(await at(`cp311-none-${platform}`, ["ops/_C.cpython-311-x86_64-linux-gnu.so"]), []);
    assert.deepEqual(await at(`cp39-abi3-${platform}`, ["ops/_C.cpython-311-x86_64-linux-gnu.so"]), ["error python-tag: The name says cp39-abi3, for every CPython from that one on. ops/_C.cpython-311-x86_64-linux-gnu.so has a name that only CPython 3.11 imports."]);
    assert.deepEqual(await at(`py3-none-${platform}`, ["ops/_C.so", limited]), []);
    assert.deepEqual(await at(`py3-none-${platform}`, ["ops/_C.so", { imports: ["_PyObject_GetDictPtr"] }]), ["warning python-tag: The name says py3-none, for any Python. ops/_C.so uses functions of CPython beyond the limited API, which tie it to the one release that it was compiled for."]);
    assert.deepEqual(await at(`py3-none-${platform}`, ["ops/libops.so"]), []);
  });
});

describe("pure wheels", () => {
  it("hold no libraries", async () => {
    assert.deepEqual(await at("py3-none-any"), []);
    assert.deepEqual(await at("py3-none-any", ["ops/_C.abi3.so"]), ['error pure: The name says "any": installers take the wheel for every system. ops/_C.abi3.so is a Python module for Linux on x86_64.']);
    assert.deepEqual(await at("py3-none-any", ["ops/libops.so"], ["ops/libother.so"]), ['warning pure: The name says "any": installers take the wheel for every system. ops/libops.so is a library for Linux on x86_64, one of 2 such files.']);
    assert.match((await said({ fileName: "ops-1.0-py3-none-any.whl", libraries: [library("ops/libops.so")], members: { "ops/ops.dll": "" } })).join(), /^info pure: .*; libraries for other systems are beside it\.$/);
  });

  it("say so in WHEEL", async () => {
    const wheel = `Root-Is-Purelib: true\nTag: cp39-abi3-${platform}\n`;
    assert.match((await said({ fileName: `ops-1.0-cp39-abi3-${platform}.whl`, wheel, libraries: [library("ops/_C.abi3.so")] })).join(), /^info pure: WHEEL says Root-Is-Purelib: true/);
    assert.deepEqual(await said({ fileName: `ops-1.0-cp39-abi3-${platform}.whl`, wheel, libraries: [library("ops/libops.so")] }), []);
  });
});

describe("the stable ABI of CPython", () => {
  it("is kept, and from which release on is told", async () => {
    const floor = async (...libraries: Parameters<typeof library>[]) => (await described({ libraries: libraries.map((one) => library(...one)) })).abi3Floor;
    assert.equal(await floor(["ops/_C.so", limited]), "3.2");
    assert.equal(await floor(["ops/_C.so", { imports: ["PyType_GetName", "PyVectorcall_Call"] }]), "3.12");
    assert.equal(await floor(["ops/_C.so", limited], ["ops/libops.so", { imports: ["PyIter_Send"] }]), "3.10");
    assert.equal(await floor(["ops/_C.so", limited], ["ops/_D.so", { imports: ["PyUnicode_New"] }]), undefined);
    assert.equal(await floor(["ops/_C.so", { ...limited, weak: ["PyUnicode_New"] }]), "3.2");
    assert.equal(await floor(["ops/libops.so", limited]), undefined);
  });

  it("is promised and broken", async () => {
    assert.deepEqual(await at(`cp39-abi3-${platform}`, ["ops/_C.abi3.so", limited]), []);
    assert.deepEqual(await at(`cp39-abi3-${platform}`, ["ops/_C.abi3.so", { imports: ["PyUnicode_New", "_PyLong_Sign"] }]), [
      "error abi3: The name says cp39-abi3, which promises that every later CPython loads it. ops/_C.abi3.so needs PyUnicode_New, _PyLong_Sign, which are not part of the stable ABI.",
    ]);
    assert.deepEqual(await at(`cp39-abi3-${platform}`, ["ops/_C.so", { imports: ["PyType_GetName"] }]), [
      "error abi3: The name says cp39-abi3, so that it installs on CPython 3.9. ops/_C.so needs PyType_GetName, and PyType_GetName is there from CPython 3.11 on.",
    ]);
    assert.deepEqual(await at(`cp311-abi3-${platform}`, ["ops/_C.so", { imports: ["PyType_GetName"] }]), []);
    assert.deepEqual(await at(`cp311-cp311-${platform}`, ["ops/_C.cpython-311-x86_64-linux-gnu.so", { imports: ["PyUnicode_New"] }]), []);
    // The oldest of several Pythons has to have it.
    assert.match((await at(`cp39.cp311-abi3-${platform}`, ["ops/_C.so", { imports: ["PyType_GetName"] }])).join(), /^error abi3: The name says cp39\.cp311-abi3, so that it installs on CPython 3\.9\./);
    assert.match((await at(`cp311-cp311-${platform}`, ["ops/_C.abi3.so", { imports: ["PyUnicode_New"] }])).join(), /^error abi3: A module is named for the stable ABI of CPython, which/);
    assert.match((await at(`cp39-abi3-${platform}`, ["ops/_C.abi3.so", { imports: ["_Py_RefTotal"] }])).join(), /not part of the stable ABI of Linux \(only builds with Py_REF_DEBUG have _Py_RefTotal\)\.$/);
  });

  it("for builds without GIL begins with 3.15", async () => {
    assert.deepEqual(await at(`cp315-abi3.abi3t-${platform}`, ["ops/_C.abi3t.so", { ...limited, profile: { modules: [{ name: "_C", entry: "PyModExport__C", suffix: "abi3t" }] } }]), []);
    assert.deepEqual(await at(`cp313-abi3t-${platform}`), ["error abi3: The name says cp313-abi3t. The stable ABI for builds without GIL begins with CPython 3.15."]);
  });
});
