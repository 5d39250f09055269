/** Symbols of torch: other strings, other versions, libraries that were not linked, the stable ABI. */
import type { MissingKind } from "../../../src/engine/fit/types.ts";
import { loads, type Expectation, type Experiment } from "../experiment.ts";
import { library, probe, stub } from "../recipe.ts";
import type { Torch } from "../torches.ts";

const string11 = "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE";

/** What links a file with libraries of torch: their sonames, by the short names of `Torch.exports`. */
const sonames = (linked: readonly string[]): string[] => linked.map((name) => `lib${name}.so`);

/** A missing library of torch comes before any symbol. */
function lacking(torch: Torch, linked: readonly string[]): Expectation | undefined {
  const missing = linked.find((name) => name.includes("cuda") && torch.cuda === undefined);
  return missing === undefined ? undefined : { is: "library", library: `lib${missing}.so` };
}

/** A file that wants one symbol and is linked with what should have it. */
function wanting(id: string, about: string, symbol: string, linked: readonly string[], kind: (torch: Torch) => MissingKind | readonly MissingKind[], data = false): Experiment {
  return {
    id, about, steps: probe(data ? { takes: [symbol] } : { calls: [symbol] }, sonames(linked)), file: "probe.so", load: { how: "import" },
    expect: (torch) => lacking(torch, linked) ?? (torch.exports(symbol, ...linked) ? loads() : { is: "symbol", symbol, kind: kind(torch) }),
  };
}

function drift(name: string, about: string, symbol: string, linked: readonly string[] = ["c10"], data = false, twin = symbol.includes(string11) ? symbol.replaceAll(string11, "Ss") : undefined): Experiment {
  return wanting(`drift/${name}`, about, symbol, linked, (torch) => (twin !== undefined && torch.exports(twin, ...linked) ? "abi-twin" : "drift"), data);
}

/** A function declared by hand and compiled with either string ABI. */
function twin(name: string, about: string, declaration: string, use: string, symbols: readonly [old: string, recent: string], linked: readonly string[] = ["c10"]): Experiment[] {
  return ([0, 1] as const).map((abi) => ({
    id: `twin/${name}-${abi}`, about: `${about}, _GLIBCXX_USE_CXX11_ABI=${abi}`,
    steps: [
      ...sonames(linked).flatMap((soname) => stub(soname)),
      ...library({ file: "probe.so", compiler: "g++", flags: [`-D_GLIBCXX_USE_CXX11_ABI=${abi}`], source: `#include <string>\n#include <vector>\n#include <list>\n#include <sstream>\n#include <functional>\n${declaration}\nextern "C" void lab_use() { ${use} }`, link: sonames(linked).map((soname) => `stubs/${soname}`) }),
    ],
    file: "probe.so", load: { how: "import" as const },
    expect: (torch): Expectation => {
      const symbol = symbols[abi];
      if (torch.exports(symbol, ...linked)) return loads();
      return { is: "symbol", symbol, kind: torch.exports(symbols[abi === 0 ? 1 : 0], ...linked) ? "abi-twin" : "drift" };
    },
  }));
}

const both = (pattern: string): [string, string] => [pattern.replaceAll("@", "Ss"), pattern.replaceAll("@", string11)];
const location = "namespace c10 { struct SourceLocation { const char *a; const char *b; unsigned c; }; }";

