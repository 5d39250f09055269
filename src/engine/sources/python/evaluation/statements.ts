import type { Place } from "../source-file.ts";
import { textOf } from "../source-file.ts";
import type { ClassDefinition, Expression, FunctionDefinition, If, ImportFrom, Match, Statement, Try } from "../syntax.ts";
import { assign } from "./assignment.ts";
import { returnName } from "./calls.ts";
import type { Interpreter } from "./interpreter.ts";
import { binary } from "./operators.ts";
import { join } from "./conditions.ts";
import { Scope } from "./scope.ts";
import { isAbiQuestion } from "./truth.ts";
import type { Branching, ClassValue, Conditions, FunctionValue, Value } from "./values.ts";
import { always, followed, none, unknown } from "./values.ts";

/** How a block ended: `next` goes on behind it; `stop` ends the build or an exception leaves it. */
export type Flow = "next" | "leave" | "stop";

/**
 * Executes statements. Behind an `if` of which one way leaves the block, the rest stands under the
 * conditions of the other way; where that way ends the build, they are only taken for granted.
 */
export function executeBlock(interpreter: Interpreter, body: readonly Statement[]): Flow {
  const before = interpreter.stack;
  try {
    for (const statement of body) {
      if (!interpreter.step()) return "next";
      const flow = execute(interpreter, statement);
      if (flow !== "next") return flow;
    }
    return "next";
  } finally {
    interpreter.stack = before;
  }
}

function execute(interpreter: Interpreter, statement: Statement): Flow {
  switch (statement.type) {
    case "expression":
      interpreter.evaluate(statement.value);
      return endsBuild(statement.value) ? "stop" : "next";
    case "assign": {
      if (statement.value === undefined) return "next";
      const value = interpreter.evaluate(statement.value);
      for (const target of statement.targets) assign(interpreter, target, value);
      return "next";
    }
    case "augmented":
      augment(interpreter, statement.target, statement.operator, interpreter.evaluate(statement.value), interpreter.place(statement));
      return "next";
    case "return":
      interpreter.scope.writeRemaining(returnName, statement.value === undefined ? none : interpreter.evaluate(statement.value), interpreter);
      return "leave";
    case "break": case "continue":
      return "leave";
    case "raise":
      if (statement.value !== undefined) interpreter.evaluate(statement.value);
      return "stop";
    case "import":
      for (const { name, as } of statement.names) {
        const root = name.split(".")[0] ?? name;
        const imported = interpreter.modules.load(interpreter, name, 0) ?? { kind: "external" as const, name };
        const bound: Value = as !== undefined || root === name ? imported : (interpreter.modules.load(interpreter, root, 0) ?? { kind: "external", name: root });
        interpreter.scope.write(as ?? root, bound, interpreter);
      }
      return "next";
    case "import-from":
      importFrom(interpreter, statement);
      return "next";
    case "global": case "nonlocal": {
      let outer: Scope | undefined = interpreter.scope.parent;
      if (statement.type === "global") while (outer?.parent !== undefined) outer = outer.parent;
      if (outer !== undefined) for (const name of statement.names) interpreter.scope.declareOutside(name, outer);
      return "next";
    }
    case "if":
      return executeIf(interpreter, statement);
    case "for":
      interpreter.iterate(interpreter.evaluate(statement.iterable), (item) => {
        assign(interpreter, statement.target, item);
        executeBlock(interpreter, statement.body);
      });
      executeBlock(interpreter, statement.otherwise);
      return "next";
    case "while": {
      const test = interpreter.evaluate(statement.test);
      if (interpreter.split(test, interpreter.place(statement.test)).yes !== undefined) executeBlock(interpreter, statement.body);
      executeBlock(interpreter, statement.otherwise);
      return "next";
    }
    case "try":
      return executeTry(interpreter, statement);
    case "with":
      for (const { context, target } of statement.items) {
        const value = interpreter.evaluate(context);
        if (target !== undefined) assign(interpreter, target, value);
      }
      return executeBlock(interpreter, statement.body);
    case "function":
      defineFunction(interpreter, statement);
      return "next";
    case "class":
      defineClass(interpreter, statement);
      return "next";
    case "match":
      return executeMatch(interpreter, statement);
    case "assert":
      interpreter.evaluate(statement.test);
      return "next";
    case "delete": case "pass": case "broken":
      return "next";
  }
}

