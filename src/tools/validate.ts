import type { InputMember, InputSchema } from "./declarations.ts";
import { CannotAnswer } from "./types.ts";

/** Longer texts are logs, which only `text` of `explain` takes. */
const longest = 4096;

/** What is wrong with a tool's input is said so that a model can put it right. Throws CannotAnswer. */
export function validInput(schema: InputSchema, input: unknown): Readonly<Record<string, unknown>> {
  const given = input ?? {};
  if (typeof given !== "object" || Array.isArray(given)) {
    throw new CannotAnswer(`The input must be an object with ${names(schema)}.`);
  }
  const members: [string, unknown][] = [];
  for (const [name, value] of Object.entries(given)) {
    const member = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
    if (member === undefined) {
      throw new CannotAnswer(`There is no "${name.slice(0, 80)}" in the input; it takes ${names(schema)}.`);
    }
    // Models write null for what they leave out.
    if (value !== null && value !== undefined) {
      validMember(name, member, value);
      members.push([name, value]);
    }
  }
  const missing = schema.required?.find((name) => !members.some(([one]) => one === name));
  if (missing !== undefined) {
    throw new CannotAnswer(`"${missing}" is missing: ${schema.properties[missing]?.description ?? ""}`);
  }
  return Object.fromEntries(members);
}

function validMember(name: string, member: InputMember, value: unknown): void {
  switch (member.type) {
    case "boolean":
      if (typeof value !== "boolean") {
        throw new CannotAnswer(`"${name}" must be true or false.`);
      }
      return;
    case "integer": {
      const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = member;
      if (!Number.isSafeInteger(value) || (value as number) < minimum || (value as number) > maximum) {
        throw new CannotAnswer(`"${name}" must be a whole number from ${minimum} to ${maximum}.`);
      }
      return;
    }
    case "string":
      validText(`"${name}"`, value, member.enum, name === "text" ? Number.POSITIVE_INFINITY : longest);
      return;
    case "array":
      if (!Array.isArray(value) || value.length > 1000) {
        throw new CannotAnswer(`"${name}" must be a list of texts.`);
      }
      for (const one of value) {
        validText(`Each of "${name}"`, one, member.items?.enum, longest);
      }
  }
}

function validText(what: string, value: unknown, allowed: readonly string[] | undefined, most: number): void {
  const isLog = most > longest;
  if (typeof value !== "string" || value.trim() === "" || value.length > most || (!isLog && value.includes("\0"))) {
    throw new CannotAnswer(`${what} must ${!isLog ? `be a text of 1 to ${longest} characters` : typeof value === "string" ? "not be empty" : "be a text"}.`);
  }
  if (allowed?.includes(value) === false) {
    throw new CannotAnswer(`${what} must be one of ${allowed.join(", ")}; it is "${value.slice(0, 80)}".`);
  }
}

function names({ properties }: InputSchema): string {
  return Object.keys(properties).map((name) => `"${name}"`).join(", ");
}
