import type { Place } from "../source-file.ts";
import { memberOf } from "./attributes.ts";
import { isExtensionClass, setExtensionArguments } from "./extension-classes.ts";
import type { Arguments } from "./call-types.ts";
import type { Interpreter } from "./interpreter.ts";
import { Scope } from "./scope.ts";
import type { FunctionDefinition } from "../syntax.ts";
import type { Flow } from "./statements.ts";
import { executeBlock } from "./statements.ts";
import type { ClassValue, FunctionValue, ObjectValue, Step, Value } from "./values.ts";
import { none, text, unknown } from "./values.ts";

/** Calls a function of the project. */
export function invoke(interpreter: Interpreter, callee: FunctionValue, args: Arguments, place: Place): Value {
  interpreter.called.add(callee.node);
  if (callee.binding === "wrapped") return unknown(`${callee.name}(...)`);
  const before = { scope: interpreter.scope, file: interpreter.file, stack: interpreter.stack };
  const scope = new Scope(callee.scope, interpreter.conditions);
  bindParameters(interpreter, callee, args, scope, place);
  interpreter.scope = scope;
  interpreter.file = callee.file;
  interpreter.callStack.push(callee);
  try {
    if (callee.node.type === "lambda") return interpreter.evaluate(callee.node.body);
    const flow = executeBody(interpreter, callee, callee.node.body);
    interpreter.stack = before.stack;
    if (flow === "next") scope.writeRemaining(returnName, none, interpreter);
    const result = scope.own(returnName, interpreter.stack) ?? none;
    return interpreter.lift(result, (value) => returned(interpreter, value, { place, what: `function ${callee.name} called` }));
  } finally {
    interpreter.callStack.pop();
    interpreter.scope = before.scope;
    interpreter.file = before.file;
    interpreter.stack = before.stack;
  }
}

/** Steps that one call from the outermost level may take: work that is no description of a build must not cost the rest of it. */
const stepsPerCall = 60_000;

function executeBody(interpreter: Interpreter, callee: FunctionValue, body: FunctionDefinition["body"]): Flow {
  if (interpreter.callStack.length > 1) return executeBlock(interpreter, body);
  let flow: Flow = "next";
  if (!interpreter.within(stepsPerCall, () => { flow = executeBlock(interpreter, body); })) interpreter.cut("steps", `${callee.name}()`);
  return flow;
}

/** The name under which a function's scope keeps what it returns. */
export const returnName = " return";

function returned(interpreter: Interpreter, value: Value, step: Step): Value {
  if (value.kind === "text") return interpreter.withSteps(value, [step]);
  if ((value.kind === "list" || value.kind === "dict") && value.steps.length < 6) value.steps.push(step);
  return value;
}

function bindParameters(interpreter: Interpreter, callee: FunctionValue, args: Arguments, scope: Scope, place: Place): void {
  const positional = callee.self === undefined ? [...args.positional] : [callee.self, ...args.positional];
  const keywords = new Map(args.keywords);
  // Read where they are used, so that what is not known is named as the function names it.
  for (const parameter of callee.node.parameters) {
    const at = { file: callee.file, start: parameter.start, end: parameter.end };
    if (parameter.star === "*") {
      const rest = positional.splice(0).map((value) => ({ value, conditions: [] }));
      scope.write(parameter.name, args.open ? unknown(parameter.name) : interpreter.newList("tuple", rest, place), interpreter);
    } else if (parameter.star === "**") {
      const dict = interpreter.newDict(place);
      for (const [name, { value, place: keyPlace }] of keywords) interpreter.setEntry(dict, text(name, keyPlace), value, keyPlace);
      dict.open = args.open;
      scope.write(parameter.name, dict, interpreter);
    } else {
      const named = keywords.get(parameter.name);
      keywords.delete(parameter.name);
      const value = named?.value ?? positional.shift() ?? (args.open ? undefined : callee.defaults.get(parameter.name)) ?? unknown(parameter.name);
      const step: Step = { place: at, what: `passed as ${parameter.name} to ${callee.name}` };
      scope.write(parameter.name, value.kind === "text" && value.place.file === callee.file && value.place.start === at.start ? value : interpreter.withSteps(value, [step]), interpreter);
    }
  }
}

/** Makes an instance of a class of the project. */
export function constructorOf(interpreter: Interpreter, type: ClassValue, args: Arguments, place: Place): Value {
  const object: ObjectValue = { kind: "object", type, attributes: new Scope(undefined, interpreter.conditions), conditions: interpreter.conditions, place };
  if (interpreter.objects.length < 2_000) interpreter.objects.push(object);
  const initialise = memberOf(interpreter, type, "__init__");
  if (initialise?.kind === "function") interpreter.call({ ...initialise, self: object }, args, place);
  else if (externalBases(type).some(isExtensionClass)) setExtensionArguments(interpreter, object, args);
  return object;
}

/** `super().name(...)` inside a method. */
export function callSuper(interpreter: Interpreter, name: string, args: Arguments, place: Place): Value {
  const current = interpreter.callStack.at(-1);
  const self = interpreter.scope.read("self", interpreter.stack) ?? current?.self;
  if (current?.owner === undefined || self?.kind !== "object") return unknown(`super().${name}(...)`);
  return callBase(interpreter, current.owner, self, name, args, place);
}

function callBase(interpreter: Interpreter, owner: ClassValue, self: ObjectValue, name: string, args: Arguments, place: Place): Value {
  for (const base of owner.bases) {
    if (base.kind === "class") {
      const member = memberOf(interpreter, base, name);
      if (member?.kind === "function") return interpreter.call({ ...member, self }, args, place);
      return callBase(interpreter, base, self, name, args, place);
    }
    if (base.kind === "external" && name === "__init__" && isExtensionClass(base.name)) setExtensionArguments(interpreter, self, args);
  }
  return none;
}

/** Dotted names of the library classes that a class builds on. */
export function externalBases(type: ClassValue, depth = 0): string[] {
  if (depth > 16) return [];
  return type.bases.flatMap((base) => externalNames(base, depth));
}

function externalNames(value: Value, depth: number): string[] {
  if (value.kind === "external") return [value.name];
  if (value.kind === "class") return externalBases(value, depth + 1);
  if (value.kind === "choice") return value.alternatives.flatMap((one) => externalNames(one.value, depth));
  // What `BuildExtension.with_options(...)` gives is a class again.
  if (value.kind === "unknown") return [value.text.replace(/\(.*$/, "").replace(/\.with_options$/, "")];
  return [];
}
