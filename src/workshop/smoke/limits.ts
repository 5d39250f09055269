/** Milliseconds that a test may take when neither it nor the user sets a limit: the first import of a big library from a slow disk has to fit in. */
export const defaultTimeLimit = 300_000;
/** Characters of a test's output that a result keeps, half from its begin and half from its end. */
export const keptOutput = 128 * 1024;
/** Characters of one test's output that are passed on while it runs. */
const liveOutput = 1024 * 1024;

/** Text of any length, of which both ends are kept. */
export class BothEnds {
  readonly #limit: number;
  #start = "";
  #end: string[] = [];
  #endLength = 0;
  #leftOut = 0;

  constructor(limit = keptOutput) {
    this.#limit = limit / 2;
  }

  add(text: string): void {
    const room = this.#limit - this.#start.length;
    const first = room > 0 ? text.slice(0, room) : "";
    this.#start += first;
    const rest = first.length === text.length ? "" : text.slice(first.length);
    if (rest === "") return;
    this.#end.push(rest);
    this.#endLength += rest.length;
    if (this.#endLength > this.#limit * 2) this.#shorten();
  }

  get text(): string {
    this.#shorten();
    const end = this.#end.join("");
    return this.#leftOut === 0 ? this.#start + end : `${this.#start}\n[... ${String(this.#leftOut)} characters are left out here ...]\n${end}`;
  }

  #shorten(): void {
    if (this.#endLength <= this.#limit) return;
    const joined = this.#end.join("");
    const kept = joined.slice(-this.#limit);
    this.#leftOut += joined.length - kept.length;
    this.#end = [kept];
    this.#endLength = kept.length;
  }
}

/** Passes a test's output on as it comes, up to a length: an editor holds what it is sent. */
export function liveText(pass: (text: string) => void): (text: string) => void {
  let left = liveOutput;
  return (text) => {
    if (left <= 0) return;
    pass(text.length <= left ? text : `${text.slice(0, left)}\n[what it prints further is not shown while it runs]\n`);
    left -= text.length;
  };
}
