import type { Catalogue, RecordedSymbols } from "../../catalogue/index.ts";
import { loadSymbolHistory } from "../../catalogue/index.ts";
import type { FitEnvironment } from "../../fit/index.ts";
import { valueOf } from "../../model/index.ts";
import type { ExplainReport, FitReport } from "../../model/index.ts";
import { buildingRecognisers } from "./building/index.ts";
import { loadingRecognisers } from "./loading/index.ts";
import { inOrder } from "./order.ts";
import type { Explained } from "./order.ts";
import { baseName, lineOf, mattersOf, withoutOverlaps } from "./orderMatters.ts";
import type { Matter, ReadClue } from "./orderMatters.ts";
import { anyOf } from "./requiredWords.ts";
import { runningRecognisers } from "./running/index.ts";
import { readingLog } from "./text/index.ts";
import type { Clue, Knowledge, Log, Recogniser } from "./types.ts";

export interface ExplainOptions {
  readonly catalogue: Catalogue;
  /** The environment in which it failed; absent: causes are ranked, and `needs` says what would settle them. */
  readonly environment?: FitEnvironment;
  /** Reads a file that the text names and compares it with the environment; undefined: it is not here. See `fitReader`. */
  readonly fit?: (file: string) => Promise<FitReport | undefined>;
  readonly history?: RecordedSymbols;
  /** Ends it early; the promise is rejected with the signal's reason. */
  readonly signal?: AbortSignal;
}

const recognisers: readonly Recogniser[] = [...loadingRecognisers, ...buildingRecognisers, ...runningRecognisers];

/** Most clues that are read, matters that are explained, files that are read, verdicts that are given. */
const most = { clues: 5000, matters: 200, files: 16, verdicts: 24 } as const;

/** Says what an error text means: what happened, on what evidence, and what to do. Reads files only through `fit`, and runs nothing. */
export async function explain(text: string, options: ExplainOptions): Promise<ExplainReport> {
  const { catalogue, environment, signal } = options;
  const notChecked: string[] = [];
  const log = await inSteps(readingLog(text, { matters }), signal);
  const clues = await inSteps(readingClues(log, notChecked), signal);
  const matterList = mattersOf(withoutOverlaps(clues), log);
  const kept = matterList.slice(0, most.matters);
  const fits = await fitsOf(kept, options, notChecked);
  let history = options.history;
  const knowledge: Knowledge = {
    log, clues: kept.flatMap((matter) => matter.clues), catalogue,
    get history() { return history ??= loadSymbolHistory(); },
    ...(environment === undefined ? {} : { environment }),
    fitOf: (file) => fits.get(file),
  };
  const verdicts = inOrder(explained(kept, knowledge, notChecked), log);
  const shown = verdicts.slice(0, most.verdicts);
  return {
    schema: 1,
    against: environment === undefined ? null : { torch: valueOf(environment.body.facts, "torch-version") ?? null, source: environment.body.source, name: environment.body.name },
    verdicts: shown,
    notChecked: [...notChecked, ...unseen(kept, log, fits, options), ...leftOut(verdicts.length - shown.length + matterList.length - kept.length), ...unread(log, clues.length)],
  };
}

