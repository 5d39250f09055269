/** From what somebody pasted to lines and exceptions: without colours, prefixes and wraps, each with its lines in the given text. */
export { readingLog, readLog } from "./readLog.ts";
