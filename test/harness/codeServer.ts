import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serverMain } from "./locations.ts";

export interface CodeServerOptions {
  /** Extension host tests and the bridge need it; with it, notifications are not drawn as toasts. Default true. */
  readonly driver?: boolean;
  /** False: Restricted Mode. Default true. */
  readonly trusted?: boolean;
  /** User settings over the quiet defaults. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Variables that the extension host sees. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Secret that the browser has to know, as `tkn` in the address. Absent: whoever reaches the port gets in. */
  readonly token?: string;
  /** A data folder prepared by `installExtension`; absent: a fresh one, deleted at the end. */
  readonly dataFolder?: string;
}

export interface CodeServer {
  /** `http://127.0.0.1:<port>/` */
  readonly url: string;
  readonly dataFolder: string;
  /** Everything that the server wrote. */
  output(): string;
  /** Text of the log files of the extension host whose name contains `name`. */
  extensionLog(name: string): string;
  /** Ends the server and all that it started. */
  stop(): Promise<void>;
}

const quietSettings = {
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.welcomePage.walkthroughs.openOnInstall": false,
  "extensions.autoCheckUpdates": false,
  "extensions.ignoreRecommendations": true,
  "telemetry.telemetryLevel": "off",
  "chat.disableAIFeatures": true,
  "git.enabled": false,
  "window.restoreWindows": "none",
};

const startLimit = 60_000;

/** A fresh data folder with user settings in it. */
export function newDataFolder(settings: Readonly<Record<string, unknown>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), "abiding-vscode-"));
  writeSettings(folder, settings);
  return folder;
}

function writeSettings(dataFolder: string, settings: Readonly<Record<string, unknown>>): void {
  mkdirSync(join(dataFolder, "data", "User"), { recursive: true });
  writeFileSync(join(dataFolder, "data", "User", "settings.json"), JSON.stringify({ ...quietSettings, ...settings }, undefined, 2));
}

/** The command line of the VS Code server up to its own options. */
export function serverCommand(dataFolder: string): string[] {
  const main = serverMain();
  if (main === undefined) throw new Error("code-server is not installed; `npm test -- --prepare` installs it.");
  return [main, "--accept-server-license-terms", "--server-data-dir", dataFolder, "--extensions-dir", join(dataFolder, "extensions"), "--telemetry-level", "off"];
}

/** Starts VS Code's server on a free port of 127.0.0.1 and waits until it answers. */
export async function startCodeServer(options: CodeServerOptions = {}): Promise<CodeServer> {
  const trusted = options.trusted ?? true;
  const settings = { "security.workspace.trust.enabled": !trusted, ...options.settings };
  const dataFolder = options.dataFolder ?? newDataFolder();
  writeSettings(dataFolder, settings);
  const parameters = [
    ...serverCommand(dataFolder), "--host", "127.0.0.1", "--port", "0",
    ...(options.token === undefined ? ["--without-connection-token"] : ["--connection-token", options.token]),
    // Otherwise an extension host lives for three hours after its browser has gone.
    "--reconnection-grace-time", "1",
    ...(options.driver ?? true ? ["--enable-smoke-test-driver"] : []),
    ...(trusted ? ["--disable-workspace-trust"] : []),
  ];
  // Its own process group, so that it can be ended with everything that it started.
  const child = spawn(process.execPath, parameters, { detached: true, stdio: ["ignore", "pipe", "pipe"], env: { ...cleanEnvironment(), ...options.environment } });
  const killNow = (): void => signalGroup(child, "SIGKILL");
  process.once("exit", killNow);

  let output = "";
  const port = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`VS Code's server did not start within ${startLimit / 1000} s:\n${output}`)), startLimit);
    const read = (chunk: Buffer): void => {
      output += chunk.toString("utf8");
      const ready = /Web UI available at http:\/\/[^:/]+:(\d+)/.exec(output);
      if (ready?.[1] === undefined) return;
      clearTimeout(timer);
      resolve(ready[1]);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("error", reject);
    child.once("exit", (code) => {
      clearTimeout(timer);
      reject(new Error(`VS Code's server ended with code ${code ?? "none"}:\n${output}`));
    });
  }).catch((error: unknown) => {
    killNow();
    throw error;
  });

  return {
    url: `http://127.0.0.1:${port}/`,
    dataFolder,
    output: () => output,
    extensionLog: (name) => readLogs(join(dataFolder, "data", "logs"), name),
    async stop() {
      await endGroup(child);
      process.removeListener("exit", killNow);
      if (options.dataFolder === undefined) rmSync(dataFolder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    },
  };
}

/** The test runner's own variables would change what the server and its children do. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(NODE_TEST_|NODE_OPTIONS$|VSCODE_|ELECTRON_|npm_)/.test(name)));
}

function readLogs(folder: string, name: string): string {
  let names: string[];
  try {
    names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  } catch {
    return "";
  }
  return names.filter((file) => file.endsWith(".log") && file.includes(name)).sort().map((file) => readFileSync(join(folder, file), "utf8")).join("");
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The whole group has ended already.
  }
}

async function endGroup(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    signalGroup(child, "SIGTERM");
    const timer = setTimeout(() => signalGroup(child, "SIGKILL"), 3000);
    await ended;
    clearTimeout(timer);
  }
  signalGroup(child, "SIGKILL");
}