const twins: readonly Experiment[] = [
  ...twin("error", "c10::Error's constructor", `${location} namespace c10 { struct Error { Error(SourceLocation, std::string); char x[200]; }; }`, "new c10::Error({}, \"a\");", both("_ZN3c105ErrorC1ENS_14SourceLocationE@")),
  ...twin("index-error", "A constructor that is inherited", `${location} namespace c10 { struct IndexError { IndexError(SourceLocation, std::string); char x[200]; }; }`, "new c10::IndexError({}, \"a\");", both("_ZN3c1010IndexErrorC1ENS_14SourceLocationE@")),
  ...twin("check-fail", "The overload of torchCheckFail with a string", "namespace c10::detail { void torchCheckFail(const char *, const char *, unsigned, const std::string &); }", "c10::detail::torchCheckFail(\"\", \"\", 1, \"a\");", both("_ZN3c106detail14torchCheckFailEPKcS2_jRK@")),
  ...twin("stream-tag", "A function that only differs in the ABI tag of what it returns", "namespace c10 { struct MessageLogger { std::ostringstream &stream(); }; }", "((c10::MessageLogger *)0)->stream();", ["_ZN3c1013MessageLogger6streamEv", "_ZN3c1013MessageLogger6streamB5cxx11Ev"]),
  ...twin("node-name", "autograd::Node::name, of which only the returned type depends on the ABI", "namespace torch::autograd { struct Node { std::string name() const; }; }", "((torch::autograd::Node *)0)->name();", ["_ZNK5torch8autograd4Node4nameEv", "_ZNK5torch8autograd4Node4nameB5cxx11Ev"], ["torch_cpu"]),
  ...twin("parse-schema", "A function of libtorch_cpu", "namespace torch::jit { int parseSchemaOrName(const std::string &, bool); }", "torch::jit::parseSchemaOrName(\"a\", true);", both("_ZN5torch3jit17parseSchemaOrNameERK@b"), ["torch_cpu"]),
  ...twin("symbol", "c10::Symbol::fromQualString", "namespace c10 { struct Symbol { static Symbol fromQualString(const std::string &); }; }", "c10::Symbol::fromQualString(\"a\");", both("_ZN3c106Symbol14fromQualStringERK@"), ["torch_cpu"]),
  ...twin("drift-as-well", "A string parameter, and a parameter that no torch has: no twin", "namespace c10 { void lab_gone(const std::string &, int); }", "c10::lab_gone(\"a\", 1);", both("_ZN3c108lab_goneERK@i")),
  ...twin("no-strings", "A function of torch without a string", "namespace c10::detail { void torchCheckFail(const char *, const char *, unsigned, const char *); }", "c10::detail::torchCheckFail(\"\", \"\", 1, \"\");", ["_ZN3c106detail14torchCheckFailEPKcS2_jS2_", "_ZN3c106detail14torchCheckFailEPKcS2_jS2_"]),
];

const drifts: readonly Experiment[] = [
  drift("set-device-int", "c10::cuda::SetDevice as before 2.3", "_ZN3c104cuda9SetDeviceEi", ["c10_cuda"]),
  drift("set-device-char", "c10::cuda::SetDevice of 2.3 to 2.7", "_ZN3c104cuda9SetDeviceEa", ["c10_cuda"]),
  drift("set-device-char-bool", "c10::cuda::SetDevice from 2.8 on", "_ZN3c104cuda9SetDeviceEab", ["c10_cuda"]),
  drift("cuda-check-int", "The CUDA check of up to 2.9", "_ZN3c104cuda29c10_cuda_check_implementationEiPKcS2_ib", ["c10_cuda"]),
  drift("cuda-check-unsigned", "The CUDA check of 2.10 to 2.13", "_ZN3c104cuda29c10_cuda_check_implementationEiPKcS2_jb", ["c10_cuda"]),
  drift("cuda-check-capture", "The CUDA check of 2.14", "_ZN3c104cuda29c10_cuda_check_implementationEiPKcS2_jbPNS0_19CUDAErrorLogCaptureE", ["c10_cuda"]),
  drift("message-logger-ints", "MessageLogger's constructor of old", "_ZN3c1013MessageLoggerC1EPKcii"),
  drift("message-logger-bool", "MessageLogger's constructor up to 2.10", "_ZN3c1013MessageLoggerC1EPKciib"),
  drift("message-logger-location", "MessageLogger's constructor from 2.11 on", "_ZN3c1013MessageLoggerC1ENS_14SourceLocationEib"),
  drift("sym-ne", "SymInt::sym_ne, gone with 2.9", "_ZNK3c106SymInt6sym_neERKS0_"),
  drift("guard-bool", "SymBool::guard_bool, which 1.13 has not", "_ZNK3c107SymBool10guard_boolEPKcl"),
  drift("materialize-cow-storage", "What inline data_ptr<T>() called until 2.12", "_ZN3c104impl3cow23materialize_cow_storageERNS_11StorageImplE"),
  drift("cow-deleter", "A function of the copy-on-write storage", "_ZN3c104impl3cow11cow_deleterEPv"),
  drift("error-by-reference", "c10::Error's constructor of 1.6", `_ZN3c105ErrorC1ENS_14SourceLocationERK${string11}`),
  drift("error-with-shared-backtrace", "c10::Error's constructor since 2.5", `_ZN3c105ErrorC1E${string11}St10shared_ptrIKNS_9LazyValueIS6_EEEPKv`, ["c10"], false, "_ZN3c105ErrorC1ESsSt10shared_ptrIKNS_9LazyValueISsEEEPKv"),
  drift("warning-variant", "c10::Warning over std::variant", `_ZN3c107WarningC1ESt7variantIJNS0_11UserWarningENS0_18DeprecationWarningEEERKNS_14SourceLocationE${string11}b`),
  drift("warning-c10-variant", "c10::Warning over c10::variant, of 2.0", `_ZN3c107WarningC1ENS_7variantIJNS0_11UserWarningENS0_18DeprecationWarningEEEERKNS_14SourceLocationE${string11}b`),
  drift("tensor-type-id", "A tensor type id of 1.3", "_ZN3c1011CPUTensorIdEv"),
  drift("moved-singleton", "A variable that moved from at to c10", "_ZN2at19UndefinedTensorImpl10_singletonE", ["torch_cpu"], true),
  drift("singleton", "The same variable where it is now", "_ZN3c1019UndefinedTensorImpl10_singletonE", ["c10"], true),
  drift("vtable-gone", "The vtable of a class that no torch has", "_ZTVN3c1012LabGoneClassE", ["c10"], true),
  drift("vtable", "The vtable of TensorImpl", "_ZTVN3c1010TensorImplE", ["c10"], true),
  drift("typeinfo", "Type information of c10::Error, as catching it needs", "_ZTIN3c105ErrorE", ["c10"], true),
  drift("constructor-c2", "A base constructor where torch exports both", "_ZN3c1019UndefinedTensorImplC2Ev"),
  drift("library-optional", "torch::Library's constructor over c10::optional, of 2.1", `_ZN5torch7LibraryC1ENS0_4KindE${string11}N3c108optionalINS8_11DispatchKeyEEEPKcj`, ["torch_cpu"]),
  drift("library-std-optional", "torch::Library's constructor over std::optional", `_ZN5torch7LibraryC1ENS0_4KindE${string11}St8optionalIN3c1011DispatchKeyEEPKcj`, ["torch_cpu"]),
  drift("parse-schema-without-bool", "parseSchemaOrName of 2.0", `_ZN5torch3jit17parseSchemaOrNameERK${string11}`, ["torch_cpu"]),
  drift("scaled-mm-2.13", "An operator's function as 2.13 declares it", "_ZN2at3cpu17_scaled_mm_v2_outERNS_6TensorERKS1_S4_N3c108ArrayRefIS1_EENS6_IlEES8_S7_S8_S8_RKSt8optionalIS1_ES9_INS5_10ScalarTypeEES8_b", ["torch_cpu"]),
  drift("cholesky", "A function that 2.14 dropped", "_ZN2at3cpu8choleskyERKNS_6TensorEb", ["torch_cpu"]),
  drift("no-such-function", "A function of at that no torch has", "_ZN2at15lab_no_functionERKNS_6TensorE", ["torch_cpu"]),
  drift("class-with-Ss", "An identifier in which Ss is no string", "_ZN3c1012ClassSsThing3runEv"),
  drift("autocast-of-at", "at::autocast::cached_cast's old neighbour", "_ZN2at8autocast10is_enabledEv", ["torch_cpu"]),
];

