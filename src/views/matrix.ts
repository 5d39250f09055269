/** Many records folded into a matrix: rows are versions of torch, columns the values of one axis. */
import { compareKeys, compareVersions, parseVersion, versionKey } from "../engine/model/version.ts";
import type { VersionKey } from "../engine/model/version.ts";
import type { CombinationsView, PanelRecord } from "../protocol/panel.ts";
import { deciding as decidingOf } from "./deciding.ts";
import type { Method } from "../workshop/combinations/types.ts";
import { shortCommit } from "./words.ts";

export type Axis = "version" | "commit" | "python" | "cuda" | "compiler" | "platform" | "gpu";

/** "mixed": of several combinations in one cell some passed and some failed; "predicted-mixed": some with and some without a conflict. */
export type CellOutcome = "passed" | "failed" | "mixed" | "unknown" | "predicted-no-conflict" | "predicted-conflict" | "predicted-mixed" | "predicted-unknown";

export interface MatrixFilter {
  /** Words, all of which a record or the version of torch has to hold, in any case. */
  readonly text?: string;
  readonly channel?: "release" | "nightly";
  /** "untried": versions of torch without any record. */
  readonly outcome?: CellOutcome | "untried";
  readonly how?: Method;
  readonly python?: string;
  readonly platform?: string;
  /** True: only what an index still lists; false: only what none does. */
  readonly listed?: boolean;
}

export interface MatrixRow {
  readonly torch: string;
  readonly channel: "release" | "nightly";
  /** Of a nightly: "2026-11-01". */
  readonly day?: string;
  /** Absent: no index is known to have had it. */
  readonly listed?: boolean;
  readonly yanked?: boolean;
}

export interface MatrixColumn {
  readonly key: string;
  readonly label: string;
  /** Values come first, then that there is none, then what is not known. */
  readonly rank: 0 | 1 | 2;
}

export interface MatrixCell {
  readonly outcome: CellOutcome;
  /** The combinations that decide the outcome: how many there are, and how many of them passed or have no conflict. */
  readonly count: number;
  readonly good: number;
  /** The newest record of those that decide. */
  readonly record: PanelRecord;
  /** All records, newest first. */
  readonly records: readonly PanelRecord[];
}

export interface Matrix {
  readonly rows: readonly MatrixRow[];
  readonly columns: readonly MatrixColumn[];
  cell(row: number, column: number): MatrixCell | undefined;
  /** All records of a row that the filter lets through, newest first. */
  recordsOf(row: number): readonly PanelRecord[];
  /** The records are of more than one project: columns of versions name theirs. */
  readonly severalProjects: boolean;
  /** Records that the filter lets through, of how many; rows of how many. */
  readonly shown: { readonly records: number; readonly ofRecords: number; readonly rows: number; readonly ofRows: number };
}

export interface MatrixOptions {
  readonly axis: Axis;
  readonly filter?: MatrixFilter;
  /** What is being tried has its row, and its column where its value is known, even before there is a record. */
  readonly running?: readonly RunningCell[];
}

export interface RunningCell {
  readonly torch: string;
  readonly project?: string;
  /** Of the axis; absent: not known. */
  readonly value?: string | null;
}

