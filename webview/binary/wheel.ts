/** A wheel: its metadata, its tags against its content, and its libraries, each to be folded out. */
import type { BinaryLibrary, BinaryView } from "../../src/protocol/index.ts";
import { el, icon } from "./dom.ts";
import { currentState, keep } from "./host.ts";
import { comparison, loaderSays, nature, reasons, section, symbols } from "./library.ts";
import type { Showing } from "./library.ts";
import { table } from "./profile.ts";
import type { Row } from "./profile.ts";
import { size, verdictWords } from "./words.ts";

type Wheel = NonNullable<BinaryView["inspect"]["wheel"]>;

export function wheelSections(view: BinaryView, showing: Showing): readonly (HTMLElement | undefined)[] {
  const { wheel } = view.inspect;
  return [
    ...(wheel === undefined ? [] : [tagsAgainstContent(wheel, showing)]),
    libraries(view, showing),
    ...(wheel === undefined ? [] : [section("Metadata", table("Metadata of the wheel", metadata(wheel), showing.filter))]),
  ];
}

function tagsAgainstContent({ disagreements }: Wheel, { filter }: Showing): HTMLElement | undefined {
  const shown = disagreements.filter((one) => filter(one.message, one.kind, one.member));
  return shown.length === 0 ? undefined : section("Tags and Metadata against Content", el("ul", { class: "plain findings" }, ...shown.map((one) => {
    const line = el("li", {}, el("strong", {}, one.weight), ` ${one.message}`);
    line.prepend(icon(one.weight === "error" ? "bad" : one.weight));
    return line;
  })));
}

function metadata(wheel: Wheel): readonly Row[] {
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

function libraries(view: BinaryView, showing: Showing): HTMLElement | undefined {
  const shown = view.libraries.flatMap((library) => folded(library, view, showing));
  const more = view.symbolsLeftOut === 0 ? [] : [el("p", { class: "dim" }, `${view.symbolsLeftOut.toLocaleString("en")} further imported symbols are not listed. Unpack the wheel and open a library of it to see them all.`)];
  return shown.length === 0 ? undefined : section(`Libraries (${shown.length === view.libraries.length ? "" : `${shown.length} of `}${view.libraries.length})`, ...shown, ...more);
}

function folded(library: BinaryLibrary, view: BinaryView, showing: Showing): HTMLElement[] {
  const fit = view.fits?.members?.find((one) => one.file === library.file);
  const binary = view.inspect.binaries.find((one) => one.profile.path === library.file);
  const { open } = currentState();
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
  const content = (): readonly HTMLElement[] => [loaderSays(library), reasons(fit, showing), comparison(fit, showing), ...nature(binary, showing), symbols(library, showing)].filter((one) => one !== undefined);
  // Where nothing is searched for, content is made when it is looked at.
  const matches = showing.filter(library.name) || content().length > 0;
  if (!matches) {
    return [];
  }
  const details = el("details", {}, summary);
  const fill = (): void => {
    if (details.open && details.childElementCount === 1) {
      details.append(...content());
    }
  };
  details.open = open.includes(library.name);
  fill();
  details.addEventListener("toggle", () => {
    fill();
    const others = currentState().open.filter((one) => one !== library.name);
    keep({ open: details.open ? [...others, library.name] : others });
  });
  return [details];
}
