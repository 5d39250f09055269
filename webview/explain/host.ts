import type { ExplainHostMessage, ExplainPageMessage } from "../../src/protocol/explain.ts";

interface VsCodeApi {
  postMessage(message: ExplainPageMessage): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

const api = acquireVsCodeApi();

export function tell(message: ExplainPageMessage): void {
  api.postMessage(message);
}

/** Whether it is a message of the host: others may send theirs to the page too. */
export function isHostMessage(data: unknown): data is ExplainHostMessage {
  if (typeof data !== "object" || data === null) {
    return false;
  }
  const { type, message, view } = data as Readonly<Record<string, unknown>>;
  switch (type) {
    case "busy":
    case "failed":
      return typeof message === "string";
    case "view":
      return typeof view === "object" && view !== null;
    default:
      return type === "copied";
  }
}
