/** What the reader of wheels found, as findings: rules do not judge wheels again. */
import { torchLibraryStem } from "../../catalogue/index.ts";
import type { Finding, WheelDisagreement, WheelProfile } from "../../model/index.ts";
import type { Rule, RuleContext } from "../rule.ts";
import { finding } from "../support.ts";

/** One finding for each wheel, kind of broken promise and weight. */
export function wheelFindings(rule: Rule, context: RuleContext, wanted: (one: WheelDisagreement) => boolean): readonly Finding[] {
  return (context.wheels ?? []).flatMap((wheel) => {
    const kinds = new Map<string, WheelDisagreement[]>();
    for (const one of wheel.disagreements.filter(wanted)) {
      const key = `${one.kind} ${one.weight}`;
      kinds.set(key, [...(kinds.get(key) ?? []), one]);
    }
    return [...kinds.values()].flatMap((group) => group.slice(0, 1).map((first) => finding(rule, {
      message: `${wheel.fileName}: ${first.message}${more(group)}`,
      severity: first.weight,
      location: placeOfWheel(wheel),
      against: first.evidence,
    })));
  });
}

function more(group: readonly WheelDisagreement[]): string {
  if (group.length < 2) return "";
  return ` The same holds in ${group.length - 1} more ${group.length === 2 ? "place" : "places"} of the wheel.`;
}

/** Whether it is about a copy of a library of torch itself. */
export function isAboutTorchLibrary({ member }: WheelDisagreement): boolean {
  return member !== undefined && torchLibraryStem(member) !== undefined;
}

/** Wheels have no lines. */
export function placeOfWheel(wheel: WheelProfile): Finding["location"] {
  return { path: wheel.path, range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } } };
}
