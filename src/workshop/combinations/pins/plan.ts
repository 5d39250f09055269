/** What rolling a project's pins to a set changes, and what it cannot change. Reads files only. */
import { LineIndex, localLabel, markersExclude, publicVersion, satisfies } from "../../../engine/model/index.ts";
import type { Files } from "../../../engine/model/index.ts";
import { plural } from "../../../views/words.ts";
import { shownIndex } from "../nightlies/readIndexes.ts";
import type { IndexKnowledge, WheelWanted } from "../types.ts";
import { canonical, isAside, ownPins } from "./choose.ts";
import type { Pin } from "./choose.ts";
import { locksBeside, pinsOfCi, pinsOfCommits } from "./otherFiles.ts";
import type { ProjectPins } from "./projectPins.ts";
import { rewritePin } from "./rewrite.ts";
import type { PinChange, PinLeft, PinPlan, RollTarget } from "./types.ts";

export interface PlanRequest {
  readonly root: string;
  readonly pins: readonly Pin[];
  readonly project: ProjectPins;
  /** The pinned torch that is rolled, without its label. */
  readonly from: string;
  readonly target: RollTarget;
  readonly knowledge: IndexKnowledge;
  readonly wanted: WheelWanted;
}

interface RewrittenPin extends Pin {
  /** What it is pinned to now, as "==" takes it. */
  readonly now: string;
}

const systems: Readonly<Record<string, string>> = { linux: "linux", macos: "darwin", windows: "win32" };

export function planPins({ root, pins, project, from, target, knowledge, wanted }: PlanRequest, files: Files): PinPlan {
  const { own, others } = ownPins(pins, from, root);
  const labels = new Set(own.flatMap((one) => (canonical(one.requirement.name) === "torch" ? localLabel(one.version) ?? [] : [])));
  const texts = new Map<string, { readonly text: string; readonly index: LineIndex }>();
  const changes: PinChange[] = [];
  const left: PinLeft[] = others.map(({ pin, because }) => leave(pin, because, false));
  const rewritten: RewrittenPin[] = [];
  for (const pin of own) {
    const file = pin.requirement.location.path;
    let read = texts.get(file);
    if (read === undefined) {
      const result = files.readText(file);
      if (!result.ok || result.lossy) {
        left.push(leave(pin, "The file cannot be read as UTF-8.", true));
        continue;
      }
      read = { text: result.text, index: new LineIndex(result.text) };
      texts.set(file, read);
    }
    const result = rewritePin(pin, { target, knowledge, labels, ...read });
    if ("left" in result) left.push(result.left);
    else {
      rewritten.push({ ...pin, now: pin.isSeries ? `${result.version}.*` : result.version });
      changes.push(...result.changes);
    }
  }
  const rolled = new Map(own.map((one) => [canonical(one.requirement.name), one.public]));
  for (const found of [pinsOfCi(root, rolled, target, files), pinsOfCommits(root, target, files), indexesOf(rewritten, target, knowledge, texts)]) {
    changes.push(...found.changes);
    left.push(...found.left);
  }
  left.push(...rangesOf(project, pins, target, root));
  const unique = distinct(changes);
  left.push(...locksBeside(root, unique.map((one) => one.path), files));
  return { from, changes: unique, left: leftOnce(left), notes: notesOf(rewritten, target, wanted), atTarget: rewritten.length };
}

function leave({ requirement }: Pin, because: string, byHand: boolean): PinLeft {
  return { path: requirement.location.path, line: requirement.location.range.start.line + 1, text: requirement.text, because, byHand };
}

/** A line that several lists include is read with each of them. */
function distinct(changes: readonly PinChange[]): readonly PinChange[] {
  const seen = new Set<string>();
  return changes.filter(({ edit }) => {
    const key = `${edit.location.path}:${edit.location.range.start.line}:${edit.location.range.start.character}`;
    return !seen.has(key) && seen.add(key);
  });
}

function leftOnce(left: readonly PinLeft[]): readonly PinLeft[] {
  const seen = new Set<string>();
  return left.filter((one) => {
    const key = JSON.stringify([one.path, one.line, one.text, one.because]);
    return !seen.has(key) && seen.add(key);
  });
}

