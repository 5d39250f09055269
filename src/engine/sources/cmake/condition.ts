import { always } from "./guards.ts";
import type { Guard } from "./guards.ts";
import type { Arg } from "./call.ts";
import type { Interpreter } from "./interpreter.ts";
import { targetsNamed } from "./properties.ts";
import { certainText, render, worlds } from "./value.ts";
import type { Piece, Value, World } from "./value.ts";
import { compareVersions, isFalse, isTrue, toRegExp } from "./words.ts";

/** What an `if` comes to: decided, or the code of an undecided condition. */
export type Truth = { readonly decided: boolean } | { readonly code: number };

const yes: Truth = { decided: true };
const no: Truth = { decided: false };

const comparisons: ReadonlyMap<string, (a: string, b: string) => boolean | undefined> = new Map([
  ["STREQUAL", (a: string, b: string) => a === b],
  ["STRLESS", (a: string, b: string) => a < b],
  ["STRGREATER", (a: string, b: string) => a > b],
  ["STRLESS_EQUAL", (a: string, b: string) => a <= b],
  ["STRGREATER_EQUAL", (a: string, b: string) => a >= b],
  ["PATH_EQUAL", (a: string, b: string) => a === b],
  ["EQUAL", numeric((a, b) => a === b)],
  ["LESS", numeric((a, b) => a < b)],
  ["GREATER", numeric((a, b) => a > b)],
  ["LESS_EQUAL", numeric((a, b) => a <= b)],
  ["GREATER_EQUAL", numeric((a, b) => a >= b)],
  ["VERSION_EQUAL", (a: string, b: string) => compareVersions(a, b) === 0],
  ["VERSION_LESS", (a: string, b: string) => compareVersions(a, b) < 0],
  ["VERSION_GREATER", (a: string, b: string) => compareVersions(a, b) > 0],
  ["VERSION_LESS_EQUAL", (a: string, b: string) => compareVersions(a, b) <= 0],
  ["VERSION_GREATER_EQUAL", (a: string, b: string) => compareVersions(a, b) >= 0],
  ["IN_LIST", (a: string, b: string) => b.split(";").includes(a)],
  ["MATCHES", (a: string, b: string) => toRegExp(b)?.test(a)],
]);

const unaries: ReadonlySet<string> = new Set(["EXISTS", "COMMAND", "POLICY", "TARGET", "TEST", "DEFINED", "IS_DIRECTORY", "IS_SYMLINK", "IS_ABSOLUTE", "IS_READABLE", "IS_WRITABLE", "IS_EXECUTABLE"]);

function numeric(compare: (a: number, b: number) => boolean): (a: string, b: string) => boolean | undefined {
  return (a, b) => {
    const [left, right] = [Number(a.trim()), Number(b.trim())];
    return a.trim() === "" || b.trim() === "" || Number.isNaN(left) || Number.isNaN(right) ? false : compare(left, right);
  };
}

/** Evaluates the arguments of `if`, `elseif` and `while` (cmake-commands(7), "Condition Syntax"). */
export function evaluateCondition(vm: Interpreter, args: readonly Arg[]): Truth {
  return new Evaluation(vm, args).run();
}

class Evaluation {
  readonly #vm: Interpreter;
  readonly #args: readonly Arg[];
  #at = 0;
  #depth = 0;

  constructor(vm: Interpreter, args: readonly Arg[]) {
    this.#vm = vm;
    this.#args = args;
  }

  run(): Truth {
    return this.#args.length === 0 ? no : this.#or();
  }

