import { OverlayFiles } from "../engine/files/index.ts";
import type { Files, FileStatus } from "../engine/model/index.ts";

/** Sources and headers: rules look for thousands of them, in every include directory of every target. */
const remembered = /\.(?:c|cc|cpp|cxx|cu|cuh|h|hh|hpp|hxx|inl|inc|def)$/i;

/** Where the client watches files, a missed event may mislead for this long. */
const maximumAge = 10_000;

/**
 * Remembers whether sources and headers exist, since asking the disk anew for each key stroke is what a large
 * project would wait for. Everything else is always asked from the disk.
 */
export class RememberingFiles extends OverlayFiles {
  readonly #isWatched: boolean;
  readonly #statuses = new Map<string, FileStatus | undefined>();
  #since = 0;

  /** `isWatched`: the client tells of changes on disk; otherwise nothing is remembered from one check to the next. */
  constructor(base: Files, isWatched: boolean) {
    super(base);
    this.#isWatched = isWatched;
  }

  /** A check begins. */
  refresh(): void {
    const now = performance.now();
    if (!this.#isWatched || now - this.#since > maximumAge) {
      this.#statuses.clear();
      this.#since = now;
    }
  }

  /** Something came, went or changed. */
  forget(): void {
    this.#statuses.clear();
  }

  override set(file: string, text: string): void {
    this.#statuses.delete(file);
    super.set(file, text);
  }

  override remove(file: string): void {
    this.#statuses.delete(file);
    super.remove(file);
  }

  override status(file: string): FileStatus | undefined {
    if (!remembered.test(file)) {
      return super.status(file);
    }
    let known = this.#statuses.get(file);
    if (known === undefined && !this.#statuses.has(file)) {
      known = super.status(file);
      this.#statuses.set(file, known);
    }
    return known;
  }
}
