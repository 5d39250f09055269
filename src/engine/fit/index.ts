/**
 * Would it load? The loading model: what `import torch` has put into the process, what the loader would add for a file, and
 * whether every name, version and trait agrees. Nothing is loaded, run or imported.
 */
export { environmentOf } from "./environment.ts";
export { environmentOfImages } from "./images.ts";
export { fit } from "./fit.ts";
export { environmentOfRelease } from "./recorded.ts";
export { homeOfCudaSymbol } from "./cudaLibraries.ts";
export { missingIn } from "./classify.ts";
export { deviceOfShim, headerShims, shimVersion } from "./stableShims.ts";
export type * from "./types.ts";
