import { always, conjunction } from "./guards.ts";
import type { Guard } from "./guards.ts";
import type { Interpreter } from "./interpreter.ts";
import { slice } from "./split.ts";
import type { Target } from "./target.ts";
import { knownPiece, render, unknownPiece } from "./value.ts";
import type { Piece } from "./value.ts";
import { compareVersions, isFalse } from "./words.ts";

/** For whom a generator expression is evaluated. */
export interface GenexContext {
  readonly vm: Interpreter;
  readonly target: Target | undefined;
  readonly language: string;
  readonly configuration: string;
  /** What target_link_libraries asks for LINK_ONLY: the linker gets it, the compiler does not. */
  readonly linking: boolean;
}

/** A result, with the decisions under which it is the result. */
export interface Alternative {
  readonly guard: Guard;
  readonly pieces: readonly Piece[];
}

type GenexNode = { readonly start: number; readonly end: number } | { readonly head: readonly GenexNode[]; readonly parameters: readonly (readonly GenexNode[])[]; readonly start: number; readonly end: number };

const maximumDepth = 40;
const maximumAlternatives = 16;

/** Evaluates the generator expressions in a value (cmake-generator-expressions(7)). Parts of the text keep their places. */
export function evaluateGenex(pieces: readonly Piece[], context: GenexContext): readonly Alternative[] {
  return new Genex(pieces, context).run();
}

class Genex {
  readonly #pieces: readonly Piece[];
  readonly #text: string;
  readonly #context: GenexContext;
  #at = 0;

  constructor(pieces: readonly Piece[], context: GenexContext) {
    this.#pieces = pieces;
    this.#text = pieces.map((piece) => piece.text).join("");
    this.#context = context;
  }

  run(): readonly Alternative[] {
    return this.#evaluate(this.#parse("", 0));
  }

