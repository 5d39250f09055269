/** Abiding's own messages; see src/protocol. */
import * as path from "node:path";
import { LSPErrorCodes, ResponseError } from "vscode-languageserver/node";
import type { CancellationToken } from "vscode-languageserver/node";
import { isInside } from "../engine/files/index.ts";
import { describeEnvironment, findEnvironments, resolveAgainst } from "../engine/installed/index.ts";
import type { Surroundings } from "../engine/installed/index.ts";
import { valueOf } from "../engine/model/index.ts";
import type { InstalledBody } from "../engine/model/index.ts";
import { torchName } from "../engine/rules/support.ts";
import type { EnvironmentChoice, Notifications, Requests, Status } from "../protocol/index.ts";
import type { Publisher } from "./publisher.ts";
import type { Answer } from "./server.ts";
import type { Session } from "./session.ts";
import { reportOf } from "./status.ts";
import { pathOf } from "./uris.ts";

export function registerMessages(session: Session, publisher: Publisher, answer: Answer): void {
  const { connection } = session;
  const onRequest = <M extends keyof Requests>(method: M, otherwise: Requests[M]["result"], work: (params: Requests[M]["params"]) => Requests[M]["result"] | Promise<Requests[M]["result"]>): void => {
    connection.onRequest(method, (params: Requests[M]["params"], token: CancellationToken) => answer(method, token, otherwise, () => work(params)));
  };
  onRequest("abiding/status", null, ({ uri }) => {
    const project = session.projectFor(uri);
    return project === undefined ? null : publisher.status(project);
  });
  onRequest("abiding/environments", [], async ({ uri }) => {
    const project = session.projectFor(uri);
    const file = uri === undefined ? undefined : pathOf(uri);
    if (project === undefined && file === undefined) {
      return [];
    }
    const where = project?.surroundings ?? { root: path.dirname(file ?? ""), files: session.files, catalogue: session.catalogue, environment: session.environment };
    return environmentsOf(where, project === undefined ? [] : (await project.current()).installed);
  });
  onRequest("abiding/selectEnvironment", null, ({ uri, spec }) => {
    const project = session.projectFor(uri);
    if (project === undefined) {
      return null;
    }
    const answer = spec === undefined ? undefined : resolveAgainst(spec, project.surroundings);
    if (answer?.ok === false) {
      throw new ResponseError(LSPErrorCodes.RequestFailed, answer.message);
    }
    project.select(spec);
    publisher.refresh();
    return publisher.status(project);
  });
  onRequest("abiding/check", [], async () => {
    session.files.forget();
    const { all } = session.projects;
    all.forEach((project) => project.invalidateAll());
    const statuses: Status[] = [];
    for (const project of all) {
      statuses.push(await publisher.status(project));
    }
    publisher.refresh();
    return statuses;
  });
  onRequest("abiding/report", null, async ({ uri }) => {
    const project = session.projectFor(uri);
    return project === undefined ? null : { markdown: reportOf(project, await project.current()) };
  });
  const changed: keyof Notifications = "abiding/interpreterChanged";
  connection.onNotification(changed, ({ folder, interpreter }: Notifications["abiding/interpreterChanged"]) => {
    const root = pathOf(folder);
    const project = root === undefined ? undefined : session.projects.at(root);
    project?.setInterpreter(interpreter);
    publisher.refresh();
  });
}

/** Environments of the machine, those with a torch first, and what is checked against now. */
function environmentsOf(where: Surroundings, current: readonly InstalledBody[]): EnvironmentChoice[] {
  const found = findEnvironments(where).map((environment): EnvironmentChoice => {
    const body = describeEnvironment(environment.path, where.files, where.catalogue);
    const version = body === undefined ? undefined : valueOf(body.facts, "torch-version");
    const python = environment.pythonVersion === undefined ? "" : `, Python ${environment.pythonVersion}`;
    return {
      spec: environment.path,
      name: path.basename(environment.path),
      detail: `${version === undefined ? "no torch" : `torch ${version}`}${python}`,
      hasTorch: version !== undefined,
      selected: current.some((one) => one.prefix === environment.path),
    };
  });
  const named = current.filter((one) => !found.some((choice) => choice.spec === one.prefix)).map((one): EnvironmentChoice => ({
    spec: specOf(one), name: one.name, detail: one.source === "catalogue" ? "release in the catalogue" : torchName(one), hasTorch: true, selected: true,
  }));
  // An environment without torch is worth a line when it belongs to the project; the machine's others are not.
  const bare = found.filter((one) => !one.hasTorch && isInside(one.spec, where.root));
  return [...named, ...found.filter((one) => one.hasTorch), ...bare];
}

/** What selects this torch again. */
export function specOf(body: InstalledBody): string {
  const version = body.source === "catalogue" ? valueOf(body.facts, "torch-version") : undefined;
  return version === undefined ? body.prefix ?? body.torchRoot ?? body.name : `torch==${version}`;
}
