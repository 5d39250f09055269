/** The words of reports for what the protocol names in short. */
import type { BinaryView, ImportedSymbol } from "../../src/protocol/index.ts";

type FitReport = NonNullable<BinaryView["fits"]>;
type MissingKind = FitReport["missing"][number]["kind"];
export type Verdict = FitReport["verdict"];

export const familyWords: Readonly<Record<ImportedSymbol["family"], string>> = {
  torch: "torch", "torch-stable": "torch stable ABI", python: "CPython", cuda: "CUDA", libstdcxx: "libstdc++", glibc: "glibc", "own-or-other": "other",
};

/** In the order in which they are shown. */
export const kindWords: Readonly<Record<MissingKind, { readonly title: string; readonly meaning: string }>> = {
  "abi-twin": { title: "The other std::string ABI", meaning: "This torch exports the same function in the other spelling: the file was built with another _GLIBCXX_USE_CXX11_ABI." },
  drift: { title: "Another torch version", meaning: "Symbols of torch that this torch does not export." },
  "missing-library": { title: "Not loaded", meaning: "They are exported by a library that the file does not load, or that this torch does not have." },
  "stable-shim": { title: "A newer stable ABI", meaning: "This torch does not have these functions yet." },
  own: { title: "Nobody's", meaning: "A source of the project was not compiled or not linked." },
  "other-library": { title: "Of another library", meaning: "Symbols that neither torch nor the project's own names account for." },
};

export const verdictWords: Readonly<Record<Verdict, { readonly mark: "good" | "bad" | "unknown"; readonly word: string }>> = {
  "no-conflict": { mark: "good", word: "no conflict found" },
  conflict: { mark: "bad", word: "conflict" },
  unknown: { mark: "unknown", word: "could not be told" },
};

export function size(bytes: number): string {
  return bytes < 1024 ? `${bytes} B` : bytes < 1024 ** 2 ? `${(bytes / 1024).toFixed(0)} KiB` : `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
}
