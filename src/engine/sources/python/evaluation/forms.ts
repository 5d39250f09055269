import type { Comprehension, Expression, FormattedString } from "../syntax.ts";
import { assign } from "./assignment.ts";
import { isGuarded } from "./guarded-text.ts";
import type { Interpreter } from "./interpreter.ts";
import { binary, compare } from "./operators.ts";
import { choose } from "./alternatives.ts";
import { join } from "./conditions.ts";
import { Scope } from "./scope.ts";
import { isAbiQuestion, truthOf } from "./truth.ts";
import type { Value } from "./values.ts";
import { always, boolean, followed, render, text, unknown, usually } from "./values.ts";

/** An f-string. */
export function formatted(interpreter: Interpreter, node: FormattedString): Value {
  let result: Value = text("", interpreter.place(node), { follows: interpreter.literalFollows() });
  for (const part of node.parts) {
    const piece = typeof part === "string" ? text(part, interpreter.place(node)) : formattedField(interpreter, part);
    result = binary(interpreter, "+", result, piece, interpreter.place(node));
  }
  return result;
}

function formattedField(interpreter: Interpreter, part: { readonly expression: Expression; readonly format: string }): Value {
  const field = interpreter.evaluate(part.expression);
  if (isGuarded(field) && part.format === "") return field;
  return interpreter.lift(field, (value) => {
    const plain = interpreter.asText(value, interpreter.place(part.expression));
    if (part.format === "") return plain;
    if (value.kind === "number" && /^0?\d*[dxX]?$/.test(part.format)) {
      const digits = /x$/i.test(part.format) ? value.value.toString(16) : String(value.value);
      const width = Number.parseInt(part.format, 10) || 0;
      return text(digits.padStart(width, part.format.startsWith("0") ? "0" : " "), interpreter.place(part.expression), { follows: value.follows });
    }
    return /^[<>^]?\d*s?$/.test(part.format) && plain.known ? plain : text(`{${render(value)}}`, interpreter.place(part.expression), { known: false, follows: followed(value) });
  });
}

/** `a and b`, `a or b`: as far as it can be told which of them it is. */
export function logical(interpreter: Interpreter, operator: "and" | "or", values: readonly Expression[], index: number): Value {
  const node = values[index];
  if (node === undefined) return unknown(operator);
  const left = interpreter.evaluate(node);
  if (index === values.length - 1) return left;
  const isLast = (value: Value): boolean | undefined => {
    const truth = truthOf(value);
    return truth === undefined ? undefined : truth === (operator === "or");
  };
  return interpreter.lift(left, (value) => {
    const settled = isLast(value);
    if (settled === true) return value;
    const { yes, no } = settled === false ? { yes: always, no: always } : interpreter.split(value, interpreter.place(node));
    const rest = interpreter.under((operator === "and" ? yes : no) ?? always, () => logical(interpreter, operator, values, index + 1));
    if (settled === false) return rest;
    return interpreter.lift(rest, (right) => {
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

/** `a < b <= c`. */
export function comparison(interpreter: Interpreter, leftNode: Expression, rest: readonly { readonly operator: string; readonly right: Expression }[]): Value {
  let left = interpreter.evaluate(leftNode);
  let result: Value = boolean(true);
  for (const { operator, right: node } of rest) {
    const right = interpreter.evaluate(node);
    const one = interpreter.lift(left, (a) => interpreter.lift(right, (b) => compare(operator, a, b)));
    const truth = truthOf(one);
    if (truth === false) return one;
    const before: Value = result;
    result = truthOf(before) === true ? one : truth === true ? before : unknown(`${render(before)} and ${render(one)}`);
    left = right;
  }
  return result;
}

/** `a if test else b`. */
export function conditional(interpreter: Interpreter, testNode: Expression, then: Expression, otherwise: Expression): Value {
  const test = interpreter.evaluate(testNode);
  const { yes, no } = interpreter.split(test, interpreter.place(testNode));
  if (followed(test) === "torch" && isAbiQuestion(test)) interpreter.followsTorch++;
  try {
    if (no === undefined) return interpreter.evaluate(then);
    if (yes === undefined) return interpreter.evaluate(otherwise);
    const alternatives = [
      { value: interpreter.under(yes, () => interpreter.evaluate(then)), conditions: yes },
      { value: interpreter.under(no, () => interpreter.evaluate(otherwise)), conditions: no },
    ];
    return choose(alternatives, interpreter.stack) ?? { kind: "choice", alternatives: [] };
  } finally {
    if (followed(test) === "torch" && isAbiQuestion(test)) interpreter.followsTorch--;
  }
}

/** A comprehension or generator, over every element that is known. */
export function comprehension(interpreter: Interpreter, node: Comprehension): Value {
  const before = interpreter.scope;
  interpreter.scope = new Scope(before, interpreter.stack);
  try {
    if (node.makes === "dict") {
      const dict = interpreter.newDict(interpreter.place(node));
      clauses(interpreter, node, 0, (certain) => {
        if (certain && node.value !== undefined) interpreter.setEntry(dict, interpreter.evaluate(node.element), interpreter.evaluate(node.value), interpreter.place(node.element));
        else dict.open = true;
      });
      return dict;
    }
    const list = interpreter.newList(node.makes === "set" ? "set" : "list", [], interpreter.place(node));
    clauses(interpreter, node, 0, (certain) => {
      const value = interpreter.evaluate(node.element);
      interpreter.append(list, certain ? value : interpreter.spread(value));
    });
    return list;
  } finally {
    interpreter.scope = before;
  }
}

function clauses(interpreter: Interpreter, node: Comprehension, index: number, yieldElement: (certain: boolean) => void, certain = true): void {
  const clause = node.clauses[index];
  if (clause === undefined) {
    yieldElement(certain);
    return;
  }
  interpreter.iterate(interpreter.evaluate(clause.iterable), (item, known) => {
    assign(interpreter, clause.target, item);
    let conditions = always;
    for (const test of clause.tests) {
      const { yes } = interpreter.under(conditions, () => interpreter.split(interpreter.evaluate(test), interpreter.place(test)));
      if (yes === undefined) return;
      conditions = join(conditions, yes);
    }
    interpreter.under(known && certain ? conditions : always, () => { clauses(interpreter, node, index + 1, yieldElement, certain && known); });
  });
}
