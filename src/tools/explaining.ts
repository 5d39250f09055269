import { readConfiguration } from "../engine/diagnosis/configuration.ts";
import { explain } from "../engine/diagnosis/explain/index.ts";
import { openEnvironment } from "../engine/diagnosis/index.ts";
import type { RemoteOptions } from "../engine/binaries/remote/index.ts";
import type { Surroundings } from "../engine/installed/index.ts";
import type { ExplainReport } from "../engine/model/index.ts";

/** How the environment came to be the one that is compared with. */
type Chosen = NonNullable<NonNullable<ExplainReport["against"]>["chosen"]>;

export type ExplainAnswer = { readonly ok: true; readonly report: ExplainReport } | { readonly ok: false; readonly message: string };

/** What is compared with: what was named, else what an editor's user selected for the project. */
export interface Wanted {
  readonly against?: string;
  readonly selected?: string;
}

/**
 * What an error text means, settled by the environment that is wanted; else by what abiding.json in the root names, else by
 * what is found around the root. Only an environment that was named and cannot be had is an error. Runs nothing.
 */
export async function explained(text: string, { against, selected }: Wanted, where: Surroundings, remote: RemoteOptions): Promise<ExplainAnswer> {
  const ofProject = against ?? selected ?? readConfiguration(where.root, where.files, () => true).configuration.against[0];
  const answer = await openEnvironment(ofProject, where, remote);
  if (!answer.ok && against !== undefined) {
    return answer;
  }
  const { catalogue } = where;
  const { signal } = remote;
  const report = await explain(text, { catalogue, ...(answer.ok ? { environment: answer.environment } : {}), ...(signal === undefined ? {} : { signal }) });
  const chosen: Chosen = against !== undefined ? "named" : ofProject !== undefined ? "project" : "found";
  const unanswered = answer.ok || ofProject === undefined ? [] : [answer.message];
  return { ok: true, report: { ...report, against: report.against === null ? null : { ...report.against, chosen }, notChecked: [...unanswered, ...report.notChecked] } };
}
