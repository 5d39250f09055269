import type { EvaluationContext, Files } from "../../../model/index.ts";
import { canHoldTogether } from "../../../model/index.ts";
import type { Place, SourceFile } from "../source-file.ts";
import { locationOf, textOf } from "../source-file.ts";
import type { Call, Comprehension, Expression, FormattedString, FunctionDefinition, Lambda, Subscript } from "../syntax.ts";
import { attributeOf } from "./attributes.ts";
import { constructorOf, invoke } from "./calls.ts";
import { callExternal } from "./library.ts";
import { callMethod } from "./methods.ts";
import { binary, compare, negate, subscript } from "./operators.ts";
import { Scope, beyond, choose, join } from "./scope.ts";
import { truthOf } from "./truth.ts";
import type { Alternative, Branching, ChoiceValue, ClassValue, Conditions, DictValue, Element, Followed, FunctionValue, ListValue, ModuleValue, ObjectValue, Step, TextValue, Value } from "./values.ts";
import { always, boolean, followed, none, number, render, text, unknown, usually } from "./values.ts";

/** Arguments of a call, in order and by keyword. */
export interface Arguments {
  readonly positional: Value[];
  /** `place` is that of the name alone, `whole` that of the name and the value. */
  readonly keywords: Map<string, { readonly value: Value; readonly place: Place; readonly whole?: Place }>;
  /** `*x` or `**x` of something unknown: more may have been given. */
  open: boolean;
}

/** A call of something outside the project, kept for those who look for extensions, `setup` and commands. */
export interface ExternalCall {
  readonly name: string;
  readonly arguments: Arguments;
  readonly place: Place;
  readonly conditions: Conditions;
  readonly result: Value;
}

/** Where imported modules come from. */
export interface Modules {
  load(interpreter: Interpreter, name: string, level: number): ModuleValue | undefined;
  /** A module in the folder of a package. */
  submodule(interpreter: Interpreter, parent: ModuleValue, name: string): ModuleValue | undefined;
  /** Executes another file in the scope that is current. */
  execute(interpreter: Interpreter, path: string): boolean;
}

/** Limits that keep hostile and generated files from costing more than they tell. */
const limits = { steps: 200_000, depth: 120, calls: 24, elements: 4_000, alternatives: 12, recorded: 4_000 };

/**
 * Evaluates Python without running it: knows literals, containers, functions, classes and a small part of
 * the library; everything else is an unknown value with a name. Tests that cannot be decided are followed both ways.
 */
export class Interpreter {
  readonly files: Files;
  readonly context: EvaluationContext;
  /** The folder that commands and relative paths start from. */
  readonly directory: string;
  /** The file that is read; modules that it imports come and go in `file`. */
  readonly main: SourceFile;
  stack: Conditions = always;
  scope: Scope;
  file: SourceFile;
  readonly externalCalls: ExternalCall[] = [];
  readonly functions: FunctionValue[] = [];
  readonly classes: ClassValue[] = [];
  readonly objects: ObjectValue[] = [];
  readonly called = new Set<FunctionDefinition | Lambda>();
  readonly callStack: FunctionValue[] = [];
  /** Folders that the script adds to sys.path. */
  readonly searchPaths: string[] = [];
  /** Lists that were given a name, for those that are recognised by it. */
  readonly namedLists = new Map<string, Set<ListValue>>();
  /** Values written to environment variables. */
  readonly environment: { readonly name: string; readonly value: Value; readonly place: Place; readonly conditions: Conditions }[] = [];
  /** How the keywords of an extension's constructor were written. */
  readonly keywordPlaces = new Map<ObjectValue, Arguments["keywords"]>();
  /** Inside a branch whose test asks torch for its ABI: literals there follow torch. */
  followsTorch = 0;
  readonly modules: Modules;
  #steps = 0;
  #limit = limits.steps;
  #depth = 0;

  constructor(file: SourceFile, directory: string, files: Files, context: EvaluationContext, modules: Modules) {
    this.file = file;
    this.main = file;
    this.directory = directory;
    this.files = files;
    this.context = context;
    this.modules = modules;
    this.scope = new Scope(undefined, always);
  }

  get exhausted(): boolean {
    return this.#steps > this.#limit;
  }

