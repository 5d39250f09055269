import type { ExplainPageMessage } from "../../protocol/explain.ts";

/** A message of the page, looked at before it is believed; undefined for anything else. */
export function pageMessage(data: unknown): ExplainPageMessage | undefined {
  if (typeof data !== "object" || data === null) {
    return undefined;
  }
  const { type, text, verdict } = data as Readonly<Record<string, unknown>>;
  switch (type) {
    case "ready":
    case "compare":
    case "cancel":
    case "retry":
    case "close":
      return { type };
    case "copy":
    case "openRule":
      return typeof text === "string" ? { type, text } : undefined;
    case "showFile":
    case "showLines":
      return typeof verdict === "number" ? { type, verdict } : undefined;
    default:
      return undefined;
  }
}
