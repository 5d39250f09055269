import type { Argument, Command, Comment, SyntaxProblem } from "./syntax.ts";

const TAB = 9, NEWLINE = 10, RETURN = 13, SPACE = 32, QUOTE = 34, HASH = 35, DOLLAR = 36, OPEN = 40, CLOSE = 41, BRACKET = 91, BACKSLASH = 92;

/** Unclosed commands that are mended by ending them before the next line that looks like a command. */
const maximumRecoveries = 50;

export interface LexedFile {
  readonly commands: readonly Command[];
  readonly comments: readonly Comment[];
  readonly problems: readonly SyntaxProblem[];
}

const identifier = /[A-Za-z_][A-Za-z0-9_]*/y;
const spaceThenOpen = /[ \t]*\(/y;
const plainUnquoted = /[^\s()#"\\$]+/y;
const bracketOpen = /\[(=*)\[/y;
/** The quoted part of an unquoted argument, `-DNAME="a b"`, stays on its line (cmake-language(7), "unquoted_legacy"). */
const legacyQuoted = /"(?:[^"\\\r\n]|\\.)*"/y;
const makeReference = /\$\([A-Za-z0-9_./-]*\)/y;
const commandAtLineStart = /\n[ \t]*[A-Za-z_][A-Za-z0-9_]*[ \t]*\(/g;

/**
 * Splits CMake text into commands with their arguments, following the grammar of cmake-language(7).
 * Never throws: what is not CMake is skipped and noted.
 */
export function lex(text: string): LexedFile {
  return new Lexer(text).run();
}

class Lexer {
  readonly #text: string;
  #at: number;
  readonly #commands: Command[] = [];
  readonly #comments: Comment[] = [];
  readonly #problems: SyntaxProblem[] = [];
  #recoveries = 0;

  constructor(text: string) {
    this.#text = text;
    this.#at = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  }

  run(): LexedFile {
    const text = this.#text;
    while (this.#at < text.length) {
      const code = text.charCodeAt(this.#at);
      if (isSpace(code)) this.#at++;
      else if (code === HASH) this.#comment();
      else if (!this.#command()) this.#skipLine();
    }
    return { commands: this.#commands, comments: this.#comments, problems: this.#problems };
  }

  #command(): boolean {
    const start = this.#at;
    const nameEnd = this.#match(identifier, start);
    if (nameEnd === undefined) return false;
    const open = this.#match(spaceThenOpen, nameEnd);
    if (open === undefined) return false;
    this.#at = open;
    const name = this.#text.slice(start, nameEnd).toLowerCase();
    const commentCount = this.#comments.length;
    const args: Argument[] = [];
    if (this.#argumentsOf(args, this.#text.length)) {
      this.#commands.push({ name, start, nameEnd, end: this.#at, args });
      return true;
    }
    // The parenthesis or quote never closes: end the command where the next one seems to begin,
    // so that an unfinished line in an editor does not swallow the rest of the file.
    this.#problems.push({ message: `The command ${name} is not closed.`, start, end: nameEnd });
    const end = this.#recoveries++ < maximumRecoveries ? this.#nextCommandLine(open) : this.#text.length;
    if (end < this.#text.length) {
      args.length = 0;
      this.#comments.length = commentCount;
      this.#at = open;
      this.#argumentsOf(args, end);
    }
    this.#at = end;
    this.#commands.push({ name, start, nameEnd, end, args });
    return true;
  }

  #nextCommandLine(from: number): number {
    commandAtLineStart.lastIndex = from;
    return commandAtLineStart.exec(this.#text)?.index ?? this.#text.length;
  }

  /** Reads arguments after the opening parenthesis; false when `limit` comes before the closing one. */
  #argumentsOf(args: Argument[], limit: number): boolean {
    const text = this.#text;
    let depth = 0;
    while (this.#at < limit) {
      const at = this.#at;
      const code = text.charCodeAt(at);
      if (isSpace(code)) this.#at++;
      else if (code === HASH) this.#comment();
      else if (code === OPEN || code === CLOSE) {
        this.#at++;
        if (code === CLOSE && depth-- === 0) return true;
        if (code === OPEN) depth++;
        args.push({ kind: "paren", start: at, end: at + 1, valueStart: at, valueEnd: at + 1 });
      } else if (code === QUOTE) {
        const end = this.#quotedEnd(at + 1, limit);
        const closed = end < limit;
        this.#at = closed ? end + 1 : limit;
        args.push({ kind: "quoted", start: at, end: this.#at, valueStart: at + 1, valueEnd: end });
        if (!closed) return false;
      } else {
        if (code === BRACKET) {
          const bracket = this.#bracket(at, limit);
          if (bracket !== undefined) {
            args.push({ kind: "bracket", start: at, ...bracket });
            this.#at = bracket.end;
            continue;
          }
        }
        this.#unquoted(args, limit);
      }
    }
    this.#at = limit;
    return false;
  }

  #quotedEnd(from: number, limit: number): number {
    const text = this.#text;
    let at = from;
    while (at < limit) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) return at;
      at += code === BACKSLASH ? 2 : 1;
    }
    return limit;
  }

  #bracket(at: number, limit: number): { valueStart: number; valueEnd: number; end: number } | undefined {
    bracketOpen.lastIndex = at;
    const open = bracketOpen.exec(this.#text);
    if (open === null) return undefined;
    let valueStart = at + open[0].length;
    const close = `]${open[1] ?? ""}]`;
    const found = this.#text.indexOf(close, valueStart);
    if (this.#text.charCodeAt(valueStart) === RETURN) valueStart++;
    if (this.#text.charCodeAt(valueStart) === NEWLINE) valueStart++;
    if (found === -1 || found >= limit) {
      this.#problems.push({ message: `The bracket argument has no closing ${close}.`, start: at, end: at + open[0].length });
      return { valueStart: Math.min(valueStart, limit), valueEnd: limit, end: limit };
    }
    return { valueStart: Math.min(valueStart, found), valueEnd: found, end: found + close.length };
  }

  #unquoted(args: Argument[], limit: number): void {
    const text = this.#text;
    const start = this.#at;
    let at = start;
    while (at < limit) {
      const plain = this.#match(plainUnquoted, at);
      if (plain !== undefined) {
        at = plain;
        continue;
      }
      const code = text.charCodeAt(at);
      if (code === BACKSLASH) at += 2;
      else if (code === DOLLAR) at = this.#match(makeReference, at) ?? at + 1;
      else if (code === QUOTE && at > start) {
        const end = this.#match(legacyQuoted, at);
        if (end === undefined) break;
        at = end;
      } else break;
    }
    at = Math.min(Math.max(at, start + 1), limit);
    this.#at = at;
    args.push({ kind: "unquoted", start, end: at, valueStart: start, valueEnd: at });
  }

  #comment(): void {
    const start = this.#at;
    const text = this.#text;
    if (text.charCodeAt(start + 1) === BRACKET) {
      bracketOpen.lastIndex = start + 1;
      const open = bracketOpen.exec(text);
      if (open !== null) {
        const close = `]${open[1] ?? ""}]`;
        const found = text.indexOf(close, bracketOpen.lastIndex);
        this.#at = found === -1 ? text.length : found + close.length;
        if (found === -1) this.#problems.push({ message: `The bracket comment has no closing ${close}.`, start, end: start + open[0].length + 1 });
        this.#comments.push({ start, end: this.#at });
        return;
      }
    }
    const newline = text.indexOf("\n", start);
    this.#at = newline === -1 ? text.length : newline;
    const end = text.charCodeAt(this.#at - 1) === RETURN ? this.#at - 1 : this.#at;
    this.#comments.push({ start, end });
  }

  #skipLine(): void {
    const start = this.#at;
    const newline = this.#text.indexOf("\n", start);
    this.#at = newline === -1 ? this.#text.length : newline + 1;
    if (this.#problems.length < 100) this.#problems.push({ message: "This line is not a CMake command.", start, end: newline === -1 ? this.#text.length : newline });
  }

  #match(pattern: RegExp, at: number): number | undefined {
    pattern.lastIndex = at;
    return pattern.test(this.#text) ? pattern.lastIndex : undefined;
  }
}

function isSpace(code: number): boolean {
  return code === SPACE || code === NEWLINE || code === TAB || code === RETURN || code === 12 || code === 0xfeff;
}
