/**
 * Mangled names of the Itanium C++ ABI: reading them into a tree, printing the tree as `c++filt` does, writing it back, and
 * what Abiding asks of a name: which std::string ABI it speaks of, its twin in the other, its variants, whose it is.
 */
export { abiTwin, abiTwinCandidates } from "./abi-twin.ts";
export { entityKey } from "./components.ts";
export { demangle } from "./demangle.ts";
export { familyOf } from "./family.ts";
export { readMangled } from "./read-mangled.ts";
export { shortNames } from "./shortNames.ts";
export { variantsOf } from "./variants.ts";
