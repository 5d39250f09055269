import type { EvaluationContext, Files, Gap, Location, Observation } from "../../model/index.ts";
import { builtinVariable } from "./builtins.ts";
import type { CMakeFileCache } from "./cache.ts";
import { evaluateCondition } from "./condition.ts";
import { always, Conditions } from "./guards.ts";
import { parseCMake } from "./parser.ts";
import { splitList } from "./split.ts";
import { neverSet, State } from "./state.ts";
import type { Branch, Exit, Table } from "./state.ts";
import type { Argument, Command, DefinitionNode, IfNode, LoopNode, Node, SourceFile } from "./syntax.ts";
import type { Directory, Target } from "./target.ts";
import { templateOf } from "./template.ts";
import type { Template } from "./syntax.ts";
import { certainText, joinList, known, render, unknownPiece, unsetValue, value, withVia, worlds } from "./value.ts";
import type { Frame, Origin, Piece, Value } from "./value.ts";
import { allowed, limits } from "./call.ts";
import type { Arg, Handler } from "./call.ts";
import { runBlock, runForeach } from "./loops.ts";
import { Notes } from "./notes.ts";
import { UsageLog } from "./usage.ts";

interface Definition {
  readonly node: DefinitionNode;
  readonly file: SourceFile;
}

/** Runs CMake commands over values with unknown parts. The commands themselves are in `commands/`. */
export class Interpreter {
  readonly files: Files;
  readonly context: EvaluationContext;
  readonly cacheOfFiles: CMakeFileCache;
  readonly rootDirectory: string;
  readonly handlers: ReadonlyMap<string, Handler>;
  readonly conditions = new Conditions();
  readonly state = new State(this.conditions);
  readonly cacheTable: Table = this.state.table("cache");
  readonly globalProperties: Table = this.state.table("properties");
  readonly definitions = new Map<string, Definition>();
  readonly targets = new Map<string, Target[]>();
  readonly allTargets: Target[] = [];
  readonly directories: Directory[] = [];
  readonly observations: Observation[] = [];
  readonly gaps: Gap[] = [];
  readonly filesRead = new Set<string>();
  readonly usage = new UsageLog();
  readonly notes = new Notes();
  /** Languages of project() and enable_language(). */
  readonly languages = new Set<string>();
  /** Something was included or found whose text is not here: variables, targets and commands may come from it. */
  openWorld = false;
  scope: Table = this.state.table("variables");
  frame: Frame | undefined = undefined;
  file: SourceFile = parseCMake("", "");
  directory!: Directory;
  #macro: ReadonlyMap<string, Value> | undefined;
  #command: Command | undefined;
  #steps = 0;
  /** What the files read so far allow. */
  #most = { characters: 0, commands: 0, work: 0 };
  #depth = 0;
  #calls = new Map<string, number>();
  /** Functions whose recursion did not end by itself. */
  readonly #runaway = new Set<string>();
  readonly #gapsSeen = new Set<string>();
  readonly #active: string[] = [];
  /** Files whose include_guard() has been passed. */
  readonly guarded = new Set<string>();

  constructor(files: Files, context: EvaluationContext, cache: CMakeFileCache, root: string, handlers: ReadonlyMap<string, Handler>) {
    this.files = files;
    this.context = context;
    this.cacheOfFiles = cache;
    this.rootDirectory = root;
    this.handlers = handlers;
    for (const [name, given] of context.cacheVariables ?? []) this.cacheTable.values.set(name, known(given));
  }

  // Places

  get command(): Command {
    return this.#command as Command;
  }

  here(): Location {
    const command = this.#command;
    return command === undefined ? this.file.location(0, 0) : this.file.location(command.start, command.end);
  }

  /** The running command as an origin. */
  origin(): Origin {
    const command = this.#command;
    return { file: this.file, start: command?.start ?? 0, end: command?.end ?? 0 };
  }

