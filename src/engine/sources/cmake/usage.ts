import type { Truth } from "./condition.ts";
import type { Command, IfNode, SourceFile } from "./syntax.ts";

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
  readonly unknownCommands = new Set<string>();
  readonly conditions = new Map<Command, { readonly file: SourceFile; readonly node: IfNode; readonly index: number; readonly truth: Truth }>();

  set(name: string): void {
    this.sets.add(name);
  }

  use(name: string, file: SourceFile, command: Command, start = command.start, end = command.end): void {
    if (!this.uses.has(name)) this.uses.set(name, { name, file, command, start, end });
  }

  condition(file: SourceFile, node: IfNode, index: number, truth: Truth): void {
    const head = node.branches[index]?.head;
    if (head !== undefined) this.conditions.set(head, { file, node, index, truth });
  }

  /** Always true: a command that nobody defined may set anything. */
  unknownCommand(name: string): boolean {
    this.unknownCommands.add(name);
    return true;
  }
}
