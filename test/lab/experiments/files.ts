/** Whether a file is a library of this machine and a module of this Python at all. */
import { loads, type Expectation, type Experiment, type Step } from "../experiment.ts";
import { library, probe } from "../recipe.ts";

const refused = (): Expectation => ({ is: "refused" });
const plain = probe({});

function damaged(name: string, about: string, after: readonly Step[], expect: Experiment["expect"] = refused): Experiment {
  return { id: `file/${name}`, about, steps: [...plain, ...after], file: "probe.so", load: { how: "import" }, expect };
}

function named(name: string, about: string, file: string, expect: Experiment["expect"] = loads): Experiment {
  return { id: `file/${name}`, about, steps: [...plain, { do: "move", from: "probe.so", to: file }], file, load: { how: "import" }, expect };
}

function made(name: string, about: string, steps: readonly Step[], how: "import" | "cdll" = "import", expect: Experiment["expect"] = loads): Experiment {
  return { id: `file/${name}`, about, steps, file: "probe.so", load: { how }, expect };
}

const patch = (at: number, ...bytes: number[]): Step => ({ do: "patch", file: "probe.so", at, bytes });
const cut = (size: number): Step => ({ do: "truncate", file: "probe.so", size });

export const files: readonly Experiment[] = [
  damaged("plain", "A C module that uses nothing but Python", [], loads),
  damaged("truncated-in-half", "A download that broke off in the middle", [cut(6000)]),
  damaged("truncated-header", "Less than an ELF header", [cut(40)]),
  damaged("header-only", "An ELF header and nothing else", [cut(64)]),
  damaged("empty", "An empty file", [cut(0)]),
  damaged("text", "A linker script in place of a library", [{ do: "write", file: "probe.so", text: "/* GNU ld script */\nINPUT(libother.so)\n" }]),
  damaged("lfs-pointer", "A Git LFS pointer in place of a library", [{ do: "write", file: "probe.so", text: "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n" }]),
  damaged("aarch64", "A library for another machine", [patch(18, 183)]),
  damaged("riscv", "A library for a machine that nobody has here", [patch(18, 243)]),
  damaged("32-bit", "A library that says it is of 32 bits", [patch(4, 1)]),
  damaged("big-endian", "A library that says it is big-endian", [patch(5, 2)]),
  damaged("relocatable", "An object file under the name of a library", [patch(16, 1)], () => ({ is: "beyond", why: "An object file is to be linked first, and nothing is said of it before." })),
  damaged("no-sections", "Section headers stripped: loading does not need them", [patch(40, 0, 0, 0, 0, 0, 0, 0, 0), patch(60, 0, 0, 0, 0)], loads),
  named("suffix-312", "Built for Python 3.12", "probe.cpython-312-x86_64-linux-gnu.so", refused),
  named("suffix-311", "Built for Python 3.11", "probe.cpython-311-x86_64-linux-gnu.so", (torch) => (torch.suffix.includes("-311-") ? loads() : refused())),
  named("suffix-311-arm", "Built for Python 3.11 on another machine, by its name", "probe.cpython-311-aarch64-linux-gnu.so", refused),
  named("suffix-abi3", "Python's limited API", "probe.abi3.so"),
  named("suffix-313t", "Built for the free-threaded Python 3.13", "probe.cpython-313t-x86_64-linux-gnu.so", refused),
  named("suffix-pypy", "Built for PyPy", "probe.pypy310-pp73-x86_64-linux-gnu.so", refused),
  made("entry-of-another-name", "The file was renamed: its PyInit has the old name", [...library({ file: "old.so", source: "int lab_old;", module: true, flags: ["-DPyInit_probe=PyInit_old"] }), { do: "move", from: "old.so", to: "probe.so" }], "import", () => ({ is: "beyond", why: "The name of PyInit is Python's affair, not the loader's." })),
  made("hidden-entry", "PyInit is hidden by the visibility settings", library({ file: "probe.so", source: "__attribute__((visibility(\"hidden\"))) void *PyInit_probe(void) { return 0; }", module: false }), "import", () => ({ is: "beyond", why: "A missing PyInit is Python's affair, not the loader's." })),
  made("executable", "A position-independent executable under the name of a library", [{ do: "write", file: "main.c", text: "int main(void) { return 0; }" }, { do: "run", program: "gcc", args: ["-pie", "-fPIE", "-o", "probe.so", "main.c"] }], "cdll", () => ({ is: "beyond", why: "A program is started, not loaded, and that is what is said of it." })),
  made("sysv-hash", "Only the old hash table", probe({}, [], { link: ["-Wl,--hash-style=sysv"] })),
  made("gnu-hash", "Only the GNU hash table", probe({}, [], { link: ["-Wl,--hash-style=gnu"] })),
  made("relr", "Packed relative relocations, which need glibc 2.36", probe({ takes: ["lab_here"] }, [], { source: "static int lab_a; void *lab_list[] = {&lab_a, &lab_a, &lab_a};", link: ["-Wl,-z,pack-relative-relocs"] })),
  made("now", "Bound at once", probe({}, [], { link: ["-Wl,-z,now"] })),
  made("bsymbolic", "Bound to itself", probe({}, [], { source: "int lab_f(void) { return 1; } int lab_g(void) { return lab_f(); }", link: ["-Wl,-Bsymbolic"] })),
  made("executable-stack", "Asks for an executable stack", probe({}, [], { link: ["-Wl,-z,execstack"] })),
  made("thread-local", "Thread-local storage of its own", probe({}, [], { source: "__thread int lab_t = 3; int *lab_where(void) { return &lab_t; }" })),
  made("static-tls", "More static thread-local storage than a process keeps free", probe({}, [], { source: "__thread char lab_t[100000] __attribute__((tls_model(\"initial-exec\"))) = {1}; char *lab_where(void) { return lab_t; }" }), "import", () => ({ is: "beyond", why: "How much static TLS is left depends on the process." })),
  made("ifunc", "A function chosen while loading", probe({}, [], { source: "static int one(void) { return 1; } static int (*choose(void))(void) { return one; } int lab_f(void) __attribute__((ifunc(\"choose\"))); int lab_g(void) { return lab_f(); }" })),
  made("constructor-aborts", "A constructor that ends the process", probe({}, [], { source: "#include <stdlib.h>\n__attribute__((constructor)) static void lab_start(void) { abort(); }" }), "import", () => ({ is: "beyond", why: "What constructors do is not read." })),
  made("cxx", "C++ with strings and lists of its own", library({ file: "probe.so", compiler: "g++", source: "#include <list>\n#include <string>\nstd::list<std::string> lab_list{\"a\"}; std::string lab_join(const std::string &a) { return a + lab_list.front(); }" })),
  made("cxx-old-strings", "The same with the old strings", library({ file: "probe.so", compiler: "g++", flags: ["-D_GLIBCXX_USE_CXX11_ABI=0"], source: "#include <list>\n#include <string>\nstd::list<std::string> lab_list{\"a\"}; std::string lab_join(const std::string &a) { return a + lab_list.front(); }" })),
  made("static-libstdcxx", "libstdc++ linked statically", library({ file: "probe.so", compiler: "g++", flags: ["-static-libstdc++", "-static-libgcc"], source: "#include <string>\n#include <stdexcept>\nstd::string lab_join(const std::string &a) { if (a.empty()) throw std::runtime_error(a); return a + a; }" })),
  made("cxx20", "C++20 with coroutines' and ranges' headers", library({ file: "probe.so", compiler: "g++", flags: ["-std=c++20"], source: "#include <algorithm>\n#include <ranges>\n#include <vector>\nint lab_sum(std::vector<int> &v) { std::ranges::sort(v); return v.front(); }" })),
  made("fabi-version", "The C++ ABI of GCC 7", library({ file: "probe.so", compiler: "g++", flags: ["-fabi-version=11"], source: "#include <string>\nstd::string lab_f(std::string s) { return s + s; }" })),
  made("exceptions", "Throws and catches across its own functions", library({ file: "probe.so", compiler: "g++", source: "#include <stdexcept>\nvoid lab_t() { throw std::out_of_range(\"x\"); } int lab_c() { try { lab_t(); } catch (const std::exception &) { return 1; } return 0; }" })),
];
