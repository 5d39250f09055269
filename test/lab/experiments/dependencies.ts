/** Libraries that a file needs: whether and where the loader finds them. */
import { loads, type Expectation, type Experiment, type Load, type Step } from "../experiment.ts";
import { library, probe, stub } from "../recipe.ts";

function depends(name: string, about: string, steps: readonly Step[], expect: Experiment["expect"], load: Load = { how: "import" }, more: Partial<Experiment> = {}): Experiment {
  return { id: `dependency/${name}`, about, steps, file: "probe.so", load, expect, ...more };
}

const missing = (name: string) => (): Expectation => ({ is: "library", library: name });

/** Brought by a torch of that CUDA, or there on the machine. */
const cudaOr = (major: string, soname: string): Experiment["expect"] => (torch) => (torch.cuda?.startsWith(`${major}.`) === true || torch.hasLibrary(soname) ? loads() : { is: "library", library: soname });

/** A small library that defines `lab_help`. */
const helper = (file: string, soname: string | undefined = file.split("/").at(-1), source = "int lab_help(void) { return 1; }", link: readonly string[] = []): Step[] =>
  library({ file, source, link: [...(soname === undefined ? [] : [`-Wl,-soname,${soname}`]), ...link] });
const uses = "int lab_help(void); int lab_use(void) { return lab_help(); }";
const user = (...link: string[]): Step[] => library({ file: "probe.so", source: uses, link });
const rpath = (path: string): string[] => ["-Wl,--disable-new-dtags", `-Wl,-rpath,${path}`];
const runpath = (path: string): string[] => ["-Wl,--enable-new-dtags", `-Wl,-rpath,${path}`];

/** What Git LFS leaves where nobody fetched the file. */
const noLibrary = (file: string): Step => ({ do: "write", file, text: "version https://git-lfs.github.com/spec/v1\noid sha256:0000000000000000000000000000000000000000000000000000000000000000\nsize 1234567\n" });

