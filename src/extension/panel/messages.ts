import * as path from "node:path";
import type { PanelPageMessage, WorkKind } from "../../protocol/panel.ts";
import type { CombinationArgument } from "../combinations/settings.ts";

const plain = ["selectEnvironment", "refresh", "refreshIndexes", "openRecords", "openDocumentation", "editMatrix", "manageTrust"] as const;
const ofWork = ["start", "cancel", "showLog"] as const;
const ofTorch = ["copyInstallLine", "tryIt", "bisectFrom", "rollPins", "predict"] as const;

/** The kinds of work of the header strip, in its order. */
export const workKinds: readonly WorkKind[] = ["build", "smoke", "benchmark", "libtorch", "combinations", "bisect", "predict"];

/** What a command about a cell is given: whatever it does, where the cell's records have their torch from goes before the project's own indexes. */
export function cellArgument(root: string, { torch, records }: Extract<PanelPageMessage, { readonly torch: string }>): CombinationArgument {
  return { root, ...(torch === "" ? {} : { torch, like: records }) };
}

type Fields = Readonly<Record<string, unknown>>;

/** A message of the page, looked at before it is believed; undefined for anything else. */
export function panelMessage(data: unknown): PanelPageMessage | undefined {
  if (!isObject(data)) {
    return undefined;
  }
  const { type } = data;
  switch (type) {
    case "ready":
      return { type, ...optional(data, "root"), ...optional(data, "also"), ...optional(data, "baseline") };
    case "selectProject":
      return typeof data["root"] === "string" ? { type, root: data["root"] } : undefined;
    case "openLocation": {
      const location = locationOf(data["location"]);
      return location === undefined ? undefined : { type, location };
    }
    case "applyFix":
      return fixOf(data);
    case "openRule":
      return typeof data["rule"] === "string" ? { type, rule: data["rule"] } : undefined;
    case "compareAlso":
      return { type, ...(data["remove"] === true ? { remove: true } : {}) };
    case "openCell":
      return ofRecords(data, (torch, records) => ({ type, torch, records }));
    case "openLog":
      return typeof data["record"] === "string" ? { type, record: data["record"] } : undefined;
    case "copy":
      return typeof data["text"] === "string" && typeof data["what"] === "string" ? { type, text: data["text"], what: data["what"] } : undefined;
    case "chooseBaseline":
      return typeof data["baseline"] === "string" ? { type, baseline: data["baseline"] } : undefined;
  }
  const known = plain.find((one) => one === type);
  if (known !== undefined) {
    return { type: known };
  }
  const work = workKinds.find((one) => one === data["work"]);
  const asked = ofWork.find((one) => one === type);
  if (asked !== undefined) {
    return work === undefined ? undefined : { type: asked, work };
  }
  const wanted = ofTorch.find((one) => one === type);
  return wanted === undefined ? undefined : ofRecords(data, (torch, records) => ({ type: wanted, torch, records }));
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function optional<N extends string>(data: Fields, name: N): Partial<Record<N, string>> {
  const value = data[name];
  return typeof value === "string" ? ({ [name]: value } as Record<N, string>) : {};
}

function ofRecords(data: Fields, make: (torch: string, records: readonly string[]) => PanelPageMessage): PanelPageMessage | undefined {
  const { torch, records } = data;
  return typeof torch === "string" && Array.isArray(records) && records.every((one) => typeof one === "string") ? make(torch, records) : undefined;
}

function fixOf(data: Fields): PanelPageMessage | undefined {
  const { of, finding, fix } = data;
  if (!isIndex(finding) || !isIndex(fix) || (of !== undefined && of !== "bodies" && of !== "inTheWay")) {
    return undefined;
  }
  return { type: "applyFix", finding, fix, ...(of === undefined ? {} : { of }), ...optional(data, "title") };
}

/** Only absolute paths: nothing is looked for on the way. */
function locationOf(value: unknown): Extract<PanelPageMessage, { readonly type: "openLocation" }>["location"] | undefined {
  if (!isObject(value) || typeof value["path"] !== "string" || !path.isAbsolute(value["path"]) || !isObject(value["range"])) {
    return undefined;
  }
  const start = positionOf(value["range"]["start"]);
  const end = positionOf(value["range"]["end"]);
  return start === undefined || end === undefined ? undefined : { path: value["path"], range: { start, end } };
}

function positionOf(value: unknown): { readonly line: number; readonly character: number } | undefined {
  return isObject(value) && isIndex(value["line"]) && isIndex(value["character"]) ? { line: value["line"], character: value["character"] } : undefined;
}

function isIndex(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
