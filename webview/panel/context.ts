import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { PanelPageMessage } from "../../src/protocol/panel.ts";
import type { Kept } from "./host.ts";
import type { Model } from "./model.ts";

export interface Page {
  readonly model: Model;
  /** False: a published page. Nothing can be started, opened or changed. */
  readonly hosted: boolean;
  readonly kept: Kept;
  readonly keep: (changes: Partial<Kept> | ((before: Kept) => Partial<Kept>)) => void;
  readonly tell: (message: PanelPageMessage) => void;
  /** Puts a text on the clipboard, with or without a host. */
  readonly copy: (text: string, what: string) => void;
}

export const PageContext = createContext<Page | undefined>(undefined);

export function usePage(): Page {
  const page = useContext(PageContext);
  if (page === undefined) {
    throw new Error("Used outside the page.");
  }
  return page;
}
