import { symbolAnswer } from "../binaries/history/index.ts";
import type { SymbolAnswer, SymbolLife } from "../binaries/history/index.ts";
import { variantsOf } from "../binaries/mangling/index.ts";
import { loadSymbolHistory } from "../catalogue/index.ts";
import type { RecordedSymbols } from "../catalogue/index.ts";
import type { FitEnvironment } from "../fit/index.ts";
import { valueOf } from "../model/index.ts";

/** What the torch of an environment has of a symbol. */
export interface SymbolThere {
  /** null: what its libraries export is not known. */
  readonly exported: boolean | null;
  /** The spelling that it exports, and the library. */
  readonly symbol?: string;
  readonly library?: string;
}

/** The JSON of `abiding symbols` (docs/schema/symbols.schema.json). */
export interface SymbolsReport extends Omit<SymbolAnswer, "lives"> {
  readonly schema: 1;
  readonly lives: readonly (SymbolLife & { readonly there?: SymbolThere })[];
  /** The torch that was looked into; null: none was named. */
  readonly against: { readonly torch: string | null; readonly name: string; readonly source: string } | null;
  /** Releases that are recorded: the oldest and the newest. */
  readonly recorded: { readonly since: string | null; readonly until: string | null; readonly source: string };
  /** Releases of which nothing is recorded: what they export is not known. */
  readonly missing: readonly { readonly version: string; readonly why: string }[];
}

/** What is recorded of a name, mangled or as people write it, and what the torch of an environment has of it. */
export function symbolsReport(query: string, environment?: FitEnvironment, history: RecordedSymbols = loadSymbolHistory()): SymbolsReport {
  const answer = symbolAnswer(nameIn(query), history);
  return {
    schema: 1, ...answer,
    lives: answer.lives.map((life) => (environment === undefined ? life : { ...life, there: thereOf(life, environment) })),
    against: environment === undefined ? null : { torch: valueOf(environment.body.facts, "torch-version") ?? null, name: environment.body.name, source: environment.body.source },
    recorded: { since: history.releases[0] ?? null, until: history.releases.at(-1) ?? null, source: history.source },
    missing: history.missing,
  };
}

/** People paste the words of a loader or a linker where only the name is asked for. */
function nameIn(query: string): string {
  const [mangled] = /(?<![\w.$])_{1,3}Z[\w.$]+/.exec(query) ?? [];
  return mangled ?? /undefined (?:symbol:|reference to) *[`'"‘]?([^`'"’]+)/.exec(query)?.[1] ?? query;
}

function thereOf({ spellings }: SymbolLife, { torchLibraries }: FitEnvironment): SymbolThere {
  if (torchLibraries.length === 0) return { exported: null };
  for (const spelling of spellings.flatMap((one) => variantsOf(one.symbol))) {
    const library = torchLibraries.find((one) => one.defines(spelling));
    if (library !== undefined) return { exported: true, symbol: spelling, library: library.path };
  }
  return { exported: false };
}
