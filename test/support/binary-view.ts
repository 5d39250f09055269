/** Answers about binaries, made by hand for tests of the page that shows them. */
import type { BinaryView, ImportedSymbol } from "../../src/protocol/index.ts";
import { profile } from "./built-file.ts";

type Fits = NonNullable<BinaryView["fits"]>;

export const file = "/w/build/_C.so";

export function imported(name: string, changes: Partial<ImportedSymbol> = {}): ImportedSymbol {
  return { name, family: "torch", weak: false, ...changes };
}

export function fits(changes: Partial<Fits> = {}): Fits {
  return {
    schema: 1, file, verdict: "no-conflict", against: { torch: "2.8.0+cu128", source: "environment", name: "/w/.venv" }, missing: [], missingDependencies: [], missingVersions: [],
    traits: [], releasesThatWouldDo: null, loaded: [], findings: [], notChecked: [], ...changes,
  };
}

export function view(symbols: readonly ImportedSymbol[], changes: Partial<BinaryView> = {}): BinaryView {
  return {
    headline: "No conflict with torch 2.8.0+cu128 found in what was checked.",
    inspect: { schema: 1, file, kind: "binary", binaries: [{ profile: profile(file), facts: [], notKnown: [] }], problems: [] },
    fits: fits(),
    libraries: [{ file, name: "_C.so", symbols }],
    symbolsLeftOut: 0,
    against: { version: "2.8.0+cu128", abi: 1, cuda: "12.8", python: "3.12", source: "environment", name: ".venv", path: "/w/.venv/lib/python3.12/site-packages/torch" },
    markdown: "# report\n",
    ...changes,
  };
}

const symbols: readonly ImportedSymbol[] = [
  imported("_ZN3c105ErrorC1ENS_14SourceLocationESs", { demangled: "c10::Error::Error(c10::SourceLocation, std::string)" }),
  imported("_ZN3c105probeEi", { demangled: "c10::probe(int)" }),
  imported("memcpy", { family: "glibc", version: "GLIBC_2.14" }),
  imported("__gmon_start__", { family: "glibc", weak: true }),
  imported("PyModule_Create2", { family: "python" }),
];

/** A file of the other std::string ABI that also misses a newer function, with something in every section. */
export const conflict: BinaryView = view([], {
  headline: "Would not work with torch 2.8.0+cu128.",
  fits: fits({
    verdict: "conflict",
    missing: [
      { symbol: "_ZN3c105ErrorC1ENS_14SourceLocationESs", demangled: "c10::Error::Error(c10::SourceLocation, std::string)", binding: "global", kind: "abi-twin", twin: "_ZN3c105ErrorC1ENS_14SourceLocationENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE", because: "libc10.so exports it with the new std::string." },
      { symbol: "_ZN3c105probeEi", demangled: "c10::probe(int)", binding: "global", kind: "drift", because: "No library of this torch exports it.", nearest: { symbol: "_ZN3c105probeEl", demangled: "c10::probe(long)", library: "libc10.so" }, torch: { since: "2.1.0", until: "2.4.1", source: "data" } },
    ],
    traits: [
      { trait: "libstdcxx-abi", built: "0", installed: "1", agrees: false, weight: "error", because: "The file speaks of the old std::string.", evidence: [] },
      { trait: "glibc", built: "2.14", installed: "2.36", agrees: true, weight: "error", because: "", evidence: [] },
      { trait: "cuda-architectures", built: "sm_90", installed: "no GPU known", agrees: null, weight: "warning", because: "No GPU is known.", evidence: [] },
    ],
    releasesThatWouldDo: ["2.1.0", "2.2.0"],
    findings: [{ rule: "libstdcxx-abi", severity: "error", message: "_C.so was built with _GLIBCXX_USE_CXX11_ABI=0.", docs: "docs/rules/libstdcxx-abi.md" }],
    notChecked: ["No GPU is known."],
  }),
  libraries: [{ file, name: "_C.so", symbols, loaderSays: `${file}: undefined symbol: _ZN3c105ErrorC1ENS_14SourceLocationESs` }],
});