/** Folds in one pass over the records, the newest first; a cell is judged when it is asked for. */
export function foldMatrix(records: readonly PanelRecord[], known: CombinationsView["known"], { axis, filter = {}, running = [] }: MatrixOptions): Matrix {
  const all = withoutCopies(records);
  const severalProjects = all.some((one) => one.project !== all[0]?.project);
  const columnOfRunning = ({ value, project }: RunningCell): MatrixColumn | undefined => (value === undefined ? undefined : columnFor(axis, value, severalProjects ? project : undefined));
  const passes = recordFilter(filter);
  const words = wordsOf(filter.text);
  const cells = new Map<string, Map<string, PanelRecord[]>>();
  const labels = new Map<string, OrderedColumn>();
  const tried = new Set<string>();
  let passing = 0;
  for (const record of all) {
    tried.add(record.torch);
    if (!passes(record)) continue;
    passing += 1;
    const { key, label, rank } = columnFor(axis, record[axis], severalProjects ? record.project : undefined);
    const column = labels.get(key);
    // Only commits are ordered by it.
    const newest = axis === "commit" ? time(record) : 0;
    if (column === undefined) labels.set(key, { key, label, rank, newest });
    else column.newest = Math.max(column.newest, newest);
    const row = existing(cells, record.torch, () => new Map<string, PanelRecord[]>());
    existing(row, key, () => []).push(record);
  }
  const awaited = running.map(columnOfRunning).filter((column) => column !== undefined);
  for (const column of awaited) if (!labels.has(column.key)) labels.set(column.key, { ...column, newest: Infinity });

  const judged = new Map<readonly PanelRecord[], MatrixCell>();
  const cellOf = (torch: string, key: string): MatrixCell | undefined => {
    const found = cells.get(torch)?.get(key);
    if (found === undefined) return undefined;
    const cell = existing(judged, found, () => judge(found));
    return filter.outcome === undefined || cell.outcome === filter.outcome ? cell : undefined;
  };
  // Judging costs more than folding.
  const hasCell = (torch: string, key: string): boolean => filter.outcome === undefined || cellOf(torch, key) !== undefined;

  const candidates = rowsOf(tried, known, running);
  const isRunning = new Set(running.map(({ torch }) => torch));
  const needsRecord = filter.how !== undefined || filter.python !== undefined || filter.platform !== undefined;
  const shows = ({ torch, channel, listed }: MatrixRow): boolean => {
    if (filter.channel !== undefined && channel !== filter.channel) return false;
    if (filter.listed !== undefined && (listed ?? false) !== filter.listed) return false;
    if (isRunning.has(torch)) return true;
    const ofRow = cells.get(torch);
    if (filter.outcome === "untried") return !tried.has(torch) && holds(torch.toLowerCase(), words);
    if (filter.outcome !== undefined) return ofRow !== undefined && [...ofRow.keys()].some((key) => hasCell(torch, key));
    return ofRow !== undefined || (!needsRecord && !tried.has(torch) && holds(torch.toLowerCase(), words));
  };
  const rows = candidates.filter(shows);
  const used = new Set(awaited.map(({ key }) => key));
  for (const { torch } of rows) for (const key of cells.get(torch)?.keys() ?? []) if (!used.has(key) && hasCell(torch, key)) used.add(key);
  const columns = [...labels.values()].filter(({ key }) => used.has(key)).sort(columnOrder(axis)).map(({ key, label, rank }) => ({ key, label, rank }));
  return {
    rows,
    columns,
    cell(row, column) {
      const [at, under] = [rows[row], columns[column]];
      return at === undefined || under === undefined ? undefined : cellOf(at.torch, under.key);
    },
    recordsOf(row) {
      const at = rows[row];
      return at === undefined ? [] : newestFirst([...(cells.get(at.torch)?.values() ?? [])].flat());
    },
    severalProjects,
    shown: { records: passing, ofRecords: all.length, rows: rows.length, ofRows: candidates.length },
  };
}

/** What the filter offers: every Python and platform of the records, and the axes that have more than one value. */
export function matrixChoices(records: readonly PanelRecord[]): { readonly pythons: readonly string[]; readonly platforms: readonly string[] } {
  const pythons = new Set<string>();
  const platforms = new Set<string>();
  for (const { python, platform } of records) {
    if (python !== undefined) pythons.add(python);
    platforms.add(platform);
  }
  return { pythons: [...pythons].sort((a, b) => natural(b, a)), platforms: [...platforms].sort(natural) };
}

