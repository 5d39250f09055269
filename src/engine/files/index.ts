/**
 * Read access to files for the whole engine: the disk, and an editor's unsaved texts laid over it.
 */
export { isInside } from "./isInside.ts";
export { NodeFiles } from "./node-files.ts";
export { OverlayFiles } from "./overlay-files.ts";
