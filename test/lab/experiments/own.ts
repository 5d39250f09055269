/** Symbols that belong to the project itself: a source that was not compiled, or a library of its own that was not linked. */
import { loads, type Expectation, type Experiment, type Load, type Step } from "../experiment.ts";
import type { MissingKind } from "../../../src/engine/fit/types.ts";
import { library, probe, type References } from "../recipe.ts";

function own(name: string, about: string, references: References, symbol: string, kind: MissingKind | readonly MissingKind[] = "own", needed: readonly string[] = []): Experiment {
  return { id: `own/${name}`, about, steps: probe(references, needed), file: "probe.so", load: { how: "import" }, expect: () => ({ is: "symbol", symbol, kind }) };
}

function cxx(name: string, about: string, source: string, expect: Experiment["expect"], flags: readonly string[] = []): Experiment {
  return { id: `own/${name}`, about, steps: library({ file: "probe.so", compiler: "g++", source, flags }), file: "probe.so", load: { how: "import" }, expect };
}

function together(name: string, about: string, steps: readonly Step[], expect: Experiment["expect"], load: Load = { how: "import" }): Experiment {
  return { id: `own/${name}`, about, steps, file: "probe.so", load, expect };
}

const symbol = (name: string, kind: MissingKind | readonly MissingKind[] = "own") => (): Expectation => ({ is: "symbol", symbol: name, kind });
const origin = "-Wl,-rpath,$ORIGIN";

const helper = (source: string, flags: readonly string[] = []): Step[] => library({ file: "libhelper.so", compiler: "g++", source, flags, link: ["-Wl,-soname,libhelper.so"] });
const giver = "#include <string>\nnamespace mylib { std::string lab_name(const std::string &s) { return s + s; } int lab_count() { return 1; } }";
const user = "#include <string>\nnamespace mylib { std::string lab_name(const std::string &); int lab_count(); }\nextern \"C\" int lab_use() { return mylib::lab_count() + (int)mylib::lab_name(\"a\").size(); }";
const newName = "_ZN5mylib8lab_nameERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE";
const oldName = "_ZN5mylib8lab_nameERKSs";

