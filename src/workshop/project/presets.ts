import * as path from "node:path";
import type { Location } from "../../engine/model/index.ts";
import { member, presetsIn, text } from "../../engine/sources/cmake/presetFiles.ts";
import type { Preset, PresetFiles } from "../../engine/sources/cmake/presetFiles.ts";
import { holds } from "./presetConditions.ts";
import type { Surroundings } from "./survey.ts";
import type { PlanProblem } from "./types.ts";

/** A configure preset that can be used on this machine. */
export interface UsablePreset {
  readonly name: string;
  readonly displayName: string | undefined;
  readonly location: Location;
  /** Absolute; undefined when the preset leaves it to `-B`. */
  readonly folder: string | undefined;
  readonly generator: string | undefined;
  readonly builds: readonly BuildPreset[];
  readonly tests: readonly TestPreset[];
}

export interface BuildPreset {
  readonly name: string;
  readonly configuration: string | undefined;
  readonly location: Location;
}

export interface TestPreset {
  readonly name: string;
  readonly configuration: string | undefined;
  /** The only label that it lets through, where its filter is that plain. */
  readonly label: string | undefined;
  readonly variables: Readonly<Record<string, string>>;
}

export interface PresetReading {
  readonly usable: readonly UsablePreset[];
  readonly problems: readonly PlanProblem[];
  /** Every configure preset that is there, for messages about one that is not. */
  readonly names: readonly string[];
}

const systems: Partial<Record<NodeJS.Platform, string>> = { linux: "Linux", darwin: "Darwin", win32: "Windows" };

/** Reads CMakePresets.json and CMakeUserPresets.json of a source folder as `cmake --list-presets` does. Source: cmake-presets(7). */
export function readUsablePresets(source: string, { files, environment, platform }: Surroundings): PresetReading {
  const hostSystemName = systems[platform];
  const presets = presetsIn(source, files, { environment, ...(hostSystemName !== undefined && { hostSystemName }) });
  const problems: PlanProblem[] = presets.gaps.map(({ message, location }) => ({ message, ...(location !== undefined && { location }) }));
  const isUsable = (preset: Preset): boolean => !preset.hidden && holds(presets, preset);
  const configure = presets.all("configurePresets");
  const crossing = new Set(configure.filter((one) => isForAnotherMachine(presets, one, hostSystemName)).map(({ name }) => name));
  const usable = configure.filter(isUsable).flatMap((preset): readonly UsablePreset[] => {
    const written = presets.field(preset, "binaryDir");
    const folder = written === undefined ? undefined : presets.expand(text(written.node), preset, written.source.path);
    if (written !== undefined && folder === undefined) {
      problems.push({ message: `The build folder of the preset ${preset.name} could not be told, and so it is not offered.`, location: presets.location(preset) });
      return [];
    }
    const partners = (kind: "buildPresets" | "testPresets"): readonly Preset[] => presets.all(kind)
      .filter((one) => isUsable(one) && text(presets.field(one, "configurePreset")?.node) === preset.name)
      .toSorted((a, b) => Number(b.name === preset.name) - Number(a.name === preset.name));
    const configurationOf = (one: Preset): string | undefined => text(presets.field(one, "configuration")?.node);
    return [{
      name: preset.name,
      displayName: text(member(preset.node, "displayName")),
      location: presets.location(preset),
      folder: folder === undefined ? undefined : path.resolve(source, folder),
      generator: text(presets.field(preset, "generator")?.node),
      builds: partners("buildPresets").map((one) => ({ name: one.name, configuration: configurationOf(one), location: presets.location(one) })),
      tests: partners("testPresets").map((one) => ({ name: one.name, configuration: configurationOf(one), label: labelOf(presets, one), variables: variablesOf(presets, one, preset) })),
    }];
  });
  const rank = ({ name }: UsablePreset): number => (crossing.has(name) ? 2 : name === "default" ? 0 : 1);
  return { usable: usable.toSorted((a, b) => rank(a) - rank(b)), problems, names: configure.map(({ name }) => name) };
}

/** Presets that cross-compile come after those for this machine. */
function isForAnotherMachine(presets: PresetFiles, preset: Preset, hostSystemName: string | undefined): boolean {
  const variables = presets.collect(preset, "cacheVariables");
  const system = variables.get("CMAKE_SYSTEM_NAME")?.value;
  return presets.field(preset, "toolchainFile") !== undefined || variables.has("CMAKE_TOOLCHAIN_FILE") || (system !== undefined && system !== hostSystemName);
}

/** `"filter": {"include": {"label": "^smoke$"}}` is the label smoke; a pattern of several is none. */
function labelOf(presets: PresetFiles, preset: Preset): string | undefined {
  const pattern = text(member(member(presets.field(preset, "filter")?.node, "include"), "label"));
  return pattern === undefined ? undefined : /^\^?([\w-]+)\$?$/.exec(pattern)?.[1];
}

/** The environment of a test preset, over that of its configure preset unless it says otherwise. */
function variablesOf(presets: PresetFiles, preset: Preset, configure: Preset): Readonly<Record<string, string>> {
  const inherits = presets.field(preset, "inheritConfigureEnvironment")?.node.value !== false;
  const environment = new Map([...(inherits ? presets.collect(configure, "environment") : []), ...presets.collect(preset, "environment")]);
  const found: Record<string, string> = {};
  for (const [name, entry] of environment) {
    const value = entry.removed ? undefined : presets.expand(entry.value, preset, entry.path, environment);
    if (value !== undefined) found[name] = value;
  }
  return found;
}