  /** Counts a unit of work; false when there is no more to spend. */
  step(): boolean {
    return ++this.#steps <= this.#limit;
  }

  /** Runs something that may spend only so many steps. */
  within(steps: number, run: () => void): void {
    const before = this.#limit;
    this.#limit = Math.min(before, this.#steps + steps);
    try {
      run();
    } finally {
      this.#limit = before;
    }
  }

  place(node: { readonly start: number; readonly end: number }): Place {
    return { file: this.file, start: node.start, end: node.end };
  }

  /** Conditions in force that are worth reporting. */
  get conditions(): Conditions {
    return this.stack.some((one) => one.assumed === true) ? this.stack.filter((one) => one.assumed !== true) : this.stack;
  }

  under<T>(conditions: Conditions, run: () => T): T {
    if (conditions.length === 0) return run();
    const before = this.stack;
    this.stack = join(before, conditions);
    try {
      return run();
    } finally {
      this.stack = before;
    }
  }

  holds(conditions: Conditions): boolean {
    return canHoldTogether(conditions, this.stack);
  }

  /** Applies `transform` to every value that a choice may come to. */
  lift(value: Value, transform: (value: Value) => Value): Value {
    if (value.kind !== "choice") return transform(value);
    const alternatives: Alternative[] = [];
    for (const one of value.alternatives) {
      if (alternatives.length >= limits.alternatives || !this.holds(one.conditions)) continue;
      const result = this.under(one.conditions, () => transform(one.value));
      if (result.kind !== "choice") alternatives.push({ value: result, conditions: one.conditions });
      else for (const inner of result.alternatives.slice(0, limits.alternatives)) alternatives.push({ value: inner.value, conditions: join(one.conditions, inner.conditions) });
    }
    // Without an alternative that can be met here, the place itself cannot be reached.
    return choose(alternatives, this.stack) ?? { kind: "choice", alternatives: [] };
  }

  /** Splits on a test: conditions for the way where it holds and for the one where it does not; undefined: impossible. */
  split(test: Value, place: Place): { readonly yes: Conditions | undefined; readonly no: Conditions | undefined } {
    if (test.kind === "choice") {
      const possible = test.alternatives.filter((one) => this.holds(one.conditions));
      const truths = possible.map((one) => truthOf(one.value));
      const [yes, no] = [true, false].map((wanted) => possible.filter((_, index) => truths[index] === wanted));
      if (yes?.length === possible.length) return { yes: always, no: undefined };
      if (no?.length === possible.length) return { yes: undefined, no: always };
      const decided = !truths.includes(undefined);
      if (decided && yes?.length === 1 && no?.length === 1) return { yes: yes[0]?.conditions ?? always, no: no[0]?.conditions ?? always };
      const opaque = this.#opaque(textOf(place), place);
      if (!decided) return opaque;
      return {
        yes: join(yes?.length === 1 ? (yes[0]?.conditions ?? always) : always, opaque.yes),
        no: join(no?.length === 1 ? (no[0]?.conditions ?? always) : always, opaque.no),
      };
    }
    const truth = truthOf(test);
    if (truth !== undefined) return truth ? { yes: always, no: undefined } : { yes: undefined, no: always };
    const usual = usually(test);
    return this.#opaque(render(test), place, usual === undefined ? undefined : truthOf(usual));
  }