function forgotten(name: string, about: string, symbol: string, linked: readonly string[], owner: string, onlyFor?: (torch: Torch) => boolean): Experiment {
  return {
    id: `missing-library/${name}`, about, steps: probe({ calls: [symbol] }, sonames(linked)), file: "probe.so", load: { how: "import" }, ...(onlyFor === undefined ? {} : { onlyFor }),
    expect: (torch) => ({ is: "symbol", symbol, kind: torch.exports(symbol, owner) ? "missing-library" : "drift" }),
  };
}

const isCuda = (torch: Torch): boolean => torch.cuda !== undefined;

const libraries: readonly Experiment[] = [
  forgotten("c10", "Not linked with libc10: torch has it loaded, but not for others", "_ZN3c106detail14torchCheckFailEPKcS2_jS2_", [], "c10"),
  forgotten("torch-cpu", "Linked with libc10 alone", "_ZNK2at10TensorBase21__dispatch_contiguousEN3c1012MemoryFormatE", ["c10"], "torch_cpu"),
  forgotten("autograd", "Autograd's engine, linked with libc10 alone", "_ZN5torch8autograd6Engine18get_default_engineEv", ["c10"], "torch_cpu"),
  forgotten("torch-python", "Not linked with libtorch_python", "_Z16THPVariable_WrapRKN2at10TensorBaseE", ["torch", "torch_cpu", "c10"], "torch_python"),
  forgotten("torch-python-data", "libtorch_python's class of tensors, a C name", "THPVariableClass", ["torch", "torch_cpu", "c10"], "torch_python"),
  forgotten("c10-cuda", "Not linked with libc10_cuda", "_ZN3c104cuda20getCurrentCUDAStreamEa", ["torch_cpu", "c10"], "c10_cuda", isCuda),
  forgotten("torch-cuda", "Not linked with libtorch_cuda", "_ZN2at4cuda26getCurrentDevicePropertiesEv", ["torch_cpu", "c10"], "torch_cuda", isCuda),
  { id: "missing-library/through-torch", about: "libtorch brings libtorch_cpu and libc10", steps: probe({ calls: ["_ZN3c106detail14torchCheckFailEPKcS2_jS2_"] }, ["libtorch.so"]), file: "probe.so", load: { how: "import" }, expect: loads },
  { id: "missing-library/through-torch-python", about: "libtorch_python brings everything", steps: probe({ calls: ["_ZN3c106detail14torchCheckFailEPKcS2_jS2_"], takes: ["THPVariableClass"] }, ["libtorch_python.so"]), file: "probe.so", load: { how: "import" }, expect: loads },
  { id: "missing-library/cuda-on-cpu", about: "CUDA's side of torch, not linked, where torch has no CUDA", steps: probe({ calls: ["_ZN3c104cuda20getCurrentCUDAStreamEa"] }, ["libtorch_cpu.so", "libc10.so"]), file: "probe.so", load: { how: "import" }, onlyFor: (torch) => !isCuda(torch), expect: () => ({ is: "symbol", symbol: "_ZN3c104cuda20getCurrentCUDAStreamEa", kind: ["other-library", "missing-library", "drift"] }) },
  { id: "missing-library/torch-cuda-on-cpu", about: "Linked with libtorch_cuda, where torch has no CUDA", steps: probe({}, ["libtorch_cuda.so"]), file: "probe.so", load: { how: "import" }, expect: (torch) => lacking(torch, ["torch_cuda"]) ?? loads() },
  { id: "missing-library/cublas-not-linked", about: "cuBLAS is used and not linked: it is in the process, but not for others", steps: probe({ calls: ["cublasSgemm_v2"] }, ["libc10.so"]), file: "probe.so", load: { how: "import" }, expect: () => ({ is: "symbol", symbol: "cublasSgemm_v2", kind: ["other-library", "missing-library"] }) },
  { id: "missing-library/cudart-not-linked", about: "The CUDA runtime is used and not linked: a torch with CUDA has it loaded globally", steps: probe({ calls: ["cudaLaunchKernel"] }, ["libc10.so"]), file: "probe.so", load: { how: "import" }, expect: (torch) => (isCuda(torch) ? loads() : { is: "symbol", symbol: "cudaLaunchKernel", kind: ["other-library", "missing-library"] }) },
  { id: "missing-library/driver-not-linked", about: "A function of the driver, which nothing global brings", steps: probe({ calls: ["cuLaunchKernel"] }, ["libc10.so"]), file: "probe.so", load: { how: "import" }, expect: () => ({ is: "symbol", symbol: "cuLaunchKernel", kind: ["other-library", "missing-library"] }) },
];

