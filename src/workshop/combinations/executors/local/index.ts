/** Cells on this machine. */
export { localExecutor } from "./localExecutor.ts";
