/** The libstdc++ ABI of the parts of one project against each other. */
import type { AbiSetting, Condition, DeclaredBody, Fact, Finding, SourceEvidence } from "../../model/index.ts";
import { canHoldTogether, observationsOf } from "../../model/index.ts";
import { once } from "../once.ts";
import type { Rule, RuleContext } from "../rule.ts";
import { capital, conditionSuffix, finding, groupBy, isOptIn, locationKey, place, placeWhen, targetsPhrase, viaPlaces } from "../support.ts";
import { exchangesObjects } from "../torch.ts";
import { torchAbi } from "./againstTorch.ts";
import type { Claim } from "./claims.ts";
import { abiFacts, claimsOf } from "./claims.ts";

type Severities = Pick<Rule, "name" | "severity">;

/** Targets that link together, compilers of one target, switches that add up, and builders of the same project. */
export function insideProject(rule: Severities, context: RuleContext): readonly Finding[] {
  return [...betweenTargets(rule, context), ...insideTargets(rule, context), ...switchesThatAddUp(rule, context), ...betweenBuilders(rule, context)];
}

function betweenTargets(rule: Severities, context: RuleContext): readonly Finding[] {
  const byName = new Map(context.declared.filter((one) => one.target.builder === "cmake").map((one) => [one.name, one]));
  const findings: Finding[] = [];
  const pairs: Uneven[] = [];
  // Mostly all targets of a project get one value, and hundreds of them have hundreds of links.
  const differ = new Set([...byName.values()].flatMap((one) => byDefault(one).map((claim) => claim.value))).size > 1;
  if (!differ && ![...byName.values()].some((one) => zeroOf(one) !== undefined)) return [];
  for (const body of byName.values()) {
    for (const link of body.target.links) {
      const other = link.isProjectTarget ? byName.get(link.name) : undefined;
      if (other === undefined || other === body || !passesObjects(other)) continue;
      const pair = differ ? disagreeing(byDefault(body), byDefault(other)) : undefined;
      if (pair !== undefined) findings.push(pairFinding(rule, context, pair));
      else pairs.push(...uneven(body, other), ...uneven(other, body));
    }
  }
  return [...findings, ...againstDefault(rule, context, pairs)];
}

/** Switches that have to be thrown are looked at where they meet in one target. */
const byDefault = once((body: DeclaredBody): readonly Claim[] => claimsOf(body).filter((one) => !isOptIn(one.fact.conditions, body.target)));

/** A compiled library whose C++ symbols the linking target can use. */
function passesObjects(body: DeclaredBody): boolean {
  return ["shared", "static", "object", "unknown"].includes(body.target.kind) && body.target.languages.includes("CXX");
}

function disagreeing(left: readonly Claim[], right: readonly Claim[]): readonly [Claim, Claim] | undefined {
  for (const one of left) {
    const other = right.find((two) => two.language === one.language && two.value !== one.value && together(one.fact.conditions, two.fact.conditions));
    if (other !== undefined) return [one, other];
  }
  return undefined;
}

/** Conditions of separate statements exclude each other when one is the negation of the other's text. */
function together(a: readonly Condition[], b: readonly Condition[]): boolean {
  return canHoldTogether(a, b) && !a.some((x) => b.some((y) => x.id !== y.id && excludes(x, y)));
}

function excludes(a: Condition, b: Condition): boolean {
  const [one, other] = [literal(a), literal(b)];
  if (one.text === other.text) return one.holds !== other.holds;
  // USE_X AND NOT Y, with Y on the other side.
  return [[one, other], [other, one]].some(([name, long]) => name !== undefined && long !== undefined && name.holds && long.holds && /^\w+$/.test(name.text) && new RegExp(`\\bnot\\s+${name.text}\\b`, "i").test(long.text));
}

/** A condition without the NOT in front of it, and whether that holds. */
function literal(condition: Condition): { readonly text: string; readonly holds: boolean } {
  const negation = /^\s*not\s+(\w+|\(.*\))\s*$/i.exec(condition.text);
  const text = (negation?.[1] ?? condition.text).replace(/^\((.*)\)$/, "$1").trim();
  return { text, holds: (condition.branch === 0) !== (negation !== null) };
}

