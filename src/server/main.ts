import { createConnection } from "vscode-languageserver/node";
import { startServer } from "./server.ts";

// The transport is chosen by the arguments that clients pass: --node-ipc, --stdio, --socket=PORT, --pipe=NAME.
startServer(createConnection());
