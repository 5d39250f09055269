import type { Place } from "../source-file.ts";
import { textOf } from "../source-file.ts";
import type { Expression } from "../syntax.ts";
import type { Interpreter } from "./interpreter.ts";
import { truthOf } from "./truth.ts";
import type { ChoiceValue, ListValue, Step, Value } from "./values.ts";
import { boolean, followed, render, unknown } from "./values.ts";

/** Writes to environment variables that are kept. */
const maximumWrites = 4_000;

/** Gives a value to a name, an attribute, an element, or several of them. */
export function assign(interpreter: Interpreter, target: Expression, value: Value): void {
  switch (target.type) {
    case "name":
      interpreter.scope.write(target.id, named(interpreter, value, target.id, interpreter.place(target)), interpreter);
      return;
    case "attribute": {
      const object = interpreter.evaluate(target.object);
      interpreter.lift(object, (one) => {
        if (one.kind === "object") one.attributes.write(target.name, value, interpreter);
        return one;
      });
      return;
    }
    case "subscript": {
      const key = interpreter.evaluate(target.index);
      interpreter.lift(interpreter.evaluate(target.object), (object) => {
        if (object.kind === "dict") interpreter.setEntry(object, key, value, interpreter.place(target.index));
        else if (object.kind === "list" && key.kind === "number") interpreter.change(object, (one) => { setElement(one, key.value, value); });
        else if (object.kind === "list" && target.index.type === "slice" && target.index.lower === undefined && target.index.upper === undefined) {
          interpreter.change(object, (one) => { one.elements = []; });
          interpreter.extend(object, value);
        } else if (object.kind === "external" && object.name === "os.environ" && key.kind === "text") setEnvironment(interpreter, key.value, value, interpreter.place(target));
        return object;
      });
      return;
    }
    case "tuple": case "list":
      unpack(interpreter, target.elements, value);
      return;
    case "starred":
      assign(interpreter, target.value, value);
      return;
    default:
      // Nothing else can stand on the left of an assignment.
  }
}

function setElement(list: ListValue, index: number, value: Value): void {
  const at = index < 0 ? list.elements.length + index : index;
  const old = list.elements[at];
  if (old !== undefined) list.elements[at] = { value, conditions: old.conditions };
}

function setEnvironment(interpreter: Interpreter, name: string, value: Value, place: Place): void {
  if (interpreter.environment.length < maximumWrites) interpreter.environment.push({ name, value, place, conditions: interpreter.conditions });
}

/** Remembers on the value that it went through this variable. */
function named(interpreter: Interpreter, value: Value, name: string, place: Place): Value {
  const step: Step = { place, what: `variable ${name} set` };
  if (value.kind === "text") return interpreter.withSteps(value, [step]);
  if (value.kind === "list") {
    if (value.steps.length < 6) value.steps.push(step);
    const lists = interpreter.namedLists.get(name) ?? new Set();
    lists.add(value);
    interpreter.namedLists.set(name, lists);
  }
  return value.kind === "choice" ? switchOf(interpreter, value, name, place) : value;
}

/** A switch with many ways to be on or off is one condition of its own, named by its variable. */
function switchOf(interpreter: Interpreter, value: ChoiceValue, name: string, place: Place): Value {
  if (value.alternatives.length < 3 || !value.alternatives.every((one) => one.value.kind === "boolean")) return value;
  const usual = value.alternatives.find((one) => one.conditions.every((condition) => condition.byDefault === true));
  const { yes, no } = interpreter.opaque(name, place, usual === undefined ? undefined : truthOf(usual.value));
  const follows = followed(value);
  return { kind: "choice", alternatives: [{ value: boolean(true, follows), conditions: yes }, { value: boolean(false, follows), conditions: no }] };
}

function unpack(interpreter: Interpreter, targets: readonly Expression[], value: Value): void {
  const list = value.kind === "list" ? interpreter.elementsOf(value) : undefined;
  const starAt = targets.findIndex((target) => target.type === "starred");
  targets.forEach((target, index) => {
    if (list !== undefined && starAt < 0) assign(interpreter, target, list[index]?.value ?? unknown(textOf(interpreter.place(target))));
    else if (list !== undefined && index < starAt) assign(interpreter, target, list[index]?.value ?? unknown(textOf(interpreter.place(target))));
    else if (value.kind === "choice") assign(interpreter, target, interpreter.lift(value, (one) => one.kind === "list" ? (one.elements[index]?.value ?? unknown(textOf(interpreter.place(target)))) : unknown(`${render(one)}[${index}]`, followed(one))));
    else assign(interpreter, target, unknown(`${render(value)}[${index}]`, followed(value)));
  });
}
