/** Why bytes of a file or of a resource could not be had. */
export type SourceProblem = "missing" | "unreadable" | "outside" | "changed" | "no-ranges" | "refused" | "budget" | "timeout" | "cancelled";

/** Bytes that could not be had. The message is a sentence that names the source. */
export class ByteSourceError extends Error {
  readonly problem: SourceProblem;

  constructor(problem: SourceProblem, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "ByteSourceError";
    this.problem = problem;
  }
}

/** A step that would have cost more than may be spent; nothing of it was fetched. */
export class BudgetExceededError extends ByteSourceError {
  /** Bytes that the next step would have cost. */
  readonly needed: number;
  /** Bytes fetched before. */
  readonly spent: number;
  readonly budget: number;

  constructor(name: string, needed: number, spent: number, budget: number) {
    super("budget", `${name}: the next step would fetch ${needed} bytes, and ${spent} of the ${budget} bytes that may be fetched are spent. A larger budget lets it go on.`);
    this.name = "BudgetExceededError";
    this.needed = needed;
    this.spent = spent;
    this.budget = budget;
  }
}

/** An archive that is damaged or hostile. The message is a sentence that names the archive, the entry and the offset. */
export class ArchiveError extends Error {
  /** The name of the entry, as far as one is to blame. */
  readonly entry: string | undefined;
  /** Where in the archive. */
  readonly offset: number | undefined;

  constructor(archive: string, what: string, entry?: string, offset?: number, cause?: unknown) {
    const place = entry === undefined ? "" : `: its entry ${JSON.stringify(entry.slice(0, 300))}`;
    const at = offset === undefined ? "" : ` (at byte ${offset})`;
    super(`${archive}${place} ${what}${at}.`, cause === undefined ? undefined : { cause });
    this.name = "ArchiveError";
    this.entry = entry;
    this.offset = offset;
  }
}