/** Functions of the stable ABI: C names. */
function stable(name: string, about: string, symbol: string, kind: MissingKind | readonly MissingKind[] = "stable-shim"): Experiment {
  return { ...wanting(`stable/${name}`, about, symbol, ["torch"], () => kind), load: { how: "ops" } };
}

const shims: readonly Experiment[] = [
  stable("dtype", "A shim of the first days", "aoti_torch_dtype_float32"),
  stable("abi-version", "aoti_torch_abi_version, from 2.9 on", "aoti_torch_abi_version"),
  stable("library-impl", "torch_library_impl, from 2.10 on", "torch_library_impl"),
  stable("from-blob", "torch_from_blob, from 2.11 on", "torch_from_blob"),
  stable("def-with-tags", "torch_library_def_with_tags, from 2.12 on", "torch_library_def_with_tags"),
  stable("exception", "torch_exception_get_what, from 2.13 on", "torch_exception_get_what"),
  stable("has-storage", "torch_has_storage, from 2.14 on", "torch_has_storage"),
  stable("tensor-pyobject", "torch_is_tensor_pyobject, from 2.15 on", "torch_is_tensor_pyobject"),
  stable("warn-always", "torch_is_warn_always_enabled, from 2.16 on", "torch_is_warn_always_enabled"),
  stable("cuda-stream", "A shim that only a torch with CUDA has", "aoti_torch_get_current_cuda_stream"),
  stable("made-up", "A C name that begins like a shim's and is none", "aoti_torch_lab_made_up", ["stable-shim", "own"]),
];

export const torchSymbols: readonly Experiment[] = [...twins, ...drifts, ...libraries, ...shims];
