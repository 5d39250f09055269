/**
 * The one place where processes are started, and what goes with it: whole trees are ended, output is bounded, a folder
 * is worked in by one at a time, and files are whole or absent.
 */
export { commandLine, type CommandLineOptions } from "./commandLine.ts";
export { environmentDifference, isSecret, shown, variable, withVariable, type EnvironmentChange } from "./environment.ts";
export { exclusively } from "./lock.ts";
export { pythonEnvironment } from "./python.ts";
export { appendRecord, readRecords, type Records } from "./records.ts";
export { endEverything, runProcess } from "./run.ts";
export { codeOf, sentenceOf } from "./sentences.ts";
export { stateFolder, userStateFolder } from "./state.ts";
export { terminalEnvironment, type TerminalEnvironment } from "./terminal.ts";
export { withoutSequences } from "./text.ts";
export { CouldNotWrite, writeWhole } from "./writeWhole.ts";
