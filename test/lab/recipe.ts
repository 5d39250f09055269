/** Recipes: small sources and the steps that make libraries of them. Most need no torch to be built. */
import type { Step } from "./experiment.ts";

/**
 * The part of CPython's stable ABI that a module needs, declared by hand: these experiments are about linking, and shall
 * be built in a moment on a machine without Python's headers.
 */
const moduleHeader = `
#ifdef __cplusplus
extern "C" {
#endif
struct lab_module { struct { struct { long count; void *type; } head; void *(*init)(void); long index; void *copy; } base; const char *name, *doc; long size; void *methods, *slots, *traverse, *clear, *free; };
void *PyModule_Create2(struct lab_module *, int);
static struct lab_module lab_definition = {{{1, 0}, 0, 0, 0}, "probe", 0, -1, 0, 0, 0, 0, 0};
__attribute__((visibility("default"))) void *PyInit_probe(void) { return PyModule_Create2(&lab_definition, 1013); }
#ifdef __cplusplus
}
#endif
`;

export interface Library {
  /** "probe.so", or a path below the folder: "lib/libhelper.so". */
  readonly file: string;
  /** C++ when it ends so; default: by `compiler`. */
  readonly source: string;
  readonly compiler?: "gcc" | "g++" | "g++-11" | "clang++-14" | "nvcc";
  /** Without PyInit. Default: only files named probe have it. */
  readonly module?: boolean;
  readonly flags?: readonly string[];
  /** Put after the source: libraries made before, linker flags. */
  readonly link?: readonly string[];
}

/** Compiles and links one shared library. Undefined symbols are let through, as the linker does by default. */
export function library(one: Library): Step[] {
  const compiler = one.compiler ?? "gcc";
  const extension = compiler === "gcc" ? "c" : compiler === "nvcc" ? "cu" : "cpp";
  const source = `${one.file.replaceAll("/", "_")}.${extension}`;
  const isModule = one.module ?? /(^|\/)probe\b/.test(one.file);
  const position = compiler === "nvcc" ? ["-Xcompiler", "-fPIC"] : ["-fPIC", "-w"];
  return [
    { do: "write", file: source, text: `${isModule ? moduleHeader : ""}${one.source}\n` },
    { do: "run", program: compiler, args: ["-shared", ...position, "-O1", "-o", one.file, ...(one.flags ?? []), source, ...(compiler === "nvcc" ? [] : ["-Wl,--no-as-needed"]), ...(one.link ?? [])] },
  ];
}

export interface References {
  /** Mangled names of functions that are called: a relocation of the PLT. */
  readonly calls?: readonly string[];
  /** Mangled names whose address stands in data: a relocation of the data. */
  readonly takes?: readonly string[];
  /** Called when there: undefined weak symbols. */
  readonly weak?: readonly string[];
}

/** C source that refers to symbols by their mangled names: how a drift is made without the headers of that torch. */
export function referring(references: References): string {
  const calls = references.calls ?? [];
  const takes = references.takes ?? [];
  const weak = references.weak ?? [];
  return [
    ...calls.map((symbol, index) => `extern void lab_call_${index}(void) __asm__("${symbol}");`),
    ...takes.map((symbol, index) => `extern char lab_take_${index} __asm__("${symbol}");`),
    ...weak.map((symbol, index) => `extern void lab_weak_${index}(void) __asm__("${symbol}") __attribute__((weak));`),
    `void lab_use(void) { ${calls.map((_, index) => `lab_call_${index}();`).join(" ")} ${weak.map((_, index) => `if (lab_weak_${index}) lab_weak_${index}();`).join(" ")} }`,
    ...(takes.length > 0 ? [`void *lab_table[] = { ${takes.map((_, index) => `&lab_take_${index}`).join(", ")} };`] : []),
  ].join("\n");
}

/** A library that is only there to be linked against: it leaves a DT_NEEDED of its name behind. */
export function stub(soname: string, versions?: string, source = ""): Step[] {
  const file = `stubs/${soname}`;
  return [
    { do: "write", file: `${file}.c`, text: `${source}\n` },
    ...(versions === undefined ? [] : [{ do: "write", file: `${file}.map`, text: `${versions}\n` } as const]),
    { do: "run", program: "gcc", args: ["-shared", "-fPIC", "-nostdlib", "-w", `-Wl,-soname,${soname}`, ...(versions === undefined ? [] : [`-Wl,--version-script,${file}.map`]), "-o", file, `${file}.c`] },
  ];
}

/** A module that refers to symbols and is linked with libraries of these names. */
export function probe(references: References, needed: readonly string[] = [], extra: Partial<Library> = {}): Step[] {
  return [
    ...needed.flatMap((soname) => stub(soname)),
    ...library({ file: "probe.so", source: referring(references), ...extra, link: [...needed.map((soname) => `stubs/${soname}`), ...(extra.link ?? [])] }),
  ];
}
