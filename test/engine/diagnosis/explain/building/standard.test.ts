import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { release, says, silent, verdictsOf } from "../loading/reading.ts";

const command = (flags: string): string => `c++ -MMD -MF ops.o.d -DTORCH_EXTENSION_NAME=ops -isystem /srv/v/lib/python3.11/site-packages/torch/include ${flags} -c /srv/ops/ops.cpp -o ops.o`;
const guard = (standard: number): string => `/srv/v/lib/python3.11/site-packages/torch/include/torch/csrc/api/include/torch/all.h:5:2: error: #error C++${standard} or later compatible compiler is required to use PyTorch.\n    5 | #error C++${standard} or later compatible compiler is required to use PyTorch.\n      |  ^~~~~`;

describe("the C++ standard", () => {
  it("a pinned flag below what the headers demand is named, with what to write", async () => {
    const verdict = await says(`FAILED: ops.o\n${command("-fPIC -std=c++17")}\n${guard(20)}`, "cxx-standard", "certain", /^torch's headers demand C\+\+20, and -std=c\+\+17 on the compiler's command line asks for less\.$/);
    assert.deepEqual([verdict.rule, verdict.copy, verdict.file, verdict.needs], ["cxx-standard", "-std=c++20", "/srv/ops/ops.cpp", []]);
    assert.equal(verdict.because[0], "Headers of torch 2.14 and newer demand it.");
    assert.match(verdict.because[1] ?? "", /extra_compile_args, or the environment in CXXFLAGS\. torch adds its own standard only where none is given/);
  });

  it("of several flags the last counts; gnu++ comes from CMake", async () => {
    const several = await says(`${command("-std=c++20 -std=c++14")}\n${guard(17)}`, "cxx-standard", "certain", /C\+\+17, and -std=c\+\+14/);
    assert.match(several.because[1] ?? "", /holds 2 standards, and the last one counts/);
    const cmake = await says(`/usr/bin/c++ -isystem /opt/libtorch/torch/include -std=gnu++14 -o a.o -c a.cpp\n${guard(17)}`, "cxx-standard", "certain", /-std=gnu\+\+14/);
    assert.match(cmake.because[1] ?? "", /gnu\+\+ dialect is what CMake asks for/);
    assert.match(cmake.fixes[0] ?? "", /CMAKE_CXX_STANDARD/);
    assert.equal(cmake.copy, "-std=gnu++17");
  });

  it("without the command line it asks for it; clang, MSVC and older words too", async () => {
    const alone = await says(guard(17), "cxx-standard", "certain", /demand C\+\+17, and the build compiles with less/);
    assert.equal(alone.because[0], "Headers of torch 2.1 to 2.13 demand it.");
    assert.equal(alone.needs.length, 1);
    for (const line of ["[ 50%] Building CXX object CMakeFiles/ops.dir/ops.cpp.o", "FAILED: CMakeFiles/ops.dir/ops.cpp.o "]) {
      const cmake = await says(`${line}\nIn file included from /w/ops.cpp:1:\n${guard(17)}`, "cxx-standard", "certain", /and the build compiles with less/);
      assert.deepEqual(cmake.fixes.map((one) => one.slice(0, 38)), ["Raise it to C++17: CMAKE_CXX_STANDARD "], line);
    }
    assert.deepEqual(alone.fixes.map((one) => one.slice(0, 38)), ["Delete the -std flag from extra_compil", "With CMake set CMAKE_CXX_STANDARD and "]);
    await says("/t/include/ATen/ATen.h:4:2: error: C++17 or later compatible compiler is required to use ATen.", "cxx-standard", "certain", /C\+\+17/);
    await says('C:\\v\\torch\\include\\torch/all.h(5): fatal error C1189: #error:  C++20 or later compatible compiler is required to use PyTorch.', "cxx-standard", "certain", /C\+\+20/);
    await says("torch/csrc/api/include/torch/all.h:4:2: error: #error C++14 or later compatible compiler is required to use PyTorch.", "cxx-standard", "certain", /C\+\+14/);
    await says("c10/util/C++17.h:27:2: error: #error You need C++17 to compile PyTorch", "cxx-standard", "certain", /C\+\+17/);
  });

  it("an environment whose headers demand another standard: the build read others", async () => {
    const { because } = await says(guard(20), "cxx-standard", "certain", /C\+\+20/, await release("torch==2.8.0+cpu"));
    assert.ok(because.some((one) => one.includes("demands C++17: the build read the headers of another torch")), because.join("\n"));
  });

  it("errors that follow in torch's headers are no causes of their own", async () => {
    const verdicts = await verdictsOf(`${command("-std=c++17")}\n${guard(20)}\n/srv/v/lib/python3.11/site-packages/torch/include/ATen/ExpandUtils.h:470:28: error: ‘sizes’ is not a member of ‘at::symint’`);
    assert.deepEqual(verdicts.map((one) => one.cause), ["cxx-standard"]);
  });

  it("a newer feature in torch's headers; not in a project without torch, and not as a warning", async () => {
    await says(`${command("-std=c++17")}\n/srv/v/lib/python3.11/site-packages/torch/include/c10/util/X.h:9:19: error: ‘requires’ does not name a type`, "cxx-standard", "likely", /C\+\+20/);
    const inTorch = "/v/lib/python3.11/site-packages/torch/include/c10/util/in_place.h";
    await says(`${inTorch}:7:12: error: no member named 'in_place' in namespace 'std'`, "cxx-standard", "likely", /C\+\+17/);
    await says(`${inTorch}:8:12: error: ‘std::in_place_index_t’ has not been declared`, "cxx-standard", "likely", /C\+\+17/);
    await says(`${inTorch}(7): error: namespace "std" has no member "in_place"`, "cxx-standard", "likely", /C\+\+17/);
    await silent("g++ -std=c++14 -c lib.cpp\nlib.cpp:1:1: error: ‘is_same_v’ is not a member of ‘std’; did you mean ‘is_same’?");
    await silent(`${command("-std=c++14")}\nops.cpp:6:14: warning: ‘if constexpr’ only available with ‘-std=c++17’ or ‘-std=gnu++17’ [-Wc++17-extensions]`);
  });
});
