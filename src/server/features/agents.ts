/** What error texts mean, and what agents ask: the requests behind explanations and language-model tools. */
import { LSPErrorCodes, ResponseError } from "vscode-languageserver/node";
import type { CancellationToken } from "vscode-languageserver/node";
import { NodeFiles } from "../../engine/files/index.ts";
import type { Surroundings } from "../../engine/installed/index.ts";
import type { ExplainReport } from "../../engine/model/index.ts";
import type { ExplainParams, Requests, ToolAnswer, ToolParams } from "../../protocol/index.ts";
import type { Project } from "../project.ts";
import type { Answer } from "../server.ts";
import type { Session } from "../session.ts";
import { packageVersion } from "../shipped.ts";
import { pathOf } from "../uris.ts";
import { remoteOptions } from "./binary.ts";

export function registerAgents(session: Session, answer: Answer): void {
  const explain: keyof Requests = "abiding/explain";
  session.connection.onRequest(explain, (params: ExplainParams, token: CancellationToken) =>
    answer<ExplainReport | null>(explain, token, null, () => explanation(session, params, token)));
  const tool: keyof Requests = "abiding/tool";
  session.connection.onRequest(tool, (params: ToolParams, token: CancellationToken) =>
    answer<ToolAnswer | null>(tool, token, null, () => toolAnswer(session, params, token)));
}

/** Throws ResponseError with a sentence for people when the environment that was named cannot be had. */
async function explanation(session: Session, { text, root, against }: ExplainParams, token: CancellationToken): Promise<ExplainReport> {
  const { explained } = await import("../../tools/explaining.ts");
  const { project, where } = placeOf(session, root);
  const selected = project?.against;
  const answer = await explained(text, { ...(against === undefined ? {} : { against }), ...(selected === undefined ? {} : { selected }) }, where, remoteOptions(session, () => undefined, token));
  if (!answer.ok) {
    throw new ResponseError(LSPErrorCodes.RequestFailed, answer.message);
  }
  return answer.report;
}

async function toolAnswer(session: Session, { name, input, root }: ToolParams, token: CancellationToken): Promise<ToolAnswer> {
  const { callTool } = await import("../../tools/index.ts");
  const { project, where } = placeOf(session, root);
  const stop = new AbortController();
  token.onCancellationRequested(() => stop.abort());
  const against = project?.against;
  const result = await callTool(name, input, {
    where, remote: remoteOptions(session, () => undefined, token), signal: stop.signal, version: packageVersion(), tell: () => undefined,
    ...(against === undefined ? {} : { against }),
    // With the texts that are not saved yet.
    diagnosis: async (folder) => {
      const open = session.projects.at(folder);
      return open?.settings.enable === true ? open.current() : undefined;
    },
  });
  if (result === undefined) {
    throw new ResponseError(LSPErrorCodes.RequestFailed, `There is no tool "${name}".`);
  }
  return result.ok ? { text: JSON.stringify(result.json), failed: false } : { text: result.message, failed: true };
}

/** The project that a question is about, and where its environment is looked for. What was built or installed a moment ago counts. */
function placeOf(session: Session, uri: string | undefined): { readonly project: Project | undefined; readonly where: Surroundings } {
  const file = uri === undefined ? undefined : pathOf(uri);
  const project = file === undefined ? session.projectFor(undefined) : session.projects.at(file) ?? session.projects.of(file);
  const files = new NodeFiles();
  return {
    project,
    where: project === undefined ? { root: file ?? process.cwd(), files, catalogue: session.catalogue, environment: session.environment } : { ...project.surroundings, files },
  };
}
