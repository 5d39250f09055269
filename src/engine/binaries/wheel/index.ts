/**
 * Wheels: what their names and metadata promise, and whether the libraries in them keep it. Libraries are described
 * elsewhere; here they are compared with file name, WHEEL, METADATA, RECORD, and the tables of platform tags.
 */
export { describeWheel } from "./describe.ts";
export type { WheelOptions } from "./describe.ts";
export type { WheelLibrary } from "./types.ts";
