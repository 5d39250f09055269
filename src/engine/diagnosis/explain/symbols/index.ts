/**
 * What an error about a symbol means: whose it is, which releases of torch have it, and what follows of that; with the
 * environment or the file that failed, what they show.
 */
export { explainSymbol } from "./explainSymbol.ts";
export type * from "./types.ts";
