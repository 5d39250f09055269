/**
 * The one place where processes are started, and what goes with it: whole trees are ended, output is bounded, a folder
 * is worked in by one at a time, and files are whole or absent.
 */
export { commandLine } from "./commandLine.ts";
export { commitOf } from "./commit.ts";
export { environmentDifference, isSecret, shown, variable } from "./environment.ts";
export { explainedFailure, explanationOf, recordedReason } from "./explained.ts";
export { findProgram } from "./findProgram.ts";
export { makeFolder } from "./folders.ts";
export { exclusively, isInUse, lockName } from "./lock.ts";
export { LogFile } from "./logFile.ts";
export { pythonEnvironment } from "./python.ts";
export { appendRecord, appendRecords, readRecords } from "./records.ts";
export { endEverything, runProcess } from "./run.ts";
export { codeOf, sentenceOf } from "./sentences.ts";
export { inSlices } from "./slices.ts";
export { stateFolder } from "./state.ts";
export { terminalEnvironment } from "./terminal.ts";
export { CouldNotWrite, writeWhole } from "./writeWhole.ts";
