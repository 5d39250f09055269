import * as vscode from "vscode";

/** Whether something ended because its user wanted it to: who cancelled need not be told. */
export function isCancellation(error: unknown): boolean {
  return error instanceof vscode.CancellationError || (error instanceof Error && error.name === "AbortError");
}
