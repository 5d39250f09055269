/** The Testing view: what can be tested, and runs of it. */
import * as vscode from "vscode";
import type { SmokePlan } from "../../workshop/project/types.ts";
import { defaultTimeLimit, discover, smoke } from "../../workshop/smoke/index.ts";
import type { SmokeEvent, SmokeReport } from "../../workshop/smoke/types.ts";
import { recordReport } from "../combinations/recording.ts";
import type { Bench } from "./bench.ts";
import { isCancellation } from "./cancellation.ts";
import { headlineOfSmoke } from "./headlines.ts";
import { measureInRun } from "./measuring.ts";
import { BatchedScreen } from "./screen.ts";
import { report } from "./testResults.ts";
import { TestTree } from "./testTree.ts";
import type { TestNode } from "./testTree.ts";
import { requireTrust } from "./trust.ts";
import { Work } from "./work.ts";

/** What a run asks of one project; `only` empty: everything of the plans. */
export interface Selection {
  readonly root: string;
  readonly plans: ReadonlySet<string>;
  readonly only: readonly string[];
  readonly except: readonly string[];
}

export class Testing implements vscode.Disposable {
  readonly controller: vscode.TestController;
  readonly #bench: Bench;
  readonly tree: TestTree;
  readonly #subscriptions: vscode.Disposable[];
  /** Projects outside the workspace that were built. */
  readonly #others = new Set<string>();

