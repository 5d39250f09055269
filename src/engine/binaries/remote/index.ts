/**
 * Files on web servers, read by ranges: the one room of the engine that may use the network, and only when it is asked
 * to. Polite (few connections, back-off), within a budget that is known beforehand, cancellable and resumable.
 */
export { parseAddress } from "./address.ts";
export type { Address } from "./address.ts";
export { exchange, Interrupted } from "./exchange.ts";
export { httpSource, readRemote } from "./httpSource.ts";
export { netrcUser } from "./netrc.ts";
export { Spending } from "./options.ts";
export type { RemoteOptions } from "./options.ts";
export { userCacheFolder } from "./cacheFolder.ts";
export { RangeCache } from "./rangeCache.ts";
export { chooseWheels, findWheels, projectPage, readIndex, readSidecar, withUserOf } from "./readIndex.ts";
export { parseIndexPage } from "./indexPage.ts";
export type { IndexFile, IndexPage } from "./indexPage.ts";
export { locateWheel, parseRemoteSpec } from "./spec.ts";
export { fitOf, parseWheelFileName } from "./wheelTags.ts";
export type { WheelTarget } from "./wheelTags.ts";
