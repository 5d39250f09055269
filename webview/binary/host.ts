import type { BinaryPageMessage } from "../../src/protocol/index.ts";

/** What the page keeps while it is hidden, and over a reload of the window. */
export interface PageState {
  readonly search: string;
  readonly demangled: boolean;
  /** Scroll positions: of the page under "", of lists by their names. */
  readonly scroll: Readonly<Record<string, number>>;
  /** Libraries of a wheel that are folded out. */
  readonly open: readonly string[];
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

let state: PageState = { search: "", demangled: true, scroll: {}, open: [], ...api.getState() };

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
  state = { search, demangled, scroll, open };
  api.setState(state);
}

export function tell(message: BinaryPageMessage): void {
  api.postMessage(message);
}
