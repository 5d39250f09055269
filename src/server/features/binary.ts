/** What a shared library or a wheel is, needs, and whether it would load: the request behind the editor for binaries. */
import * as path from "node:path";
import { LSPErrorCodes, ResponseError } from "vscode-languageserver/node";
import type { CancellationToken } from "vscode-languageserver/node";
import { RangeCache, userCacheFolder } from "../../engine/binaries/remote/index.ts";
import type { RemoteOptions } from "../../engine/binaries/remote/index.ts";
import { examine, inspectReport, judge, ofBody, openEnvironment, targetOf, verdictHeadline } from "../../engine/diagnosis/index.ts";
import type { Examined } from "../../engine/diagnosis/index.ts";
import { NodeFiles } from "../../engine/files/index.ts";
import type { FitEnvironment } from "../../engine/fit/index.ts";
import { describeEnvironment } from "../../engine/installed/index.ts";
import type { Surroundings } from "../../engine/installed/index.ts";
import type { Files, FitReport } from "../../engine/model/index.ts";
import type { BinaryParams, BinaryView, Requests } from "../../protocol/index.ts";
import { specOf } from "../messages.ts";
import type { Answer } from "../server.ts";
import type { Session } from "../session.ts";
import { inSlices } from "../slices.ts";
import { torchStatus } from "../status.ts";
import { pathOf } from "../uris.ts";
import { binaryMarkdown } from "./binaryMarkdown.ts";
import { teller } from "./binaryProgress.ts";
import { librariesOf } from "./binarySymbols.ts";

export function registerBinaries(session: Session, answer: Answer): void {
  const { connection } = session;
  const binary: keyof Requests = "abiding/binary";
  connection.onRequest(binary, (params: BinaryParams, token: CancellationToken) =>
    answer<BinaryView | null>(binary, token, null, () => binaryView(session, params, token)));
  const releases: keyof Requests = "abiding/releases";
  connection.onRequest(releases, () => session.catalogue.torchReleases.map((one) => one.version).toReversed());
}

/** Reads the file and compares it. Throws ResponseError with a sentence for people when the file cannot be read. */
async function binaryView(session: Session, params: BinaryParams, token: CancellationToken): Promise<BinaryView | null> {
  const file = pathOf(params.uri);
  if (file === undefined) {
    throw new ResponseError(LSPErrorCodes.RequestFailed, "Only files on the machine where the language server runs can be read.");
  }
  // What the session's files remember belongs to projects; a file that is looked at may lie anywhere and have just been linked.
  const files = new NodeFiles();
  const tell = teller(session.connection, params.question, token);
  const remote = remoteOptions(session, tell, token);
  const answer = await examine(file, { files, root: path.dirname(file), remote, progress: tell });
  if (!answer.ok) {
    throw new ResponseError(LSPErrorCodes.RequestFailed, answer.message);
  }
  const { examined } = answer;
  try {
    const environment = await environmentFor(session, file, params.against, files, (spec, where) => openEnvironment(spec, where, remote, targetOf(examined)));
    if (token.isCancellationRequested) {
      return null;
    }
    const isWanted = (): boolean => !token.isCancellationRequested;
    const fits = environment.ok ? await inSlices(judge(examined, environment.environment, { catalogue: session.catalogue, files }), isWanted) : undefined;
    if (!isWanted()) {
      return null;
    }
    return await viewOf(examined, fits, environment, token);
  } finally {
    examined.dispose();
  }
}

export type Found = { readonly ok: true; readonly environment: FitEnvironment } | { readonly ok: false; readonly message: string };

async function viewOf(examined: Examined, fits: FitReport | undefined, environment: Found, token: CancellationToken): Promise<BinaryView | null> {
  const listed = await inSlices(librariesOf(examined, fits), () => !token.isCancellationRequested);
  if (listed === undefined) {
    return null;
  }
  const against = environment.ok ? torchStatus(environment.environment.body) : undefined;
  const view: Omit<BinaryView, "markdown"> = {
    headline: fits === undefined ? "Not compared: no torch to compare with." : verdictHeadline(fits.verdict, `torch ${against?.version ?? "of unknown version"}`),
    inspect: inspectReport(examined),
    libraries: listed.libraries,
    symbolsLeftOut: listed.leftOut,
    ...(fits === undefined ? {} : { fits }),
    ...(against === undefined ? {} : { against }),
    ...(environment.ok ? {} : { problem: environment.message }),
  };
  return { ...view, markdown: binaryMarkdown(view) };
}

/** What was named; else what the project around the file is checked against; else the torch beside which the file is installed. */
async function environmentFor(session: Session, file: string, against: string | undefined, files: Files, open: (spec: string | undefined, where: Surroundings) => Promise<Found>): Promise<Found> {
  const project = session.projects.of(file) ?? (inEnvironment(file) === undefined ? session.projects.all[0] : undefined);
  const where: Surroundings = project === undefined
    ? { root: path.dirname(file), files, catalogue: session.catalogue, environment: session.environment }
    : { ...project.surroundings, files };
  const named = against ?? project?.against;
  if (named !== undefined) {
    return open(named, where);
  }
  const prefix = inEnvironment(file);
  const around = project !== undefined || prefix === undefined ? undefined : describeEnvironment(prefix, files, session.catalogue);
  const [installed] = around?.torchRoot !== undefined ? [around] : project?.settings.enable === true ? (await project.recent()).installed : [];
  if (installed?.source === "catalogue") {
    return open(specOf(installed), where);
  }
  const found = installed === undefined ? await open(undefined, where) : { ok: true as const, environment: ofBody(installed, where) };
  return found.ok ? found : { ok: false, message: "No torch was found to compare with: not in a virtual environment around this folder, not in the active one, not with the Python on PATH." };
}

/** The prefix of the environment that a file is installed in, as far as its path tells. */
function inEnvironment(file: string): string | undefined {
  return /^(.+)[\\/]lib(?:64)?[\\/]python3[^\\/]*[\\/]site-packages[\\/]/.exec(file)?.[1];
}

export function remoteOptions({ environment }: Session, tell: (what: string) => void, token: CancellationToken): RemoteOptions {
  const controller = new AbortController();
  token.onCancellationRequested(() => controller.abort());
  return {
    signal: controller.signal,
    cache: new RangeCache(userCacheFolder(environment)),
    progress: (bytes, what) => tell(`${(bytes / 1e6).toFixed(1)} MB of ${what}`),
  };
}
