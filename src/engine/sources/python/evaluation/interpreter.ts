import type { EvaluationContext, Files } from "../../../model/index.ts";
import type { Place, SourceFile } from "../source-file.ts";
import { textOf } from "../source-file.ts";
import type { Call, Expression, FunctionDefinition, Lambda, Subscript } from "../syntax.ts";
import { sizeOf } from "./alternatives.ts";
import { attributeOf } from "./attributes.ts";
import type { Arguments, ExternalCall, Modules } from "./call-types.ts";
import { constructorOf, invoke } from "./calls.ts";
import { Containers } from "./containers.ts";
import { comparison, comprehension, conditional, formatted, logical } from "./forms.ts";
import { isGuarded } from "./guarded-text.ts";
import { callExternal } from "./library.ts";
import { callMethod, piecesMethods } from "./methods.ts";
import { binary, compare, negate, subscript } from "./operators.ts";
import { Scope } from "./scope.ts";
import { asTruth } from "./truth.ts";
import { usualText } from "./usual.ts";
import type { ClassValue, Conditions, Followed, FunctionValue, ListValue, ObjectValue, TextValue, Value } from "./values.ts";
import { always, boolean, followed, none, number, render, text, unknown } from "./values.ts";

/** Depth of expressions and calls, and how much is kept. */
const limits = { depth: 120, calls: 24, recorded: 20_000 };

/**
 * Evaluates Python without running it: knows literals, containers, functions, classes and a small part of
 * the library; everything else is an unknown value with a name. Tests that cannot be decided are followed both ways.
 */
export class Interpreter extends Containers {
  readonly files: Files;
  readonly context: EvaluationContext;
  /** The folder that commands and relative paths start from. */
  readonly directory: string;
  /** The file that is read; modules that it imports come and go in `file`. */
  readonly main: SourceFile;
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
  #depth = 0;

  constructor(file: SourceFile, directory: string, files: Files, context: EvaluationContext, modules: Modules) {
    super();
    this.file = file;
    this.main = file;
    this.directory = directory;
    this.files = files;
    this.context = context;
    this.modules = modules;
    this.scope = new Scope(undefined, always);
  }

  place(node: { readonly start: number; readonly end: number }): Place {
    return { file: this.file, start: node.start, end: node.end };
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
        return text(node.value, this.place(node), { follows: this.literalFollows() });
      case "fstring":
        return formatted(this, node);
      case "number":
        return number(node.value, this.literalFollows());
      case "constant":
        return node.value === "None" ? none : node.value === "..." ? unknown("...") : boolean(node.value === "True", this.literalFollows());
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
        if (node.operator === "not") return this.lift(asTruth(operand), negate);
        return this.lift(operand, (value) => value.kind === "number" ? number(node.operator === "-" ? -value.value : node.operator === "~" ? ~value.value : value.value, value.follows) : unknown(`${node.operator}${render(value)}`, followed(value)));
      }
      case "boolean":
        return logical(this, node.operator, node.values, 0);
      case "comparison":
        return comparison(this, node.left, node.rest);
      case "conditional":
        return conditional(this, node.test, node.then, node.otherwise);
      case "attribute":
        return this.attribute(this.evaluate(node.object), node.name, this.place(node));
      case "subscript":
        return this.#subscript(node);
      case "call":
        return this.#call(node);
      case "lambda":
        return this.makeFunction(node, "lambda");
      case "comprehension":
        return comprehension(this, node);
      case "walrus": {
        const value = this.evaluate(node.value);
        if (node.target.type === "name") this.scope.write(node.target.id, value, this);
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

  /** What a literal follows here. */
  literalFollows(): Followed | undefined {
    return this.followsTorch > 0 ? "torch" : undefined;
  }

  #name(id: string): Value {
    const value = this.scope.read(id, this.stack);
    if (value?.kind === "choice") this.spend(sizeOf(value) >> 4);
    if (value !== undefined) return value;
    if (id === "__file__") return text(this.file.path, { file: this.file, start: 0, end: 0 });
    if (id === "__name__") return text("__main__", { file: this.file, start: 0, end: 0 });
    const star = this.scope.read("*", this.stack);
    if (star?.kind === "external" && /^[A-Z]|^(?:setup|load|find_packages)/.test(id)) return { kind: "external", name: `${star.name}.${id}` };
    return { kind: "external", name: `builtins.${id}` };
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
        return text(`{${render(value)}}`, place, { known: false, follows: followed(value), usual: value.kind === "unknown" ? usualText(value, place) : undefined });
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
    if (isGuarded(object) && piecesMethods.has(name)) return { kind: "method", self: object, name };
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
    if (this.externalCalls.length >= limits.recorded) this.cut("calls");
    else this.externalCalls.push({ name, arguments: args, place, conditions: this.conditions, result });
    return result;
  }
}

function isSuper(node: Expression): boolean {
  return node.type === "call" && node.callee.type === "name" && node.callee.id === "super";
}
