/** C1 controls and marks that turn the direction of writing; JSON need not escape them, and terminals obey some. */
const unescaped = /[\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** A report as JSON for people and programs: no character in it controls the terminal that shows it. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2).replace(unescaped, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)}\n`;
}