/** Lets others run in between, and ends when nobody waits any longer. */
async function inSteps<Result>(steps: Generator<undefined, Result>, signal: AbortSignal | undefined): Promise<Result> {
  for (let step = steps.next(); ; step = steps.next()) {
    signal?.throwIfAborted();
    if (step.done === true) return step.value;
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

/** Whether anybody may understand a line. */
const matters = anyOf(recognisers.map(({ hint }) => hint));

function* readingClues(log: Log, notChecked: string[]): Generator<undefined, readonly ReadClue[]> {
  const clues = new Map<string, ReadClue>();
  for (const [at, line] of log.lines.entries()) {
    if (at % 2000 === 1999) yield;
    if (clues.size >= most.clues) break;
    if (line.text === "" || line.isCode === true || !matters(line.text)) continue;
    for (const [reader, one] of recognisers.entries()) {
      if (!one.hint.test(line.text)) continue;
      const clue = attempt(() => one.read(log, at), line.first, notChecked);
      // One that spans lines may be found at each of them.
      if (clue !== undefined) clues.set(`${reader} ${clue.first} ${clue.last} ${clue.words}`, { clue, reader });
    }
  }
  return [...clues.values()];
}

/** A text that its recogniser did not foresee costs that clue, not the report. */
function attempt<Result>(action: () => Result, line: number, notChecked: string[]): Result | undefined {
  try {
    return action();
  } catch (error) {
    notChecked.push(`What line ${line} says could not be read: ${reason(error)}`);
    return undefined;
  }
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function fitsOf(list: readonly Matter[], { fit, signal }: ExplainOptions, notChecked: string[]): Promise<ReadonlyMap<string, FitReport | undefined>> {
  const fits = new Map<string, FitReport | undefined>();
  if (fit === undefined) return fits;
  for (const file of new Set(list.flatMap(({ clues }) => clues.flatMap((clue) => clue.subject.file ?? [])))) {
    signal?.throwIfAborted();
    if (fits.size >= most.files) break;
    try {
      fits.set(file, await fit(file));
    } catch (error) {
      signal?.throwIfAborted();
      notChecked.push(`${file} could not be read: ${reason(error)}`);
      fits.set(file, undefined);
    }
  }
  return fits;
}

function explained(list: readonly Matter[], knowledge: Knowledge, notChecked: string[]): readonly Explained[] {
  return list.flatMap((matter) => {
    const [clue] = matter.clues;
    const explanation = attempt(() => clue.explain(knowledge), lineOf(clue, knowledge.log), notChecked);
    return explanation === undefined ? [] : [{ ...matter, explanation }];
  });
}

const loadable = /\.(?:so(?:\.[\d.]+)?|pyd|dylib|dll)$/i;

function unseen(list: readonly Matter[], log: Log, fits: ReadonlyMap<string, FitReport | undefined>, { environment, fit }: ExplainOptions): readonly string[] {
  if (list.length === 0) return [];
  const all: readonly Clue[] = list.flatMap(({ clues }) => clues);
  const missing = new Map<string, number>();
  for (const clue of all) {
    const { file } = clue.subject;
    if (file !== undefined && loadable.test(file) && fits.get(file) === undefined && !missing.has(file)) missing.set(file, lineOf(clue, log));
  }
  const files = fit === undefined ? [] : [...missing].slice(0, 5).map(([file, line]) => `${baseName(file)}, which line ${line} names, was not read: ${environment === undefined ? "there is no environment to compare it with" : `${file} is not here`}.`);
  const cut = new Set(list.flatMap(({ clues: [clue] }) => cutLine(clue, log) ?? []));
  return [
    ...(environment === undefined ? ["No environment was given: what the torch in question exports was not looked up."] : []),
    ...files,
    ...[...cut].slice(0, 5).map((line) => `Line ${line} is cut off at its end.`),
  ];
}

/** The line where what is quoted breaks off. */
function cutLine(clue: Clue, log: Log): number | undefined {
  const line = log.lines[clue.last];
  const end = clue.words.replace(/[\s.…[\]]+$/, "").slice(-12);
  return line?.isCut === true && line.text.replace(/[\s.…[\]]+$/, "").endsWith(end) ? line.last : undefined;
}

function leftOut(count: number): readonly string[] {
  return count <= 0 ? [] : [`The text has ${count} more ${count === 1 ? "failure" : "failures"}; the first ones are explained.`];
}

function unread(log: Log, clues: number): readonly string[] {
  return [
    ...(log.unread === undefined ? [] : [`The text was not read from line ${log.unread.from} on.`]),
    ...(clues < most.clues ? [] : [`Only the first ${most.clues} places that name a failure were read.`]),
  ];
}