function pairFinding(rule: Severities, context: RuleContext, [one, other]: readonly [Claim, Claim]): Finding {
  // The value that is not torch's is the one to edit; without a torch, the older ABI.
  const torch = torchAbi(context, one.evidence.location.path);
  const wrongValue = torch === undefined ? 0 : torch.value === 1 ? 0 : 1;
  const [wrong, right] = one.value === wrongValue ? [one, other] : [other, one];
  return finding(rule, {
    message: `${capital(targetsPhrase([wrong.body.name]))} is compiled with _GLIBCXX_USE_CXX11_ABI=${wrong.value} (${placeWhen(wrong.evidence.location, wrong.fact.conditions, context.root)}) and ${targetsPhrase([right.body.name])} with ${right.value} (${placeWhen(right.evidence.location, right.fact.conditions, context.root)}), and the two are linked together. Functions that take or return std::string have different names on the two sides.`,
    target: wrong.body.name,
    location: wrong.evidence.location,
    related: [{ message: `${right.value} for ${targetsPhrase([right.body.name])}`, location: right.evidence.location }, ...viaPlaces(wrong.evidence.via)],
  });
}

const zeroOf = once((body: DeclaredBody) => abiFacts(body, "CXX").find((one) => one.value === 0 && !isOptIn(one.conditions, body.target)));

const isSilent = once((body: DeclaredBody) => !body.facts.some((one) => one.trait === "libstdcxx-abi") && !body.target.arguments.some((one) => !one.known && one.languages.includes("CXX")));

/** A target with an explicit 0 (or torch's 0), and one with nothing that it is linked with: the compiler's default is 1 since GCC 5. */
interface Uneven {
  readonly explicit: DeclaredBody;
  readonly silent: DeclaredBody;
  readonly zero: Fact;
  readonly evidence: SourceEvidence;
}

function uneven(explicit: DeclaredBody, silent: DeclaredBody): readonly Uneven[] {
  const zero = zeroOf(explicit);
  if (zero === undefined || !isSilent(silent) || !passesObjects(silent) && silent.target.kind !== "module" && silent.target.kind !== "executable") return [];
  const [evidence] = zero.evidence;
  return evidence?.kind === "source" ? [{ explicit, silent, zero, evidence }] : [];
}

/** One sentence for all targets that get the value from one place. */
function againstDefault(rule: Severities, context: RuleContext, pairs: readonly Uneven[]): readonly Finding[] {
  return [...groupBy(pairs, ({ zero, evidence }) => `${locationKey(evidence.location)} ${conditionSuffix(zero.conditions)}`).values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { zero, evidence } = first;
    const [explicit, silent] = [new Set(group.map((one) => one.explicit.name)), new Map(group.map((one) => [one.silent.name, one.silent]))];
    const [one, other] = [explicit.size === 1, silent.size === 1];
    // Whether std::string crosses between the two cannot be told from build files.
    return [finding(rule, {
      severity: "warning",
      message: `${capital(targetsPhrase([...explicit]))} ${one ? "is" : "are"} compiled with _GLIBCXX_USE_CXX11_ABI=0 (${placeWhen(evidence.location, zero.conditions, context.root)}), and ${targetsPhrase([...silent.keys()])}, with which ${one ? "it is" : "they are"} linked, ${other ? "gets" : "get"} no value and so the compiler's default of 1. Functions between the two that take or return std::string will not be found.`,
      ...(one ? { target: first.explicit.name } : {}),
      location: evidence.location,
      related: [...silent.values()].map((body) => ({ message: `${targetsPhrase([body.name])} gets no _GLIBCXX_USE_CXX11_ABI`, location: body.target.location })),
    })];
  });
}

function insideTargets(rule: Severities, context: RuleContext): readonly Finding[] {
  const findings: Finding[] = [];
  for (const body of context.declared) {
    const chosen = byDefault(body);
    const device = chosen.filter((one) => one.language === "CUDA" || one.language === "HIP");
    for (const cuda of device) {
      const cxx = chosen.find((one) => one.language === "CXX" && one.value !== cuda.value && !reachBoth(one, cuda) && together(one.fact.conditions, cuda.fact.conditions));
      if (cxx === undefined) continue;
      const torch = torchAbi(context, cuda.evidence.location.path);
      const [wrong, right] = torch !== undefined && exchangesObjects(context, body) && torch.value === cuda.value ? [cxx, cuda] : [cuda, cxx];
      findings.push(finding(rule, {
        message: `The C++ sources of ${targetsPhrase([body.name])} are compiled with _GLIBCXX_USE_CXX11_ABI=${cxx.value} (${place(cxx.evidence.location, context.root)}) and its ${cuda.language} sources with ${cuda.value} (${place(cuda.evidence.location, context.root)}). The two end up in one binary and do not agree on std::string.`,
        target: body.name,
        location: wrong.evidence.location,
        related: [{ message: `${right.value} for the other compiler`, location: right.evidence.location }],
      }));
      break;
    }
  }
  return findings;
}

