/**
 * A configured build folder, read as the truth: CMake's File API reply (codemodel version 2) and
 * CMakeCache.txt say what every compiler receives, as long as they are newer than the build files.
 */
export { compareWithStatic, type TargetComparison } from "./compare.ts";
export { readConfiguredBuild } from "./read.ts";
