import * as fs from "node:fs";
import * as path from "node:path";
import { NodeFiles } from "../../engine/files/index.ts";
import { CannotDo } from "../workshop.ts";
import type { BuildFile } from "./buildFile.ts";
import { openBuildFile, withLines } from "./buildFile.ts";
import { planCMake } from "./cmakeEdit.ts";
import { planImportCheck } from "./importCheck.ts";
import type { Plan } from "./plan.ts";
import { planSetuptools } from "./setuptoolsEdit.ts";
import type { Candidate } from "./targets.ts";
import { calledName, longName, readTargets, wholeFiles, withoutCode } from "./targets.ts";
import type { StampedFile, StampReport, StampRequest } from "./types.ts";
import type { Change } from "./write.ts";
import { writeAll } from "./write.ts";

/**
 * Adds the ABI stamp to a CMake target or to an extension of setup.py. Starts no process; writes all that is needed or
 * nothing. Throws CannotDo where there is no such folder; all other refusals are in the report.
 */
export async function stamp(request: StampRequest): Promise<StampReport> {
  if (fs.statSync(request.root, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new CannotDo(`${request.root} is not a folder.`);
  }
  const root = fs.realpathSync(request.root);
  const files = new NodeFiles();
  const refused = (reason: string, more: Partial<StampReport> = {}): StampReport => ({ schema: 1, root, outcome: "refused", reason, files: [], next: [], ...more });
  const { candidates, layout } = readTargets(root, files);
  const chosen = choose(root, candidates, request.target);
  if ("reason" in chosen) {
    return refused(chosen.reason, { choices: chosen.choices });
  }
  const { name } = chosen;
  const withName = (reason: string): StampReport => refused(reason, { target: name });
  const outside = chosen.sites.find(({ location }) => path.relative(root, location.path).startsWith(".."));
  if (outside !== undefined) {
    return withName(`${name} is made in ${outside.location.path}, which does not lie in ${root}.`);
  }
  const lacking = withoutCode(chosen);
  if (lacking !== undefined) {
    return withName(`${name} ${lacking}`);
  }
  const build = chosen.builder === "cmake" ? planCMake(root, chosen) : planSetuptools(root, chosen);
  if ("refused" in build) {
    return withName(build.refused);
  }
  const check = planImportCheck(root, chosen, request.package, layout, files);
  if ("refused" in check) {
    return withName(check.refused);
  }
  const plan: Plan = { edits: [...build.edits, ...check.edits], written: [...build.written, ...check.written], next: [...build.next, ...check.next] };
  const prepared = prepare(root, plan);
  if (typeof prepared === "string") {
    return withName(prepared);
  }
  const { changes, stamped, kept } = prepared;
  const next = [...kept, ...plan.next, ...afterwards(root, chosen, changes)];
  if (!request.dryRun) {
    try {
      await writeAll(changes);
    } catch (error) {
      return withName(`Nothing was changed: ${(error instanceof Error ? error.message : String(error)).replace(/\.$/, "")}.`);
    }
  }
  return { schema: 1, root, outcome: changes.length === 0 ? "already" : "stamped", target: name, files: stamped, next };
}

/** Code of others inside the project: stamped only when it is named. */
const ofOthers = /(?:^|[/\\])(?:(?:third|3rd)[-_]?party|3rd|vendor(?:ed)?|extern(?:al)?|submodules|_deps)[/\\]/i;

function choose(root: string, candidates: readonly Candidate[], wanted: string | undefined): Candidate | { readonly reason: string; readonly choices: readonly string[] } {
  const isLibrary = ({ sites: [site] }: Candidate): boolean => !["executable", "interface", "imported"].includes(site.kind) && !ofOthers.test(path.relative(root, site.location.path));
  const files = wholeFiles(root, candidates);
  const known = candidates.filter((one) => one.isNameKnown);
  const libraries = known.filter(isLibrary);
  const unnamed = files.filter((file) => candidates.some((one) => !one.isNameKnown && one.file === file.file));
  const offered = [...(libraries.length > 0 || unnamed.length > 0 ? libraries : known.filter((one) => withoutCode(one) === undefined)), ...unnamed];
  const names = (some: readonly Candidate[]): string[] => some.map((one) => (known.filter(({ name }) => name === one.name).length > 1 ? longName(root, one) : one.name));
  const fitting = wanted === undefined ? offered : [...known, ...files].filter((one) => one.name === wanted || longName(root, one) === wanted);
  const [only] = fitting;
  if (only !== undefined && fitting.length === 1) {
    return only;
  }
  if (candidates.length === 0) {
    return { reason: `No CMake target and no extension of a setup.py was found in ${root}.`, choices: [] };
  }
  if (wanted === undefined) {
    const choices = names(offered);
    return { reason: `There are ${choices.length === 0 ? "only targets without compiled code" : `${choices.length} targets`} in ${root}. Name one with --target: ${(choices.length === 0 ? names(candidates) : choices).join(", ")}.`, choices };
  }
  return fitting.length > 1
    ? { reason: `${wanted} is the name of ${fitting.length} targets. Name one with --target: ${fitting.map((one) => longName(root, one)).join(", ")}.`, choices: fitting.map((one) => longName(root, one)) }
    : { reason: `There is no target ${wanted} in ${root}. There are: ${names([...known, ...unnamed]).join(", ")}.`, choices: names(offered) };
}

interface Prepared {
  readonly changes: readonly Change[];
  readonly stamped: readonly StampedFile[];
  /** Sentences about files that were left as they are. */
  readonly kept: readonly string[];
}

/** All that would be written, or why it cannot be. */
function prepare(root: string, plan: Plan): Prepared | string {
  const changes: Change[] = [];
  const stamped: StampedFile[] = [];
  const kept: string[] = [];
  for (const edit of plan.edits) {
    const file = inside(root, edit.path);
    if (typeof file === "string") {
      return file;
    }
    const after = withLines(file, edit);
    changes.push({ path: file.path, before: file.bytes, after });
    stamped.push({ path: path.relative(root, edit.path), change: "edited", text: new TextDecoder().decode(after), inserted: { line: edit.line + 1, lines: edit.lines } });
  }
  for (const { path: written, text, mark } of plan.written) {
    const shown = path.relative(root, written);
    if (!isThere(written)) {
      const folder = existingFolder(path.dirname(written));
      if (path.relative(root, folder).startsWith("..")) {
        return `${shown} would be written to ${folder}, which does not lie in ${root}.`;
      }
      changes.push({ path: path.join(folder, path.relative(path.dirname(written), written)), before: undefined, after: Buffer.from(text) });
      stamped.push({ path: shown, change: "created", text });
      continue;
    }
    const file = inside(root, written);
    if (typeof file === "string") {
      return file;
    }
    if (!file.text.includes(mark)) {
      return `${shown} is there already, and it is not a file of the stamp: it was left as it is, and nothing was changed. Rename it, and stamp again.`;
    }
    if (file.text.replace(/\r\n?/g, "\n") !== text) {
      kept.push(`${shown} differs from the one that this version of Abiding writes, so it was left as it is; delete it and stamp again to get that one.`);
    }
    stamped.push({ path: shown, change: "unchanged", text: file.text });
  }
  // New files come first: whenever the program is killed, no build file names one that is not there.
  return { changes: changes.sort((a, b) => Number(a.before !== undefined) - Number(b.before !== undefined)), stamped, kept };
}

/** A link that leads nowhere is there. */
function isThere(file: string): boolean {
  try {
    return fs.lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

function inside(root: string, file: string): BuildFile | string {
  const opened = openBuildFile(file);
  return typeof opened !== "string" && path.relative(root, opened.path).startsWith("..") ? `${file} is a link to ${opened.path}, which does not lie in ${root}: it was left as it is.` : opened;
}

/** The folder with links resolved; one that is not there yet, inside of one that is. */
function existingFolder(folder: string): string {
  return fs.existsSync(folder) ? fs.realpathSync(folder) : path.join(existingFolder(path.dirname(folder)), path.basename(folder));
}

function afterwards(root: string, candidate: Candidate, changes: readonly Change[]): string[] {
  if (changes.length === 0) {
    return [];
  }
  const commit = `Commit the new files, build ${calledName(candidate)} again, and look at its stamp with: abiding inspect FILE`;
  if (candidate.builder === "cmake") {
    return [commit];
  }
  const how = path.relative(root, candidate.folder) || ".";
  return [commit, `The stamp tells of the torch whose headers setup.py compiles with: build with pip install --no-build-isolation ${how === "." ? "." : `./${how}`}, so that it is the torch which imports the extension.`];
}
