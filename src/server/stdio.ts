import { createConnection } from "vscode-languageserver/node";
import { startServer } from "./server.ts";

/** Serves on standard input and output, whatever the arguments of the process are. */
export function startStdioServer(): void {
  startServer(createConnection(process.stdin, process.stdout));
}
