import * as vscode from "vscode";

/** What a rule means, in the first words of its page; undefined: there is no such page. */
export async function ruleInShort(extension: vscode.Uri, rule: string): Promise<string | undefined> {
  if (!/^[\w-]+$/.test(rule)) {
    return undefined;
  }
  try {
    const text = Buffer.from(await vscode.workspace.fs.readFile(vscode.Uri.joinPath(extension, "docs", "rules", `${rule}.md`))).toString("utf8");
    return /^## What it means\s+(.+)$/m.exec(text)?.[1]?.replaceAll("`", "");
  } catch {
    return undefined;
  }
}
