import { tell } from "./host.ts";

/** What is selected in lists, by their names: a list is made anew whenever something else is shown. */
const selections = new Map<string, string>();

export function keepSelection(list: string, item: string | undefined): void {
  if (item !== undefined) {
    selections.set(list, item);
  }
}

export function keptSelection(list: string): string | undefined {
  return selections.get(list);
}

/** A list in which the arrow keys move a selection. */
export interface Selectable {
  readonly list: HTMLElement;
  count(): number;
  /** -1: none. */
  selected(): number;
  select(index: number): void;
  /** How many items a page of the list has. */
  page(): number;
  /** What Copy puts on the clipboard. */
  text(index: number): string;
}

/** Gives a list one tab stop, and in it the keys that lists have everywhere. */
export function byKeyboard(selectable: Selectable): void {
  const { list } = selectable;
  list.tabIndex = 0;
  list.addEventListener("focus", () => {
    // Focus has to be on something; a click has its own.
    if (selectable.selected() < 0 && selectable.count() > 0 && list.matches(":focus-visible")) {
      selectable.select(0);
    }
  });
  list.addEventListener("keydown", (event) => {
    const at = selectable.selected();
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "c" && at >= 0 && (getSelection()?.isCollapsed ?? true)) {
      tell({ type: "copy", text: selectable.text(at) });
      event.preventDefault();
      return;
    }
    const to = event.ctrlKey || event.metaKey || event.altKey ? undefined : target(event.key, at, selectable);
    if (to !== undefined && selectable.count() > 0) {
      // Text that the mouse selected would be copied in place of what the keys select.
      getSelection()?.removeAllRanges();
      selectable.select(Math.max(0, Math.min(selectable.count() - 1, to)));
      document.getElementById(list.getAttribute("aria-activedescendant") ?? "")?.scrollIntoView({ block: "nearest" });
      event.preventDefault();
    }
  });
}

function target(key: string, at: number, selectable: Selectable): number | undefined {
  switch (key) {
    case "ArrowDown":
      return at + 1;
    case "ArrowUp":
      return at - 1;
    case "PageDown":
      return at + selectable.page();
    case "PageUp":
      return at - selectable.page();
    case "Home":
      return 0;
    case "End":
      return selectable.count() - 1;
    default:
      return undefined;
  }
}
