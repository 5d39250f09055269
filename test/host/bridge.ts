/**
 * Lets a test outside VS Code run functions inside the extension host, so that one test can both use the API and
 * drive the page: listens on a free port of 127.0.0.1 and writes its number where the environment says.
 */
import { writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import * as vscode from "vscode";

type Body = (api: typeof vscode, argument: unknown) => unknown;

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  try {
    const { source, argument } = JSON.parse(text) as { source: string; argument: unknown };
    // eslint-disable-next-line @typescript-eslint/no-implied-eval -- the caller is the test itself
    const body = (new Function(`return (${source});`) as () => Body)();
    response.end(JSON.stringify({ value: (await body(vscode, argument)) ?? null }));
  } catch (error) {
    response.end(JSON.stringify({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }));
  }
}

/** Runs until a request for `/end` comes. */
export async function run(): Promise<void> {
  const portFile = process.env.ABIDING_BRIDGE_PORT_FILE;
  if (portFile === undefined) throw new Error("ABIDING_BRIDGE_PORT_FILE is not set.");
  await new Promise<void>((resolve) => {
    const server = createServer((request, response) => {
      if (request.url !== "/end") return void answer(request, response);
      response.end("{}", () => server.close());
      server.closeAllConnections();
      resolve();
    });
    server.listen(0, "127.0.0.1", () => writeFileSync(portFile, String((server.address() as AddressInfo).port)));
  });
}
