import type { CompileArgument, Language } from "../../model/index.ts";
import { evidenceOf, sourceEvidence } from "./evidence.ts";
import { evaluateGenex } from "./genex.ts";
import { always, conjunction, excludes } from "./guards.ts";
import type { Guard } from "./guards.ts";
import type { Interpreter } from "./interpreter.ts";
import { splitFlags, splitList } from "./split.ts";
import { dependsOnTarget } from "./shared.ts";
import type { SharedParts } from "./shared.ts";
import type { Target } from "./target.ts";
import { render, worlds, worldsWithText } from "./value.ts";
import type { Piece, Value, World } from "./value.ts";

/** An argument with the values that it comes from. */
export interface Entry {
  readonly text: string;
  readonly pieces: readonly Piece[];
  readonly guard: Guard;
  readonly origin: CompileArgument["origin"];
  readonly languages: readonly Language[];
  readonly configurations?: readonly string[];
  readonly inheritedFrom?: string;
  /** What makes two definitions the same, once it was asked for. */
  identity?: string;
}

const allConfigurations = ["Debug", "Release", "RelWithDebInfo", "MinSizeRel"];
/** Options whose value is the next argument; joined, so that one entry is one setting. */
const takesNext: ReadonlyMap<string, string> = new Map([["-Xcompiler", "="], ["--compiler-options", "="], ["-Xcudafe", "="], ["-Xptxas", "="], ["-std", "="], ["--std", "="], ["-gencode", "="], ["--generate-code", "="], ["-arch", "="], ["-ccbin", "="], ["-D", ""], ["-U", ""]]);

/** The command line of a target, being put together. */
export class ArgumentList {
  readonly languages: readonly Language[];
  readonly #vm: Interpreter;
  readonly #target: Target;
  readonly #shared: SharedParts;
  readonly #entries: (Entry | ArgumentList)[] = [];

  constructor(vm: Interpreter, target: Target, languages: readonly Language[], shared: SharedParts) {
    this.#vm = vm;
    this.#target = target;
    this.#shared = shared;
    this.languages = languages;
  }

  /** A stretch of the command line that is filled and sorted by itself. */
  section(): ArgumentList {
    const section = new ArgumentList(this.#vm, this.#target, this.languages, this.#shared);
    this.#entries.push(section);
    return section;
  }

  add(entry: Entry): void {
    if (!excludes(entry.guard, this.#target.guard)) this.#entries.push(entry);
  }

  /** Definitions reach the compiler sorted and once. */
  sort(): void {
    const seen = new Set<string>();
    const sorted = this.#own().sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0)).filter((entry) => {
      const key = (entry.identity ??= `${entry.text}|${entry.guard.join()}|${entry.languages.join()}|${entry.configurations?.join() ?? ""}`);
      return !seen.has(key) && seen.add(key);
    });
    this.#entries.splice(0, this.#entries.length, ...sorted);
  }

  #own(): Entry[] {
    return this.#entries.flatMap((entry) => (entry instanceof ArgumentList ? entry.#own() : [entry]));
  }

  /** A flags variable: words split as a shell does. */
  flags(value: Value | undefined, languages: readonly Language[], configuration?: string, origin: CompileArgument["origin"] = "flags-variable"): void {
    if (value === undefined) return;
    const limit = configuration === undefined ? {} : { configurations: [configuration] };
    this.#remembered(value.pieces, `${origin} ${languages.join()} ${configuration ?? ""}`, () => this.#tokens(splitFlags(value.pieces), (world) => this.#push(world.pieces, world.guard, { origin, languages, ...limit })));
  }

