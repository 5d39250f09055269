import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Random } from "../../../test/support/random.ts";
import { subjects } from "./index.ts";
import { mutate } from "./mutate.ts";
import type { Original, Subject } from "./subject.ts";

/** The originals of each subject, in its order in the list. */
export type Material = readonly { readonly subject: string; readonly originals: readonly Original[] }[];

export interface Outcome {
  readonly inputs: number;
  readonly problems: readonly string[];
  /** The slowest inputs, slowest first. */
  readonly slowest: readonly { readonly seed: number; readonly subject: string; readonly original: string; readonly milliseconds: number }[];
  /** The most that objects and buffers took together, in MB. */
  readonly peakMegabytes: number;
}

const maximumMilliseconds = 1000;
const maximumMegabytes = 200;

/** Makes the originals of the subjects named, or of all; those of which nothing can be had are left out. */
export async function prepare(names: readonly string[] = []): Promise<Material> {
  const material: { subject: string; originals: readonly Original[] }[] = [];
  for (const subject of subjects.filter((one) => names.length === 0 || names.includes(one.name))) {
    const folder = mkdtempSync(join(tmpdir(), "abiding-fuzz-"));
    try {
      material.push({ subject: subject.name, originals: await subject.originals(folder) });
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
  return material.filter((one) => one.originals.length > 0);
}

/** Reads the inputs of the seeds from `from`; the same seed and material make the same input. */
export async function fuzz(material: Material, from: number, count: number, onInput: (seed: number) => void = () => undefined): Promise<Outcome> {
  const problems: string[] = [];
  let slowest: Outcome["slowest"] = [];
  let peakMegabytes = 0;
  const baseline = megabytes();
  for (let seed = from; seed < from + count; seed++) {
    onInput(seed);
    const input = inputOf(material, seed);
    if (input === undefined) break;
    const { subject, original, bytes } = input;
    const started = processorMilliseconds();
    try {
      await subject.read(bytes, original);
    } catch (error) {
      problems.push(`seed ${seed} (${subject.name}, ${original.name}): ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`.slice(0, 600));
    }
    const milliseconds = processorMilliseconds() - started;
    if (milliseconds > maximumMilliseconds) problems.push(`seed ${seed} (${subject.name}, ${original.name}): took ${milliseconds.toFixed(0)} ms`);
    if (slowest.length < 5 || milliseconds > (slowest.at(-1)?.milliseconds ?? 0)) slowest = [...slowest, { seed, subject: subject.name, original: original.name, milliseconds }].sort((a, b) => b.milliseconds - a.milliseconds).slice(0, 5);
    if (seed % 64 === 0 || milliseconds > 100) peakMegabytes = Math.max(peakMegabytes, megabytes() - baseline);
  }
  if (peakMegabytes > maximumMegabytes) problems.push(`took ${peakMegabytes.toFixed(0)} MB of memory`);
  return { inputs: count, problems, slowest, peakMegabytes };
}

/** The input of one seed. */
export function inputOf(material: Material, seed: number): { readonly subject: Subject; readonly original: Original; readonly bytes: Uint8Array } | undefined {
  const random = new Random(seed);
  const chosen = material[random.below(material.length)];
  const subject = subjects.find((one) => one.name === chosen?.subject);
  const original = chosen?.originals[random.below(chosen.originals.length)];
  return subject === undefined || original === undefined ? undefined : { subject, original, bytes: mutate(original, random) };
}

/** Of this thread: other programs that keep the machine busy do not count. */
function processorMilliseconds(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

function megabytes(): number {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / 2 ** 20;
}
