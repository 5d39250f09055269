import { readConfiguration } from "../engine/diagnosis/configuration.ts";
import { explain } from "../engine/diagnosis/explain/index.ts";
import { openEnvironment } from "../engine/diagnosis/index.ts";
import type { RemoteOptions } from "../engine/binaries/remote/index.ts";
import type { FitEnvironment } from "../engine/fit/index.ts";
import type { Surroundings } from "../engine/installed/index.ts";
import type { ExplainReport } from "../engine/model/index.ts";

/** How the environment came to be the one that is compared with. */
type Chosen = NonNullable<NonNullable<ExplainReport["against"]>["chosen"]>;

export type ExplainAnswer = { readonly ok: true; readonly report: ExplainReport } | { readonly ok: false; readonly message: string };

/**
 * What an error text means, settled by the environment that is named; else by what abiding.json in the root names, else by
 * what is found around the root. Only an environment that was named and cannot be had is an error. Runs nothing.
 */
export async function explained(text: string, against: string | undefined, where: Surroundings, remote: RemoteOptions = {}): Promise<ExplainAnswer> {
  const [configured] = against === undefined ? readConfiguration(where.root, where.files, () => true).configuration.against : [];
  const answer = await openEnvironment(against ?? configured, where, remote);
  if (!answer.ok && against !== undefined) {
    return answer;
  }
  const chosen: Chosen = against !== undefined ? "named" : configured !== undefined ? "project" : "found";
  return { ok: true, report: await explainedWith(text, answer.ok ? { environment: answer.environment, chosen } : undefined, where, remote, answer.ok || configured === undefined ? [] : [answer.message]) };
}

/** The same for an environment that is open already; undefined: for none. `notChecked`: what is to be said beside it. */
export async function explainedWith(text: string, against: { readonly environment: FitEnvironment; readonly chosen: Chosen } | undefined, { catalogue }: Surroundings, { signal }: RemoteOptions = {}, notChecked: readonly string[] = []): Promise<ExplainReport> {
  const report = await explain(text, { catalogue, ...(against === undefined ? {} : { environment: against.environment }), ...(signal === undefined ? {} : { signal }) });
  return {
    ...report,
    against: report.against === null || against === undefined ? report.against : { ...report.against, chosen: against.chosen },
    notChecked: [...notChecked, ...report.notChecked],
  };
}
