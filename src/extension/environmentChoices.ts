import type * as vscode from "vscode";

const key = "abiding.selectedEnvironments";

/** What the user selected per folder: paths of this machine, so they stay out of files that are shared. */
export class EnvironmentChoices {
  readonly #state: vscode.Memento;

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  /** By folder URI, as the server wants it. */
  get all(): Readonly<Record<string, string>> {
    return this.#state.get<Record<string, string>>(key, {});
  }

  async set(folder: string, spec: string | undefined): Promise<void> {
    const others = Object.entries(this.all).filter(([name]) => name !== folder);
    await this.#state.update(key, Object.fromEntries(spec === undefined ? others : [...others, [folder, spec]]));
  }
}
