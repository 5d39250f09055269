/** What is known to work together, as the panel shows it: the records, what indexes are remembered to have, and cells that are being tried. */
import { existsSync } from "node:fs";
import * as path from "node:path";
import * as vscode from "vscode";
import type { CellDetails, CombinationsView, PanelHostMessage, PanelRecord } from "../../protocol/panel.ts";
import type { CellEvent, ReadCombinations } from "../../workshop/combinations/types.ts";
import { installLine } from "../../views/installLine.ts";
import { latestWorking } from "../../views/latest.ts";
import { readKnowledge } from "../combinations/indexes.ts";
import { settingsOf } from "../combinations/settings.ts";
import type { Bench } from "../workshop/bench.ts";
import { showFile } from "./edits.ts";
import { logOfRecord, tailOf } from "./logs.ts";
import { Reading } from "./reading.ts";
import { ruleInShort } from "./rules.ts";

interface Read {
  readonly view: CombinationsView;
  readonly records: ReadCombinations["records"];
}

/** Milliseconds: a run adds line after line. */
const calm = 200;

export class Combinations implements vscode.Disposable {
  readonly #bench: Bench;
  readonly #root: string;
  readonly #reading: Reading<Read>;
  readonly #disposables: vscode.Disposable[];
  #watched: { readonly file: string; readonly watcher: vscode.Disposable } | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(bench: Bench, root: string, post: (message: PanelHostMessage) => void, failed: (error: unknown) => void) {
    this.#bench = bench;
    this.#root = root;
    this.#reading = new Reading((signal) => this.#read(signal), (now, before) => {
      const message = differenceOf(now.view, before?.view);
      if (message !== undefined) {
        post(message);
      }
    }, failed);
    this.#disposables = [
      bench.cells.onDidTell((told) => {
        if (told.root === root) {
          post({ type: "cell", event: told.event });
        }
      }),
      bench.works.onDidEnd((work) => {
        if (work.root === root && work.kind !== "discovery" && work.kind !== "libtorch") {
          this.changed();
        }
      }),
    ];
  }

  get view(): CombinationsView | undefined {
    return this.#reading.value?.view;
  }

  /** The last event of each cell that is being tried. */
  get running(): readonly CellEvent[] {
    return this.#bench.cells.of(this.#root);
  }

  watch(isWatched: boolean): void {
    this.#reading.watch(isWatched);
  }

  changed(): void {
    this.#reading.changed();
  }

  async details(torch: string, ids: readonly string[]): Promise<CellDetails> {
    const asked = new Set(ids);
    const records = (this.view?.records ?? []).filter((one) => asked.has(one.id));
    return {
      torch,
      records: await Promise.all(records.map(async (one) => {
        const log = await this.logOf(one.id);
        const text = log === undefined ? undefined : await tailOf(log);
        const explanation = one.reason?.rule === undefined ? undefined : await ruleInShort(this.#bench.host.context.extensionUri, one.reason.rule);
        return { ...one, ...(text === undefined ? {} : { log: text }), ...(explanation === undefined ? {} : { explanation }) };
      })),
    };
  }

  /** Absolute; undefined: there is none on this machine. */
  async logOf(id: string): Promise<string | undefined> {
    const record = this.#reading.value?.records.find((one) => one.id === id);
    return record === undefined ? undefined : logOfRecord(this.#root, record);
  }

  /** Of the newest of the records that say where torch came from and what was installed beside it; else of torch alone. */
  async installLine(torch: string, ids: readonly string[]): Promise<string> {
    const asked = new Set(ids);
    const record = (this.view?.records ?? []).filter((one) => asked.has(one.id) && one.torch === torch).reduce<PanelRecord | undefined>((best, one) => (best === undefined || weightOf(one) > weightOf(best) ? one : best), undefined);
    const index = record?.index ?? (await readKnowledge(this.#bench, this.#root, "memory")).wheels.find((one) => one.package === "torch" && one.version === torch)?.index;
    return installLine({ torch, ...(index === undefined ? {} : { index }), ...(record?.packages === undefined ? {} : { packages: record.packages }) });
  }

  async openRecords(panel: vscode.WebviewPanel): Promise<void> {
    const file = this.view?.file;
    // One that has only lines that cannot be read is opened to be mended.
    if (file === undefined || !existsSync(file)) {
      throw new Error(vscode.l10n.t("there are no records yet."));
    }
    await showFile(panel, file);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#watched?.watcher.dispose();
    this.#reading.dispose();
    this.#disposables.forEach((one) => void one.dispose());
  }

  async #read(signal: AbortSignal): Promise<Read> {
    const { combinationOf, newestFirst, panelRecords, readCombinations, recordsFile, wantedOf } = await import("../../workshop/combinations/index.ts");
    const settings = await settingsOf(this.#root);
    const file = recordsFile(this.#root, settings);
    this.#watch(file);
    const read = await readCombinations(file, { signal });
    const records = panelRecords(read);
    const knowledge = await readKnowledge(this.#bench, this.#root, "memory");
    const known = new Map(newestFirst(knowledge, wantedOf(settings)).map((one) => [one.version, { torch: one.version, listed: one.listed, ...(one.yanked === undefined ? {} : { yanked: true }) }]));
    const knownAt = knowledge.indexes.flatMap((one) => one.readAt ?? []).sort().at(-1);
    // git of a project that is not trusted may run what its settings name.
    const current = vscode.workspace.isTrusted ? await combinationOf({ root: this.#root, torch: { version: "0" }, packages: {}, gpu: "irrelevant", unchanging: [path.relative(this.#root, file)] }, this.#bench.quietly(this.#root)) : undefined;
    return {
      records: read.records,
      view: {
        records, latest: latestWorking(records, current === undefined ? {} : { project: current.project.name }), known: [...known.values()], ...(knownAt === undefined ? {} : { knownAt }),
        problems: [...read.problems, ...knowledge.problems], file,
        ...(current === undefined ? {} : { current: {
          project: current.project.name, platform: current.platform,
          ...(current.project.version === undefined ? {} : { version: current.project.version }), ...(current.project.commit === undefined ? {} : { commit: current.project.commit }),
        } }),
      },
    };
  }

  /** The file may be another one after abiding.json has changed, and it need not exist. */
  #watch(file: string): void {
    if (this.#watched?.file === file) {
      return;
    }
    this.#watched?.watcher.dispose();
    const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(this.#root, path.relative(this.#root, file).split(path.sep).join("/")));
    const soon = (): void => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.changed(), calm);
    };
    this.#watched = { file, watcher: vscode.Disposable.from(watcher, watcher.onDidChange(soon), watcher.onDidCreate(soon), watcher.onDidDelete(soon)) };
  }
}

const strength: Readonly<Record<PanelRecord["how"], number>> = { predicted: 0, built: 1, loaded: 2, smoke: 3, benchmark: 4 };

function weightOf({ how, outcome, when }: PanelRecord): string {
  return `${outcome === "passed" ? 1 : 0}${strength[how]}${when}`;
}

/** What a page that has `before` needs; undefined: nothing. */
export function differenceOf(now: CombinationsView, before: CombinationsView | undefined): PanelHostMessage | undefined {
  if (before === undefined) {
    return { type: "combinations", combinations: now };
  }
  const there = new Set(now.records.map((one) => one.id));
  if (besidesRecords(now) !== besidesRecords(before) || before.records.some((one) => !there.has(one.id))) {
    return { type: "combinations", combinations: now };
  }
  const were = new Set(before.records.map((one) => one.id));
  const added = now.records.filter((one) => !were.has(one.id));
  return added.length === 0 ? undefined : { type: "recordsAdded", records: added, latest: now.latest };
}

function besidesRecords(view: CombinationsView): string {
  return JSON.stringify({ ...view, records: [], latest: [] });
}
