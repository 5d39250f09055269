/** What a person sees of running work: whatever children print, and sentences of ours between. */
export interface Screen {
  /** Text as a child printed it, terminal sequences kept. */
  output(text: string): void;
  /** A line of ours. */
  note(sentence: string): void;
  /** Hands over what is still held back. */
  end(): void;
}

/** In milliseconds: each message to the window costs more than its text. */
const interval = 40;

/** Characters that one interval shows at most, half from its begin and half from its end: a terminal that is flooded hangs the window. */
const mostAtOnce = 64 * 1024;

/** A screen over something that takes text with `\r\n`: a terminal or a test run. Text comes in batches, floods are cut. */
export class BatchedScreen implements Screen {
  readonly #write: (text: string) => void;
  #head = "";
  #tail = "";
  #leftOut = 0;
  #isLineStart = true;
  #timer: NodeJS.Timeout | undefined;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  output(text: string): void {
    if (text === "") {
      return;
    }
    this.#isLineStart = text.endsWith("\n");
    this.#add(text.replace(/\r?\n/g, "\r\n"));
  }

  note(sentence: string): void {
    this.#add(`${this.#isLineStart ? "" : "\r\n"}\u001B[2m* ${printable(sentence)}\u001B[0m\r\n`);
    this.#isLineStart = true;
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#flush();
  }

  #add(text: string): void {
    const room = mostAtOnce / 2 - this.#head.length;
    if (this.#tail === "" && text.length <= room) {
      this.#head += text;
    } else {
      const whole = this.#tail + text;
      this.#tail = whole.length > mostAtOnce ? whole.slice(-mostAtOnce / 2) : whole;
      this.#leftOut += whole.length - this.#tail.length;
    }
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#flush();
    }, interval);
  }

  #flush(): void {
    const gap = this.#leftOut === 0 ? "" : `\u001B[0m\r\n\u001B[2m* ${this.#leftOut} characters came too fast to be shown; the log has them.\u001B[0m\r\n`;
    const text = this.#head + gap + this.#tail;
    this.#head = "";
    this.#tail = "";
    this.#leftOut = 0;
    if (text !== "") {
      this.#write(text);
    }
  }
}

/** File names come from the workspace; a sentence of ours must not steer the terminal. */
function printable(sentence: string): string {
  return sentence.replace(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g, "\uFFFD").replace(/\r?\n/g, "\r\n  ");
}