/** The column of a value, also of what has no record yet. `undefined`: not known; `null`: there is none. `project`: where versions of several projects stand side by side. */
export function columnFor(axis: Axis, value: string | null | undefined, project?: string): MatrixColumn {
  const name = axis === "version" && project !== undefined ? `${project} ` : "";
  if (value === undefined) return { key: `${name}?`, label: `${name}not known`, rank: 2 };
  if (value === null) return { key: `${name}-`, label: axis === "cuda" ? "no CUDA" : axis === "gpu" ? "no GPU" : "none", rank: 1 };
  return { key: `${name}=${value}`, label: `${name}${axis === "commit" ? shortCommit(value) : value}`, rank: 0 };
}

function existing<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}

/** Merged files hold some lines twice. */
function withoutCopies(records: readonly PanelRecord[]): readonly PanelRecord[] {
  const seen = new Set<string>();
  return records.filter(({ id }) => !seen.has(id) && seen.add(id) !== undefined);
}

function time({ when }: PanelRecord): number {
  const parsed = Date.parse(when);
  // Not infinite: differences are taken.
  return Number.isNaN(parsed) ? 0 : parsed;
}

/** They come like that, but for those that were added since; of the same time, the earlier stays first. */
function newestFirst(records: readonly PanelRecord[]): readonly PanelRecord[] {
  return records.length < 2 ? records : records.map((record) => ({ record, at: time(record) })).sort((a, b) => b.at - a.at).map(({ record }) => record);
}

/** Everything that was put together, and nothing of what became of it. */
function combinationKey({ project, version, commit, torch, packages, python, cuda, compiler, platform, gpu }: PanelRecord): string {
  return JSON.stringify([project, version, commit, torch, packages === undefined ? undefined : Object.entries(packages).sort(), python, cuda, compiler, platform, gpu]);
}

/**
 * The outcome of all records of a cell. What was tried counts before what was predicted, what tells something before what could
 * not be told; of each combination its newest record by the strongest method counts, unless a weaker method failed later:
 * what no longer builds passes no tests.
 */
function judge(records: readonly PanelRecord[]): MatrixCell {
  const sorted = newestFirst(records);
  const tested = deciding(sorted.filter(({ how, outcome }) => how !== "predicted" && (outcome === "passed" || outcome === "failed")));
  if (tested.length > 0) {
    const good = tested.filter(({ outcome }) => outcome === "passed").length;
    return summary(good === tested.length ? "passed" : good === 0 ? "failed" : "mixed", tested, good, sorted);
  }
  const predicted = deciding(sorted.filter(({ how, outcome }) => how === "predicted" && (outcome === "no-conflict" || outcome === "conflict")));
  if (predicted.length > 0) {
    const good = predicted.filter(({ outcome }) => outcome === "no-conflict").length;
    return summary(good === predicted.length ? "predicted-no-conflict" : good === 0 ? "predicted-conflict" : "predicted-mixed", predicted, good, sorted);
  }
  const tried = deciding(sorted.filter(({ how }) => how !== "predicted"));
  return tried.length > 0 ? summary("unknown", tried, 0, sorted) : summary("predicted-unknown", deciding(sorted), 0, sorted);
}

/** One record for each combination. */
function deciding(sorted: readonly PanelRecord[]): readonly PanelRecord[] {
  if (sorted.length < 2) return sorted;
  const byCombination = new Map<string, PanelRecord[]>();
  for (const record of sorted) existing(byCombination, combinationKey(record), () => []).push(record);
  return [...byCombination.values()].map(decidingOf);
}

function summary(outcome: CellOutcome, decisive: readonly PanelRecord[], good: number, records: readonly PanelRecord[]): MatrixCell {
  const record = newestFirst(decisive)[0] ?? records[0];
  if (record === undefined) throw new Error("A cell has at least one record.");
  return { outcome, count: decisive.length, good, record, records };
}

