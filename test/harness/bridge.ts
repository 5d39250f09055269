import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type * as vscode from "vscode";
import { launchBrowser, openWorkbench, type OpenOptions, type Workbench } from "./browser.ts";
import { startCodeServer, type CodeServer, type CodeServerOptions } from "./codeServer.ts";
import { hostModule } from "./hostModules.ts";
import { root } from "./locations.ts";

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** VS Code in a browser, with a way into its extension host. */
export interface Bridge {
  readonly server: CodeServer;
  readonly workbench: Workbench;
  /**
   * Runs `body` inside the extension host. It is sent as text: it sees its two parameters and nothing else.
   */
  inHost<A extends Json, R>(body: (api: typeof vscode, argument: A) => R | PromiseLike<R>, argument: A): Promise<R>;
  close(): Promise<void>;
}

const startLimit = 60_000;

/** A command that waits for an answer to a message would wait for ever. */
const callLimit = 60_000;

/** Starts VS Code with the extension under test and a bridge into its extension host. */
export async function openBridge(options: Omit<CodeServerOptions, "driver"> & Omit<OpenOptions, "tests">): Promise<Bridge> {
  const scratch = mkdtempSync(join(tmpdir(), "abiding-bridge-"));
  const portFile = join(scratch, "port");
  const server = await startCodeServer({ ...options, environment: { ...options.environment, ABIDING_BRIDGE_PORT_FILE: portFile } });
  const browser = await launchBrowser();
  const close = async (): Promise<void> => {
    await browser.close();
    await server.stop();
    rmSync(scratch, { recursive: true, force: true });
  };
  try {
    const workbench = await openWorkbench(browser, server, { ...options, extension: options.extension ?? root, tests: await hostModule("bridge") });
    const address = `http://127.0.0.1:${await readWhenWritten(portFile, () => [...workbench.console, server.output()].join("\n"))}/`;
    return {
      server,
      workbench,
      close,
      async inHost<A extends Json, R>(body: (api: typeof vscode, argument: A) => R | PromiseLike<R>, argument: A): Promise<R> {
        const response = await fetch(address, { method: "POST", body: JSON.stringify({ source: body.toString(), argument }), signal: AbortSignal.timeout(callLimit) });
        const reply = (await response.json()) as { value: R } | { error: string };
        if ("error" in reply) throw new Error(`In the extension host: ${reply.error}`);
        return reply.value;
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function readWhenWritten(path: string, log: () => string): Promise<string> {
  for (const end = Date.now() + startLimit; Date.now() < end; await delay(50)) {
    try {
      const text = readFileSync(path, "utf8");
      if (text !== "") return text;
    } catch {
      // Not written yet.
    }
  }
  throw new Error(`The bridge into the extension host did not open within ${startLimit / 1000} s:\n${log().slice(-8000)}`);
}
