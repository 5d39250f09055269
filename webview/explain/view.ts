/** The elements of an explanation. */
import type { ExplanationView } from "../../src/protocol/explain.ts";
import { button, el, icon, plural } from "../shared/dom.ts";
import { tell } from "./host.ts";

type Report = ExplanationView["report"];
type Verdict = Report["verdicts"][number];
type ExplainedSymbol = NonNullable<Verdict["symbols"]>[number];

const confidences: Readonly<Record<Verdict["confidence"], { readonly mark: "bad" | "warning" | "unknown"; readonly words: string }>> = {
  certain: { mark: "bad", words: "Certain" },
  likely: { mark: "warning", words: "Likely: one cause explains it far better than the others" },
  possible: { mark: "unknown", words: "Possible: others explain it as well" },
};

/** More than this of a kind are for the command line. */
const mostShown = 50;

export function explanation(view: ExplanationView): readonly HTMLElement[] {
  const { report, source, name, asked = 0 } = view;
  const { verdicts, notChecked, against } = report;
  const main = name === undefined ? verdicts[asked] : undefined;
  const compared = against === null ? "Compared with no environment." : `Compared with torch ${against.torch ?? "of unknown version"} (${against.name}).`;
  const others = verdicts.flatMap((one, index) => (one === main ? [] : [section(one, index, view, "h2")]));
  return [
    ...(name !== undefined ? [named(name)] : main !== undefined ? [section(main, asked, view, "h1")] : [el("h1", { tabindex: -1 }, "No cause that Abiding knows was found in this text."), el("p", {}, "That says nothing about other causes.")]),
    ...(others.length === 0 ? [] : [el("p", { class: "dim others" }, `In the same text: ${plural(others.length, "other matter")}.`), ...others]),
    ...(notChecked.length === 0 ? [] : [el("h2", { class: "title" }, "Not Checked"), list("ul", notChecked)]),
    el("footer", {}, el("p", { class: "dim" }, `Read: ${source}. ${compared}`), button("Compare with Another Environment…", () => tell({ type: "compare" }))),
  ];
}

function named({ name, demangled, life }: NonNullable<ExplanationView["name"]>): HTMLElement {
  return el("section", {},
    el("h1", { tabindex: -1 }, el("code", {}, demangled)),
    el("p", {}, el("code", {}, name)),
    el("p", {}, life ?? "Not among the symbols of torch that Abiding has a record of."),
    el("div", { class: "actions" }, button("Copy Name", () => tell({ type: "copy", text: demangled }), { class: "primary" })));
}

function section(verdict: Verdict, index: number, view: ExplanationView, heading: "h1" | "h2"): HTMLElement {
  const { confidence, headline, because, fixes, needs, symbols = [], fit, consequences, copy, rule } = verdict;
  const { mark, words } = confidences[confidence];
  const title = el(heading, { tabindex: -1 }, ...sentence(headline));
  title.prepend(icon(mark));
  const missing = fit?.missing.length ?? 0;
  return el("section", { "data-cause": verdict.cause },
    title,
    el("p", { class: "dim" }, words),
    el("div", { class: "actions" },
      copy === undefined ? undefined : button("Copy Fix", () => tell({ type: "copy", text: copy }), { class: "primary", title: copy }),
      rule === null ? undefined : button(`Open Rule ${rule}`, () => tell({ type: "openRule", text: rule })),
      view.files.includes(index) ? button("Show in Binary View", () => tell({ type: "showFile", verdict: index })) : undefined),
    quote(verdict, index, view.firstLine),
    because.length === 0 ? undefined : list("ul", because),
    fixes.length === 0 && copy === undefined ? undefined : part("What to Do", heading, fixes.length === 0 ? undefined : list(fixes.length === 1 ? "ul" : "ol", fixes), copy === undefined ? undefined : el("pre", { tabindex: 0, "aria-label": "The fix" }, copy)),
    needs.length === 0 ? undefined : part(confidence === "certain" ? "What the Remedy Depends On" : "What Would Settle It", heading, list("ul", needs)),
    missing === 0 ? undefined : el("p", {}, `The file was read: it lacks ${plural(missing, "symbol")}.`),
    symbols.length === 0 ? undefined : part(symbols.length === 1 ? "The Symbol" : "Symbols", heading, table(symbols)),
    consequences.length === 0 ? undefined : details(`${plural(consequences.length, "later line")} that only follow${consequences.length === 1 ? "s" : ""} from this`, list("ul", consequences.slice(0, mostShown).map((one) => `Line ${one.line + (view.firstLine ?? 0)}: ${one.words}`))),
  );
}

function quote({ lines, words, occurrences }: Verdict, index: number, place: number | undefined): HTMLElement {
  const [first, last] = [lines.first, lines.last].map((one) => one + (place ?? 0));
  const where = first === last ? `Line ${first}` : `Lines ${first} to ${last}`;
  const again = occurrences > 1 ? ` (said ${occurrences} times)` : "";
  return el("figure", {},
    el("figcaption", { class: "dim" }, place !== undefined ? button(where, () => tell({ type: "showLines", verdict: index }), { class: "link" }) : where, again),
    el("pre", { tabindex: 0, "aria-label": "What the text says" }, words));
}

function table(symbols: readonly ExplainedSymbol[]): HTMLElement {
  return el("table", {},
    el("thead", {}, el("tr", {}, ...["Name", "Exported by"].map((one) => el("th", { scope: "col" }, one)))),
    el("tbody", {}, ...symbols.slice(0, mostShown).map((one) => el("tr", {},
      el("td", {},
        el("code", {}, one.demangled),
        one.demangled === one.symbol ? undefined : el("div", { class: "dim" }, el("code", {}, one.symbol)),
        one.successor === undefined ? undefined : el("div", {}, one.successor.torch === undefined ? "Instead: " : `Instead, in ${span(one.successor.torch)}: `, el("code", {}, one.successor.demangled))),
      el("td", {}, one.torch === undefined ? "none that is recorded" : span(one.torch))))),
    ...(symbols.length > mostShown ? [el("caption", {}, `The first ${mostShown} of ${symbols.length}.`)] : []));
}

function span({ since, until }: { readonly since: string; readonly until: string | null }): string {
  return until === null ? `torch ${since} and later` : since === until ? `torch ${since}` : `torch ${since} to ${until}`;
}

function part(title: string, below: "h1" | "h2", ...content: readonly (HTMLElement | undefined)[]): HTMLElement {
  return el("div", {}, el(below === "h1" ? "h2" : "h3", { class: "title" }, title), ...content);
}

function details(summary: string, content: HTMLElement): HTMLElement {
  return el("details", {}, el("summary", {}, summary), content);
}

function list(kind: "ul" | "ol", items: readonly string[]): HTMLElement {
  return el(kind, {}, ...items.map((one) => el("li", {}, ...sentence(one))));
}

/** Code stands between backquotes. */
function sentence(text: string): readonly (HTMLElement | string)[] {
  return text.split(/`([^`]+)`/).map((one, index) => (index % 2 === 1 ? el("code", {}, one) : one));
}