  #or(): Truth {
    let left = this.#and();
    while (this.#keyword() === "OR") {
      this.#at++;
      left = this.#not(this.#both(this.#not(left), this.#not(this.#and()), "OR"));
    }
    return left;
  }

  #and(): Truth {
    let left = this.#unary();
    while (this.#keyword() === "AND") {
      this.#at++;
      left = this.#both(left, this.#unary(), "AND");
    }
    return left;
  }

  #unary(): Truth {
    if (this.#keyword() === "NOT" && this.#at + 1 < this.#args.length) {
      let negations = 0;
      while (this.#keyword() === "NOT" && this.#at + 1 < this.#args.length) {
        this.#at++;
        negations++;
      }
      const term = this.#term();
      return negations % 2 === 1 ? this.#not(term) : term;
    }
    return this.#term();
  }

  #not(truth: Truth): Truth {
    return "code" in truth ? { code: truth.code ^ 1 } : truth.decided ? no : yes;
  }

  #both(a: Truth, b: Truth, joint: string): Truth {
    if ("decided" in a) return a.decided ? b : no;
    if ("decided" in b) return b.decided ? a : no;
    if (a.code === b.code) return a;
    if (a.code === (b.code ^ 1)) return no;
    const { conditions } = this.#vm.state;
    const [one, two] = [conditions.guard(a.code), conditions.guard(b.code)];
    const byDefault = conditions.isDefault(one) && conditions.isDefault(two) ? 0 : 1;
    const both = [...new Set([...one, ...two])];
    const here = () => this.#vm.here();
    if (joint === "AND") return this.#settle(conditions.code(`AND(${a.code},${b.code})`, conditions.text([a.code, b.code], "and"), here, byDefault, [both, always]));
    // For OR both operands come negated, and the negated condition is wanted.
    const code = conditions.code(`OR(${a.code},${b.code})`, conditions.text([a.code ^ 1, b.code ^ 1], "or"), here, byDefault === 0 ? 1 : 0, [always, both]) ^ 1;
    return this.#settle(code);
  }

  #term(): Truth {
    const arg = this.#args[this.#at];
    if (arg === undefined) return no;
    if (arg.argument.kind === "paren") {
      this.#at++;
      if (render(arg.pieces) !== "(" || ++this.#depth > 60) return no;
      const inner = this.#or();
      const close = this.#args[this.#at];
      if (close?.argument.kind === "paren") this.#at++;
      this.#depth--;
      return inner;
    }
    const keyword = this.#keyword();
    const next = this.#args[this.#at + 1];
    if (keyword !== undefined && unaries.has(keyword) && next !== undefined && next.argument.kind !== "paren" && !comparisons.has(this.#keyword(1) ?? "")) {
      this.#at += 2;
      return this.#test(keyword, next);
    }
    const operator = this.#keyword(1) ?? "";
    const right = this.#args[this.#at + 2];
    const compare = comparisons.get(operator);
    if (compare !== undefined && right !== undefined) {
      this.#at += 3;
      const rightValue = operator === "MATCHES" ? right.pieces : operator === "IN_LIST" ? this.#variable(right).pieces : this.#operand(right);
      return this.#compare(this.#operand(arg), operator, rightValue, compare);
    }
    if (compare !== undefined) this.#at++;
    this.#at++;
    return this.#truth(arg);
  }

  #keyword(offset = 0): string | undefined {
    const arg = this.#args[this.#at + offset];
    return arg === undefined || arg.argument.kind !== "unquoted" ? undefined : certainText(arg.pieces);
  }

  #operand(arg: Arg): readonly Piece[] {
    if (arg.argument.kind !== "unquoted") return arg.pieces;
    const name = certainText(arg.pieces);
    if (name === undefined || !/^[A-Za-z_][\w.+/-]*$/.test(name)) return arg.pieces;
    if (name === "TORCH_CXX_FLAGS") this.#vm.noteTorchFlags(arg.argument);
    const found = this.#vm.lookupSet(name);
    return found === undefined ? arg.pieces : found.pieces;
  }

  #variable(arg: Arg): Value {
    const name = certainText(arg.pieces);
    return name === undefined ? { pieces: arg.pieces, absent: [] } : this.#vm.lookup(name);
  }

  #test(keyword: string, arg: Arg): Truth {
    const name = certainText(arg.pieces);
    const vm = this.#vm;
    if (name === undefined) return this.#unknown(`${keyword} ${idOf(arg.pieces)}`, `${keyword} ${render(arg.pieces)}`);
    switch (keyword) {
      case "DEFINED": {
        const variable = /^(ENV|CACHE)\{(.*)\}$/.exec(name);
        if (variable?.[1] === "ENV") return this.#unknown(`DEFINED ENV{${variable[2] ?? ""}}`, `DEFINED ENV{${variable[2] ?? ""}}`, 1);
        vm.usage.defined.add(variable?.[2] ?? name);
        const found = vm.lookup(variable?.[2] ?? name);
        if (found.absent.length === 0) return yes;
        if (found.pieces.length === 0 && found.absent.length === 1 && found.absent[0]?.length === 0) return no;
        const [only] = found.absent;
        if (found.absent.length === 1 && only?.length === 1) return this.#settle((only[0] as number) ^ 1);
        return this.#unknown(`DEFINED ${name}`, `DEFINED ${name}`, 1);
      }
      case "TARGET":
        if (vm.targets.has(name) || vm.globalProperties.get(`ALIAS ${name}`) !== undefined) {
          const all = targetsNamed(vm, name);
          if (all.some((target) => target.guard.every((code) => vm.state.path.includes(code)))) return yes;
          return this.#unknown(`TARGET ${name}`, `TARGET ${name}`, 0);
        }
        return /::/.test(name) || vm.openWorld ? this.#unknown(`TARGET ${name}`, `TARGET ${name}`) : this.#unknown(`TARGET ${name}`, `TARGET ${name}`, 1);
      case "COMMAND":
        return vm.definitions.has(name.toLowerCase()) || vm.knowsCommand(name.toLowerCase()) ? yes : this.#unknown(`COMMAND ${name}`, `COMMAND ${name}`);
      case "POLICY":
        return yes;
      case "EXISTS":
      case "IS_DIRECTORY": {
        if (!name.startsWith(vm.rootDirectory)) return this.#unknown(`${keyword} ${name}`, `${keyword} ${name}`);
        const status = vm.files.status(name);
        return status !== undefined && (keyword === "EXISTS" || status.kind === "directory") ? yes : no;
      }
      case "IS_ABSOLUTE":
        return name.startsWith("/") ? yes : no;
      default:
        return this.#unknown(`${keyword} ${name}`, `${keyword} ${name}`);
    }
  }

  #truth(arg: Arg): Truth {
    const text = certainText(arg.pieces);
    if (text === undefined) return this.#worlds(arg.pieces, (string) => truthOf(string, arg.argument.kind === "quoted"), "", render(arg.pieces));
    if (isTrue(text)) return yes;
    if (isFalse(text)) return no;
    if (arg.argument.kind === "quoted") return no;
    const envReference = /^ENV\{/.test(text);
    if (envReference) return no;
    this.#vm.noteUse(text, arg.argument);
    const found = this.#vm.lookup(text);
    if (neverFalse(found.pieces)) return yes;
    return this.#worlds(decisive(found.pieces), (string) => (string === "" ? false : isFalse(string) ? false : true), "", text);
  }

  #compare(left: readonly Piece[], operator: string, right: readonly Piece[], compare: (a: string, b: string) => boolean | undefined): Truth {
    const a = certainText(left);
    const b = certainText(right);
    if (a !== undefined && b !== undefined && !left.some(open) && !right.some(open)) {
      const result = compare(a, b);
      if (operator === "MATCHES" && result === true) this.#vm.setMatches(toRegExp(b)?.exec(a) ?? null);
      if (result !== undefined) return result ? yes : no;
    }
    return this.#worlds([...left, marker, ...right], (string) => {
      const at = string.indexOf(marker.text);
      return compare(string.slice(0, at), string.slice(at + 1));
    }, operator, `${shown(left)} ${operator} ${shown(right)}`);
  }

  /** Decides in every world that the guards of the pieces allow. */
  #worlds(pieces: readonly Piece[], test: (text: string) => boolean | undefined, operator: string, text: string): Truth {
    const { state } = this.#vm;
    state.conditions.work += pieces.length;
    const all = worlds(state.conditions, pieces, [...state.path, ...state.assumed], 32);
    const id = `${operator} ${idOf(pieces)}`;
    if (all === undefined) return this.#unknown(id, text, undefined, undefined, pieces.find((piece) => piece.follows === "torch")?.follows);
    const trueIn: Guard[] = [];
    const falseIn: Guard[] = [];
    let undecided = false;
    let byDefault: 0 | 1 | undefined;
    for (const world of all) {
      const answered = this.#answered(operator, world);
      if (answered !== undefined) {
        (answered ? trueIn : falseIn).push(world.guard);
        continue;
      }
      const differs = operator === "STREQUAL" && beginsOtherwise(world.pieces);
      const isOpen = !differs && world.pieces.some(open);
      const result = differs ? false : world.pieces.some((piece) => piece.unknown && piece.unset === undefined) ? undefined : test(withoutUnset(world.pieces));
      if (result !== undefined && state.conditions.isDefault(world.guard) && (differs || defaultKnown(world.pieces))) byDefault = result ? 0 : 1;
      if (isOpen || result === undefined) undecided = true;
      else (result ? trueIn : falseIn).push(world.guard);
    }
    if (!undecided) {
      if (falseIn.length === 0) return yes;
      if (trueIn.length === 0) return no;
      const shared = trueIn[0]?.find((code) => trueIn.every((guard) => guard.includes(code)) && falseIn.every((guard) => guard.includes(code ^ 1)));
      if (shared !== undefined) return this.#settle(shared);
    }
    const implied: [Guard, Guard] = [always, always];
    if (!undecided && trueIn.length === 1) implied[0] = trueIn[0] ?? always;
    if (!undecided && falseIn.length === 1) implied[1] = falseIn[0] ?? always;
    return this.#unknown(id, text, byDefault, implied, pieces.find((piece) => piece.follows === "torch" || piece.follows === "tensorflow")?.follows);
  }

  /** The value is there only because of an earlier answer to this very question: `if(NOT X)`, `set(X ...)`, and later `if(X)`. */
  #answered(operator: string, world: World): boolean | undefined {
    if (world.guard.length === 0 || world.pieces.length > shortEnough || !world.pieces.some((piece) => piece.unset !== undefined)) return undefined;
    const code = this.#vm.state.conditions.find(`${operator} ${idOf(world.pieces.map((piece) => (piece.guard.length === 0 ? piece : { ...piece, guard: always })))}`.trim());
    if (code === undefined) return undefined;
    return world.guard.includes(code) ? true : world.guard.includes(code ^ 1) ? false : undefined;
  }

  #unknown(id: string, text: string, byDefault?: 0 | 1, implied?: [Guard, Guard], follows?: Piece["follows"]): Truth {
    return this.#settle(this.#vm.state.conditions.code(id.trim(), text, () => this.#vm.here(), byDefault, implied, follows));
  }

  #settle(code: number): Truth {
    const decided = this.#vm.state.decided(code);
    return decided === undefined ? { code } : decided === 0 ? yes : no;
  }
}

