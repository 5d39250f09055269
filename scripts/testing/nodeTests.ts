import { relative } from "node:path";
import { finished } from "node:stream/promises";
import { run } from "node:test";
import type { EventData } from "node:test";
import { inspect } from "node:util";
import { root } from "../../test/harness/locations.ts";
import { tail } from "../lib/step.ts";
import type { Tally } from "./tally.ts";

export interface NodeTestOptions {
  readonly files: readonly string[];
  /** Files at the same time. */
  readonly concurrency: number;
  /** Milliseconds for one file. */
  readonly timeout: number;
}

/** Runs files of `node:test` tests, each in a process of its own, and prints what failed or was skipped. */
export async function runNodeTests(options: NodeTestOptions): Promise<Tally> {
  const tally = { passed: 0, failed: 0, skipped: 0 };
  const output = new Map<string, string>();
  const keep = (data: EventData.TestStdout | EventData.TestStderr): void => void output.set(data.file, (output.get(data.file) ?? "") + data.message);
  const failedFiles = new Set<string>();

  const stream = run({ files: [...options.files], concurrency: options.concurrency, timeout: options.timeout, isolation: "process", cwd: root });
  stream.on("test:stdout", keep);
  stream.on("test:stderr", keep);
  stream.on("test:pass", (data) => {
    // Of a suite that is skipped whole nothing else is reported.
    if (data.details.type === "suite" && data.skip === undefined) return;
    if (data.skip !== undefined || data.todo !== undefined) {
      tally.skipped += 1;
      print(`skipped: ${placeOf(data)} ${data.name}${reasonOf(data.skip ?? data.todo)}`);
    } else {
      tally.passed += 1;
    }
  });
  stream.on("test:fail", (data) => {
    const error = data.details.error as Error & { readonly failureType?: string };
    // Whoever contains a failed test fails too; it is counted once.
    if (error.failureType === "subtestsFailed") return;
    tally.failed += 1;
    if (data.file !== undefined) failedFiles.add(data.file);
    print(`FAILED: ${placeOf(data)} ${data.name}\n${indent(textOf(error.cause ?? error))}`);
  });
  await finished(stream.resume());
  for (const file of failedFiles) {
    const text = output.get(file);
    if (text !== undefined) print(`output of ${relative(root, file)}:\n${indent(tail(text))}`);
  }
  return tally;
}

function placeOf(data: EventData.TestPass | EventData.TestFail): string {
  return data.file === undefined ? "" : `${relative(root, data.file)}:${data.line ?? 1}`;
}

function reasonOf(reason: string | boolean | undefined): string {
  return typeof reason === "string" && reason !== "" ? ` (${reason})` : "";
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : inspect(error, { depth: 4 });
}

function indent(text: string): string {
  return text.replace(/^/gm, "    ");
}

function print(text: string): void {
  process.stdout.write(`  ${text}\n`);
}
