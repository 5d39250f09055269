/** The whole answer about a file, as sections; those in which nothing fits the search are left out. */
import type { BinaryView } from "../../src/protocol/index.ts";
import { button, el, icon } from "../shared/dom.ts";
import { tell } from "./host.ts";
import { comparison, loaderSays, nature, reasons, section, symbols } from "./library.ts";
import type { Showing } from "./library.ts";
import { libraries, metadata, refusedLibrary, tagsAgainstContent } from "./wheel.ts";
import { verdictWords } from "./words.ts";

export function sections(view: BinaryView, showing: Showing): readonly HTMLElement[] {
  const all = view.inspect.kind === "wheel"
    ? [...wheelSections(view, showing)]
    : [...librarySections(view, showing)];
  return all.filter((one) => one !== undefined);
}

function* wheelSections(view: BinaryView, showing: Showing): Generator<HTMLElement | undefined> {
  const refused = refusedLibrary(view);
  // While something is searched for, the words stand with the library that they are about.
  yield refused === undefined || showing.searching ? undefined : loaderSays(refused, showing, refused.name);
  yield tagsAgainstContent(view, showing);
  yield findings(view, showing);
  yield libraries(view, showing);
  yield metadata(view, showing);
  yield notChecked(view, showing);
}

function* librarySections(view: BinaryView, showing: Showing): Generator<HTMLElement | undefined> {
  const [library] = view.libraries;
  yield library === undefined ? undefined : loaderSays(library, showing);
  yield reasons(view.fits, showing);
  yield comparison(view.fits, showing);
  yield findings(view, showing);
  yield notChecked(view, showing);
  yield* nature(view.inspect.binaries[0], showing);
  yield library === undefined ? undefined : symbols(library, showing);
}

/** The answer in a sentence, and with which torch; read out when it changes. */
export function verdict(view: BinaryView): readonly HTMLElement[] {
  const { fits, against } = view;
  const headline = el("p", { class: "headline", tabindex: -1 }, view.headline);
  headline.prepend(icon(fits === undefined ? "unknown" : verdictWords[fits.verdict].mark));
  const torch = against === undefined ? undefined : [
    `torch ${against.version}`,
    ...(against.abi === undefined ? [] : [`libstdc++ ABI ${against.abi}`]),
    ...(against.cuda === undefined ? [] : [against.cuda === null ? "without CUDA" : `CUDA ${against.cuda}`]),
    ...(against.python === undefined ? [] : [`Python ${against.python}`]),
    against.source === "catalogue" ? "from the catalogue of releases" : against.path ?? against.name,
  ].join(", ");
  return [
    headline,
    ...(view.problem === undefined ? [] : [el("p", {}, view.problem)]),
    ...(torch === undefined ? [] : [el("p", { class: "dim" }, torch)]),
  ];
}

function findings({ fits }: BinaryView, { filter }: Showing): HTMLElement | undefined {
  const shown = fits?.findings.filter((one) => filter(one.rule, one.message, one.severity)) ?? [];
  return shown.length === 0 ? undefined : section("Findings", el("ul", { class: "plain findings" }, ...shown.map((one) => {
    const line = el("li", {}, el("strong", {}, one.severity), " ", button(one.rule, () => tell({ type: "openRule", rule: one.rule }), { class: "link", title: "Open Rule Documentation" }), ` ${one.message}`);
    line.prepend(icon(one.severity === "error" ? "bad" : one.severity === "warning" ? "warning" : "info"));
    return line;
  })));
}

function notChecked({ fits, inspect }: BinaryView, { filter }: Showing): HTMLElement | undefined {
  const sentences = [...new Set([...inspect.problems, ...(fits?.notChecked ?? [])])].filter((one) => filter(one));
  return sentences.length === 0 ? undefined : section("Not Checked", el("ul", {}, ...sentences.map((one) => el("li", {}, one))));
}
