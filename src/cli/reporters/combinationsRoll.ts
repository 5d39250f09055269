import type { RollReport } from "../../workshop/combinations/index.ts";
import { jsonText } from "./jsonText.ts";
import { plural, wrap } from "./layout.ts";
import { relativeTo, reportedLocation } from "../../tools/places.ts";

/** What is rolled, the diff, what has to be done by hand and what was left on purpose. */
export function rollText(report: RollReport, patch: string): string {
  const { root, outcome, changes, left, notes, to, from, because, standing } = report;
  const lines: string[] = [];
  if (standing !== undefined) lines.push(...wrap(standing.sentence, ""));
  if (report.reason !== undefined) lines.push(...wrap(report.reason, ""));
  if (to !== undefined) {
    const set = [`torch ${to.torch}`, ...Object.entries(to.packages).map(([name, version]) => `${name} ${version}`)].join(", ");
    const what = outcome === "up-to-date" ? "All pins that are rolled are at" : outcome === "written" ? `Rolled ${plural(changes.length, "place")} of torch ${from ?? ""} to` : outcome === "planned" ? `${plural(changes.length, "place")} would be rolled from torch ${from ?? ""} to` : "Not rolled to";
    lines.push(...wrap(`${what} ${set}${because === undefined ? "" : ` (${because})`}.`, ""));
  }
  if (patch !== "") lines.push("", patch.trimEnd());
  const byHand = left.filter((one) => one.byHand);
  const others = left.filter((one) => !one.byHand);
  const place = (one: (typeof left)[number]): string[] => wrap(`${relativeTo(root, one.path)}:${one.line}: ${one.text}: ${one.because}`, "    ", "  - ");
  if (byHand.length > 0) lines.push("", "To be changed by hand", ...byHand.flatMap(place));
  if (others.length > 0) lines.push("", "Left as they are", ...others.flatMap(place));
  if (notes.length > 0) lines.push("", ...notes.flatMap((one) => wrap(one, "    ", "  - ")));
  if (report.problems.length > 0) lines.push("", plural(report.problems.length, "problem"), ...report.problems.flatMap((one) => wrap(one, "    ", "  - ")));
  if (outcome === "planned") lines.push("", "Nothing was written; --write does.");
  return `${lines.join("\n")}\n`.replace(/^\n+/, "");
}

/** The JSON form: docs/schema/combinations-roll.schema.json. Places count from 1, paths are relative to the root. */
export function rollJson(report: RollReport): string {
  const { fix, changes, left, standing, ...rest } = report;
  const { root } = report;
  return jsonText({
    schema: 1,
    ...rest,
    ...(standing === undefined ? {} : { standing }),
    changes: changes.map(({ edit, what, from, to }) => ({ what, from, to, location: reportedLocation(root, edit.location) })),
    left: left.map((one) => ({ ...one, path: relativeTo(root, one.path) })),
    ...(fix === undefined ? {} : { fix: { title: fix.title, edits: fix.edits.map((one) => ({ location: reportedLocation(root, one.location), newText: one.newText })) } }),
  });
}
