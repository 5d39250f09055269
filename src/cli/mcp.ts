import * as path from "node:path";
import { RangeCache, userCacheFolder } from "../engine/binaries/remote/index.ts";
import { loadCatalogue } from "../engine/catalogue/index.ts";
import { NodeFiles } from "../engine/files/index.ts";
import { fromHere, rootFolder } from "./against.ts";
import { UsageError } from "./arguments.ts";
import type { Arguments } from "./arguments.ts";
import { Connection } from "./mcp/connection.ts";
import { McpServer } from "./mcp/server.ts";
import { printableLines } from "./reporters/printable.ts";
import type { Terminal } from "./terminal.ts";
import { withActivity } from "./workshop/activity.ts";

/** `abiding mcp`: serves the tools on standard input and output until the client goes. Throws UsageError. */
export async function mcp(given: Arguments, terminal: Terminal): Promise<number> {
  if (given.operands.length > 0) {
    throw new UsageError(`mcp takes no operands, and got ${given.operands.join(" ")}; --root names the project's folder.`);
  }
  const [against, ...others] = given.against;
  if (others.length > 0) {
    throw new UsageError(`mcp compares with one torch, and got ${given.against.length}: ${given.against.join(" ")}.`);
  }
  const here = terminal.workingDirectory;
  const named = given.root === undefined ? undefined : rootFolder(given.root, here);
  const interpreter = given.interpreter === undefined ? undefined : path.resolve(here, given.interpreter);
  const cache = new RangeCache(userCacheFolder(terminal.environment));
  if (process.stdin.isTTY) {
    terminal.say("abiding mcp speaks the Model Context Protocol on standard input and output: it is for an agent to start, and docs/mcp.md says how. Ctrl-D ends it.\n");
  }
  return withActivity(terminal, async (activity) => {
    const workshop = given.trust ? (await import("./workshop/workshop.ts")).makeWorkshop(terminal, activity, interpreter) : undefined;
    const server: McpServer = new McpServer({
      version: terminal.version,
      hasRoot: named !== undefined,
      contextOf: (root, signal, tell) => ({
        where: { root: named ?? root ?? here, files: new NodeFiles(), catalogue: loadCatalogue(), environment: terminal.environment, ...(interpreter === undefined ? {} : { interpreter }) },
        ...(against === undefined ? {} : { against: fromHere(against, here) }),
        remote: { signal, cache, progress: (bytes, what) => tell(`${(bytes / 1e6).toFixed(1)} MB of ${what}`), ...(given.budget === undefined ? {} : { budget: given.budget }) },
        signal, version: terminal.version, tell,
        ...(workshop === undefined ? {} : { workshop }),
      }),
      failed: (error) => terminal.say(printableLines(`abiding: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)),
    }, () => connection);
    const connection = new Connection(process.stdout, server);
    // A client that is gone reads no answers; what was started for it is ended before the process is.
    process.stdout.removeAllListeners("error");
    const stop = (): void => {
      connection.cancel();
      process.stdin.destroy();
    };
    process.stdout.on("error", stop);
    activity.signal.addEventListener("abort", stop);
    await connection.listen(process.stdin);
    return 0;
  });
}
