import type { LatestWorking } from "../../../protocol/panel.ts";

/** What https://shields.io/badges/endpoint-badge reads. */
export interface ShieldsEndpoint {
  readonly schemaVersion: 1;
  readonly label: string;
  readonly message: string;
  readonly color: string;
}

/** The badge of the newest torch that worked. */
export function shields(latest: readonly LatestWorking[], channel: LatestWorking["channel"]): ShieldsEndpoint {
  const found = latest.find((one) => one.channel === channel);
  const label = channel === "nightly" ? "works with torch nightly" : "works with torch";
  return found === undefined ? { schemaVersion: 1, label, message: "none recorded", color: "lightgrey" } : { schemaVersion: 1, label, message: found.torch, color: "brightgreen" };
}
