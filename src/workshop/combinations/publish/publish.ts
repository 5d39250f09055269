import { existsSync, readFileSync } from "node:fs";
import * as path from "node:path";
import { loadCatalogue } from "../../../engine/catalogue/index.ts";
import { bodiesView, Workspace } from "../../../engine/diagnosis/index.ts";
import { NodeFiles } from "../../../engine/files/index.ts";
import type { BodiesView, CombinationsView, PanelRecord } from "../../../protocol/panel.ts";
import { latestWorking } from "../../../views/latest.ts";
import { benchmarksView } from "../../benchmark/index.ts";
import { inSlices } from "../../process/index.ts";
import type { Workshop } from "../../workshop.ts";
import { newestFirst, readIndexes } from "../nightlies/index.ts";
import { wantedOf } from "../predict/torches.ts";
import { panelRecords } from "../records/panel.ts";
import { recordsFile } from "../records/place.ts";
import { projectNameOf } from "../records/project.ts";
import { readCombinations } from "../records/read.ts";
import { html, type PageBundle } from "./html.ts";
import { markdown } from "./markdown.ts";
import { Privacy, publicAddress, publishable } from "./privacy.ts";
import { shields } from "./shields.ts";
import { tableOf } from "./table.ts";
import type { Published, PublishedData, PublishRequest } from "./types.ts";

/** Torches in a table that is read line by line. */
const usualRows = 30;
/** A page with more records is slow to load. */
const mostRecords = 50_000;

/**
 * What is known to work, for others: without paths, hosts and users of this machine. Reads records, and for the page the
 * bodies and benchmarks of the project; asks no server. Throws `CannotDo` when the records cannot be read.
 */
export async function publish(request: PublishRequest, workshop: Workshop): Promise<Published> {
  const notes: string[] = [];
  const data = await gather(request, workshop, notes);
  return { text: textOf(request, data, notes), notes };
}

function textOf(request: PublishRequest, data: PublishedData, notes: string[]): string {
  switch (request.format) {
    case "markdown": return markdown(data);
    case "shields": return `${JSON.stringify(shields(data.combinations.latest, request.channel ?? "release"), undefined, 2)}\n`;
    case "json": {
      const { project, published, by, combinations: { latest, problems }, table } = data;
      return `${JSON.stringify({ schema: 1, project, published, by, latest, table, problems }, undefined, 2)}\n`;
    }
    case "html": {
      const bundle = pageBundle();
      if (bundle === undefined) notes.push("The panel's page is not beside this installation of Abiding: the page has the plain table only.");
      return html(data, bundle);
    }
  }
}

async function gather(request: PublishRequest, workshop: Workshop, notes: string[]): Promise<PublishedData> {
  const { root, settings, format, rows, without = [] } = request;
  const { activity } = workshop;
  const privacy = new Privacy(root);
  const now = workshop.now();
  activity.step("Reading records");
  const file = recordsFile(root, settings);
  const read = await readCombinations(file, { now, signal: activity.signal });
  const all = panelRecords(read, now);
  const records = publishedRecords(all.slice(0, mostRecords), privacy, notes);
  if (all.length > mostRecords) notes.push(`Only the newest ${mostRecords} of ${all.length} records are published.`);
  const project = projectNameOf(root);
  const knowledge = await readIndexes({ root, wanted: wantedOf(settings), packages: settings?.packages ?? [], offline: true }, workshop);
  const known = new Map(newestFirst(knowledge, wantedOf(settings)).map((one) => [one.version, { torch: one.version, listed: one.listed, ...(one.yanked === undefined ? {} : { yanked: true }) }]));
  const knownAt = knowledge.indexes.flatMap((one) => one.readAt ?? []).sort().at(-1);
  const combinations: CombinationsView = {
    records,
    latest: latestWorking(records, records.some((one) => one.project === project.name) ? { project: project.name } : {}),
    known: recordedOf([...known.values()], records), ...(knownAt === undefined ? {} : { knownAt }),
    problems: publishable(read.problems, privacy), file: path.relative(root, file).split(path.sep).join("/"),
  };
  const bodies = format === "html" && !without.includes("bodies") ? await bodiesOf(request, workshop) : undefined;
  const benchmarks = format === "html" && !without.includes("benchmarks") ? await benchmarksView(root) : undefined;
  return {
    project, published: now.toISOString(), by: workshop.version, combinations,
    table: tableOf(combinations, rows ?? (format === "json" ? Number.MAX_SAFE_INTEGER : usualRows)),
    ...(bodies === undefined ? {} : { bodies: publishable(bodies, privacy) }),
    ...(benchmarks === undefined || benchmarks.runs.length === 0 ? {} : { benchmarks: publishable(benchmarks, privacy) }),
  };
}

/** Rows of torches that nobody tried would be most of a page. An index without labels has "2.15.0" for "2.15.0+cu130". */
function recordedOf(known: CombinationsView["known"], records: readonly PanelRecord[]): CombinationsView["known"] {
  const recorded = new Set(records.flatMap(({ torch }) => [torch, torch.replace(/\+.*$/, "")]));
  return known.filter(({ torch }) => recorded.has(torch));
}

/** Local logs have no place on a page; neither has an index that others do not reach. */
function publishedRecords(records: readonly PanelRecord[], privacy: Privacy, notes: string[]): readonly PanelRecord[] {
  const hosts = new Set<string>();
  let hidden = 0;
  const made = records.map(({ run: _run, index, ...record }): PanelRecord => {
    const address = index === undefined ? undefined : publicAddress(index);
    if (index !== undefined && address === undefined) hidden += 1;
    if (address !== undefined) hosts.add(new URL(address).host);
    return { ...publishable(record, privacy), ...(address === undefined ? {} : { index: address }) };
  });
  if (hidden > 0) notes.push(`${hidden === 1 ? "One record has" : `${hidden} records have`} an index that only this machine or network reaches; ${hidden === 1 ? "its address is" : "their addresses are"} left out.`);
  const others = [...hosts].filter((host) => !/(?:^|\.)(?:pytorch\.org|pypi\.org)$/.test(host)).sort();
  if (others.length > 0) notes.push(`These hosts of package indexes are named in what is published: ${others.join(", ")}.`);
  return made;
}

/** The bodies as `check` compares them; fixes are for whoever has the project open. */
async function bodiesOf({ root, interpreter }: PublishRequest, workshop: Workshop): Promise<BodiesView> {
  workshop.activity.step("Comparing the bodies");
  const where = { root, files: new NodeFiles(), catalogue: loadCatalogue(), environment: workshop.environment, ...(interpreter === undefined ? {} : { interpreter }) };
  const workspace = new Workspace(root, where.files, where);
  const diagnosis = await inSlices(workspace.diagnoseInSteps(), workshop.activity.signal);
  const view = bodiesView(diagnosis, where);
  return { ...view, root: "", findings: view.findings.map((finding) => ({ ...finding, fixes: [] })) };
}

/** The bundle lies in `dist/webview`; bundled, this code lies in `dist` too. */
function pageBundle(): PageBundle | undefined {
  for (let folder = import.meta.dirname; ; folder = path.dirname(folder)) {
    for (const place of [path.join(folder, "webview"), path.join(folder, "dist", "webview")]) {
      const [script, style] = [path.join(place, "panel.js"), path.join(place, "panel.css")];
      if (existsSync(script) && existsSync(style)) return { script: readFileSync(script, "utf8"), style: readFileSync(style, "utf8") };
    }
    if (folder === path.dirname(folder)) return undefined;
  }
}
