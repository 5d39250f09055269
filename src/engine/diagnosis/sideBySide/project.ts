import type { RemoteOptions } from "../../binaries/remote/index.ts";
import type { Surroundings } from "../../installed/index.ts";
import type { BodiesView, InstalledBody } from "../../model/index.ts";
import type { RuleSetting } from "../configuration.ts";
import type { Diagnosis } from "../diagnosis.ts";
import { openWheels } from "../fitEnvironment.ts";
import { Workspace } from "../workspace.ts";
import { bodiesView } from "./index.ts";

export interface SideBySideOptions extends Surroundings {
  /** What to check against, as `--against` takes it; absent or empty: the project's own choice. */
  readonly against?: readonly string[];
  /** Another environment, for a column of its own. */
  readonly also?: string;
  /** Severities of the user. */
  readonly rules?: ReadonlyMap<string, RuleSetting>;
  readonly remote?: RemoteOptions;
}

export type SideBySideResult = { readonly ok: true; readonly bodies: BodiesView } | { readonly ok: false; readonly message: string };

/** The bodies of a project folder side by side. An environment that cannot be had is said in a sentence; nothing is thrown for it. */
export async function projectBodies(options: SideBySideOptions): Promise<SideBySideResult> {
  const own = await diagnosisAgainst(options.against ?? [], options);
  if (!own.ok) {
    return own;
  }
  const also = options.also === undefined ? undefined : await diagnosisAgainst([options.also], options);
  return also?.ok === false ? also : { ok: true, bodies: bodiesView(own.diagnosis, options, also?.diagnosis) };
}

/** A project as it is on the disk, against what is named; empty: its own choice. Wheels are read beforehand. */
export async function diagnosisAgainst(against: readonly string[], options: SideBySideOptions): Promise<{ readonly ok: true; readonly diagnosis: Diagnosis } | { readonly ok: false; readonly message: string }> {
  const { root, files, catalogue, environment, interpreter, rules } = options;
  const opened = new Map<string, InstalledBody>(options.opened);
  const workspace = new Workspace(root, files, {
    catalogue, environment, opened,
    ...(against.length === 0 ? {} : { against }),
    ...(interpreter === undefined ? {} : { interpreter }),
    ...(rules === undefined ? {} : { rules }),
  });
  const wheels = await openWheels(workspace.against(), options, options.remote);
  if (!wheels.ok) {
    return wheels;
  }
  for (const [spec, body] of wheels.opened) {
    opened.set(spec, body);
  }
  const problem = against.length === 0 ? undefined : workspace.environmentProblem();
  return problem === undefined ? { ok: true, diagnosis: workspace.diagnose() } : { ok: false, message: problem };
}
