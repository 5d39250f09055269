/** What keeps a file from loading: libraries, versions and symbols that nobody provides. */
import type { BinaryView } from "../../src/protocol/index.ts";
import { button, el, plural } from "../shared/dom.ts";
import type { Filter } from "./search.ts";
import { byKeyboard, keepSelection, keptSelection } from "./selection.ts";
import { kindWords } from "./words.ts";

type Fit = NonNullable<NonNullable<BinaryView["fits"]>["members"]>[number];
type Missing = Fit["missing"][number];

/** Shown of each kind before one asks for all. */
const firstShown = 100;

let lists = 0;

export function missingParts(fit: Fit, filter: Filter, demangled: boolean): HTMLElement[] {
  const dependencies = fit.missingDependencies.filter((one) => filter(one.name, one.because, one.providedBy));
  const versions = fit.missingVersions.filter((one) => filter(one.version, one.library, one.foundIn));
  const parts = [
    ...(dependencies.length === 0 ? [] : [part(`Libraries that would not be found (${dependencies.length})`, "", el("ul", { class: "plain" }, ...dependencies.map((one) =>
      el("li", {}, el("code", { class: "name" }, one.name), el("p", {}, one.because), ...(one.providedBy === undefined ? [] : [el("p", {}, `${one.providedBy} brings it.`)])))))]),
    ...(versions.length === 0 ? [] : [part(`Versions that are not there (${versions.length})`, "", el("ul", { class: "plain" }, ...versions.map((one) =>
      el("li", {}, el("code", { class: "name" }, `${one.version} of ${one.library}`), el("p", {}, `${one.foundIn} would be loaded${one.highest === null ? "" : ` and ends at ${one.highest}`}.`)))))]),
    ...Object.entries(kindWords).flatMap(([kind, words]) => {
      const symbols = fit.missing.filter((one) => one.kind === kind && filter(one.symbol, one.demangled, one.because, one.nearest?.demangled, one.version));
      return symbols.length === 0 ? [] : [part(`${words.title}: ${plural(symbols.length, "symbol")}`, words.meaning, symbolItems(`${words.title} of ${fit.file}`, words.title, symbols, demangled))];
    }),
  ];
  const hasReleases = parts.length > 0 && fit.missing.length > 0 && fit.releasesThatWouldDo !== null;
  return hasReleases ? [...parts, el("p", { class: "releases" }, releases(fit.releasesThatWouldDo))] : parts;
}

function part(title: string, meaning: string, content: HTMLElement): HTMLElement {
  return el("div", { class: "part" }, el("h3", {}, title), ...(meaning === "" ? [] : [el("p", { class: "dim" }, meaning)]), content);
}

function releases(list: readonly string[]): string {
  if (list.length === 0) {
    return "No recorded release of torch exports all that it needs.";
  }
  return `Releases of torch that export all that it needs: ${list.length > 8 ? `${list[0] ?? ""} to ${list.at(-1) ?? ""} (${list.length} releases)` : list.join(", ")}.`;
}

function symbolItems(name: string, title: string, symbols: readonly Missing[], demangled: boolean): HTMLElement {
  const id = `missing-${++lists}`;
  const list = el("div", { class: "missing", role: "listbox", "data-name": name, "aria-label": `${title}, ${plural(symbols.length, "symbol")}` });
  const items: HTMLElement[] = [];
  let selected = -1;
  const mark = (index: number): void => {
    items[selected]?.setAttribute("aria-selected", "false");
    selected = index;
    items[index]?.setAttribute("aria-selected", "true");
    list.setAttribute("aria-activedescendant", `${id}-${index}`);
  };
  const select = (index: number): void => {
    mark(index);
    keepSelection(name, symbols[index]?.symbol);
  };
  const add = (upTo: number): void => {
    while (items.length < Math.min(upTo, symbols.length)) {
      const index = items.length;
      const symbol = symbols[index];
      if (symbol === undefined) {
        return;
      }
      const made = item(symbol, demangled, `${id}-${index}`, index, symbols.length);
      made.addEventListener("mousedown", () => select(index));
      items.push(made);
      list.append(made);
    }
  };
  const kept = keptSelection(name);
  const before = kept === undefined ? -1 : symbols.findIndex((one) => one.symbol === kept);
  add(Math.max(firstShown, before + 1));
  if (before >= 0) {
    mark(before);
  }
  byKeyboard({
    list, select, count: () => items.length, selected: () => selected, page: () => 5,
    text: (index) => (demangled ? symbols[index]?.demangled : symbols[index]?.symbol) ?? "",
  });
  if (items.length === symbols.length) {
    return list;
  }
  const more = button(`Show the other ${symbols.length - items.length}`, () => {
    add(symbols.length);
    more.remove();
    list.focus();
  });
  return el("div", {}, list, more);
}

function item(symbol: Missing, demangled: boolean, id: string, index: number, count: number): HTMLElement {
  const [name, other] = demangled ? [symbol.demangled, symbol.symbol] : [symbol.symbol, symbol.demangled];
  return el("div", { class: "item", role: "option", id, "aria-selected": "false", "aria-posinset": index + 1, "aria-setsize": count },
    el("code", { class: "name" }, name),
    ...(symbol.binding === "weak" ? [" ", el("span", { class: "tag" }, "weak")] : []),
    ...(symbol.version === undefined ? [] : [" ", el("span", { class: "tag" }, symbol.version)]),
    ...(other === name ? [] : [el("code", { class: "dim" }, other)]),
    el("p", {}, symbol.because),
    // The reason may have named it.
    ...(symbol.nearest === undefined || symbol.because.includes(symbol.nearest.demangled) ? [] : [el("p", { class: "nearest" }, `Nearest, in ${symbol.nearest.library}: `, el("code", {}, demangled ? symbol.nearest.demangled : symbol.nearest.symbol))]),
    ...(symbol.torch === undefined || tellsReleases(symbol.because, symbol.torch) ? [] : [el("p", { class: "dim" }, `Exported by torch ${symbol.torch.since} ${symbol.torch.until === null ? "and all later releases that are recorded" : `to ${symbol.torch.until}`}.`)]));
}

/** Whether a reason names the releases that export the symbol already. */
function tellsReleases(because: string, { since, until }: NonNullable<Missing["torch"]>): boolean {
  return because.includes(`torch ${since}`) && (until === null || because.includes(until));
}
