import type { Node } from "jsonc-parser";
import type { Location } from "../model/index.ts";

/** Where a value stands and where complaints about it go. */
export interface FieldContext {
  readonly at: (node: Node) => Location;
  readonly complain: (message: string, location: Location) => void;
}

/** Reads one value; `name` is how a complaint calls it. undefined: it was complained of. */
export type FieldReader<T> = (node: Node, name: string, context: FieldContext) => T | undefined;

type Fields = Readonly<Record<string, FieldReader<unknown>>>;

/** What was read of an object: the fields that were there and right. */
export type Values<F extends Fields> = { readonly [K in keyof F]?: F[K] extends FieldReader<infer T> ? T : never };

/** Keys and values of an object, in its order. */
export function members(node: Node): readonly { readonly name: string; readonly key: Node; readonly value: Node }[] {
  return (node.children ?? []).flatMap((property) => {
    const [key, value] = property.children ?? [];
    return key === undefined || value === undefined ? [] : [{ name: String(key.value), key, value }];
  });
}

/** Reads the fields of an object. What is unknown or wrong is complained of and left out. */
export function readFields<F extends Fields>(node: Node, fields: F, owner: string, context: FieldContext): Values<F> {
  const found: Record<string, unknown> = {};
  for (const { name, key, value } of members(node)) {
    const read = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (read === undefined) {
      context.complain(`"${name}" is not a setting of ${owner}. It has ${Object.keys(fields).map((one) => `"${one}"`).join(", ")}.`, context.at(key));
      continue;
    }
    const result = read(value, `"${name}"`, context);
    if (result !== undefined) found[name] = result;
  }
  return found as Values<F>;
}

export const text: FieldReader<string> = (node, name, context) => {
  if (node.type === "string" && node.value !== "") return String(node.value);
  context.complain(`${name} must be a text that is not empty.`, context.at(node));
  return undefined;
};

/** A text, or a list of them. */
export const texts: FieldReader<readonly string[]> = (node, name, context) => {
  if (node.type === "string") return [String(node.value)];
  if (node.type !== "array") {
    context.complain(`${name} must be a text or a list of texts.`, context.at(node));
    return undefined;
  }
  return (node.children ?? []).flatMap((child) => {
    if (child.type === "string") return [String(child.value)];
    context.complain(`${name} holds something that is no text.`, context.at(child));
    return [];
  });
};

/** A program and its arguments. A text alone is refused: it would have to be taken apart as a shell does. */
export const command: FieldReader<readonly string[]> = (node, name, context) => {
  const words = node.type === "array" ? (node.children ?? []).map((child) => (child.type === "string" ? String(child.value) : undefined)) : [];
  const [program] = words;
  if (program === undefined || program === "" || words.includes(undefined)) {
    context.complain(`${name} must be a list of texts: the program, then its arguments one by one, as in ["make", "-j4"]. No shell reads it.`, context.at(node));
    return undefined;
  }
  return words.filter((word) => word !== undefined);
};

/** One command, or a list of commands that run one after the other. */
export const steps: FieldReader<readonly (readonly string[])[]> = (node, name, context) => {
  const children = node.type === "array" ? (node.children ?? []) : [];
  if (children.length === 0 || !children.every((child) => child.type === "array")) {
    const one = command(node, name, context);
    return one === undefined ? undefined : [one];
  }
  const read = children.map((child) => command(child, name, context));
  return read.includes(undefined) ? undefined : read.filter((one) => one !== undefined);
};

/** Environment variables. Numbers are taken as they are written. */
export const variables: FieldReader<Readonly<Record<string, string>>> = (node, name, context) => {
  if (node.type !== "object") {
    context.complain(`${name} must be an object of variables and their values.`, context.at(node));
    return undefined;
  }
  const found: Record<string, string> = {};
  for (const one of members(node)) {
    if (!/^[^=\0]+$/.test(one.name)) context.complain(`"${one.name}" cannot be the name of a variable.`, context.at(one.key));
    else if (one.value.type === "string" || one.value.type === "number") found[one.name] = String(one.value.value);
    else context.complain(`The value of "${one.name}" must be a text.`, context.at(one.value));
  }
  return found;
};

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Milliseconds. */
export const duration: FieldReader<number> = (node, name, context) => {
  const seconds = node.type === "number" ? Number(node.value) * 1000 : undefined;
  const match = node.type === "string" ? /^(\d+(?:\.\d+)?)\s*(ms|s|m|h)$/.exec(String(node.value)) : null;
  const milliseconds = match ? Number(match[1]) * (units[match[2] ?? ""] ?? Number.NaN) : seconds;
  if (milliseconds !== undefined && milliseconds > 0) return Math.round(milliseconds);
  context.complain(`${name} must be a time above zero such as "60s", "2m" or "1h"; a number by itself counts seconds.`, context.at(node));
  return undefined;
};

export function choice<const T extends string>(allowed: readonly T[]): FieldReader<T> {
  return (node, name, context) => {
    const found = allowed.find((one) => one === node.value);
    if (found === undefined) context.complain(`${name} must be one of ${allowed.map((one) => `"${one}"`).join(", ")}.`, context.at(node));
    return found;
  };
}

/** A whole number from 1 on. */
export const count: FieldReader<number> = (node, name, context) => {
  const value: unknown = node.value;
  if (typeof value === "number" && Number.isSafeInteger(value) && value > 0) return value;
  context.complain(`${name} must be a whole number from 1 on.`, context.at(node));
  return undefined;
};

/** A value, or a list of them; those that are wrong are left out. A list of nothing but mistakes does not say that there is nothing. */
export function listOf<T>(read: FieldReader<T>): FieldReader<readonly T[]> {
  return (node, name, context) => {
    const nodes = node.type === "array" ? (node.children ?? []) : [node];
    const found = nodes.flatMap((child) => read(child, name, context) ?? []);
    return found.length === 0 && nodes.length > 0 ? undefined : found;
  };
}

/** An object with these fields; without one of the `needed` it is left out. */
export function object<F extends Fields, N extends keyof F & string = never>(fields: F, needed: readonly N[] = []): FieldReader<Values<F> & { readonly [K in N]: NonNullable<Values<F>[K]> }> {
  return (node, name, context) => {
    if (node.type !== "object") {
      context.complain(`${name} must be an object with ${Object.keys(fields).map((one) => `"${one}"`).join(", ")}.`, context.at(node));
      return undefined;
    }
    const absent = needed.find((one) => !members(node).some((member) => member.name === one));
    if (absent !== undefined) context.complain(`${name} needs "${absent}".`, context.at(node));
    const values = readFields(node, fields, name, context);
    return needed.every((one) => values[one] !== undefined) ? (values as Values<F> & { readonly [K in N]: NonNullable<Values<F>[K]> }) : undefined;
  };
}
