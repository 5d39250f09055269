import type { Finding, Gap } from "../model/index.ts";
import type { Rule, RuleContext } from "../rules/index.ts";
import type { RuleSetting } from "./configuration.ts";

/** Which rules run and how grave they are. */
export interface RuleSelection {
  readonly rules: readonly Rule[];
  /** Only these, when given. */
  readonly only?: ReadonlySet<string>;
  readonly settings: ReadonlyMap<string, RuleSetting>;
}

/** Runs the selected rules over one context, one for each step. A rule that throws is reported and costs only itself. */
export function* runRules(selection: RuleSelection, context: RuleContext): Generator<string, { readonly findings: readonly Finding[]; readonly gaps: readonly Gap[] }, undefined> {
  const findings: Finding[] = [];
  const gaps: Gap[] = [];
  for (const rule of selection.rules) {
    const setting = selection.settings.get(rule.name);
    const asked = selection.only?.has(rule.name) ?? false;
    const runs = selection.only === undefined ? setting !== "off" && (rule.optIn !== true || setting !== undefined) : asked;
    if (!runs) {
      continue;
    }
    yield rule.name;
    try {
      for (const finding of rule.check(context)) {
        findings.push(setting === undefined || setting === "off" ? finding : { ...finding, severity: setting });
      }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      gaps.push({ kind: "evaluation", path: context.root, message: `The rule ${rule.name} failed (${reason}) and was left out. Please report this.` });
    }
  }
  return { findings, gaps };
}

/** Findings without repetitions: the same rule at the same place saying the same thing, or, between passes, the same rule at the same place. */
export function mergePasses(passes: readonly (readonly Finding[])[]): readonly Finding[] {
  const merged: Finding[] = [];
  const earlier = new Set<string>();
  for (const pass of passes) {
    const here = new Set<string>();
    const said = new Set<string>();
    for (const finding of pass) {
      const { start, end } = finding.location.range;
      const place = `${finding.rule}\0${finding.location.path}\0${start.line}:${start.character}-${end.line}:${end.character}`;
      const sentence = `${place}\0${finding.message}`;
      if (earlier.has(place) || said.has(sentence)) {
        continue;
      }
      here.add(place);
      said.add(sentence);
      merged.push(finding);
    }
    for (const place of here) {
      earlier.add(place);
    }
  }
  return merged;
}
