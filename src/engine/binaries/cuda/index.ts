/**
 * What a file holds of CUDA: device code by the headers of its fat binaries, never by their payloads, and how the
 * runtime is linked. Disassembles nothing.
 */
export { readDeviceCode } from "./content.ts";
export type { DeviceCode } from "./content.ts";
export type { ToolkitWitness } from "./toolkit.ts";
export { cudaRuntimeOf } from "./runtime.ts";
