/**
 * The fingerprint of one produced file: what it is, whom it needs, what it was built with, as far as its own bytes
 * tell. Reads tables, constants and headers; the code itself is never looked at.
 */
export { describeBinary } from "./describe.ts";
export { familyOfImport } from "./symbols.ts";
export { constantTexts, scanConstants, torchArchitectures } from "./constants.ts";
