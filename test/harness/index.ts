/**
 * The harness: a real VS Code (code-server), a real browser, and the ways to run tests inside and around them.
 * Used by the tiers host, ui and vsix. `npm test` puts in place what it needs; see CONTRIBUTING.md.
 */
export { launchBrowser, openWorkbench } from "./browser.ts";
export type { Workbench } from "./browser.ts";
export { startCodeServer } from "./codeServer.ts";
export type { CodeServer } from "./codeServer.ts";
export { runHostSuite } from "./hostSuite.ts";
export { openBridge } from "./bridge.ts";
export { accessibilityProblems } from "./accessibility.ts";
export { followTerminalLink, isTerminalLink, terminalLink } from "./terminal.ts";
export { openExtensionPage } from "./page.ts";
export type { ExtensionPage } from "./page.ts";
export type { Bridge } from "./bridge.ts";
export { installExtension, packageExtension } from "./vsix.ts";
export { copySample } from "./workspace.ts";
