import * as vscode from "vscode";

/** As much of the API of ms-python.python as is used; see its `PythonExtension` type. */
interface PythonApi {
  readonly environments: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { readonly path: string };
    readonly onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
  };
}

/** As much of the API of ms-python.vscode-python-envs as is used. */
interface PythonEnvironmentsApi {
  getEnvironment(scope: vscode.Uri | undefined): Promise<{ readonly environmentPath: vscode.Uri } | undefined>;
  readonly onDidChangeEnvironment: vscode.Event<unknown>;
}

/**
 * The interpreter that the editor's Python support uses per folder. Asked only in a trusted workspace: those
 * extensions may start processes to answer.
 */
export class Interpreters implements vscode.Disposable {
  readonly #log: vscode.LogOutputChannel;
  readonly #onChange: (folder: string, interpreter: string | undefined) => void;
  readonly #disposables: vscode.Disposable[] = [];
  #known: Record<string, string> = {};
  #watching = false;

  constructor(log: vscode.LogOutputChannel, onChange: (folder: string, interpreter: string | undefined) => void) {
    this.#log = log;
    this.#onChange = onChange;
  }

  /** By folder URI. */
  get known(): Readonly<Record<string, string>> {
    return this.#known;
  }

  /** Asks now, or when the workspace becomes trusted, and from then on follows changes. */
  watch(): void {
    if (this.#watching) {
      return;
    }
    this.#watching = true;
    const connect = (): void => void this.#connect().catch((error: unknown) => this.#log.warn(`The Python extension could not be asked for its interpreter: ${String(error)}`));
    if (vscode.workspace.isTrusted) {
      connect();
    } else {
      this.#disposables.push(vscode.workspace.onDidGrantWorkspaceTrust(connect));
    }
  }

  dispose(): void {
    this.#disposables.forEach((one) => void one.dispose());
  }

  async #connect(): Promise<void> {
    const ask = await this.#environmentsExtension() ?? await this.#pythonExtension();
    if (ask === undefined) {
      return;
    }
    const update = async (): Promise<void> => {
      for (const folder of vscode.workspace.workspaceFolders ?? []) {
        this.#set(folder.uri.toString(), await ask.path(folder.uri));
      }
    };
    const again = (): void => void update().catch((error: unknown) => this.#log.warn(`The interpreter could not be read: ${String(error)}`));
    this.#disposables.push(ask.onChange(again), vscode.workspace.onDidChangeWorkspaceFolders(again));
    await update();
  }

  #set(folder: string, interpreter: string | undefined): void {
    if (this.#known[folder] === interpreter) {
      return;
    }
    const others = Object.entries(this.#known).filter(([name]) => name !== folder);
    this.#known = Object.fromEntries(interpreter === undefined ? others : [...others, [folder, interpreter]]);
    this.#onChange(folder, interpreter);
  }

  async #environmentsExtension(): Promise<Asker | undefined> {
    const extension = vscode.extensions.getExtension<PythonEnvironmentsApi>("ms-python.vscode-python-envs");
    if (extension === undefined || !vscode.workspace.getConfiguration("python").get<boolean>("useEnvironmentsExtension", false)) {
      return undefined;
    }
    const api = extension.isActive ? extension.exports : await extension.activate();
    return {
      path: async (folder) => (await api.getEnvironment(folder))?.environmentPath.fsPath,
      onChange: (listener) => api.onDidChangeEnvironment(listener),
    };
  }

  async #pythonExtension(): Promise<Asker | undefined> {
    const extension = vscode.extensions.getExtension<PythonApi>("ms-python.python");
    if (extension === undefined) {
      return undefined;
    }
    const api = extension.isActive ? extension.exports : await extension.activate();
    return {
      path: (folder) => Promise.resolve(api.environments.getActiveEnvironmentPath(folder).path),
      onChange: (listener) => api.environments.onDidChangeActiveEnvironmentPath(listener),
    };
  }
}

interface Asker {
  path(folder: vscode.Uri): Promise<string | undefined>;
  onChange(listener: () => void): vscode.Disposable;
}
