import * as fs from "node:fs";
import * as path from "node:path";
import { NodeFiles } from "../../engine/files/index.ts";
import type { PythonBuild } from "../project/types.ts";
import { CannotDo } from "../workshop.ts";
import { needsOf } from "./pythonNeeds.ts";
import { commandOf } from "./recipe.ts";
import type { Circumstances, Recipe, Step } from "./recipe.ts";
import type { BuildRequest } from "./types.ts";

const setupCall = "from setuptools import setup; setup()";

/**
 * Builds by the chosen Python and with what is installed beside it: in an isolated build pip would take another torch
 * (rule build-isolation). Only the mode "editable" installs something. Throws CannotDo when the environment lacks what the
 * build needs.
 */
export function pythonRecipe(plan: PythonBuild, request: BuildRequest, circumstances: Circumstances, wantedTorch: string | undefined): Recipe {
  const { interpreter, environment, state } = circumstances;
  if (interpreter === undefined) {
    throw new CannotDo("No Python was found to build with: no virtual environment around the project, none active, none on PATH. Name one with --interpreter.");
  }
  const needs = needsOf(plan, interpreter, environment, wantedTorch);
  if (needs.missing.length > 0) {
    throw new CannotDo(`The environment of ${interpreter} lacks ${listed(needs.missing)}, which building without isolation needs. This installs ${needs.missing.length === 1 ? "it" : "them"}: ${needs.install}`);
  }
  const settings = keptFolders(plan, request, state);
  const wheels = path.join(state, "wheels");
  const step = (name: Step["name"], title: string, argv: readonly string[], isIndented: boolean): Step => ({ name, title, source: plan.source, isIndented, command: commandOf([interpreter, ...argv], plan.source, withJobs(environment, request.jobs)) });
  const pip = ["-v", "--no-build-isolation", "--no-deps", "--disable-pip-version-check", ...[...settings.arguments, ...plan.arguments].map(asPipOption), ...(request.arguments ?? []).map(asPipOption)];
  switch (plan.mode) {
    case "in-place": {
      if (plan.backend !== "setuptools") {
        throw new CannotDo(`${plan.backend} has no build in place; build a wheel, or install it editable.`);
      }
      const script = fs.existsSync(path.join(plan.source, "setup.py")) ? ["setup.py"] : ["-c", setupCall];
      const force = request.fresh ? ["--force"] : [];
      return {
        notes: needs.notes, advice: [], products: () => [], productFolders: [plan.source],
        steps: [() => step("build", "Building", [...script, "build_ext", "--inplace", ...force, ...plan.arguments, ...(request.arguments ?? [])], false)],
      };
    }
    case "wheel":
      return {
        notes: needs.notes, advice: [], products: () => [], productFolders: [wheels],
        steps: [() => step("package", "Building a wheel", ["-m", "pip", "wheel", ...pip, "--wheel-dir", wheels, "."], true)],
      };
    case "editable":
      return {
        notes: [...needs.notes, `${plan.source} is installed editable into the environment of ${interpreter}.`],
        advice: [], products: () => [], productFolders: [plan.source, ...settings.folders],
        steps: [() => step("package", "Installing editable", ["-m", "pip", "install", ...pip, "--editable", "."], true)],
      };
  }
}

interface KeptFolders {
  /** Config settings. */
  readonly arguments: readonly string[];
  readonly folders: readonly string[];
}

/**
 * scikit-build-core builds in a temporary folder unless it is told one: then every build would be a whole one. A project that
 * names one keeps it. Source: scikit-build-core's documentation, "Configuration", build-dir.
 */
function keptFolders(plan: PythonBuild, request: BuildRequest, state: string): KeptFolders {
  const project = new NodeFiles().readText(path.join(plan.source, "pyproject.toml"));
  const isNamed = (project.ok && /^\s*(?:tool\.scikit-build\.)?build-dir\s*=/m.test(project.text)) || [...plan.arguments, ...(request.arguments ?? [])].some((one) => /(?:^|=|\.)build-dir=/.test(one));
  if (plan.backend !== "scikit-build-core" || isNamed) {
    return { arguments: [], folders: [] };
  }
  const folder = path.join(state, "scikit-build");
  if (request.fresh) {
    fs.rmSync(folder, { recursive: true, force: true });
  }
  return { arguments: [`build-dir=${path.join(folder, "{wheel_tag}")}`], folders: [folder] };
}

function asPipOption(argument: string): string {
  return argument.startsWith("-") ? argument : `--config-settings=${argument}`;
}

/** Only when the user says so: else the variables are what they are. */
function withJobs(environment: Circumstances["environment"], jobs: number | undefined): Circumstances["environment"] {
  return jobs === undefined ? environment : { ...environment, MAX_JOBS: String(jobs), CMAKE_BUILD_PARALLEL_LEVEL: String(jobs) };
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1) ?? ""}`;
}