export const ownSymbols: readonly Experiment[] = [
  own("function", "A C function that nobody compiled", { calls: ["lab_forward"] }, "lab_forward"),
  own("data", "A variable that nobody compiled", { takes: ["lab_constants"] }, "lab_constants"),
  own("cxx-function", "A C++ function of a namespace of the project", { calls: ["_ZN7mykerns12lab_launcherEPfS0_i"] }, "_ZN7mykerns12lab_launcherEPfS0_i"),
  own("kernel-launcher", "The launcher of a .cu file that is not in the list of sources, taking tensors", { calls: ["_Z19lab_forward_launcherN2at6TensorES0_i"] }, "_Z19lab_forward_launcherN2at6TensorES0_i"),
  own("takes-torch-types", "A function of the project whose parameters are torch's", { calls: ["_ZN6vision3ops11roi_forwardERKN2at6TensorES4_dN3c108optionalIlEE"] }, "_ZN6vision3ops11roi_forwardERKN2at6TensorES4_dN3c108optionalIlEE"),
  own("vtable", "A class whose key function is missing", { takes: ["_ZTVN5mylib6KernelE"] }, "_ZTVN5mylib6KernelE"),
  own("typeinfo", "Type information of a class whose key function is missing", { takes: ["_ZTIN5mylib6KernelE"] }, "_ZTIN5mylib6KernelE"),
  own("namespace-like-torch", "A namespace that only begins like torch's", { calls: ["_ZN9torch_ext7forwardEv"] }, "_ZN9torch_ext7forwardEv"),
  own("namespace-like-c10", "A namespace that only begins like c10's", { calls: ["_ZN6c10ext3runEi"] }, "_ZN6c10ext3runEi"),
  own("template-of-torch", "A template of the project, over a tensor", { calls: ["_ZN5mylib5applyIN2at6TensorEEEvRKT_"] }, "_ZN5mylib5applyIN2at6TensorEEEvRKT_"),
  own("c-name-like-torch", "A C function of the project named as if it were torch's", { calls: ["torchlab_forward"] }, "torchlab_forward"),
  own("two-functions", "Two missing functions: the first in the order of relocations", { calls: ["lab_second", "lab_first"] }, "lab_second"),
  own("data-before-function", "A missing function and missing data: data is relocated first", { calls: ["lab_function"], takes: ["lab_data"] }, "lab_data"),
  own("torch-and-own", "A missing function of the project after one that torch has", { calls: ["_ZN3c106detail14torchCheckFailEPKcS2_jS2_", "lab_own"] }, "lab_own", "own", ["libc10.so"]),
  { id: "own/weak", about: "A weak reference to a function that nobody has", steps: probe({ weak: ["lab_optional", "_ZN3c108optionalE"] }), file: "probe.so", load: { how: "import" }, expect: loads },
  { id: "own/weak-and-missing", about: "A weak reference beside a missing function", steps: probe({ weak: ["lab_optional"], calls: ["lab_needed"] }), file: "probe.so", load: { how: "import" }, expect: symbol("lab_needed") },
  { id: "own/now", about: "A missing function, bound at once", steps: probe({ calls: ["lab_now"] }, [], { link: ["-Wl,-z,now"] }), file: "probe.so", load: { how: "import" }, expect: symbol("lab_now") },
  { id: "own/lazy-flag", about: "A missing function, linked to be bound lazily: Python binds at once", steps: probe({ calls: ["lab_lazy"] }, [], { link: ["-Wl,-z,lazy"] }), file: "probe.so", load: { how: "import" }, expect: symbol("lab_lazy") },
  { id: "own/cdll", about: "A missing function met by ctypes", steps: probe({ calls: ["lab_ctypes"] }), file: "probe.so", load: { how: "cdll" }, expect: symbol("lab_ctypes") },
  { id: "own/ops", about: "A missing function met by torch.ops.load_library", steps: probe({ calls: ["lab_ops"] }), file: "probe.so", load: { how: "ops" }, expect: symbol("lab_ops") },
  { id: "own/thread-local", about: "A missing thread-local variable", steps: library({ file: "probe.so", source: "extern __thread int lab_tls; int *lab_use(void) { return &lab_tls; }" }), file: "probe.so", load: { how: "import" }, expect: symbol("lab_tls") },
  { id: "own/protected", about: "A function that the file defines, protected", steps: probe({}, [], { source: "__attribute__((visibility(\"protected\"))) int lab_f(void) { return 1; } int (*lab_p)(void) = lab_f;" }), file: "probe.so", load: { how: "import" }, expect: loads },
  cxx("string-parameter", "A function of the project that takes a string, missing", "#include <string>\nnamespace mylib { void lab_log(std::string); }\nextern \"C\" void lab_use() { mylib::lab_log(\"a\"); }", symbol("_ZN5mylib7lab_logENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE")),
  cxx("old-string-parameter", "The same with the old strings", "#include <string>\nnamespace mylib { void lab_log(std::string); }\nextern \"C\" void lab_use() { mylib::lab_log(\"a\"); }", symbol("_ZN5mylib7lab_logESs"), ["-D_GLIBCXX_USE_CXX11_ABI=0"]),
  cxx("pure-virtual-class", "A class of the project derived from a missing one", "struct LabBase { virtual ~LabBase(); virtual int f(); };\nstruct LabThing : LabBase { int f() override { return 1; } };\nextern \"C\" void *lab_use() { return new LabThing; }", () => ({ is: "symbol", symbol: "_ZTI7LabBase", kind: "own" })),

  together("companion", "A library of the project beside the module, found by $ORIGIN", [...helper(giver), ...library({ file: "probe.so", compiler: "g++", source: user, link: ["libhelper.so", origin] })], loads),
  together("companion-old-strings", "Both with the old strings", [...helper(giver, ["-D_GLIBCXX_USE_CXX11_ABI=0"]), ...library({ file: "probe.so", compiler: "g++", flags: ["-D_GLIBCXX_USE_CXX11_ABI=0"], source: user, link: ["libhelper.so", origin] })], loads),
  together("companion-other-strings", "The library of the project has the old strings, the module the new ones", [...helper(giver, ["-D_GLIBCXX_USE_CXX11_ABI=0"]), ...library({ file: "probe.so", compiler: "g++", source: user, link: ["libhelper.so", origin] })], symbol(newName, "abi-twin")),
  together("companion-newer-strings", "The library of the project has the new strings, the module the old ones", [...helper(giver), ...library({ file: "probe.so", compiler: "g++", flags: ["-D_GLIBCXX_USE_CXX11_ABI=0"], source: user, link: ["libhelper.so", origin] })], symbol(oldName, "abi-twin")),
  together("companion-not-linked", "The library lies beside the module, and is not linked", [...helper("int lab_help() { return 1; }"), ...library({ file: "probe.so", compiler: "g++", source: "int lab_help(); extern \"C\" int lab_use() { return lab_help(); }" })], symbol("_Z8lab_helpv", ["own", "missing-library"])),
  together("companion-preloaded-globally", "Not linked, and loaded before with RTLD_GLOBAL", [...helper("int lab_help() { return 1; }"), ...library({ file: "probe.so", compiler: "g++", source: "int lab_help(); extern \"C\" int lab_use() { return lab_help(); }" })], () => ({ is: "beyond", why: "What a program loads before the module is not known." }), { how: "import", before: [{ file: "libhelper.so", global: true }] }),
  together("companion-preloaded-locally", "Not linked, and loaded before without RTLD_GLOBAL", [...helper("int lab_help() { return 1; }"), ...library({ file: "probe.so", compiler: "g++", source: "int lab_help(); extern \"C\" int lab_use() { return lab_help(); }" })], symbol("_Z8lab_helpv", ["own", "missing-library"]), { how: "import", before: [{ file: "libhelper.so", global: false }] }),
  together("companion-misses", "The library of the project misses a function of its own", [...library({ file: "libhelper.so", source: "void lab_gone(void); void lab_help(void) { lab_gone(); }", link: ["-Wl,-soname,libhelper.so"] }), ...library({ file: "probe.so", source: "void lab_help(void); void lab_use(void) { lab_help(); }", link: ["libhelper.so", origin] })], symbol("lab_gone", ["own", "other-library"])),
  together("both-miss", "Library and module miss a function each: the library is relocated first", [...library({ file: "libhelper.so", source: "void lab_gone(void); void lab_help(void) { lab_gone(); }", link: ["-Wl,-soname,libhelper.so"] }), ...library({ file: "probe.so", source: "void lab_help(void); void lab_also_gone(void); void lab_use(void) { lab_also_gone(); lab_help(); }", link: ["libhelper.so", origin] })], symbol("lab_gone", ["own", "other-library"])),
  together("module-provides", "The library needs a function that the module defines", [...library({ file: "libhelper.so", source: "void lab_back(void); void lab_help(void) { lab_back(); }", link: ["-Wl,-soname,libhelper.so"] }), ...library({ file: "probe.so", source: "void lab_help(void); void lab_back(void) {} void lab_use(void) { lab_help(); }", link: ["libhelper.so", origin] })], loads),
  together("module-hides", "The library needs a function that the module defines and hides", [...library({ file: "libhelper.so", source: "void lab_back(void); void lab_help(void) { lab_back(); }", link: ["-Wl,-soname,libhelper.so"] }), ...library({ file: "probe.so", source: "void lab_help(void); __attribute__((visibility(\"hidden\"))) void lab_back(void) {} void lab_use(void) { lab_help(); }", link: ["libhelper.so", origin] })], symbol("lab_back", ["own", "other-library", "missing-library"])),
  together("lazily", "A missing function, under a Python that was told to bind lazily", probe({ calls: ["lab_lazily"] }, [], { link: ["-Wl,-z,lazy"] }), () => ({ is: "beyond", why: "Python's flags for dlopen are those of its default." }), { how: "import", lazy: true }),
];
