/** Deeper nesting is counted but no longer remembered; the deepest known real header has fewer than 20 levels. */
const maximumDepth = 64;

interface Frame {
  readonly conditions: string[];
  text: string;
  /** The macro of `#ifndef X`, as long as the frame may still turn out to be an include guard. */
  candidate: string | undefined;
}

/** The `#if` conditions around the current place. */
export class GuardStack {
  readonly #frames: Frame[] = [];
  readonly #includeGuards = new Set<string>();
  #beyond = 0;
  #current: readonly string[] = [];

  /** Shared between records until the next conditional directive. */
  get current(): readonly string[] {
    return this.#current;
  }

  /** The guards without the file's own include guard, which says nothing about when the code is compiled. */
  visible(guards: readonly string[]): readonly string[] {
    const first = guards[0];
    return first !== undefined && this.#includeGuards.has(first) ? guards.slice(1) : guards;
  }

  directive(name: string, condition: () => string): void {
    switch (name) {
      case "if":
        this.#open(condition(), undefined);
        break;
      case "ifdef":
        this.#open(`defined(${condition()})`, undefined);
        break;
      case "ifndef": {
        const macro = condition();
        this.#open(`!defined(${macro})`, macro);
        break;
      }
      case "elif":
        this.#next(condition());
        break;
      case "elifdef":
        this.#next(`defined(${condition()})`);
        break;
      case "elifndef":
        this.#next(`!defined(${condition()})`);
        break;
      case "else":
        this.#next(undefined);
        break;
      case "endif":
        if (this.#beyond > 0) this.#beyond--;
        else this.#frames.pop();
        this.#refresh();
        break;
      default:
    }
  }

  /** Tells the stack of a `#define`, by which an include guard is recognised. */
  defined(name: string, value: string): void {
    const outermost = this.#frames[0];
    if (this.#frames.length !== 1 || outermost === undefined || value !== "") return;
    if (outermost.candidate === name) this.#includeGuards.add(outermost.text);
    outermost.candidate = undefined;
  }

  #open(text: string, macro: string | undefined): void {
    if (this.#frames.length >= maximumDepth) {
      this.#beyond++;
      return;
    }
    const candidate = macro ?? /^! ?defined ?\(? ?(\w+) ?\)?$/.exec(text)?.[1];
    this.#frames.push({ conditions: [text], text, candidate });
    this.#refresh();
  }

  #next(condition: string | undefined): void {
    const frame = this.#frames.at(-1);
    if (this.#beyond > 0 || frame === undefined) return;
    const earlier = frame.conditions.slice(0, maximumDepth).map((one) => `!(${one})`);
    frame.text = [...earlier, ...(condition === undefined ? [] : [condition])].join(" && ");
    if (condition !== undefined && frame.conditions.length < maximumDepth) frame.conditions.push(condition);
    frame.candidate = undefined;
    this.#refresh();
  }

  #refresh(): void {
    this.#current = this.#frames.map((frame) => frame.text);
  }
}

/** True for code that no compiler sees: under `#if 0` or `#if false`, or in the `#else` of `#if 1`. */
export function isDead(guards: readonly string[]): boolean {
  return guards.some((guard) => /^\(?(?:0|false)\)?$|^!\((?:1|true)\)(?: |$)| && \(?0\)?$/.test(guard));
}

/**
 * True when a condition around the code asks for the version of torch, for the presence of a header or macro,
 * or by its name for an older interface: the author already keeps several releases apart.
 */
export function isVersionGuarded(guards: readonly string[]): boolean {
  return guards.some((guard) => /(?:TORCH|PT|AT|ATEN|CAFFE2)_?\w*VERSION|TORCH_(?:MAJOR|MINOR|GE|LE|LT|GT)|TORCH_?\d|__has_include|(?:\b|_)(?:OLD|LEGACY|COMPAT)/i.test(guard));
}
