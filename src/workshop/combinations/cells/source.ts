import { constants } from "node:fs";
import { copyFile, lstat, readdir, readlink, realpath, symlink } from "node:fs/promises";
import * as path from "node:path";
import { codeOf, findProgram, makeFolder, sentenceOf } from "../../process/index.ts";
import { CannotDo } from "../../workshop.ts";
import { isWell } from "./trial.ts";
import type { Workshop } from "../../workshop.ts";

/** Folders that are no sources, where nobody but a look at their contents can say so. */
const notSources = new Set([".git", ".hg", ".svn", ".abiding", "node_modules", "__pycache__", ".tox", ".nox", ".venv", ".pytest_cache", ".mypy_cache"]);
/** What lies in a folder that a build or an environment made. */
const madeByTools = ["CMakeCache.txt", "pyvenv.cfg"];

export interface SourceWanted {
  readonly root: string;
  /** Absent: the files as they are. */
  readonly commit?: string;
  /** A folder that is not there yet. */
  readonly to: string;
}

/**
 * Copies the files of the project: those that git knows, and new ones that it does not ignore, or those of a commit; without git
 * all that is no build folder, environment or cache. The copy of a repository is one too, so that versions which are made from
 * tags are the same in it. Answers the project's root in the copy.
 */
export async function copySource(wanted: SourceWanted, workshop: Workshop): Promise<string> {
  try {
    return await copy(wanted, workshop);
  } catch (error) {
    if (codeOf(error) === undefined || workshop.activity.signal.aborted) {
      throw error;
    }
    throw new CannotDo(sentenceOf(error, `copy ${wanted.root} to ${wanted.to}`), { cause: error });
  }
}

async function copy({ root, commit, to }: SourceWanted, workshop: Workshop): Promise<string> {
  const git = gitIn(root, workshop);
  const top = await git(["rev-parse", "--show-toplevel"]);
  const own = top === undefined ? undefined : await git(["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", "."]);
  if (top === undefined || own === undefined || own === "") {
    if (commit !== undefined) {
      throw new CannotDo(`The commit ${commit} of ${root} was asked for, and the folder is in no git repository that can be read.`);
    }
    await copyTree(root, to);
    return to;
  }
  const inside = path.relative(await realpath(top), await realpath(root));
  if (commit !== undefined) {
    return checkOut(commit, top, inside, to, workshop);
  }
  await cloneWithoutFiles(top, to, workshop);
  // A package below the top may build sources beside it.
  const tracked = (await gitIn(top, workshop)(["ls-files", "-z", "--cached", "--recurse-submodules"])) ?? (await gitIn(top, workshop)(["ls-files", "-z", "--cached"])) ?? "";
  const names = new Set([...tracked.split("\0"), ...own.split("\0").map((one) => (one === "" ? "" : path.join(inside, one)))].filter((one) => one !== ""));
  for (const name of names) {
    workshop.activity.signal.throwIfAborted();
    await copyOne(path.join(top, name), path.join(to, name));
  }
  const rootThere = path.join(to, inside);
  await makeFolder(rootThere);
  return rootThere;
}

type Git = (parts: readonly string[]) => Promise<string | undefined>;

function gitIn(folder: string, { run, environment, activity }: Pick<Workshop, "run" | "environment" | "activity">): Git {
  return async (parts) => {
    if (findProgram("git", environment) === undefined) {
      return undefined;
    }
    const result = await run({ file: "git", arguments: ["--no-optional-locks", "-C", folder, ...parts], folder, environment }, { signal: activity.signal, keep: 256 << 20 });
    return isWell(result) ? result.stdout.text.replace(/\n$/, "") : undefined;
  };
}

/** Hooks of the user's templates are not for a copy that nobody works in. */
const withoutHooks = ["-c", "core.hooksPath=/dev/null"];

/** History and tags without a copy of the objects; its HEAD is the repository's. */
async function cloneWithoutFiles(top: string, to: string, { run, environment, activity }: Workshop): Promise<void> {
  await makeFolder(path.dirname(to));
  const call = (parts: readonly string[]) => run({ file: "git", arguments: parts, folder: path.dirname(to), environment }, { signal: activity.signal, onText: (text) => activity.output(text) });
  const cloned = await call([...withoutHooks, "clone", "--quiet", "--shared", "--no-checkout", top, to]);
  if (!isWell(cloned)) {
    activity.signal.throwIfAborted();
    // A repository without a commit, or one that git does not trust: its files are what counts.
    await makeFolder(to);
    return;
  }
  // Where history ends is kept beside the objects; git does not find it in a worktree (gitrepository-layout(5), shallow).
  const common = await gitIn(top, { run, environment, activity })(["rev-parse", "--path-format=absolute", "--git-common-dir"]);
  if (common !== undefined) {
    await copyOne(path.join(common, "shallow"), path.join(to, ".git", "shallow"));
  }
  await call(["-C", to, "reset", "--quiet"]);
}

async function checkOut(commit: string, top: string, inside: string, to: string, workshop: Workshop): Promise<string> {
  const { run, environment, activity } = workshop;
  await cloneWithoutFiles(top, to, workshop);
  const whole = await gitIn(top, workshop)(["rev-parse", "--verify", "--quiet", `${commit}^{commit}`]);
  if (whole === undefined) {
    throw new CannotDo(`${top} has no commit "${commit}".`);
  }
  const result = await run({ file: "git", arguments: ["-C", to, ...withoutHooks, "-c", "advice.detachedHead=false", "checkout", "--quiet", "--force", "--detach", whole], folder: to, environment }, { signal: activity.signal, onText: (text) => activity.output(text) });
  if (!isWell(result)) {
    activity.signal.throwIfAborted();
    throw new CannotDo(`The commit ${commit} could not be checked out into ${to}: ${result.output.text.trim().split("\n").at(-1) ?? "git gave no reason"}`);
  }
  return path.join(to, inside);
}

async function copyTree(from: string, to: string): Promise<void> {
  await makeFolder(to);
  const entries = await readdir(from, { withFileTypes: true });
  for (const entry of entries) {
    const place = path.join(from, entry.name);
    if (!entry.isDirectory()) {
      await copyOne(place, path.join(to, entry.name));
    } else if (!notSources.has(entry.name) && !(await readdir(place)).some((name) => madeByTools.includes(name))) {
      await copyTree(place, path.join(to, entry.name));
    }
  }
}

/** Links stay links; what is neither file nor link (a socket, the folder of a submodule) is left out, as is what was deleted meanwhile. */
async function copyOne(from: string, to: string): Promise<void> {
  const found = await lstat(from).catch(() => undefined);
  if (found === undefined || !(found.isFile() || found.isSymbolicLink())) {
    return;
  }
  await makeFolder(path.dirname(to));
  if (found.isSymbolicLink()) {
    await symlink(await readlink(from), to);
  } else {
    await copyFile(from, to, constants.COPYFILE_FICLONE);
  }
}

/** Bytes of all files below a folder. */
export async function sizeOf(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const place = path.join(folder, entry.name);
    bytes += entry.isDirectory() ? await sizeOf(place) : entry.isFile() ? (await lstat(place)).size : 0;
  }
  return bytes;
}