export const dependencies: readonly Experiment[] = [
  depends("nowhere", "A library that is nowhere", probe({}, ["liblabnowhere.so.1"]), missing("liblabnowhere.so.1")),
  depends("two-nowhere", "Two libraries that are nowhere: the first in order", probe({}, ["liblabfirst.so.1", "liblabsecond.so.1"]), missing("liblabfirst.so.1")),
  depends("library-before-symbol", "A missing library and a missing symbol: the library comes first", probe({ calls: ["lab_gone"] }, ["liblabnowhere.so.1"]), missing("liblabnowhere.so.1")),
  depends("cudart-12", "The CUDA runtime of another major", probe({}, ["libcudart.so.12"]), cudaOr("12", "libcudart.so.12")),
  depends("cudart-13", "The CUDA runtime of CUDA 13", probe({}, ["libcudart.so.13"]), cudaOr("13", "libcudart.so.13")),
  depends("cudart-11", "The CUDA runtime of CUDA 11", probe({}, ["libcudart.so.11.0"]), missing("libcudart.so.11.0")),
  depends("cublas-13", "cuBLAS of CUDA 13", probe({}, ["libcublas.so.13"]), cudaOr("13", "libcublas.so.13")),
  depends("cudnn-9", "cuDNN 9", probe({}, ["libcudnn.so.9"]), (torch) => (torch.cuda === undefined ? { is: "library", library: "libcudnn.so.9" } : loads())),
  depends("cudnn-8", "cuDNN 8", probe({}, ["libcudnn.so.8"]), missing("libcudnn.so.8")),
  depends("c10-cuda", "torch's CUDA library", probe({}, ["libc10_cuda.so"]), (torch) => (torch.cuda === undefined ? { is: "library", library: "libc10_cuda.so" } : loads())),
  depends("c10-hip", "torch's ROCm library", probe({}, ["libc10_hip.so"]), missing("libc10_hip.so")),
  depends("python-312", "Another Python's library", probe({}, ["libpython3.12.so.1.0"]), missing("libpython3.12.so.1.0")),
  depends("caffe2", "A library that torch had long ago", probe({}, ["libcaffe2.so"]), missing("libcaffe2.so")),
  depends("musl", "Built for musl", probe({}, ["libc.musl-x86_64.so.1"]), missing("libc.musl-x86_64.so.1")),
  depends("system", "Libraries of the system", probe({}, ["libm.so.6", "libpthread.so.0", "libdl.so.2", "libgcc_s.so.1"]), loads),

  depends("beside", "Beside the file, and nothing leads there", [...helper("libhelper.so"), ...user("libhelper.so")], missing("libhelper.so")),
  depends("runpath-origin", "RUNPATH $ORIGIN", [...helper("libhelper.so"), ...user("libhelper.so", ...runpath("$ORIGIN"))], loads),
  depends("rpath-origin", "RPATH $ORIGIN", [...helper("libhelper.so"), ...user("libhelper.so", ...rpath("$ORIGIN"))], loads),
  depends("runpath-braces", "RUNPATH ${ORIGIN}/lib", [...helper("lib/libhelper.so"), ...user("lib/libhelper.so", ...runpath("${ORIGIN}/lib"))], loads),
  depends("runpath-parent", "RUNPATH with ..", [...helper("libhelper.so"), ...library({ file: "package/probe.so", source: uses, link: ["libhelper.so", ...runpath("$ORIGIN/..")] })], loads, { how: "import" }, { file: "package/probe.so" }),
  depends("runpath-two", "The second folder of RUNPATH", [...helper("lib/libhelper.so"), ...user("lib/libhelper.so", ...runpath("$ORIGIN/nowhere:$ORIGIN/lib"))], loads),
  depends("runpath-lib-token", "RUNPATH with $LIB", [...helper("lib/x86_64-linux-gnu/libhelper.so"), ...user("lib/x86_64-linux-gnu/libhelper.so", ...runpath("$ORIGIN/$LIB"))], loads),
  depends("runpath-wrong", "RUNPATH leads elsewhere", [...helper("lib/libhelper.so"), ...user("lib/libhelper.so", ...runpath("$ORIGIN/libs"))], missing("libhelper.so")),
  depends("runpath-absolute", "An absolute RUNPATH to where it was built", [...helper("lib/libhelper.so"), ...user("lib/libhelper.so", ...runpath("{folder}/lib"))], loads),
  depends("runpath-of-build-machine", "An absolute RUNPATH of another machine", [...helper("lib/libhelper.so"), ...user("lib/libhelper.so", ...runpath("/home/builder/project/lib"))], missing("libhelper.so")),
  depends("rpath-inherited", "RPATH also holds for what the library needs", [...helper("lib/libdeep.so", "libdeep.so", "int lab_deep(void) { return 1; }"), ...helper("lib/libhelper.so", "libhelper.so", "int lab_deep(void); int lab_help(void) { return lab_deep(); }", ["lib/libdeep.so"]), ...user("lib/libhelper.so", ...rpath("$ORIGIN/lib"))], loads),
  depends("runpath-not-inherited", "RUNPATH does not", [...helper("lib/libdeep.so", "libdeep.so", "int lab_deep(void) { return 1; }"), ...helper("lib/libhelper.so", "libhelper.so", "int lab_deep(void); int lab_help(void) { return lab_deep(); }", ["lib/libdeep.so"]), ...user("lib/libhelper.so", ...runpath("$ORIGIN/lib"))], missing("libdeep.so")),
  depends("rpath-not-past-runpath", "A library with a RUNPATH of its own does not inherit the RPATH", [...helper("lib/libdeep.so", "libdeep.so", "int lab_deep(void) { return 1; }"), ...helper("lib/libhelper.so", "libhelper.so", "int lab_deep(void); int lab_help(void) { return lab_deep(); }", ["lib/libdeep.so", ...runpath("$ORIGIN/other")]), ...user("lib/libhelper.so", ...rpath("$ORIGIN/lib"))], missing("libdeep.so")),
  depends("through-sibling", "Needed by the library, and named by the module's own list as well", [...helper("lib/libdeep.so", "libdeep.so", "int lab_deep(void) { return 1; }"), ...helper("lib/libhelper.so", "libhelper.so", "int lab_deep(void); int lab_help(void) { return lab_deep(); }", ["lib/libdeep.so"]), ...user("lib/libhelper.so", "lib/libdeep.so", ...runpath("$ORIGIN/lib"))], loads),
  depends("deep-missing", "The library of the project needs one that is nowhere", [...stub("liblabdeep.so.1"), ...helper("libhelper.so", "libhelper.so", undefined, ["-Wl,--no-as-needed", "stubs/liblabdeep.so.1"]), ...user("libhelper.so", ...runpath("$ORIGIN"))], missing("liblabdeep.so.1")),
  depends("library-path", "Found by LD_LIBRARY_PATH alone", [...helper("lib/libhelper.so"), ...user("lib/libhelper.so")], loads, { how: "import", libraryPath: ["lib"] }),
  depends("library-path-over-runpath", "LD_LIBRARY_PATH comes before RUNPATH: the other copy lacks the symbol", [...helper("lib/libhelper.so"), ...helper("old/libhelper.so", "libhelper.so", "int lab_old_help(void) { return 1; }"), ...user("lib/libhelper.so", ...runpath("$ORIGIN/lib"))], () => ({ is: "symbol", symbol: "lab_help", kind: ["own", "other-library", "missing-library"] }), { how: "import", libraryPath: ["old"] }),
  depends("rpath-over-library-path", "RPATH comes before LD_LIBRARY_PATH", [...helper("lib/libhelper.so"), ...helper("old/libhelper.so", "libhelper.so", "int lab_old_help(void) { return 1; }"), ...user("lib/libhelper.so", ...rpath("$ORIGIN/lib"))], loads, { how: "import", libraryPath: ["old"] }),
  depends("loaded-before", "A library of that soname is loaded, from a folder that nothing leads to", [...helper("lib/libhelper.so"), ...user("lib/libhelper.so")], () => ({ is: "beyond", why: "What a program loads before the module is not known." }), { how: "import", before: [{ file: "lib/libhelper.so", global: false }] }),
  depends("other-copy-loaded-before", "Another library of that soname is loaded before, and lacks the symbol", [...helper("lib/libhelper.so"), ...helper("old/libhelper.so", "libhelper.so", "int lab_old_help(void) { return 1; }"), ...user("lib/libhelper.so", ...runpath("$ORIGIN/lib"))], () => ({ is: "beyond", why: "What a program loads before the module is not known." }), { how: "import", before: [{ file: "old/libhelper.so", global: false }] }),
  depends("no-soname", "A library without a soname is asked for by its path at link time", [...helper("libhelper.so", ""), ...user("-L.", "-lhelper", ...runpath("$ORIGIN"))], loads),
  depends("soname-of-another-name", "The soname is not the file's name", [...helper("libhelper.so", "libhelper.so.3"), ...user("libhelper.so", ...runpath("$ORIGIN"))], missing("libhelper.so.3")),
  depends("damaged-dependency", "What is found is no library", [...helper("libhelper.so"), ...user("libhelper.so", ...runpath("$ORIGIN")), noLibrary("libhelper.so")], missing("libhelper.so")),
  depends("damaged-before-good", "The first that is found is no library: the loader does not look for another", [...helper("bad/libhelper.so"), ...helper("lib/libhelper.so"), ...user("lib/libhelper.so", ...runpath("$ORIGIN/bad:$ORIGIN/lib")), noLibrary("bad/libhelper.so")], missing("libhelper.so")),
  depends("dependency-of-another-machine", "The first that is found is of another machine: the search goes on", [...helper("arm/libhelper.so"), ...helper("lib/libhelper.so"), ...user("lib/libhelper.so", ...runpath("$ORIGIN/arm:$ORIGIN/lib")), { do: "patch", file: "arm/libhelper.so", at: 18, bytes: [183, 0] }], loads),
  depends("old-copy-found", "RUNPATH leads to an older copy without the function", [...helper("lib/libhelper.so"), ...helper("old/libhelper.so", "libhelper.so", "int lab_old_help(void) { return 1; }"), ...user("lib/libhelper.so", ...runpath("$ORIGIN/old:$ORIGIN/lib"))], () => ({ is: "symbol", symbol: "lab_help", kind: ["own", "other-library"] })),
  depends("c10-of-its-own", "The file brings a libc10.so: torch's is loaded, and is taken", [...helper("libc10.so", "libc10.so", "int lab_own_c10(void) { return 1; }"), ...library({ file: "probe.so", source: "int lab_own_c10(void); int lab_use(void) { return lab_own_c10(); }", link: ["libc10.so", ...runpath("$ORIGIN")] })], (torch) => (torch.name.startsWith("1.13") ? { is: "beyond", why: "Debian's libc10 has another soname." } : { is: "symbol", symbol: "lab_own_c10", kind: ["own", "other-library", "missing-library"] })),
];

