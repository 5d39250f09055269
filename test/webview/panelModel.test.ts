import assert from "node:assert/strict";
import test from "node:test";
import type { PanelHostMessage, PanelState, WorkState } from "../../src/protocol/panel.ts";
import type { Cell, CellResult } from "../../src/workshop/combinations/types.ts";
import { emptyModel, isHostMessage, receive } from "../../webview/panel/model.ts";
import type { Model } from "../../webview/panel/model.ts";
import { panelRecord } from "../support/panelRecords.ts";

const running: WorkState = { kind: "combinations", state: "running", since: "2026-11-30T10:00:00Z" };
const bodies = { root: "/w", targets: [], findings: [], notChecked: [] };

function state(changes: Partial<PanelState> = {}): PanelState {
  return { project: { name: "ops", root: "/w/ops" }, projects: [], trusted: true, inTheWay: [], work: [], combinations: { records: [], latest: [], known: [], problems: [], file: "" }, ...changes };
}

function after(...messages: readonly PanelHostMessage[]): Model {
  return messages.reduce(receive, emptyModel);
}

const cell: Cell = { id: "c1", label: "torch 2.14.1", torch: "2.14.1", packages: {} };
const result: CellResult = { schema: 1, cell, outcome: "failed", steps: [], records: [], started: "", milliseconds: 5 };

test("only messages of the host are taken", () => {
  assert.deepEqual([{ type: "state" }, { type: "copied" }, { type: "vscode-something" }, "state", null, undefined, {}].map(isHostMessage), [true, true, false, false, false, false, false]);
});

test("deltas before the first state change nothing", () => {
  const model = after({ type: "work", work: running }, { type: "bodies", bodies }, { type: "recordsAdded", records: [panelRecord()], latest: [] }, { type: "inTheWay", findings: [] });
  assert.deepEqual([model.state, model.announcement], [undefined, ""]);
});

test("work is replaced by its kind, and how it ended is announced once", () => {
  const ended: WorkState = { kind: "build", state: "ended", outcome: "failed", headline: "It did not link." };
  const first = after({ type: "state", state: state({ work: [running] }) }, { type: "work", work: { kind: "build", state: "running" } });
  assert.deepEqual(first.state?.work.map(({ kind }) => kind), ["combinations", "build"]);
  const second = receive(first, { type: "work", work: ended });
  assert.deepEqual([second.state?.work, second.announcement], [[running, ended], "Build: failed. It did not link."]);
  // What had ended before the page was there is no news.
  assert.equal(after({ type: "state", state: state({ work: [ended] }) }, { type: "work", work: ended }).announcement, "");
});

test("what was announced of a project is not said of another", () => {
  const ended = after({ type: "state", state: state({ work: [running] }) }, { type: "work", work: { kind: "combinations", state: "ended", outcome: "failed" } });
  assert.equal(ended.announcement, "Combinations: failed.");
  assert.deepEqual(["/w/ops", "/w/other"].map((root) => receive(ended, { type: "state", state: state({ project: { name: "one", root } }) }).announcement), ["Combinations: failed.", ""]);
});

test("added records come first and each once", () => {
  const [old, added] = [panelRecord(), panelRecord({ outcome: "failed" })];
  const latest = [{ channel: "release" as const, torch: "2.14.1", line: "pip install", because: "", record: added.id }];
  const model = after({ type: "state", state: state({ combinations: { records: [old], latest: [], known: [], problems: [], file: "f" } }) }, { type: "recordsAdded", records: [old, added], latest });
  assert.deepEqual([model.state?.combinations?.records, model.state?.combinations?.latest], [[added, old], latest]);
});

test("the fifth column comes and goes with the bodies", () => {
  const there = after({ type: "state", state: state() }, { type: "bodies", bodies, also: "torch==2.8.0" });
  assert.equal(there.state?.also, "torch==2.8.0");
  assert.deepEqual(Object.keys(receive(there, { type: "bodies", bodies }).state ?? {}).includes("also"), false);
});

test("a cell waits, runs, keeps where it runs while it goes on, and ends", () => {
  const start = after({ type: "state", state: state({ work: [running] }) }, { type: "cell", event: { kind: "queued", cell, note: "3 before it" } });
  assert.deepEqual(start.live.get("c1"), { cell, state: "queued", note: "3 before it" });
  const step = [{ kind: "started", cell, where: "node7" } as const, { kind: "step", cell, step: "build", fraction: 0.5 } as const].reduce((model, event) => receive(model, { type: "cell", event }), start);
  assert.deepEqual(step.live.get("c1"), { cell, state: "running", where: "node7", step: "build", fraction: 0.5 });
  assert.deepEqual(receive(step, { type: "cell", event: { kind: "ended", result } }).live.get("c1"), { cell, state: "ended", result });
});

test("cells go with the run that tried them, and with the project", () => {
  const model = after({ type: "state", state: state({ work: [running] }) }, { type: "cell", event: { kind: "started", cell } });
  assert.equal(receive(model, { type: "work", work: { kind: "build", state: "running" } }).live.size, 1);
  assert.equal(receive(model, { type: "work", work: { ...running, state: "ended", outcome: "passed" } }).live.size, 0);
  assert.equal(receive(model, { type: "state", state: state({ work: [running] }) }).live.size, 1);
  assert.equal(receive(model, { type: "state", state: state({ work: [running], project: { name: "b", root: "/w/b" } }) }).live.size, 0);
});

test("details of records are kept by record until another project is chosen", () => {
  const one = { ...panelRecord(), log: "error: x" };
  const model = after({ type: "state", state: state() }, { type: "details", details: { torch: one.torch, records: [one] } });
  assert.equal(model.details.get(one.id)?.log, "error: x");
  assert.equal(receive(model, { type: "state", state: state({ project: { name: "b", root: "/w/b" } }) }).details.size, 0);
});

test("the same notice twice is two notices", () => {
  const model = after({ type: "copied", what: "install line" }, { type: "copied", what: "install line" });
  assert.deepEqual(model.notice, { kind: "done", text: "Copied install line", serial: 2 });
  assert.deepEqual(receive(model, { type: "failed", message: "No such log." }).notice, { kind: "failed", text: "No such log.", serial: 3 });
});