  #parse(stops: string, depth: number): GenexNode[] {
    const nodes: GenexNode[] = [];
    const text = this.#text;
    let start = this.#at;
    const flush = () => {
      if (this.#at > start) nodes.push({ start, end: this.#at });
    };
    while (this.#at < text.length) {
      const char = text[this.#at] as string;
      if (char === "$" && text[this.#at + 1] === "<" && depth < maximumDepth) {
        flush();
        nodes.push(this.#expression(depth));
        start = this.#at;
      } else if (stops.includes(char) && stops !== "") break;
      else this.#at++;
    }
    flush();
    return nodes;
  }

  #expression(depth: number): GenexNode {
    const start = this.#at;
    this.#at += 2;
    const head = this.#parse(":>", depth + 1);
    const parameters: GenexNode[][] = [];
    if (this.#text[this.#at] === ":") {
      this.#at++;
      parameters.push(this.#parse(",>", depth + 1));
      while (this.#text[this.#at] === ",") {
        this.#at++;
        parameters.push(this.#parse(",>", depth + 1));
      }
    }
    if (this.#text[this.#at] === ">") this.#at++;
    return { head, parameters, start, end: this.#at };
  }

  #evaluate(nodes: readonly GenexNode[]): Alternative[] {
    let out: Alternative[] = [{ guard: always, pieces: [] }];
    for (const node of nodes) {
      const results = "head" in node ? this.#apply(node) : [{ guard: always, pieces: this.#slice(node.start, node.end) }];
      const [only] = results;
      if (results.length === 1 && only?.guard.length === 0) {
        out = out.map((one) => ({ guard: one.guard, pieces: [...one.pieces, ...only.pieces] }));
        continue;
      }
      const next: Alternative[] = [];
      for (const one of out) {
        for (const result of results) {
          const guard = conjunction(one.guard, result.guard);
          if (guard !== undefined && next.length < maximumAlternatives) next.push({ guard, pieces: [...one.pieces, ...result.pieces] });
        }
      }
      out = next;
    }
    return out;
  }

  #slice(start: number, end: number): Piece[] {
    const out: Piece[] = [];
    let offset = 0;
    for (const piece of this.#pieces) {
      const from = Math.max(start - offset, 0);
      const to = Math.min(end - offset, piece.text.length);
      if (from < to) out.push(piece.unknown ? piece : slice(piece, from, to));
      offset += piece.text.length;
      if (offset >= end) break;
    }
    return out;
  }

  #apply(node: Extract<GenexNode, { head: unknown }>): Alternative[] {
    const out: Alternative[] = [];
    for (const head of this.#evaluate(node.head)) {
      for (const result of this.#named(render(head.pieces), head.pieces.some((piece) => piece.unknown), node)) {
        const guard = conjunction(head.guard, result.guard);
        if (guard !== undefined) out.push({ guard, pieces: result.pieces });
      }
    }
    return out;
  }

  #named(name: string, isUnknown: boolean, node: Extract<GenexNode, { head: unknown }>): Alternative[] {
    const { vm, language, configuration, linking, target } = this.#context;
    const content = () => this.#content(node);
    if (isUnknown) return this.#undecided(`$<${name}>`, name).flatMap(({ guard, pieces }) => (render(pieces) === "1" ? content().map((one) => ({ guard: conjunction(guard, one.guard) ?? guard, pieces: one.pieces })) : [{ guard, pieces: [] }]));
    switch (name) {
      case "0":
        return [empty];
      case "1":
      case "BUILD_INTERFACE":
      case "BUILD_LOCAL_INTERFACE":
      case "SHELL_PATH":
      case "GENEX_EVAL":
      case "REMOVE_DUPLICATES":
      case "DEVICE_LINK":
        return name === "DEVICE_LINK" ? [empty] : content();
      case "HOST_LINK":
      case "INSTALL_INTERFACE":
      case "INSTALL_PREFIX":
      case "TARGET_OBJECTS":
        return [empty];
      case "LINK_ONLY":
        return linking ? content() : [empty];
      case "COMMA":
        return [just(",")];
      case "SEMICOLON":
        return [just(";")];
      case "ANGLE-R":
        return [just(">")];
      case "CONFIG":
        return node.parameters.length === 0 ? [just(configuration)] : this.#with(node, (args) => args.some((one) => one.toLowerCase() === configuration.toLowerCase()));
      case "COMPILE_LANGUAGE":
        return node.parameters.length === 0 ? [just(language)] : this.#with(node, (args) => args.includes(language));
      case "LINK_LANGUAGE":
        return this.#undecided("LINK_LANGUAGE", this.#text.slice(node.start, node.end));
      case "COMPILE_LANG_AND_ID":
        return this.#split(node, (args) => (args[0] === language ? this.#compiler(language, args.slice(1)) : [bool(false)]));
      case "CXX_COMPILER_ID":
      case "C_COMPILER_ID":
      case "CUDA_COMPILER_ID":
      case "HIP_COMPILER_ID":
        return this.#split(node, (args) => this.#compiler(name.slice(0, name.indexOf("_")), args));
      case "PLATFORM_ID": {
        const platform = { linux: "Linux", macos: "Darwin", windows: "Windows" }[vm.context.platform ?? "linux"];
        return vm.context.platform === undefined ? this.#split(node, (args) => this.#undecided(`PLATFORM_ID ${args.join(",")}`, `the platform is ${args.join(" or ")}`)) : this.#with(node, (args) => args.includes(platform));
      }
      case "BOOL":
        return this.#split(node, (args, isKnown, pieces) => (isKnown && pieces.every((piece) => piece.overridable === undefined) ? [bool(!isFalse(args.join(",")))] : this.#undecidedValue(pieces)));
      case "NOT":
        return this.#split(node, (args, isKnown) => (isKnown ? [bool(args[0] !== "1")] : this.#undecided(`NOT ${args.join()}`, `not ${args.join()}`)));
      case "AND":
        return this.#with(node, (args) => args.every((one) => one === "1"));
      case "OR":
        return this.#with(node, (args) => args.some((one) => one === "1"));
      case "IF":
        return this.#evaluate(node.parameters[0] ?? []).flatMap((test) => this.#evaluate(node.parameters[render(test.pieces) === "1" ? 1 : 2] ?? []).flatMap((one) => {
          const guard = conjunction(test.guard, one.guard);
          return guard === undefined ? [] : [{ guard, pieces: one.pieces }];
        }));
      case "STREQUAL":
        return this.#with(node, (args) => (args[0] ?? "") === (args[1] ?? ""));
      case "EQUAL":
        return this.#with(node, (args) => Number(args[0]) === Number(args[1]));
      case "IN_LIST":
        return this.#with(node, (args) => (args[1] ?? "").split(";").includes(args[0] ?? ""));
      case "VERSION_LESS":
        return this.#with(node, (args) => compareVersions(args[0] ?? "", args[1] ?? "") < 0);
      case "VERSION_GREATER":
        return this.#with(node, (args) => compareVersions(args[0] ?? "", args[1] ?? "") > 0);
      case "VERSION_EQUAL":
        return this.#with(node, (args) => compareVersions(args[0] ?? "", args[1] ?? "") === 0);
      case "VERSION_LESS_EQUAL":
        return this.#with(node, (args) => compareVersions(args[0] ?? "", args[1] ?? "") <= 0);
      case "VERSION_GREATER_EQUAL":
        return this.#with(node, (args) => compareVersions(args[0] ?? "", args[1] ?? "") >= 0);
      case "LOWER_CASE":
        return this.#split(node, (args) => [just(args.join(",").toLowerCase())]);
      case "UPPER_CASE":
        return this.#split(node, (args) => [just(args.join(",").toUpperCase())]);
      case "JOIN":
        return this.#split(node, (args) => [just((args[0] ?? "").split(";").join(args[1] ?? ""))]);
      case "TARGET_EXISTS":
        return this.#split(node, (args) => (vm.targets.has(args[0] ?? "") ? [bool(true)] : this.#undecided(`TARGET ${args[0] ?? ""}`, `TARGET ${args[0] ?? ""}`)));
      case "TARGET_NAME_IF_EXISTS":
        return content();
      case "TARGET_PROPERTY":
        return this.#split(node, (args) => {
          const of = args.length > 1 ? vm.targets.get(args[0] ?? "")?.[0] : target;
          const found = of?.properties.get(args.at(-1) ?? "");
          if (found === undefined) return of === undefined || of.isImported ? [{ guard: always, pieces: [unknownPiece(this.#text.slice(node.start, node.end))] }] : [empty];
          return [{ guard: always, pieces: found.pieces }];
        });
      default:
        return [{ guard: always, pieces: [unknownPiece(this.#text.slice(node.start, node.end), this.#slice(node.start, node.end)[0]?.origin)] }];
    }
  }

  /** Everything after the colon; commas in it are text. */
  #content(node: Extract<GenexNode, { head: unknown }>): Alternative[] {
    const nodes: GenexNode[] = [];
    node.parameters.forEach((parameter, index) => {
      const at = parameter[0]?.start ?? 0;
      if (index > 0 && at > 0) nodes.push({ start: at - 1, end: at });
      nodes.push(...parameter);
    });
    return this.#evaluate(nodes);
  }

  /** Calls `answer` for each way in which the parameters can be decided. */
  #split(node: Extract<GenexNode, { head: unknown }>, answer: (args: string[], isKnown: boolean, pieces: readonly Piece[]) => Alternative[]): Alternative[] {
    let combinations: { guard: Guard; args: Piece[][] }[] = [{ guard: always, args: [] }];
    for (const parameter of node.parameters) {
      const alternatives = this.#evaluate(parameter);
      combinations = combinations.flatMap((one) => alternatives.flatMap((alternative) => {
        const guard = conjunction(one.guard, alternative.guard);
        return guard === undefined ? [] : [{ guard, args: [...one.args, [...alternative.pieces]] }];
      })).slice(0, maximumAlternatives);
    }
    return combinations.flatMap(({ guard, args }) => {
      const pieces = args.flat();
      return answer(args.map(render), !pieces.some((piece) => piece.unknown), pieces).flatMap((one) => {
        const both = conjunction(guard, one.guard);
        return both === undefined ? [] : [{ guard: both, pieces: one.pieces }];
      });
    });
  }

  #with(node: Extract<GenexNode, { head: unknown }>, test: (args: string[]) => boolean): Alternative[] {
    return this.#split(node, (args, isKnown) => (isKnown ? [bool(test(args))] : this.#undecided(this.#text.slice(node.start, node.end), this.#text.slice(node.start, node.end))));
  }

  #compiler(language: string, ids: readonly string[]): Alternative[] {
    const usual = this.#context.vm.lookupSet(`CMAKE_${language}_COMPILER_ID`)?.pieces.map((piece) => piece.text).join("");
    return this.#undecided(`${language} compiler ${[...ids].sort().join()}`, `the ${language} compiler is ${ids.join(" or ")}`, usual === undefined ? undefined : ids.includes(usual) ? 0 : 1);
  }

  #undecidedValue(pieces: readonly Piece[]): Alternative[] {
    const text = render(pieces);
    const name = pieces.length === 1 ? (pieces[0]?.overridable ?? pieces[0]?.unset) : undefined;
    const byDefault = pieces.some((piece) => piece.unknown && piece.unset === undefined) ? undefined : isFalse(render(pieces.filter((piece) => !piece.unknown))) ? 1 : 0;
    return this.#undecided(name ?? text, name ?? text, byDefault);
  }

  #undecided(id: string, text: string, byDefault?: 0 | 1): Alternative[] {
    const { vm } = this.#context;
    const origin = this.#pieces.find((piece) => piece.origin !== undefined)?.origin;
    const code = vm.conditions.code(id, text, () => (origin === undefined ? vm.file.location(0, 0) : origin.file.location(origin.start, origin.end)), byDefault);
    return [{ guard: vm.conditions.guard(code), pieces: [knownPiece("1")] }, { guard: vm.conditions.guard(code ^ 1), pieces: [knownPiece("0")] }];
  }
}

const empty: Alternative = { guard: always, pieces: [] };

function just(text: string): Alternative {
  return { guard: always, pieces: [knownPiece(text)] };
}

function bool(truth: boolean): Alternative {
  return just(truth ? "1" : "0");
}

