import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { says, silent, verdictOf } from "../loading/reading.ts";

describe("host compilers", () => {
  it("one that the toolkit's header refuses", async () => {
    const gcc = await says("/usr/local/cuda-12.1/targets/x86_64-linux/include/crt/host_config.h:132:2: error: #error -- unsupported GNU version! gcc versions later than 12 are not supported! The nvcc flag '-allow-unsupported-compiler' can be used to override this version check", "host-compiler", "certain", /^CUDA 12\.1 takes gcc up to 12, and the gcc found is newer\.$/);
    assert.equal(gcc.copy, "export CC=gcc-12 CXX=g++-12 CUDAHOSTCXX=g++-12");
    assert.ok(gcc.because.includes("CUDA 12.4 is the first toolkit that takes gcc 13."));
    assert.ok(gcc.fixes.every((one) => !one.includes("allow-unsupported")));
    await says("host_config.h:151:2: error: -- unsupported clang version! clang version must be less than 17 and greater than 3.2 .", "host-compiler", "certain", /takes clang up to 16/);
    await says('C:\\CUDA\\v12.1\\include\\crt/host_config.h(153): fatal error C1189: #error:  -- unsupported Microsoft Visual Studio version! Only the versions between 2017 and 2022 (inclusive) are supported!', "host-compiler", "certain", /takes Visual Studio 2017 to 2022/);
  });

  it("torch's own bounds, and the row that its table lacks", async () => {
    await says("RuntimeError: The current installed version of g++-13 (13.2.0) is greater than the maximum required version by CUDA 12.1. Please make sure to use an adequate version of g++-13 (>=6.0.0, <13.0).", "host-compiler", "certain", /^CUDA 12\.1 does not take g\+\+-13 13\.2\.0: it is too new\.$/);
    await says("W1 torch/utils/cpp_extension.py:657] There are no x86_64-linux-gnu-g++ version bounds defined for CUDA version 13.2", "harmless", "certain", /no row for CUDA 13\.2/);
    await says("                               !! WARNING !!!!Your compiler (g++ 4.8) may be ABI-incompatible with PyTorch!Please use a compiler that is ABI-compatible with GCC 5.0 and above.", "host-compiler", "likely", /g\+\+ 4\.8 is older than GCC 5/);
  });

  it("Visual C++ without its environment", async () => {
    const verdict = await verdictOf("D:\\mc\\envs\\gs\\include\\pyconfig.h(59): fatal error C1083: Cannot open include file: 'io.h': No such file or directory\nC:\\VS\\VC\\Tools\\MSVC\\14.29.30133\\include\\vcruntime.h(10): fatal error C1083: Cannot open include file: 'crtdefs.h': No such file or directory");
    assert.deepEqual([verdict.cause, verdict.confidence, verdict.headline], ["headers-missing", "certain", "Visual C++ runs without the headers of Windows."]);
    await silent("ops.cpp:3:10: fatal error: io.h: No such file or directory");
  });

  it("one that is not there", async () => {
    const ccbin = await verdictOf("/nonexistent/g++-13: No such file or directory\nnvcc fatal   : Failed to preprocess host compiler properties.");
    assert.deepEqual([ccbin.cause, ccbin.headline], ["compiler-missing", "nvcc is told to use /nonexistent/g++-13, which is not there."]);
    await says("ccache: error: execute_noreturn of /nonexistent/g++ failed: No such file or directory", "compiler-missing", "certain", /^The compiler \/nonexistent\/g\+\+ cannot be started/);
    await says("error: command 'x86_64-linux-gnu-g++' failed: No such file or directory", "compiler-missing", "certain", /x86_64-linux-gnu-g\+\+ cannot be started/);
  });

  it("killed for memory, or crashed by itself", async () => {
    for (const text of ["nvcc error   : 'cicc' died due to signal 9 (Kill signal)", "g++: fatal error: Killed signal terminated program cc1plus\ncompilation terminated.", "c++: internal compiler error: Killed (program cc1plus)", "virtual memory exhausted: Cannot allocate memory"]) {
      const verdict = await says(text, "compiler-crash", "certain", /^The machine ran out of memory/);
      assert.equal(verdict.copy, "export MAX_JOBS=2");
    }
    await says("src/ops.cpp:12:3: internal compiler error: Segmentation fault", "compiler-crash", "certain", /^The compiler itself crashed/);
    await says("nvcc error   : 'cudafe++' died due to signal 11 (Invalid memory reference)", "compiler-crash", "certain", /crashed/);
    await silent("Process 4711 was killed by signal 9");
  });

  it("killed below a command of ninja, by the shell's word alone", async () => {
    const failed = "FAILED: flash_bwd.o\nKilled\nninja: build stopped: subcommand failed.";
    await says(failed, "compiler-crash", "likely", /stopped by the system/);
    await silent("Epoch 3: 41%\nKilled");
    await silent("FAILED: tests/test_ops.py::test_big\nKilled");
  });

  it("headers of the system that are newer than nvcc; not errors of a project", async () => {
    await says('/usr/include/x86_64-linux-gnu/bits/floatn.h(74): error: identifier "_Float32" is undefined', "host-compiler", "likely", /newer than the toolkit knows/);
    await says("/usr/include/c++/11/bits/std_function.h:435:145: error: parameter packs not expanded with '...':", "host-compiler", "likely", /newer than the toolkit knows/);
    await says("gcc: fatal error: cannot execute 'cc1plus': execvp: No such file or directory", "compiler-missing", "certain", /cc1plus/);
    await silent('src/k.cu(3): error: identifier "_Float32x" is undefined');
  });

  it("too old for the standard that it is given", async () => {
    const gcc = await says("g++: error: unrecognized command-line option ‘-std=c++20’; did you mean ‘-std=c++2a’?", "host-compiler", "certain", /too old for -std=c\+\+20/);
    assert.ok(gcc.because.some((one) => one.includes("gcc knows it from 10 on")));
    await says("nvcc fatal   : Value 'c++20' is not defined for option 'std'", "host-compiler", "certain", /nvcc does not know it/);
  });
});