/** Between the two sides of a comparison. */
const marker: Piece = { text: "\u0000", origin: undefined, exact: false, unknown: false, guard: always, via: undefined };

/** The sides of a comparison for equality differ before anything open is reached: `-I${unknown}` is not OPTIONS. */
function beginsOtherwise(pieces: readonly Piece[]): boolean {
  const at = pieces.indexOf(marker);
  const [left, right] = [pieces.slice(0, at), pieces.slice(at + 1)].map((side) => {
    const end = side.findIndex((piece) => open(piece) || piece.soft);
    return { text: side.slice(0, end < 0 ? side.length : end).map((piece) => piece.text).join(""), whole: end < 0 };
  }) as [{ text: string; whole: boolean }, { text: string; whole: boolean }];
  const length = Math.min(left.text.length, right.text.length);
  if (left.text.slice(0, length) !== right.text.slice(0, length)) return true;
  return (left.whole && left.text.length < right.text.length) || (right.whole && right.text.length < left.text.length);
}

/** Whoever configures may give it another value. */
function open(piece: Piece): boolean {
  return piece.unknown || piece.overridable !== undefined;
}

/** Beyond this a value is a list whose elements need no looking at one by one. */
const shortEnough = 64;

/**
 * The part of a long list that says whether it is false: of what is there under the same decisions one text suffices
 * that is too long for any of the words that mean false.
 */
