import type { SourceScan } from "../sources/cpp/index.ts";

/** Texts that are equal for scans that say the same. */
export function identityOf(scan: SourceScan | undefined): string {
  return JSON.stringify([scan, scan?.namesWhere(() => true)]);
}

/** Texts that are equal for scans that include the same. */
export function headersOf(scan: SourceScan): string {
  return scan.includes.map((one) => `${one.angled ? "<" : '"'}${one.header}`).join("\n");
}
