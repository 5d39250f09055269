import { homedir } from "node:os";
import { dirname, resolve } from "node:path";
import { isRuleName } from "../engine/rules/index.ts";
import { inSlices } from "../workshop/process/index.ts";
import { checkJson } from "./checkJson.ts";
import { CannotAnswer } from "./types.ts";
import type { ToolContext } from "./types.ts";
import { openWorkspace, subjectOf } from "./workspace.ts";

interface Input {
  readonly path?: string;
  readonly against?: readonly string[];
  readonly rules?: readonly string[];
  readonly targets?: readonly string[];
}

/**
 * The report of `abiding check`. What is known of each target can be tens of megabytes in a large project: bodies are those
 * of what is installed, and of the targets and built files that are named.
 */
export async function check({ path, against, rules, targets = [] }: Input, context: ToolContext): Promise<object> {
  const wrong = rules?.find((name) => !isRuleName(name));
  if (wrong !== undefined) {
    throw new CannotAnswer(`There is no rule "${wrong}". Leave "rules" out to have all.`);
  }
  const { root } = context.where;
  const asked = resolve(root, path ?? ".");
  // A file of a folder that is no project: what lies beside it is.
  const subject = subjectOf(asked, isNoProject(root) ? dirname(asked) : root);
  if (!subject.ok) {
    throw new CannotAnswer(subject.message);
  }
  if (isNoProject(subject.root)) {
    throw new CannotAnswer(`Name the project's folder as "path": all of ${subject.root} is no project.`);
  }
  const open = against === undefined && rules === undefined ? await context.diagnosis?.(subject.root) : undefined;
  const diagnosis = open ?? await read(subject.root, against ?? (context.against === undefined ? undefined : [context.against]), rules, context);
  const findings = subject.file === undefined ? diagnosis.findings : diagnosis.findings.filter((finding) => finding.location.path === subject.file);
  const report = checkJson({ diagnosis, findings });
  const bodies = report.bodies.filter(({ role, name }) => (role !== "declared" && role !== "built") || targets.includes(name));
  const rest = report.bodies.length - bodies.length;
  return { ...report, bodies, ...(rest === 0 ? {} : { leftOut: { bodies: rest } }) };
}

/** Servers are started in such a folder where an editor has none open; reading all of it takes minutes. */
function isNoProject(folder: string): boolean {
  return folder === dirname(folder) || folder === homedir();
}

async function read(folder: string, against: readonly string[] | undefined, only: readonly string[] | undefined, { where, remote, signal, tell }: ToolContext): Promise<Parameters<typeof checkJson>[0]["diagnosis"]> {
  tell(`Reading the build files of ${folder}`);
  const opened = await openWorkspace({ ...where, root: folder }, { ...(against === undefined ? {} : { against }), ...(only === undefined ? {} : { only }) }, remote);
  if (!opened.ok) {
    throw new CannotAnswer(opened.message);
  }
  return inSlices(opened.workspace.diagnoseInSteps(), signal);
}