  gap(message: string, kind: Gap["kind"] = "evaluation", path = this.file.path === "" ? this.rootDirectory : this.file.path): void {
    const key = `${message}|${path}|${kind === "evaluation" ? (this.#command?.start ?? 0) : 0}`;
    if (this.#gapsSeen.has(key)) return;
    this.#gapsSeen.add(key);
    if (this.gaps.length < 2000) this.gaps.push({ message, path, kind, ...(kind === "evaluation" && this.file.path !== "" ? { location: this.here() } : {}) });
  }

  // Variables

  lookupSet(name: string): Value | undefined {
    const found = this.scope.get(name);
    if (found !== undefined && !(found.pieces.length === 0 && found.absent.length > 0)) return found;
    return this.cacheTable.get(name) ?? builtinVariable(this, name) ?? (found === undefined ? undefined : unsetValue);
  }

  lookup(name: string): Value {
    return this.lookupSet(name) ?? neverSet(this.scope, name);
  }

  set(name: string, to: Value, scope: Table = this.scope): void {
    this.usage.set(name);
    this.state.write(scope, name, to);
  }

  /** Sets a variable to what was written, and notes on each piece how it got here. */
  assign(name: string, pieces: readonly Piece[], scope: Table = this.scope): void {
    this.set(name, value(withVia(pieces, `variable ${name} set`, this.origin(), this.frame)), scope);
  }

  assignText(name: string, text: string): void {
    this.set(name, known(text, this.origin()));
  }

  noteUse(name: string, argument?: Argument): void {
    this.usage.use(name, this.file, this.command, argument?.start, argument?.end);
  }

  noteTorchFlags({ start, end }: { readonly start: number; readonly end: number }): void {
    if (this.notes.torchFlagUses.length < 500) this.notes.torchFlagUses.push({ command: this.command, file: this.file, start, end, path: this.state.path, frame: this.frame });
  }

  setMatches(match: RegExpExecArray | null): void {
    for (let index = 0; index < 10; index++) this.state.write(this.scope, `CMAKE_MATCH_${index}`, known(match?.[index] ?? ""));
  }

  /** Files that are being read, innermost last. */
  isActive(path: string): number {
    return this.#active.filter((one) => one === path).length;
  }

  knowsCommand(name: string): boolean {
    return this.handlers.has(name);
  }

  /** Nothing has set it so far, but the project does elsewhere: a list before its first element, not something from outside. */
  countsAsEmpty(piece: Piece): boolean {
    return piece.unset !== undefined && piece.follows === undefined && this.usage.sets.has(piece.unset) && !piece.unset.startsWith("CMAKE_");
  }

  // Arguments

  evaluate(argument: Argument): readonly Piece[] {
    const template = templateOf(this.file, argument);
    const [only] = template;
    if (template.length === 1 && only !== undefined) return this.#segment(only);
    const out: Piece[] = [];
    for (const segment of template) for (const piece of this.#segment(segment)) out.push(piece);
    // Each command that passes a long value on goes through it a few times.
    if (out.length > longValue) this.conditions.work += out.length >> 3;
    return out;
  }

  #segment(segment: Template[number]): readonly Piece[] {
    if (segment.kind === "text") return (segment.piece ??= [literalPiece(this.file, segment)]) as readonly Piece[];
    const name = segment.plainName ?? this.#name(segment.name);
    if (name === undefined) return [unknownPiece(this.file.text.slice(segment.start, segment.end), { file: this.file, start: segment.start, end: segment.end })];
    if (segment.kind === "environment") {
      const set = this.globalProperties.get(`ENV{${name}}`);
      if (set !== undefined) return set.pieces;
      return [{ ...unknownPiece(`$ENV{${name}}`), follows: "environment", unset: `ENV{${name}}` }];
    }
    const bound = this.#macro?.get(name);
    if (bound !== undefined) return bound.pieces;
    this.usage.use(name, this.file, this.command, segment.start, segment.end);
    if (name === "TORCH_CXX_FLAGS") this.noteTorchFlags(segment);
    if (segment.kind === "cache") return (this.cacheTable.get(name) ?? neverSet(this.cacheTable, name)).pieces;
    return this.lookup(name).pieces;
  }

  #name(template: Template): string | undefined {
    const pieces = template.flatMap((segment) => this.#segment(segment));
    const text = certainText(pieces);
    if (text !== undefined) return text;
    const all = worlds(this.conditions, pieces, [...this.state.path, ...this.state.assumed], 1);
    return all?.length === 1 && all[0] !== undefined ? certainText(all[0].pieces) : undefined;
  }

  expand(command: Command): Arg[] {
    const out: Arg[] = [];
    for (const argument of command.args) {
      const pieces = this.evaluate(argument);
      if (argument.kind !== "unquoted") out.push({ pieces, argument });
      else if (pieces.length === 1 && !(pieces[0] as Piece).text.includes(";")) {
        if (!(pieces[0] as Piece).soft) out.push({ pieces, argument });
      } else for (const element of splitList(pieces)) out.push({ pieces: element, argument });
    }
    return out;
  }

  // Running

  runFile(file: SourceFile): Exit {
    if (this.#depth >= limits.depth) {
      this.gap(`${file.path} was not read: files include each other more than ${limits.depth} levels deep.`);
      return "normal";
    }
    const { file: outerFile } = this;
    const command = this.#command;
    const macro = this.#macro;
    this.filesRead.add(file.path);
    this.#allow(file);
    this.file = file;
    this.#macro = undefined;
    this.#active.push(file.path);
    const exit = this.state.region(["return"], () => this.run(file.nodes));
    this.#active.pop();
    this.file = outerFile.path === "" ? file : outerFile;
    this.#command = command;
    this.#macro = macro;
    return exit;
  }

  #allow(file: SourceFile): void {
    if (this.notes.sources.has(file)) return;
    this.notes.sources.add(file);
    const characters = this.#most.characters + file.text.length;
    this.#most = { characters, commands: allowed(limits.commands, characters), work: allowed(limits.work, characters) };
  }

