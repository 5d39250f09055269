import { compareVersions } from "../model/index.ts";
import type { Finding, Requirement } from "../model/index.ts";
import { minorOf, packagesOf, pinFix, releasesAllowed, requirementWords, torchOf } from "./pins/packages.ts";
import type { Package } from "./pins/packages.ts";
import type { Rule, RuleContext } from "./rule.ts";
import { finding, joinWords, targetsPhrase } from "./support.ts";
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
      if (one.natives.length === 0 || one.isolationOff || !one.buildSystem) return [];
      const torch = looseBuildTorch(context, one);
      if (torch) return [looseBuild(context, one, torch)];
      if (one.build.some((requirement) => requirement.name === "torch")) return [];
      return missingBuild(context, one) ?? [];
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
  const install = torchOf(one);
  const newest = releasesAllowed(context, [build])?.at(-1);
  const given = givenTorch(context);
  const natives = targetsPhrase(one.natives.map((body) => body.name));
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
    message: `An isolated build takes the newest torch that ${requirementWords(context, build)} allows${newest ? `, ${newest.version} or later,` : ""} and compiles ${natives} against it, while ${run}: the two are chosen independently, and a C++ extension works with the torch minor release that it was compiled for.${meets} Pin the same torch for build and install, or build with --no-build-isolation.`,
    location: build.location,
    related: install.map((requirement) => ({ message: "The install asks for this torch.", location: requirement.location })),
    fixes,
  });
}

function isNarrow(context: RuleContext, requirement: Requirement): boolean {
  const releases = releasesAllowed(context, [requirement]);
  return releases !== undefined && releases.length > 0 && new Set(releases.map((release) => minorOf(release.version))).size === 1;
}

/**
 * torch is not in the build environment at all. `import torch` at the top of setup.py then stops the build with a clear error;
 * a guarded import or find_package(Torch) goes on with another torch, or without one.
 */
function missingBuild(context: RuleContext, one: Package): Finding | undefined {
  const { buildSystem } = one;
  if (!buildSystem) return undefined;
  const natives = targetsPhrase(one.natives.map((body) => body.name));
  const [first] = one.natives;
  const required = one.imports.some((observed) => !observed.optional);
  const optional = one.imports.find((observed) => observed.optional);
  const byCMake = one.natives.every((body) => body.target.builder === "cmake") && one.imports.length === 0 && /scikit[_-]build|skbuild|mesonpy|py_build_cmake/.test(buildSystem.backend ?? "");
  if (!first || required || !(byCMake || optional)) return undefined;
  const consequence = byCMake
    ? "find_package(Torch) then fails, or finds a torch outside the build environment that is not the one that will import the extension"
    : "the guarded import of torch then fails silently, and the extension is left out or built without torch's flags";
  const newest = [...context.catalogue.torchReleases].sort((a, b) => compareVersions(a.version, b.version)).at(-1);
  return finding(buildIsolation, {
    message: `${natives.charAt(0).toUpperCase()}${natives.slice(1)} need${one.natives.length === 1 ? "s" : ""} torch to be compiled, and build-system.requires does not name it: in an isolated build ${consequence}. Require the torch that the package is installed with (for instance torch==${newest ? minorOf(newest.version) : "X.Y"}.*), or declare that it is built without isolation.`,
    location: buildSystem.evidence.location,
    related: [
      { message: `${first.name} is made here and uses torch.`, location: first.target.location },
      ...(optional && !byCMake ? [{ message: "torch is imported here, and its absence is tolerated.", location: optional.evidence.location }] : []),
    ],
  });
}
