/** One project as the panel shows it: everything that the page is told of it comes from here. */
import * as path from "node:path";
import * as vscode from "vscode";
import type { BodiesView, PanelHostMessage, PanelState, WorkKind } from "../../protocol/panel.ts";
import type { Project } from "../../workshop/project/types.ts";
import type { Examination } from "../../workshop/workshop.ts";
import { isConnectionLost } from "../connectionLost.ts";
import type { Bench } from "../workshop/bench.ts";
import type { Finding } from "../workshop/decision.ts";
import { ServerDiagnostician } from "../workshop/diagnostician.ts";
import type { Work } from "../workshop/work.ts";
import { Benchmarks } from "./benchmarks.ts";
import { Combinations } from "./combinations.ts";
import { Reading } from "./reading.ts";
import { Strip } from "./strip.ts";

/** What the page remembers of how it was. */
export interface Remembered {
  readonly also?: string;
  readonly baseline?: string;
}

/** Milliseconds: findings come file by file. */
const calm = 300;

export class Session implements vscode.Disposable {
  readonly root: string;
  readonly combinations: Combinations;
  readonly benchmarks: Benchmarks;
  readonly #bench: Bench;
  readonly #post: (message: PanelHostMessage) => void;
  readonly #strip: Strip;
  readonly #plans: Reading<Project>;
  readonly #examination: Reading<Examination>;
  readonly #bodies: Reading<BodiesView>;
  readonly #disposables: vscode.Disposable[];
  #also: string | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(bench: Bench, root: string, remembered: Remembered, post: (message: PanelHostMessage) => void) {
    this.root = root;
    this.#bench = bench;
    this.#post = post;
    this.#also = remembered.also;
    const failed = (error: unknown): void => this.#failed(error);
    this.#strip = new Strip(bench, root, (work) => post({ type: "work", work }));
    this.#plans = new Reading(() => bench.project(root), (project) => {
      this.#strip.project = project;
    }, failed);
    this.#examination = new Reading((signal) => new ServerDiagnostician(bench.host.server).check(root, [], signal), () => post({ type: "inTheWay", findings: this.inTheWay, ...this.#torch }), failed);
    this.#bodies = new Reading(() => this.#askForBodies(), (bodies) => post({ type: "bodies", bodies, ...this.#alsoNamed }), failed);
    this.combinations = new Combinations(bench, root, post, failed);
    this.benchmarks = new Benchmarks(bench, root, remembered.baseline, post, failed);
    this.#disposables = [
      this.#strip, this.combinations, this.benchmarks, this.#plans, this.#examination, this.#bodies,
      bench.host.server.onDidChangeStatus(({ folder }) => {
        if (vscode.Uri.parse(folder).fsPath === root) {
          this.#soon();
        }
      }),
      // The same number of findings may be at other places now.
      vscode.languages.onDidChangeDiagnostics(({ uris }) => {
        if (uris.some((uri) => isIn(root, uri))) {
          this.#soon();
        }
      }),
      bench.host.server.onDidChangeState((state) => {
        if (state === "running") {
          this.#soon();
        }
      }),
      bench.built.event((built) => {
        if (built === root) {
          this.refresh();
        }
      }),
      vscode.workspace.onDidSaveTextDocument(({ uri }) => {
        if (isIn(root, uri) && decides.test(uri.path)) {
          this.#plans.changed();
          this.combinations.changed();
        }
      }),
    ];
  }

  /** All that is known now. */
  get state(): Omit<PanelState, "project" | "projects" | "trusted"> {
    const bodies = this.#bodies.value;
    const combinations = this.combinations.view;
    const benchmarks = this.benchmarks.view;
    return {
      inTheWay: this.inTheWay, work: this.#strip.all, ...this.#torch, ...this.#alsoNamed,
      ...(bodies === undefined ? {} : { bodies }), ...(combinations === undefined ? {} : { combinations }), ...(benchmarks === undefined ? {} : { benchmarks }),
    };
  }

  /** What a build would carry, errors first. */
  get inTheWay(): readonly Finding[] {
    const findings = this.#examination.value?.findings ?? [];
    return [...findings.filter((one) => one.severity === "error"), ...findings.filter((one) => one.severity === "warning")];
  }

  /** The findings of the bodies, as the page has them. */
  get findings(): readonly Finding[] {
    return this.#bodies.value?.findings ?? [];
  }

  /** Those, or those in the way, as they are now: what is shown may be of a text that has been edited since. */
  async findingsNow(of: "bodies" | "inTheWay"): Promise<readonly Finding[]> {
    return of === "bodies" ? (await this.#askForBodies()).findings : (await new ServerDiagnostician(this.#bench.host.server).check(this.root, [], new AbortController().signal)).findings;
  }

  /** While nobody looks, nothing is read. */
  watch(isWatched: boolean): void {
    if (isWatched) {
      this.#bench.watched.add(this.root);
    } else {
      this.#bench.watched.delete(this.root);
    }
    [this.#plans, this.#examination, this.#bodies, this.combinations, this.benchmarks].forEach((one) => one.watch(isWatched));
  }

  /** Reads everything anew. */
  refresh(): void {
    this.#plans.changed();
    this.#examination.changed();
    this.#bodies.changed();
    this.combinations.changed();
    this.benchmarks.changed();
  }

  compareAlso(against: string | undefined): void {
    this.#also = against;
    this.#bodies.changed();
  }

  running(kind: WorkKind): readonly Work[] {
    return this.#strip.running(kind);
  }

  dispose(): void {
    this.#bench.watched.delete(this.root);
    clearTimeout(this.#timer);
    this.#disposables.forEach((one) => void one.dispose());
  }

  get #torch(): { readonly torch?: string } {
    const [torch] = this.#examination.value?.against ?? [];
    if (torch === undefined) {
      return {};
    }
    const { version, name } = torch;
    const where = name.startsWith(this.root + path.sep) ? path.relative(this.root, name) : name;
    return { torch: version === undefined ? where : name.includes(version) ? `torch ${version}` : `torch ${version} (${where})` };
  }

  get #alsoNamed(): { readonly also?: string } {
    return this.#also === undefined ? {} : { also: this.#also };
  }

  async #askForBodies(): Promise<BodiesView> {
    const answer = await this.#bench.host.server.request("abiding/bodies", { uri: vscode.Uri.file(this.root).toString(), ...this.#alsoNamed });
    if (answer === null || answer === undefined) {
      throw new Error(vscode.l10n.t("The build files of {0} could not be looked at. The log of Abiding says why.", this.#bench.nameOf(this.root)));
    }
    return answer;
  }

  #soon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#examination.changed();
      this.#bodies.changed();
    }, calm);
  }

  #failed(error: unknown): void {
    // A server that stopped is started again, and then it is asked again.
    if (!isConnectionLost(error)) {
      this.#bench.host.log.warn(`The panel: ${error instanceof Error ? error.stack ?? error.message : String(error)}`);
      this.#post({ type: "failed", message: error instanceof Error ? error.message : String(error) });
    }
  }
}

/** Files that decide what can be built, tested and measured. */
const decides = /(?:\/CMakeLists\.txt|\.cmake|\/CMake(?:User)?Presets\.json|\/setup\.py|\/pyproject\.toml|\/pytest\.ini|\/setup\.cfg|\/abiding\.json)$/;

function isIn(root: string, uri: vscode.Uri): boolean {
  return uri.scheme === "file" && (uri.fsPath === root || uri.fsPath.startsWith(root + path.sep));
}
