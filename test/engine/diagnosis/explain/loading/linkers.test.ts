import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { release, says, silent, verdictOf, verdictsOf } from "./reading.ts";

/** As GNU ld 2.40, gold, lld 14 and mold 1.10 print the same link. */
const links: Readonly<Record<string, string>> = {
  bfd: `/usr/bin/ld: build/norm.o: in function \`run()':
norm.cpp:(.text+0x50): undefined reference to \`own::gelu(std::vector<int, std::allocator<int> > const&)'
/usr/bin/ld: norm.cpp:(.text+0x7d): undefined reference to \`own::gelu(std::vector<int, std::allocator<int> > const&)'
/usr/bin/ld: build/norm.o:norm.cpp:(.text+0x5e1): more undefined references to \`own::gelu(std::vector<int, std::allocator<int> > const&)' follow
collect2: error: ld returned 1 exit status`,
  gold: `build/norm.o:norm.cpp:function run(): error: undefined reference to 'own::gelu(std::vector<int, std::allocator<int> > const&)'
build/norm.o:norm.cpp:function run2(): error: undefined reference to 'own::gelu(std::vector<int, std::allocator<int> > const&)'
collect2: error: ld returned 1 exit status`,
  lld: `ld.lld: error: undefined symbol: own::gelu(std::vector<int, std::allocator<int> > const&)
>>> referenced by norm.cpp
>>>               build/norm.o:(run())
>>> referenced 6 more times
collect2: error: ld returned 1 exit status`,
  mold: `mold: error: undefined symbol: own::gelu(std::vector<int, std::allocator<int> > const&)
>>> referenced by norm.cpp
>>>               build/norm.o:(run())>>> referenced by norm.cpp
>>>               build/norm.o:(run2())
collect2: error: ld returned 1 exit status`,
};

