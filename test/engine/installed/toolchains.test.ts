import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findToolchains } from "../../../src/engine/installed/index.ts";
import { hostCompilerBounds } from "../../../src/engine/installed/toolchains.ts";
import { valueOf } from "../../../src/engine/model/index.ts";
import { MemoryFiles } from "../../support/memory-files.ts";

const header = `
#if defined(__ICC)
#if (__ICC != 1500 && __ICC != 1600)
#error -- unsupported ICC configuration!
#endif
#elif defined(__GNUC__)
#if __GNUC__ > 13
#error -- unsupported GNU version! gcc versions later than 13 are not supported!
#endif
#if defined(__clang__) && !defined(__ibmxl_vrm__) && \\
    (__clang_major__ >= 19) || (__clang_major__ < 7)
#error -- unsupported clang version!
#endif
#endif
`;

describe("findToolchains", () => {
  it("takes CUDA_HOME, then nvcc on PATH through links, then /usr/local, each once", () => {
    const files = new MemoryFiles({
      "/opt/cuda-12.4/version.json": '{ "cuda" : { "name" : "CUDA SDK", "version" : "12.4.1" }, "nvcc": {"version": "12.4.131"} }',
      "/opt/cuda-12.4/include/crt/host_config.h": header,
      "/usr/local/cuda-13.0/include/cuda.h": "#define CUDA_VERSION 13000\n",
      "/usr/local/cuda-13.0/bin/nvcc": "",
      "/usr/local/cuda-11.8/targets/x86_64-linux/include/cuda_runtime_api.h": "#define CUDART_VERSION  11080\n",
    }, { "/usr/local/cuda": "cuda-13.0", "/usr/bin/nvcc": "../local/cuda/bin/nvcc" });
    const found = findToolchains({ files, environment: { CUDA_HOME: "/opt/cuda-12.4", PATH: "/usr/bin" } });
    assert.deepEqual(found.map((one) => [one.name, valueOf(one.facts, "cuda-version")]), [["CUDA 12.4", "12.4"], ["CUDA 13.0", "13.0"], ["CUDA 11.8", "11.8"]]);
    assert.deepEqual(valueOf(found[0]?.facts ?? [], "host-compiler-bounds"), { gcc: { max: 13 }, clang: { min: 7, max: 18 } });
  });

  it("takes the toolkit of NVIDIA's wheels in the active environment", () => {
    const files = new MemoryFiles({ "/venv/lib/python3.12/site-packages/nvidia/cu13/include/cuda.h": "#define CUDA_VERSION 13020\n" });
    assert.deepEqual(findToolchains({ files, environment: { VIRTUAL_ENV: "/venv" } }).map((one) => one.name), ["CUDA 13.2"]);
    files.write("/chosen/pyvenv.cfg", "version = 3.12.1\n");
    files.write("/chosen/bin/python", "");
    files.write("/chosen/lib/python3.12/site-packages/nvidia/cuda_nvcc/include/cuda.h", "#define CUDA_VERSION 12090\n");
    assert.deepEqual(findToolchains({ files, environment: { VIRTUAL_ENV: "/venv" }, interpreter: "/chosen/bin/python" }).map((one) => one.name), ["CUDA 12.9"]);
  });

  it("finds compilers by their folders, and no compiler where only its libraries are", () => {
    const files = new MemoryFiles({ "/usr/lib/gcc/x86_64-linux-gnu/12/cc1plus": "", "/usr/lib/gcc/x86_64-linux-gnu/11/libgcc.a": "", "/usr/libexec/gcc/x86_64-linux-gnu/13/cc1plus": "", "/usr/lib/gcc/x86_64-linux-gnu/13/libgcc.a": "", "/usr/lib/llvm-14/bin/clang": "", "/usr/lib/llvm-15/lib/libLLVM.so": "" });
    assert.deepEqual(findToolchains({ files, environment: {} }).map((one) => valueOf(one.facts, "compiler")), ["gcc 12", "gcc 13", "clang 14"]);
  });

  it("reads no bounds where the header states none", () => {
    assert.deepEqual(hostCompilerBounds("#pragma once\n"), { gcc: {}, clang: {} });
  });
});
