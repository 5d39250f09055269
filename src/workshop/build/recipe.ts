import type { Command, Variables } from "../process/types.ts";
import type { BuildStep } from "./types.ts";

/** One process of a build, as it is to be started. */
export interface Step {
  readonly name: BuildStep["name"];
  /** For people, while it runs: "Configuring". */
  readonly title: string;
  readonly command: Command;
  /** Where relative paths of its messages may start beside its folder. */
  readonly source: string;
  /** pip shows what its children print behind two blanks. */
  readonly isIndented?: boolean;
}

/** How a plan is carried out. */
export interface Recipe {
  /** Each is asked for when the one before it has ended well: what CMake configured decides how it is built. */
  readonly steps: readonly (() => Step)[];
  /** Folders in which products may appear. */
  readonly productFolders: readonly string[];
  /** Products that the build itself names, beside those found there. */
  readonly products: () => readonly string[];
  /** Sentences about what is passed and why, before it starts. */
  readonly notes: readonly string[];
  /** Arguments that would help when the first step fails for want of something. */
  readonly advice: readonly string[];
}

/** What every recipe starts from. */
export interface Circumstances {
  readonly environment: Variables;
  /** `<root>/.abiding/local` or its stand-in. */
  readonly state: string;
  /** The Python to build with. */
  readonly interpreter: string | undefined;
}

export function commandOf(argv: readonly string[], folder: string, environment: Variables): Command {
  const [file = "", ...rest] = argv;
  return { file, arguments: rest, folder, environment };
}
