/**
 * Whether there is a page to tell something. VS Code tells of it in two ways that need not come in order: by whether the panel
 * is visible (a page that is hidden is thrown away), and by the page, which says that it is ready.
 */
export class Presence {
  #isVisible: boolean;
  #isReady = false;

  constructor(isVisible: boolean) {
    this.#isVisible = isVisible;
  }

  get isThere(): boolean {
    return this.#isVisible || this.#isReady;
  }

  /** A page that speaks is there, whatever VS Code has said of it last. */
  ready(): void {
    this.#isReady = true;
  }

  /** Whether the page has to be asked if it is the one from before, which has missed something; a new one says "ready" by itself. */
  seen(isVisible: boolean): boolean {
    const appears = isVisible && !this.#isVisible;
    this.#isVisible = isVisible;
    this.#isReady &&= isVisible;
    return appears && !this.#isReady;
  }
}
