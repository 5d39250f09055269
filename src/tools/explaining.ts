import { readConfiguration } from "../engine/diagnosis/configuration.ts";
import { explain, fitReader } from "../engine/diagnosis/explain/index.ts";
import { openEnvironment } from "../engine/diagnosis/index.ts";
import type { RemoteOptions } from "../engine/binaries/remote/index.ts";
import type { FitEnvironment } from "../engine/fit/index.ts";
import type { Surroundings } from "../engine/installed/index.ts";
import type { ExplainReport } from "../engine/model/index.ts";
import { environmentsNamedIn } from "./failedIn.ts";

/** How the environment came to be the one that is compared with. */
type Chosen = NonNullable<NonNullable<ExplainReport["against"]>["chosen"]>;

export type ExplainAnswer = { readonly ok: true; readonly report: ExplainReport } | { readonly ok: false; readonly message: string };

/** What is compared with: what was named, else what an editor's user selected for the project. */
export interface Wanted {
  readonly against?: string;
  readonly selected?: string;
}

/**
 * What an error text means, settled by the environment that was named; else by the one whose files the text names, where it
 * is on this machine; else by what was selected, what abiding.json in the root names, or what is found around the root.
 * Only an environment that was named and cannot be had is an error. Runs nothing.
 */
export async function explained(text: string, wanted: Wanted, where: Surroundings, remote: RemoteOptions): Promise<ExplainAnswer> {
  const { files, catalogue, root } = where;
  const { environment, chosen, problem } = await environmentFor(text, wanted, where, remote);
  if (problem !== undefined && wanted.against !== undefined) {
    return { ok: false, message: problem };
  }
  const shared = { catalogue, ...(remote.signal === undefined ? {} : { signal: remote.signal }) };
  const report = await explain(text, {
    ...shared,
    ...(environment === undefined ? {} : { environment, fit: fitReader({ ...shared, environment, files, roots: [root], elsewhere: chosen === "named" }) }),
  });
  return { ok: true, report: { ...report, against: report.against === null ? null : { ...report.against, chosen }, notChecked: [...(problem === undefined ? [] : [problem]), ...report.notChecked] } };
}

interface Found {
  readonly chosen: Chosen;
  readonly environment?: FitEnvironment;
  /** Why what was wanted is not compared with. */
  readonly problem?: string;
}

async function environmentFor(text: string, { against, selected }: Wanted, where: Surroundings, remote: RemoteOptions): Promise<Found> {
  for (const prefix of against === undefined ? environmentsNamedIn(text, where.files) : []) {
    const answer = await openEnvironment(prefix, where, remote);
    if (answer.ok && answer.environment.body.torchRoot !== undefined) {
      return { chosen: "text", environment: answer.environment };
    }
  }
  const ofProject = against ?? selected ?? readConfiguration(where.root, where.files, () => true).configuration.against[0];
  const chosen: Chosen = against !== undefined ? "named" : ofProject !== undefined ? "project" : "found";
  const answer = await openEnvironment(ofProject, where, remote);
  return answer.ok ? { chosen, environment: answer.environment } : { chosen, ...(ofProject === undefined ? {} : { problem: answer.message }) };
}
