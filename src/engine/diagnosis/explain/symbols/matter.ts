import { demangle } from "../../../binaries/mangling/index.ts";
import type { RecordedSymbols } from "../../../catalogue/index.ts";
import type { ExplainedSymbol } from "../../../model/index.ts";
import { causes } from "../causes.ts";
import type { CauseName } from "../causes.ts";
import type { Explanation, Knowledge } from "../types.ts";
import { evidenceIn } from "./evidence.ts";
import type { TextEvidence } from "./evidence.ts";
import { lifeOf } from "./life.ts";
import type { Life } from "./life.ts";
import type { SymbolError } from "./types.ts";
import { demangledOf, fileName, shown } from "./words.ts";

/** An error about a symbol, with what is known of the symbol before anything else is looked at. */
export interface Matter {
  readonly error: SymbolError;
  readonly knowledge: Knowledge;
  readonly life: Life;
  readonly evidence: TextEvidence;
  /** "_C.so", "The file". */
  readonly file: string;
  /** Demangled, in quotes. */
  readonly name: string;
}

export function matterOf(error: SymbolError, knowledge: Knowledge): Matter {
  const life = lifeOf(error, knowledge.history);
  return { error, knowledge, life, evidence: evidenceIn(knowledge), file: fileName(error.file), name: nameOf(error, life) };
}

/** A name without its end is shown as what it must be, where only one name begins so. */
function nameOf(error: SymbolError, life: Life): string {
  return shown(error.isCut && !life.isByName ? demangle(life.symbol) ?? life.symbol : error.isCut ? `${error.symbol}…` : demangledOf(error));
}

/** A verdict without what follows of its cause and of its symbol. */
export type Judgement = Omit<Explanation, "rule" | "needs" | "fixes" | "because"> & Partial<Pick<Explanation, "needs" | "fixes" | "because">>;

/** The verdict as it is told, with the symbol that the text names unless the judgement lists others. */
export function told(matter: Matter, { cause, because = [], fixes = [], needs = [], ...rest }: Judgement): Explanation {
  const { error, life, knowledge } = matter;
  return {
    symbols: [explainedSymbol({ symbol: error.symbol, demangled: demangledOf(error) }, life, knowledge.history)],
    ...rest,
    cause,
    rule: causes[cause satisfies CauseName],
    because,
    fixes,
    needs,
  };
}

/** A symbol with the releases that have it as it is spelled, and those that have what they have in its place. */
export function explainedSymbol(names: Pick<ExplainedSymbol, "symbol" | "demangled">, life: Life, history: RecordedSymbols): ExplainedSymbol {
  const other = life.twin !== undefined && life.releases.length < life.either.length ? life.twin : life.overload;
  // A name without parameters that was printed demangled is found by its spelling alone.
  const isFound = life.isByName && other !== undefined && other.demangled === names.demangled;
  const torch = isFound ? spanOf(other.releases, history) : life.isByName ? undefined : spanOf(life.twin === undefined ? life.either : life.releases, history);
  const successor = isFound ? undefined : other;
  const theirs = successor === undefined ? undefined : spanOf(successor.releases, history);
  return {
    ...names,
    ...(torch === undefined ? {} : { torch: { ...torch, source: history.source } }),
    ...(successor === undefined ? {} : { successor: { symbol: successor.symbol, demangled: successor.demangled, ...(theirs === undefined ? {} : { torch: theirs }) } }),
  };
}

function spanOf(releases: readonly string[], history: RecordedSymbols): { readonly since: string; readonly until: string | null } | undefined {
  const [since, until] = [releases[0], releases.at(-1)];
  return since === undefined || until === undefined ? undefined : { since, until: until === history.releases.at(-1) ? null : until };
}

/** How to ask an environment what settles it. */
export function askFits({ error, knowledge }: Matter): string {
  const file = error.file === undefined || error.when === "link" ? "FILE" : error.file;
  return knowledge.environment === undefined
    ? `Compare the file with the environment in which it fails: abiding fits ${file} --against ENV.`
    : `Compare the file itself with the environment: abiding fits ${file} --against ENV.`;
}

export const askTorch = "Which torch runs it: python -c \"import torch; print(torch.__version__, torch.compiled_with_cxx11_abi(), torch.__file__)\".";
