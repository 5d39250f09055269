import type { DeclaredBody, Fact, Finding, SourceEvidence } from "../model/index.ts";
import { factsOf, valueOf } from "../model/index.ts";
import { effectiveFacts } from "../sources/flags/index.ts";
import { withBuilt } from "./binaries/report.ts";
import { traitSaid } from "./binaries/traits.ts";
import { disagreements } from "./binaries/words.ts";
import { deleteArgumentFix, replaceFix } from "./edits.ts";
import { linuxAbi } from "./libstdcxx/againstTorch.ts";
import type { Rule, RuleContext } from "./rule.ts";
import { capital, conditionPhrase, describe, finding, groupBy, locationKey, place, placeWhen, sourceOf, targetsPhrase, viaPlaces } from "./support.ts";
import { allowedTorch, dependsOnTorchVersion, exchangesObjects, givenTorch, judgedByRange, releaseEvidence } from "./torch.ts";

export const gxxAbiVersion: Rule = {
  name: "gxx-abi-version",
  severity: "warning",
  summary: "-fabi-version, __GXX_ABI_VERSION or PYBIND11_BUILD_ABI differ from torch's.",
  check,
};

interface Claim {
  readonly body: DeclaredBody;
  readonly fact: Fact<"gxx-abi-version">;
  readonly evidence: SourceEvidence;
}

function check(context: RuleContext): readonly Finding[] {
  const claims = context.declared.filter((body) => body.facts.some((one) => one.trait === "gxx-abi-version") && exchangesObjects(context, body)).flatMap(claimsOf);
  const findings: Finding[] = [];
  for (const group of groupBy(claims, (one) => locationKey(one.evidence.location)).values()) {
    const first = group[0];
    if (first === undefined) continue;
    const found = againstTorch(context, first, group) ?? tiedToOtherSwitch(context, first, group);
    if (found !== undefined) findings.push(found);
  }
  // Up to pybind11 2 the key has the number in it, and says the same.
  return withBuilt(gxxAbiVersion, context, findings, (at, file) => (disagreements(file, "pybind11-internals").length > 0 || file.origin === "installed" ? undefined : traitSaid(at, file, "gxx-abi-version")));
}

function claimsOf(body: DeclaredBody): readonly Claim[] {
  return body.target.languages.flatMap((language) => factsOf(effectiveFacts(factsOf(body.facts, "gxx-abi-version"), language), "gxx-abi-version").flatMap((fact) => {
    const evidence = sourceOf(fact.evidence);
    return evidence === undefined || fact.follows !== undefined ? [] : [{ body, fact, evidence }];
  }));
}

function againstTorch(context: RuleContext, first: Claim, group: readonly Claim[]): Finding | undefined {
  const { value } = first.fact;
  if (value === undefined || dependsOnTorchVersion(first.fact.conditions)) return undefined;
  const torch = torchVersionOf(context, first.evidence.location.path);
  if (torch === undefined || torch.value === value) return undefined;
  return finding(gxxAbiVersion, {
    message: `${capital(targetsPhrase(group.map((one) => one.body.name)))} ${new Set(group.map((one) => one.body.name)).size === 1 ? "is" : "are"} compiled with __GXX_ABI_VERSION ${value} (${placeWhen(first.evidence.location, first.fact.conditions, context.root)}), but ${torch.words}. The number is part of the key under which pybind11 2 shares types, so types that torch registers there, such as torch.jit.ScriptFunction, are not recognised as arguments.${torch.exact ? "" : ` ${judgedByRange}`}`,
    location: first.evidence.location,
    related: viaPlaces(first.evidence.via),
    against: torch.evidence,
    fixes: [
      replaceFix(context.files, first.evidence.location, `-fabi-version=${value - 1000}`, `-fabi-version=${torch.value - 1000}`, `Change it to -fabi-version=${torch.value - 1000}`),
      replaceFix(context.files, first.evidence.location, `_cxxabi${value}`, `_cxxabi${torch.value}`, `Change it to _cxxabi${torch.value}`),
      replaceFix(context.files, first.evidence.location, `__GXX_ABI_VERSION=${value}`, `__GXX_ABI_VERSION=${torch.value}`, `Change it to __GXX_ABI_VERSION=${torch.value}`),
      deleteArgumentFix(context.files, first.evidence.location, `-fabi-version=${value - 1000}`, `Delete -fabi-version=${value - 1000}`, false),
    ],
  });
}

/** torch's number; undefined from 2.9 on, where pybind11 3 leaves it out of its key. */
function torchVersionOf(context: RuleContext, path: string): { readonly value: number; readonly words: string; readonly exact: boolean; readonly evidence: Finding["against"] } | undefined {
  if (context.installed !== undefined) {
    const fact = factsOf(context.installed.facts, "gxx-abi-version").find((one) => one.value !== undefined);
    const key = valueOf(context.installed.facts, "pybind11-internals");
    if (fact?.value === undefined || (key !== undefined && key.includes("gxx_abi_1xxx"))) return undefined;
    return { value: fact.value, words: `${givenTorch(context)?.name ?? "torch"} has ${fact.value} (${describe(fact.evidence[0], context.root)})`, exact: true, evidence: fact.evidence };
  }
  const { releases, words } = allowedTorch(context, path);
  const values = new Set(releases.map((one) => (linuxAbi(one) === undefined ? undefined : one.gxxAbiVersion)));
  const [only] = values;
  const newest = releases.at(-1);
  if (values.size !== 1 || only === undefined || newest === undefined) return undefined;
  return { value: only, words: `every torch that the project allows has ${only} (${words})`, exact: false, evidence: [releaseEvidence(newest)] };
}

/** A mangling version that comes with one choice of the string ABI and not with the other. */
function tiedToOtherSwitch(context: RuleContext, first: Claim, group: readonly Claim[]): Finding | undefined {
  const tie = first.fact.conditions.find((one) => /CXX11_ABI/.test(one.text));
  if (tie === undefined || dependsOnTorchVersion(first.fact.conditions)) return undefined;
  return finding(gxxAbiVersion, {
    message: `${first.evidence.text.trim()} at ${place(first.evidence.location, context.root)} reaches ${targetsPhrase(group.map((one) => one.body.name))} only ${conditionPhrase([tie])}: which mangling version g++ uses depends on the choice of _GLIBCXX_USE_CXX11_ABI, though the two are independent. Set it in both cases or in neither.`,
    location: first.evidence.location,
    related: [{ message: "the choice that it depends on", location: tie.location }],
  });
}
