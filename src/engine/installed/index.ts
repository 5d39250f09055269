/**
 * What is installed: Python environments, the torch in them, libtorch folders, torch wheels, compilers and CUDA toolkits.
 * Everything is told by files; nothing is run and nothing is imported, so it also works where `import torch` fails.
 */
export { describeEnvironment } from "./describe.ts";
export { requirementsOf } from "./distributions.ts";
export { describeDefault, findEnvironments } from "./find.ts";
export type { Surroundings } from "./find.ts";
export { hasHeaders, isRefusedUnderStableAbi, torchHeader } from "./headers.ts";
export { bodyOfProfile, profileOf } from "./profile.ts";
export { resolveAgainst } from "./resolve.ts";
export { findToolchains } from "./toolchains.ts";
export { torchVersion } from "./torchPackage.ts";
export { describeTorchWheel } from "./wheelEnvironment.ts";
