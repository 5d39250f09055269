/**
 * The rules: each compares facts of bodies and yields findings. One file per rule; this list is the order of
 * reports and of the settings page.
 */
import type { Rule } from "./rule.ts";

export type { Rule, RuleContext } from "./rule.ts";

export const rules: readonly Rule[] = [
];

/** The rule of a name, or undefined. */
export function ruleNamed(name: string): Rule | undefined {
  return rules.find((rule) => rule.name === name);
}
