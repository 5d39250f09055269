import * as fs from "node:fs";
import * as path from "node:path";
import { stripVTControlCharacters } from "node:util";
import { failureExplanation } from "../../engine/model/index.ts";
import type { ExplainVerdict, FailureExplanation } from "../../engine/model/index.ts";
import { explanationOf } from "../process/index.ts";
import type { ExaminedFile, Workshop } from "../workshop.ts";

/** What an output says of its failure. */
export interface Told {
  /** The line, as it was printed. */
  readonly words: string;
  readonly symbol?: string;
  /** Absent: nobody knows what it comes from. */
  readonly explanation?: FailureExplanation;
}

const symbolRules = ["libstdcxx-abi", "torch-symbols", "missing-library", "own-symbol", "stable-abi", "duplicate-libtorch", "python-abi", "cuda-version", "stamp"];
const libraryRules = ["missing-library", "cuda-version", "torch-symbols", "python-abi", "stamp"];
const bindingRules = ["pybind11-internals", "gxx-abi-version", "libstdcxx-abi"];
const versionRules = ["libstdcxx-version", "glibc-version"];

/** By cause: rules whose findings in the file that failed say it more exactly than the text can. */
const exactRules: Readonly<Record<string, readonly string[]>> = {
  "libstdcxx-abi": symbolRules, "torch-drift": symbolRules, "torch-build": symbolRules, "torch-not-loaded": symbolRules, "library-not-linked": symbolRules,
  "own-symbol": symbolRules, "stable-shim": symbolRules, "other-library-symbol": symbolRules, "torch-cpu-only": symbolRules,
  "cuda-runtime-missing": libraryRules, "torch-library-missing": libraryRules, "library-missing": libraryRules,
  "libstdcxx-too-old": versionRules, "glibc-too-old": versionRules,
  "python-abi": [...symbolRules, ...libraryRules],
  "pybind11-internals": bindingRules, "wrong-arguments": bindingRules,
  "no-kernel-image": ["cuda-architectures", "cuda-version"],
};

/** Failures beyond this many are not asked about: thousands of tests fail for one reason. */
const mostAsked = 50;

/** Extension modules that the lines under a traceback's frames import: what failed to load is beside the file, or in the root. */
export function importedBy(output: string, root: string): readonly string[] {
  const found = new Set<string>();
  for (const [, file = "", source = ""] of stripVTControlCharacters(output).matchAll(/File "([^"]+)", line \d+.*\n\s+((?:from|import) .+)$/gm)) {
    const names = /^from\s+[\w.]*\s+import\s+(.+)$/.exec(source)?.[1] ?? source.replace(/^import\s+/, "");
    for (const name of names.split(",").map((one) => (one.trim().split(/\s/)[0] ?? "").split(".").at(-1) ?? "")) {
      for (const folder of [path.dirname(file), root]) for (const entry of list(folder)) if (entry.startsWith(`${name}.`) && /\.(?:so|pyd)$/.test(entry)) found.add(path.join(folder, entry));
    }
  }
  return [...found];
}

/** Answers what a failure comes from: by what its output says, and by examining the file that it is about. */
export class Explainer {
  readonly #workshop: Workshop;
  readonly #root: string;
  readonly #against: readonly string[];
  readonly #examined = new Map<string, Promise<ExaminedFile | undefined>>();
  readonly #told = new Map<string, Promise<ExplainVerdict | undefined>>();

  constructor(workshop: Workshop, root: string, against: readonly string[]) {
    this.#workshop = workshop;
    this.#root = root;
    this.#against = against;
  }

  /** undefined: nothing in the output is understood. `folder`: where relative names count from; `loads`: files that the test is known to load. */
  async explain(output: string, folder: string, loads: readonly string[]): Promise<Told | undefined> {
    const verdict = await this.#verdict(output);
    if (verdict === undefined) {
      return undefined;
    }
    const explanation = await this.#exactly(verdict, folder, loads) ?? explanationOf([verdict]);
    const symbol = verdict.symbols?.[0]?.symbol;
    return { words: wordsOf(verdict, output), ...(symbol === undefined ? {} : { symbol }), ...(explanation === undefined ? {} : { explanation }) };
  }

  #verdict(output: string): Promise<ExplainVerdict | undefined> {
    const known = this.#told.get(output);
    if (known !== undefined) return known;
    const { diagnostician, activity } = this.#workshop;
    const asked = this.#told.size >= mostAsked ? Promise.resolve(undefined)
      : diagnostician.explain(this.#root, output, this.#against, activity.signal).then(({ verdicts: [first] }) => first, () => undefined);
    this.#told.set(output, asked);
    return asked;
  }

  /** What a rule finds in the file: it names the place, where a text only has the loader's first word. */
  async #exactly(verdict: ExplainVerdict, folder: string, loads: readonly string[]): Promise<FailureExplanation | undefined> {
    const rules = exactRules[verdict.cause] ?? [];
    const files = rules.length === 0 ? [] : verdict.file === undefined ? loads : [path.resolve(folder, verdict.file)];
    const symbol = verdict.symbols?.[0]?.symbol;
    for (const file of files.slice(0, 8)) {
      const examined = await this.#examine(file);
      const findings = (examined?.findings ?? []).filter((finding) => rules.includes(finding.rule) && finding.severity !== "hint" && finding.severity !== "info");
      const finding = (symbol === undefined ? undefined : findings.find((one) => one.message.includes(symbol))) ?? findings.find((one) => one.severity === "error") ?? findings[0];
      if (finding !== undefined) {
        const { rule, message } = finding;
        const said = failureExplanation({ verdicts: [{ ...verdict, confidence: "certain" }] });
        return said?.rule === rule ? { ...said, message } : { rule, cause: verdict.cause, message, headline: message };
      }
    }
    return undefined;
  }

  #examine(file: string): Promise<ExaminedFile | undefined> {
    const known = this.#examined.get(file);
    if (known !== undefined) return known;
    const { diagnostician, activity } = this.#workshop;
    const asked = fs.existsSync(file)
      ? diagnostician.examine(this.#root, [file], this.#against, activity.signal).then(([first]) => first, () => undefined)
      : Promise.resolve(undefined);
    this.#examined.set(file, asked);
    return asked;
  }
}

/** The whole line, where the verdict has a part of it only. */
function wordsOf({ lines: { first, last }, words }: ExplainVerdict, output: string): string {
  const start = words.slice(0, 40);
  const lines = stripVTControlCharacters(output).split(/\r\n|\n|\r/).slice(first - 1, last);
  return (lines.find((line) => line.includes(start)) ?? words).replace(/^E\s+/, "").trim().split("\n", 1)[0] ?? "";
}

function list(folder: string): readonly string[] {
  try {
    return fs.readdirSync(folder);
  } catch {
    return [];
  }
}
