/**
 * One reader of compiler flags for every build system: what g++, clang, nvcc (through -Xcompiler too) and cl
 * are told about the ABI, the standard and the architectures.
 */
export * from "./architectures.ts";
export * from "./declaredBody.ts";
export * from "./facts.ts";
export * from "./parse.ts";
