/**
 * Files that say which distributions a project builds with, installs and runs with, read to requirements and observations.
 */
import type { Files, Reading } from "../../../model/index.ts";
import { readPresets } from "../../cmake/presets.ts";
import { Collector } from "./collector.ts";
import { readCondaEnvironment } from "./conda.ts";
import { readCondaRecipe } from "./condaRecipe.ts";
import { readDockerfile } from "./dockerfile.ts";
import { readPyproject } from "./pyproject.ts";
import { readRapidsDependencies } from "./rapids.ts";
import { readRequirementsTxt } from "./requirementsTxt.ts";
import { readSetupCfg } from "./setupCfg.ts";

type Kind = "pyproject" | "setup.cfg" | "requirements" | "constraints" | "conda-environment" | "conda-recipe" | "rapids" | "dockerfile" | "cmake-presets";

/** What a file is, by its name alone. */
function kindOf(path: string): Kind | undefined {
  const segments = path.split(/[\\/]/);
  const name = (segments.pop() ?? "").toLowerCase();
  const inRequirements = segments.slice(-2).some((one) => one.toLowerCase() === "requirements");
  if (/^pyproject[\w.-]*\.toml$/.test(name) || name === "uv.toml") return "pyproject";
  if (name === "setup.cfg") return "setup.cfg";
  if (name === "dependencies.yaml") return "rapids";
  if (name === "meta.yaml" || name === "recipe.yaml") return "conda-recipe";
  if (/^cmake(user)?presets\.json$/.test(name)) return "cmake-presets";
  if (/^(dockerfile|containerfile)([._-].*)?$|[._-]?(dockerfile|containerfile)$/.test(name) && !/\.(sh|py|md|ya?ml|txt|j2)$/.test(name)) return "dockerfile";
  if (/\.ya?ml$/.test(name) && isCondaEnvironment(name.replace(/\.ya?ml$/, ""), segments)) return "conda-environment";
  if (/\.(txt|in)$/.test(name)) {
    if (/(^|[._-])constraints?([._-]|$)/.test(name)) return "constraints";
    if (/(^|[._-])requirements?([._-]|\d|$)/.test(name) || inRequirements) return "requirements";
  }
  return undefined;
}

function isCondaEnvironment(name: string, folders: readonly string[]): boolean {
  if (name === "conda_build_config") return false;
  const folder = (folders.at(-1) ?? "").toLowerCase();
  const inside = /^conda[-_]?envs?$/.test(folder) || (folder === "environments" && folders.some((one) => one.toLowerCase() === "conda"));
  return inside || /(^|[._-])(environment|conda|env)([._-]|$)/.test(name);
}

/** Whether `readRequirements` reads a file of this name. */
export function isRequirementsFile(path: string): boolean {
  return kindOf(path) !== undefined;
}

/** Reads one file that names requirements, and files it includes that are none by their own name. Never throws. */
export function readRequirements(path: string, files: Files): Reading {
  const kind = kindOf(path);
  if (kind === "cmake-presets") return readPresets(path, files);
  const collector = new Collector(files);
  const source = collector.open(path);
  if (!source) return collector.reading();
  switch (kind) {
    case "pyproject":
      readPyproject(source, collector);
      break;
    case "setup.cfg":
      readSetupCfg(source, collector);
      break;
    case "conda-environment":
      readCondaEnvironment(source, collector, isRequirementsFile);
      break;
    case "conda-recipe":
      readCondaRecipe(source, collector);
      break;
    case "rapids":
      readRapidsDependencies(source, collector, isRequirementsFile);
      break;
    case "dockerfile":
      readDockerfile(source, collector);
      break;
    case "constraints":
      readRequirementsTxt(source, collector, { role: "constraint" }, isRequirementsFile);
      break;
    case "requirements":
    case undefined:
      readRequirementsTxt(source, collector, { role: "requirements-file" }, isRequirementsFile);
      break;
  }
  return collector.reading();
}
