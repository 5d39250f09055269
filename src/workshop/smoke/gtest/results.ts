import type { Location } from "../../../engine/model/index.ts";
import type { Judgement } from "../ctest/judge.ts";
import { definedAs } from "./console.ts";
import type { ConsoleCase } from "./console.ts";
import type { ReportedCase } from "./report.ts";

/** A GoogleTest as its source defines it, with how its instances ended. */
export interface EndedCase {
  /** "Suite.Case". */
  readonly name: string;
  readonly status: "passed" | "failed" | "skipped" | "disabled" | "crashed" | "timed-out" | "cancelled" | "not-run";
  readonly reason?: string;
  readonly milliseconds: number;
  readonly output: string;
  readonly location?: Location;
  readonly instances: number;
  readonly passed: number;
  readonly skipped: number;
}

interface Instance extends Pick<EndedCase, "status" | "milliseconds" | "output" | "reason" | "location"> {
  readonly name: string;
}

const gravity: readonly EndedCase["status"][] = ["crashed", "timed-out", "failed", "cancelled", "not-run", "passed", "skipped", "disabled"];

/**
 * Puts together what a program printed and what it reported. The one that had begun and not ended is the one that the whole
 * process's end is about.
 */
export function casesOf(printed: readonly ConsoleCase[], reported: readonly ReportedCase[], judgement: Judgement): readonly EndedCase[] {
  const places = new Map(reported.map((one) => [one.name, one.location]));
  const instances: Instance[] = printed.map((one) => {
    const location = places.get(one.name);
    const { status, reason } = one.status === undefined ? ending(judgement) : { status: one.status, reason: undefined };
    return { name: one.name, status, milliseconds: one.milliseconds, output: one.output, ...(reason === undefined ? {} : { reason }), ...(location === undefined ? {} : { location }) };
  });
  const seen = new Set(instances.map((one) => one.name));
  for (const one of reported) {
    if (!seen.has(one.name)) instances.push({ name: one.name, status: one.status, milliseconds: one.milliseconds, output: one.failures.map(asPrinted).join("\n"), ...(one.location === undefined ? {} : { location: one.location }) });
  }
  const groups = new Map<string, Instance[]>();
  for (const one of instances) {
    const name = definedAs(one.name);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [one]);
    else group.push(one);
  }
  return [...groups].map(([name, group]) => together(name, group));
}

function ending({ outcome, reason }: Judgement): { readonly status: EndedCase["status"]; readonly reason: string | undefined } {
  switch (outcome) {
    case "crashed": case "timed-out": case "cancelled": return { status: outcome, reason };
    default: return { status: "failed", reason: "The program ended while it ran, without saying how." };
  }
}

function together(name: string, group: readonly Instance[]): EndedCase {
  const status = gravity.find((one) => group.some((instance) => instance.status === one)) ?? "passed";
  const bad = group.filter((one) => one.status === status && status !== "passed");
  const first = bad[0] ?? group[0];
  const location = group.find((one) => one.location !== undefined)?.location;
  const shown = bad.length === 0 ? group : bad;
  const reason = group.length === 1 || bad.length === 0 || status === "skipped" ? first?.reason
    : `${bad.length} of ${group.length} with parameters: ${bad.slice(0, 5).map((one) => one.name).join(", ")}${bad.length > 5 ? ", ..." : ""}.${first?.reason === undefined ? "" : ` ${first.reason}`}`;
  return {
    name, status,
    ...(reason === undefined ? {} : { reason }),
    milliseconds: group.reduce((sum, one) => sum + one.milliseconds, 0),
    output: shown.slice(0, 20).map((one) => one.output).join(""),
    ...(location === undefined ? {} : { location }),
    instances: group.length,
    passed: group.filter((one) => one.status === "passed").length,
    skipped: group.filter((one) => one.status === "skipped" || one.status === "disabled").length,
  };
}

/** "file:12\nwords" of the report as it would have been printed. */
function asPrinted(failure: string): string {
  return failure.replace(/^(.+:\d+)\n/, "$1: Failure\n");
}
