/** The way to the host, and what the page keeps. The published page has no host: its data stands in it. */
import type { PanelPageMessage, PanelState, PublishedPage } from "../../src/protocol/panel.ts";
import type { Axis, MatrixFilter } from "../../src/views/matrix.ts";

export type Tab = "bodies" | "combinations" | "benchmarks";

/** What the page keeps while it is hidden, and over a reload of the window. */
export interface Kept {
  readonly tab: Tab;
  readonly root?: string;
  readonly also?: string;
  readonly target?: string;
  readonly onlyDisagreements: boolean;
  /** What is in the way of a build is folded out; absent: only over the bodies, where it belongs, and not over what one came for. */
  readonly inTheWay?: boolean;
  readonly axis: Axis;
  readonly filter: MatrixFilter;
  /** The cell that has the grid's tab stop; without a column the version of torch itself. */
  readonly selected?: { readonly torch: string; readonly column?: string };
  /** Its evidence is shown. */
  readonly open: boolean;
  readonly baseline?: string;
  readonly benchmarks: string;
  /** Benchmarks whose tables are folded out. */
  readonly tables: readonly string[];
  /** Positions of the page by tab, and of the matrix. */
  readonly scroll: Readonly<Record<string, readonly [x: number, y: number]>>;
}

const initial: Kept = { tab: "bodies", onlyDisagreements: false, axis: "version", filter: {}, open: false, benchmarks: "", tables: [], scroll: {} };

interface VsCodeApi {
  postMessage(message: PanelPageMessage): void;
  getState(): unknown;
  setState(state: Kept): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

/** What `publish --format html` puts into the page. */
const published = document.getElementById("abiding-data")?.textContent;

const api = published === undefined || published === null ? acquireVsCodeApi() : undefined;

export const hosted = api !== undefined;

export const publishedPage = published === undefined || published === null ? undefined : (JSON.parse(published) as PublishedPage);

/** The published page as the state that a host would send. */
export function publishedState(): PanelState | undefined {
  if (publishedPage === undefined) return undefined;
  const { project, bodies, combinations, benchmarks } = publishedPage;
  return {
    project: { name: project.name, root: "" }, projects: [], trusted: true, inTheWay: [], work: [],
    ...(bodies === undefined ? {} : { bodies }), ...(combinations === undefined ? {} : { combinations }), ...(benchmarks === undefined ? {} : { benchmarks }),
  };
}

export function keptBefore(): Kept {
  const before = api?.getState();
  const first = hosted ? document.body.dataset["first"] : "combinations";
  return { ...initial, ...(first === "combinations" || first === "benchmarks" ? { tab: first } : {}), ...(typeof before === "object" ? before : {}) };
}

export function keep(kept: Kept): void {
  api?.setState(kept);
}

export function tell(message: PanelPageMessage): void {
  api?.postMessage(message);
}
