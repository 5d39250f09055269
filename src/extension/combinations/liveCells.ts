import * as vscode from "vscode";
import type { CellEvent } from "../../workshop/combinations/types.ts";

/** A cell's event, of the project whose cell it is. */
export interface ToldEvent {
  readonly root: string;
  readonly event: CellEvent;
}

/** Cells that are being tried, whoever asked for it: the last event of each, until the run has ended. */
export class LiveCells implements vscode.Disposable {
  readonly #told = new vscode.EventEmitter<ToldEvent>();
  readonly #last = new Map<string, Map<string, CellEvent>>();

  readonly onDidTell = this.#told.event;

  tell(root: string, event: CellEvent): void {
    const cells = this.#last.get(root) ?? new Map<string, CellEvent>();
    this.#last.set(root, cells);
    cells.set(event.kind === "ended" ? event.result.cell.id : event.cell.id, event);
    this.#told.fire({ root, event });
  }

  /** For a page that was built anew in the middle of a run. */
  of(root: string): readonly CellEvent[] {
    return [...(this.#last.get(root)?.values() ?? [])];
  }

  /** The run has ended: what came of it is in the records. */
  clear(root: string): void {
    this.#last.delete(root);
  }

  dispose(): void {
    this.#told.dispose();
  }
}
