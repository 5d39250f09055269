/** What the record of torch's exports says of names: from when to when, in which spelling, and what came before and after. */
export { overloadLives, symbolAnswer, symbolLives } from "./answer.ts";
export { builtAgainst } from "./builtAgainst.ts";
export type { OtherSignature, ReleaseRange, SymbolAnswer, SymbolLife } from "./types.ts";
