import type { ImportedSymbol } from "../../src/protocol/index.ts";
import { button, el, plural } from "../shared/dom.ts";
import { currentState, keepScroll, tell } from "./host.ts";
import type { Filter } from "./search.ts";
import { byKeyboard, keepSelection, keptSelection } from "./selection.ts";
import { familyWords } from "./words.ts";

/** As in the style sheet. In pixels. */
const rowHeight = 22;
const mostRows = 18;
/** Rows beyond the edge that are there already when the list is scrolled. */
const overscan = 8;

let lists = 0;

/** The imported symbols of a library: of any number of rows only those in sight are in the page. */
export function symbolList(name: string, symbols: readonly ImportedSymbol[], filter: Filter, demangled: boolean): HTMLElement {
  const shown = symbols.filter((one) => filter(one.name, one.demangled, one.version, familyWords[one.family]));
  const id = `symbols-${++lists}`;
  const text = (index: number): string => {
    const symbol = shown[index];
    return symbol === undefined ? "" : (demangled ? symbol.demangled : undefined) ?? symbol.name;
  };
  const list = el("div", { class: "symbols", role: "listbox", "data-name": name, "aria-label": `Imported symbols, ${plural(shown.length, "row")}` });
  const rows = el("div", { class: "rows", role: "presentation" });
  const detail = el("div", { class: "detail", hidden: true });
  list.append(rows);
  list.style.height = `${Math.min(mostRows, shown.length) * rowHeight + 2}px`;
  rows.style.height = `${shown.length * rowHeight}px`;
  const kept = keptSelection(name);
  let selected = kept === undefined ? -1 : shown.findIndex((one) => one.name === kept);
  /** The rows that are in the page. */
  let drawn = { first: 0, last: 0 };

  const row = (index: number, symbol: ImportedSymbol): HTMLElement => {
    const made = el("div", { class: "row", role: "option", id: `${id}-${index}`, "aria-selected": index === selected ? "true" : "false", "aria-posinset": index + 1, "aria-setsize": shown.length },
      el("span", { class: "symbol" }, text(index)),
      ...(symbol.weak ? [" ", el("span", { class: "tag" }, "weak")] : []),
      ...(symbol.version === undefined ? [] : [" ", el("span", { class: "tag" }, symbol.version)]),
      " ", el("span", { class: "tag family" }, familyWords[symbol.family]));
    made.style.top = `${index * rowHeight}px`;
    made.addEventListener("mousedown", () => select(index));
    return made;
  };
  const draw = (): void => {
    const first = Math.max(0, Math.floor(list.scrollTop / rowHeight) - overscan);
    const last = Math.min(shown.length, Math.ceil((list.scrollTop + mostRows * rowHeight) / rowHeight) + overscan);
    // Rows that are made anew lose the text that was selected in them.
    if (first !== drawn.first || last !== drawn.last) {
      drawn = { first, last };
      rows.replaceChildren(...shown.slice(first, last).map((symbol, index) => row(first + index, symbol)));
    }
  };
  const mark = (index: number, isSelected: boolean): void => {
    rows.children.item(index - drawn.first)?.setAttribute("aria-selected", String(isSelected));
  };
  const describe = (): void => {
    const symbol = shown[selected];
    if (symbol !== undefined) {
      list.setAttribute("aria-activedescendant", `${id}-${selected}`);
      detail.hidden = false;
      detail.replaceChildren(...details(symbol));
    }
  };
  const select = (index: number): void => {
    mark(selected, false);
    selected = index;
    keepSelection(name, shown[index]?.name);
    const top = index * rowHeight;
    if (top < list.scrollTop) {
      list.scrollTop = top;
    } else if (top + rowHeight > list.scrollTop + list.clientHeight) {
      list.scrollTop = top + rowHeight - list.clientHeight;
    }
    draw();
    mark(index, true);
    describe();
  };
  let pending = false;
  list.addEventListener("scroll", () => {
    if (!pending) {
      pending = true;
      requestAnimationFrame(() => {
        pending = false;
        draw();
        keepScroll(name, list.scrollTop);
      });
    }
  });
  byKeyboard({ list, count: () => shown.length, selected: () => selected, select, page: () => mostRows - 1, text });
  draw();
  describe();
  // A list has no scroll position before it is in the page.
  requestAnimationFrame(() => {
    list.scrollTop = currentState().scroll[name] ?? 0;
  });
  return el("div", { "data-name": `about ${name}`, "data-matches": shown.length }, ...(shown.length === 0 ? [] : [list, detail]));
}

function details(symbol: ImportedSymbol): HTMLElement[] {
  return [
    ...(symbol.demangled === undefined ? [] : [line("Demangled", symbol.demangled)]),
    line("Mangled", symbol.name),
  ];
}

function line(label: string, text: string): HTMLElement {
  return el("p", {}, el("span", { class: "label" }, label), el("code", {}, text), button("Copy", () => tell({ type: "copy", text }), { class: "small", "aria-label": `Copy ${label.toLowerCase()} name` }));
}
