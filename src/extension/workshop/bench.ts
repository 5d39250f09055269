import * as path from "node:path";
import * as vscode from "vscode";
import { runProcess } from "../../workshop/process/index.ts";
import type { BuildReport } from "../../workshop/build/types.ts";
import { readProject } from "../../workshop/project/index.ts";
import type { Project } from "../../workshop/project/types.ts";
import type { Workshop } from "../../workshop/workshop.ts";
import { activeFile } from "../activeFile.ts";
import type { BinaryEditor } from "../binary/index.ts";
import { LiveCells } from "../combinations/liveCells.ts";
import type { Server } from "../server.ts";
import { ServerDiagnostician } from "./diagnostician.ts";
import { Documents } from "./documents.ts";
import { baseEnvironment } from "./environment.ts";
import type { Screen } from "./screen.ts";
import { LastEndings } from "./lastEndings.ts";
import { LastCommand, Work, Works } from "./work.ts";

/** What the workshop needs of the rest of the extension. */
export interface WorkshopHost {
  readonly context: vscode.ExtensionContext;
  readonly log: vscode.LogOutputChannel;
  readonly server: Server;
  readonly binaries: BinaryEditor;
}

/** How a task that builds ended: with a report, or before there was one. */
export interface BuildEnding {
  readonly root: string;
  readonly plan?: string;
  readonly target?: string;
  readonly report?: BuildReport;
  /** Absent without a report: it was cancelled. */
  readonly error?: Error;
}

/** Owns what the commands, tasks and tests of the workshop share. */
export class Bench implements vscode.Disposable {
  readonly host: WorkshopHost;
  readonly works: Works;
  readonly last = new LastCommand();
  readonly documents = new Documents();
  /** A build ended: what can be tested may be another thing now. */
  readonly built = new vscode.EventEmitter<string>();
  /** A task that builds ended. */
  readonly buildEnded = new vscode.EventEmitter<BuildEnding>();
  /** Cells of the matrix that are being tried. */
  readonly cells = new LiveCells();
  /** Projects whose results the user sees as they come: nothing else need be opened to show them. */
  readonly watched = new Set<string>();
  readonly #run = this.last.watching(runProcess);

  constructor(host: WorkshopHost) {
    this.host = host;
    this.works = new Works(new LastEndings(host.context.workspaceState));
  }

  /** What a piece of work hands to the rooms of the workshop. */
  workshop(work: Work, screen: Screen): Workshop {
    return {
      run: this.#run,
      diagnostician: new ServerDiagnostician(this.host.server),
      activity: work.activity(screen),
      environment: baseEnvironment(),
      version: String((this.host.context.extension.packageJSON as { version: unknown }).version),
      now: () => new Date(),
    };
  }

  /** For what reads only and is no work that anybody waits for. */
  quietly(root: string): Workshop {
    return this.workshop(new Work("discovery", "", root), { output: () => undefined, note: () => undefined, end: () => undefined });
  }

  /** What can be done with a folder, as its files say now. */
  project(root: string): Promise<Project> {
    return readProject(root, { environment: baseEnvironment() });
  }

  /** The Python of the environment that the project is checked against; undefined: none is known. */
  async interpreter(root: string, workshop: Workshop): Promise<string | undefined> {
    return (await workshop.diagnostician.check(root, [], workshop.activity.signal)).against[0]?.interpreter;
  }

  /** The folder that a command is about: the one named, that of the file in sight, the only one, or the one that the user picks. */
  async chooseRoot(given?: unknown): Promise<string | undefined> {
    if (typeof given === "string") {
      return given;
    }
    const folders = vscode.workspace.workspaceFolders ?? [];
    const file = activeFile();
    const around = file === undefined ? undefined : vscode.workspace.getWorkspaceFolder(file);
    const folder = around ?? (folders.length === 1 ? folders[0] : await vscode.window.showWorkspaceFolderPick({ placeHolder: vscode.l10n.t("Project") }));
    if (folder === undefined && folders.length === 0) {
      throw new Error(vscode.l10n.t("no folder is open."));
    }
    return folder?.uri.fsPath;
  }

  /** How people call a folder. */
  nameOf(root: string): string {
    return vscode.workspace.getWorkspaceFolder(vscode.Uri.file(root))?.name ?? path.basename(root);
  }

  dispose(): void {
    this.works.dispose();
    this.documents.dispose();
    this.built.dispose();
    this.buildEnded.dispose();
    this.cells.dispose();
  }
}