/** Flags that both compilers receive are alternatives, not a difference between the two. */
function reachBoth(cxx: Claim, cuda: Claim): boolean {
  return (cxx.fact.languages ?? []).includes(cuda.language) && (cuda.fact.languages ?? []).includes("CXX");
}

/** Two switches of the project that each set another value, and that can both be on. One finding for all that they reach. */
function switchesThatAddUp(rule: Severities, context: RuleContext): readonly Finding[] {
  const pairs = context.declared.flatMap((body) => {
    const claims = claimsOf(body).filter((one) => one.language === "CXX" && one.fact.conditions.length > 0);
    for (const [index, earlier] of claims.entries()) {
      const later = claims.slice(index + 1).find((one) => one.value !== earlier.value && together(earlier.fact.conditions, one.fact.conditions));
      if (later !== undefined) return [{ earlier, later }];
    }
    return [];
  });
  return [...groupBy(pairs, ({ earlier, later }) => `${locationKey(earlier.evidence.location)} ${locationKey(later.evidence.location)}`).values()].flatMap((group) => {
    const first = group[0];
    if (first === undefined) return [];
    const { earlier, later } = first;
    const names = group.map((one) => one.earlier.body.name);
    const bothAsked = isOptIn(earlier.fact.conditions, earlier.body.target) && isOptIn(later.fact.conditions, later.body.target);
    return [finding(rule, {
      ...(bothAsked ? { severity: "warning" as const } : {}),
      message: `${capital(targetsPhrase(names))} ${new Set(names).size === 1 ? "gets" : "get"} _GLIBCXX_USE_CXX11_ABI=${earlier.value}${conditionSuffix(earlier.fact.conditions)} at ${place(earlier.evidence.location, context.root)} and ${later.value}${conditionSuffix(later.fact.conditions)} at ${place(later.evidence.location, context.root)}. With both switched on the same sources get both values, and the later one wins.`,
      ...(new Set(names).size === 1 ? { target: earlier.body.name } : {}),
      location: earlier.evidence.location,
      related: [{ message: `${later.value}${conditionSuffix(later.fact.conditions)}`, location: later.evidence.location }],
    })];
  });
}

/** Defaults of the same choice that differ between build files: CMake's option and setup.py's environment variable. */
function betweenBuilders(rule: Severities, context: RuleContext): readonly Finding[] {
  const settings = observationsOf(context.observations, "abi-setting").filter((one) => one.value !== undefined && one.variable !== undefined && /default/.test(one.how));
  const findings: Finding[] = [];
  for (const group of groupBy(settings, (one) => normalName(one.variable ?? "")).values()) {
    const zero = group.find((one) => one.value === 0);
    const one = group.find((other) => other.value === 1 && zero !== undefined && other.evidence.location.path !== zero.evidence.location.path && canHoldTogether(zero.conditions, other.conditions));
    if (zero === undefined || one === undefined) continue;
    const torch = torchAbi(context, zero.evidence.location.path);
    const [wrong, right] = torch?.value === 0 ? [one, zero] : [zero, one];
    findings.push(finding(rule, {
      message: `${name(wrong)} defaults to ${String(wrong.value)} at ${place(wrong.evidence.location, context.root)} and ${name(right)} to ${String(right.value)} at ${place(right.evidence.location, context.root)}: the same sources come out with another _GLIBCXX_USE_CXX11_ABI depending on which build file starts the build.`,
      location: wrong.evidence.location,
      related: group.filter((other) => other !== wrong).map((other) => ({ message: `${name(other)} defaults to ${String(other.value)} (${other.how})`, location: other.evidence.location })),
    }));
  }
  return findings;
}

function name(setting: AbiSetting): string {
  return setting.variable ?? "the ABI option";
}

/** `_GLIBCXX_USE_CXX11_ABI`, `GLIBCXX_USE_CXX11_ABI` and `USE_CXX11_ABI` name one choice. */
function normalName(variable: string): string {
  return variable.replace(/^_+/, "").replace(/^GLIBCXX_/, "").toUpperCase();
}
