/**
 * Runs `scripts/<name>.ts` on the Node that this project is pinned to.
 *
 * `npm start` and `npm test` have to work from a fresh clone, with nothing installed and any Node from 18 on.
 * So this file uses no package and no TypeScript: it installs the packages when they are missing or not
 * those of the lock file, and starts the real script on the Node that came with them.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const requiredMajor = 24;

function fail(message) {
  process.stderr.write(`abiding: ${message}\n`);
  process.exit(1);
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

/** npm writes what it installed beside the packages; optional ones depend on the platform and may be absent. */
function packagesAreInstalled() {
  const wanted = readJson(join(root, "package-lock.json"))?.packages;
  const present = readJson(join(root, "node_modules", ".package-lock.json"))?.packages;
  if (wanted === undefined || present === undefined) return false;
  return Object.entries(wanted).every(
    ([path, entry]) => path === "" || entry.optional === true || entry.devOptional === true || present[path]?.version === entry.version,
  );
}

function npm(args) {
  const options = { cwd: root, stdio: ["ignore", "inherit", "inherit"] };
  const own = process.env.npm_execpath;
  const result = own?.endsWith("js")
    ? spawnSync(process.execPath, [own, ...args], options)
    : spawnSync("npm", args, { ...options, shell: process.platform === "win32" });
  if (result.error) fail(`npm could not be started: ${result.error.message}`);
  if (result.status !== 0) fail(`\`npm ${args.join(" ")}\` failed (${result.signal ?? `exit code ${result.status}`}).`);
}

function majorOf(node) {
  const result = spawnSync(node, ["--version"], { encoding: "utf8" });
  return result.status === 0 ? Number(/^v(\d+)\./.exec(result.stdout)?.[1]) : undefined;
}

/** The Node of the npm package `node`; its binary arrives by an install script, which npm may have been told not to run. */
function pinnedNode() {
  const folder = join(root, "node_modules", "node");
  const binary = join(folder, "bin", process.platform === "win32" ? "node.exe" : "node");
  if (majorOf(binary) === requiredMajor) return binary;
  if (Number(process.versions.node.split(".")[0]) === requiredMajor) return process.execPath;
  const installer = join(folder, "installArchSpecificPackage.js");
  if (existsSync(installer)) {
    process.stderr.write(`abiding: fetching Node ${requiredMajor}\n`);
    spawnSync(process.execPath, [installer], { cwd: folder, stdio: ["ignore", "inherit", "inherit"] });
    if (majorOf(binary) === requiredMajor) return binary;
  }
  return fail(`Node ${requiredMajor} is needed, and the npm package "node" did not bring it. Put Node ${requiredMajor} on PATH and try again.`);
}

const [name, ...args] = process.argv.slice(2);
if (name === undefined || !existsSync(join(root, "scripts", `${name}.ts`))) fail(`there is no script "${name ?? ""}".`);
if (!packagesAreInstalled()) {
  process.stderr.write("abiding: installing npm packages\n");
  // `ci` starts by deleting node_modules, which must not happen under another process that works in this folder.
  npm(existsSync(join(root, "node_modules")) ? ["install", "--no-audit", "--no-fund"] : ["ci", "--no-audit", "--no-fund"]);
}

const node = pinnedNode();
const child = spawn(node, [join(root, "scripts", `${name}.ts`), ...args], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, PATH: dirname(node) + delimiter + (process.env.PATH ?? "") },
});
// A terminal sends Ctrl-C to the whole group; the script cleans up and this process waits for it.
process.on("SIGINT", () => undefined);
process.on("SIGTERM", () => child.kill("SIGTERM"));
child.on("error", (error) => fail(`${node} could not be started: ${error.message}`));
child.on("exit", (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
