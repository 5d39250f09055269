import type { Catalogue, RecordedSymbols } from "../../catalogue/index.ts";
import { loadSymbolHistory } from "../../catalogue/index.ts";
import type { FitEnvironment } from "../../fit/index.ts";
import { valueOf } from "../../model/index.ts";
import type { ExplainReport, ExplainVerdict, FitReport } from "../../model/index.ts";
import { buildingRecognisers } from "./building/index.ts";
import { loadingRecognisers } from "./loading/index.ts";
import { runningRecognisers } from "./running/index.ts";
import { readLog } from "./text/index.ts";
import type { Clue, Knowledge, Log, Recogniser } from "./types.ts";

export interface ExplainOptions {
  readonly catalogue: Catalogue;
  /** The environment in which it failed; absent: causes are ranked, and `needs` says what would settle them. */
  readonly environment?: FitEnvironment;
  /** Reads a file that the text names and compares it with the environment; undefined: it is not here. See `fitReader`. */
  readonly fit?: (file: string) => Promise<FitReport | undefined>;
  readonly history?: RecordedSymbols;
}

const recognisers: readonly Recogniser[] = [...loadingRecognisers, ...buildingRecognisers, ...runningRecognisers];

/** Says what an error text means: what happened, on what evidence, and what to do. Reads files only through `fit`, and runs nothing. */
export async function explain(text: string, options: ExplainOptions): Promise<ExplainReport> {
  const log = readLog(text);
  const clues = cluesOf(log);
  const fits = new Map<string, FitReport | undefined>();
  for (const file of new Set(clues.flatMap((clue) => clue.subject.file ?? []))) {
    fits.set(file, await options.fit?.(file));
  }
  const { catalogue, environment } = options;
  const knowledge: Knowledge = {
    log, clues, catalogue, history: options.history ?? loadSymbolHistory(),
    ...(environment === undefined ? {} : { environment }),
    fitOf: (file) => fits.get(file),
  };
  return {
    schema: 1,
    against: environment === undefined ? null : { torch: valueOf(environment.body.facts, "torch-version") ?? null, source: environment.body.source, name: environment.body.name },
    verdicts: clues.map((clue) => verdictOf(clue, knowledge)),
    notChecked: [],
  };
}

function cluesOf(log: Log): readonly Clue[] {
  return log.lines.flatMap((line, at) => recognisers.flatMap((one) => (one.hint.test(line.text) ? one.read(log, at) ?? [] : [])));
}

function verdictOf(clue: Clue, knowledge: Knowledge): ExplainVerdict {
  const { log } = knowledge;
  const [first, last] = [log.lines[clue.first]?.first ?? 1, log.lines[clue.last]?.last ?? 1];
  return {
    ...clue.explain(knowledge), lines: { first, last }, words: clue.words, occurrences: 1, consequences: [],
    ...(clue.subject.file === undefined ? {} : { file: clue.subject.file }),
  };
}
