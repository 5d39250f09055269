import * as path from "node:path";
import { readConfiguration } from "../../engine/diagnosis/configuration.ts";
import { NodeFiles } from "../../engine/files/index.ts";
import type { Files } from "../../engine/model/index.ts";
import type { Variables } from "../process/types.ts";
import { configuredBenchmarks, configuredBuilds, configuredSmoke } from "./configuredPlans.ts";
import type { ConfiguredContext } from "./configuredPlans.ts";
import { detectBenchmarks } from "./detectedBenchmarks.ts";
import { detectBuilds } from "./detectedBuilds.ts";
import type { DetectedBuild, Place } from "./detectedBuilds.ts";
import { detectSmoke } from "./detectedSmoke.ts";
import { partsOf } from "./parts.ts";
import { readPythonPackages } from "./pythonPackages.ts";
import { survey } from "./survey.ts";
import type { Surroundings } from "./survey.ts";
import type { BuildPlan, PlanProblem, Project } from "./types.ts";

export interface ReadProjectOptions {
  /** The Python of the environment to build for. */
  readonly interpreter?: string;
  /** An editor's unsaved texts; absent: the disk. */
  readonly files?: Files;
  /** The environment that processes would start from: presets ask for it. */
  readonly environment: Variables;
}

/**
 * Reads what can be built, tested and measured in a project: what abiding.json says, and where it says nothing of a kind,
 * what the project's own files show. Starts no process.
 */
export async function readProject(root: string, options: ReadProjectOptions): Promise<Project> {
  const { files = new NodeFiles(), environment, interpreter } = options;
  const surroundings: Surroundings = { root: path.resolve(root), files, environment, platform: process.platform, interpreter };
  // Whether its rules exist is the business of check.
  const { configuration, sections, gaps } = readConfiguration(surroundings.root, files, () => true);
  const found = await survey(surroundings, configuration.exclude);
  const packages = readPythonPackages(found, files);
  const detected = detectBuilds(found, packages, surroundings);
  const problems: PlanProblem[] = [...gaps, ...found.layout.gaps].map(({ message, location }) => ({ message, ...(location !== undefined && { location }) }));
  problems.push(...detected.problems);
  const context: ConfiguredContext = { ...surroundings, places: detected.places, packages, problems };
  const asked = configuredBuilds(sections, context);
  const usesAsked = sections.build !== undefined && (asked.length > 0 || sections.build.length === 0);
  const places = usesAsked ? inPlaces(detected.places, asked) : detected.places;
  const builds = usesAsked ? asked.map((one): BuildPlan => ("plan" in one ? one.plan : one)) : detected.places.flatMap((place) => place.builds.map(({ plan }) => plan));
  const smoke = configuredSmoke(sections, context);
  const benchmarks = configuredBenchmarks(sections, context);
  return {
    root: surroundings.root,
    builds: distinct(builds),
    smoke: distinct(smoke.length > 0 || sections.smoke?.length === 0 ? smoke : detectSmoke(found, places, surroundings)),
    benchmarks: distinct(benchmarks.length > 0 || sections.benchmarks?.length === 0 ? benchmarks : detectBenchmarks(found, places, surroundings)),
    problems,
    parts: partsOf(found, packages),
  };
}

/** Detected tests and benchmarks go with the builds that abiding.json asks for, in its order. */
function inPlaces(places: readonly Place[], asked: readonly (BuildPlan | DetectedBuild)[]): readonly Place[] {
  const all = asked.map((one) => ("plan" in one ? one : { plan: one, tests: [] }));
  const order = all.map(({ plan }) => (plan.kind === "command" ? plan.folder : plan.source));
  const rank = ({ folder }: Place): number => (order.includes(folder) ? order.indexOf(folder) : order.length);
  return places.map((place): Place => {
    const folders = [place.folder, place.python?.folder];
    return { ...place, builds: all.flatMap(({ plan, tests }) => (plan.kind !== "command" && folders.includes(plan.source) ? [{ plan, tests }] : [])) };
  }).toSorted((a, b) => rank(a) - rank(b));
}

/** Ids are unique: what would have the one of another gets a number. */
function distinct<T extends { readonly id: string }>(plans: readonly T[]): readonly T[] {
  const seen = new Set<string>();
  return plans.map((plan) => {
    let { id } = plan;
    for (let number = 2; seen.has(id); number += 1) id = `${plan.id}-${number}`;
    seen.add(id);
    return id === plan.id ? plan : { ...plan, id };
  });
}
