import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import * as path from "node:path";
import { codeOf, sentenceOf, writeWhole } from "../../process/index.ts";
import { CannotDo } from "../../workshop.ts";

const mark = /^# Written by `abiding combinations ci`\. [^\n]* Content: ([0-9a-f]{16})\n/;

function head(body: string): string {
  return `# Written by \`abiding combinations ci\`. It writes this file anew as long as nobody has changed it. Content: ${createHash("sha256").update(body).digest("hex").slice(0, 16)}\n`;
}

/**
 * Writes the workflow in one step. Refuses a file that is not its own, or that was changed since; `force`: one that was changed
 * is replaced. Tells whether anything changed. Throws CannotDo and CouldNotWrite.
 */
export async function writeWorkflow(file: string, body: string, force: boolean): Promise<"written" | "unchanged"> {
  const old = await readFile(file, "utf8").catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return undefined;
    throw new CannotDo(sentenceOf(error, `read ${file}`), { cause: error });
  });
  const text = `${head(body)}${body}`;
  if (old === text) {
    return "unchanged";
  }
  if (old !== undefined) {
    const [first] = mark.exec(old) ?? [];
    if (first === undefined) {
      throw new CannotDo(`${file} was not written by \`abiding combinations ci\`, and stays as it is. --output names another file.`);
    }
    if (!force && head(old.slice(first.length)) !== first) {
      throw new CannotDo(`${file} was changed by hand since \`abiding combinations ci\` wrote it, and stays as it is. --force replaces it, --output - prints what would be written.`);
    }
  }
  await writeWhole(file, text);
  return "written";
}

/** The repository that a folder lies in: where its `.git` is. */
export async function repositoryOf(folder: string): Promise<string | undefined> {
  for (let one = folder; ; one = path.dirname(one)) {
    if (await stat(path.join(one, ".git")).then(() => true, () => false)) {
      return one;
    }
    if (one === path.dirname(one)) {
      return undefined;
    }
  }
}
