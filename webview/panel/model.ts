/** What the page knows, and how each message of its host changes it. Pure: nothing of the page is touched. */
import type { Cell, CellDetails, CellEvent, CellResult, CombinationsView, PanelHostMessage, PanelState, WorkKind, WorkState } from "../../src/protocol/panel.ts";
import { without } from "./without.ts";

/** A cell that is being tried, or was in the run that still goes on. */
export interface LiveCell {
  readonly cell: Cell;
  readonly state: "queued" | "running" | "ended";
  readonly where?: string;
  readonly note?: string;
  readonly step?: string;
  readonly fraction?: number;
  readonly result?: CellResult;
}

export interface Notice {
  readonly kind: "done" | "failed";
  readonly text: string;
  /** The same text twice is two notices. */
  readonly serial: number;
}

export interface Model {
  /** Absent until the host has told anything. */
  readonly state?: PanelState;
  readonly live: ReadonlyMap<string, LiveCell>;
  /** By the record's id. */
  readonly details: ReadonlyMap<string, CellDetails["records"][number]>;
  readonly notice?: Notice;
  /** Said by screen readers: how a piece of work ended. */
  readonly announcement: string;
}

export const emptyModel: Model = { live: new Map(), details: new Map(), announcement: "" };

const types: readonly PanelHostMessage["type"][] = ["state", "shown", "work", "inTheWay", "bodies", "combinations", "recordsAdded", "cell", "benchmarks", "details", "copied", "failed"];

/** Whether it is a message of the host: others may send theirs to the page too. */
export function isHostMessage(data: unknown): data is PanelHostMessage {
  return typeof data === "object" && data !== null && "type" in data && types.some((one) => one === data.type);
}

export const workNames: Readonly<Record<WorkKind, string>> = { build: "Build", smoke: "Smoke tests", benchmark: "Benchmarks", libtorch: "libtorch", combinations: "Combinations", bisect: "Bisect", predict: "Prediction" };

export function receive(model: Model, message: PanelHostMessage): Model {
  switch (message.type) {
    case "state": {
      const isSame = model.state?.project.root === message.state.project.root;
      const next = { ...model, state: message.state, ...(isSame ? {} : { live: emptyModel.live, details: emptyModel.details, announcement: emptyModel.announcement }) };
      return triesCells(message.state.work) ? next : { ...next, live: emptyModel.live };
    }
    case "shown":
      return model;
    case "work": {
      const before = model.state?.work.find(({ kind }) => kind === message.work.kind);
      const work = before === undefined ? [...(model.state?.work ?? []), message.work] : model.state?.work.map((one) => (one.kind === message.work.kind ? message.work : one)) ?? [];
      const ended = message.work.state === "ended" && before?.state === "running";
      return changed({ ...model, ...(ended ? { announcement: announcementOf(message.work) } : {}), ...(triesCells(work) ? {} : { live: emptyModel.live }) }, { work });
    }
    case "inTheWay":
      return changed(model, { inTheWay: message.findings, ...(message.torch === undefined ? {} : { torch: message.torch }) });
    case "bodies":
      return model.state === undefined ? model : { ...model, state: { ...without(model.state, "also"), bodies: message.bodies, ...(message.also === undefined ? {} : { also: message.also }) } };
    case "combinations":
      return changed(model, { combinations: message.combinations });
    case "recordsAdded": {
      const combinations = model.state?.combinations;
      return combinations === undefined ? model : changed(model, { combinations: withRecords(combinations, message.records, message.latest) });
    }
    case "cell":
      return { ...model, live: new Map(model.live).set(cellOf(message.event).id, liveCell(model.live.get(cellOf(message.event).id), message.event)) };
    case "benchmarks":
      return changed(model, { benchmarks: message.benchmarks });
    case "details":
      return { ...model, details: new Map([...model.details, ...message.details.records.map((record) => [record.id, record] as const)]) };
    case "copied":
      return noticed(model, "done", `Copied ${message.what}`);
    case "failed":
      return noticed(model, "failed", message.message);
  }
}

function changed(model: Model, changes: Partial<PanelState>): Model {
  return model.state === undefined ? model : { ...model, state: { ...model.state, ...changes } };
}

export function noticed(model: Model, kind: Notice["kind"], text: string): Model {
  return { ...model, notice: { kind, text, serial: (model.notice?.serial ?? 0) + 1 } };
}

/** Cells are tried by a run of the matrix and by a bisect that builds. */
function triesCells(work: readonly WorkState[]): boolean {
  return work.some(({ kind, state }) => state === "running" && (kind === "combinations" || kind === "bisect"));
}

const outcomeWords: Readonly<Record<NonNullable<WorkState["outcome"]>, string>> = { passed: "done", failed: "failed", cancelled: "cancelled", stopped: "stopped" };

/** "Build failed. The linker did not find c10::…" */
function announcementOf({ kind, outcome, headline }: WorkState): string {
  return `${workNames[kind]}: ${outcome === undefined ? "ended" : outcomeWords[outcome]}.${headline === undefined ? "" : ` ${headline}`}`;
}

/** Records have their ids by their content, so one that was there already changes nothing. */
function withRecords(view: CombinationsView, added: CombinationsView["records"], latest: CombinationsView["latest"]): CombinationsView {
  const there = new Set(view.records.map(({ id }) => id));
  return { ...view, records: [...added.filter(({ id }) => !there.has(id)), ...view.records], latest };
}

function cellOf(event: CellEvent): Cell {
  return event.kind === "ended" ? event.result.cell : event.cell;
}

function liveCell(before: LiveCell | undefined, event: CellEvent): LiveCell {
  switch (event.kind) {
    case "queued":
      return { cell: event.cell, state: "queued", ...(event.note === undefined ? {} : { note: event.note }) };
    case "started":
      return { cell: event.cell, state: "running", ...(event.where === undefined ? {} : { where: event.where }) };
    case "step":
      return { cell: event.cell, state: "running", ...(before?.where === undefined ? {} : { where: before.where }), step: event.step, ...(event.fraction === undefined ? {} : { fraction: event.fraction }) };
    case "ended":
      return { cell: event.result.cell, state: "ended", result: event.result };
  }
}
