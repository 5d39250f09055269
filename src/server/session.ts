import { TextDocuments } from "vscode-languageserver/node";
import type { Connection, InitializeParams } from "vscode-languageserver/node";
import { TextDocument } from "vscode-languageserver-textdocument";
import { loadCatalogue } from "../engine/catalogue/index.ts";
import type { Diagnosis } from "../engine/diagnosis/index.ts";
import { NodeFiles } from "../engine/files/index.ts";
import { abilitiesOf, optionsOf } from "./client.ts";
import type { ClientAbilities } from "./client.ts";
import type { Project } from "./project.ts";
import { ScanProgress } from "./progress.ts";
import { Projects } from "./projects.ts";
import { RememberingFiles } from "./rememberingFiles.ts";
import { readSettings } from "./settings.ts";
import { pathOf, uriOf } from "./uris.ts";

/** A document with the project that it belongs to, as both are now. */
export interface DocumentView {
  readonly path: string;
  readonly document: TextDocument;
  readonly project: Project;
  readonly diagnosis: Diagnosis;
}

/** Everything between `initialize` and `exit`: the client's abilities, its documents, folders and settings. */
export class Session {
  readonly connection: Connection;
  readonly client: ClientAbilities;
  readonly documents = new TextDocuments(TextDocument);
  readonly files: RememberingFiles;
  readonly projects: Projects;
  /** Environment variables that lead to environments. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly catalogue = loadCatalogue();
  readonly #uris = new Map<string, string>();
  readonly #selected: Readonly<Record<string, string>>;
  readonly #interpreters: Readonly<Record<string, string>>;
  #pushedSettings: unknown;
  #ready: Promise<void> = Promise.resolve();

  constructor(connection: Connection, params: InitializeParams, environment: Readonly<Record<string, string | undefined>>) {
    this.connection = connection;
    this.client = abilitiesOf(params);
    this.environment = environment;
    this.files = new RememberingFiles(new NodeFiles(), this.client.watchFiles);
    const options = optionsOf(params);
    this.#selected = byPath(options.selected);
    this.#interpreters = byPath(options.interpreters);
    this.#pushedSettings = options.settings;
    this.projects = new Projects({
      files: this.files,
      catalogue: this.catalogue,
      environment,
      beforeCheck: () => this.files.refresh(),
      progress: (root) => new ScanProgress(connection, root),
      log: (message) => connection.console.debug(message),
      info: (message) => connection.console.info(message),
      warn: (message) => connection.console.warn(message),
    });
    for (const uri of foldersOf(params)) {
      this.addFolder(uri);
    }
  }

  /** Settings are known; nothing may be diagnosed with defaults that the user has overridden. */
  get ready(): Promise<void> {
    return this.#ready;
  }

  addFolder(uri: string): void {
    const root = pathOf(uri);
    if (root !== undefined) {
      this.#prepare(this.projects.add(root));
    }
  }

  removeFolder(uri: string): void {
    const root = pathOf(uri);
    if (root !== undefined) {
      this.projects.remove(root);
    }
  }

  /** Keeps the unsaved text; a document outside every folder brings a project of its own. */
  documentChanged(document: TextDocument): void {
    const file = pathOf(document.uri);
    if (file === undefined) {
      return;
    }
    this.#uris.set(file, document.uri);
    const before = this.files.readText(file);
    this.files.set(file, document.getText());
    const { project, created } = this.projects.open(file);
    if (created) {
      this.#prepare(project);
      this.configure();
    }
    if (!before.ok && before.problem === "missing") {
      // Something may have looked for it in vain.
      this.projects.all.forEach((one) => one.invalidateAll());
    } else if (!before.ok || before.text !== this.#textOf(file)) {
      this.projects.invalidate(file);
    }
  }

  documentClosed(document: TextDocument): void {
    const file = pathOf(document.uri);
    if (file === undefined) {
      return;
    }
    this.#uris.delete(file);
    const before = this.#textOf(file);
    this.files.remove(file);
    if (before === undefined || before !== this.#textOf(file)) {
      this.projects.invalidate(file);
    }
    this.projects.prune(this.#uris.keys());
  }

  /** A path as the client spells it; its encoding of special characters may differ from ours. */
  uri(path: string): string {
    return this.#uris.get(path) ?? uriOf(path);
  }

  isOpen(path: string): boolean {
    return this.#uris.has(path);
  }

  /** Reads the settings of every project; `pushed` are those that came with a notification. */
  configure(pushed?: unknown): void {
    if (pushed !== undefined) {
      this.#pushedSettings = pushed;
    }
    this.#ready = this.#configureAll();
  }

  /**
   * undefined: no file, or in no project, or Abiding is switched off there. `how`: with the diagnosis of the text as it
   * is now, whatever that takes, or with a recent one.
   */
  async view(uri: string, how: "current" | "recent"): Promise<DocumentView | undefined> {
    const path = pathOf(uri);
    const document = this.documents.get(uri);
    const project = path === undefined ? undefined : this.projects.of(path);
    if (path === undefined || document === undefined || project === undefined || !project.settings.enable) {
      return undefined;
    }
    return { path, document, project, diagnosis: await (how === "current" ? project.current() : project.recent()) };
  }

  /** The project of a URI, or the first one. */
  projectFor(uri: string | undefined): Project | undefined {
    const path = uri === undefined ? undefined : pathOf(uri);
    return (path === undefined ? undefined : this.projects.of(path)) ?? this.projects.all[0];
  }

  #textOf(file: string): string | undefined {
    const read = this.files.readText(file);
    return read.ok ? read.text : undefined;
  }

  #prepare(project: Project): void {
    project.select(this.#selected[project.root]);
    project.setInterpreter(this.#interpreters[project.root]);
  }

  async #configureAll(): Promise<void> {
    const { all } = this.projects;
    const raw = await this.#rawSettings(all);
    all.forEach((project, index) => {
      const { settings, problems } = readSettings(raw[index]);
      for (const problem of problems) {
        this.connection.console.warn(problem);
      }
      project.configure(settings, problems);
    });
  }

  async #rawSettings(projects: readonly Project[]): Promise<readonly unknown[]> {
    if (!this.client.configuration || projects.length === 0) {
      return projects.map(() => this.#pushedSettings);
    }
    try {
      return await this.connection.workspace.getConfiguration(projects.map((project) => ({ scopeUri: uriOf(project.root), section: "abiding" }))) as unknown[];
    } catch (error) {
      this.connection.console.warn(`The client did not answer the question for settings, so defaults are used: ${String(error)}`);
      return projects.map(() => undefined);
    }
  }
}

function foldersOf(params: InitializeParams): string[] {
  if (params.workspaceFolders !== null && params.workspaceFolders !== undefined) {
    return params.workspaceFolders.map((folder) => folder.uri);
  }
  // Older clients know a single root only.
  return params.rootUri === null || params.rootUri === undefined ? [] : [params.rootUri];
}

function byPath(record: Readonly<Record<string, string>> | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(record ?? {}).flatMap(([uri, value]) => {
    const path = pathOf(uri);
    return path === undefined ? [] : [[path, value]];
  }));
}
