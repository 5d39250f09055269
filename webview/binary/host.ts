import type { BinaryHostMessage, BinaryPageMessage } from "../../src/protocol/index.ts";

/** What the page keeps while it is hidden, and over a reload of the window. */
export interface PageState {
  readonly search: string;
  readonly demangled: boolean;
  /** Scroll positions: of the page under "", of lists by their names. */
  readonly scroll: Readonly<Record<string, number>>;
  /** Libraries of a wheel that are folded out; absent until somebody folded one. */
  readonly open?: readonly string[];
  /** What was named to compare with. */
  readonly against?: string;
}

interface VsCodeApi {
  postMessage(message: BinaryPageMessage): void;
  getState(): Partial<PageState> | undefined;
  setState(state: PageState): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

const api = acquireVsCodeApi();

let state: PageState = { search: "", demangled: true, scroll: {}, ...api.getState() };

export function currentState(): PageState {
  return state;
}

export function keep(changes: Partial<PageState>): void {
  state = { ...state, ...changes };
  api.setState(state);
}

export function keepScroll(name: string, position: number): void {
  keep({ scroll: { ...state.scroll, [name]: position } });
}

/** Compares with the selected environment from now on. */
export function forgetAgainst(): void {
  const { search, demangled, scroll, open } = state;
  state = { search, demangled, scroll, ...(open === undefined ? {} : { open }) };
  api.setState(state);
}

/** Whether it is a message of the host: others may send theirs to the page too. */
export function isHostMessage(data: unknown): data is BinaryHostMessage {
  if (typeof data !== "object" || data === null) {
    return false;
  }
  const { type, message, what, view } = data as Readonly<Record<string, unknown>>;
  switch (type) {
    case "busy":
    case "failed":
      return typeof message === "string";
    case "copied":
      return typeof what === "string";
    case "view":
      return typeof view === "object" && view !== null;
    default:
      return false;
  }
}

export function tell(message: BinaryPageMessage): void {
  api.postMessage(message);
}
