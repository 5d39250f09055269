import type { EvaluationContext, Language, Reading } from "../../../../src/engine/model/index.ts";
import { readCMake } from "../../../../src/engine/sources/cmake/index.ts";
import { MemoryFiles } from "../../../support/memory-files.ts";

/** Reads a project given as texts by relative path. */
export function read(texts: Readonly<Record<string, string>>, context: Partial<EvaluationContext> = {}): Reading {
  return readCMake("/p", new MemoryFiles(Object.fromEntries(Object.entries(texts).map(([path, text]) => [`/p/${path}`, text]))), { platform: "linux", ...context });
}

/** What the compiler of one language gets by default, as one line. */
export function argumentsOf(reading: Reading, name: string, language: Language, configuration = ""): string {
  const target = reading.targets.find((one) => one.name === name);
  return (target?.arguments ?? [])
    .filter((one) => one.languages.includes(language) && (one.configurations === undefined || one.configurations.includes(configuration)) && !one.conditions.some((condition) => condition.byDefault === false))
    .map((one) => one.text.replaceAll('\\"', '"'))
    .join(" ");
}
