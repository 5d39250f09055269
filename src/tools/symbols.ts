import { openEnvironment, symbolsReport } from "../engine/diagnosis/index.ts";
import type { SymbolsReport } from "../engine/diagnosis/index.ts";
import { CannotAnswer } from "./types.ts";
import type { ToolContext } from "./types.ts";

/** The report of `abiding symbols`. Only an environment that is named is looked into: the question is about releases. */
export async function symbols({ name, against }: { readonly name: string; readonly against?: string }, { where, remote }: ToolContext): Promise<SymbolsReport> {
  const answer = against === undefined ? undefined : await openEnvironment(against, where, remote);
  if (answer?.ok === false) {
    throw new CannotAnswer(answer.message);
  }
  return symbolsReport(name, answer?.environment);
}
