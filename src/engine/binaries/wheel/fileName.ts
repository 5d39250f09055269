import type { WheelTags } from "../../model/index.ts";
import { normaliseName, parseVersion } from "../../model/index.ts";

/** The name of a wheel, taken apart: {distribution}-{version}(-{build})?-{python}-{abi}-{platform}.whl. */
export interface WheelFileName {
  readonly fileName: string;
  /** As written, "_" for "-". */
  readonly distribution: string;
  readonly version: string;
  readonly build: string | undefined;
  readonly tags: WheelTags;
  /** What is wrong with it, in sentences. */
  readonly problems: readonly string[];
}

const longest = 400;
const noTags: WheelTags = { pythons: [], abis: [], platforms: [] };

/**
 * Reads the name of a wheel. Sources: packaging.python.org, "Binary distribution format" (PEP 427), and "Platform
 * compatibility tags" (PEP 425), where a "." joins several tags of one kind.
 */
export function readFileName(fileName: string): WheelFileName {
  const parts = fileName.length > longest ? [] : fileName.replace(/\.whl$/i, "").split("-");
  const [distribution = "", version = ""] = parts;
  if (parts.length < 5 || parts.length > 6) {
    return { fileName, distribution, version, build: undefined, tags: noTags, problems: [`The name ${fileName.slice(0, longest)} is not that of a wheel: it should have five or six parts that "-" separates (name, version, build number if there is one, Python, ABI, platform), and has ${parts.length}.`] };
  }
  const [pythons = "", abis = "", platforms = ""] = parts.slice(-3);
  const build = parts.length === 6 ? parts[2] : undefined;
  const tags = { pythons: split(pythons), abis: split(abis), platforms: split(platforms) };
  const problems = [
    ...(/^[A-Za-z0-9](?:[\w.]*[A-Za-z0-9])?$/.test(distribution) ? [] : [`"${distribution}" in the name of the wheel is no name of a distribution.`]),
    ...(parseVersion(version.replaceAll("_", "-")) === undefined ? [`"${version}" in the name of the wheel is no version after PEP 440.`] : []),
    ...(build === undefined || /^\d/.test(build) ? [] : [`"${build}" in the name of the wheel stands where a build number does, and those begin with a digit.`]),
    ...Object.values(tags).flat().filter((tag) => !/^[a-z_]\w*$/.test(tag)).map((tag) => `"${tag}" in the name of the wheel is no tag.`),
  ];
  return { fileName, distribution, version, build, tags, problems };
}

/** All tags that a compressed set stands for, as WHEEL writes them: "cp311-cp311-linux_x86_64". */
export function expandTags({ pythons, abis, platforms }: WheelTags): readonly string[] {
  return pythons.flatMap((python) => abis.flatMap((abi) => platforms.map((platform) => `${python}-${abi}-${platform}`)));
}

/** Whether two spellings name the same distribution. */
export function isSameName(a: string, b: string): boolean {
  return normaliseName(a) === normaliseName(b);
}

function split(tags: string): readonly string[] {
  return [...new Set(tags.toLowerCase().split("."))];
}
