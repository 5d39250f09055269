/** Symbol versions: libstdc++, glibc and libraries of the project that are older than what a file was linked with. */
import { loads, type Expectation, type Experiment, type Step } from "../experiment.ts";
import { library, stub } from "../recipe.ts";

function versioned(name: string, about: string, steps: readonly Step[], expect: Experiment["expect"]): Experiment {
  return { id: `version/${name}`, about, steps, file: "probe.so", load: { how: "import" }, expect };
}

const version = (name: string, of: string) => (): Expectation => ({ is: "version", version: name, library: of });

/** Links against a stand-in of a system library that has a version which the real one lacks. */
function system(soname: string, versionName: string, symbol = "lab_recent"): Step[] {
  return [...stub(soname, `${versionName} { global: ${symbol}; };`, `void ${symbol}(void) {}`), ...library({ file: "probe.so", source: `void ${symbol}(void); void lab_use(void) { ${symbol}(); }`, link: [`stubs/${soname}`] })];
}

const two = (first: string, second: string): string => `FOO_1 { global: ${first}; }; FOO_2 { global: ${second}; } FOO_1;`;
const origin = "-Wl,-rpath,$ORIGIN/lib";

/** A library of the project under a version script; `linked` is what the module was linked against, `there` what it meets. */
function project(linked: { readonly map?: string; readonly source: string }, there: { readonly map?: string; readonly source: string }, use: string): Step[] {
  const make = (folder: string, one: { readonly map?: string; readonly source: string }): Step[] => [
    ...(one.map === undefined ? [] : [{ do: "write", file: `${folder}.map`, text: `${one.map}\n` } as const]),
    ...library({ file: `${folder}/libfoo.so.1`, source: one.source, link: ["-Wl,-soname,libfoo.so.1", ...(one.map === undefined ? [] : [`-Wl,--version-script,${folder}.map`])] }),
  ];
  return [...make("new", linked), ...make("lib", there), ...library({ file: "probe.so", source: use, link: ["new/libfoo.so.1", origin] })];
}

const first = "void lab_first(void) {}";
const both = "void lab_first(void) {} void lab_second(void) {}";
const useSecond = "void lab_second(void); void lab_use(void) { lab_second(); }";
const useFirst = "void lab_first(void); void lab_use(void) { lab_first(); }";

