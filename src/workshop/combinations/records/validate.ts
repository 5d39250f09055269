import { parseVersion } from "../../../engine/model/index.ts";
import type { Combination, CombinationOutcome, CombinationReason, CombinationRecord, Method } from "../types.ts";

/** From the weakest to the strongest. */
export const methods: readonly Method[] = ["predicted", "built", "loaded", "smoke", "benchmark"];
const predictions: readonly CombinationOutcome[] = ["no-conflict", "conflict", "unknown"];
const trials: readonly CombinationOutcome[] = ["passed", "failed", "unknown"];

/** The outcomes that a method can have. */
export function outcomesOf(how: Method): readonly CombinationOutcome[] {
  return how === "predicted" ? predictions : trials;
}

export type Validated =
  | { readonly kind: "record"; readonly record: CombinationRecord }
  /** A version of the schema that is not known here. */
  | { readonly kind: "newer"; readonly schema: number }
  /** What is wrong, as the end of a sentence: "combination.platform is missing". */
  | { readonly kind: "wrong"; readonly problem: string };

/** A value that is not what a record needs; its message is the end of a sentence. */
class Wrong extends Error {}

/**
 * Whether a value is a record, by docs/schema/combination-record.schema.json. The answer is a new object whose members stand
 * in one order, so that records that say the same are written the same. Members that are not known are left out: a later
 * Abiding may add some.
 */
export function validateRecord(value: unknown): Validated {
  try {
    const { schema, combination, ...rest } = objectOf(value, "the line");
    if (typeof schema === "number" && Number.isInteger(schema) && schema > 1) return { kind: "newer", schema };
    if (schema !== 1) throw new Wrong(schema === undefined ? "schema is missing" : "schema must be 1");
    return { kind: "record", record: { schema, combination: combinationOf(objectOf(combination, "combination")), ...restOf(rest) } };
  } catch (error) {
    if (error instanceof Wrong) return { kind: "wrong", problem: error.message };
    throw error;
  }
}

/** The combination that a value is; undefined when it is none. */
export function validateCombination(value: unknown): Combination | undefined {
  try {
    return combinationOf(objectOf(value, "combination"));
  } catch (error) {
    if (error instanceof Wrong) return undefined;
    throw error;
  }
}

/** What a record says of its combination. */
export type RestOfRecord = Omit<CombinationRecord, "schema" | "combination">;

/** The same as `validateRecord` for a record whose combination is known already: of thousands of records a few circumstances are. */
export function validateRest(value: unknown): RestOfRecord | undefined {
  try {
    const rest = objectOf(value, "the line");
    return rest.schema === undefined && rest.combination === undefined ? restOf(rest) : undefined;
  } catch (error) {
    if (error instanceof Wrong) return undefined;
    throw error;
  }
}

type Members = Readonly<Record<string, unknown>>;

function restOf(value: Members): RestOfRecord {
  const how = oneOf(value.how, "how", methods);
  const counts = value.counts === undefined ? undefined : objectOf(value.counts, "counts");
  return {
    how,
    outcome: oneOf(value.outcome, "outcome", outcomesOf(how), ` of something that is ${how === "predicted" ? "predicted" : "tried"}`),
    when: timeOf(value.when),
    by: text(value.by, "by"),
    ...(value.reason === undefined ? {} : { reason: reasonOf(objectOf(value.reason, "reason")) }),
    ...optional(value, "note", "", text),
    ...optional(value, "file", "", sha256),
    ...optional(value, "run", "", runName),
    ...(counts === undefined ? {} : { counts: { passed: count(counts.passed, "counts.passed"), failed: count(counts.failed, "counts.failed"), skipped: count(counts.skipped, "counts.skipped") } }),
  };
}