function endsBuild(node: Expression): boolean {
  if (node.type !== "call") return false;
  const { callee } = node;
  if (callee.type === "name") return callee.id === "exit" || callee.id === "quit";
  return callee.type === "attribute" && callee.object.type === "name" && ((callee.object.id === "sys" && callee.name === "exit") || (callee.object.id === "os" && callee.name === "_exit"));
}

function augment(interpreter: Interpreter, target: Expression, operator: string, value: Value, place: Place): void {
  const old = interpreter.evaluate(target);
  const lists = old.kind === "choice" ? old.alternatives : [{ value: old, conditions: always }];
  if (operator === "+" && lists.every((one) => one.value.kind === "list" && one.value.makes === "list")) {
    // In place, as Python does: other names of the list see it.
    for (const one of lists) {
      const list = one.value;
      if (list.kind === "list" && interpreter.holds(one.conditions)) interpreter.under(one.conditions, () => { interpreter.extend(list, value); });
    }
    return;
  }
  assign(interpreter, target, binary(interpreter, operator, old, value, place));
}

function executeIf(interpreter: Interpreter, statement: If): Flow {
  // An `elif` chain is a chain of `if`s: walk it in a loop.
  let current: If | undefined = statement;
  const flows: { flow: Flow; conditions: Conditions }[] = [];
  let path: Conditions = always;
  while (current !== undefined) {
    const link: If = current;
    current = undefined;
    const test = interpreter.under(path, () => interpreter.evaluate(link.test));
    const { yes, no } = interpreter.under(path, () => interpreter.split(test, interpreter.place(link.test)));
    const asksAbi = followed(test) === "torch" && isAbiQuestion(test);
    if (yes !== undefined) flows.push({ flow: branchBlock(interpreter, join(path, yes), link.body, asksAbi), conditions: join(path, yes) });
    if (no === undefined) break;
    path = join(path, no);
    const [only] = link.otherwise;
    if (link.otherwise.length === 1 && only?.type === "if") current = only;
    else flows.push({ flow: branchBlock(interpreter, path, link.otherwise, asksAbi), conditions: path });
  }
  const going = flows.filter((one) => one.flow === "next");
  if (going.length === 0) return flows.some((one) => one.flow === "leave") ? "leave" : "stop";
  const [remaining] = going;
  if (going.length === 1 && flows.length > 1 && remaining !== undefined) {
    const taken = flows.every((one) => one === remaining || one.flow === "stop");
    const conditions = taken ? remaining.conditions.map((one): Branching => ({ ...one, assumed: true })) : remaining.conditions;
    interpreter.stack = join(interpreter.stack, conditions);
  }
  return "next";
}

function branchBlock(interpreter: Interpreter, conditions: Conditions, body: readonly Statement[], asksAbi: boolean): Flow {
  if (asksAbi) interpreter.followsTorch++;
  try {
    return interpreter.under(conditions, () => executeBlock(interpreter, body));
  } finally {
    if (asksAbi) interpreter.followsTorch--;
  }
}

/** Modules that every build that this reader is for has. */
const certainModules = /^(?:os|sys|re|json|glob|platform|subprocess|shutil|pathlib|setuptools|warnings|copy|itertools)(?:\.|$)/;

function executeTry(interpreter: Interpreter, statement: Try): Flow {
  const [first] = statement.body;
  const certain = statement.body.every((one) => {
    const names = one.type === "import" ? one.names.map((name) => name.name) : one.type === "import-from" ? [one.module] : undefined;
    return names?.every((name) => certainModules.test(name) || (interpreter.context.torchVersion !== undefined && name === "torch")) ?? one.type === "pass";
  });
  const handled = certain ? [] : statement.handlers.filter((handler) => handler.body.some((one) => one.type !== "pass" && one.type !== "raise"));
  if (first === undefined || handled.length === 0) {
    const flow = executeBlock(interpreter, statement.body);
    const after = flow === "next" ? executeBlock(interpreter, statement.otherwise) : flow;
    const last = executeBlock(interpreter, statement.finally);
    return last === "next" ? (after === "stop" && statement.handlers.length > 0 ? "next" : after) : last;
  }
  const place = interpreter.place(first);
  const name = `"${textOf(place, 60)}" succeeds`;
  const { yes, no } = interpreter.split({ kind: "unknown", text: name }, place);
  const flows: Flow[] = [];
  interpreter.under(yes ?? always, () => {
    const flow = executeBlock(interpreter, statement.body);
    flows.push(flow === "next" ? executeBlock(interpreter, statement.otherwise) : flow);
  });
  for (const handler of handled) {
    interpreter.under(no ?? always, () => {
      if (handler.name !== undefined) interpreter.scope.write(handler.name, unknown(handler.name), interpreter);
      flows.push(executeBlock(interpreter, handler.body));
    });
  }
  const last = executeBlock(interpreter, statement.finally);
  if (last !== "next") return last;
  return flows.every((flow) => flow === "leave") ? "leave" : "next";
}