export const versions: readonly Experiment[] = [
  versioned("glibcxx", "A libstdc++ newer than any", system("libstdc++.so.6", "GLIBCXX_3.4.99"), version("GLIBCXX_3.4.99", "libstdc++.so.6")),
  versioned("cxxabi", "The runtime half of libstdc++, newer than any", system("libstdc++.so.6", "CXXABI_1.3.99"), version("CXXABI_1.3.99", "libstdc++.so.6")),
  versioned("glibc", "A glibc newer than any", system("libc.so.6", "GLIBC_2.99"), version("GLIBC_2.99", "libc.so.6")),
  versioned("libm", "A libm newer than any", system("libm.so.6", "GLIBC_2.99"), version("GLIBC_2.99", "libm.so.6")),
  versioned("gcc", "A libgcc newer than any", system("libgcc_s.so.1", "GCC_99.0.0"), version("GCC_99.0.0", "libgcc_s.so.1")),
  versioned("glibcxx-there", "A version that any libstdc++ of these years has, and a function that it has not", system("libstdc++.so.6", "GLIBCXX_3.4.21", "lab_recent"), () => ({ is: "symbol", symbol: "lab_recent", kind: ["other-library", "own"] })),
  versioned("glibc-there", "A glibc version that is there, and a function that is not", system("libc.so.6", "GLIBC_2.34", "lab_recent"), () => ({ is: "symbol", symbol: "lab_recent", kind: ["other-library", "own"] })),
  versioned("glibcxx-met", "What this machine's compiler needs of libstdc++", library({ file: "probe.so", compiler: "g++", source: "#include <string>\n#include <sstream>\nstd::string lab_f(int i) { std::ostringstream s; s << i; return s.str(); }" }), loads),
  versioned("two-versions", "Two libraries that are too old: the linker lists the last one first", [...stub("libstdc++.so.6", "GLIBCXX_3.4.99 { global: lab_a; };", "void lab_a(void) {}"), ...stub("libm.so.6", "GLIBC_2.99 { global: lab_b; };", "void lab_b(void) {}"), ...library({ file: "probe.so", source: "void lab_a(void); void lab_b(void); void lab_use(void) { lab_a(); lab_b(); }", link: ["stubs/libstdc++.so.6", "stubs/libm.so.6"] })], version("GLIBC_2.99", "libm.so.6")),
  versioned("version-before-symbol", "A version that is missing and a symbol that is missing: the version comes first", [...stub("libstdc++.so.6", "GLIBCXX_3.4.99 { global: lab_a; };", "void lab_a(void) {}"), ...library({ file: "probe.so", source: "void lab_a(void); void lab_gone(void); void lab_use(void) { lab_gone(); lab_a(); }", link: ["stubs/libstdc++.so.6"] })], version("GLIBCXX_3.4.99", "libstdc++.so.6")),
  versioned("library-before-version", "A missing library and a missing version: the library comes first", [...stub("libstdc++.so.6", "GLIBCXX_3.4.99 { global: lab_a; };", "void lab_a(void) {}"), ...stub("liblabnowhere.so.1"), ...library({ file: "probe.so", source: "void lab_a(void); void lab_use(void) { lab_a(); }", link: ["stubs/libstdc++.so.6", "stubs/liblabnowhere.so.1"] })], () => ({ is: "library", library: "liblabnowhere.so.1" })),
  versioned("weak", "A version that only a weak reference asks for: the linker does not mark it as weak", [...stub("libstdc++.so.6", "GLIBCXX_3.4.99 { global: lab_a; };", "void lab_a(void) {}"), ...library({ file: "probe.so", source: "void lab_a(void) __attribute__((weak)); void lab_use(void) { if (lab_a) lab_a(); }", link: ["stubs/libstdc++.so.6"] })], version("GLIBCXX_3.4.99", "libstdc++.so.6")),
  versioned("project-too-old", "A library of the project is older than the one linked with", project({ source: both, map: two("lab_first", "lab_second") }, { source: first, map: "FOO_1 { global: lab_first; };" }, useSecond), version("FOO_2", "libfoo.so.1")),
  versioned("project-same", "The same library", project({ source: both, map: two("lab_first", "lab_second") }, { source: both, map: two("lab_first", "lab_second") }, useSecond), loads),
  versioned("project-newer", "A newer one, which still has the old version", project({ source: first, map: "FOO_1 { global: lab_first; };" }, { source: both, map: two("lab_first", "lab_second") }, useFirst), loads),
  versioned("project-moved", "The function is there under another version", project({ source: both, map: two("lab_first", "lab_second") }, { source: both, map: "FOO_1 { global: lab_first; lab_second; }; FOO_2 { global: lab_third; };" }, useSecond), () => ({ is: "symbol", symbol: "lab_second", kind: ["other-library", "own"] })),
  versioned("project-lost", "The version is there, the function is not", project({ source: both, map: two("lab_first", "lab_second") }, { source: "void lab_first(void) {} void lab_third(void) {}", map: two("lab_first", "lab_third") }, useSecond), () => ({ is: "symbol", symbol: "lab_second", kind: ["other-library", "own"] })),
  versioned("project-unversioned", "The library that is met has no versions at all: a warning only", project({ source: both, map: two("lab_first", "lab_second") }, { source: both }, useSecond), loads),
  versioned("project-versioned-since", "Linked without versions, met with versions", project({ source: both }, { source: both, map: two("lab_first", "lab_second") }, useSecond), loads),
  versioned("needed-by-companion", "A library of the project needs a newer libstdc++", [...stub("libstdc++.so.6", "GLIBCXX_3.4.99 { global: lab_a; };", "void lab_a(void) {}"), ...library({ file: "lib/libhelper.so", source: "void lab_a(void); void lab_help(void) { lab_a(); }", link: ["-Wl,-soname,libhelper.so", "stubs/libstdc++.so.6"] }), ...library({ file: "probe.so", source: "void lab_help(void); void lab_use(void) { lab_help(); }", link: ["lib/libhelper.so", origin] })], version("GLIBCXX_3.4.99", "libstdc++.so.6")),
];

function python(name: string, about: string, symbol: string, is: Expectation["is"] = "symbol", file = "probe.so"): Experiment {
  return {
    id: `python/${name}`, about, file, load: { how: "import" },
    steps: [...library({ file: "probe.so", source: `void *${symbol}(void); void *lab_use(void) { return ${symbol}(); }` }), ...(file === "probe.so" ? [] : [{ do: "move", from: "probe.so", to: file } as const])],
    expect: () => (is === "loads" ? loads() : { is: "symbol", symbol, kind: "other-library" }),
  };
}

/** The C API of Python: all of these are loaded by Python 3.11. */
export const pythons: readonly Experiment[] = [
  python("stable-api", "A function of the stable API", "PyErr_NoMemory", "loads"),
  python("private-api", "A private function that 3.11 has", "_PyThreadState_UncheckedGet", "loads"),
  python("of-312", "A function of Python 3.12", "PyErr_GetRaisedException"),
  python("of-313", "A function of Python 3.13", "PyList_GetItemRef"),
  python("of-314", "A function of Python 3.14", "PyLong_AsInt64"),
  python("gone", "A function that left with 3.9", "_PyObject_GC_Malloc_gone"),
  python("abi3-too-new", "Called abi3, and uses a function of 3.12", "PyErr_GetRaisedException", "symbol", "probe.abi3.so"),
  python("abi3-not-stable", "Called abi3, and uses a private function: loads here all the same", "_PyThreadState_UncheckedGet", "loads", "probe.abi3.so"),
  python("of-2", "A function of Python 2", "PyString_FromString"),
];
