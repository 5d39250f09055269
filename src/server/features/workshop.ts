/** What a build wants to know before it starts and after it: the port of the workshop to the engine, inside an editor. */
import { LSPErrorCodes, ResponseError } from "vscode-languageserver/node";
import type { CancellationToken } from "vscode-languageserver/node";
import { compared, comparedTorch, examine, judge, notCompared, ofBody, openEnvironment, targetOf, together, Workspace } from "../../engine/diagnosis/index.ts";
import type { Diagnosis, Examined } from "../../engine/diagnosis/index.ts";
import { NodeFiles } from "../../engine/files/index.ts";
import type { Surroundings } from "../../engine/installed/index.ts";
import type { ExaminedFile, InstalledBody } from "../../engine/model/index.ts";
import type { ExaminationParams, LibraryPlace, ProjectExamination, Requests } from "../../protocol/index.ts";
import { specOf } from "../messages.ts";
import type { Answer } from "../server.ts";
import type { Session } from "../session.ts";
import { inSlices } from "../slices.ts";
import { pathOf } from "../uris.ts";
import { remoteOptions } from "./binary.ts";
import type { Found } from "./binary.ts";

export function registerWorkshop(session: Session, answer: Answer): void {
  const { connection } = session;
  const examination: keyof Requests = "abiding/examination";
  connection.onRequest(examination, (params: ExaminationParams, token: CancellationToken) =>
    answer<ProjectExamination | null>(examination, token, null, async () => {
      const root = rootOf(params);
      const diagnosis = await diagnose(session, root, params, token);
      const { interpreter, files } = surroundingsOf(session, root);
      return {
        findings: diagnosis.findings,
        against: diagnosis.installed.map((body) => comparedTorch(body, interpreter, files)),
        notChecked: diagnosis.notChecked,
      };
    }));
  const builtFiles: keyof Requests = "abiding/builtFiles";
  connection.onRequest(builtFiles, (params: Requests[typeof builtFiles]["params"], token: CancellationToken) =>
    answer<readonly ExaminedFile[] | null>(builtFiles, token, null, () => verdicts(session, params, token)));
  const libraries: keyof Requests = "abiding/libraries";
  connection.onRequest(libraries, ({ uri }: Requests[typeof libraries]["params"], token: CancellationToken) =>
    answer<readonly LibraryPlace[]>(libraries, token, [], async () => {
      const view = await session.view(uri, "recent");
      return view === undefined ? [] : librariesIn(view.path, view.diagnosis);
    }));
}

function rootOf({ root }: ExaminationParams): string {
  const folder = pathOf(root);
  if (folder === undefined) {
    throw new ResponseError(LSPErrorCodes.RequestFailed, "Only folders on the machine where the language server runs can be built.");
  }
  return folder;
}

/**
 * The open project with its unsaved texts and its choice of environment; any other folder is read from the disk. What CMake has
 * just written is read anew: the news of it may still be on its way.
 */
async function diagnose(session: Session, root: string, { against: named, buildFolder: uri }: ExaminationParams, token: CancellationToken): Promise<Diagnosis> {
  const project = session.projects.at(root);
  const buildFolder = uri === undefined ? undefined : pathOf(uri);
  const against = named.length > 0 || project?.against === undefined || buildFolder === undefined ? named : [project.against];
  if (project !== undefined && against.length === 0 && buildFolder === undefined) {
    const diagnosis = await project.current();
    refuse(project.against === undefined ? undefined : project.environmentProblem);
    return diagnosis;
  }
  const where = surroundingsOf(session, root);
  const workspace = new Workspace(root, where.files, {
    catalogue: where.catalogue, environment: where.environment,
    ...(project === undefined ? {} : { rules: new Map(Object.entries(project.settings.rules)) }),
    ...(against.length === 0 ? {} : { against }),
    ...(buildFolder === undefined ? {} : { buildFolder }),
    ...(where.interpreter === undefined ? {} : { interpreter: where.interpreter }),
  });
  refuse(against.length === 0 ? undefined : workspace.environmentProblem());
  const diagnosis = await inSlices(workspace.diagnoseInSteps(), () => !token.isCancellationRequested);
  if (diagnosis === undefined) {
    throw new ResponseError(LSPErrorCodes.RequestCancelled, "The examination was cancelled.");
  }
  return diagnosis;
}

/** A build for an environment that is not there would be a build for another one. */
function refuse(problem: string | undefined): void {
  if (problem !== undefined) {
    throw new ResponseError(LSPErrorCodes.RequestFailed, problem);
  }
}

function surroundingsOf(session: Session, root: string): Surroundings {
  // A build changes files that the session's own files may still remember.
  const files = new NodeFiles();
  return { ...(session.projects.at(root)?.surroundings ?? { root, catalogue: session.catalogue, environment: session.environment }), files };
}

type Opener = (examined: Examined) => Promise<Found>;

async function verdicts(session: Session, params: Requests["abiding/builtFiles"]["params"], token: CancellationToken): Promise<readonly ExaminedFile[] | null> {
  const root = rootOf(params);
  const where = surroundingsOf(session, root);
  const remote = remoteOptions(session, () => undefined, token);
  const named = (spec: string | undefined): Opener => (examined) => openEnvironment(spec, where, remote, targetOf(examined));
  const openers = params.against.length > 0 ? params.against.map(named) : openersOf((await diagnose(session, root, { root: params.root, against: [] }, token)).installed, where, named);
  const answers: ExaminedFile[] = [];
  for (const file of params.files) {
    if (token.isCancellationRequested) {
      return null;
    }
    const answer = await examine(file, { files: where.files, root, remote });
    if (!answer.ok) {
      answers.push({ file, verdict: "unknown", headline: answer.message, findings: [] });
      continue;
    }
    try {
      const said: ExaminedFile[] = [];
      for (const open of openers) {
        said.push(await compare(answer.examined, await open(answer.examined), where, token));
      }
      answers.push(together(file, said));
    } finally {
      answer.examined.dispose();
    }
  }
  return answers;
}

function openersOf(installed: readonly InstalledBody[], where: Surroundings, named: (spec: string | undefined) => Opener): readonly Opener[] {
  if (installed.length === 0) {
    return [() => Promise.resolve({ ok: false, message: "no torch was found for this project." })];
  }
  return installed.map((body): Opener => (body.source === "catalogue" ? named(specOf(body)) : () => Promise.resolve({ ok: true, environment: ofBody(body, where) })));
}

async function compare(examined: Examined, found: Found, where: Surroundings, token: CancellationToken): Promise<ExaminedFile> {
  if (!found.ok) {
    return notCompared(examined, found.message);
  }
  const report = await inSlices(judge(examined, found.environment, { catalogue: where.catalogue, files: where.files }), () => !token.isCancellationRequested);
  return report === undefined ? notCompared(examined, "cancelled.") : compared(examined, report);
}

const loadable: readonly string[] = ["module", "shared", "extension"];

/** What others load; executables and static parts are built on their way. A kind that cannot be told is listed where it meets torch. */
function librariesIn(file: string, { declared }: Diagnosis): LibraryPlace[] {
  return declared.flatMap(({ target }) => (target.location.path === file && (loadable.includes(target.kind) || (target.kind === "unknown" && target.usesTorch === true))
    ? [{ name: target.name, builder: target.builder, range: target.location.range }]
    : []));
}
