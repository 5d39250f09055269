import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ask, newString, says } from "./asking.ts";

describe("a symbol of torch that a loader did not find, by the text alone", () => {
  it("is another std::string where every release people run has it in one spelling", () => {
    const old = ask({ symbol: "_ZN3c105ErrorC2ENS_14SourceLocationESs" });
    says(old, "libstdcxx-abi likely", /^_C\.so was compiled with _GLIBCXX_USE_CXX11_ABI=0, and the torch that loads it is built with 1\.$/, /what _C\.so asks for, not what torch has/, /belongs to a build and not to a version/, /cxx11abiTRUE/);
    assert.equal(old.rule, "libstdcxx-abi");
    const [spelled] = old.symbols ?? [];
    assert.deepEqual([spelled?.torch?.since, spelled?.torch?.until], ["1.6.0", "2.6.0"]);
    assert.equal(spelled?.successor?.symbol, `_ZN3c105ErrorC1ENS_14SourceLocationE${newString}`);
    assert.deepEqual(spelled?.successor?.torch, { since: "2.7.0", until: null });
    says(ask({ symbol: `_ZN3c105ErrorC1ENS_14SourceLocationE${newString}` }), "libstdcxx-abi likely", /ABI=1, and the torch that loads it is built with 0/, /cxx11abiFALSE/);
  });

  it("is the adapter's of another device where its maker writes into torch's namespaces, and no drift of torch", () => {
    for (const symbol of ["_ZN3c104musa20getCurrentMUSAStreamEa", "_ZN2at6native4musa9DummyCallEv", "_ZN7c10_npu19getCurrentNPUStreamEa"]) {
      says(ask({ symbol }), "other-library-symbol likely", /adapter of torch/);
    }
    says(ask({ symbol: "ffi_prep_closure_loc" }), "other-library-symbol likely", /belongs to libffi/);
    says(ask({ symbol: "ffi_of_my_own" }), "own-symbol possible", /ffi_of_my_own/);
  });

  it("shows it by a tag alone, on both sides", () => {
    says(ask({ symbol: "_ZNK5torch8autograd4Node4nameEv" }), "libstdcxx-abi likely", /ABI=0/);
    says(ask({ symbol: "_ZNK5torch8autograd4Node4nameB5cxx11Ev" }), "libstdcxx-abi likely", /ABI=1/);
  });

  it("may be another string or another version where only some releases have it, and says both", () => {
    says(ask({ symbol: "_ZN5torch3jit17parseSchemaOrNameERKSsb" }), "libstdcxx-abi likely", /ABI=0 for torch 2\.4 or newer; the torch that loads it is built with 1, or is another version/, /torch 2\.4 to 2\.6 export it in this spelling, of torch 2\.7 and later in the other/);
    says(ask({ symbol: `_ZN5torch3jit17parseSchemaOrNameERK${newString}b` }), "libstdcxx-abi possible", /ABI=1 for torch 2\.4 or newer/);
  });

  it("is another version where no release with the other string has it, or newer releases lost it", () => {
    says(ask({ symbol: `_ZN3c1010IndexErrorC1ENS_14SourceLocationE${newString}` }), "torch-drift likely", /built for torch 2\.13 or newer; the torch that loads it is older/);
    says(ask({ symbol: "_ZN5torch3jit17parseSchemaOrNameERKSs" }), "torch-drift likely", /built for torch 2\.3 or older; the torch that loads it is newer/, /also speaks of the old std::string/);
  });

  it("is another string first where no official release of its time has that spelling: it was built with another torch", () => {
    says(ask({ symbol: `_ZN5torch3jit17parseSchemaOrNameERK${newString}` }), "libstdcxx-abi possible", /ABI=1 for torch 2\.3 or older; the torch that loads it is built with 0, or is another version/);
    says(ask({ symbol: `_ZN5torch3jit17parseSchemaOrNameERK${newString}` }, { text: "pip list: torch 2.9.1" }), "torch-drift likely", /torch 2\.9\.1, which the text names, is not one of them/);
  });

  it("is told by the torch that lists of packages and questions of a Python name", () => {
    const symbol = "_ZN3c104cuda9SetDeviceEa";
    for (const text of ["facenet-pytorch          2.5.0\ntorch                    2.8.0+cu128\ntorchvision              0.23.0+cu128", "Name: torch\nVersion: 2.8.0+cu128\nSummary: Tensors", ">>> torch.__version__\n'2.8.0+cu128'"]) {
      says(ask({ symbol }, { text }), "torch-drift likely", /torch 2\.8\.0\+cu128, which the text names, is not one of them/);
    }
    says(ask({ symbol }, { text: "Name: torchmetrics\nVersion: 2.8.0" }), "torch-drift likely", /; the torch that loads it is older or newer/);
    const old = "_ZN5torch3jit17parseSchemaOrNameERKSs";
    says(ask({ symbol: old }, { text: "pytorch                   2.3.1           cpu_generic_py310ha4c588e_0    conda-forge" }), "libstdcxx-abi likely", /ABI=0, and the torch that loads it is built with 1/, /torch 2\.3\.1 of conda-forge, which is built with _GLIBCXX_USE_CXX11_ABI=1/);
  });

  it("is a mixture of two torches where a library of torch itself misses it", () => {
    const lib = "/opt/conda/lib/python3.12/site-packages/torch/lib";
    says(ask({ symbol: "_ZNK3c1010TensorImpl23shallow_copy_and_detachERKNS_15VariableVersionEb", file: `${lib}/libtorch_cpu.so` }), "duplicate-libtorch likely", /^Libraries of two torches are mixed: libtorch_cpu\.so is torch's own, and the libc10 that was loaded lacks/, /No extension has a part/, /Unset LD_LIBRARY_PATH/);
    says(ask({ symbol: "_ZN3c105ErrorC2ENS_14SourceLocationESs", file: `${lib}/libtorch_python.so` }), "duplicate-libtorch likely", /libtorch_python\.so is torch's own/);
    says(ask({ symbol: "_ZN3c105ErrorC2ENS_14SourceLocationESs", file: `${lib}/libtorch_ccl.so` }), "libstdcxx-abi likely", /^libtorch_ccl\.so was compiled/);
    says(ask({ symbol: "_ZN3c105ErrorC2ENS_14SourceLocationESs", file: "/opt/conda/lib/python3.12/site-packages/vision/_C.so" }), "libstdcxx-abi likely", /^_C\.so was compiled/);
  });

  it("is an older torch where macOS's loader looked in torch and did not find it", () => {
    const symbol = "_ZN3c106detail23torchInternalAssertFailEPKcS2_jS2_S2_";
    says(ask({ symbol, system: "macos", from: "/opt/v/lib/python3.9/site-packages/torch/lib/libc10.dylib" }), "torch-drift likely", /built for torch 1\.9 or newer; the torch that loads it is older/);
    says(ask({ symbol, system: "macos" }), "torch-not-loaded likely", /was loaded without its torch/);
  });

  it("is another version where its parameters have no string, with what came in its place", () => {
    const found = ask({ symbol: "_ZN3c104cuda9SetDeviceEa" });
    says(found, "torch-drift likely", /^_C\.so was built for torch 2\.3 to 2\.7; the torch that loads it is older or newer\.$/, /torch 2\.8 and later it is `c10::cuda::SetDevice\(signed char, bool\)` instead/, /_GLIBCXX_USE_CXX11_ABI has nothing to do with it/, /abiding fits \/srv\/v\/lib\/python3\.12\/site-packages\/pkg\/_C\.so --against ENV/);
    assert.deepEqual(found.symbols?.[0]?.torch, { since: "2.3.0", until: "2.7.1", source: found.symbols?.[0]?.torch?.source });
    assert.equal(found.symbols?.[0]?.successor?.symbol, "_ZN3c104cuda9SetDeviceEab");
    assert.equal(found.copy, undefined);
    says(ask({ symbol: "_ZN3c104cuda29c10_cuda_check_implementationEiPKcS2_ib" }), "torch-drift likely", /torch 2\.9 or older|torch [\d.]+ to 2\.9;/);
    says(ask({ symbol: "_ZN3c104cuda29c10_cuda_check_implementationEiPKcS2_jb" }), "torch-drift likely", /torch 2\.10 to 2\.13; /);
    says(ask({ symbol: "_ZNK3c107SymBool10guard_boolEPKcl" }), "torch-drift likely", /torch 2\.0 or newer; the torch that loads it is older, or it was loaded without import torch\.$/, /grep libc10/, /import torch first\./);
  });

  it("names a process without torch only where a libtorch of the system could be the one that lacks it", () => {
    for (const [symbol, text] of [["_ZN3c104cuda9SetDeviceEab", ""], ["_ZN5torch3jit17parseSchemaOrNameERKSs", ""], ["_ZNK3c107SymBool10guard_boolEPKcl", "torch==1.13.1"]] as const) {
      assert.doesNotMatch(ask({ symbol }, { text }).headline, /without import torch/, symbol);
    }
  });

  it("never advises the macro for a version, nor torch's reinstallation", () => {
    for (const symbol of ["_ZN3c104cuda9SetDeviceEab", "_ZN3c104impl3cow23materialize_cow_storageERNS_11StorageImplE", "_ZNK3c106SymInt6sym_neERKS0_"]) {
      assert.doesNotMatch(ask({ symbol }).fixes.join("\n"), /CXX11_ABI|pip install/, symbol);
    }
  });

  it("is narrowed by what else the text names of the same file", () => {
    const found = ask({ symbol: "_ZNK3c107SymBool10guard_boolEPKcl" }, { others: ["_ZN3c104cuda29c10_cuda_check_implementationEiPKcS2_jb"] });
    says(found, "torch-drift likely", /built for torch 2\.10 to 2\.13/, /All 2 names of torch/);
  });

  it("was there always: then torch was not loaded", () => {
    says(ask({ symbol: "_ZTVN3c105ErrorE" }), "torch-not-loaded likely", /was loaded without its torch/, /import torch before it/);
    says(ask({ symbol: "_ZNK3c105Error4whatEv" }), "torch-drift likely", /built for torch 2\.4 or newer/);
  });

  it("is in libtorch_python, which TORCH_LIBRARIES leaves out", () => {
    says(ask({ symbol: "THPVariableClass" }), "library-not-linked likely", /^_C\.so needs libtorch_python for `THPVariableClass`/, /TORCH_PYTHON_LIBRARY/, /no matter of _GLIBCXX/);
    says(ask({ symbol: "_ZN8pybind116detail11type_casterIN2at6TensorEvE4castERKS3_NS_19return_value_policyENS_6handleE" }), "library-not-linked likely", /libtorch_python/);
    says(ask({ symbol: "_Z16THPVariable_WrapN2at10TensorBaseE" }), "library-not-linked possible", /libtorch_python/, /a torch of another version would not have it either/);
    says(ask({ symbol: "_Z16THPVariable_WrapN2at10TensorBaseE" }, { text: "torch==2.13.0" }), "torch-drift likely", /torch 2\.13\.0, which the text names, is not one of them/);
  });

  it("is of no recorded release: an older torch, or none that is official", () => {
    says(ask({ symbol: "_ZN3c104cuda9SetDeviceEPKcS2_S2_" }), "torch-drift likely", /or for one that is not an official release/, /instead/);
    says(ask({ symbol: "_ZN3c1012no_such_nameEv" }), "torch-drift possible", /which no recorded release of torch exports/);
  });

  it("that ends where the text does, at the end of a shorter name, is one of those that begin so", () => {
    const cut = ask({ symbol: "_ZN3c104cuda29c10_cuda_check_implementationEiPKcS2_" });
    says(cut, "torch-drift possible", /was built for torch 2\.0 or newer; the torch that loads it is another one\.$/, /or an overload of it/);
    assert.doesNotMatch(cut.headline, /older than 1\.2\.0/);
  });

  it("whose end is missing says what its beginning says", () => {
    says(ask({ symbol: "_ZN3c104impl3cow23materialize_cow", isCut: true }), "torch-drift likely", /built for torch 2\.3 to 2\.12/, /`c10::impl::cow::materialize_cow_storage\(c10::StorageImpl&\)`/);
    says(ask({ symbol: "_ZN3c105ErrorC1ENS_14SourceLocationESs", isCut: true }), "libstdcxx-abi likely", /ABI=0/);
    assert.equal(ask({ symbol: "_ZN3c1", isCut: true }).confidence, "possible");
  });
});

describe("versions in the text", () => {
  it("of the torch that runs it turn the verdict", () => {
    says(ask({ symbol: "_ZN3c104cuda9SetDeviceEa" }, { text: "Successfully installed numpy-2.0 torch-2.8.0+cu128" }), "torch-drift likely", /torch 2\.8\.0\+cu128, which the text names, is not one of them/);
    says(ask({ symbol: "_ZN3c104cuda9SetDeviceEa" }, { text: "Requirement already satisfied: torch==2.6.0 in ./v" }), "torch-not-loaded possible", /did not meet the torch 2\.6\.0 that the text names/);
    says(ask({ symbol: "_ZN3c104cuda9SetDeviceEab" }, { text: "torch 2.8.0a0+5228986c39.nv25.06" }), "torch-build likely", /a build between two releases/);
    says(ask({ symbol: "_ZN5torch7LibraryC1ENS0_4KindESsSt8optionalIN3c1011DispatchKeyEEPKcj" }, { text: "torch==2.1.2+cu121" }), "torch-drift likely", /2\.1\.2\+cu121/);
    says(ask({ symbol: "_ZN5torch3jit17parseSchemaOrNameERKSsb" }, { text: "torch 2.6.0+cu126" }), "libstdcxx-abi likely", /built with 1/, /whose official wheel is built with _GLIBCXX_USE_CXX11_ABI=1/);
    says(ask({ symbol: "_ZN5torch3jit17parseSchemaOrNameERKSsb" }, { text: "torch 2.6.0+cu124" }), "libstdcxx-abi likely", /./, /then the one that is loaded is another build, such as conda-forge's/);
  });

  it("that are asked for, or several, say nothing of the one that runs it", () => {
    for (const text of ["xtts requires torch==2.6.0", "Collecting torch==2.6.0\nCollecting torch==2.8.0", "torchvision==0.21.0", "built against torch 2.6.0", "pytorch_2.6.0.so"]) {
      says(ask({ symbol: "_ZN3c104cuda9SetDeviceEa" }, { text }), "torch-drift likely", /older or newer/);
    }
  });

  it("in the name of a wheel say what it was built for", () => {
    says(ask({ symbol: `_ZN3c105ErrorC2ENS_14SourceLocationE${newString}` }, { text: "Using cached flash_attn-2.7.4.post1+cu12torch2.4cxx11abiTRUE-cp312-cp312-linux_x86_64.whl" }), "libstdcxx-abi likely", /ABI=1/, /built for torch 2\.4 with _GLIBCXX_USE_CXX11_ABI=1/);
    says(ask({ symbol: "_ZN3c104cuda9SetDeviceEa" }, { text: "torch_scatter-2.1.2+pt25cu124" }), "torch-drift likely", /2\.3 to 2\.7/, /built for torch 2\.5/);
    says(ask({ symbol: "_ZN3c104cuda9SetDeviceEab" }, { text: "torch_scatter-2.1.2+pt25cu124" }), "torch-drift likely", /2\.8 or newer/, /of another build than that name/);
  });

  it("a file in the cache of load() is of the torch that was there before", () => {
    const found = ask({ symbol: "_ZN3c104cuda9SetDeviceEa", file: "/home/k/.cache/torch_extensions/py312_cu124/splat/splat.so" });
    says(found, "stale-build likely", /built for torch 2\.3 to 2\.7/, /Delete its folder in the cache \(\/home\/k\/\.cache\/torch_extensions\/py312_cu124\/splat\)/);
    assert.equal(found.rule, "stale-build");
  });
});

describe("symbols of others", () => {
  it("of torch's stable ABI tell the first release", () => {
    says(ask({ symbol: "torch_has_storage" }), "stable-shim likely", /needs torch 2\.14 or newer/, /TORCH_TARGET_VERSION/);
    says(ask({ symbol: "aoti_torch_get_current_cuda_stream" }), "torch-cpu-only possible", /only a torch built with CUDA has/, /-ltorch_cuda/);
    says(ask({ symbol: "THPVariableClass" }), "library-not-linked likely", /libtorch_python/, /If torch was not imported before it: import torch first/);
    says(ask({ symbol: "torch_no_such_function" }), "stable-shim possible", /named like a function of torch's stable ABI/, /whose source was left out/);
  });

  it("of Python", () => {
    says(ask({ symbol: "_PyThreadState_UncheckedGet", file: "/v/libtorch_python.so" }), "python-abi likely", /built for another Python/, /private to CPython/);
    says(ask({ symbol: "PyList_GET_SIZE", file: "/v/plain.abi3.so" }), "python-abi likely", /as a function, which Python's headers have as a macro/, /\.abi3 promises/);
    says(ask({ symbol: "PyModule_Create2" }), "library-not-linked possible", /process without Python/);
    says(ask({ symbol: "PyType_GetModuleByDef" }), "python-abi likely", /another Python/, /CPython has it since 3\.1/);
    says(ask({ symbol: "PyInit_ops", when: "link" }), "own-symbol possible", /PyInit_ops/);
  });

  it("of CUDA: not linked, or another copy for torch and NVIDIA's own libraries", () => {
    says(ask({ symbol: "cublasCreate_v2" }), "library-not-linked likely", /of libcublas and is not linked with it/, /CUDA::cublas\b/);
    says(ask({ symbol: "cuDriverGetVersion" }), "library-not-linked likely", /libcuda/, /CUDA::cuda_driver/);
    says(ask({ symbol: "ncclCommRegister", file: "/v/torch/lib/libtorch_cuda.so" }), "cuda-library-skew likely", /needs a newer libnccl/, /an extension has no part in this/, /Unset LD_LIBRARY_PATH/);
    says(ask({ symbol: "ncclCommWindowRegister", file: "build/all_reduce_perf" }), "cuda-library-skew likely", /needs a newer libnccl/, /since 2\.27/);
    says(ask({ symbol: "cublasLtMatmul", file: "/v/torch/lib/libtorch_cuda.so" }), "cuda-library-skew likely", /newer libcublasLt/, /an extension has no part in this/);
    says(ask({ symbol: "__nvJitLinkCreate_12_8", file: "/v/libcusparse.so.12", from: "libnvJitLink.so.12", version: "libnvJitLink.so.12" }), "cuda-library-skew likely", /newer libnvJitLink/);
    says(ask({ symbol: "cudaGetDriverEntryPointByVersion" }), "cuda-library-skew likely", /newer libcudart/, /12\.5/);
    says(ask({ symbol: "__cudaRegisterLinkedBinary_44_tmpxft_0001", when: "link", file: "a.o" }), "own-symbol likely", /not device-linked/);
  });

  it("of the C++ run time and the C library", () => {
    says(ask({ symbol: "__cxa_call_terminate" }), "libstdcxx-too-old likely", /newer libstdc\+\+ than the one that the process has/, /GCC 14/);
    says(ask({ symbol: "_ZN3c104cuda9SetDeviceEa@@BASE" }), "torch-drift likely", /2\.3 to 2\.7/);
    says(ask({ symbol: "_ZSt4cout", when: "link", file: "a.o" }), "library-not-linked likely", /libstdc\+\+, which the link does not name/);
    says(ask({ symbol: "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::_M_create(unsigned long&, unsigned long)@GLIBCXX_3.4.21", isDemangled: true, when: "link", file: "libtorch/lib/libc10.so" }), "libstdcxx-too-old likely", /than the one that the linker has/);
    says(ask({ symbol: "__isoc23_strtol", when: "link", file: "a.o" }), "glibc-too-old likely", /in glibc since 2\.38/);
    says(ask({ symbol: "_ZN5mylib3runERKNSt3__112basic_stringIcNS0_11char_traitsIcEENS0_9allocatorIcEEEE" }), "other-library-symbol likely", /libc\+\+/);
  });

  it("of libraries that are known by their namespaces", () => {
    says(ask({ symbol: "_ZN2cv6imreadERKSsi" }), "other-library-symbol likely", /belongs to OpenCV/, /asked for with the old std::string/);
    says(ask({ symbol: "iJIT_NotifyEvent", file: "/v/libtorch_cpu.so" }), "other-library-symbol likely", /MKL older than 2024\.1/, /mkl<2024\.1/);
    says(ask({ symbol: "GOMP_parallel" }), "other-library-symbol likely", /OpenMP/);
  });

  it("of nobody known are the file's own: no ABI mismatch", () => {
    says(ask({ symbol: "_ZN5mylib3fooEv" }), "own-symbol likely", /belongs to no known library/, /This is no ABI mismatch/);
    says(ask({ symbol: "_Z8nms_cudaRKN2at6TensorES2_f" }), "own-symbol likely", /nms_cuda/, /Only its parameters are torch's/, /suggests a CUDA source/);
    says(ask({ symbol: "_ZN5torch6stable3fooEv" }), "own-symbol likely", /torch::stable::foo/);
    const strings = ask({ symbol: "_ZN5mylib3fooERKSs" });
    says(strings, "own-symbol likely", /mylib::foo/, /may have been compiled with the other _GLIBCXX_USE_CXX11_ABI/);
    assert.doesNotMatch(strings.because.join(""), /no ABI mismatch/);
    says(ask({ symbol: "some_c_function" }), "own-symbol possible", /some_c_function/, /a C name may also belong to a library/);
  });
});
