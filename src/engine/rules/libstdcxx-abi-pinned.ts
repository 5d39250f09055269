import type { Finding } from "../model/index.ts";
import type { Rule, RuleContext } from "./rule.ts";
import { torchAbi } from "./libstdcxx/againstTorch.ts";
import { abiFixes, claimsOf } from "./libstdcxx/claims.ts";
import { finding, groupBy, isOptIn, locationKey, place, targetsPhrase } from "./support.ts";
import { allowedTorch, dependsOnTorchVersion, exchangesObjects } from "./torch.ts";

export const libstdcxxAbiPinned: Rule = {
  name: "libstdcxx-abi-pinned",
  severity: "info",
  summary: "_GLIBCXX_USE_CXX11_ABI is written out; it agrees with this torch and not with every torch that the project allows.",
  check,
};

function check(context: RuleContext): readonly Finding[] {
  const claims = context.declared.flatMap((body) => (claimsOf(body).length > 0 && exchangesObjects(context, body) ? claimsOf(body) : []));
  const findings: Finding[] = [];
  for (const group of groupBy(claims, (one) => locationKey(one.evidence.location)).values()) {
    const first = group[0];
    if (first === undefined || dependsOnTorchVersion(first.fact.conditions) || isOptIn(first.fact.conditions, first.body.target)) continue;
    // A value that an option or a generator expression works out is not written out.
    if (!new RegExp(`_GLIBCXX_USE_CXX11_ABI=${first.value}`).test(first.evidence.text)) continue;
    const torch = torchAbi(context, first.evidence.location.path);
    if (torch === undefined || torch.value !== first.value) continue;
    const allowed = allowedTorch(context, first.evidence.location.path);
    // A value that holds for every torch that may come is no pin to worry about.
    const other = allowed.releases.findLast((release) => release.variants.some((one) => one.platform.startsWith("linux") && one.libstdcxxAbi !== undefined && one.libstdcxxAbi !== first.value));
    if (other === undefined) continue;
    findings.push(finding(libstdcxxAbiPinned, {
      message: `_GLIBCXX_USE_CXX11_ABI=${first.value} is written out for ${targetsPhrase(group.map((one) => one.body.name))} at ${place(first.evidence.location, context.root)}. It agrees today: ${torch.words}. There are builds of torch ${other.version}, which the project allows too (${allowed.words}), with the other value; taking the value from torch follows it.`,
      location: first.evidence.location,
      against: torch.evidence,
      fixes: abiFixes(context.files, first.evidence, first.value, torch.value, torch.value === 1).slice(0, 1),
    }));
  }
  return findings;
}
