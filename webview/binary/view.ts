/** The whole answer about a file, as sections; those in which nothing fits the search are left out. */
import type { BinaryView } from "../../src/protocol/index.ts";
import { button, el, icon } from "./dom.ts";
import { tell } from "./host.ts";
import { comparison, loaderSays, nature, reasons, section, symbols } from "./library.ts";
import type { Showing } from "./library.ts";
import { wheelSections } from "./wheel.ts";
import { verdictWords } from "./words.ts";

export function sections(view: BinaryView, showing: Showing): readonly HTMLElement[] {
  const all = view.inspect.kind === "wheel"
    ? [...wheelSections(view, showing), findings(view, showing), notChecked(view, showing)]
    : [...librarySections(view, showing)];
  return all.filter((one) => one !== undefined);
}

function* librarySections(view: BinaryView, showing: Showing): Generator<HTMLElement | undefined> {
  const [library] = view.libraries;
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
  const headline = el("p", { class: "headline" }, view.headline);
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

/** What the loader would say, of a wheel for the first library that it would refuse. */
export function refusal(view: BinaryView): HTMLElement | undefined {
  const refused = view.libraries.find((one) => one.loaderSays !== undefined);
  return refused === undefined ? undefined : loaderSays(refused);
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