function decisive(pieces: readonly Piece[]): readonly Piece[] {
  if (pieces.length <= shortEnough || pieces.some((piece) => piece.text.endsWith("NOTFOUND"))) return pieces;
  const enough = new Set<Guard>();
  for (const piece of pieces) if (!open(piece) && piece.text.length > "NOTFOUND".length) enough.add(piece.guard);
  const seen = new Set<Guard>();
  return pieces.filter((piece) => {
    if (open(piece) || piece.follows !== undefined || !enough.has(piece.guard)) return true;
    return piece.text.length > "NOTFOUND".length && !seen.has(piece.guard) && seen.add(piece.guard);
  });
}

/** What is always there is too long for any of the words that mean false. */
function neverFalse(pieces: readonly Piece[]): boolean {
  if (pieces.length < 4) return false;
  let length = 0;
  for (const piece of pieces) if (piece.guard.length === 0 && !open(piece)) length += piece.text.length;
  return length > "NOTFOUND".length && !pieces.some((piece) => piece.text.endsWith("NOTFOUND"));
}

/** Variables that packages and modules set: unset for the reader does not mean unset in the build. */
function defaultKnown(pieces: readonly Piece[]): boolean {
  return pieces.every((piece) => piece.unset === undefined || !/(_FOUND|_VERSION|_VERSION_\w+|_DIR|_ROOT|_LIBRARIES|_LIBRARY|_INCLUDE_DIRS?|_EXECUTABLE|_COMPILER|_LOADED|_WORKS)$|^(CMAKE|HAVE)_/.test(piece.unset));
}

