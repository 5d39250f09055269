/** Abiding's own messages; see src/protocol. */
import * as path from "node:path";
import { findEnvironments } from "../engine/installed/index.ts";
import type { EnvironmentChoice, Notifications, Requests } from "../protocol/index.ts";
import type { Project } from "./project.ts";
import type { Publisher } from "./publisher.ts";
import type { Answer } from "./server.ts";
import type { Session } from "./session.ts";
import { reportOf } from "./status.ts";
import { pathOf } from "./uris.ts";

export function registerMessages(session: Session, publisher: Publisher, answer: Answer): void {
  const { connection } = session;
  const onRequest = <M extends keyof Requests>(method: M, otherwise: Requests[M]["result"], work: (params: Requests[M]["params"]) => Requests[M]["result"]): void => {
    connection.onRequest(method, (params: Requests[M]["params"], token) => answer(method, token, otherwise, () => work(params)));
  };
  onRequest("abiding/status", null, ({ uri }) => {
    const project = session.projectFor(uri);
    return project === undefined ? null : publisher.status(project);
  });
  onRequest("abiding/environments", [], ({ uri }) => {
    const project = session.projectFor(uri);
    return project === undefined ? [] : environmentsOf(session, project);
  });
  onRequest("abiding/selectEnvironment", null, ({ uri, spec }) => {
    const project = session.projectFor(uri);
    if (project === undefined) {
      return null;
    }
    project.select(spec);
    publisher.refresh();
    return publisher.status(project);
  });
  onRequest("abiding/check", [], () => {
    const statuses = session.projects.all.map((project) => {
      project.invalidateAll();
      return publisher.status(project);
    });
    publisher.refresh();
    return statuses;
  });
  onRequest("abiding/report", null, ({ uri }) => {
    const project = session.projectFor(uri);
    return project === undefined ? null : { markdown: reportOf(project, project.diagnose()) };
  });
  const changed: keyof Notifications = "abiding/interpreterChanged";
  connection.onNotification(changed, ({ folder, interpreter }: Notifications["abiding/interpreterChanged"]) => {
    const root = pathOf(folder);
    const project = root === undefined ? undefined : session.projects.at(root);
    project?.setInterpreter(interpreter);
    publisher.refresh();
  });
}

function environmentsOf(session: Session, project: Project): EnvironmentChoice[] {
  return [];
}
