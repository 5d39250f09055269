import type { Command, SourceFile } from "./syntax.ts";

/** Where a variable is read. */
export interface Use {
  readonly name: string;
  readonly file: SourceFile;
  readonly command: Command;
  readonly start: number;
  readonly end: number;
}

/** Which names the project sets and reads; for detectors that ask whether a name is set anywhere at all. */
export class UsageLog {
  readonly sets = new Set<string>();
  readonly uses = new Map<string, Use>();
  /** Names that are asked for with DEFINED: whoever asks knows that they may be missing. */
  readonly defined = new Set<string>();
  readonly unknownCommands = new Set<string>();

  set(name: string): void {
    this.sets.add(name);
  }

  use(name: string, file: SourceFile, command: Command, start = command.start, end = command.end): void {
    if (!this.uses.has(name)) this.uses.set(name, { name, file, command, start, end });
  }

  /** Always true: a command that nobody defined may set anything. */
  unknownCommand(name: string): boolean {
    this.unknownCommands.add(name);
    return true;
  }
}
