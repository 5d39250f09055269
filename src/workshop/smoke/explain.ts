import * as fs from "node:fs";
import * as path from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { ExaminedFile, Workshop } from "../workshop.ts";
import type { TestResult } from "./types.ts";

/** What an output says that skew could be the cause of. */
export interface Suspicion {
  /** The line, as it was printed. */
  readonly words: string;
  /** The file that it names; absent: one of those that the test loads. */
  readonly file?: string;
  readonly symbol?: string;
  /** Rules whose findings would explain it. */
  readonly rules: readonly string[];
}

const symbolRules = ["libstdcxx-abi", "torch-symbols", "missing-library", "own-symbol", "stable-abi", "duplicate-libtorch", "python-abi", "cuda-version", "stamp"];
const libraryRules = ["missing-library", "cuda-version", "torch-symbols", "python-abi", "stamp", "platform"];

interface Sign {
  /** Groups "file" and "symbol" where it names them. */
  readonly expression: RegExp;
  readonly rules: readonly string[];
}

/**
 * The words of glibc's loader (elf/dl-lookup.c, dl-version.c, dl-load.c), of pybind11 (pybind11.h) and of the CUDA runtime
 * (cudaGetErrorString). A file is tried from its first character only: from each one, a word of 100 KB would take minutes.
 */
const signs: readonly Sign[] = [
  { expression: /(?<![^\s:'"(])(?<file>\/?[^\s:'"]+\.so[^\s:'"]*|\/[^\s:'"]+|\.\/[^\s:'"]+): undefined symbol: (?<symbol>[^\s,'"]+)/, rules: symbolRules },
  { expression: /version [`'](?:GLIBC|GLIBCXX|CXXABI|GCC)_[^']+' not found \(required by (?<file>[^)]+)\)/, rules: ["libstdcxx-version", "glibc-version"] },
  { expression: /(?<!\S)(?<file>\S+): error while loading shared libraries: \S+: cannot open shared object file/, rules: libraryRules },
  { expression: /(?:ImportError|OSError): \S+\.so[^\s:]*: cannot open shared object file/, rules: libraryRules },
  { expression: /(?:ImportError|OSError): (?<file>\/\S+?\.so[^\s:]*): /, rules: [...symbolRules, ...libraryRules] },
  { expression: /TypeError: .*(?:incompatible function arguments|Unable to convert function return value to a Python type|incompatible constructor arguments)/, rules: ["pybind11-internals", "gxx-abi-version", "libstdcxx-abi"] },
  { expression: /(?:CUDA error: )?no kernel image is available for execution on the device/, rules: ["cuda-architectures", "cuda-version"] },
];

/** The first sign of skew in an output; `folder`: where relative names count from. */
export function suspicionIn(output: string, folder: string): Suspicion | undefined {
  for (const line of stripVTControlCharacters(output).split(/\r?\n/)) {
    if (!/undefined symbol|not found \(required|shared object|shared libraries|Error: |no kernel image/.test(line)) continue;
    for (const { expression, rules } of signs) {
      const match = expression.exec(line);
      if (match === null) continue;
      const { file, symbol } = match.groups ?? {};
      return { words: line.replace(/^E\s+/, "").trim(), rules, ...(file === undefined ? {} : { file: path.resolve(folder, file) }), ...(symbol === undefined ? {} : { symbol }) };
    }
  }
  return undefined;
}

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

/** Answers which rule explains a failure, by examining the file that it is about. Nothing is guessed: without a finding there is no explanation. */
export class Explainer {
  readonly #workshop: Workshop;
  readonly #root: string;
  readonly #against: readonly string[];
  readonly #examined = new Map<string, Promise<ExaminedFile | undefined>>();

  constructor(workshop: Workshop, root: string, against: readonly string[]) {
    this.#workshop = workshop;
    this.#root = root;
    this.#against = against;
  }

  /** `loads`: files that the test is known to load. */
  async explain(suspicion: Suspicion, loads: readonly string[]): Promise<TestResult["explanation"]> {
    const files = suspicion.file === undefined ? loads : [suspicion.file];
    for (const file of files.slice(0, 8)) {
      const examined = await this.#examine(file);
      const findings = (examined?.findings ?? []).filter((finding) => suspicion.rules.includes(finding.rule) && finding.severity !== "hint" && finding.severity !== "info");
      const { symbol } = suspicion;
      const finding = (symbol === undefined ? undefined : findings.find((one) => one.message.includes(symbol))) ?? findings.find((one) => one.severity === "error") ?? findings[0];
      if (finding !== undefined) return { rule: finding.rule, message: finding.message };
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

function list(folder: string): readonly string[] {
  try {
    return fs.readdirSync(folder);
  } catch {
    return [];
  }
}