function rowsOf(tried: ReadonlySet<string>, known: CombinationsView["known"], running: NonNullable<MatrixOptions["running"]>): readonly MatrixRow[] {
  const listings = new Map(known.map((one) => [one.torch, one]));
  // An index without local labels has "2.13.0" for what calls itself "2.13.0+cu130" once it is installed.
  const labelled = new Set([...tried].map((torch) => torch.split("+")[0]));
  const torches = new Set([...tried, ...running.map(({ torch }) => torch), ...known.map(({ torch }) => torch).filter((torch) => torch.includes("+") || !labelled.has(torch))]);
  return [...torches].map((torch) => ({ row: rowOf(torch, listings.get(torch) ?? listings.get(torch.split("+")[0] ?? "")), key: keyOf(torch) })).sort((a, b) => rowOrder(a.key, b.key)).map(({ row }) => row);
}

function rowOf(torch: string, listing: CombinationsView["known"][number] | undefined): MatrixRow {
  const dev = parseVersion(torch)?.dev;
  const day = dev === undefined ? undefined : /^(\d{4})(\d\d)(\d\d)$/.exec(String(dev));
  return {
    torch,
    channel: dev === undefined ? "release" : "nightly",
    ...(day === undefined || day === null ? {} : { day: day.slice(1).join("-") }),
    ...(listing === undefined ? {} : { listed: listing.listed }),
    ...(listing?.yanked === true ? { yanked: true } : {}),
  };
}

interface RowKey {
  readonly key: VersionKey | undefined;
  readonly text: string;
}

function keyOf(text: string): RowKey {
  const version = parseVersion(text);
  return { text, key: version && versionKey(version) };
}

/** Newest first; what is no version comes last. */
function rowOrder(a: RowKey, b: RowKey): number {
  if (a.key !== undefined && b.key !== undefined) return compareKeys(b.key, a.key) || natural(a.text, b.text);
  return a.key === undefined ? (b.key === undefined ? natural(a.text, b.text) : 1) : -1;
}

const collator = new Intl.Collator("en", { numeric: true });

function natural(a: string, b: string): number {
  return collator.compare(a, b);
}

interface OrderedColumn extends MatrixColumn {
  /** When its newest record was made. */
  newest: number;
}

function columnOrder(axis: Axis): (a: OrderedColumn, b: OrderedColumn) => number {
  const byValue = (a: OrderedColumn, b: OrderedColumn): number => {
    switch (axis) {
      case "commit":
        return b.newest === a.newest ? natural(a.label, b.label) : b.newest - a.newest;
      case "version":
      case "cuda":
        return parseVersion(a.label) && parseVersion(b.label) ? compareVersions(b.label, a.label) : natural(b.label, a.label);
      case "python":
        return natural(b.label, a.label);
      default:
        return natural(a.label, b.label);
    }
  };
  return (a, b) => a.rank - b.rank || byValue(a, b);
}

function wordsOf(text: string | undefined): readonly string[] {
  return (text ?? "").toLowerCase().split(/\s+/).filter((word) => word !== "");
}

function holds(text: string, words: readonly string[]): boolean {
  return words.every((word) => text.includes(word));
}

function recordFilter({ text, how, python, platform }: MatrixFilter): (record: PanelRecord) => boolean {
  const words = wordsOf(text);
  return (record) =>
    (how === undefined || record.how === how) && (python === undefined || record.python === python) && (platform === undefined || record.platform === platform) &&
    (words.length === 0 || holds(searchText(record), words));
}

/** Made once for each record: a search is typed letter by letter. */
const searchTexts = new WeakMap<PanelRecord, string>();

function searchText(record: PanelRecord): string {
  const made = searchTexts.get(record);
  if (made !== undefined) return made;
  const { torch, project, version, commit, python, cuda, compiler, platform, gpu, packages, reason, note } = record;
  const text = [
    torch, project, version, commit, python === undefined ? undefined : `python ${python}`, cuda === undefined || cuda === null ? undefined : `cuda ${cuda}`, compiler, platform, gpu,
    ...Object.entries(packages ?? {}).map(([name, one]) => `${name} ${one}`), reason?.message, reason?.rule, reason?.test, ...(reason?.symbols ?? []), note,
  ].filter((part) => part !== undefined && part !== null).join("\n").toLowerCase();
  searchTexts.set(record, text);
  return text;
}
