/** The torch that a built file needs at least, against what the project asks installers for. */
import type { Finding } from "../../model/index.ts";
import { compareVersions } from "../../model/index.ts";
import type { Rule, RuleContext } from "../rule.ts";
import { finding, groupBy, locationKey, place } from "../support.ts";
import { allowedTorch } from "../torch.ts";
import { nameOf, placeOfFile, subjectsOf } from "./subjects.ts";

/** A requirement that admits torches without the functions of the stable ABI that the file uses. */
export function floorTooLow(rule: Rule, context: RuleContext): readonly Finding[] {
  const hits = subjectsOf(context).flatMap(({ file }) => {
    const minimum = file.fit?.traits.find((one) => one.trait === "stable-abi-minimum");
    const needed = minimum === undefined ? undefined : /\d+\.\d+(?:\.\d+)?/.exec(minimum.built)?.[0];
    if (minimum === undefined || needed === undefined || file.target === undefined || (file.body.profile.imports.torch ?? 0) > 0) return [];
    const allowed = allowedTorch(context, file.target.target.location.path);
    const oldest = allowed.releases[0];
    const requirement = allowed.requirements.find((one) => one.role === "install" && one.specifier !== "");
    if (oldest === undefined || requirement === undefined || compareVersions(oldest.version, needed) >= 0) return [];
    return [{ file, needed, oldest: oldest.version, requirement, minimum }];
  });
  return [...groupBy(hits, (one) => locationKey(one.requirement.location)).values()].flatMap((group) => {
    const [lead] = [...group].sort((a, b) => compareVersions(b.needed, a.needed));
    if (lead === undefined) return [];
    return [finding(rule, {
      message: `torch${lead.requirement.specifier} (${place(lead.requirement.location, context.root)}) admits torch ${lead.oldest}, and ${nameOf(context, lead.file)} uses functions of torch's stable ABI that came with torch ${lead.needed}: installers will put the package beside a torch that cannot load it. Require torch>=${lead.needed}, or build with a lower TORCH_TARGET_VERSION.`,
      location: lead.requirement.specifierLocation ?? lead.requirement.location,
      ...(lead.file.target === undefined ? {} : { target: lead.file.target.name }),
      related: [{ message: lead.minimum.because, location: placeOfFile(lead.file) }],
      against: lead.minimum.evidence,
    })];
  });
}

