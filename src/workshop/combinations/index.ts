/**
 * What works together: the records of it, the nightlies that indexes have, what is predicted from symbols, what is tried on
 * this machine or a cluster, which torch broke it, and how all that is published.
 */
export { appendCombinations } from "./records/append.ts";
export type { Appended } from "./records/append.ts";
export { newestRecordsFirst } from "./records/order.ts";
export { keepsRecords, recordsFile } from "./records/place.ts";
export { readCombinations } from "./records/read.ts";
export { tryCell } from "./cells/tryCell.ts";
export { readCellFile, readResult, writeCellFile } from "./cells/files.ts";
export type { CellFile } from "./cells/files.ts";
