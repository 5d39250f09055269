import { familyOf } from "../../../binaries/mangling/index.ts";
import { causes } from "../causes.ts";
import type { CauseName } from "../causes.ts";
import type { Explanation, Knowledge } from "../types.ts";
import type { SymbolError } from "./types.ts";
import { demangledOf, fileName, range, shown } from "./words.ts";

const causeOfFamily = { torch: "torch-drift", "torch-stable": "stable-shim", python: "python-abi", cuda: "library-not-linked", libstdcxx: "libstdcxx-too-old", glibc: "glibc-too-old", "own-or-other": "own-symbol" } as const satisfies Record<string, CauseName>;

/** What it means that nobody provides a symbol. */
export function explainSymbol(error: SymbolError, knowledge: Knowledge): Explanation {
  const demangled = demangledOf(error);
  const cause = causeOfFamily[familyOf(error.symbol)];
  const releases = knowledge.history.releasesExporting(error.symbol) ?? [];
  return {
    cause,
    rule: causes[cause],
    confidence: "possible",
    headline: `${fileName(error.file)} needs ${shown(demangled)}, which nothing that is loaded provides.`,
    because: releases.length === 0 ? [] : [`Official wheels of torch ${range(releases, knowledge.history.releases)} export it (${knowledge.history.source}).`],
    fixes: [],
    needs: [],
    symbols: [{ symbol: error.symbol, demangled }],
  };
}