describe("undefined references", () => {
  for (const [linker, text] of Object.entries(links)) {
    it(`of ${linker} are one matter with its object, and the driver's word follows from it`, async () => {
      const verdict = await verdictOf(text);
      assert.equal(verdict.cause, "own-symbol");
      assert.equal(verdict.file, "build/norm.o");
      assert.deepEqual(verdict.symbols?.map((one) => one.symbol), ["own::gelu(std::vector<int, std::allocator<int> > const&)"]);
      assert.deepEqual(verdict.consequences.map((one) => one.words), ["collect2: error: ld returned 1 exit status"]);
    });
  }

  it("mangled ones are read as such, cut ones as cut", async () => {
    const verdict = await verdictOf("k.o: in function `_Z3runv':\nk.cpp:(.text+0x50): undefined reference to `_ZN3own4geluEi'");
    assert.equal(verdict.symbols?.[0]?.demangled, "own::gelu(int)");
    assert.equal((await verdictOf("k.cpp:6: undefined reference to `own::gelu(std::vec...")).cause, "own-symbol");
  });

  it("of CUDA's, Python's and the compiler's libraries", async () => {
    await says("k.cpp:(.text+0x1): undefined reference to `cublasCreate_v2'", "library-not-linked", "likely", /libcublas/);
    await says("k.cpp:(.text+0x1): undefined reference to `PyList_New'", "library-not-linked", "likely", /Python/);
    const threads = await says("k.cpp:(.text+0x1): undefined reference to `pthread_create'", "library-not-linked", "certain", /POSIX threads/);
    assert.equal(threads.copy, "-pthread");
    assert.equal((await says("/usr/lib/gcc/x/Scrt1.o: in function `_start':\n(.text+0x17): undefined reference to `main'", "own-symbol", "likely", /main/)).file, "/usr/lib/gcc/x/Scrt1.o");
    assert.equal((await says("k.o: in function `f()':\ntmp.cpp:(.text+0x3): undefined reference to `__cudaRegisterLinkedBinary_44_tmp_k_cpp1_ii_a'", "own-symbol", "likely", /device/)).file, "k.o");
  });

  it("of ROCm and SYCL", async () => {
    for (const [name, library] of [["hipMalloc", /libamdhip64/], ["__hipRegisterFatBinary", /libamdhip64/], ["hsa_system_get_major_extension_table", /libhsa-runtime64/], ["rocblas_create_handle", /mathematical library of ROCm/], ["hipfftPlan2d", /mathematical library of ROCm/], ["miopenCreate", /MIOpen/]] as const) {
      await says(`k.cpp:(.text+0x1): undefined reference to \`${name}'`, "other-library-symbol", "likely", library);
    }
    await says("k.cpp:(.text+0x1): undefined reference to `EVP_aes_256_ctr'", "other-library-symbol", "likely", /OpenSSL/);
    await says("k.cpp:(.text+0x1): undefined reference to `BN_forward'", "own-symbol", "possible", /BN_forward/);
    await says("ImportError: /opt/intel/oneapi/mkl/2024.0/lib/libmkl_gnu_thread.so.2: undefined symbol: mkl_blas_xgemm_f16f16f32_pack", "other-library-symbol", "likely", /Intel's MKL/);
    await says("k.cpp:(.text+0x1): undefined reference to `sycl::_V1::queue::wait()'", "other-library-symbol", "likely", /SYCL/);
    await says("k.cpp:(.text+0x1): undefined reference to `hipster_run'", "own-symbol", "possible", /hipster_run/);
  });

  it("in a version: the C++ and C libraries of the link are too old", async () => {
    const verdict = await says("/usr/bin/ld: /opt/libtorch/lib/libc10.so: undefined reference to `std::__throw_bad_array_new_length()@GLIBCXX_3.4.29'", "libstdcxx-too-old", "certain", /libc10\.so needs GLIBCXX_3\.4\.29 of libstdc\+\+ \(GCC 11\.1 or later\)/);
    assert.equal(verdict.file, "/opt/libtorch/lib/libc10.so");
    await says("/usr/bin/ld: libx.so: undefined reference to `dlsym@GLIBC_2.34'", "glibc-too-old", "certain", /glibc 2\.34/);
  });

  it("DSO missing from command line names the library", async () => {
    const verdict = await says("/usr/bin/ld: k.o: undefined reference to symbol '_ZNSt6threadD1Ev@@GLIBCXX_3.4.11'\n/usr/bin/ld: /lib/x86_64-linux-gnu/libstdc++.so.6: error adding symbols: DSO missing from command line", "library-not-linked", "certain", /is in libstdc\+\+\.so\.6/);
    assert.match(verdict.fixes[0] ?? "", /C\+\+ driver/);
    assert.deepEqual(verdict.lines, { first: 1, last: 2 });
    assert.equal((await verdictOf("/usr/bin/ld: k.o: undefined reference to symbol 'own_f'\n/usr/bin/ld: /w/libown.so: error adding symbols: DSO missing from command line")).copy, "-lown");
  });

  it("of Apple's ld", async () => {
    const [blas, ...rest] = await verdictsOf("Undefined symbols for architecture arm64:\n  \"_own_sgemm\", referenced from:\n      _main in main.o\nld: symbol(s) not found for architecture arm64\nclang: error: linker command failed with exit code 1 (use -v to see invocation)");
    assert.deepEqual(rest, []);
    assert.equal(blas?.file, "main.o");
    assert.equal(blas?.symbols?.[0]?.symbol, "own_sgemm");
    assert.equal(blas?.consequences.length, 2);
  });

  it("of MSVC's LINK, in English and German, of C and C++", async () => {
    const verdict = await verdictOf('op.obj : error LNK2019: unresolved external symbol "__declspec(dllimport) public: __cdecl own::Error::Error(int,class std::basic_string<char>)" (__imp_??0Error@own@@QEAA@H@Z) referenced in function "void __cdecl run(void)" (?run@@YAXXZ)\n_C.pyd : fatal error LNK1120: 1 unresolved externals');
    assert.equal(verdict.symbols?.[0]?.symbol, "own::Error::Error(int,std::basic_string<char>)");
    assert.equal(verdict.file, "op.obj");
    assert.equal(verdict.consequences.length, 1);
    assert.equal((await verdictOf('op.obj : error LNK2001: Nicht aufgelöstes externes Symbol "void __cdecl own::gelu(int)" (?gelu@own@@YAXH@Z).')).symbols?.[0]?.symbol, "own::gelu(int)");
    await says("op.obj : error LNK2019: unresolved external symbol __imp_cublasCreate_v2 referenced in function main", "library-not-linked", "likely", /libcublas/);
  });

  it("of MSVC's LINK as Visual Studio's list of errors is copied, and with MSBuild's number of the project", async () => {
    const symbol = '"__declspec(dllimport) public: struct own::Ptr & __cdecl own::Ptr::operator=(struct own::Ptr const &)" (__imp_??4Ptr@own@@QEAAAEAU01@AEBU01@@Z) referenced in function "void __cdecl run(void)" (?run@@YAXXZ)';
    const listed = await verdictOf(`Error\tLNK2019\tunresolved external symbol ${symbol}\tC:\\w\\out\\demo\tC:\\w\\out\\demo\\app.cpp.obj\t1\t`);
    assert.deepEqual([listed.cause, listed.file, listed.symbols?.[0]?.symbol], ["own-symbol", "C:\\w\\out\\demo\\app.cpp.obj", "own::Ptr::operator=(own::Ptr const &)"]);
    assert.equal((await verdictOf(`12>app.obj : error LNK2019: unresolved external symbol ${symbol}`)).file, "app.obj");
  });

  it("of MSVC's LINK about data: neither access nor type is part of the name", async () => {
    const verdict = await verdictOf('a.obj : error LNK2001: unresolved external symbol "private: static struct c10::UndefinedTensorImpl c10::UndefinedTensorImpl::_singleton" (?_singleton@UndefinedTensorImpl@c10@@0U12@A)');
    assert.equal(verdict.symbols?.[0]?.symbol, "c10::UndefinedTensorImpl::_singleton");
    assert.deepEqual([verdict.symbols?.[0]?.torch?.since, verdict.symbols?.[0]?.torch?.until, verdict.symbols?.[0]?.successor], ["1.2.0", null, undefined]);
    assert.equal((await verdictOf('a.obj : error LNK2001: unresolved external symbol "public: static class std::map<int, int> own::table" (?table@own@@2V?$map@HH@std@@A)')).symbols?.[0]?.symbol, "own::table");
  });

  it("long on Windows is no int64_t", async () => {
    for (const function_ of ["at::Tensor::data<long>", "at::Tensor::data_ptr<long>", "at::TensorBase::mutable_data_ptr<long>"]) {
      const verdict = await says(`iou3d.obj : error LNK2001: unresolved external symbol "public: long * __cdecl ${function_}(void)const " (??$data@J@Tensor@at@@QEBAPEAJXZ)`, "source-error", "certain", /elements of a tensor as long/);
      assert.equal(verdict.copy, "data_ptr<int64_t>()");
      assert.equal(verdict.symbols?.[0]?.successor, undefined);
    }
    assert.notEqual((await verdictOf('a.obj : error LNK2001: unresolved external symbol "public: float * __cdecl at::Tensor::data_ptr<float>(void)const " (??$data_ptr@M@Tensor@at@@QEBAPEAMXZ)')).cause, "source-error");
    assert.notEqual((await verdictOf("a.cpp:(.text+0x1): undefined reference to `long* at::Tensor::data_ptr<long>() const'")).cause, "source-error");
  });

  it("for the device", async () => {
    await says("nvlink error   : Undefined reference to '_Z6helperfPKi' in 'build/k.o'", "own-symbol", "certain", /helper\(float, int const\*\)/);
    const whole = await says("ptxas fatal   : Unresolved extern function '_Z6helperfPKi'", "own-symbol", "likely", /GPU code calls/);
    assert.match(whole.fixes[0] ?? "", /-rdc=true/);
  });

  it("a question of CMake's that was answered with no is no failure", async () => {
    const linked = "/usr/bin/ld: src.c:(.text+0x2d): undefined reference to `pthread_create'\ncollect2: error: ld returned 1 exit status";
    await silent(`Performing C SOURCE FILE Test CMAKE_HAVE_LIBC_PTHREAD failed with the following output:\nRun Build Command(s):/usr/bin/ninja cmTC_3ca9b\n${linked}`);
    await says(`[2/3] Linking CXX executable demo\n${linked}`, "library-not-linked", "certain", /POSIX threads/);
  });

  it("of several libraries are one verdict for each library, of torch's own one for all", async () => {
    const names = ["cublasCreate_v2", "cudaMalloc", "THPVariableClass", "vtable for c10::Error", "cublasDestroy_v2", "torch::jit::Graph::dump() const"];
    const verdicts = await verdictsOf([...names.map((name) => `/usr/bin/ld: ops.cpp:(.text+0x9): undefined reference to \`${name}'`), "collect2: error: ld returned 1 exit status"].join("\n"));
    assert.deepEqual(verdicts.map((one) => [one.cause, one.occurrences, one.fixes.join(" ").match(/-l\w+|find_library\(\w+ \w+/g)]), [
      ["library-not-linked", 2, ["-lcublas"]], ["library-not-linked", 1, ["-lcudart"]], ["library-not-linked", 1, ["find_library(TORCH_PYTHON_LIBRARY torch_python"]], ["library-not-linked", 2, ["-ltorch", "-ltorch_cpu", "-lc10"]],
    ]);
    assert.ok(verdicts.every((one) => !("about" in one)));
  });

  it("a version that is a library's name is the library", async () => {
    await says("/usr/bin/ld: /opt/libtorch/lib/libtorch_cuda.so: undefined reference to `ncclCommSplit@libnccl.so.2'", "library-not-linked", "likely", /libnccl/);
  });

  it("near misses are silent", async () => {
    for (const text of [
      'assert "undefined reference to `foo\'" not in log',
      "import ops\n# undefined reference to `foo' means that a library is missing",
      "We never had an undefined reference to it.",
      "warning: undefined reference counts are expensive",
      "-- Performing Test HAVE_PTHREAD - Failed",
    ]) await silent(text);
  });
});

describe("links that fail for other reasons", () => {
  it("libraries that are not found, in each linker's words", async () => {
    for (const text of ["/usr/bin/ld: cannot find -lc10: No such file or directory", "/usr/bin/ld.gold: error: cannot find -lc10", "ld.lld: error: unable to find library -lc10", "mold: fatal: library not found: c10", "ld: library not found for -lc10", "ld: library 'c10' not found", "LINK : fatal error LNK1181: cannot open input file 'c10.lib'"]) {
      const verdict = await says(text, "torch-library-missing", "certain", /The linker does not find (?:lib)?c10/);
      assert.match(verdict.fixes[0] ?? "", /find_package\(Torch\)/);
    }
    await says("/usr/bin/ld: cannot find -lcudart", "library-missing", "certain", /of CUDA/);
    await says("/usr/bin/ld: cannot find -lcuda: No such file or directory", "library-missing", "certain", /NVIDIA driver/);
    assert.ok((await says("/usr/bin/ld: cannot find -lnvToolsExt", "library-missing", "certain", /of CUDA/)).because.some((one) => /CUDA 13 has no libnvToolsExt/.test(one)));
    await says("/usr/bin/ld: cannot find -lcudadevrt: No such file or directory", "library-missing", "certain", /of CUDA/);
    assert.match((await says("/usr/bin/ld: cannot find -lTORCH_PYTHON_LIBRARY-NOTFOUND", "library-missing", "certain", /TORCH_PYTHON_LIBRARY/)).fixes[0] ?? "", /-DTORCH_PYTHON_LIBRARY=/);
    await says("/usr/bin/ld: cannot find -lown_ops", "library-missing", "certain", /libown_ops/);
    await says('LINK : fatal error LNK1104: Datei "python311.lib" kann nicht geöffnet werden.', "python-abi", "likely", /Python 3\.11/);
    await says("/usr/bin/ld: cannot find -lc10_cuda", "torch-cpu-only", "certain", /torch 2\.13\.0\+cpu is built without CUDA/, await release("torch==2.13.0+cpu"));
    await says("ninja: error: '/opt/libtorch/lib/libc10.so', needed by 'demo', missing and no known rule to make it", "torch-library-missing", "certain", /libc10\.so/);
  });

  it("a target of CMake that nothing defined", async () => {
    await says("/usr/bin/ld: cannot find -lCUDA::nvToolsExt", "cuda-not-found", "certain", /^CUDA::nvToolsExt is a target of CMake that nothing defined/);
    await says("/usr/bin/ld: cannot find -lfmt::fmt: No such file or directory", "link-failed", "certain", /^fmt::fmt is a target of CMake/);
  });

  it("libraries of another machine", async () => {
    const verdict = await says("/usr/bin/ld: skipping incompatible ./libarm.so when searching for -larm\n/usr/bin/ld: cannot find -larm: No such file or directory", "wrong-architecture", "certain", /^libarm\.so is for another processor/);
    assert.equal(verdict.file, "./libarm.so");
    for (const text of ["/usr/bin/ld: ./libarm.so: error adding symbols: file in wrong format", "/usr/bin/ld.gold: fatal error: ./libarm.so: unsupported ELF machine number 183", "ld.lld: error: ./libarm.so is incompatible with elf64-x86-64", "mold: fatal: ./libarm.so: incompatible file type: x86_64 is expected but got arm64"]) {
      assert.equal((await says(text, "wrong-architecture", "certain", /^libarm\.so is for another/)).file, "./libarm.so");
    }
    await says("ld: warning: ignoring file libc10.dylib, building for macOS-arm64 but attempting to link with file built for macOS-x86_64", "wrong-architecture", "certain", /^libc10\.dylib is for another/);
    await says("ld: warning: ignoring file '/opt/lib/libtorch.dylib': found architecture 'x86_64', required architecture 'arm64'", "wrong-architecture", "certain", /^libtorch\.dylib/);
  });

  it("files that are none", async () => {
    await says("/usr/bin/ld:./libbad.so: file format not recognized; treating as linker script", "corrupt-file", "likely", /libbad\.so/);
    await says("./libbad.so: file not recognized: file format not recognized", "corrupt-file", "likely", /libbad\.so/);
    await says("/usr/bin/ld.gold: error: ./libempty.so: file is empty", "corrupt-file", "likely", /libempty\.so/);
    await says("mold: fatal: ./libempty.so: unknown file type", "corrupt-file", "likely", /libempty\.so/);
    await says("/usr/bin/ld: error: ./libtrunc.so: file too short", "corrupt-file", "likely", /libtrunc\.so/);
  });

  it("code that is bound to its address", async () => {
    for (const text of [
      "/usr/bin/ld: libnp.a(np.o): relocation R_X86_64_PC32 against symbol `g' can not be used when making a shared object; recompile with -fPIC\n/usr/bin/ld: final link failed: bad value\ncollect2: error: ld returned 1 exit status",
      "/usr/bin/ld.gold: error: libnp.a(np.o): requires dynamic R_X86_64_PC32 reloc against 'g' which may overflow at runtime; recompile with -fPIC",
      "ld.lld: error: relocation R_X86_64_PC32 cannot be used against symbol 'g'; recompile with -fPIC\n>>> defined in libnp.a(np.o)\n>>> referenced by np.c",
      "mold: error: libnp.a(np.o):(.text): R_X86_64_PC32 relocation at offset 0x6 against symbol `g' can not be used; recompile with -fPIC",
    ]) {
      const verdict = await says(text, "not-position-independent", "certain", /^libnp\.a\(np\.o\) was compiled without -fPIC/);
      assert.ok(verdict.because[0]?.includes("addresses g "), verdict.because[0]);
    }
    await says("/usr/bin/ld: /p/lib/libpython3.10.a(ceval.o): relocation R_X86_64_32 against `.rodata' can not be used when making a shared object; recompile with -fPIC", "not-position-independent", "certain", /libpython3\.10\.a/);
  });

  it("names that are defined twice or hidden, code that is too far, a linker that was killed, a library that another needs", async () => {
    await says("/usr/bin/ld: b.o:(.bss+0x0): multiple definition of `g'; a.o:(.bss+0x0): first defined here", "link-failed", "certain", /`g` is defined twice/);
    await says("ld.lld: error: duplicate symbol: g\n>>> defined at a.c", "link-failed", "certain", /`g`/);
    await says("mold: error: duplicate symbol: b.o: a.o: g", "link-failed", "certain", /`g`/);
    await says("/usr/bin/ld: hidden symbol `foo' in libbar.a(foo.o) is referenced by DSO", "link-failed", "likely", /not visible/);
    await says("(.text+0x1): relocation truncated to fit: R_X86_64_PC32 against `.bss'", "link-failed", "likely", /2 GiB/);
    await says("collect2: fatal error: ld terminated with signal 9 [Killed]", "out-of-memory", "likely", /killed/);
    const needed = await verdictsOf("/usr/bin/ld: warning: libone.so.1, needed by ./libtwo.so, not found (try using -rpath or -rpath-link)\n/usr/bin/ld: ./libtwo.so: undefined reference to `own_fun'\ncollect2: error: ld returned 1 exit status");
    assert.equal(needed[0]?.cause, "library-missing");
    assert.equal(needed[0]?.file, "./libtwo.so");
  });

  it("a driver's last word alone explains nothing but itself", async () => {
    const verdict = await verdictOf("collect2: error: ld returned 1 exit status");
    assert.deepEqual([verdict.cause, verdict.confidence, verdict.fixes], ["link-failed", "possible", []]);
  });
});
