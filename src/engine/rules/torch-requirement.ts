import { boundsOf, satisfies } from "../model/index.ts";
import type { Finding, Requirement } from "../model/index.ts";
import { looseBuildTorch } from "./build-isolation.ts";
import { floorTooLow } from "./binaries/requirement.ts";
import { otherTorchRequired } from "./binaries/wheelInstall.ts";
import { wheelFindings } from "./binaries/wheels.ts";
import { applies } from "./markers.ts";
import { clashes } from "./pins/clashes.ts";
import { clashingFiles } from "./pins/files.ts";
import { imageFindings } from "./pins/images.ts";
import { impossible } from "./pins/impossible.ts";
import { clashingLists, recipes } from "./pins/lists.ts";
import { actTogether, minorOf, nativesPhrase, packagesOf, pinFix, releasesAllowed, requirementWords, torchOf, wantedTorch } from "./pins/packages.ts";
import type { Package } from "./pins/packages.ts";
import type { Rule, RuleContext } from "./rule.ts";
import { capital, finding, place } from "./support.ts";
import { givenTorch, releasePart } from "./torch.ts";

export const torchRequirement: Rule = {
  name: "torch-requirement",
  severity: "warning",
  summary: "Requirements on torch that contradict each other, or a native package that does not say which torch it works with.",
  check(context) {
    const perPackage = packagesOf(context).flatMap((one) => [...buildAgainstInstall(context, one), ...clashingLists(context, torchRequirement, one), ...unbound(context, one), ...againstGiven(context, one)]);
    return [...impossible(context, torchRequirement), ...perPackage, ...recipes(context, torchRequirement), ...clashingFiles(context, torchRequirement), ...imageFindings(context, torchRequirement), ...floorTooLow(torchRequirement, context), ...wheelFindings(torchRequirement, context, (one) => one.kind === "requires-torch"), ...otherTorchRequired(torchRequirement, context)];
  },
};

/** The torch that the build asks for is one that the install refuses. */
function buildAgainstInstall(context: RuleContext, one: Package): readonly Finding[] {
  const isTorch = (requirement: Requirement) => requirement.name === "torch";
  return clashes(wantedTorch(context, one), [...one.build, ...one.setup].filter(isTorch)).map(([install, build]) =>
    finding(torchRequirement, {
      message: `The build requires ${requirementWords(context, build)} and the install requires ${requirementWords(context, install)}: no torch meets both, so the package is compiled against a torch that it cannot be installed with.`,
      location: install.location,
      related: [{ message: "The build requires this torch.", location: build.location }],
      fixes: [pinFix(install, build.specifier, `Require torch${build.specifier} for the install, as for the build`, false)],
    }));
}

/**
 * A wheel with C++ code of torch's unstable interface works with one minor release, and its metadata allows more. What
 * `build-isolation` already says of the same package is not said twice.
 */
function unbound(context: RuleContext, one: Package): readonly Finding[] {
  const [native] = one.natives;
  if (!native || looseBuildTorch(context, one)) return [];
  const torch = torchOf(context, one);
  const natives = capital(nativesPhrase(one));
  const binds = /^Targets /.test(natives) ? "bind" : "binds";
  const builtWith = one.build.find((requirement) => requirement.name === "torch" && requirement.specifier !== "");
  if (torch.length === 0) {
    const [other] = one.install;
    // Without any install requirement the list may simply not have been read; a computed name may be torch.
    if (!other || one.install.some((requirement) => /[^a-z0-9-]/.test(requirement.name))) return [];
    return [finding(torchRequirement, {
      message: `${natives} ${binds} to the C++ interface of the torch that the package is compiled with, which changes with every minor release, and the install requirements (${place(other.location, context.root)} and what follows) do not name torch: the built package installs beside any torch. Require the torch that it was built with.`,
      location: other.location,
      related: [{ message: `${native.name} is compiled against torch.`, location: native.target.location }],
    })];
  }
  const loose = torch.find((requirement) => isLoose(context, requirement));
  if (!loose || torch.some((requirement) => requirement !== loose && actTogether(requirement, loose) && !isLoose(context, requirement))) return [];
  const given = givenTorch(context);
  const pin = builtWith ? builtWith.specifier : given ? `==${minorOf(releasePart(given.version))}.*` : undefined;
  const allowed = loose.specifier === "" ? "any torch" : boundsOf(loose.specifier)?.upper === true ? "several minor releases of torch" : "every later torch";
  return [finding(torchRequirement, {
    message: `${natives} ${binds} to the C++ interface of the torch that the package is compiled with, which changes with every minor release, and the install requirement ${requirementWords(context, loose)} admits ${allowed}: installers will put the built package beside a torch that it was not compiled for. Require the minor release that the package is built with.`,
    location: loose.location,
    related: [{ message: `${native.name} is compiled against torch.`, location: native.target.location }],
    fixes: [pin === undefined ? undefined : pinFix(loose, pin, `Require torch${pin}`, false)],
  })];
}

/** Whether a requirement leaves open which minor release of torch is installed. A computed exact pin does not. */
function isLoose(context: RuleContext, requirement: Requirement): boolean {
  if (requirement.url !== undefined || requirement.nightly) return false;
  if (!requirement.known) return /^\s*>/.test(requirement.specifier) && !requirement.specifier.includes("<");
  const releases = releasesAllowed(context, [requirement]);
  return releases !== undefined && new Set(releases.map((release) => minorOf(release.version))).size > 1;
}

/** The torch to check against is none that the package may be installed with. */
function againstGiven(context: RuleContext, one: Package): readonly Finding[] {
  const given = givenTorch(context);
  if (!given) return [];
  const refused = wantedTorch(context, one).filter((requirement) => requirement.known && requirement.conditions.length === 0 && applies(context, requirement.marker) && satisfies(given.version, requirement.specifier) === false);
  // NGC and source builds call themselves pre-releases of the version that they will become.
  const [first] = refused.filter((requirement) => satisfies(releasePart(given.version), requirement.specifier) === false);
  if (!first) return [];
  return [finding(torchRequirement, {
    severity: context.installed?.source === "environment" ? "warning" : "info",
    message: `The package requires ${requirementWords(context, first)}, and the torch to check against is ${given.name}, which does not meet that: an installer would replace this torch or refuse the package.`,
    location: first.location,
    against: context.installed?.facts.find((fact) => fact.trait === "torch-version")?.evidence ?? [],
  })];
}
