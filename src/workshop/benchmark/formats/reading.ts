import type { Measurement } from "../types.ts";

/** One benchmark as one process measured it. */
export interface Reading {
  readonly name: string;
  /** Seconds for one iteration; empty when there is no number. */
  readonly samples: readonly number[];
  readonly clock?: NonNullable<Measurement["clock"]>;
  readonly bytes?: number;
  readonly bytesCount?: NonNullable<Measurement["bytesCount"]>;
  readonly flops?: number;
  readonly counters: Readonly<Record<string, number>>;
  readonly problem?: string;
  readonly skipped?: boolean;
}

/** What one process told. */
export interface ReadOutput {
  readonly readings: readonly Reading[];
  /** What was wrong with the output; the readings are what was right. */
  readonly problems: readonly string[];
}

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A number, also one that was written as a string; undefined of what is none or not finite. */
export function numberOf(value: unknown): number | undefined {
  const number = typeof value === "number" ? value : typeof value === "string" && value.trim() !== "" ? Number(value) : NaN;
  return Number.isFinite(number) ? number : undefined;
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function objectsOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
