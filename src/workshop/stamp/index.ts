/**
 * Adds the ABI stamp to a user's CMake target or setuptools extension, and to the package that loads it the comparison at
 * import. It edits build files and writes what they need into the project; it starts nothing.
 */
export { stamp } from "./stamp.ts";
