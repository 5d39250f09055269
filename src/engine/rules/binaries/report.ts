/** Findings on built files: where they are put, and how they meet what the build files say. */
import type { Evidence, Finding, RelatedPlace, Severity } from "../../model/index.ts";
import type { BuiltFile, Rule, RuleContext } from "../rule.ts";
import { wrongPairs } from "../package-pair.ts";
import { finding, locationKey, severityOrder } from "../support.ts";
import { withoutRepeats } from "./repeats.ts";
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
 * One finding for each module that `judge` objects to, and one for all files of a wheel or an installed distribution. It stands at the
 * target's declaration where there is one, else at the file. Where `declared` holds a finding of the same rule on that
 * target, the file becomes its witness instead.
 */
export function withBuilt(rule: Rule, context: RuleContext, declared: readonly Finding[], judge: Judge): readonly Finding[] {
  const findings = [...declared];
  const parcels = new Map<string, number>();
  for (const subject of subjectsOf(context)) {
    const { file } = subject;
    const parcel = file.target !== undefined ? undefined : file.origin === "wheel" ? "wheel" : file.distribution?.name;
    const observed = isOfWrongPair(context, file) ? undefined : judge(context, file);
    if (observed === undefined) continue;
    const cause = findings.findIndex((one) => isAbout(one, file));
    const joined = cause < 0 ? undefined : findings[cause];
    const earlier = parcel === undefined ? undefined : parcels.get(parcel);
    const lead = earlier === undefined ? undefined : findings[earlier];
    if (joined !== undefined) findings[cause] = join(rule, context, joined, subject, observed);
    else if (earlier !== undefined && lead !== undefined) findings[earlier] = alsoOf(rule, lead, file, observed);
    else {
      if (parcel !== undefined) parcels.set(parcel, findings.length);
      findings.push(alone(rule, context, subject, observed, judge));
    }
  }
  for (const at of parcels.values()) {
    findings.splice(at, 1, ...findings.slice(at, at + 1).map(withoutRepeats));
  }
  return findings;
}

/** A distribution that is for another torch has a rule of its own, with its files as witnesses: nothing else about them helps. */
function isOfWrongPair(context: RuleContext, file: BuiltFile): boolean {
  return file.distribution !== undefined && file.target === undefined && wrongPairs(context).has(file.distribution.name);
}

/** Another file of the same distribution: the gravest leads. */
function alsoOf(rule: Rule, lead: Finding, file: BuiltFile, observed: Observed): Finding {
  const severity = observed.severity ?? rule.severity;
  const said = { message: firstSentence(observed.shown ?? observed.message), location: placeOfFile(file) };
  if (severityOrder.indexOf(severity) >= severityOrder.indexOf(lead.severity)) return { ...lead, related: [...lead.related, said] };
  const first = finding(rule, { message: observed.message, severity, location: placeOfFile(file), against: observed.against ?? [] });
  return { ...first, related: [{ message: firstSentence(lead.message), location: lead.location }, ...lead.related] };
}

/** Findings on built files alone. */
export function onBuilt(rule: Rule, context: RuleContext, judge: Judge): readonly Finding[] {
  return withBuilt(rule, context, [], judge);
}

function firstSentence(message: string): string {
  return /^.*?\.(?= [A-Z])/.exec(message)?.[0] ?? message;
}

function alone(rule: Rule, context: RuleContext, subject: Subject, observed: Observed, judge: Judge): Finding {
  const { file, copies } = subject;
  const { target } = file;
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
    against: [...cause.against, ...(observed.against ?? []).filter((one) => !cause.against.some((other) => JSON.stringify(other) === JSON.stringify(one)))],
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
