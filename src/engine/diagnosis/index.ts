/**
 * From a project folder to findings: finds its build files, has them read, compares the bodies, and keeps
 * all of it up to date while files change.
 */
export { Workspace } from "./workspace.ts";
export type { WorkspaceOptions } from "./workspace.ts";
export type { Diagnosis } from "./diagnosis.ts";
export { scanEnvironment } from "./built/environmentScan.ts";
export { bodiesOf, compareSeverity } from "./diagnosis.ts";
export { examine, inspectReport, targetOf } from "./examination.ts";
export type { Examined } from "./examination.ts";
export { ofBody, openEnvironment, openWheels } from "./fitEnvironment.ts";
export { symbolsReport } from "./symbolsReport.ts";
export type { SymbolsReport } from "./symbolsReport.ts";
export { judge } from "./judgement.ts";
export { compared, comparedTorch, notCompared, together } from "./builtFiles.ts";
export { loaderSays, verdictHeadline } from "./verdictWords.ts";
export { isPartial, targetValues, valueText } from "./targetValues.ts";
export { bodiesView } from "./sideBySide/index.ts";
export { diagnosisAgainst, projectBodies } from "./sideBySide/project.ts";