function combinationOf(value: Members): Combination {
  const project = objectOf(value.project, "combination.project");
  const torch = objectOf(value.torch, "combination.torch");
  const gpu = value.gpu === undefined || value.gpu === null ? undefined : objectOf(value.gpu, "combination.gpu");
  const packages = value.packages === undefined ? [] : Object.entries(objectOf(value.packages, "combination.packages"));
  return {
    project: {
      name: text(project.name, "combination.project.name"),
      ...optional(project, "version", "combination.project.", text),
      ...optional(project, "commit", "combination.project.", hash),
      ...optional(project, "changed", "combination.project.", flag),
    },
    torch: {
      version: version(torch.version, "combination.torch.version"),
      ...optional(torch, "gitVersion", "combination.torch.", hash),
      ...optional(torch, "index", "combination.torch.", text),
    },
    ...(packages.length === 0 ? {} : { packages: Object.fromEntries(packages.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, one]) => [name, text(one, `combination.packages.${name}`)])) }),
    ...optional(value, "python", "combination.", text),
    ...(value.cuda === null ? { cuda: null } : optional(value, "cuda", "combination.", text)),
    ...optional(value, "compiler", "combination.", text),
    platform: text(value.platform, "combination.platform"),
    ...(value.gpu === null ? { gpu: null } : gpu === undefined ? {} : {
      gpu: { name: text(gpu.name, "combination.gpu.name"), ...optional(gpu, "capability", "combination.gpu.", text), ...optional(gpu, "driver", "combination.gpu.", text) },
    }),
  };
}

function reasonOf(value: Members): CombinationReason {
  const { symbols } = value;
  if (symbols !== undefined && !(Array.isArray(symbols) && symbols.every((one) => typeof one === "string"))) throw new Wrong("reason.symbols must be a list of texts");
  return {
    message: text(value.message, "reason.message"),
    ...optional(value, "rule", "reason.", text),
    ...(Array.isArray(symbols) && symbols.length > 0 ? { symbols } : {}),
    ...optional(value, "test", "reason.", text),
  };
}

function optional<K extends string, T>(from: Members, name: K, owner: string, read: (value: unknown, name: string) => T): { readonly [P in K]?: T } {
  return from[name] === undefined ? {} : { [name]: read(from[name], `${owner}${name}`) } as { [P in K]: T };
}

function objectOf(value: unknown, name: string): Members {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Members;
  throw new Wrong(value === undefined ? `${name} is missing` : `${name} must be an object`);
}

/** Longer texts are no part of what somebody would write or show. */
const longest = 16 * 1024;

function text(value: unknown, name: string): string {
  if (typeof value === "string" && value !== "" && value.length <= longest) return value;
  throw new Wrong(value === undefined ? `${name} is missing` : typeof value !== "string" ? `${name} must be a text` : value === "" ? `${name} is empty` : `${name} is longer than ${longest} characters`);
}

function flag(value: unknown, name: string): boolean {
  if (typeof value === "boolean") return value;
  throw new Wrong(`${name} must be true or false`);
}

function count(value: unknown, name: string): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= 0) return value;
  throw new Wrong(`${name} must be a whole number`);
}

function oneOf<T extends string>(value: unknown, name: string, allowed: readonly T[], of = ""): T {
  const found = allowed.find((one) => one === value);
  if (found !== undefined) return found;
  throw new Wrong(value === undefined ? `${name} is missing` : `${name}${of} must be one of ${allowed.join(", ")}`);
}

function version(value: unknown, name: string): string {
  const written = text(value, name);
  if (parseVersion(written) !== undefined) return written;
  throw new Wrong(`${name} is no version: "${shortened(written)}"`);
}

function hash(value: unknown, name: string): string {
  const written = text(value, name);
  if (/^[0-9a-f]{7,64}$/.test(written)) return written;
  throw new Wrong(`${name} is no hash of a commit: "${shortened(written)}"`);
}

function sha256(value: unknown, name: string): string {
  const written = text(value, name);
  if (/^[0-9a-f]{64}$/.test(written)) return written;
  throw new Wrong(`${name} is no SHA-256: "${shortened(written)}"`);
}

/** It becomes a folder's name. */
function runName(value: unknown, name: string): string {
  const written = text(value, name);
  if (/^[\w.+-]+$/.test(written) && !/^\.+$/.test(written)) return written;
  throw new Wrong(`${name} is no name of a run: "${shortened(written)}"`);
}

function timeOf(value: unknown): string {
  const written = text(value, "when");
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z$/.test(written) && Number.isFinite(Date.parse(written))) return written;
  throw new Wrong(`when is no time such as 2026-11-30T12:00:00Z: "${shortened(written)}"`);
}

function shortened(written: string): string {
  return written.length > 60 ? `${written.slice(0, 60)}…` : written;
}
