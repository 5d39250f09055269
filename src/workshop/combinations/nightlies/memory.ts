/** What was seen at indexes, kept in the user's cache folder: one file for each page, whole at any time, added to by one at a time. */
import { createHash } from "node:crypto";
import { readFile, rename } from "node:fs/promises";
import * as path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { codeOf, exclusively, sentenceOf, writeWhole } from "../../process/index.ts";
import type { Activity } from "../../workshop.ts";
import type { Memory, RememberedWheel } from "./types.ts";

/** A file of this size holds some hundred thousand wheels; a larger one is none of ours. */
const largest = 128 * 1024 * 1024;

type Teller = Pick<Activity, "signal" | "note">;

export interface Read {
  readonly memory: Memory;
  /** Why what was there could not be used, in a sentence. */
  readonly problem?: string;
}

/** The file for one page. */
export function memoryFile(folder: string, index: string, packageName: string): string {
  const host = URL.canParse(index) ? new URL(index).hostname : "index";
  const key = createHash("sha256").update(index).digest("hex").slice(0, 12);
  return path.join(folder, `${host.replaceAll(/[^\w.-]/g, "_")}-${key}-${packageName}.json`);
}

/** Never throws: a file that is damaged is as good as none, and stays where it is until it is written anew. */
export async function readMemory(file: string, index: string, packageName: string): Promise<Read> {
  const nothing: Memory = { schema: 1, index, package: packageName, wheels: [] };
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    return codeOf(error) === "ENOENT" ? { memory: nothing } : { memory: nothing, problem: sentenceOf(error, `read ${file}`) };
  }
  const memory = text.length > largest ? undefined : parse(text);
  if (memory === undefined || memory.index !== index || memory.package !== packageName) {
    return { memory: nothing, problem: `${file} is damaged; what it remembered of ${packageName} at ${index} is not used. It is set aside when the index is read the next time.` };
  }
  return { memory };
}

function parse(text: string): Memory | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const memory = value as Partial<Memory> | null;
  if (typeof memory !== "object" || memory?.schema !== 1 || typeof memory.index !== "string" || typeof memory.package !== "string" || !Array.isArray(memory.wheels) || !isOptionalText(memory.readAt)) {
    return undefined;
  }
  return { schema: 1, index: memory.index, package: memory.package, ...(memory.readAt === undefined ? {} : { readAt: memory.readAt }), wheels: memory.wheels.filter(isWheel) };
}

const required = ["package", "version", "file", "url", "index", "python", "abi", "firstSeen", "lastSeen"] as const;
const optional = ["sha256", "requiresPython", "yanked", "day", "changed", "gone", "sidecar", "identity"] as const;

/** One bad entry costs only itself. */
function isWheel(value: unknown): value is RememberedWheel {
  if (typeof value !== "object" || value === null) return false;
  const wheel = value as Readonly<Record<string, unknown>>;
  return required.every((name) => typeof wheel[name] === "string")
    && optional.every((name) => isOptionalText(wheel[name]))
    && isTexts(wheel["platforms"]) && (wheel["requires"] === undefined || isTexts(wheel["requires"]))
    && typeof wheel["listed"] === "boolean" && (wheel["size"] === undefined || typeof wheel["size"] === "number");
}

function isOptionalText(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

/** Pages are read at the same time; who waits for a page of the same process need not be told. */
let queue: Promise<unknown> = Promise.resolve();

/**
 * Changes what is remembered. `change` gets what is there now, which another process may have added to. Throws
 * CouldNotWrite; the caller's answer need not suffer from it.
 */
export async function changeMemory(file: string, index: string, packageName: string, activity: Teller, change: (memory: Memory) => Memory): Promise<Memory> {
  const work = async (): Promise<Memory> => exclusively(path.dirname(file), "remember what a package index has", activity, async () => {
    const { memory, problem } = await readMemory(file, index, packageName);
    if (problem !== undefined) {
      await rename(file, `${file}.damaged`).catch(() => undefined);
    }
    const next = change(memory);
    if (!isDeepStrictEqual(next, memory) || problem !== undefined) {
      await writeWhole(file, `{"schema":1,"index":${JSON.stringify(index)},"package":${JSON.stringify(packageName)},${next.readAt === undefined ? "" : `"readAt":${JSON.stringify(next.readAt)},`}"wheels":[\n${next.wheels.map((one) => JSON.stringify(one)).join(",\n")}\n]}\n`);
    }
    return next;
  }, "What is remembered of package indexes");
  const turn = queue.then(work, work);
  queue = turn.catch(() => undefined);
  return turn;
}
