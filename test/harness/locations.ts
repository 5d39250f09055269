import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Absolute path of the checkout. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Screenshots and logs of the last run; not committed. */
export const resultsFolder = join(root, "test", "results");

/** What the tiers need and is too large for each clone: kept between runs, outside the checkout. */
export function cacheFolder(): string {
  return join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "abiding-test");
}

/** Where code-server is installed: one folder for each content of its lock file. */
export function codeServerFolder(): string {
  const lock = readFileSync(join(root, "test", "harness", "code-server", "package-lock.json"));
  return join(cacheFolder(), `code-server-${createHash("sha256").update(lock).digest("hex").slice(0, 12)}`);
}

/** The VS Code server inside code-server; undefined when it is not installed. */
export function serverMain(): string | undefined {
  const path = join(codeServerFolder(), "node_modules", "code-server", "lib", "vscode", "out", "server-main.js");
  return existsSync(path) ? path : undefined;
}

/** Path of a program on PATH. */
export function findProgram(...names: string[]): string | undefined {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find((path) => existsSync(path));
}

/** A Chromium that playwright can drive. */
export function browserPath(): string | undefined {
  return process.env.ABIDING_TEST_BROWSER ?? findProgram("chromium", "chromium-browser", "google-chrome");
}
