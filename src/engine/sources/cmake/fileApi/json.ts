/** JSON of another program, read without trusting its shape: what is missing or of another type is undefined. */
import type { Files } from "../../../model/index.ts";

export type Json = Readonly<Record<string, unknown>>;

export function readJson(files: Files, path: string): Json | undefined {
  const read = files.readText(path);
  if (!read.ok) return undefined;
  try {
    return object(JSON.parse(read.text));
  } catch {
    return undefined;
  }
}

export function object(value: unknown): Json | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}

export function objects(value: unknown): readonly Json[] {
  return list(value).flatMap((one): readonly Json[] => {
    const found = object(one);
    return found === undefined ? [] : [found];
  });
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export function index(value: unknown): number | undefined {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : undefined;
}
