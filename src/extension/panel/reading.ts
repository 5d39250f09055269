/**
 * Something that is read anew when it may have changed: one reading at a time, another one when it changed meanwhile, and
 * none while nobody looks at it.
 */
export class Reading<T> {
  readonly #read: (signal: AbortSignal) => Promise<T>;
  readonly #show: (value: T, before: T | undefined) => void;
  readonly #fail: (error: unknown) => void;
  readonly #stop = new AbortController();
  #value: T | undefined;
  #isStale = true;
  #isWatched = false;
  #running: Promise<void> | undefined;

  constructor(read: (signal: AbortSignal) => Promise<T>, show: (value: T, before: T | undefined) => void, fail: (error: unknown) => void) {
    this.#read = read;
    this.#show = show;
    this.#fail = fail;
  }

  /** As it was read last. */
  get value(): T | undefined {
    return this.#value;
  }

  /** Whether somebody looks. */
  watch(isWatched: boolean): void {
    this.#isWatched = isWatched;
    this.#go();
  }

  /** It may be another one now. */
  changed(): void {
    this.#isStale = true;
    this.#go();
  }

  dispose(): void {
    this.#stop.abort();
  }

  #go(): void {
    if (this.#isWatched && this.#isStale && this.#running === undefined && !this.#stop.signal.aborted) {
      this.#running = this.#once().finally(() => {
        this.#running = undefined;
        this.#go();
      });
    }
  }

  async #once(): Promise<void> {
    this.#isStale = false;
    const { signal } = this.#stop;
    try {
      const before = this.#value;
      const value = await this.#read(signal);
      if (!signal.aborted) {
        this.#value = value;
        this.#show(value, before);
      }
    } catch (error) {
      if (!signal.aborted) {
        this.#fail(error);
      }
    }
  }
}
