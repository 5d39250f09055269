/**
 * Scores the rules on labelled real projects: how many labelled defects are found at the right file and line
 * by a rule that says the same thing, and how many places that were judged fine raise an alarm.
 *
 *   node scripts/corpus/score.ts --labels LABELS.json --projects FOLDER [--against SPEC ...] [--details]
 *
 * FOLDER holds one checkout per project, named owner__name, at the labelled commit. Neither the labels nor the
 * projects are part of this repository. A defect counts as found when any of the runs (without a torch, and
 * against each SPEC) reports it; an alarm on a fine place counts in the run without a torch.
 */
import * as fs from "node:fs";
import * as path from "node:path";
import { parseArgs } from "node:util";
import { loadCatalogue } from "../../src/engine/catalogue/index.ts";
import { Workspace } from "../../src/engine/diagnosis/index.ts";
import { NodeFiles } from "../../src/engine/files/index.ts";
import type { Finding, Location } from "../../src/engine/model/index.ts";
import categories from "./categories.json" with { type: "json" };

interface Label {
  readonly id: string;
  readonly verdict: "defect" | "fine";
  readonly category: string;
  readonly confidence: string;
  readonly repo: string;
  readonly locations: readonly string[];
  readonly why: string;
}

interface Outcome {
  readonly label: Label;
  readonly hits: readonly { readonly run: string; readonly finding: Finding }[];
}

const { values } = parseArgs({
  options: {
    labels: { type: "string" },
    projects: { type: "string" },
    against: { type: "string", multiple: true },
    details: { type: "boolean" },
    only: { type: "string" },
  },
});
if (values.labels === undefined || values.projects === undefined) {
  throw new Error("Give --labels LABELS.json and --projects FOLDER.");
}
const labels = JSON.parse(fs.readFileSync(values.labels, "utf8")) as readonly Label[];
const projects = values.projects;
const catalogue = loadCatalogue();
const rulesOf: Readonly<Record<string, readonly string[]>> = categories;
/** A statement over several lines may be reported at its head or at the argument. */
const lineTolerance = 2;
const nowhere = "without a torch";

const runs: readonly { readonly name: string; readonly against: readonly string[] }[] = [
  { name: nowhere, against: [] },
  ...(values.against ?? ["torch==2.14.1+cu130", "torch==2.8.0+cu128", "torch==2.5.1+cu124"]).map((spec) => ({ name: spec, against: [spec] })),
];

const outcomes: Outcome[] = [];
for (const repo of new Set(labels.map((label) => label.repo))) {
  const root = path.join(projects, repo.replace("/", "__"));
  if (values.only !== undefined && !repo.includes(values.only)) {
    continue;
  }
  if (!fs.existsSync(root)) {
    process.stderr.write(`${repo}: not in ${projects}\n`);
    continue;
  }
  const found = runs.map((run) => {
    const started = performance.now();
    const { findings } = new Workspace(root, new NodeFiles(), { catalogue, against: run.against, environment: {} }).diagnose();
    process.stderr.write(`${repo} ${run.name}: ${findings.length} findings in ${Math.round(performance.now() - started)} ms\n`);
    return { run: run.name, findings };
  });
  for (const label of labels.filter((one) => one.repo === repo)) {
    const rules = rulesOf[label.category] ?? [];
    const hits = found.flatMap(({ run, findings }) => findings.filter((finding) => rules.includes(finding.rule) && label.locations.some((place) => (label.verdict === "defect" ? shows(finding, root, place) : isAt(finding.location, root, place)))).map((finding) => ({ run, finding })));
    outcomes.push({ label, hits });
  }
}

print(outcomes);

/** One disagreement has several places; a label may name any of them. */
function shows(finding: Finding, root: string, place: string): boolean {
  return [finding.location, ...finding.related.map((one) => one.location)].some((location) => isAt(location, root, place));
}

function isAt(location: Location, root: string, place: string): boolean {
  const separator = place.lastIndexOf(":");
  const file = path.join(root, place.slice(0, separator));
  const line = Number(place.slice(separator + 1)) - 1;
  return location.path === file && line >= location.range.start.line - lineTolerance && line <= location.range.end.line + lineTolerance;
}

function print(all: readonly Outcome[]): void {
  const defects = all.filter((one) => one.label.verdict === "defect");
  const fine = all.filter((one) => one.label.verdict === "fine");
  const isAlarm = (one: Outcome): boolean => one.hits.some(({ run, finding }) => run === nowhere && (finding.severity === "error" || finding.severity === "warning"));
  if (values.details === true) {
    for (const { label, hits } of all) {
      const alarm = isAlarm({ label, hits });
      const mark = label.verdict === "defect" ? (hits.length > 0 ? "found " : "MISSED") : alarm ? "ALARM " : "silent";
      process.stdout.write(`${mark} ${label.id} ${label.category} (${label.confidence}) ${label.repo} ${label.locations.join(" ")}\n`);
      const [first] = hits;
      if (first !== undefined && (label.verdict === "defect" || alarm)) {
        const { finding } = first;
        process.stdout.write(`         ${first.run}: ${finding.severity} ${finding.rule} ${path.basename(finding.location.path)}:${finding.location.range.start.line + 1} ${finding.message}\n`);
      } else if (label.verdict === "defect") {
        process.stdout.write(`         ${label.why}\n`);
      }
    }
  }
  process.stdout.write("\ncategory                    certain   all defects\n");
  for (const category of [...new Set(defects.map((one) => one.label.category))].sort()) {
    const here = defects.filter((one) => one.label.category === category);
    process.stdout.write(`${category.padEnd(26)} ${ratio(here.filter((one) => one.label.confidence === "certain")).padStart(9)} ${ratio(here).padStart(9)}\n`);
  }
  process.stdout.write(`${"all".padEnd(26)} ${ratio(defects.filter((one) => one.label.confidence === "certain")).padStart(9)} ${ratio(defects).padStart(9)}\n`);
  process.stdout.write(`false alarms on fine places: ${fine.filter(isAlarm).length} of ${fine.length}\n`);
}

function ratio(group: readonly Outcome[]): string {
  return group.length === 0 ? "-" : `${group.filter((one) => one.hits.length > 0).length}/${group.length}`;
}
