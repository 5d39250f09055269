/** How results reach the client: reports that are pulled, diagnostics that are pushed, refreshes, and the status. */
import { createHash } from "node:crypto";
import { DocumentDiagnosticReportKind } from "vscode-languageserver/node";
import type { Diagnostic, DocumentDiagnosticReport, PreviousResultId, WorkspaceDocumentDiagnosticReport } from "vscode-languageserver/node";
import type { Diagnosis } from "../engine/diagnosis/index.ts";
import type { Notifications, Status } from "../protocol/index.ts";
import { diagnosticsByPath } from "./features/diagnostics.ts";
import type { DiagnosticOptions } from "./features/diagnostics.ts";
import type { Project } from "./project.ts";
import type { DocumentView, Session } from "./session.ts";
import { statusOf, statusOff } from "./status.ts";
import { pathOf } from "./uris.ts";

interface Items {
  readonly items: Diagnostic[];
  readonly resultId: string;
}

const none: Items = { items: [], resultId: "none" };

export class Publisher {
  readonly #session: Session;
  readonly #options: DiagnosticOptions;
  readonly #cache = new WeakMap<Diagnosis, Map<string, Items>>();
  readonly #pushed = new Map<string, string>();
  readonly #statuses = new Map<string, string>();
  readonly #renewing = new Set<Project>();
  #pushPending = false;

  constructor(session: Session) {
    this.#session = session;
    this.#options = {
      relatedInformation: session.client.relatedInformation,
      codeDescription: session.client.codeDescription,
      tags: session.client.diagnosticTags,
      uri: (path) => session.uri(path),
    };
  }

  /** The answer to a pull for one document. */
  async document(uri: string, previous: string | undefined): Promise<DocumentDiagnosticReport> {
    const path = pathOf(uri);
    const project = path === undefined ? undefined : this.#session.projects.of(path);
    const found = path === undefined || project === undefined ? none : (await this.#of(project)).get(path) ?? none;
    return found.resultId === previous
      ? { kind: DocumentDiagnosticReportKind.Unchanged, resultId: found.resultId }
      : { kind: DocumentDiagnosticReportKind.Full, resultId: found.resultId, items: found.items };
  }

  /** The answer to a pull for the workspace: what changed since the results that the client holds. */
  async workspace(previous: readonly PreviousResultId[]): Promise<WorkspaceDocumentDiagnosticReport[]> {
    const held = new Map(previous.flatMap(({ uri, value }) => {
      const path = pathOf(uri);
      return path === undefined ? [] : [[path, { uri, value }]];
    }));
    const reports: WorkspaceDocumentDiagnosticReport[] = [];
    const add = (path: string, found: Items): void => {
      const before = held.get(path);
      const uri = before?.uri ?? this.#session.uri(path);
      const version = this.#session.documents.get(uri)?.version ?? null;
      if (before?.value === found.resultId) {
        reports.push({ kind: DocumentDiagnosticReportKind.Unchanged, uri, version, resultId: found.resultId });
      } else {
        reports.push({ kind: DocumentDiagnosticReportKind.Full, uri, version, resultId: found.resultId, items: found.items });
      }
    };
    const current = await this.#everything();
    for (const [path, found] of current) {
      add(path, found);
    }
    for (const [path, { value }] of held) {
      if (!current.has(path) && value !== none.resultId) {
        add(path, none);
      }
    }
    return reports;
  }

  /** Something changed that the client cannot know of. */
  refresh(): void {
    const { connection, client } = this.#session;
    if (client.pullDiagnostics && client.refreshDiagnostics) {
      this.#tolerate(connection.languages.diagnostics.refresh());
    }
    this.#refreshDecorations();
    this.schedulePush();
  }

  /** Hints or lenses were answered from an older diagnosis: has them asked for again when there is a new one. */
  renewDecorations({ project }: DocumentView): void {
    if (!project.isBusy || this.#renewing.has(project)) {
      return;
    }
    this.#renewing.add(project);
    project.current().then(() => this.#refreshDecorations()).catch(() => undefined).finally(() => this.#renewing.delete(project));
  }

  /** Pushes what changed, once for a burst of changes; does nothing for clients that pull. */
  schedulePush(): void {
    if (this.#session.client.pullDiagnostics || this.#pushPending) {
      return;
    }
    this.#pushPending = true;
    setImmediate(() => {
      void this.#session.ready.then(() => {
        this.#pushPending = false;
        return this.#push();
      }).catch((error: unknown) => this.#session.connection.console.error(`Diagnostics could not be published: ${String(error)}`));
    });
  }

  /** The status of a project; the client is told when it is another than before. */
  async status(project: Project): Promise<Status> {
    const status = project.settings.enable ? statusOf(project, await project.current()) : statusOff(project);
    this.#tell(status);
    return status;
  }

  async #of(project: Project): Promise<Map<string, Items>> {
    if (!project.settings.enable) {
      this.#tell(statusOff(project));
      return new Map();
    }
    const diagnosis = await project.current();
    let byPath = this.#cache.get(diagnosis);
    if (byPath === undefined) {
      byPath = new Map();
      for (const [path, items] of diagnosticsByPath(diagnosis, this.#options)) {
        byPath.set(path, { items, resultId: createHash("sha1").update(JSON.stringify(items)).digest("base64") });
      }
      this.#cache.set(diagnosis, byPath);
      this.#tell(statusOf(project, diagnosis));
    }
    return byPath;
  }

  async #everything(): Promise<Map<string, Items>> {
    const all = new Map<string, Items>();
    for (const project of this.#session.projects.all) {
      for (const [path, found] of await this.#of(project)) {
        // A nested folder reports its own files; a file outside every folder is reported by the first that reads it.
        const owner = this.#session.projects.of(path);
        if (!all.has(path) && (owner === undefined || owner === project)) {
          all.set(path, found);
        }
      }
    }
    return all;
  }

  async #push(): Promise<void> {
    const current = await this.#everything();
    const send = (path: string, items: Diagnostic[]): void => {
      const uri = this.#session.uri(path);
      const version = this.#session.documents.get(uri)?.version;
      this.#tolerate(this.#session.connection.sendDiagnostics({ uri, diagnostics: items, ...(version === undefined ? {} : { version }) }));
    };
    for (const [path, { items, resultId }] of current) {
      if (this.#pushed.get(path) !== resultId) {
        this.#pushed.set(path, resultId);
        send(path, items);
      }
    }
    for (const path of [...this.#pushed.keys()]) {
      if (!current.has(path)) {
        this.#pushed.delete(path);
        send(path, []);
      }
    }
  }

  #tell(status: Status): void {
    const text = JSON.stringify(status);
    const before = this.#statuses.get(status.folder);
    if (before !== text) {
      this.#statuses.set(status.folder, text);
      const method: keyof Notifications = "abiding/statusChanged";
      this.#tolerate(this.#session.connection.sendNotification(method, status));
      if (before !== undefined) {
        this.#refreshDecorations();
      }
    }
  }

  #refreshDecorations(): void {
    const { connection, client } = this.#session;
    if (client.refreshInlayHints) {
      this.#tolerate(connection.languages.inlayHint.refresh());
    }
    if (client.refreshCodeLenses) {
      this.#tolerate(connection.sendRequest("workspace/codeLens/refresh"));
    }
  }

  /** A client that is going away answers nothing; that is no error of ours. */
  #tolerate(sent: Promise<unknown>): void {
    sent.catch((error: unknown) => this.#session.connection.console.debug(`The client did not take a message: ${String(error)}`));
  }
}
