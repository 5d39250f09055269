import type { BenchmarkFormat } from "../../project/types.ts";
import { findDocuments } from "./document.ts";
import { readGoogleBenchmark } from "./googleBenchmark.ts";
import { readNvbench } from "./nvbench.ts";
import { readPytestBenchmark } from "./pytestBenchmark.ts";
import { isObject, objectsOf } from "./reading.ts";
import type { JsonObject, Reading, ReadOutput } from "./reading.ts";

/** Larger outputs are not benchmarks' results: ten thousand of them take some megabytes. */
export const largestOutput = 64 * 1024 * 1024;

const names: Readonly<Record<BenchmarkFormat, string>> = { "google-benchmark": "Google Benchmark", nvbench: "nvbench", "pytest-benchmark": "pytest-benchmark" };

/**
 * Reads what a benchmark program wrote. Whatever is wrong with it is told in `problems`, and the benchmarks that were whole
 * are answered. `file`: where it was written, for files beside it; `where`: how it is called in sentences.
 */
export function readOutput(output: Uint8Array | string, format: BenchmarkFormat, where: string, file?: string): ReadOutput {
  const text = typeof output === "string" ? output : decoded(output);
  if (text.trim() === "") {
    return { readings: [], problems: [`${where} is empty.`] };
  }
  const documents = findDocuments(text);
  if (documents.length === 0) {
    return { readings: [], problems: [`${where} holds no JSON object. It begins with ${excerpt(text)}`] };
  }
  const problems: string[] = [];
  const readings: Reading[] = [];
  for (const { value, cut } of documents) {
    const seen = looksLike(value);
    if (seen !== format && !(cut && seen === undefined)) {
      problems.push(`${where} is JSON, but not of ${names[format]}: ${told(value, seen)}`);
      continue;
    }
    const found = read(value, format, file);
    readings.push(...found);
    if (cut) {
      problems.push(`${where} ends in the middle of the JSON; the ${found.length} benchmark${found.length === 1 ? "" : "s"} before that ${found.length === 1 ? "was" : "were"} read.`);
    } else if (found.length === 0) {
      problems.push(`${where} lists no benchmarks.`);
    }
  }
  if (text.includes("\ufffd")) {
    problems.push(`${where} is not valid UTF-8; what could not be decoded is shown as \ufffd.`);
  }
  return { readings: merged(readings), problems };
}

function read(value: JsonObject, format: BenchmarkFormat, file: string | undefined): Reading[] {
  switch (format) {
    case "google-benchmark":
      return readGoogleBenchmark(value);
    case "nvbench":
      return readNvbench(value, file);
    case "pytest-benchmark":
      return readPytestBenchmark(value);
  }
}

/** PowerShell writes UTF-16 with a mark, and so may a program on Windows. */
function decoded(bytes: Uint8Array): string {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : "utf-8";
  return new TextDecoder(encoding).decode(bytes);
}

function looksLike(value: JsonObject): BenchmarkFormat | undefined {
  const first = objectsOf(value.benchmarks)[0];
  if (isObject(value.machine_info) || isObject(first?.stats)) {
    return "pytest-benchmark";
  }
  if (Array.isArray(value.devices) || Array.isArray(first?.states)) {
    return "nvbench";
  }
  return Array.isArray(value.benchmarks) && (isObject(value.context) || first?.real_time !== undefined || first?.run_type !== undefined) ? "google-benchmark" : undefined;
}

function told(value: JsonObject, seen: BenchmarkFormat | undefined): string {
  if (seen !== undefined) {
    return `it looks like ${names[seen]}. abiding.json says which it is.`;
  }
  const other = objectsOf(value.results)[0]?.times !== undefined ? "it looks like hyperfine, which is not read." : undefined;
  return other ?? `its keys are ${Object.keys(value).slice(0, 8).join(", ") || "none"}.`;
}

/** A benchmark that stands in two documents of one output was measured twice. */
function merged(readings: readonly Reading[]): Reading[] {
  const byName = new Map<string, Reading>();
  for (const reading of readings) {
    const before = byName.get(reading.name);
    byName.set(reading.name, before === undefined ? reading : { ...before, samples: [...before.samples, ...reading.samples] });
  }
  return [...byName.values()];
}

function excerpt(text: string): string {
  const line = text.trim().split(/\r?\n/, 1)[0] ?? "";
  return JSON.stringify(line.length > 80 ? `${line.slice(0, 80)}…` : line);
}