  /** Runs `body` as part of a call or an inclusion, noted in the way of every fact from inside. */
  inFrame(what: string, body: () => Exit): Exit {
    const outer = this.frame;
    if ((outer?.depth ?? 0) >= limits.calls) {
      this.gap(`Evaluation was cut off at ${what}: calls and inclusions are nested more than ${limits.calls} levels deep.`);
      return "normal";
    }
    this.frame = { what, origin: this.origin(), parent: outer, depth: (outer?.depth ?? 0) + 1 };
    const exit = body();
    this.frame = outer;
    return exit;
  }

  run(nodes: readonly Node[]): Exit {
    if (++this.#depth > limits.depth) {
      this.#depth--;
      this.gap(`Blocks or calls nested more than ${limits.depth} levels deep were not evaluated.`);
      return "normal";
    }
    let exit: Exit = "normal";
    for (const node of nodes) {
      exit = this.#node(node);
      if (exit !== "normal") break;
    }
    this.#depth--;
    return exit;
  }

  #node(node: Node): Exit {
    this.#command = node.command;
    if (++this.#steps > this.#most.commands || this.conditions.work > this.#most.work) {
      this.gap("Evaluation stopped here: the project takes more steps to evaluate than are allowed.");
      return "stop";
    }
    switch (node.kind) {
      case "command":
        return this.#call(node.command);
      case "if":
        return this.#if(node, 0);
      case "foreach":
        return runForeach(this, node);
      case "while":
        return this.#while(node);
      case "block":
        return runBlock(this, node);
      default: {
        const name = certainText(this.expand(node.command)[0]?.pieces ?? []);
        if (name !== undefined) this.definitions.set(name.toLowerCase(), { node, file: this.file });
        return "normal";
      }
    }
  }

  #if(node: IfNode, index: number): Exit {
    const branch = node.branches[index];
    if (branch === undefined) return "normal";
    if (branch.head.name === "else") return this.run(branch.body);
    this.#command = branch.head;
    const truth = evaluateCondition(this, this.expand(branch.head));
    if ("decided" in truth) return truth.decided ? this.run(branch.body) : this.#if(node, index + 1);
    return this.state.fork([
      { guard: this.conditions.guard(truth.code), run: () => this.run(branch.body) },
      { guard: this.conditions.guard(truth.code ^ 1), run: () => this.#if(node, index + 1) },
    ]);
  }

  #while(node: LoopNode): Exit {
    return this.state.region(["break"], () => {
      for (let round = 0; round < limits.iterations; round++) {
        // Bodies that are nested too deep run nothing that would count.
        if (++this.#steps > this.#most.commands) return "stop";
        this.#command = node.command;
        const truth = evaluateCondition(this, this.expand(node.command));
        if ("decided" in truth && !truth.decided) return "normal";
        const iteration = () => this.state.region(["continue"], () => this.run(node.body));
        // An undecided loop is run once: a second round would know no more than the first.
        if ("code" in truth) return this.state.fork([{ guard: this.conditions.guard(truth.code), run: iteration }, { guard: this.conditions.guard(truth.code ^ 1), run: () => "normal" }]);
        const exit = iteration();
        if (exit !== "normal") return exit;
      }
      this.gap(`A while loop was left after ${limits.iterations} iterations.`);
      return "normal";
    });
  }

  #call(command: Command): Exit {
    const definition = this.definitions.get(command.name);
    if (definition !== undefined) return this.#callDefinition(command.name, definition, this.expand(command));
    const handler = this.handlers.get(command.name);
    if (handler === undefined) {
      this.openWorld ||= this.usage.unknownCommand(command.name);
      return "normal";
    }
    return handler(this, { command, file: this.file, args: this.expand(command) }) ?? "normal";
  }

  /** Calls a function or macro of the project by name. */
  callByName(name: string, args: readonly Arg[]): Exit {
    const definition = this.definitions.get(name.toLowerCase());
    if (definition !== undefined) return this.#callDefinition(name.toLowerCase(), definition, args);
    const handler = this.handlers.get(name.toLowerCase());
    return handler?.(this, { command: this.command, file: this.file, args }) ?? "normal";
  }

  #callDefinition(name: string, { node, file }: Definition, args: readonly Arg[]): Exit {
    const parameters = node.command.args.slice(1).map((arg) => file.source(arg));
    const { file: caller, scope } = this;
    const command = this.#command;
    const bindings = new Map<string, Value>();
    parameters.forEach((parameter, index) => bindings.set(parameter, value(args[index]?.pieces ?? [])));
    bindings.set("ARGC", known(String(args.length)));
    bindings.set("ARGV", value(joinList(args.map((arg) => arg.pieces))));
    bindings.set("ARGN", value(joinList(args.slice(parameters.length).map((arg) => arg.pieces))));
    args.forEach((arg, index) => bindings.set(`ARGV${index}`, value(arg.pieces)));
    const recursions = (this.#calls.get(name) ?? 0) + 1;
    if (recursions > 1 && this.#runaway.has(name)) return "normal";
    if (recursions > 20) {
      this.#runaway.add(name);
      this.gap(`${node.kind} ${name} calls itself more than 20 levels deep; the rest was not evaluated.`);
      return "normal";
    }
    this.#calls.set(name, recursions);
    this.notes.called.add(node);
    const macro = this.#macro;
    const exit = this.inFrame(`${node.kind} ${name} called`, () => {
      this.file = file;
      if (node.kind === "macro") {
        this.#macro = bindings;
        return this.run(node.body);
      }
      this.#macro = undefined;
      this.scope = this.state.table("local", scope);
      for (const [key, bound] of bindings) this.scope.values.set(key, bound);
      return this.state.region(["return"], () => this.run(node.body));
    });
    this.#calls.set(name, recursions - 1);
    this.file = caller;
    this.scope = scope;
    this.#macro = macro;
    this.#command = command;
    return exit;
  }

  /** Runs `body` once for every text that the pieces can have here. */
  inWorlds(pieces: readonly Piece[], body: (text: string, isKnown: boolean) => Exit | undefined | void): Exit {
    const text = certainText(pieces);
    if (text !== undefined) return body(text, true) ?? "normal";
    const all = worlds(this.conditions, pieces, [...this.state.path, ...this.state.assumed], 8);
    if (all === undefined) return body(render(pieces), false) ?? "normal";
    const branches: Branch[] = all.map((world) => ({ guard: world.guard, run: () => body(render(world.pieces), !world.pieces.some((piece) => piece.unknown)) ?? "normal" }));
    return branches.length === 1 && all[0]?.guard.length === 0 ? (branches[0] as Branch).run() : this.state.fork(branches);
  }
}

const longValue = 64;

function literalPiece(file: SourceFile, segment: Extract<Template[number], { kind: "text" }>): Piece {
  return { text: segment.text, origin: { file, start: segment.start, end: segment.end }, exact: segment.exact, unknown: false, guard: always, via: undefined };
}

