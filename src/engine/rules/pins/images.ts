import { dirname, relative, sep } from "node:path";
import { exactVersion, isPrerelease, observationsOf, parseVersion, satisfies } from "../../model/index.ts";
import type { Finding, Location, ObservationOf, Requirement } from "../../model/index.ts";
import type { Rule, RuleContext } from "../rule.ts";
import { finding, groupBy, place } from "../support.ts";
import { releasePart } from "../torch.ts";
import { isAside, isInside, packagesOf, requirementWords, wantedTorch } from "./packages.ts";
import type { Package } from "./packages.ts";

/** A torch that an image holds: from its base image, or installed by one of its lines. */
interface HeldTorch {
  readonly version: string;
  readonly location: Location;
  readonly words: string;
}

/** Images of the package whose torch is one that the package refuses: installing the package there replaces torch. */
export function imageFindings(context: RuleContext, rule: Rule): readonly Finding[] {
  const lines = groupBy(context.requirements.filter((one) => one.name === "torch" && one.role === "image"), (one) => stageKey(one.location.path, one.group));
  const bases = groupBy(observationsOf(context.observations, "base-image"), (one) => stageKey(one.evidence.location.path, one.stage));
  const result: Finding[] = [];
  const seen = new Set<string>();
  for (const key of new Set([...bases.keys(), ...lines.keys()])) {
    const path = key.split("\0")[0] ?? "";
    const owner = packagesOf(context).find((one) => isOwnImage(context, one, path));
    const held = heldTorch(context, bases.get(key) ?? [], lines.get(key) ?? []);
    if (!owner || held.length === 0) continue;
    const wanted = wantedTorch(context, owner).filter((one) => one.known && one.conditions.length === 0 && one.marker === undefined && one.specifier !== "");
    const refused = wanted.find((one) => held.every((torch) => !meets(torch.version, one.specifier)));
    const [first] = held;
    if (!refused || !first) continue;
    const id = place(first.location, context.root);
    if (seen.has(id)) continue;
    seen.add(id);
    result.push(finding(rule, {
      message: `${first.words}, and the package requires ${requirementWords(context, refused)}: installing it there replaces torch, and what was compiled in the image before that no longer fits.`,
      location: first.location,
      related: [{ message: "The package requires this torch.", location: refused.location }],
    }));
  }
  return result;
}

function stageKey(path: string, stage: string | undefined): string {
  return `${path}\0${stage ?? ""}`;
}

/** Beside the package's metadata or in its docker folder, not in examples or tests. */
function isOwnImage(context: RuleContext, one: Package, path: string): boolean {
  if (!isInside(path, one.directory) || isAside(path, context.root)) return false;
  const folder = relative(one.directory, dirname(path)).split(sep).join("/");
  return folder === "" || /^(\.?docker|dockerfiles?|containers?)(\/[^/]+)?$/i.test(folder);
}

/** Lines win over the base image; a line whose torch is not exact leaves it open. */
function heldTorch(context: RuleContext, bases: readonly ObservationOf<"base-image">[], lines: readonly Requirement[]): readonly HeldTorch[] {
  const pinned = lines.flatMap((one): HeldTorch[] => {
    const version = one.known ? exactVersion(one.specifier) : undefined;
    return version === undefined ? [] : [{ version, location: one.location, words: `The image installs ${requirementWords(context, one)}` }];
  });
  if (lines.length > 0) return pinned.length === lines.length ? pinned : [];
  return bases.flatMap((one) => (one.torchVersion === undefined ? [] : [{ version: one.torchVersion, location: one.evidence.location, words: `The base image ${one.image} (${place(one.evidence.location, context.root)}) holds torch ${one.torchVersion}` }]));
}

/** NVIDIA's images call their torch a pre-release of the version that it will become; that version is what counts. */
function meets(version: string, specifier: string): boolean {
  const parsed = parseVersion(version);
  const candidate = parsed && isPrerelease(parsed) ? releasePart(version) : version;
  const full = candidate.split(".").length < 3 ? [candidate, `${candidate}.1`, `${candidate}.2`] : [candidate];
  return full.some((one) => satisfies(one, specifier) !== false);
}
