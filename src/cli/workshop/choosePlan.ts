import { NodeFiles } from "../../engine/files/index.ts";
import { presetsIn } from "../../engine/sources/cmake/presetFiles.ts";
import type { Variables } from "../../workshop/process/types.ts";
import type { BuildPlan, CMakeBuild, Project, PythonBuild } from "../../workshop/project/types.ts";
import { UsageError } from "../arguments.ts";

export interface PlanChoice {
  readonly build?: string | undefined;
  readonly preset?: string | undefined;
  readonly "build-dir"?: string | undefined;
  readonly target?: readonly string[] | undefined;
  readonly configuration?: string | undefined;
  readonly wheel?: boolean | undefined;
  readonly editable?: boolean | undefined;
}

/** The plan that the options mean, changed as they say. Throws UsageError that lists what there is. */
export function choosePlan(project: Project, choice: PlanChoice, environment: Variables): BuildPlan {
  const isCMake = choice.preset !== undefined || choice["build-dir"] !== undefined || (choice.target ?? []).length > 0 || choice.configuration !== undefined;
  const isPython = choice.wheel === true || choice.editable === true;
  if (choice.wheel === true && choice.editable === true) {
    throw new UsageError("--wheel and --editable exclude each other.");
  }
  if (isCMake && isPython) {
    throw new UsageError("--preset, --build-dir, --target and --configuration are for CMake, --wheel and --editable for Python: they exclude each other.");
  }
  const named = choice.build === undefined ? undefined : namedPlan(project, choice.build);
  if (isCMake) {
    return cmakePlan(project, named, choice, environment);
  }
  if (isPython) {
    return pythonPlan(project, named, choice.editable === true ? "editable" : "wheel");
  }
  const plan = named ?? project.builds[0];
  if (plan === undefined) {
    throw new UsageError(`Nothing was found to build in ${project.root}: no CMake project, no setup.py or pyproject.toml with something to compile, and no "build" in abiding.json. --gantry builds the library that comes with Abiding.`);
  }
  return plan;
}

function namedPlan(project: Project, id: string): BuildPlan {
  const plan = project.builds.find((one) => one.id === id);
  if (plan === undefined) {
    throw new UsageError(`--build ${id}: there is no such build; there ${project.builds.length === 1 ? "is" : "are"} ${project.builds.map((one) => one.id).join(", ") || "none"}.`);
  }
  return plan;
}

function cmakePlan(project: Project, named: BuildPlan | undefined, choice: PlanChoice, environment: Variables): CMakeBuild {
  const all = project.builds.filter((one) => one.kind === "cmake");
  if (named !== undefined && named.kind !== "cmake") {
    throw new UsageError(`${named.id} is not built by CMake: --preset, --build-dir, --target and --configuration mean nothing to it.`);
  }
  const candidates = named === undefined ? all : [named];
  const { preset } = choice;
  const plan = preset === undefined ? candidates[0] : candidates.find((one) => one.configurePreset === preset) ?? candidates.find((one) => one.buildPreset === preset);
  if (plan === undefined) {
    throw new UsageError(preset === undefined ? `Nothing in ${project.root} is built by CMake.` : `${noPreset(project, all, preset, environment)}`);
  }
  return {
    ...plan,
    ...((choice.target ?? []).length === 0 ? {} : { targets: choice.target ?? [] }),
    ...(choice.configuration === undefined ? {} : { configuration: choice.configuration }),
  };
}

function noPreset(project: Project, plans: readonly CMakeBuild[], name: string, environment: Variables): string {
  const names = [...new Set(plans.flatMap((one) => one.configurePreset ?? []))];
  const there = names.length === 0 ? "there are none" : `there ${names.length === 1 ? "is" : "are"} ${names.join(", ")}`;
  const files = new NodeFiles();
  for (const source of new Set([project.root, ...plans.map((one) => one.source)])) {
    const found = presetsIn(source, files, { environment }).find("configurePresets", name);
    if (found !== undefined) {
      return found.hidden
        ? `The preset ${name} is hidden: others inherit from it, and it cannot be used itself; ${there}.`
        : `The preset ${name} cannot be used here: its condition does not hold on this machine, its build folder could not be told, or abiding.json lists other builds; ${there}.`;
    }
  }
  return `There is no configure preset ${name}; ${there}.`;
}

function pythonPlan(project: Project, named: BuildPlan | undefined, mode: "wheel" | "editable"): PythonBuild {
  const python = project.builds.filter((one) => one.kind === "python");
  if (named !== undefined && named.kind !== "python") {
    throw new UsageError(`${named.id} is not built by Python: --wheel and --editable mean nothing to it.`);
  }
  const plan = named ?? python.find((one) => one.mode === mode) ?? python[0];
  if (plan === undefined) {
    throw new UsageError(`Nothing in ${project.root} is built by Python: there is no wheel to make and nothing to install.`);
  }
  return plan.mode === mode ? plan : { ...plan, mode };
}
