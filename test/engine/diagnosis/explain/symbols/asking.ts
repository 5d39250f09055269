/** Asks what an error about a symbol means, as the readers of loaders and linkers do. */
import assert from "node:assert/strict";
import * as path from "node:path";
import { loadCatalogue, loadSymbolHistory } from "../../../../../src/engine/catalogue/index.ts";
import { explainSymbol } from "../../../../../src/engine/diagnosis/explain/symbols/index.ts";
import type { SymbolError } from "../../../../../src/engine/diagnosis/explain/symbols/index.ts";
import type { Clue, Explanation, Knowledge } from "../../../../../src/engine/diagnosis/explain/types.ts";
import { openEnvironment } from "../../../../../src/engine/diagnosis/index.ts";
import { NodeFiles } from "../../../../../src/engine/files/index.ts";
import type { FitEnvironment } from "../../../../../src/engine/fit/index.ts";
import type { FitReport } from "../../../../../src/engine/model/index.ts";

export const catalogue = loadCatalogue();
export const history = loadSymbolHistory();

export interface Around {
  /** The rest of the text. */
  readonly text?: string;
  readonly environment?: FitEnvironment;
  readonly fit?: FitReport;
  /** Other symbols that the text names of the same file. */
  readonly others?: readonly string[];
}

export function ask(error: Partial<SymbolError> & Pick<SymbolError, "symbol">, { text = "", environment, fit, others = [] }: Around = {}): Explanation {
  const whole: SymbolError = { isDemangled: false, when: "load", system: "linux", isCut: false, file: "/srv/v/lib/python3.12/site-packages/pkg/_C.so", ...error };
  const clue = (symbol: string): Clue => ({
    first: 0, last: 0, words: "", weight: "cause", subject: { symbol, ...(whole.file === undefined ? {} : { file: whole.file }) },
    explain: () => assert.fail("Nobody asks another clue."),
  });
  const knowledge: Knowledge = {
    log: { lines: text.split("\n").map((line, at) => ({ text: line, first: at + 1, last: at + 1 })), exceptions: [] },
    clues: [whole.symbol, ...others].map(clue), catalogue, history,
    ...(environment === undefined ? {} : { environment }),
    fitOf: (file) => (file === whole.file ? fit : undefined),
  };
  return explainSymbol(whole, knowledge);
}

/** "cause confidence", and what the headline must say. */
export function says(found: Explanation, verdict: string, headline: RegExp, ...because: readonly RegExp[]): void {
  assert.equal(`${found.cause} ${found.confidence}`, verdict, found.headline);
  assert.match(found.headline, headline);
  for (const one of because) {
    assert.match([...found.because, ...found.fixes, ...found.needs].join("\n"), one);
  }
  assert.ok(found.confidence === "certain" || found.needs.length > 0, `${found.headline} does not say what would settle it`);
  const all = [found.headline, ...found.because, ...found.fixes, ...found.needs].join("\n");
  assert.doesNotMatch(all.replaceAll("--no-undefined", ""), /compatible|undefined|\[object|--force-reinstall/, all);
}

export async function release(spec: string): Promise<FitEnvironment> {
  const opened = await openEnvironment(spec, { root: path.resolve("/"), files: new NodeFiles(), catalogue, environment: {} });
  assert.ok(opened.ok, opened.ok ? "" : opened.message);
  return opened.environment;
}

export const newString = "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE";
