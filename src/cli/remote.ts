import { RangeCache, userCacheFolder } from "../engine/binaries/remote/index.ts";
import type { RemoteOptions } from "../engine/binaries/remote/index.ts";
import type { Arguments } from "./arguments.ts";
import type { Terminal } from "./terminal.ts";
import { onInterrupt } from "./interrupt.ts";
import { printable } from "./reporters/printable.ts";

/** How wheels on servers are read: within --budget, with the user's cache, until Ctrl-C. */
export function remoteOptions(given: Arguments, terminal: Terminal): RemoteOptions {
  const stop = new AbortController();
  onInterrupt(() => stop.abort());
  const folder = userCacheFolder(terminal.environment);
  return {
    signal: stop.signal,
    progress: (bytes, what) => terminal.progress(printable(`${(bytes / 1e6).toFixed(1)} MB of ${what}`)),
    ...(given.budget === undefined ? {} : { budget: given.budget }),
    ...(folder === undefined ? {} : { cache: new RangeCache(folder) }),
  };
}
