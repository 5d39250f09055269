/**
 * `npm start`: builds, checks the sample project, prints the report, builds and tries a copy of Gantry, prints the records of it,
 * and opens the copy and the sample in VS Code with the extension and its panel: in the `code` on PATH when there is one, else in
 * code-server on 127.0.0.1, until Ctrl-C.
 * `npm start -- --once` stops after the records, and downloads nothing; `--code-server` prefers code-server.
 */
import { randomBytes } from "node:crypto";
import { cpSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { execa } from "execa";
import { startCodeServer } from "../test/harness/codeServer.ts";
import { findProgram, root } from "../test/harness/locations.ts";
import { installExtension, packageExtension } from "../test/harness/vsix.ts";
import { tryGantry } from "./lib/gantryRecords.ts";
import { progress } from "./lib/step.ts";
import { codeServer } from "./prerequisites/codeServer.ts";

const { values } = parseArgs({ options: { once: { type: "boolean" }, "code-server": { type: "boolean" } } });
const sample = join(root, "samples", "skewed-extension");

/** Ends with this process's exit code when a step that the rest depends on fails. */
async function mustRun(...parameters: string[]): Promise<void> {
  const { exitCode } = await execa(process.execPath, parameters, { cwd: root, stdio: "inherit", reject: false });
  if (exitCode !== 0) process.exit(exitCode ?? 1);
}

async function report(): Promise<void> {
  progress("check", sample);
  // The sample is full of skews, so findings are what a good run shows; 2 says that the check could not run.
  const { exitCode } = await execa(process.execPath, [join(root, "dist", "cli.js"), "check", sample], { cwd: root, stdio: "inherit", reject: false });
  if (exitCode === undefined || exitCode > 1) process.exit(exitCode ?? 1);
}

/** A copy to play with: a fix that is tried on it must not change the checkout, whose tests count the planted skews. */
function copyOfSample(folder: string): string {
  const copy = join(folder, "skewed-extension");
  cpSync(sample, copy, { recursive: true });
  return copy;
}

/** Gantry with its records, and the sample beside it; the panel comes by itself. */
function workspaceIn(folder: string, gantry: string): string {
  const file = join(folder, "abiding.code-workspace");
  writeFileSync(file, JSON.stringify({ folders: [{ path: gantry }, { path: copyOfSample(folder) }], settings: { "abiding.panel.openOnStartup": "combinations" } }, undefined, 2));
  return file;
}

async function openDesktop(code: string, workspace: string): Promise<void> {
  // The window outlives this process, so its folder is left to the system's clean-up of temporary files.
  progress("open", `${workspace} in ${code}`);
  await execa(code, ["--new-window", "--extensionDevelopmentPath", root, workspace], { stdio: "inherit" });
}

async function openBrowserBuild(scratch: string, workspace: string): Promise<void> {
  progress("open", "no `code` on PATH; preparing code-server (some minutes the first time)");
  await codeServer.prepare();
  const dataFolder = await installExtension(await packageExtension(join(scratch, "abiding.vsix")));
  // Other users of this machine reach the port too, and an editor has a terminal in it.
  const token = randomBytes(16).toString("hex");
  const server = await startCodeServer({ driver: false, dataFolder, token });
  const url = new URL(server.url);
  url.searchParams.set("workspace", workspace);
  url.searchParams.set("tkn", token);
  process.stdout.write(`\nVS Code with Abiding, Gantry and the sample project; the panel shows the records that were just made:\n  ${url.href}\nCtrl-C ends it.\n`);
  await new Promise<void>((resolve) => {
    process.once("SIGINT", resolve);
    process.once("SIGTERM", resolve);
  });
  await server.stop();
  rmSync(dataFolder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}

progress("build", "dist/");
await mustRun(join(root, "scripts", "build.ts"));
await report();
const scratch = realpathSync(mkdtempSync(join(tmpdir(), "abiding-start-")));
const gantry = await tryGantry(scratch, values.once !== true);
const code = values["code-server"] === true ? undefined : findProgram("code", "code.cmd");
if (values.once === true || code === undefined) {
  try {
    if (values.once !== true) await openBrowserBuild(scratch, workspaceIn(scratch, gantry));
  } finally {
    rmSync(scratch, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
} else {
  await openDesktop(code, workspaceIn(scratch, gantry));
}
