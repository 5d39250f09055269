import { dirname, join } from "node:path";
import { observationsOf } from "../model/index.ts";
import type { Finding, ObservationOf, Requirement } from "../model/index.ts";
import { isAside, minorOf, nativesPhrase, packageOf, packagesOf, pinFix, releasesAllowed, requirementWords, torchOf } from "./pins/packages.ts";
import type { Package } from "./pins/packages.ts";
import type { Rule, RuleContext } from "./rule.ts";
import { finding, joinWords, place } from "./support.ts";
import { givenTorch, releasePart } from "./torch.ts";

/**
 * An installer builds a package in a fresh environment with what `build-system.requires` names (PEP 517, PEP 518). A torch that
 * is not pinned there is the newest one of the index, whatever the environment holds that will import the extension.
 */
export const buildIsolation: Rule = {
  name: "build-isolation",
  severity: "warning",
  summary: "An isolated build compiles against another torch than the one that will import the extension.",
  check(context) {
    return packagesOf(context).flatMap((one) => {
      if (one.isolationOff || !one.buildSystem) return [];
      const stopped = stoppedBuild(context, one, one.buildSystem);
      if (stopped || one.natives.length === 0) return stopped ? [stopped] : [];
      const torch = looseBuildTorch(context, one);
      return torch ? [looseBuild(context, one, torch)] : missingBuild(context, one, one.buildSystem);
    });
  },
};

/** The build requirement on torch that leaves open which minor release is compiled against. */
export function looseBuildTorch(context: RuleContext, one: Package): Requirement | undefined {
  if (one.natives.length === 0 || one.isolationOff || !one.buildSystem) return undefined;
  const torch = one.build.filter((requirement) => requirement.name === "torch" && requirement.known && requirement.url === undefined);
  const releases = releasesAllowed(context, torch);
  const [first] = torch;
  if (!first || !releases || new Set(releases.map((release) => minorOf(release.version))).size < 2) return undefined;
  return torch.find((requirement) => requirement.specifier !== "") ?? first;
}

function looseBuild(context: RuleContext, one: Package, build: Requirement): Finding {
  const install = torchOf(context, one);
  const newest = releasesAllowed(context, [build])?.at(-1);
  const given = givenTorch(context);
  const run = install.length > 0
    ? `installs ask for ${joinWords(install.slice(0, 3).map((requirement) => requirementWords(context, requirement)))}`
    : "no install requirement of the package names torch";
  const meets = given ? ` The torch at hand is ${given.name}.` : "";
  const narrow = install.find((requirement) => isNarrow(context, requirement));
  const fixes = [
    narrow ? pinFix(build, narrow.specifier, `Require torch${narrow.specifier} for the build, as for the install`, true) : undefined,
    given && !narrow ? pinFix(build, `==${minorOf(releasePart(given.version))}.*`, `Require torch==${minorOf(releasePart(given.version))}.* for the build`, false) : undefined,
  ];
  return finding(buildIsolation, {
    message: `An isolated build takes the newest torch that ${requirementWords(context, build)} allows${newest ? `, ${newest.version} or later,` : ""} and compiles ${nativesPhrase(one)} against it, while ${run}: the two are chosen independently, and a C++ extension works with the torch minor release that it was compiled for.${meets} Pin the same torch for build and install, or build with --no-build-isolation.`,
    location: build.location,
    related: install.map((requirement) => ({ message: "The install asks for this torch.", location: requirement.location })),
    fixes,
  });
}

function isNarrow(context: RuleContext, requirement: Requirement): boolean {
  const releases = releasesAllowed(context, [requirement]);
  return releases !== undefined && releases.length > 0 && new Set(releases.map((release) => minorOf(release.version))).size === 1;
}

/** setup.py imports torch, and nothing brings it into the build environment: the build stops, loudly, so this only informs. */
function stoppedBuild(context: RuleContext, one: Package, buildSystem: ObservationOf<"build-system">): Finding | undefined {
  const needed = one.imports.find((observed) => !observed.optional && observed.conditions.length === 0 && observed.evidence.location.path === join(one.directory, "setup.py"));
  // Another backend may run no setup.py, or ask for torch itself; other packages of torch's family bring it along.
  const mayBring = (requirement: Requirement) => requirement.name.includes("torch") || !requirement.known;
  if (!needed || isAside(needed.evidence.location.path, context.root) || !/^setuptools\b/.test(buildSystem.backend ?? "setuptools") || one.build.some(mayBring)) return undefined;
  if (context.requirements.some((requirement) => requirement.role === "uv-build" && requirement.name === "torch" && dirname(requirement.location.path) === one.directory)) return undefined;
  // `pip install --no-build-isolation .` in an image or the like is the way in which the package is built.
  const builtWithout = (observed: ObservationOf<"build-isolation">) => !observed.isolated && observed.packages.length === 0 && packageOf(context, observed.evidence.location.path) === one;
  if (observationsOf(context.observations, "build-isolation").some(builtWithout)) return undefined;
  const install = torchOf(context, one).find((requirement) => isNarrow(context, requirement));
  const newest = context.catalogue.torchReleases.at(-1);
  const pin = install ? `torch${install.specifier}, as for the install` : `for instance torch==${newest ? minorOf(newest.version) : "X.Y"}.*`;
  return finding(buildIsolation, {
    severity: "info",
    message: `setup.py imports torch (${place(needed.evidence.location, context.root)}), and build-system.requires does not name it: an isolated build stops with "ModuleNotFoundError: No module named 'torch'". Name there the torch that the package is installed with (${pin}), or build with --no-build-isolation and say so (for uv in no-build-isolation-package).`,
    location: buildSystem.evidence.location,
    related: [{ message: "torch is imported here.", location: needed.evidence.location }],
  });
}

/** CMake looks for torch, which the build environment does not hold: find_package(Torch) goes on with a torch of another one, if there is any. */
function missingBuild(context: RuleContext, one: Package, buildSystem: ObservationOf<"build-system">): readonly Finding[] {
  const [first] = one.natives;
  const byCMake = one.natives.every((body) => body.target.builder === "cmake") && one.imports.length === 0 && /scikit[_-]build|skbuild|mesonpy|py_build_cmake/.test(buildSystem.backend ?? "");
  const newest = context.catalogue.torchReleases.at(-1);
  if (!first || !byCMake || one.build.some((requirement) => requirement.name === "torch")) return [];
  return [finding(buildIsolation, {
    message: `CMake looks for torch to compile ${nativesPhrase(one)}, and build-system.requires does not name it: in an isolated build find_package(Torch) fails, or finds a torch outside the build environment that is not the one that will import the extension. Require the torch that the package is installed with (for instance torch==${newest ? minorOf(newest.version) : "X.Y"}.*), or declare that it is built without isolation.`,
    location: buildSystem.evidence.location,
    related: [{ message: `${first.name} is made here and uses torch.`, location: first.target.location }],
  })];
}
