import * as vscode from "vscode";
import type { Requests } from "../../protocol/index.ts";
import { CannotDo } from "../../workshop/workshop.ts";
import type { Diagnostician, ExaminedFile, Examination } from "../../workshop/workshop.ts";
import type { Server } from "../server.ts";

/** What the engine knows, asked of the language server: it has the unsaved texts and the environment that the user selected. */
export class ServerDiagnostician implements Diagnostician {
  readonly #server: Server;

  constructor(server: Server) {
    this.#server = server;
  }

  check(root: string, against: readonly string[], signal: AbortSignal, buildFolder?: string): Promise<Examination> {
    const folder = buildFolder === undefined ? {} : { buildFolder: vscode.Uri.file(buildFolder).toString() };
    return this.#ask("abiding/examination", { root: vscode.Uri.file(root).toString(), against, ...folder }, signal);
  }

  examine(root: string, files: readonly string[], against: readonly string[], signal: AbortSignal): Promise<readonly ExaminedFile[]> {
    return this.#ask("abiding/builtFiles", { root: vscode.Uri.file(root).toString(), against, files }, signal);
  }

  /** A Python without a torch, which cannot be compared with, is no reason to say nothing of a failure. */
  async explain(root: string, text: string, [against]: readonly string[], signal: AbortSignal): ReturnType<Diagnostician["explain"]> {
    const params = { root: vscode.Uri.file(root).toString(), text };
    return against === undefined ? this.#ask("abiding/explain", params, signal) : this.#ask("abiding/explain", { ...params, against }, signal).catch((error: unknown) => {
      if (error instanceof CannotDo) {
        return this.#ask("abiding/explain", params, signal);
      }
      throw error;
    });
  }

  async #ask<M extends keyof Requests>(method: M, params: Requests[M]["params"], signal: AbortSignal): Promise<NonNullable<Requests[M]["result"]>> {
    signal.throwIfAborted();
    const source = new vscode.CancellationTokenSource();
    const stop = (): void => source.cancel();
    signal.addEventListener("abort", stop, { once: true });
    try {
      const answer = await this.#server.request(method, params, source.token);
      if (answer === null || answer === undefined) {
        throw new Error(vscode.l10n.t("the language server did not answer; its log says why."));
      }
      return answer;
    } catch (error) {
      signal.throwIfAborted();
      throw isRefusal(error) ? new CannotDo(error.message) : error;
    } finally {
      signal.removeEventListener("abort", stop);
      source.dispose();
    }
  }
}

/** LSP's RequestFailed: what was asked for makes no sense as it stands, and the message says why. */
function isRefusal(error: unknown): error is Error {
  return error instanceof Error && "code" in error && error.code === -32803;
}
