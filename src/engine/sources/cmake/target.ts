import type { DeclaredTarget } from "../../model/index.ts";
import type { Guard } from "./guards.ts";
import type { Table } from "./state.ts";
import type { Origin, Value } from "./value.ts";

/** A directory with a CMakeLists.txt, as CMake keeps it. */
export interface Directory {
  readonly path: string;
  readonly scope: Table;
  readonly properties: Table;
  readonly parent: Directory | undefined;
  readonly guard: Guard;
  /** Values of the flags variables when the directory was done: those that its targets get. */
  final: ReadonlyMap<string, Value>;
}

/** A target while it is evaluated; its properties are in a table and end up in a DeclaredTarget. */
export interface Target {
  readonly name: string;
  readonly kind: DeclaredTarget["kind"];
  readonly madeBy: string;
  readonly directory: Directory;
  readonly properties: Table;
  readonly guard: Guard;
  readonly origin: Origin;
  /** Defined by a package, not by the project. */
  readonly isImported: boolean;
}
