import { styleText } from "node:util";
import { shortNames } from "../../engine/binaries/mangling/index.ts";
import type { Confidence, ExplainReport, ExplainVerdict } from "../../engine/model/index.ts";
import { plural, wrap } from "./layout.ts";

type Style = Parameters<typeof styleText>[0];
type Paint = (style: Style, text: string) => string;

const confidenceStyle: Readonly<Record<Confidence, Style>> = { certain: "green", likely: "yellow", possible: "dim" };

/** Of a list that a log repeats, as many as one reads; `--format json` has all. */
const mostShown = 5;

/** `explain` for people: what happened, on what evidence, what to do, and what would settle it. The verdict to look at first is the first. */
export function explainText(report: ExplainReport, colours: boolean): string {
  const paint: Paint = (style, text) => (colours ? styleText(style, text, { validateStream: false }) : text);
  const out = report.verdicts.length === 0 ? nothing() : report.verdicts.flatMap((verdict, at) => [...(at === 0 ? [] : [""]), ...verdictLines(verdict, at, report.verdicts.length, paint)]);
  const compared = comparedWith(report);
  out.push(...(compared.length === 0 ? [] : ["", ...compared]));
  if (report.notChecked.length > 0) {
    out.push("", paint("underline", "Not checked"), ...report.notChecked.flatMap((sentence) => wrap(sentence, "  ")));
  }
  return `${out.join("\n")}\n`;
}

function nothing(): string[] {
  return [
    "Nothing in this text was recognised.",
    "",
    ...wrap("Looked for: errors of the dynamic loader and of linkers (GNU, LLVM, gold, mold, macOS, Windows), of Python imports and wheels, of g++, clang, nvcc, CMake, pip, uv and torch's cpp_extension, of pybind11 and nanobind, of CUDA, NCCL and cuDNN at run time, of torch's operators, and the version checks of packages.", "  "),
    "",
    ...wrap("The whole text helps, from the first \"Traceback\" or \"error:\" on: what is printed last often only follows from it. If two versions or builds that disagree are behind it after all, report the text as an issue of Abiding, without what is private in it.", "  "),
  ];
}

function verdictLines(verdict: ExplainVerdict, at: number, count: number, paint: Paint): string[] {
  const { confidence, occurrences, consequences } = verdict;
  const number = count === 1 ? "" : at === 0 ? "1. First: " : `${at + 1}. `;
  const out = wrap(shortNames(verdict.headline), "", number).map((line) => paint("bold", line));
  const marks = [paint(confidenceStyle[confidence], confidence), placeOf(verdict), ...(occurrences > 1 ? [`said ${occurrences} times`] : []), ...(verdict.rule === null ? [] : [`rule ${verdict.rule}`])];
  out.push(`  ${marks.join(", ")}`, ...wrap(shown(verdict.words), "    ").slice(0, mostShown).map((line) => paint("dim", line)));
  out.push(...section("Why", verdict.because, paint));
  out.push(...symbolLines(verdict, paint));
  out.push(...section(verdict.fixes.length > 1 ? "What to do, the best first" : "What to do", verdict.fixes, paint));
  if (verdict.copy !== undefined) {
    out.push("", ...verdict.copy.split("\n").map((line) => `    ${paint("cyan", line)}`));
  }
  out.push(...section(confidence === "certain" ? "What the remedy depends on" : "What would settle it", verdict.needs, paint));
  if (consequences.length > 0) {
    const rest = consequences.length - mostShown;
    out.push("", `  ${paint("underline", "Only follows from it")}`, ...consequences.slice(0, mostShown).flatMap(({ line, words }) => wrap(shown(words), "      ", `    line ${line}: `).slice(0, 2)), ...(rest > 0 ? [`    and ${plural(rest, "more line")}`] : []));
  }
  return out;
}

/** Of a message that fills a screen the beginning and the end say which it is. */
function shown(words: string): string {
  const short = shortNames(words);
  return short.length > 600 ? `${short.slice(0, 400)} … ${short.slice(-150)}` : short;
}

function placeOf({ lines }: ExplainVerdict): string {
  return lines.first === lines.last ? `line ${lines.first}` : `lines ${lines.first} to ${lines.last}`;
}

function section(title: string, sentences: readonly string[], paint: Paint): string[] {
  return sentences.length === 0 ? [] : ["", `  ${paint("underline", title)}`, ...sentences.flatMap((sentence) => wrap(shortNames(sentence), "      ", "    - "))];
}

function span({ since, until }: { readonly since: string; readonly until: string | null }): string {
  return until === null ? `${since} and later` : since === until ? since : `${since} to ${until}`;
}

function symbolLines({ symbols = [] }: ExplainVerdict, paint: Paint): string[] {
  if (symbols.length === 0) {
    return [];
  }
  const rest = symbols.length - mostShown;
  return [
    "", `  ${paint("underline", symbols.length === 1 ? "The symbol" : `${symbols.length} symbols`)}`,
    ...symbols.slice(0, mostShown).flatMap((one) => [
      ...wrap(shortNames(one.demangled), "      ", "    - "),
      ...(one.torch === undefined ? [] : [`      in torch ${span(one.torch)}`]),
      ...(one.successor === undefined ? [] : wrap(`${one.successor.torch === undefined ? "instead" : `in torch ${span(one.successor.torch)} instead`}: ${shortNames(one.successor.demangled)}`, "        ", "      ")),
    ]),
    ...(rest > 0 ? [`    and ${rest} more; --format json lists all`] : []),
  ];
}

const chosenWords = {
  named: "", text: ", whose files the text names",
  project: ", which the project names; --against names the one in which it failed", found: ", the one found around this folder; --against names the one in which it failed",
} as const;

function comparedWith({ against, verdicts }: ExplainReport): string[] {
  if (against === null) {
    return verdicts.length === 0 ? [] : wrap("Not compared with a torch: none was named (--against ENV), and none was found around this folder.", "");
  }
  const torch = `torch ${against.torch ?? "of unknown version"}`;
  return wrap(`Compared with ${against.name.includes(torch) ? against.name : `${torch} (${against.name})`}${chosenWords[against.chosen ?? "named"]}.`, "");
}
