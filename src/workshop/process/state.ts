/** Where Abiding keeps what belongs to one project on one machine. */
import { createHash } from "node:crypto";
import { access, constants, realpath, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, isAbsolute, join } from "node:path";
import { makeFolder } from "./folders.ts";
import { codeOf, sentenceOf } from "./sentences.ts";
import { CouldNotWrite } from "./writeWhole.ts";

/** The user's folder for state: XDG Base Directory specification, `LOCALAPPDATA` on Windows, `~/Library/Application Support` on macOS. */
function userStateFolder(): string {
  const environment = process.env;
  if (process.platform === "win32") return join(environment["LOCALAPPDATA"] ?? join(homedir(), "AppData", "Local"), "abiding");
  if (process.platform === "darwin") return join(homedir(), "Library", "Application Support", "abiding");
  const xdg = environment["XDG_STATE_HOME"];
  // A relative path is to be ignored, says the specification.
  return join(xdg !== undefined && isAbsolute(xdg) ? xdg : join(homedir(), ".local", "state"), "abiding");
}

/** The folder of a user's state that belongs to a project which cannot hold its own. */
export async function userStateFolderOf(root: string): Promise<string> {
  const path = await realpath(root).catch(() => root);
  const key = createHash("sha256").update(path).digest("hex").slice(0, 16);
  const folder = join(userStateFolder(), "projects", `${basename(path).replaceAll(/[^A-Za-z0-9._-]/g, "_")}-${key}`);
  await makeFolder(folder);
  await writeFile(join(folder, "project"), `${path}\n`);
  return folder;
}

/** Codes with which a folder refuses to be written to, whoever asks. */
export function isReadOnly(error: unknown): boolean {
  return ["EACCES", "EPERM", "EROFS", "ENOTDIR"].includes(codeOf(error) ?? "");
}

/**
 * `<root>/.abiding/local`, created with a `.gitignore` that keeps it out of the repository. In a project that cannot
 * be written to, a folder of the user's state that belongs to this project.
 */
export async function stateFolder(root: string): Promise<string> {
  const folder = join(root, ".abiding", "local");
  try {
    await makeFolder(folder);
    await access(folder, constants.W_OK);
    await writeFile(join(folder, ".gitignore"), "*\n", { flag: "wx" }).catch((error: unknown) => {
      if (codeOf(error) !== "EEXIST") throw error;
    });
    return folder;
  } catch (error) {
    if (!isReadOnly(error)) throw new CouldNotWrite(sentenceOf(error, `make ${folder}`), { cause: error });
    return userStateFolderOf(root);
  }
}
