/**
 * The language server: the engine's answers in the words of LSP, for any editor. It reads and never starts a process.
 */
export { startServer } from "./server.ts";
