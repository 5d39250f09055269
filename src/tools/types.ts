import type { RemoteOptions } from "../engine/binaries/remote/index.ts";
import type { Diagnosis } from "../engine/diagnosis/index.ts";
import type { Surroundings } from "../engine/installed/index.ts";
import type { Workshop } from "../workshop/workshop.ts";

/** What a tool needs of the host that was asked. */
export interface ToolContext {
  /** The project's folder, and where its environment is looked for. */
  readonly where: Surroundings;
  /** What the project is compared with where the question names nothing, as `--against` takes it: the choice that was made in an editor. */
  readonly against?: string;
  readonly remote: RemoteOptions;
  readonly signal: AbortSignal;
  /** Version of Abiding. */
  readonly version: string;
  /** What is done now, in a few words. */
  readonly tell: (what: string) => void;
  /** The diagnosis of an open project, with its unsaved texts; undefined: it is read from the disk. */
  readonly diagnosis?: (root: string) => Promise<Diagnosis | undefined>;
  /** Absent: nothing may be run here. */
  readonly workshop?: Workshop;
  /** Folders whose files the workshop may run; absent: that of `where` as the host has it, whatever folder a question names. */
  readonly trusted?: readonly string[];
}

/** A question that cannot be answered as it stands; the message says what to ask instead. */
export class CannotAnswer extends Error {}
