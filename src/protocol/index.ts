/**
 * Messages between the language server and its clients beyond LSP: types only, shared by both ends.
 */
import type { BodiesView, ExaminedFile, ExplainReport, Finding, FitReport, InspectReport, Range, SymbolFamily } from "../engine/model/index.ts";

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
  /** Names this question in `abiding/binaryProgress`; absent: nobody wants to know how it goes on. */
  readonly question?: string;
}

/** An undefined symbol: what a library asks of others. */
export interface ImportedSymbol {
  /** Mangled, without the version. */
  readonly name: string;
  /** Absent where it would be the same as the name. */
  readonly demangled?: string;
  readonly family: SymbolFamily;
  readonly version?: string;
  readonly weak: boolean;
}

/** A single library, or one of a wheel, beside what the reports say of it. */
export interface BinaryLibrary {
  /** As in `inspect` and in `fits`. */
  readonly file: string;
  /** What it is called in the wheel; the file name of a single library. */
  readonly name: string;
  /** The words with which the loader would refuse it; absent when nothing is known that it would refuse. */
  readonly loaderSays?: string;
  readonly symbols: readonly ImportedSymbol[];
}

export interface BinaryView {
  /** The verdict in a sentence; why there is none otherwise. */
  readonly headline: string;
  readonly inspect: InspectReport;
  /** Absent without a torch to compare with; `problem` says why. */
  readonly fits?: FitReport;
  readonly libraries: readonly BinaryLibrary[];
  /** Imported symbols of a wheel beyond those that are worth sending. */
  readonly symbolsLeftOut: number;
  readonly against?: TorchStatus;
  readonly problem?: string;
  /** All of it for a bug report. */
  readonly markdown: string;
}

/** A project, named by its folder, and what to compare it with (as `--against` takes it); empty: its own choice. */
export interface ExaminationParams {
  readonly root: string;
  readonly against: readonly string[];
  /** The URI of the CMake build folder that is going to be built in: what is configured there counts, and no other. */
  readonly buildFolder?: string;
}

/** The build files of a project, compared with the torches that it is meant for: what a build has to know before it starts. */
export interface ProjectExamination {
  readonly findings: readonly Finding[];
  readonly against: readonly { readonly name: string; readonly version?: string; readonly cuda?: string | null; readonly interpreter?: string }[];
  readonly notChecked: readonly string[];
}

/** A library that a build file makes, at the place where it says so. */
export interface LibraryPlace {
  readonly name: string;
  readonly builder: "cmake" | "setuptools" | "torch-jit";
  readonly range: Range;
}

/** A project, by any URI in it or by the path of its folder; the first folder answers when neither is given. */
export interface BodiesParams extends ProjectParams {
  readonly root?: string;
  /** An environment for a column of its own, as `--against` takes it. */
  readonly also?: string;
}

/** An error text, with the project that it came up in by the URI of its folder or of any file in it. */
export interface ExplainParams {
  readonly text: string;
  readonly root?: string;
  /** The environment in which it failed, as `--against` takes it; absent: what the project is checked against. */
  readonly against?: string;
}

/** A mangled name, read. */
export interface DemangledName {
  readonly demangled: string;
  /** Releases of torch that export it, in a sentence; absent: it is none of torch's recorded symbols. */
  readonly life?: string;
}

/** A question of an agent, by the name of a tool and what its input schema describes. */
export interface ToolParams {
  readonly name: string;
  readonly input: unknown;
  /** As in `ExplainParams`. */
  readonly root?: string;
}

/** What the tool says: the JSON of the command of that name, or why there is none. */
export interface ToolAnswer {
  readonly text: string;
  readonly failed: boolean;
}

export interface Requests {
  /** What an error text means. null: it failed, and the log says why. */
  "abiding/explain": { params: ExplainParams; result: ExplainReport | null };
  /** null: it is no mangled name. */
  "abiding/demangle": { params: { /** As it stands there, with what Mach-O or a linker adds. */ readonly name: string }; result: DemangledName | null };
  /** Tools that read only; those that run something are the client's. null: it failed, and the log says why. */
  "abiding/tool": { params: ToolParams; result: ToolAnswer | null };
  /** null: no such project, or it failed, and the log says why. An environment that cannot be had is an error whose message says so. */
  "abiding/bodies": { params: BodiesParams; result: BodiesView | null };
  /** null: it failed, and the log says why. What cannot be checked against is an error whose message says so. */
  "abiding/examination": { params: ExaminationParams; result: ProjectExamination | null };
  "abiding/builtFiles": { params: ExaminationParams & { /** Absolute paths. */ readonly files: readonly string[] }; result: readonly ExaminedFile[] | null };
  /** Shared libraries and extension modules that a document makes. */
  "abiding/libraries": { params: { readonly uri: string }; result: readonly LibraryPlace[] };
  /** null: it failed, and the log says why. What cannot be read is an error whose message says so. */
  "abiding/binary": { params: BinaryParams; result: BinaryView | null };
  /** Releases of torch in the catalogue, newest first. */
  "abiding/releases": { params: Record<string, never>; result: readonly string[] };
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
  /** Server to client: how far the answer to an `abiding/binary` is; `message` is a few words. */
  "abiding/binaryProgress": { readonly question: string; readonly message: string };
  /** Client to server: the editor's Python support changed the interpreter of a folder. */
  "abiding/interpreterChanged": { readonly folder: string; readonly interpreter?: string };
}

/** What the page of a binary asks of its host. */
export type BinaryPageMessage =
  /** The page can take messages. `against`: what it was compared with before it was rebuilt. */
  | { readonly type: "ready"; readonly against?: string }
  | { readonly type: "copy"; readonly text: string }
  | { readonly type: "copyReport" | "compare" | "compareSelected" | "selectEnvironment" | "cancel" | "retry" | "openAsText" }
  | { readonly type: "openRule"; readonly rule: string };

/** What the host tells the page of a binary. */
export type BinaryHostMessage =
  /** `progress`: how far it is; `message` stays the same meanwhile. */
  | { readonly type: "busy"; readonly message: string; readonly progress?: string }
  | { readonly type: "failed"; readonly message: string }
  | { readonly type: "copied"; readonly what: string }
  /** `compared`: what was named to compare with; absent: the selected environment. */
  | { readonly type: "view"; readonly view: BinaryView; readonly compared?: string };