function withoutUnset(pieces: readonly Piece[]): string {
  return render(pieces.filter((piece) => piece.unset === undefined));
}

/** A value in the text of a condition: what may be chosen otherwise by its name. */
function shown(pieces: readonly Piece[]): string {
  return render(pieces.map((piece) => (piece.overridable === undefined || piece.overridable.includes(":") ? piece : { ...piece, text: piece.overridable }))) || '""';
}

/** The identity of a value in conditions: unknown parts by what they ask, so that equal questions get equal answers. */
function idOf(pieces: readonly Piece[]): string {
  const only = pieces[0];
  if (pieces.length === 1 && only !== undefined) return idOfPiece(only);
  return short(pieces.map((piece) => (piece.guard.length > 0 ? `${piece.guard.join("&")}:${idOfPiece(piece)}` : idOfPiece(piece))).join(""));
}

const longestId = 400;

/** Every fact under a condition carries its id: of a long one the beginning, its length and two sums over all of it. */
function short(id: string): string {
  if (id.length <= longestId) return id;
  let [a, b] = [0x811c9dc5, 0x9e3779b9];
  for (let at = 0; at < id.length; at++) {
    const code = id.charCodeAt(at);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b + code, 0x85ebca6b) ^ (b >>> 13);
  }
  return `${id.slice(0, 40)}~${id.length}~${(a >>> 0).toString(36)}${(b >>> 0).toString(36)}`;
}

function idOfPiece(piece: Piece): string {
  const name = piece.unset ?? piece.overridable;
  if (name !== undefined) return name;
  return piece.unknown && piece.origin !== undefined ? `${piece.text}@${piece.origin.file.path}:${piece.origin.start}` : piece.text;
}

function truthOf(text: string, quoted: boolean): boolean | undefined {
  if (isTrue(text)) return true;
  if (isFalse(text) || quoted) return false;
  return undefined;
}
