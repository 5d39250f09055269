import { checkJson } from "../../tools/checkJson.ts";
import { jsonText } from "./jsonText.ts";
import type { Report } from "./report.ts";

/** The report of docs/schema/check.schema.json. */
export function jsonReport(report: Report): string {
  return jsonText(checkJson(report));
}
