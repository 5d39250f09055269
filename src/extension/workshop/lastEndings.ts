import type * as vscode from "vscode";
import type { Ending, WorkKind } from "./work.ts";

const key = "abiding.lastEndings";

/** How the last piece of work of each kind ended in each project: a window that is loaded anew still shows it. */
export class LastEndings {
  readonly #state: vscode.Memento;
  readonly #all: Map<string, Ending>;
  readonly #ofThisWindow = new Set<string>();

  constructor(state: vscode.Memento) {
    this.#state = state;
    this.#all = new Map(state.get<readonly Ending[]>(key, []).map((one) => [keyOf(one.kind, one.root), one]));
  }

  get(kind: WorkKind, root: string): Ending | undefined {
    return this.#all.get(keyOf(kind, root));
  }

  /** Whether the terminal or the view that it printed to may still have it. */
  isOfThisWindow(kind: WorkKind, root: string): boolean {
    return this.#ofThisWindow.has(keyOf(kind, root));
  }

  set(ending: Ending): void {
    this.#ofThisWindow.add(keyOf(ending.kind, ending.root));
    this.#all.set(keyOf(ending.kind, ending.root), ending);
    // Nobody waits for it, and without it only the next window knows less.
    this.#state.update(key, [...this.#all.values()]).then(undefined, () => undefined);
  }
}

function keyOf(kind: WorkKind, root: string): string {
  return `${kind} ${root}`;
}
