import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { loadCatalogue } from "../../../../../src/engine/catalogue/index.ts";
import { causes, explain, type CauseName } from "../../../../../src/engine/diagnosis/explain/index.ts";
import { openEnvironment } from "../../../../../src/engine/diagnosis/index.ts";
import { NodeFiles } from "../../../../../src/engine/files/index.ts";
import type { Confidence, ExplainReport } from "../../../../../src/engine/model/index.ts";

/** The head of a text: one line of JSON behind "%% ". */
interface Head {
  readonly id: string;
  /** Family of failures, "F1" to "F21". */
  readonly family: string;
  /** The first verdict's cause, or those that would be right; null: nothing is said. */
  readonly cause: CauseName | null | readonly (CauseName | null)[];
  /** Looks like another family's failure than it is, or like a failure at all. */
  readonly nearMiss?: true;
  readonly against?: string;
  readonly confidence?: Confidence;
  readonly maxConfidence?: Confidence;
  /** Causes that no verdict may name. */
  readonly not?: readonly CauseName[];
  /** Causes of further verdicts. */
  readonly then?: readonly CauseName[];
  readonly verdicts?: number;
  /** Words that the first headline holds. */
  readonly headline?: string;
  /** Why the truth of it is not settled. */
  readonly unsettled?: string;
}

export interface CorpusText extends Head {
  readonly text: string;
}

const folder = import.meta.dirname;
const confidences: readonly Confidence[] = ["possible", "likely", "certain"];

/** What a text alone cannot prove: whether the other side exports the symbol. */
const needsAnotherSide = new Set<string>(["libstdcxx-abi", "torch-drift", "torch-build", "torch-not-loaded", "stable-shim"]);

/** Advice that does damage, and in which verdicts. */
const harmful: readonly { readonly words: RegExp; readonly in?: string }[] = [
  { words: /\bln -s|\b(?:create|add|make) a (?:symbolic link|symlink)/i },
  { words: /(?<!(?:do not|don't|never|not) )\bcomment(?:ing)? (?:it |the check |this check )?out/i },
  { words: /(?<!(?:do not|don't|never|not) )(?:set|flip|change|toggle|add|pass|define) (?:the macro )?(?:-D)?_GLIBCXX_USE_CXX11_ABI/i, in: "torch-drift" },
  { words: /--force-reinstall|pip install --upgrade torch\b|apt(?:-get)? install libc6/i },
];

export function readCorpus(): readonly CorpusText[] {
  return readdirSync(folder).filter((name) => name.endsWith(".txt")).sort().flatMap((name) =>
    readFileSync(join(folder, name), "utf8").split(/^%% /m).slice(1).map((part) => {
      const end = part.indexOf("\n");
      return { ...JSON.parse(part.slice(0, end)) as Head, text: part.slice(end + 1).replaceAll("\u241b", "\u001b").replaceAll("\u240d", "\r") };
    }));
}

export async function explained({ text, against }: CorpusText): Promise<ExplainReport> {
  const catalogue = loadCatalogue();
  if (against === undefined) return explain(text, { catalogue });
  const answer = await openEnvironment(against, { root: folder, files: new NodeFiles(), catalogue, environment: {} });
  if (!answer.ok) throw new Error(`${against}: ${answer.message}`);
  return explain(text, { catalogue, environment: answer.environment });
}

/** What is wrong with a report, in words; empty when it is right. */
export function faults(expected: CorpusText, { verdicts }: ExplainReport): readonly string[] {
  const wanted: readonly unknown[] = Array.isArray(expected.cause) ? expected.cause : [expected.cause];
  const [first] = verdicts;
  const told = verdicts.map((one) => one.cause);
  const found: string[] = [];
  if (!wanted.includes(first?.cause ?? null)) found.push(`says ${first === undefined ? "nothing" : `${first.cause} (${first.headline})`}, not ${wanted.map(String).join(" or ")}`);
  for (const cause of expected.not ?? []) if (told.includes(cause)) found.push(`says ${cause}`);
  for (const cause of expected.then ?? []) if (!told.slice(1).includes(cause)) found.push(`does not go on with ${cause}, but with ${told.slice(1).join(", ")}`);
  if (expected.verdicts !== undefined && told.length !== expected.verdicts) found.push(`has ${told.length} verdicts: ${told.join(", ")}`);
  if (expected.headline !== undefined && first?.headline.includes(expected.headline) !== true) found.push(`says "${first?.headline ?? ""}", not "${expected.headline}"`);
  if (expected.confidence !== undefined && first !== undefined && first.confidence !== expected.confidence) found.push(`is ${first.confidence}, not ${expected.confidence}`);
  if (expected.maxConfidence !== undefined && first !== undefined && confidences.indexOf(first.confidence) > confidences.indexOf(expected.maxConfidence)) found.push(`is ${first.confidence}`);
  for (const one of verdicts) {
    if (!Object.hasOwn(causes, one.cause)) found.push(`names a cause that is none: ${one.cause}`);
    if (expected.against === undefined && one.confidence === "certain" && needsAnotherSide.has(one.cause)) found.push(`is certain of ${one.cause} without having seen the other side`);
    if (one.confidence !== "certain" && one.needs.length === 0) found.push(`does not say what would settle ${one.cause}`);
    if (one.because.length === 0) found.push(`gives no evidence for ${one.cause}`);
    for (const advice of [...one.fixes, one.copy ?? ""]) {
      for (const { words, in: where } of harmful) if ((where === undefined || where === one.cause) && words.test(advice)) found.push(`advises harm: ${advice}`);
    }
    for (const sentence of [one.headline, ...one.because, ...one.fixes, ...one.needs]) {
      if (/\bcompatible\b/.test(sentence)) found.push(`says "compatible": ${sentence}`);
    }
  }
  return found;
}
