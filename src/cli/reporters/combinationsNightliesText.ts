import type { NightliesReport } from "../../workshop/combinations/index.ts";
import type { TorchSet } from "../../workshop/combinations/types.ts";
import { plural, wrap } from "./layout.ts";
import { relativeTo } from "../../tools/places.ts";

const shownOtherwise = 20;

/** Sets, the newest first; the line to paste for the newest; how old all that is; where the pins stand. */
export function nightliesText(report: NightliesReport, all: boolean): string {
  const shown = all ? report.sets : report.sets.slice(0, shownOtherwise);
  const width = Math.max(0, ...shown.map((one) => one.torch.version.length));
  const lines = shown.flatMap((set) => [`  torch ${set.torch.version.padEnd(width)}${beside(set)}`.trimEnd()]);
  if (shown.length < report.sets.length) lines.push(`  and ${report.sets.length - shown.length} older ones (--all)`);
  if (report.sets.length === 0) lines.push("No torch that fits is known.");
  const newest = report.sets.find((one) => one.torch.yanked === undefined && one.torch.listed);
  if (newest !== undefined) lines.push("", ...(newest.without.length === 0 ? [] : wrap(`The newest has no ${newest.without.map((one) => one.package).join(", ")}: ${newest.without[0]?.because ?? ""}`, "")), "The newest, not tested:", `  ${newest.installLine}`);
  const complete = newest?.without.length === 0 ? undefined : report.sets.find((one) => one.torch.yanked === undefined && one.torch.listed && one.without.length === 0);
  if (complete !== undefined) lines.push("The newest with all of them, not tested:", `  ${complete.installLine}`);
  lines.push("", ...report.age.flatMap((one) => wrap(one, "")), ...report.indexes.flatMap(({ index, package: name, problem, readAt }) => (problem === undefined ? [] : wrap(`${name} at ${index}: ${problem}${readAt === undefined ? "" : " What was known of it is kept."}`, "    ", "  - "))));
  if (report.pins.length > 0) {
    lines.push("", "Pins", ...report.pins.flatMap((one) => wrap(`${one.sentence} Pinned in ${places(report.root, one.places)}.`, "    ", "  - ")));
  }
  if (report.problems.length > 0) lines.push("", plural(report.problems.length, "problem"), ...report.problems.flatMap((one) => wrap(one, "    ", "  - ")));
  return `${lines.join("\n")}\n`;
}

function beside({ torch, siblings }: TorchSet): string {
  const marks = [
    ...siblings.map((one) => `${one.package} ${one.version}`),
    ...(torch.yanked === undefined ? [] : [`withdrawn (yanked)${torch.yanked === "" ? "" : `: ${torch.yanked}`}`]),
    ...(torch.listed ? [] : [`no longer listed, last seen ${torch.lastSeen.slice(0, 10)}`]),
    ...(torch.changed === undefined ? [] : ["changed under its name"]),
  ];
  return marks.length === 0 ? "" : `  ${marks.join(", ")}`;
}

function places(root: string, all: readonly { readonly path: string; readonly line: number }[]): string {
  const shown = all.slice(0, 4).map((one) => `${relativeTo(root, one.path)}:${one.line}`);
  return `${shown.join(", ")}${all.length > shown.length ? ` and ${all.length - shown.length} more places` : ""}`;
}
