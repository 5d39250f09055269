/** Lines that are told one by one; of more only how many. */
const told = 20;

/** What is wrong with a file of records, line by line, in as few sentences as say it. */
export class Problems {
  readonly #file: string;
  readonly #wrong: { readonly line: number; readonly problem: string }[] = [];
  #moreWrong = 0;
  readonly #markers = new Lines();
  readonly #newer = new Lines();
  readonly #future = new Lines();
  #newest = 0;
  #latest = "";

  constructor(file: string) {
    this.#file = file;
  }

  wrong(line: number, problem: string): undefined {
    if (this.#wrong.length < told) this.#wrong.push({ line, problem });
    else this.#moreWrong += 1;
  }

  marker(line: number): undefined {
    this.#markers.add(line);
  }

  newer(line: number, schema: number): undefined {
    this.#newer.add(line);
    this.#newest = Math.max(this.#newest, schema);
  }

  future(line: number, when: string): undefined {
    this.#future.add(line);
    if (when > this.#latest) this.#latest = when;
  }

  /** Lines that hold something, and no record of a known schema: garbage, not what a newer Abiding wrote. */
  get unreadable(): number {
    return this.#wrong.length + this.#moreWrong;
  }

  sentences(): readonly string[] {
    const found = this.#wrong.map(({ line, problem }) => `Line ${line} of ${this.#file} is left out: ${problem}.`);
    if (this.#moreWrong > 0) found.push(`${this.#moreWrong} more ${this.#moreWrong === 1 ? "line" : "lines"} of ${this.#file} ${this.#moreWrong === 1 ? "is" : "are"} left out.`);
    if (this.#markers.count > 0) {
      found.push(`${this.#markers.named(this.#file)} ${this.#markers.count === 1 ? "is a mark" : "are marks"} of a merge conflict: delete ${this.#markers.count === 1 ? "it" : "them"} and keep the lines of both sides, all of which were read. The line "combinations.jsonl merge=union" in .gitattributes has git do so.`);
    }
    if (this.#newer.count > 0) {
      found.push(`${this.#newer.named(this.#file)} ${this.#newer.count === 1 ? "was" : "were"} written by a newer Abiding (schema ${this.#newest}) and ${this.#newer.count === 1 ? "is" : "are"} not shown; a newer version shows ${this.#newer.count === 1 ? "it" : "them"}.`);
    }
    if (this.#future.count > 0) {
      found.push(`${this.#future.named(this.#file)} ${this.#future.count === 1 ? "is" : "are"} from the future (${this.#latest}): a clock was wrong. ${this.#future.count === 1 ? "It counts" : "They count"} as old as the ${this.#future.count === 1 ? "record" : "records"} before ${this.#future.count === 1 ? "it" : "them"}.`);
    }
    return found;
  }
}

/** Numbers of lines, of which the first few are named. */
class Lines {
  count = 0;
  readonly #first: number[] = [];

  add(line: number): void {
    this.count += 1;
    if (this.#first.length < 8) this.#first.push(line);
  }

  named(file: string): string {
    const more = this.count - this.#first.length;
    const numbers = more > 0 ? `${this.#first.join(", ")} and ${more} more` : this.#first.length === 1 ? String(this.#first[0]) : `${this.#first.slice(0, -1).join(", ")} and ${this.#first.at(-1)}`;
    return `${this.count === 1 ? "Line" : "Lines"} ${numbers} of ${file}`;
  }
}
