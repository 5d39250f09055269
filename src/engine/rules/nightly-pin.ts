import { exactVersion, parseVersion, publicVersion } from "../model/index.ts";
import type { Finding, Requirement } from "../model/index.ts";
import { isAside, nativesPhrase, packageOf, packagesOf, requirementWords } from "./pins/packages.ts";
import type { Package } from "./pins/packages.ts";
import type { Rule, RuleContext } from "./rule.ts";
import { finding } from "./support.ts";

/**
 * The nightly index lists the newest 60 builds of a package (pytorch/test-infra, s3_management/manage.py, KEEP_THRESHOLD). Twice
 * that many days leave room for days without a build.
 */
const daysListed = 120;

const nightlyPackages = new Set(["torch", "torchvision", "torchaudio"]);

export const nightlyPin: Rule = {
  name: "nightly-pin",
  severity: "warning",
  summary: "A nightly is pinned that the index no longer lists, or is asked for without a pin.",
  check(context) {
    const nightlies = context.requirements.filter((one) => nightlyPackages.has(one.name) && one.nightly && one.known);
    return [...nightlies.flatMap((one) => stale(context, one) ?? []), ...packagesOf(context).flatMap((one) => floating(context, one, nightlies) ?? [])];
  },
};

function dateOf(requirement: Requirement): Date | undefined {
  const match = /^(\d{4})(\d\d)(\d\d)$/.exec(String(parseVersion(exactVersion(requirement.specifier) ?? "")?.dev ?? ""));
  return match ? new Date(Date.UTC(Number(match[1]), Number(match[2]) - 1, Number(match[3]))) : undefined;
}

/** The newest release that is known bounds today's date from below. */
function stale(context: RuleContext, one: Requirement): Finding | undefined {
  const built = dateOf(one);
  const dates = context.catalogue.torchReleases.flatMap((release) => (release.date === undefined ? [] : [{ release, at: Date.parse(release.date) }]));
  const newest = dates.sort((a, b) => a.at - b.at).at(-1);
  if (!built || !newest || one.url !== undefined) return undefined;
  const days = Math.floor((newest.at - built.getTime()) / 86_400_000);
  if (days <= daysListed) return undefined;
  const release = one.name === "torch" ? context.catalogue.torchRelease(publicVersion(exactVersion(one.specifier) ?? "")?.replace(/\.dev\d+$/, "") ?? "") : undefined;
  const nightlyOnly = one.replacesDefaultIndex === true && one.indexUrls.length > 0 && one.indexUrls.every(isNightlyIndex);
  const index = nightlyOnly ? `, and take it from an index of releases (${one.indexUrls[0]?.replace("/nightly", "") ?? ""}): the one given here holds nightlies only` : "";
  const instead = release ? ` torch ${release.version} has been released since; pin that${index}.` : " Pin a release, or a nightly that the index still lists.";
  return finding(nightlyPin, {
    message: `${requirementWords(context, one)} was built on ${built.toISOString().slice(0, 10)}, ${days} days or more before today (torch ${newest.release.version} came out on ${newest.release.date}). The nightly index lists the newest 60 builds only, so this one can no longer be installed from it.${instead}`,
    location: one.location,
    against: [{ kind: "catalogue", table: "torch-releases", row: newest.release.version, source: newest.release.sources[0] ?? "" }],
    fixes: [release && one.specifierLocation && !nightlyOnly ? { title: `Require torch==${release.version}`, preferred: false, edits: [{ location: one.specifierLocation, newText: `==${release.version}` }] } : undefined],
  });
}

function isNightlyIndex(url: string): boolean {
  return /\/nightly(\/|$)/.test(url);
}

/** Images and test lists that follow the nightly do so on purpose; a build that follows it binds to a torch of one day. */
function floating(context: RuleContext, owner: Package, nightlies: readonly Requirement[]): Finding | undefined {
  const [native] = owner.natives;
  const open = nightlies.filter((one) => {
    const isOwn = one.role === "build" || one.role === "install" || one.role === "requirements-file";
    return one.name === "torch" && isOwn && exactVersion(one.specifier) === undefined && !isAside(one.location.path, context.root) && packageOf(context, one.location.path) === owner;
  });
  const first = open.find((one) => one.role === "build") ?? open[0];
  if (!native || !first) return undefined;
  return finding(nightlyPin, {
    message: `${requirementWords(context, first)} takes torch from a nightly index without naming a day, and ${nativesPhrase(owner)} compiled against it ${owner.natives.length === 1 ? "works" : "work"} with that one only: each install may bring another torch, whose C++ interface changes from day to day. Pin the nightly that the extension was built with.`,
    location: first.location,
    related: [
      ...open.filter((one) => one !== first).map((one) => ({ message: "torch is taken from a nightly index here too.", location: one.location })),
      { message: `${native.name} is compiled against torch.`, location: native.target.location },
    ],
  });
}