/** Without `import torch` before. */
export const torchLater: readonly Experiment[] = [
  depends("torch-later-c10", "libc10 is needed, and torch was not imported", probe({ calls: ["_ZN3c106detail14torchCheckFailEPKcS2_jS2_"] }, ["libc10.so"]), (torch) => (torch.name.startsWith("1.13") ? loads() : { is: "library", library: "libc10.so" }), { how: "import", torchFirst: false }),
  depends("torch-later-library-path", "libc10 is needed, torch was not imported, and LD_LIBRARY_PATH leads to it", probe({ calls: ["_ZN3c106detail14torchCheckFailEPKcS2_jS2_"] }, ["libc10.so"]), loads, { how: "import", torchFirst: false, libraryPath: ["{torch}"] }),
  depends("torch-later-nothing-needed", "Nothing of torch is needed, and torch was not imported", probe({}), loads, { how: "import", torchFirst: false }),
  depends("torch-later-not-linked", "libc10 is used and not linked, and torch was not imported", probe({ calls: ["_ZN3c106detail14torchCheckFailEPKcS2_jS2_"] }), () => ({ is: "symbol", symbol: "_ZN3c106detail14torchCheckFailEPKcS2_jS2_", kind: "missing-library" }), { how: "import", torchFirst: false }),
  depends("torch-later-cdll", "The same, met by ctypes", probe({ calls: ["_ZN3c106detail14torchCheckFailEPKcS2_jS2_"] }, ["libc10.so"]), (torch) => (torch.name.startsWith("1.13") ? loads() : { is: "library", library: "libc10.so" }), { how: "cdll", torchFirst: false }),
];
