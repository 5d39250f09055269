/** Findings on built files: where they are put, and how they meet what the build files say. */
import type { Evidence, Finding, RelatedPlace, Severity } from "../../model/index.ts";
import type { BuiltFile, Rule, RuleContext } from "../rule.ts";
import { finding, locationKey } from "../support.ts";
import { nameOf, placeOfFile, subjectsOf } from "./subjects.ts";
import type { Subject } from "./subjects.ts";

/** What a rule says of one file. */
export interface Observed {
  /** Full sentences that name the file and the torch. */
  readonly message: string;
  /** One sentence to follow a finding on the line that caused it; the message when absent. */
  readonly shown?: string;
  readonly severity?: Severity;
  readonly against?: readonly Evidence[];
  readonly related?: readonly RelatedPlace[];
}

type Judge = (context: RuleContext, file: BuiltFile) => Observed | undefined;

/**
 * One finding for each module that `judge` objects to. It stands at the target's declaration where there is one, else at
 * the file. Where `declared` holds a finding of the same rule on that target, the file becomes its witness instead.
 */
export function withBuilt(rule: Rule, context: RuleContext, declared: readonly Finding[], judge: Judge): readonly Finding[] {
  const findings = [...declared];
  for (const subject of subjectsOf(context)) {
    const observed = judge(context, subject.file);
    if (observed === undefined) continue;
    const cause = findings.findIndex((one) => isAbout(one, subject.file));
    const joined = cause < 0 ? undefined : findings[cause];
    if (joined === undefined) findings.push(alone(rule, context, subject, observed, judge));
    else findings[cause] = join(rule, context, joined, subject, observed);
  }
  return findings;
}

/** Findings on built files alone. */
export function onBuilt(rule: Rule, context: RuleContext, judge: Judge): readonly Finding[] {
  return withBuilt(rule, context, [], judge);
}

function alone(rule: Rule, context: RuleContext, subject: Subject, observed: Observed, judge: Judge): Finding {
  const { file, copies } = subject;
  const target = file.origin === "installed" ? undefined : file.target;
  const like = copies.filter((copy) => judge(context, copy) !== undefined);
  return finding(rule, {
    message: observed.message,
    ...(observed.severity === undefined ? {} : { severity: observed.severity }),
    ...(target === undefined ? {} : { target: target.name }),
    location: target?.target.location ?? placeOfFile(file),
    related: [
      ...(target === undefined ? [] : [{ message: `${nameOf(context, file)} was built from this target.`, location: placeOfFile(file) }]),
      ...like.slice(0, 5).map((copy) => ({ message: "An older copy of the same module, for which the same holds.", location: placeOfFile(copy) })),
      ...(observed.related ?? []),
    ],
    against: observed.against ?? [],
  });
}

/** The line that caused it leads; what the file shows makes it certain. */
function join(rule: Rule, context: RuleContext, cause: Finding, { file }: Subject, observed: Observed): Finding {
  const seen = observed.severity ?? rule.severity;
  return {
    ...cause,
    severity: seen === "error" ? "error" : cause.severity,
    message: `${cause.message} ${observed.shown ?? observed.message}`,
    related: [...cause.related, { message: `${nameOf(context, file)}, built from it, shows the conflict.`, location: placeOfFile(file) }, ...(observed.related ?? [])],
    against: [...cause.against, ...(observed.against ?? [])],
  };
}

/** Whether a finding of the same rule speaks of the target that a file was built from. */
function isAbout(one: Finding, file: BuiltFile): boolean {
  const target = file.target;
  if (target === undefined || one.severity === "info" || one.severity === "hint") return false;
  if (one.target !== undefined) return one.target === target.name;
  const here = locationKey(one.location);
  const made = locationKey(target.target.location);
  return here === made
    || one.related.some((place) => locationKey(place.location) === made)
    || target.target.arguments.some((argument) => locationKey(argument.evidence.location) === here);
}