function executeMatch(interpreter: Interpreter, statement: Match): Flow {
  const subject = interpreter.evaluate(statement.subject);
  let path: Conditions = always;
  for (const { pattern, guard, body } of statement.cases) {
    const isWild = pattern.type === "name" && guard === undefined;
    const test = isWild ? unknown("True") : interpreter.under(path, () => pattern.type === "string" || pattern.type === "number"
      ? interpreter.equal(subject, interpreter.evaluate(pattern))
      : unknown(`${textOf(interpreter.place(statement.subject))} matches ${textOf(interpreter.place(pattern))}`));
    const { yes, no } = isWild ? { yes: always, no: undefined } : interpreter.under(path, () => interpreter.split(test, interpreter.place(pattern)));
    if (yes !== undefined) interpreter.under(join(path, yes), () => executeBlock(interpreter, body));
    if (no === undefined) break;
    path = join(path, no);
  }
  return "next";
}

function importFrom(interpreter: Interpreter, statement: ImportFrom): void {
  const module = interpreter.modules.load(interpreter, statement.module, statement.level);
  if (statement.all) {
    if (module?.kind === "module") {
      for (const name of module.scope.names()) {
        const value = module.scope.own(name, interpreter.stack);
        if (value !== undefined) interpreter.scope.write(name, value, interpreter);
      }
    } else interpreter.scope.write("*", { kind: "external", name: statement.module }, interpreter);
    return;
  }
  for (const imported of statement.names) {
    const base: Value = module ?? { kind: "external", name: statement.module };
    const inside = module?.kind === "module" && module.scope.own(imported.name, interpreter.stack) === undefined ? interpreter.modules.load(interpreter, statement.module === "" ? imported.name : `${statement.module}.${imported.name}`, statement.level) : undefined;
    const value = inside ?? interpreter.attribute(base, imported.name, interpreter.place(imported));
    const step = { place: interpreter.place(imported), what: `imported from ${statement.module}` };
    interpreter.scope.write(imported.as ?? imported.name, value.kind === "text" ? interpreter.withSteps(value, [step]) : value, interpreter);
  }
}

const bindings: Readonly<Record<string, FunctionValue["binding"]>> = {
  staticmethod: "static", classmethod: "class", property: "property", cached_property: "property", contextmanager: "wrapped",
};

function defineFunction(interpreter: Interpreter, node: FunctionDefinition, owner?: ClassValue): void {
  const binding = node.decorators.map((one) => bindings[one.type === "name" ? one.id : one.type === "attribute" ? one.name : ""]).find((one) => one !== undefined) ?? "plain";
  const value = interpreter.makeFunction(node, node.name, owner, binding);
  if (interpreter.functions.length < 5_000) interpreter.functions.push(value);
  interpreter.scope.write(node.name, value, interpreter);
}

function defineClass(interpreter: Interpreter, node: ClassDefinition): void {
  const bases = node.bases.filter((base) => base.name === undefined).map((base) => interpreter.evaluate(base.value));
  const outer = interpreter.scope;
  const scope = new Scope(outer, interpreter.conditions, true);
  const value: ClassValue = { kind: "class", name: node.name, bases, scope, node, file: interpreter.file };
  if (interpreter.classes.length < 1_000) interpreter.classes.push(value);
  outer.write(node.name, value, interpreter);
  interpreter.scope = scope;
  try {
    for (const statement of node.body) {
      if (statement.type === "function") defineFunction(interpreter, statement, value);
      else executeBlock(interpreter, [statement]);
    }
  } finally {
    interpreter.scope = outer;
  }
}
