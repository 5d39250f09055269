import type { PanelRecord } from "../../src/protocol/panel.ts";

let made = 0;

/** A record that smoke tests of version 1.0 passed with torch 2.14.1, changed where a test says so. */
export function panelRecord(changes: Partial<PanelRecord> = {}): PanelRecord {
  made += 1;
  return { id: `record${made}`, torch: "2.14.1+cu130", project: "ops", version: "1.0", python: "3.12", platform: "linux-x86_64", how: "smoke", outcome: "passed", when: "2026-11-20T10:00:00Z", ...changes };
}
