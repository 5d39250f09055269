/** What is declared, built, linked and installed, side by side: the request behind the panel. */
import { LSPErrorCodes, ResponseError } from "vscode-languageserver/node";
import type { CancellationToken } from "vscode-languageserver/node";
import { bodiesView, diagnosisAgainst } from "../../engine/diagnosis/index.ts";
import type { BodiesView } from "../../engine/model/index.ts";
import type { BodiesParams, Requests } from "../../protocol/index.ts";
import type { Project } from "../project.ts";
import type { Answer } from "../server.ts";
import type { Session } from "../session.ts";
import { remoteOptions } from "./binary.ts";

export function registerBodies(session: Session, answer: Answer): void {
  const bodies: keyof Requests = "abiding/bodies";
  session.connection.onRequest(bodies, (params: BodiesParams, token: CancellationToken) =>
    answer<BodiesView | null>(bodies, token, null, () => bodiesOf(session, params, token)));
}

/** Throws ResponseError with a sentence for people when the other environment cannot be had. */
async function bodiesOf(session: Session, { uri, root, also }: BodiesParams, token: CancellationToken): Promise<BodiesView | null> {
  const project = root === undefined ? session.projectFor(uri) : session.projects.at(root);
  if (project === undefined) {
    return null;
  }
  const diagnosis = await project.current();
  return token.isCancellationRequested ? null : bodiesView(diagnosis, project.surroundings, also === undefined ? undefined : await against(also, session, project, token));
}

async function against(also: string, session: Session, project: Project, token: CancellationToken): Promise<Parameters<typeof bodiesView>[2]> {
  const other = await diagnosisAgainst([also], { ...project.surroundings, rules: new Map(Object.entries(project.settings.rules)), remote: remoteOptions(session, () => undefined, token) });
  if (!other.ok) {
    throw new ResponseError(LSPErrorCodes.RequestFailed, other.message);
  }
  return other.diagnosis;
}
