/**
 * Messages between the language server and its clients beyond LSP: types only, shared by both ends.
 */
import type { FitReport, InspectReport, SymbolFamily } from "../engine/model/index.ts";

/** `initializationOptions` of the server; every member is optional so that any editor can leave it out. */
export interface InitializationOptions {
  /** Commands that the client can run itself; the server offers them in code actions and lenses only when listed. */
  readonly commands?: readonly ClientCommand[];
  /** By folder URI: what the user selected in the client (an environment, an interpreter, or `torch==VERSION`). */
  readonly selected?: Readonly<Record<string, string>>;
  /** By folder URI: the interpreter that the editor's Python support uses. */
  readonly interpreters?: Readonly<Record<string, string>>;
  /** The `abiding` settings, for clients that cannot answer `workspace/configuration`. */
  readonly settings?: unknown;
}

export type ClientCommand = "abiding.openRuleDocumentation" | "abiding.selectEnvironment" | "abiding.showFindings";

/** A project is named by any URI in it; the first folder answers when there is none. */
export interface ProjectParams {
  readonly uri?: string;
}

export interface TorchStatus {
  readonly version: string;
  /** `_GLIBCXX_USE_CXX11_ABI`, when it could be told. */
  readonly abi?: 0 | 1;
  /** null: built without CUDA; absent: not known. */
  readonly cuda?: string | null;
  readonly python?: string;
  /** "environment", "libtorch", "wheel", "profile", "catalogue". */
  readonly source: string;
  /** How people call it: ".venv", "torch==2.8.0+cu128". */
  readonly name: string;
  readonly path?: string;
}

/** What a status bar shows of one project. */
export interface Status {
  readonly folder: string;
  readonly name: string;
  /** False: switched off by setting. Nothing is known then. */
  readonly enabled: boolean;
  readonly torch?: TorchStatus;
  /** Further torches that the project is checked against. */
  readonly also: readonly string[];
  readonly findings: { readonly error: number; readonly warning: number; readonly info: number; readonly hint: number };
  readonly suppressed: number;
  readonly targets: number;
  readonly files: number;
  readonly notChecked: readonly string[];
  /** Why the answer is incomplete: bad settings, a torch that could not be found or read. */
  readonly problems: readonly string[];
}

/** An environment that a project can be checked against. */
export interface EnvironmentChoice {
  /** What to hand to `abiding/selectEnvironment`. */
  readonly spec: string;
  readonly name: string;
  /** "torch 2.8.0+cu128", or that it has none. */
  readonly detail: string;
  readonly hasTorch: boolean;
  readonly selected: boolean;
}

export interface SelectEnvironmentParams extends ProjectParams {
  /** Absent: back to the settings and to what is found. One that cannot be checked against is an error that says why. */
  readonly spec?: string;
}

/** A shared library or wheel, looked at without loading it. */
export interface BinaryParams {
  /** The file. */
  readonly uri: string;
  /** What to compare with (as `--against` takes it); absent: the selected environment of the project that the file lies in. */
  readonly against?: string;
}

export interface BinaryView {
  readonly inspect: InspectReport;
  /** Absent without a torch to compare with; `problem` says why. */
  readonly fits?: FitReport;
  /** Demangled, by mangled name: every imported symbol of a single library, and every one that a report names. */
  readonly symbols: readonly { readonly file: string; readonly name: string; readonly demangled: string; readonly family: SymbolFamily; readonly version?: string; readonly weak: boolean }[];
  readonly against?: TorchStatus;
  readonly problem?: string;
}

export interface Requests {
  "abiding/binary": { params: BinaryParams; result: BinaryView };
  "abiding/status": { params: ProjectParams; result: Status | null };
  "abiding/environments": { params: ProjectParams; result: readonly EnvironmentChoice[] };
  "abiding/selectEnvironment": { params: SelectEnvironmentParams; result: Status | null };
  /** Reads everything again and answers with the status of every project. */
  "abiding/check": { params: Record<string, never>; result: readonly Status[] };
  /** The findings of a project as Markdown, for a bug report. */
  "abiding/report": { params: ProjectParams; result: { readonly markdown: string } | null };
}

export interface Notifications {
  /** Server to client: the status of a project changed. */
  "abiding/statusChanged": Status;
  /** Client to server: the editor's Python support changed the interpreter of a folder. */
  "abiding/interpreterChanged": { readonly folder: string; readonly interpreter?: string };
}
