/** The sections about one library: why it would not load, what was compared, what it is, what it needs, and its imported symbols. */
import type { BinaryLibrary, BinaryView } from "../../src/protocol/index.ts";
import { el, icon, plural } from "../shared/dom.ts";
import type { Mark } from "../shared/dom.ts";
import { missingParts } from "./missing.ts";
import { identity, needs, table } from "./profile.ts";
import type { Filter } from "./search.ts";
import { symbolList } from "./symbolList.ts";

type Fit = NonNullable<NonNullable<BinaryView["fits"]>["members"]>[number];
type Trait = Fit["traits"][number];
type Binary = BinaryView["inspect"]["binaries"][number];

/** How everything on the page is shown. */
export interface Showing {
  readonly filter: Filter;
  /** Whether the filter leaves anything out. */
  readonly searching: boolean;
  readonly demangled: boolean;
}

export function section(title: string, ...content: readonly (HTMLElement | undefined)[]): HTMLElement | undefined {
  const present = content.filter((one) => one !== undefined);
  return present.length === 0 ? undefined : el("section", {}, el("h2", {}, title), ...present);
}

/** `of`: named where it is not plain which library is meant. */
export function loaderSays({ loaderSays: words }: BinaryLibrary, { filter }: Showing, of?: string): HTMLElement | undefined {
  return words === undefined || !filter(words) ? undefined : el("div", { class: "loader" }, el("p", { class: "dim" }, `The loader would say${of === undefined ? "" : ` of ${of}`}`), el("pre", {}, words));
}

export function reasons(fit: Fit | undefined, { filter, demangled }: Showing): HTMLElement | undefined {
  return fit === undefined ? undefined : section(fit.verdict === "conflict" ? "Why It Would Not Load" : "Not Provided", ...missingParts(fit, filter, demangled));
}

export function comparison(fit: Fit | undefined, { filter }: Showing): HTMLElement | undefined {
  const traits = fit?.traits.filter((one) => filter(one.trait, one.built, one.installed, one.because)) ?? [];
  return traits.length === 0 ? undefined : section("Compared", el("table", { class: "traits" },
    el("caption", { class: "hidden" }, "Traits of the file and of torch"),
    el("thead", {}, el("tr", {}, ...["Trait", "File", "Torch", "Result"].map((title) => el("th", { scope: "col" }, title)))),
    el("tbody", {}, ...traits.map(traitRow))));
}

function traitRow(trait: Trait): HTMLElement {
  const [mark, word] = traitMark(trait);
  const result = el("span", { class: "result" }, word);
  result.prepend(icon(mark));
  return el("tr", {},
    el("th", { scope: "row" }, trait.trait), value("File", trait.built), value("Torch", trait.installed),
    el("td", {}, result, ...(trait.agrees === true || trait.because === "" ? [] : [el("p", {}, trait.because)])));
}

/** The label stands before it where the page is too narrow for columns. */
function value(label: string, text: string): HTMLElement {
  const hasLongWord = /\S{20}/.test(text);
  return el("td", { "data-label": label, class: hasLongWord ? "long" : undefined }, text);
}

function traitMark({ agrees, weight }: Trait): readonly [Mark, string] {
  switch (agrees) {
    case true:
      return ["good", "agrees"];
    case null:
      return ["unknown", "not compared"];
    case false:
      return weight === "error" ? ["bad", "disagrees"] : weight === "warning" ? ["warning", "disagrees"] : ["info", "differs"];
  }
}

export function nature(binary: Binary | undefined, { filter }: Showing): readonly (HTMLElement | undefined)[] {
  if (binary === undefined) {
    return [];
  }
  const { profile } = binary;
  const unknown = binary.notKnown.filter((one) => filter(one));
  return [
    section("What It Needs", table("What it needs", needs(profile), filter)),
    section("What It Is", table("What it is", identity(profile), filter), unknown.length === 0 ? undefined : el("ul", {}, ...unknown.map((one) => el("li", {}, one)))),
  ];
}

export function symbols(library: BinaryLibrary, { filter, demangled }: Showing): HTMLElement | undefined {
  if (library.symbols.length === 0) {
    return undefined;
  }
  const list = symbolList(`symbols of ${library.name}`, library.symbols, filter, demangled);
  const matches = Number(list.dataset.matches);
  const all = library.symbols.length;
  return matches === 0 ? undefined : section(matches === all ? `Imported Symbols (${all.toLocaleString("en")})` : `Imported Symbols (${matches.toLocaleString("en")} of ${plural(all, "symbol")})`, list);
}
