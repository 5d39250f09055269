import type { CompileArgument, DeclaredBody, Fact, Finding, Language, Severity, Trait } from "../model/index.ts";
import { canHoldTogether, factsOf, valueOf } from "../model/index.ts";
import { effectiveFacts } from "../sources/flags/index.ts";
import { insertElementFix } from "./edits.ts";
import type { Rule, RuleContext } from "./rule.ts";
import { finding, groupBy, isOptIn, locationKey, placeWhen, sourceOf, targetMadeHere, targetsPhrase } from "./support.ts";
import { seesTorch } from "./torch.ts";

export const flagNotForwarded: Rule = {
  name: "flag-not-forwarded",
  severity: "error",
  summary: "An ABI flag reaches only one of the two compilers of a target.",
  check: (context) => together(context.declared.flatMap((body) => [...stringAbi(context, body), ...stableTarget(context, body)])),
};

/** One flag that several targets get is one finding. */
function together(findings: readonly Finding[]): readonly Finding[] {
  return [...groupBy(findings, (one) => locationKey(one.location)).values()].flatMap((group) => {
    const [first, ...others] = group;
    if (first === undefined) return [];
    const names = [...new Set(others.map((one) => one.target ?? ""))].filter((one) => one !== first.target);
    return [names.length === 0 ? first : { ...first, message: `${first.message} The same holds for ${targetsPhrase(names)}.` }];
  });
}

function hasBoth(context: RuleContext, body: DeclaredBody): boolean {
  const { languages, kind, sources } = body.target;
  if (!languages.includes("CXX") || !languages.includes("CUDA") || kind === "interface" || kind === "imported") return false;
  if (!body.facts.some((one) => one.trait === "libstdcxx-abi" || one.trait === "stable-abi-target") || !seesTorch(context, body)) return false;
  // Sources that are all known must hold both kinds; unknown ones are taken to.
  const known = sources.every((one) => one.language !== undefined);
  return !known || sources.length === 0 || (sources.some((one) => one.language === "CXX") && sources.some((one) => one.language === "CUDA"));
}

function reaches<T extends Trait>(body: DeclaredBody, language: Language, trait: T): readonly Fact<T>[] {
  return factsOf(effectiveFacts(factsOf(body.facts, trait), language), trait);
}

/** A flag that could not be evaluated may be the one that is looked for. */
function hasUnknown(body: DeclaredBody, language: Language): boolean {
  return body.target.arguments.some((one) => !one.known && one.languages.includes(language));
}

/** Without the macro the other compiler takes libstdc++'s default, 1: only a 0 makes a difference. */
function stringAbi(context: RuleContext, body: DeclaredBody): readonly Finding[] {
  if (!hasBoth(context, body)) return [];
  for (const [has, lacks] of [["CXX", "CUDA"], ["CUDA", "CXX"]] as const) {
    const given = reaches(body, has, "libstdcxx-abi");
    if (reaches(body, lacks, "libstdcxx-abi").length > 0 || hasUnknown(body, lacks)) continue;
    const torch = context.installed === undefined ? undefined : valueOf(context.installed.facts, "libstdcxx-abi");
    const zero = given.find((one) => (one.follows === "torch" ? torch : one.value) === 0 && !isOptIn(one.conditions, body.target));
    // Where torch has 1, the flag has to go; to repeat it would spread the mistake.
    const fix = torch === 0 ? "preferred" : torch === 1 ? "none" : "offered";
    if (zero !== undefined) return [oneSided(context, body, zero, has, lacks, "_GLIBCXX_USE_CXX11_ABI=0", "are compiled with the compiler's default of 1. The two halves of the binary do not agree on std::string", fix)];
  }
  return [];
}

/** A warning: what is built works with the torch that it is built with. */
function stableTarget(context: RuleContext, body: DeclaredBody): readonly Finding[] {
  if (!hasBoth(context, body)) return [];
  const host = reaches(body, "CXX", "stable-abi-target");
  const device = reaches(body, "CUDA", "stable-abi-target");
  for (const [has, lacks, given, others] of [["CXX", "CUDA", host, device], ["CUDA", "CXX", device, host]] as const) {
    const alone = given.find((one) => !others.some((other) => canHoldTogether(one.conditions, other.conditions)));
    if (alone === undefined || hasUnknown(body, lacks)) continue;
    return [oneSided(context, body, alone, has, lacks, "TORCH_TARGET_VERSION", "are compiled without it. They see the headers of the torch they are built with instead of the oldest one meant, and may use functions that an older torch does not have", "preferred", "warning")];
  }
  return [];
}

function oneSided(context: RuleContext, body: DeclaredBody, fact: Fact, has: Language, lacks: Language, what: string, consequence: string, forwarding: "preferred" | "offered" | "none", severity?: Severity): Finding {
  const evidence = sourceOf(fact.evidence);
  const names = { CXX: "C++", CUDA: "CUDA" } as Readonly<Record<Language, string>>;
  const argument = body.target.arguments.find((one) => one.evidence === evidence);
  const other = argument?.origin === "argument-list" ? lastOwnArgument(body, has, lacks) : undefined;
  const fix = argument === undefined || other === undefined || forwarding === "none"
    ? undefined
    : insertElementFix(context.files, other.evidence.location, argument.text, `Add ${argument.text} to the ${names[lacks]} flags`, forwarding === "preferred");
  return finding(flagNotForwarded, {
    ...(severity === undefined ? {} : { severity }),
    message: `${what} reaches the ${names[has]} sources of ${targetsPhrase([body.name])} (${evidence === undefined ? "in its flags" : placeWhen(evidence.location, fact.conditions, context.root)}) and not its ${names[lacks]} sources, which ${consequence}.`,
    target: body.name,
    location: evidence?.location ?? body.target.location,
    related: [
      ...(other === undefined ? [] : [{ message: `the ${names[lacks]} flags`, location: other.evidence.location }]),
      { message: targetMadeHere(body.name), location: body.target.location },
    ],
    fixes: [fix],
  });
}

/** An argument that only the other compiler receives, beside which the missing one can stand. */
function lastOwnArgument(body: DeclaredBody, has: Language, lacks: Language): CompileArgument | undefined {
  return body.target.arguments.findLast((one) => one.origin === "argument-list" && one.languages.includes(lacks) && !one.languages.includes(has) && one.conditions.length === 0);
}