  constructor(bench: Bench, controller: vscode.TestController) {
    this.#bench = bench;
    this.controller = controller;
    this.tree = new TestTree(controller);
    const again = (root: string): void => void this.#readQuietly(root);
    this.#subscriptions = [
      bench.built.event((root) => {
        if (!localRoots().includes(root)) {
          this.#others.add(root);
        }
        again(root);
      }),
      vscode.workspace.onDidSaveTextDocument(({ uri }) => {
        const folder = vscode.workspace.getWorkspaceFolder(uri)?.uri.fsPath;
        if (folder !== undefined && this.tree.roots.includes(folder) && decides.test(uri.path)) {
          again(folder);
        }
      }),
      vscode.workspace.onDidChangeWorkspaceFolders(({ added, removed }) => {
        removed.forEach(({ uri }) => this.tree.remove(uri.fsPath));
        added.forEach(({ uri }) => again(uri.fsPath));
      }),
    ];
  }

  /** Reads what the project's files say; no project code runs for it. */
  async resolve(): Promise<void> {
    for (const root of this.#roots) {
      await this.#read(root, false);
    }
  }

  /** The refresh button: now test programs and pytest may list their tests themselves. */
  async refresh(token: vscode.CancellationToken): Promise<void> {
    requireTrust();
    for (const root of this.#roots) {
      await this.#read(root, true, token);
    }
  }

  /** Runs smoke tests and answers with the report of each project. */
  async run(request: vscode.TestRunRequest, token?: vscode.CancellationToken): Promise<readonly SmokeReport[]> {
    requireTrust();
    const selections = await this.select(request, "smoke");
    const run = this.controller.createTestRun(request);
    try {
      const reports: SmokeReport[] = [];
      for (const selection of selections) {
        reports.push(await this.#smoke(run, selection, token));
      }
      return reports;
    } catch (error) {
      if (!isCancellation(error) && !run.token.isCancellationRequested && token?.isCancellationRequested !== true) {
        // The view shows runs, not failures to run.
        run.appendOutput(`\r\n${error instanceof Error ? error.message : String(error)}\r\n`);
        throw error;
      }
      return [];
    } finally {
      run.end();
    }
  }

  async measure(request: vscode.TestRunRequest, token?: vscode.CancellationToken): Promise<void> {
    requireTrust();
    const selections = await this.select(request, "benchmark");
    const run = this.controller.createTestRun(request);
    try {
      for (const selection of selections) {
        await measureInRun(this.#bench, this.tree, run, selection, token);
      }
    } catch (error) {
      if (!isCancellation(error) && !run.token.isCancellationRequested && token?.isCancellationRequested !== true) {
        run.appendOutput(`\r\n${error instanceof Error ? error.message : String(error)}\r\n`);
        throw error;
      }
    } finally {
      run.end();
    }
  }

  /** What the items of a request ask of each project. */
  async select(request: vscode.TestRunRequest, what: "smoke" | "benchmark"): Promise<readonly Selection[]> {
    if (this.tree.roots.length === 0) {
      await this.resolve();
    }
    const include = request.include?.flatMap((item) => this.tree.nodeOf(item) ?? []) ?? this.tree.roots.map((root): TestNode => ({ kind: "folder", root }));
    const exclude = request.exclude?.flatMap((item) => this.tree.nodeOf(item) ?? []) ?? [];
    return this.tree.roots.flatMap((root) => {
      const project = this.tree.project(root);
      const all = (what === "smoke" ? project?.smoke : project?.benchmarks)?.map((one) => one.id) ?? [];
      const selection = selectionIn(root, all, include.filter((one) => one.root === root), exclude.filter((one) => one.root === root), what, (plan) => this.#topOf(root, plan));
      return selection === undefined ? [] : [selection];
    });
  }

  dispose(): void {
    this.#subscriptions.forEach((one) => void one.dispose());
  }

  async #smoke(run: vscode.TestRun, selection: Selection, token: vscode.CancellationToken | undefined): Promise<SmokeReport> {
    const { root } = selection;
    const bench = this.#bench;
    const plans = (this.tree.project(root)?.smoke ?? []).filter((one) => selection.plans.has(one.id));
    const work = new Work("smoke", vscode.l10n.t("Testing {0}", bench.nameOf(root)), root);
    return bench.works.do(work, [run.token, token], async () => {
      const screens = new Screens(run, (id) => this.tree.itemOf(root, id));
      try {
        const workshop = bench.workshop(work, screens.common);
        const answer = await smoke({ root, plans, against: [], only: selection.only, except: selection.except, failed: false, timeLimit: timeLimit(root) }, workshop, (event) => this.#show(run, root, event, screens));
        await recordReport(root, { kind: "smoke", report: answer, plans, isPart: this.#isPart(selection) }, workshop, screens.common);
        const { counts, short } = countsOf(answer);
        screens.common.note(`${bench.nameOf(root)}: ${counts}`);
        bench.works.tell({ kind: "smoke", root, ...headlineOfSmoke(answer, counts), text: `${bench.nameOf(root)}: ${short}`, details: counts, command: "testing.showMostRecentOutput" });
        for (const problem of answer.problems) {
          screens.common.note(problem.message);
        }
        return answer;
      } finally {
        screens.end();
      }
    });
  }

  #show(run: vscode.TestRun, root: string, event: SmokeEvent, screens: Screens): void {
    switch (event.kind) {
      case "found":
        this.tree.add(root, event.tests);
        break;
      case "started": {
        const item = this.tree.itemOf(root, event.id);
        if (item !== undefined) {
          run.started(item);
        }
        break;
      }
      case "output":
        screens.of(event.id).output(event.text);
        break;
      case "ended": {
        const item = this.tree.itemOf(root, event.result.id);
        screens.close(event.result.id);
        if (item !== undefined) {
          report(run, item, event.result);
        }
        break;
      }
    }
  }

  get #roots(): readonly string[] {
    return [...localRoots(), ...this.#others];
  }

  /** Whether tests of the project are left out: a plan that is one test is named by it when it is run. */
  #isPart({ root, plans, only, except }: Selection): boolean {
    const all = this.tree.project(root)?.smoke ?? [];
    return except.length > 0 || all.some((one) => !plans.has(one.id)) || (only.length > 0 && all.some((one) => this.#topOf(root, one.id).some((id) => !only.includes(id))));
  }

  /** Ids of the cases right below a plan. */
  #topOf(root: string, plan: string): readonly string[] {
    const item = this.tree.itemOf(root, plan);
    const ids: string[] = [];
    item?.children.forEach((child) => ids.push(child.id));
    return ids;
  }

  async #readQuietly(root: string): Promise<void> {
    if (!vscode.workspace.isTrusted || this.tree.roots.length === 0) {
      return;
    }
    try {
      await this.#read(root, false);
    } catch (error) {
      this.#bench.host.log.warn(`The tests of ${root} could not be listed: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  async #read(root: string, runProjectCode: boolean, token?: vscode.CancellationToken): Promise<void> {
    const bench = this.#bench;
    const project = await bench.project(root);
    const work = new Work("discovery", vscode.l10n.t("Listing the tests of {0}", bench.nameOf(root)), root);
    const log = { output: (text: string) => bench.host.log.trace(text), note: (text: string) => bench.host.log.info(text), end: () => undefined };
    const workshop = bench.workshop(work, log);
    const find = async (): ReturnType<typeof discover> => {
      const interpreter = runProjectCode ? await bench.interpreter(root, workshop) : undefined;
      return discover({ root, plans: project.smoke, runProjectCode, timeLimit: timeLimit(root), ...(interpreter === undefined ? {} : { interpreter }) }, workshop);
    };
    // Only what was asked for is shown as work.
    this.tree.set(root, project, await (runProjectCode ? bench.works.do(work, [token], find) : find()));
  }
}

/** Files that decide which tests there are. */
const decides = /(?:\/CMakeLists\.txt|\.cmake|\/CMake(?:User)?Presets\.json|\/setup\.py|\/pyproject\.toml|\/pytest\.ini|\/setup\.cfg|\/abiding\.json|\/(?:test_[^/]*|[^/]*_test|conftest)\.py)$/;

/** Folders of the workspace that are on this machine. */
export function localRoots(): readonly string[] {
  return (vscode.workspace.workspaceFolders ?? []).flatMap(({ uri }) => (uri.scheme === "file" ? [uri.fsPath] : []));
}

/** Milliseconds for a test that sets none. */
export function timeLimit(root: string): number {
  return vscode.workspace.getConfiguration("abiding", vscode.Uri.file(root)).get<number>("smoke.timeLimit", defaultTimeLimit / 1000) * 1000;
}

function selectionIn(root: string, all: readonly string[], include: readonly TestNode[], exclude: readonly TestNode[], what: "smoke" | "benchmark", topOf: (plan: string) => readonly string[]): Selection | undefined {
  const group = what === "smoke" ? "plan" : "benchmarks";
  const whole = new Set(include.some((one) => one.kind === "folder") ? all : include.flatMap((one) => (one.kind === group ? [one.plan] : [])));
  const single = include.flatMap((one) => (what === "smoke" ? (one.kind === "case" && !whole.has(one.plan) ? [{ plan: one.plan, id: one.test.id }] : []) : one.kind === "benchmark" && !whole.has(one.plan) ? [{ plan: one.plan, id: one.name }] : []));
  exclude.forEach((one) => {
    if (one.kind === group) {
      whole.delete(one.plan);
    }
  });
  const plans = new Set([...whole, ...single.map((one) => one.plan)]);
  if (plans.size === 0 || exclude.some((one) => one.kind === "folder")) {
    return undefined;
  }
  const except = exclude.flatMap((one) => (one.kind === "case" ? [one.test.id] : one.kind === "benchmark" ? [one.name] : []));
  // Where everything is meant nothing is named: what only shows when it runs is meant too.
  const only = single.length === 0 ? [] : [...single.map((one) => one.id), ...(what === "smoke" ? [...whole].flatMap(topOf) : [])];
  return { root, plans, only, except };
}

/** The output of each test, and what belongs to none. */
class Screens {
  readonly #run: vscode.TestRun;
  readonly #itemOf: (id: string) => vscode.TestItem | undefined;
  readonly #open = new Map<string, BatchedScreen>();
  readonly common: BatchedScreen;

  constructor(run: vscode.TestRun, itemOf: (id: string) => vscode.TestItem | undefined) {
    this.#run = run;
    this.#itemOf = itemOf;
    this.common = new BatchedScreen((text) => run.appendOutput(text));
  }

  of(id: string | undefined): BatchedScreen {
    if (id === undefined) {
      return this.common;
    }
    const screen = this.#open.get(id) ?? new BatchedScreen((text) => this.#run.appendOutput(text, undefined, this.#itemOf(id)));
    this.#open.set(id, screen);
    return screen;
  }

  close(id: string): void {
    this.#open.get(id)?.end();
    this.#open.delete(id);
  }

  end(): void {
    this.#open.forEach((screen) => screen.end());
    this.common.end();
  }
}

/** "3 passed, 1 crashed". */
export function countsOf(report: SmokeReport): { readonly counts: string; readonly short: string; readonly good: boolean } {
  const words = {
    passed: vscode.l10n.t("passed"), failed: vscode.l10n.t("failed"), crashed: vscode.l10n.t("crashed"), "timed-out": vscode.l10n.t("timed out"), "missing-executable": vscode.l10n.t("without their program"),
    skipped: vscode.l10n.t("skipped"), "not-run": vscode.l10n.t("not run"), cancelled: vscode.l10n.t("cancelled"),
  } as const;
  // One that ran inside another is part of its result.
  const own = report.results.filter((one) => one.parent === undefined);
  const parts = (Object.keys(words) as (keyof typeof words)[]).flatMap((outcome) => {
    const count = own.filter((one) => one.outcome === outcome).length;
    return count === 0 ? [] : [`${count} ${words[outcome]}`];
  });
  const bad = own.filter((one) => one.outcome !== "passed" && one.outcome !== "skipped").length;
  const counts = parts.length === 0 ? vscode.l10n.t("no tests") : parts.join(", ");
  const good = report.outcome === "passed" || report.outcome === "no-tests";
  return { counts, short: bad === 0 ? counts : vscode.l10n.t("{0} of {1} tests did not pass", bad, own.length), good };
}

export function plansNamed(plans: readonly SmokePlan[], id: string | undefined): readonly SmokePlan[] {
  return id === undefined ? plans : plans.filter((one) => one.id === id);
}
