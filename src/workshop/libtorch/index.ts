/**
 * libtorch for C++ projects: finds one by reading files, fetches an official archive or a wheel, or builds one from a checkout of
 * PyTorch. Only the prefix that was given is written to, and it is whole or absent; a record beside it says where it came from.
 */
export { buildLibtorch } from "./build.ts";
export { sha256Of } from "./download.ts";
export { fetchLibtorch } from "./fetch.ts";
export { locate } from "./locate.ts";
export { thisPlatform } from "./platform.ts";
export type { BuildLibtorchRequest, FetchRequest, LibtorchCandidate, LibtorchReport, LibtorchWanted, LocateRequest } from "./types.ts";