/** Requirements that are no pins and do not admit the new versions. */
function rangesOf(project: ProjectPins, pins: readonly Pin[], target: RollTarget, root: string): readonly PinLeft[] {
  const pinned = new Set(pins.map((one) => one.requirement));
  return project.requirements.flatMap((requirement) => {
    const name = canonical(requirement.name);
    const wanted = name === "torch" ? target.torch : target.packages[name];
    if (wanted === undefined || pinned.has(requirement) || requirement.specifier === "" || requirement.follows !== undefined || isAside(requirement.location.path, root)) return [];
    const where = { path: requirement.location.path, line: requirement.location.range.start.line + 1, text: requirement.text, byHand: true };
    if (!requirement.known) return [{ ...where, because: "Its version is computed while the package is built, so that nobody knows here whether it admits the new one." }];
    return satisfies(wanted, requirement.specifier) === false ? [{ ...where, because: `It does not admit ${name} ${wanted}, and is no pin that could be replaced.` }] : [];
  });
}

/** Lists that take a package from an index that does not have its new version. */
function indexesOf(pins: readonly RewrittenPin[], target: RollTarget, knowledge: IndexKnowledge, texts: ReadonlyMap<string, { readonly text: string; readonly index: LineIndex }>): { readonly changes: readonly PinChange[]; readonly left: readonly PinLeft[] } {
  const changes: PinChange[] = [];
  const left: PinLeft[] = [];
  for (const pin of pins) {
    const { requirement } = pin;
    const urls = requirement.indexUrls.filter((one) => URL.canParse(one));
    const read = texts.get(requirement.location.path);
    if (read === undefined || urls.length === 0 || requirement.role === "conda" || requirement.url !== undefined) continue;
    const having = [...new Set(knowledge.wheels.filter((one) => one.package === canonical(requirement.name) && one.gone === undefined && satisfies(one.version, `==${pin.now}`) === true).map((one) => one.index))];
    const wanted = target.index !== undefined && (having.length === 0 || having.includes(target.index)) ? target.index : having[0];
    if (wanted === undefined || urls.some((one) => having.some((index) => isOf(one, index)) || isOf(one, wanted)) || (requirement.replacesDefaultIndex !== true && having.some(isPypi))) continue;
    const like = urls.filter((one) => new URL(one).origin === new URL(wanted).origin && read.text.includes(one));
    const [old] = like;
    if (old === undefined || like.length > 1) {
      left.push(leave(pin, `It is taken from ${urls.map(withoutUser).join(" and ")}, and the new version is at ${wanted}.`, true));
      continue;
    }
    for (let at = read.text.indexOf(old); at >= 0; at = read.text.indexOf(old, at + 1)) {
      // Not a longer address that begins alike.
      if (/^[\w/%+-]/.test(read.text.slice(at + old.length)) && !old.endsWith("/")) continue;
      const location = read.index.locate(requirement.location.path, at, old.length);
      changes.push({ path: requirement.location.path, line: location.range.start.line + 1, what: "index", from: withoutUser(old), to: wanted, edit: { location, newText: wanted } });
    }
  }
  return { changes, left };
}

/** The index itself, or the page of a package below it. */
function isOf(url: string, index: string): boolean {
  return `${withoutUser(url)}/`.startsWith(`${index.replace(/\/$/, "")}/`);
}

function withoutUser(url: string): string {
  return shownIndex(url);
}

function isPypi(url: string): boolean {
  return /^https:\/\/pypi\.org\//.test(url);
}

function notesOf(pins: readonly Pin[], target: RollTarget, wanted: WheelWanted): readonly string[] {
  const system = systems[(wanted.platform ?? (process.platform === "darwin" ? "macos" : process.platform === "win32" ? "windows" : "linux")).split("-")[0] ?? ""];
  const elsewhere = pins.filter(({ requirement }) => system !== undefined && requirement.marker !== undefined && markersExclude(requirement.marker, `sys_platform == "${system}"`));
  const without = new Set(pins.filter(({ requirement }) => requirement.indexUrls.length === 0 && requirement.role !== "conda").map(({ requirement }) => requirement.location.path));
  return [
    ...(elsewhere.length === 0 ? [] : [`${plural(elsewhere.length, "pin is", "pins are")} for other systems by ${elsewhere.length === 1 ? "its marker" : "their markers"} (${elsewhere[0]?.requirement.marker ?? ""}); whether ${publicVersion(target.torch)} is to be had there was not looked at.`]),
    ...(target.index === undefined || isPypi(target.index) || without.size === 0 ? [] : [`${plural(without.size, "file")} with pins ${without.size === 1 ? "names" : "name"} no index: to find torch ${target.torch}, installers have to be told --index-url ${target.index}.`]),
    ...(pins.some(({ requirement }) => requirement.role === "conda" && requirement.group !== "pip") ? ["Whether the channels of conda have the new versions was not looked at."] : []),
  ];
}
