import { join } from "node:path";
import { execa } from "execa";
import { newDataFolder, serverCommand } from "./codeServer.ts";
import { root } from "./locations.ts";

/** Packages an extension as its users get it. Returns the path of the file. */
export async function packageExtension(output: string, extension: string = root): Promise<string> {
  await execa(process.execPath, [join(root, "node_modules", "@vscode", "vsce", "vsce"), "package", "--no-dependencies", "--no-rewrite-relative-links", "--out", output], { cwd: extension, stdin: "ignore" });
  return output;
}

/** Installs a VSIX as a user would; the returned data folder goes to `startCodeServer`, and the caller deletes it. */
export async function installExtension(vsix: string): Promise<string> {
  const dataFolder = newDataFolder();
  await execa(process.execPath, [...serverCommand(dataFolder), "--install-extension", vsix], { stdin: "ignore" });
  return dataFolder;
}
