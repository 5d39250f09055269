/** Messages of the panel's page: what a page that was taken over could send is not believed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { cellArgument, panelMessage } from "../../../src/extension/panel/messages.ts";
import type { PanelPageMessage } from "../../../src/protocol/panel.ts";

const location = { path: "/w/setup.py", range: { start: { line: 3, character: 0 }, end: { line: 3, character: 9 } } };

/** One of each type, with all that it may have. */
const all: Readonly<Record<PanelPageMessage["type"], PanelPageMessage>> = {
  ready: { type: "ready", root: "/w", also: "torch==2.8.0", baseline: "last" },
  selectProject: { type: "selectProject", root: "/w" },
  start: { type: "start", work: "build" },
  cancel: { type: "cancel", work: "combinations" },
  showLog: { type: "showLog", work: "libtorch" },
  openLocation: { type: "openLocation", location },
  applyFix: { type: "applyFix", of: "inTheWay", finding: 0, fix: 1, title: "Delete it" },
  openRule: { type: "openRule", rule: "torch-symbols" },
  compareAlso: { type: "compareAlso", remove: true },
  selectEnvironment: { type: "selectEnvironment" },
  refresh: { type: "refresh" },
  refreshIndexes: { type: "refreshIndexes" },
  openRecords: { type: "openRecords" },
  openDocumentation: { type: "openDocumentation" },
  editMatrix: { type: "editMatrix" },
  manageTrust: { type: "manageTrust" },
  openCell: { type: "openCell", torch: "2.13.0", records: ["a", "b"] },
  openLog: { type: "openLog", record: "a" },
  copy: { type: "copy", text: "pip install torch", what: "install line" },
  copyInstallLine: { type: "copyInstallLine", torch: "2.13.0", records: [] },
  tryIt: { type: "tryIt", torch: "2.13.0", records: [] },
  bisectFrom: { type: "bisectFrom", torch: "2.13.0", records: ["a"] },
  rollPins: { type: "rollPins", torch: "2.13.0", records: ["a"] },
  predict: { type: "predict", torch: "", records: [] },
  chooseBaseline: { type: "chooseBaseline", baseline: "before" },
};

test("every message of the page is understood, and nothing more of it is kept", () => {
  for (const message of Object.values(all)) assert.deepEqual(panelMessage({ ...message, more: "x" }), message);
});

test("what may be left out may", () => {
  for (const message of [{ type: "ready" }, { type: "compareAlso" }, { type: "applyFix", finding: 2, fix: 0 }]) assert.deepEqual(panelMessage(message), message);
  assert.deepEqual(panelMessage({ type: "ready", root: 1, also: null, baseline: {} }), { type: "ready" });
});

test("anything else is no message", () => {
  const wrong: readonly unknown[] = [
    undefined, null, "start", 7, [], {}, [{ type: "refresh" }], { type: 1 }, { type: "toString" }, { type: ["copy"] }, { type: "run" }, { type: "start" }, { type: "start", work: "rm" }, { type: "cancel", work: "toString" },
    { type: "selectProject" }, { type: "openRule", rule: {} }, { type: "openLog", record: 1 }, { type: "copy", text: "a" }, { type: "copy", text: 1, what: "b" }, { type: "chooseBaseline" },
    { type: "openCell", torch: "2.13.0" }, { type: "openCell", torch: "2.13.0", records: [1] }, { type: "tryIt", torch: 2, records: [] }, { type: "rollPins", records: [] },
    { type: "applyFix", finding: -1, fix: 0 }, { type: "applyFix", finding: 0.5, fix: 0 }, { type: "applyFix", finding: "0", fix: 0 }, { type: "applyFix", finding: 0, fix: 0, of: "all" },
    { type: "openLocation" }, { type: "openLocation", location: { ...location, path: "setup.py" } }, { type: "openLocation", location: { ...location, path: 1 } },
    { type: "openLocation", location: { path: "/w/a", range: { start: { line: -1, character: 0 }, end: { line: 0, character: 0 } } } }, { type: "openLocation", location: { path: "/w/a", range: { start: { line: 0, character: 0 } } } },
  ];
  for (const data of wrong) assert.equal(panelMessage(data), undefined, JSON.stringify(data));
});

test("whatever is done from a cell is told of its records, and without a torch of none", () => {
  for (const type of ["tryIt", "bisectFrom", "rollPins", "predict"] as const) assert.deepEqual(cellArgument("/w", { type, torch: "2.13.0", records: ["a"] }), { root: "/w", torch: "2.13.0", like: ["a"] });
  assert.deepEqual(cellArgument("/w", { type: "predict", torch: "", records: [] }), { root: "/w" });
});
