import { compareVersions, isPrerelease, localLabel, parseSpecifiers, parseVersion, publicVersion, satisfies, selectVersions } from "../../../engine/model/index.ts";
import { CannotDo } from "../../workshop.ts";
import type { IndexKnowledge, KnownWheel, WheelWanted } from "../types.ts";
import { Fitting } from "./fitting.ts";

/** The best wheel of each version of a package that fits, the newest version first; withdrawn ones and such as are no longer listed among them. */
export function newestFirst(knowledge: IndexKnowledge, wanted: WheelWanted, packageName = "torch"): KnownWheel[] {
  return new Fitting(knowledge, wanted).best(knowledge.wheels.filter((one) => one.package === packageName));
}

/**
 * The torches that texts name, the newest first: "2.13.0" or "2.15.0.dev20261101+cu130" exactly, a range (">=2.12,<2.15"),
 * "release" and "nightly" for the newest of each, "release:3" and "nightly:7" for the newest few, "nightly:20261101" for a
 * day and "nightly:20261001..20261031" for days. Withdrawn (yanked) wheels are taken only where their version is named.
 * Throws CannotDo for a text that is none of these; see `unmatched` for those that name nothing.
 */
export function selectTorches(knowledge: IndexKnowledge, wanted: WheelWanted, texts: readonly string[]): KnownWheel[] {
  const all = newestFirst(knowledge, wanted);
  const chosen = new Set(texts.flatMap((text) => selected(all, text)));
  return all.filter((one) => chosen.has(one));
}

/** Texts that name no wheel that is known, each with a sentence. */
export function unmatched(knowledge: IndexKnowledge, wanted: WheelWanted, texts: readonly string[]): readonly string[] {
  const all = newestFirst(knowledge, wanted);
  return texts.filter((text) => selected(all, text).length === 0).map((text) => {
    const where = [wanted.python === undefined ? undefined : `Python ${wanted.python}`, wanted.platform, wanted.variant].filter((one) => one !== undefined).join(", ");
    const have = all.length === 0 ? noneFits(knowledge, wanted) : `The newest that are known are ${all.slice(0, 3).map((one) => one.version).join(", ")}.`;
    return `"${text}" names no torch that is known${where === "" ? "" : ` for ${where}`}. ${have}`;
  });
}

/** Why no torch fits, though there are some: what is asked for that none of them is, and what they are. */
export function noneFits(knowledge: IndexKnowledge, wanted: WheelWanted): string {
  const torches = knowledge.wheels.filter((one) => one.package === "torch" && one.gone === undefined);
  if (torches.length === 0) return "No torch is known at all.";
  const { variant, python, ...rest } = wanted;
  const others = variant === undefined ? [] : newestFirst(knowledge, { ...rest, ...(python === undefined ? {} : { python }) });
  if (others.length > 0) return `Of the build ${variant} no torch is known; there are ${named(others.map((one) => localLabel(one.version) ?? "those without a label"))}.`;
  const pythons = python === undefined ? [] : torches.filter((one) => newestFirst({ ...knowledge, wheels: [one] }, rest).length > 0).map((one) => `${one.python}${one.abi.endsWith("t") ? "t" : ""}`);
  if (pythons.length > 0) return `For Python ${python} no torch is known; there are wheels for ${named(pythons.sort((a, b) => b.length - a.length || b.localeCompare(a)))}.`;
  return `No torch for ${wanted.platform ?? "this platform"} is known; there are wheels for ${named(torches.flatMap((one) => one.platforms))}.`;
}

function named(all: readonly string[]): string {
  const each = [...new Set(all)];
  return `${each.slice(0, 8).join(", ")}${each.length > 8 ? ` and ${each.length - 8} more` : ""}`;
}

function selected(all: readonly KnownWheel[], text: string): readonly KnownWheel[] {
  const trimmed = text.trim();
  const channel = /^(release|nightly)(?::(.+))?$/.exec(trimmed);
  if (channel !== null) {
    return ofChannel(all.filter((one) => one.yanked === undefined && isOfChannel(one, channel[1] === "nightly")), channel[1] === "nightly", channel[2], trimmed);
  }
  if (/^[=!<>~]/.test(trimmed)) {
    if (parseSpecifiers(trimmed) === undefined) throw notUnderstood(text);
    const standing = all.filter((one) => one.yanked === undefined || /^===?[^*]+$/.test(trimmed));
    const versions = new Set(selectVersions(trimmed, standing.map((one) => one.version)));
    return standing.filter((one) => versions.has(one.version));
  }
  if (parseVersion(trimmed) === undefined) throw notUnderstood(text);
  return all.filter((one) => satisfies(one.version, `==${trimmed}`) === true);
}

function notUnderstood(text: string): CannotDo {
  return new CannotDo(`"${text}" names no torch: write a version (2.13.0), a range (">=2.12,<2.15"), release:3 or nightly:7 for the newest few, nightly:20261101 for a day, or nightly:20261001..20261031 for days.`);
}

function isOfChannel(wheel: KnownWheel, isNightly: boolean): boolean {
  const version = parseVersion(wheel.version);
  return version !== undefined && (isNightly ? wheel.day !== undefined : !isPrerelease(version));
}

function ofChannel(all: readonly KnownWheel[], isNightly: boolean, detail: string | undefined, text: string): readonly KnownWheel[] {
  const days = /^(\d{8})(?:\.\.(\d{8}))?$/.exec(detail ?? "");
  if (isNightly && days !== null) {
    const [, from = "", to = from] = days;
    if (from > to) throw new CannotDo(`"${text}" ends before it begins; write nightly:${to}..${from}.`);
    return all.filter(({ day }) => day !== undefined && day >= from && day <= to);
  }
  const count = detail === undefined ? 1 : /^[1-9]\d{0,4}$/.test(detail) ? Number(detail) : undefined;
  if (count === undefined) throw notUnderstood(text);
  // Variants of a version are one version; without a choice of variant all of them are taken.
  const versions = [...new Set(all.map((one) => publicVersion(one.version) ?? one.version))].sort((a, b) => compareVersions(b, a)).slice(0, count);
  return all.filter((one) => versions.includes(publicVersion(one.version) ?? one.version));
}
