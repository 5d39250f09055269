import type { WheelDisagreement } from "../../model/index.ts";
import { compareVersions, localLabel, parseVersion, publicVersion } from "../../model/index.ts";
import { expandTags, isSameName } from "./fileName.ts";
import type { WheelContent } from "./types.ts";

const supportedMajor = 1;

/** Whether the name of the file, the .dist-info folder, METADATA and WHEEL speak of the same package. */
export function judgeIdentity({ where, name, metadata }: WheelContent): readonly WheelDisagreement[] {
  const say = (kind: WheelDisagreement["kind"], weight: WheelDisagreement["weight"], message: string, file = ""): WheelDisagreement => ({ kind, weight, message, evidence: [{ kind: "file", path: file === "" ? where : `${where}/${metadata.folder}/${file}`, what: message }] });
  const found: WheelDisagreement[] = [
    ...metadata.problems.map((one) => say("record", "error", one)),
    ...name.problems.map((one) => say("name", "error", one)),
  ];
  if (metadata.name !== undefined && !isSameName(metadata.name, name.distribution)) {
    found.push(say("name", "error", `The file is named for the package ${name.distribution}, its METADATA for ${metadata.name}: installers refuse it.`, "METADATA"));
  }
  if (metadata.version !== undefined && !isSameVersion(metadata.version, name.version)) {
    // Seen with pip 23.2 and 26.3 and uv 0.13; flash-attention publishes wheels so, and installs them by their address.
    const isLabel = publicVersion(metadata.version) === publicVersion(name.version) && localLabel(metadata.version) === undefined;
    found.push(say("name", isLabel ? "info" : "error", `The file is named for version ${name.version}, its METADATA for ${metadata.version}: ${isLabel ? "pip takes it by its path or address, and refuses it from an index" : "pip refuses it from an index, and uv altogether"}.`, "METADATA"));
  }
  const folder = /^(.+?)-([^-]+)\.dist-info$/.exec(metadata.folder ?? "");
  if (folder !== null && !isSameName(folder[1] ?? "", name.distribution)) {
    found.push(say("name", "error", `The file is named for the package ${name.distribution}, and its folder ${metadata.folder} for ${folder[1]}: installers refuse it.`));
  } else if (folder !== null && !isSameVersion(folder[2] ?? "", metadata.version ?? name.version)) {
    found.push(say("name", "warning", `The folder ${metadata.folder} is named for version ${folder[2]}, and the wheel is ${metadata.version ?? name.version}.`));
  }
  const major = Number.parseInt(metadata.wheelVersion ?? "1", 10);
  if (major > supportedMajor) {
    found.push(say("record", "error", `WHEEL says Wheel-Version ${metadata.wheelVersion}; installers know version ${supportedMajor} and refuse a newer one.`, "WHEEL"));
  }
  return [...found, ...tagDisagreement(name.tags.pythons.length === 0 ? [] : expandTags(name.tags), metadata.wheelTags, say)];
}

/** Installers go by the name; what reads the installed package goes by WHEEL. */
function tagDisagreement(inName: readonly string[], inWheel: readonly string[], say: (kind: WheelDisagreement["kind"], weight: WheelDisagreement["weight"], message: string, file: string) => WheelDisagreement): readonly WheelDisagreement[] {
  const wheel = new Set(inWheel.flatMap(expandLine));
  const onlyInName = inName.filter((tag) => !wheel.has(tag));
  const onlyInWheel = [...wheel].filter((tag) => !inName.includes(tag));
  if (inWheel.length === 0 || inName.length === 0 || (onlyInName.length === 0 && onlyInWheel.length === 0)) {
    return [];
  }
  // Platform tags are often given by renaming, after an audit of the files.
  const isPlatform = sameStrings(inName.map(withoutPlatform), [...wheel].map(withoutPlatform));
  return [say("python-tag", isPlatform ? "info" : "warning", `The name says ${inName.join(", ")}, and WHEEL says ${inWheel.join(", ")}: the wheel was renamed after it was made, or one of the two was not updated.`, "WHEEL")];
}

function withoutPlatform(tag: string): string {
  return tag.split("-").slice(0, 2).join("-");
}

function sameStrings(a: readonly string[], b: readonly string[]): boolean {
  const [x, y] = [new Set(a), new Set(b)];
  return x.size === y.size && [...x].every((one) => y.has(one));
}

/** A line may hold a compressed set though it should not. */
function expandLine(line: string): readonly string[] {
  const [python = "", abi = "", platform = ""] = line.toLowerCase().split("-").map((one) => one.trim());
  return expandTags({ pythons: python.split("."), abis: abi.split("."), platforms: platform.split(".") });
}

/** File names write "_" for "-". */
function isSameVersion(a: string, b: string): boolean {
  const [x, y] = [a, b].map((one) => parseVersion(one) ?? parseVersion(one.replaceAll("_", "-")));
  return x === undefined || y === undefined ? a === b : compareVersions(x, y) === 0;
}
