/** A wheel: its metadata, its tags against its content, and its libraries, each to be folded out. */
import type { BinaryLibrary, BinaryView } from "../../src/protocol/index.ts";
import { el, icon } from "../shared/dom.ts";
import { currentState, keep } from "./host.ts";
import { comparison, loaderSays, nature, reasons, section, symbols } from "./library.ts";
import type { Showing } from "./library.ts";
import { table } from "./profile.ts";
import type { Row } from "./profile.ts";
import { size, verdictWords } from "./words.ts";

type Wheel = NonNullable<BinaryView["inspect"]["wheel"]>;

/** Of the libraries of a wheel, the first that the loader would refuse. */
export function refusedLibrary(view: BinaryView): BinaryLibrary | undefined {
  return view.libraries.find((one) => one.loaderSays !== undefined);
}

export function tagsAgainstContent({ inspect }: BinaryView, { filter }: Showing): HTMLElement | undefined {
  const shown = (inspect.wheel?.disagreements ?? []).filter((one) => filter(one.message, one.kind, one.member));
  return shown.length === 0 ? undefined : section("Tags and Metadata against Content", el("ul", { class: "plain findings" }, ...shown.map((one) => {
    const line = el("li", {}, el("strong", {}, one.weight), ` ${one.message}`);
    line.prepend(icon(one.weight === "error" ? "bad" : one.weight));
    return line;
  })));
}

export function metadata({ inspect: { wheel } }: BinaryView, { filter }: Showing): HTMLElement | undefined {
  return wheel === undefined ? undefined : section("Metadata", table("Metadata of the wheel", metadataRows(wheel), filter));
}

function metadataRows(wheel: Wheel): readonly Row[] {
  const { pythons, abis, platforms } = wheel.tags;
  const rows: readonly Row[] = [
    ["Package", [`${wheel.name} ${wheel.version}`]],
    ["Size", [size(wheel.size)]],
    ["Tags of the name", [`${pythons.join(".")}-${abis.join(".")}-${platforms.join(".")}`]],
    ["Tags of WHEEL", wheel.wheelTags],
    ["Platform needed", [wheel.platformTag ?? "not known"]],
    ["Beside torch and CUDA", wheel.platformTagBesideTorch === undefined || wheel.platformTagBesideTorch === wheel.platformTag ? [] : [wheel.platformTagBesideTorch]],
    ["Limited API", wheel.abi3Floor === undefined ? [] : [`all modules keep to that of CPython ${wheel.abi3Floor}`]],
    ["Made by", wheel.generator === undefined ? [] : [wheel.generator]],
    ["Python", wheel.requiresPython === undefined ? [] : [wheel.requiresPython]],
    ["Requires", wheel.requires],
    ["Not known", wheel.notKnown],
  ];
  return rows.filter(([, values]) => values.length > 0);
}

export function libraries(view: BinaryView, showing: Showing): HTMLElement | undefined {
  const shown = view.libraries.flatMap((library) => folded(library, view, showing));
  const more = view.symbolsLeftOut === 0 ? [] : [el("p", { class: "dim" }, `${view.symbolsLeftOut.toLocaleString("en")} further imported symbols are not listed. Unpack the wheel and open a library of it to see them all.`)];
  return shown.length === 0 ? undefined : section(`Libraries (${shown.length === view.libraries.length ? "" : `${shown.length} of `}${view.libraries.length})`, ...shown, ...more);
}

function folded(library: BinaryLibrary, view: BinaryView, showing: Showing): HTMLElement[] {
  const { searching } = showing;
  const fit = fitOf(library, view);
  const binary = view.inspect.binaries.find((one) => one.profile.path === library.file);
  const title = el("span", { class: "name" }, library.name);
  const summary = el("summary", {}, title);
  if (fit !== undefined) {
    const { mark, word } = verdictWords[fit.verdict];
    const verdict = el("span", { class: "result" }, word);
    verdict.prepend(icon(mark));
    summary.append(" ", verdict);
  }
  if (binary !== undefined) {
    summary.append(" ", el("span", { class: "dim" }, size(binary.profile.size)));
  }
  const isSaidAbove = !searching && library === refusedLibrary(view);
  const content = (what: Showing): readonly HTMLElement[] =>
    [isSaidAbove ? undefined : loaderSays(library, what), reasons(fit, what), comparison(fit, what), ...nature(binary, what), symbols(library, what)].filter((one) => one !== undefined);
  // Where nothing is searched for, content is made when it is looked at.
  const hits = searching ? content(showing) : [];
  if (searching && hits.length === 0 && !showing.filter(library.name)) {
    return [];
  }
  const details = el("details", { "data-name": library.name }, summary);
  const fill = (): void => {
    if (details.open && details.childElementCount === 1) {
      // Of a library of which only the name is a hit, everything.
      details.append(...(hits.length > 0 ? hits : content({ ...showing, filter: () => true })));
    }
  };
  details.open = hits.length > 0 || openLibraries(view).includes(library.name);
  fill();
  details.addEventListener("toggle", () => {
    fill();
    const open = openLibraries(view);
    // What a search folds out is not what somebody wants to see without it.
    if (!searching && details.open !== open.includes(library.name)) {
      keep({ open: details.open ? [...open, library.name] : open.filter((one) => one !== library.name) });
    }
  });
  return [details];
}

function fitOf(library: BinaryLibrary, view: BinaryView): NonNullable<NonNullable<BinaryView["fits"]>["members"]>[number] | undefined {
  return view.fits?.members?.find((one) => one.file === library.file);
}

/** At first the one library for which one would look. */
function openLibraries(view: BinaryView): readonly string[] {
  const first = refusedLibrary(view) ?? view.libraries.find((one) => fitOf(one, view)?.verdict === "conflict");
  return currentState().open ?? (first === undefined ? [] : [first.name]);
}
