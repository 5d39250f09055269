import type { Workshop } from "../workshop.ts";

/** Of which commit a folder's files are. */
export interface Commit {
  /** The full hash. */
  readonly hash: string;
  /** Tracked files differ from it. */
  readonly isChanged: boolean;
}

/** Milliseconds for one question to git. */
const patience = 20_000;

/**
 * The commit that the files of a folder are of; undefined where git has none of them. `except`: paths relative to the folder
 * that do not count: their changes are none, and it is the last commit that changed something else. Asks without taking git's
 * locks: somebody may be at work.
 */
export async function commitOf(folder: string, workshop: Pick<Workshop, "run" | "environment" | "activity">, except: readonly string[] = []): Promise<Commit | undefined> {
  const environment = { ...workshop.environment, GIT_OPTIONAL_LOCKS: "0" };
  const git = async (...parts: readonly string[]): Promise<string | undefined> => {
    const result = await workshop.run({ file: "git", arguments: ["-C", folder, ...parts], folder, environment }, { timeLimit: patience, signal: workshop.activity.signal });
    return result.ending.kind === "exited" && result.ending.code === 0 ? result.stdout.text.trim() : undefined;
  };
  const hash = await git("rev-parse", "--verify", "--quiet", "HEAD");
  // A folder below somebody's home may lie in a repository that has nothing of it.
  if (hash === undefined || hash === "" || !await hasFiles(git)) return undefined;
  const counting = ["--", ".", ...except.map((one) => `:(exclude)${one}`)];
  const changes = await git("status", "--porcelain", "--untracked-files=no", ...counting);
  const last = except.length === 0 ? undefined : await git("log", "-1", "--format=%H", ...counting);
  return { hash: last === undefined || last === "" ? hash : last, isChanged: changes !== "" };
}

async function hasFiles(git: (...parts: readonly string[]) => Promise<string | undefined>): Promise<boolean> {
  return (await git("ls-tree", "--name-only", "HEAD")) !== "";
}