  /** A list property: elements, each perhaps a generator expression. */
  list(value: Value | undefined, origin: "definition" | "option", inheritedFrom?: string, under: Guard = always): void {
    if (value === undefined) return;
    const from = inheritedFrom === undefined ? {} : { inheritedFrom };
    this.#remembered(value.pieces, `${origin} ${this.languages.join()} ${inheritedFrom ?? ""} ${under.join()}`, () => this.#tokens(splitList(value.pieces), (world) => {
      const guard = conjunction(under, world.guard);
      if (guard === undefined) return;
      if (!world.pieces.some((piece) => piece.text.includes("$<"))) return this.#push(world.pieces, guard, { origin, languages: this.languages, ...from });
      this.#genex(world.pieces, guard, origin, from);
    }));
  }

  /** What `fill` adds for these pieces; taken from an earlier target where that got the same. */
  #remembered(pieces: readonly Piece[], key: string, fill: () => void): void {
    if (pieces.length === 0) return;
    const known = this.#shared.entries(pieces);
    const whole = `${key} ${this.#target.guard.join()}`;
    const before = known.get(whole);
    if (before !== undefined) {
      for (const entry of before) this.#entries.push(entry);
      return;
    }
    const from = this.#entries.length;
    fill();
    if (!dependsOnTarget(pieces)) known.set(whole, this.#entries.slice(from).filter((entry): entry is Entry => !(entry instanceof ArgumentList)));
  }

  #tokens(tokens: readonly Piece[][], each: (world: World) => void): void {
    for (let index = 0; index < tokens.length; index++) {
      let token = tokens[index] as Piece[];
      const joint = takesNext.get(render(token));
      const next = tokens[index + 1];
      if (joint !== undefined && next !== undefined && token[0]?.guard.length === next[0]?.guard.length) {
        token = [...token.slice(0, -1), { ...(token.at(-1) as Piece), text: (token.at(-1) as Piece).text + joint, exact: false }, ...next];
        index++;
      }
      const all = worldsWithText(this.#vm.conditions, token, this.#target.guard, 16);
      if (all === undefined) each({ guard: always, pieces: token.map((piece) => ({ ...piece, unknown: true })) });
      else for (const world of all) each(world);
    }
  }

  #genex(pieces: readonly Piece[], guard: Guard, origin: "definition" | "option", from: { inheritedFrom?: string }): void {
    const found = new Map<string, { pieces: readonly Piece[]; guard: Guard; where: Map<Language, Set<string>> }>();
    const configurations = pieces.some((piece) => piece.text.includes("CONFIG")) ? allConfigurations : [""];
    for (const language of this.languages) {
      for (const configuration of configurations) {
        for (const result of evaluateGenex(pieces, { vm: this.#vm, target: this.#target, language, configuration, linking: false })) {
          const both = conjunction(guard, result.guard);
          if (both === undefined) continue;
          const tokens = splitList(result.pieces).flatMap((one) => worlds(this.#vm.conditions, one, both, 8) ?? []);
          for (const world of tokens) {
            const under = conjunction(both, world.guard);
            const text = render(world.pieces);
            if (under === undefined || text === "") continue;
            const key = `${text}|${under.join()}`;
            let entry = found.get(key);
            if (entry === undefined) found.set(key, (entry = { pieces: world.pieces, guard: under, where: new Map() }));
            entry.where.set(language, (entry.where.get(language) ?? new Set()).add(configuration));
          }
        }
      }
    }
    for (const one of found.values()) {
      // Languages that get it in the same configurations share an entry.
      const groups = new Map<string, Language[]>();
      for (const [language, where] of one.where) {
        const key = where.size === configurations.length ? "" : [...where].join();
        groups.set(key, [...(groups.get(key) ?? []), language]);
      }
      for (const [key, languages] of groups) this.#push(one.pieces, one.guard, { origin, languages, ...from, ...(key === "" ? {} : { configurations: key.split(",") }) });
    }
  }

  #push(pieces: readonly Piece[], guard: Guard, rest: Pick<Entry, "origin" | "languages" | "configurations" | "inheritedFrom">): void {
    const kept = pieces.every((piece) => piece.unset !== undefined && piece.follows === undefined) ? [] : pieces;
    let text = render(kept).trim();
    if (text === "") return;
    if (rest.origin === "definition") text = `-D${text.replace(/^[-/]D\s*/, "")}`;
    if (text.startsWith("SHELL:")) {
      const shell = kept.map((piece, index) => (index === 0 ? { ...piece, text: piece.text.replace(/^SHELL:/, ""), ...(piece.origin !== undefined ? { origin: { ...piece.origin, start: piece.origin.start + 6 } } : {}) } : piece));
      this.#tokens(splitFlags(shell), (world) => {
        const both = conjunction(guard, world.guard);
        if (both !== undefined) this.#push(world.pieces, both, rest);
      });
      return;
    }
    const builtin = kept.some((piece) => piece.builtin);
    this.add({ text: unquoted(text), pieces: kept, guard, ...rest, ...(builtin ? { origin: "builder-default" as const } : {}) });
  }

  finish(): readonly CompileArgument[] {
    return this.#own().map((entry) => {
      const before = this.#shared.arguments.get(entry);
      if (before !== undefined) return before;
      const evidence = evidenceOf(entry.pieces);
      const unknown = entry.pieces.some((piece) => piece.unknown);
      const follows = entry.pieces.find((piece) => piece.follows !== undefined)?.follows ?? this.#vm.conditions.follows(entry.guard);
      const argument: CompileArgument = {
        text: entry.text,
        known: !unknown,
        ...(follows === undefined ? {} : { follows }),
        languages: entry.languages,
        origin: entry.origin,
        ...(entry.configurations === undefined ? {} : { configurations: entry.configurations }),
        ...(entry.inheritedFrom === undefined ? {} : { inheritedFrom: entry.inheritedFrom }),
        conditions: this.#vm.conditions.list(entry.guard),
        evidence: evidence ?? sourceEvidence(this.#vm, this.#target.origin),
      };
      // Without a place of its own it is noted at the target, which differs.
      if (evidence !== undefined) this.#shared.arguments.set(entry, argument);
      return argument;
    });
  }
}

/** A word as the compiler sees it: quotes around it are the shell's. */
function unquoted(text: string): string {
  return /^(["']).*\1$/s.test(text) ? text.slice(1, -1) : text;
}
