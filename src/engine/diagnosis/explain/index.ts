/** From an error text to what happened, on what evidence, and what to do. */
export { explain } from "./explain.ts";
export { causes } from "./causes.ts";
export type { CauseName } from "./causes.ts";
export { fitReader } from "./fitReader.ts";
