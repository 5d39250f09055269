/**
 * What works together: the records of it, the nightlies that indexes have, what is predicted from symbols, what is tried on
 * this machine or a cluster, which torch broke it, and how all that is published.
 */
export { appendCombinations } from "./records/append.ts";
export type { Appended } from "./records/append.ts";
export { combinationOf } from "./records/circumstances.ts";
export type { Circumstances } from "./records/circumstances.ts";
export { latestWorking } from "../../views/latest.ts";
export { panelRecords } from "./records/panel.ts";
export { keepsRecords, recordsFile } from "./records/place.ts";
export { readCombinations, streamCombinations } from "./records/read.ts";
export type { ReadRecord } from "./records/read.ts";
export { recordFilter } from "./records/filter.ts";
export type { RecordFilter } from "./records/filter.ts";
export { mergeCombinations } from "./records/merge.ts";
export type { MergedFile, MergeReport } from "./records/merge.ts";
export { newestRecordsFirst } from "./records/order.ts";
export { Problems } from "./records/problems.ts";
export { methods, outcomesOf, validateRecord } from "./records/validate.ts";
export { recordBenchmark, recordBuild, recordFit, recordSmoke } from "./records/recording.ts";
export type { Recorded, Recording } from "./records/recording.ts";
export { tryCell } from "./cells/tryCell.ts";
export { readCellFile, readResult, writeCellFile } from "./cells/files.ts";
export type { CellFile } from "./cells/files.ts";
export { readSettings } from "./cells/settings.ts";
export type { ReadSettings } from "./cells/settings.ts";
export { ageOf, newestFirst, nightlies, readIndexes, selectTorches, torchSets, unmatched } from "./nightlies/index.ts";
export type { IndexRequest, NightliesReport, NightliesRequest } from "./nightlies/index.ts";
export { judgementOf, pinStanding } from "./pins/standing.ts";
export type { PinStanding } from "./pins/standing.ts";
export { defaultBudget, predict } from "./predict/predict.ts";
export { wantedOf } from "./predict/torches.ts";
export type { PredictRequest } from "./predict/types.ts";
export { withMatrix } from "./matrixText.ts";
export { planCells } from "./cells/plan.ts";
export { planRun } from "./run/plan.ts";
export type { RunPlan, RunRequest } from "./run/plan.ts";
export { resumeCombinations, runCombinations } from "./run/runCombinations.ts";
export type { MakeSlurm, RunMeans } from "./run/runCombinations.ts";
export { localExecutor } from "./executors/local/index.ts";
export { torchTrier } from "./run/torchTrier.ts";
export type { TorchTrier, TrierRequest } from "./run/torchTrier.ts";
export { bisect } from "./bisect/bisect.ts";
export { triesOf } from "./bisect/triesOf.ts";
export type { BisectRequest, MakeTrier } from "./bisect/types.ts";
export { publish } from "./publish/publish.ts";
export type { OptionalView, Published, PublishFormat, PublishRequest } from "./publish/types.ts";
