/** Lists of one package or recipe that are installed together for certain. */
import type { Finding, Requirement } from "../../model/index.ts";
import type { Rule, RuleContext } from "../rule.ts";
import { finding, groupBy } from "../support.ts";
import { clashes } from "./clashes.ts";
import { requirementWords, wantedTorch } from "./packages.ts";
import type { Package } from "./packages.ts";

export function clashingLists(context: RuleContext, rule: Rule, one: Package): readonly Finding[] {
  return [...extras(context, rule, one), ...wheelBuilds(context, rule, one)];
}

/** `pip install ops[old]` installs what the package requires and what the extra adds. */
function extras(context: RuleContext, rule: Rule, one: Package): readonly Finding[] {
  return [...groupBy(one.extras, (requirement) => requirement.group ?? "")].flatMap(([extra, requirements]) =>
    clashes(requirements, one.install).map(([added, own]) => finding(rule, {
      message: `The extra${extra === "" ? "" : ` ${extra}`} asks for ${requirementWords(context, added)}, and the package itself requires ${requirementWords(context, own)}: an extra is installed together with what the package requires, and no version of ${own.name} meets both.`,
      location: added.location,
      related: [{ message: `The package requires this ${own.name}.`, location: own.location }],
    })));
}

/** cibuildwheel installs lists of its own into the environment that builds the wheel, and into the one that tests it. */
function wheelBuilds(context: RuleContext, rule: Rule, one: Package): readonly Finding[] {
  const install = [...wantedTorch(context, one), ...one.install.filter((requirement) => requirement.name !== "torch")];
  const of = (group: string): readonly Requirement[] => one.wheelBuilds.filter((requirement) => requirement.group === group);
  const before = clashes(of("cibuildwheel before-build"), [...one.build, ...one.setup, ...install]).map(([added, own]) => finding(rule, {
    message: `cibuildwheel installs ${requirementWords(context, added)} before each build, and the ${own.role === "build" || own.role === "setup-requires" ? "build" : "package"} requires ${requirementWords(context, own)}: no version of ${own.name} meets both, so the wheels are not built with what ${own.role === "build" || own.role === "setup-requires" ? "the build requires" : "they are installed with"}.`,
    location: added.location,
    related: [{ message: `This ${own.name} is required.`, location: own.location }],
  }));
  const tests = clashes(of("cibuildwheel tests"), install).map(([added, own]) => finding(rule, {
    message: `cibuildwheel tests the wheel with ${requirementWords(context, added)}, and the package requires ${requirementWords(context, own)}: no version of ${own.name} meets both, so the wheel is tested with a ${own.name} that it refuses.`,
    location: added.location,
    related: [{ message: `The package requires this ${own.name}.`, location: own.location }],
  }));
  return [...before, ...tests];
}

/** conda-build compiles in an environment of the list `host` (`build` where there is none), and `run` is what the package is installed with. */
export function recipes(context: RuleContext, rule: Rule): readonly Finding[] {
  const listed = context.requirements.filter((one) => one.role === "conda" && one.group !== undefined && /^(meta|recipe)\.ya?ml$/.test(one.location.path.replace(/^.*[\\/]/, "")));
  const result: Finding[] = [];
  for (const output of groupBy(listed, (one) => `${one.location.path}\0${(one.group ?? "").replace(/\w+$/, "")}`).values()) {
    const of = (list: string): readonly Requirement[] => output.filter((one) => one.group?.endsWith(list));
    const host = of("host");
    for (const [run, compiled] of clashes(of("run"), host.length > 0 ? host : of("build"))) {
      result.push(finding(rule, {
        message: `The recipe compiles against ${requirementWords(context, compiled)} and requires ${requirementWords(context, run)} at run time: no version of ${run.name} meets both, so the package is compiled against one that it cannot be installed with.`,
        location: run.location,
        related: [{ message: `The package is compiled against this ${run.name}.`, location: compiled.location }],
      }));
    }
  }
  return result;
}