  #opaque(rendered: string, place: Place, usual?: boolean): { yes: Conditions; no: Conditions } {
    let name = rendered;
    let flipped = false;
    while (name.startsWith("not ")) {
      name = name.slice(4);
      flipped = !flipped;
    }
    // A long chain of calls reads better under the name that the script gave it.
    const shown = name.length > 60 && !flipped ? textOf(place) : name;
    const given = this.stack.find((one) => one.id === name);
    const condition = (branch: 0 | 1, holds: boolean): Branching => {
      if (given !== undefined && given.branch === branch) return given;
      const plain = { text: shown, id: name, branch, location: locationOf(place) };
      return usual === undefined ? plain : { ...plain, byDefault: usual === holds };
    };
    return { yes: [condition(flipped ? 1 : 0, true)], no: [condition(flipped ? 0 : 1, false)] };
  }

  newList(makes: ListValue["makes"], elements: Element[], place: Place, steps: readonly Step[] = []): ListValue {
    return { kind: "list", makes, elements: elements.slice(0, limits.elements), base: this.stack, place, steps: [...steps] };
  }

  newDict(place: Place): DictValue {
    return { kind: "dict", entries: [], keys: new Set(), open: false, base: this.stack, place, steps: [] };
  }

  /** Adds to a list as the program would here. */
  append(list: ListValue, value: Value, more: Conditions = always): void {
    if (list.elements.length >= limits.elements) return;
    list.elements.push({ value, conditions: beyond(join(this.conditions, more), list.base) });
  }

  /** Elements that can be there, with what they depend on. */
  elementsOf(list: ListValue): readonly Element[] {
    return list.elements.filter((element) => this.holds(element.conditions));
  }

  evaluate(node: Expression): Value {
    if (!this.step() || this.#depth > limits.depth) return unknown(textOf(this.place(node)));
    this.#depth++;
    try {
      return this.#evaluate(node);
    } finally {
      this.#depth--;
    }
  }

  #evaluate(node: Expression): Value {
    switch (node.type) {
      case "string":
        return text(node.value, this.place(node), { follows: this.#literalFollows() });
      case "fstring":
        return this.#formatted(node);
      case "number":
        return number(node.value, this.#literalFollows());
      case "constant":
        return node.value === "None" ? none : node.value === "..." ? unknown("...") : boolean(node.value === "True", this.#literalFollows());
      case "name":
        return this.#name(node.id);
      case "list": case "tuple": case "set": {
        const list = this.newList(node.type, [], this.place(node));
        for (const element of node.elements) {
          if (element.type === "starred") this.extend(list, this.evaluate(element.value));
          else this.append(list, this.evaluate(element));
        }
        return list;
      }
      case "dict": {
        const dict = this.newDict(this.place(node));
        for (const { key, value } of node.entries) {
          if (key !== undefined) this.setEntry(dict, this.evaluate(key), this.evaluate(value), this.place(key));
          else this.merge(dict, this.evaluate(value));
        }
        return dict;
      }
      case "binary": {
        const left = this.evaluate(node.left);
        return binary(this, node.operator, left, this.evaluate(node.right), this.place(node));
      }
      case "unary": {
        const operand = this.evaluate(node.operand);
        if (node.operator === "not") return this.lift(operand, negate);
        return this.lift(operand, (value) => value.kind === "number" ? number(node.operator === "-" ? -value.value : node.operator === "~" ? ~value.value : value.value, value.follows) : unknown(`${node.operator}${render(value)}`, followed(value)));
      }
      case "boolean":
        return this.#boolean(node.operator, node.values, 0);
      case "comparison":
        return this.#comparison(node.left, node.rest);
      case "conditional":
        return this.#conditional(node.test, node.then, node.otherwise);
      case "attribute":
        return this.attribute(this.evaluate(node.object), node.name, this.place(node));
      case "subscript":
        return this.#subscript(node);
      case "call":
        return this.#call(node);
      case "lambda":
        return this.makeFunction(node, "lambda");
      case "comprehension":
        return this.#comprehension(node);
      case "walrus": {
        const value = this.evaluate(node.value);
        if (node.target.type === "name") this.scope.write(node.target.id, value, this.stack);
        return value;
      }
      case "await": case "yield":
        return node.value === undefined ? none : this.evaluate(node.value);
      case "starred":
        return this.evaluate(node.value);
      case "slice": case "unreadable":
        return unknown(textOf(this.place(node)));
    }
  }

  #literalFollows(): Followed | undefined {
    return this.followsTorch > 0 ? "torch" : undefined;
  }

  #name(id: string): Value {
    const value = this.scope.read(id, this.stack);
    if (value !== undefined) return value;
    if (id === "__file__") return text(this.file.path, { file: this.file, start: 0, end: 0 });
    if (id === "__name__") return text("__main__", { file: this.file, start: 0, end: 0 });
    const star = this.scope.read("*", this.stack);
    if (star?.kind === "external" && /^[A-Z]|^(?:setup|load|find_packages)/.test(id)) return { kind: "external", name: `${star.name}.${id}` };
    return { kind: "external", name: `builtins.${id}` };
  }

  #formatted(node: FormattedString): Value {
    let result: Value = text("", this.place(node), { follows: this.#literalFollows() });
    for (const part of node.parts) {
      const piece = typeof part === "string" ? text(part, this.place(node)) : this.#formattedField(part);
      result = binary(this, "+", result, piece, this.place(node));
    }
    return result;
  }

  #formattedField(part: { readonly expression: Expression; readonly format: string }): Value {
    return this.lift(this.evaluate(part.expression), (value) => {
      const plain = this.asText(value, this.place(part.expression));
      if (part.format === "") return plain;
      if (value.kind === "number" && /^0?\d*[dxX]?$/.test(part.format)) {
        const digits = /x$/i.test(part.format) ? value.value.toString(16) : String(value.value);
        const width = Number.parseInt(part.format, 10) || 0;
        return text(digits.padStart(width, part.format.startsWith("0") ? "0" : " "), this.place(part.expression), { follows: value.follows });
      }
      return /^[<>^]?\d*s?$/.test(part.format) && plain.known ? plain : text(`{${render(value)}}`, this.place(part.expression), { known: false, follows: followed(value) });
    });
  }

  /** `str(value)`. */
  asText(value: Value, place: Place): TextValue {
    switch (value.kind) {
      case "text": return value;
      case "number": case "boolean": case "version":
        return text(render(value), place, { follows: value.follows });
      case "none":
        return text("None", place);
      default:
        return text(`{${render(value)}}`, place, { known: false, follows: followed(value) });
    }
  }

  #boolean(operator: "and" | "or", values: readonly Expression[], index: number): Value {
    const node = values[index];
    if (node === undefined) return unknown(operator);
    const left = this.evaluate(node);
    if (index === values.length - 1) return left;
    const isLast = (value: Value): boolean | undefined => {
      const truth = truthOf(value);
      return truth === undefined ? undefined : truth === (operator === "or");
    };
    return this.lift(left, (value) => {
      const settled = isLast(value);
      if (settled === true) return value;
      const { yes, no } = settled === false ? { yes: always, no: always } : this.split(value, this.place(node));
      const rest = this.under((operator === "and" ? yes : no) ?? always, () => this.#boolean(operator, values, index + 1));
      if (settled === false) return rest;
      return this.lift(rest, (right) => {
        if (operator === "or" && right.kind !== "boolean" && right.kind !== "unknown") {
          // `env or default`: the left where it counts, else the right.
          return { kind: "choice", alternatives: [{ value, conditions: yes ?? always }, { value: right, conditions: no ?? always }] };
        }
        const truth = isLast(right);
        if (truth === true) return operator === "and" ? boolean(false) : boolean(true);
        if (truth === false) return value;
        const both = unknown(`${render(value)} ${operator} ${render(right)}`, followed(value) ?? followed(right));
        const usualLeft = usually(value);
        const usualRight = usually(right);
        const [a, b] = [usualLeft, usualRight].map((one) => one === undefined ? undefined : truthOf(one));
        if (a === (operator === "or") || b === (operator === "or")) return { ...both, usual: boolean(operator === "or") };
        return a === undefined || b === undefined ? both : { ...both, usual: boolean(operator === "and") };
      });
    });
  }

  #comparison(leftNode: Expression, rest: readonly { readonly operator: string; readonly right: Expression }[]): Value {
    let left = this.evaluate(leftNode);
    let result: Value = boolean(true);
    for (const { operator, right: node } of rest) {
      const right = this.evaluate(node);
      const one = this.lift(left, (a) => this.lift(right, (b) => compare(operator, a, b)));
      const truth = truthOf(one);
      if (truth === false) return one;
      const before: Value = result;
      result = truthOf(before) === true ? one : truth === true ? before : unknown(`${render(before)} and ${render(one)}`);
      left = right;
    }
    return result;
  }

  #conditional(testNode: Expression, then: Expression, otherwise: Expression): Value {
    const test = this.evaluate(testNode);
    const { yes, no } = this.split(test, this.place(testNode));
    if (followed(test) === "torch" && isAbiQuestion(test)) this.followsTorch++;
    try {
      if (no === undefined) return this.evaluate(then);
      if (yes === undefined) return this.evaluate(otherwise);
      const alternatives = [
        { value: this.under(yes, () => this.evaluate(then)), conditions: yes },
        { value: this.under(no, () => this.evaluate(otherwise)), conditions: no },
      ];
      return choose(alternatives, this.stack) ?? { kind: "choice", alternatives: [] };
    } finally {
      if (followed(test) === "torch" && isAbiQuestion(test)) this.followsTorch--;
    }
  }

  #subscript(node: Subscript): Value {
    const object = this.evaluate(node.object);
    const bounds = node.index.type === "slice"
      ? { lower: node.index.lower === undefined ? none : this.evaluate(node.index.lower), upper: node.index.upper === undefined ? none : this.evaluate(node.index.upper), stepped: node.index.step !== undefined }
      : undefined;
    const index = bounds === undefined ? this.evaluate(node.index) : none;
    return this.lift(object, (value) => this.lift(index, (key) => subscript(this, value, bounds ?? key, this.place(node))));
  }

  makeFunction(node: FunctionDefinition | Lambda, name: string, owner?: ClassValue, binding: FunctionValue["binding"] = "plain"): FunctionValue {
    const defaults = new Map<string, Value>();
    for (const parameter of node.parameters) if (parameter.default !== undefined) defaults.set(parameter.name, this.evaluate(parameter.default));
    return { kind: "function", node, name, scope: this.scope, file: this.file, binding, defaults, ...(owner === undefined ? {} : { owner }) };
  }

  #call(node: Call): Value {
    const callee = node.callee.type === "attribute" && isSuper(node.callee.object) ? { kind: "method" as const, self: { kind: "external" as const, name: "super" }, name: node.callee.name } : this.evaluate(node.callee);
    return this.call(callee, this.#arguments(node), this.place(node));
  }

  #arguments(node: Call): Arguments {
    const result: Arguments = { positional: [], keywords: new Map(), open: false };
    for (const argument of node.arguments) {
      const value = this.evaluate(argument.value);
      if (argument.name !== undefined) {
        result.keywords.set(argument.name, { value, place: this.place(argument.nameRange ?? argument), whole: this.place(argument) });
      } else if (argument.star === "*") {
        if (value.kind === "list") for (const element of this.elementsOf(value)) result.positional.push(element.value);
        else result.open = true;
      } else if (argument.star === "**") {
        if (value.kind === "dict") {
          result.open ||= value.open;
          for (const entry of value.entries) if (entry.key.kind === "text" && this.holds(entry.conditions)) result.keywords.set(entry.key.value, { value: entry.value, place: entry.keyPlace });
        } else result.open = true;
      } else result.positional.push(value);
    }
    return result;
  }

  attribute(object: Value, name: string, place: Place): Value {
    return this.lift(object, (value) => attributeOf(this, value, name, place));
  }

  equal(left: Value, right: Value): Value {
    return this.lift(left, (a) => this.lift(right, (b) => compare("==", a, b)));
  }

  call(callee: Value, args: Arguments, place: Place): Value {
    return this.lift(callee, (value) => {
      switch (value.kind) {
        case "function":
          return this.callStack.length >= limits.calls || this.callStack.filter((one) => one.node === value.node).length > 1
            ? unknown(`${value.name}(...)`)
            : invoke(this, value, args, place);
        case "class":
          return constructorOf(this, value, args, place);
        case "external":
          return this.callOutside(value.name, args, place);
        case "method":
          return callMethod(this, value.self, value.name, args, place);
        default:
          return unknown(textOf(place), followed(value));
      }
    });
  }

  callOutside(name: string, args: Arguments, place: Place): Value {
    const result = callExternal(this, name, args, place);
    if (this.externalCalls.length < limits.recorded) this.externalCalls.push({ name, arguments: args, place, conditions: this.conditions, result });
    return result;
  }

  #comprehension(node: Comprehension): Value {
    const before = this.scope;
    this.scope = new Scope(before, this.stack);
    try {
      if (node.makes === "dict") {
        const dict = this.newDict(this.place(node));
        this.#clauses(node, 0, (certain) => {
          if (certain && node.value !== undefined) this.setEntry(dict, this.evaluate(node.element), this.evaluate(node.value), this.place(node.element));
          else dict.open = true;
        });
        return dict;
      }
      const list = this.newList(node.makes === "set" ? "set" : "list", [], this.place(node));
      this.#clauses(node, 0, (certain) => {
        const value = this.evaluate(node.element);
        this.append(list, certain ? value : this.spread(value));
      });
      return list;
    } finally {
      this.scope = before;
    }
  }

  /** An element that stands for any number of them. */
  spread(value: Value): Value {
    return value.kind === "text" || value.kind === "unknown" ? value : unknown(`*${render(value)}`, followed(value));
  }

  #clauses(node: Comprehension, index: number, yieldElement: (certain: boolean) => void, certain = true): void {
    const clause = node.clauses[index];
    if (clause === undefined) {
      yieldElement(certain);
      return;
    }
    this.iterate(this.evaluate(clause.iterable), (item, known) => {
      this.assign(clause.target, item);
      let conditions = always;
      for (const test of clause.tests) {
        const { yes } = this.under(conditions, () => this.split(this.evaluate(test), this.place(test)));
        if (yes === undefined) return;
        conditions = join(conditions, yes);
      }
      this.under(known && certain ? conditions : always, () => { this.#clauses(node, index + 1, yieldElement, certain && known); });
    });
  }

  /** Runs `body` for each element that is known, or once with an unknown one. */
  iterate(iterable: Value, body: (item: Value, known: boolean) => void): void {
    if (iterable.kind === "choice") {
      for (const one of iterable.alternatives) if (this.holds(one.conditions)) this.under(one.conditions, () => { this.iterate(one.value, body); });
    } else if (iterable.kind === "list") {
      for (const element of [...iterable.elements]) {
        if (!this.holds(element.conditions) || this.exhausted) continue;
        this.under(element.conditions, () => { body(element.value, true); });
      }
    } else if (iterable.kind === "dict" && !iterable.open) {
      for (const entry of [...iterable.entries]) if (this.holds(entry.conditions)) this.under(entry.conditions, () => { body(entry.key, true); });
    } else {
      body(unknown(`each of ${render(iterable)}`, followed(iterable)), false);
    }
  }

  extend(list: ListValue, value: Value): void {
    if (value.kind === "choice") {
      for (const one of value.alternatives) if (this.holds(one.conditions)) this.under(one.conditions, () => { this.extend(list, one.value); });
    } else if (value.kind === "list") {
      for (const element of [...this.elementsOf(value)]) this.append(list, this.withSteps(element.value, value.steps), element.conditions);
    } else if (value.kind === "dict" || value.kind === "none") {
      // Keys are no flags, and None would have ended the build.
    } else {
      this.append(list, value.kind === "text" && value.known ? value : unknown(`*${render(value)}`, followed(value)));
    }
  }

  withSteps(value: Value, steps: readonly Step[]): Value {
    if (steps.length === 0 || value.kind !== "text") return value;
    const added = steps.filter((step) => !value.steps.some((one) => one.place.start === step.place.start && one.place.file === step.place.file));
    return added.length === 0 || value.steps.length > 6 ? value : { ...value, steps: [...value.steps, ...added] };
  }

  setEntry(dict: DictValue, key: Value, value: Value, keyPlace: Place): void {
    if (key.kind !== "text" && key.kind !== "number") {
      dict.open = true;
      return;
    }
    const conditions = beyond(this.conditions, dict.base);
    const same = (other: Value): boolean => other.kind === key.kind && "value" in other && other.value === key.value;
    if (conditions.length === 0 && dict.keys.has(key.value)) {
      const existing = dict.entries.find((entry) => same(entry.key) && entry.conditions.length === 0);
      dict.entries = dict.entries.filter((entry) => entry === existing || !same(entry.key));
      if (existing !== undefined) {
        existing.value = value;
        return;
      }
    }
    dict.keys.add(key.value);
    if (dict.entries.length < limits.elements) dict.entries.push({ key, value, conditions, keyPlace });
  }

  merge(dict: DictValue, other: Value): void {
    if (other.kind === "choice") {
      for (const one of other.alternatives) if (this.holds(one.conditions)) this.under(one.conditions, () => { this.merge(dict, one.value); });
    } else if (other.kind === "dict") {
      dict.open ||= other.open;
      for (const entry of [...other.entries]) this.under(entry.conditions, () => { this.setEntry(dict, entry.key, entry.value, entry.keyPlace); });
    } else dict.open = true;
  }

  /** Entries of a dict under a key, where they can be. The last wins. */
  entry(dict: DictValue, key: string | number): Value | undefined {
    if (!dict.keys.has(key)) return undefined;
    const found = dict.entries.filter((entry) => "value" in entry.key && entry.key.value === key && this.holds(entry.conditions));
    return choose(found.map(({ value, conditions }) => ({ value, conditions })), this.stack);
  }

  assign(target: Expression, value: Value): void {
    switch (target.type) {
      case "name":
        this.scope.write(target.id, this.#named(value, target.id, this.place(target)), this.stack);
        return;
      case "attribute": {
        const object = this.evaluate(target.object);
        this.lift(object, (one) => {
          if (one.kind === "object") one.attributes.write(target.name, value, this.stack);
          return one;
        });
        return;
      }
      case "subscript": {
        const key = this.evaluate(target.index);
        this.lift(this.evaluate(target.object), (object) => {
          if (object.kind === "dict") this.setEntry(object, key, value, this.place(target.index));
          else if (object.kind === "list" && key.kind === "number") this.#setElement(object, key.value, value);
          else if (object.kind === "list" && target.index.type === "slice" && target.index.lower === undefined && target.index.upper === undefined) {
            object.elements = [];
            this.extend(object, value);
          } else if (object.kind === "external" && object.name === "os.environ" && key.kind === "text") this.#setEnvironment(key.value, value, this.place(target));
          return object;
        });
        return;
      }
      case "tuple": case "list":
        this.#unpack(target.elements, value);
        return;
      case "starred":
        this.assign(target.value, value);
    }
  }

  #setElement(list: ListValue, index: number, value: Value): void {
    const at = index < 0 ? list.elements.length + index : index;
    const old = list.elements[at];
    if (old !== undefined) list.elements[at] = { value, conditions: old.conditions };
  }

  #setEnvironment(name: string, value: Value, place: Place): void {
    if (this.environment.length < limits.recorded) this.environment.push({ name, value, place, conditions: this.conditions });
  }

  /** Remembers on the value that it went through this variable. */
  #named(value: Value, name: string, place: Place): Value {
    const step: Step = { place, what: `variable ${name} set` };
    if (value.kind === "text") return this.withSteps(value, [step]);
    if (value.kind === "list") {
      if (value.steps.length < 6) value.steps.push(step);
      const lists = this.namedLists.get(name) ?? new Set();
      lists.add(value);
      this.namedLists.set(name, lists);
    }
    return value.kind === "choice" ? this.#switch(value, name, place) : value;
  }

  /** A switch with many ways to be on or off is one condition of its own, named by its variable. */
  #switch(value: ChoiceValue, name: string, place: Place): Value {
    if (value.alternatives.length < 3 || !value.alternatives.every((one) => one.value.kind === "boolean")) return value;
    const usual = value.alternatives.find((one) => one.conditions.every((condition) => condition.byDefault === true));
    const { yes, no } = this.#opaque(name, place, usual === undefined ? undefined : truthOf(usual.value));
    const follows = followed(value);
    return { kind: "choice", alternatives: [{ value: boolean(true, follows), conditions: yes }, { value: boolean(false, follows), conditions: no }] };
  }

  #unpack(targets: readonly Expression[], value: Value): void {
    const list = value.kind === "list" ? this.elementsOf(value) : undefined;
    const starAt = targets.findIndex((target) => target.type === "starred");
    targets.forEach((target, index) => {
      if (list !== undefined && starAt < 0) this.assign(target, list[index]?.value ?? unknown(textOf(this.place(target))));
      else if (list !== undefined && index < starAt) this.assign(target, list[index]?.value ?? unknown(textOf(this.place(target))));
      else if (value.kind === "choice") this.assign(target, this.lift(value, (one) => one.kind === "list" ? (one.elements[index]?.value ?? unknown(textOf(this.place(target)))) : unknown(`${render(one)}[${index}]`, followed(one))));
      else this.assign(target, unknown(`${render(value)}[${index}]`, followed(value)));
    });
  }
}

function isSuper(node: Expression): boolean {
  return node.type === "call" && node.callee.type === "name" && node.callee.id === "super";
}

/** Whether a value asks torch which C++ library ABI it has. */
export function isAbiQuestion(value: Value): boolean {
  return /CXX11_ABI|compiled_with_cxx11_abi/i.test(render(value));
}
