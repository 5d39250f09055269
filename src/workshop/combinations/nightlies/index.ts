/** What package indexes have and had of torch and its siblings, remembered; choices among it. */
export { ageOf } from "./age.ts";
export { readIndexes, shownIndex } from "./readIndexes.ts";
export { nightlies } from "./report.ts";
export type { NightliesReport, NightliesRequest } from "./report.ts";
export { newestFirst, selectTorches, unmatched } from "./select.ts";
export { torchSets } from "./sets.ts";
export type { IndexRequest } from "./types.ts";
export { handingOnUsers, IndexUsers, withoutHandedOn } from "./users.ts";
