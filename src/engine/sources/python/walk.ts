import type { Expression, Statement } from "./syntax.ts";

/** What surrounds a node: enough to tell whether and how it is reached. */
export interface Surroundings {
  readonly inFunction: boolean;
  readonly inTry: boolean;
  readonly className: string | undefined;
  /** Tests of the `if`s around it; false: it stands on the other branch. */
  readonly tests: readonly { readonly test: Expression; readonly holds: boolean }[];
}

export interface Visitor {
  statement?(node: Statement, around: Surroundings): void;
  /** `parents` leads outwards from the node, at most to its statement. */
  expression?(node: Expression, parents: readonly Expression[], around: Surroundings): void;
}

const outermost: Surroundings = { inFunction: false, inTry: false, className: undefined, tests: [] };

/** Deeper nesting than this is not walked. */
const maximumDepth = 150;

/** Visits every statement and expression of a file, in order. */
export function walkModule(body: readonly Statement[], visitor: Visitor): void {
  walkBlock(body, visitor, outermost, 0);
}

function walkBlock(body: readonly Statement[], visitor: Visitor, around: Surroundings, depth: number): void {
  if (depth > maximumDepth) return;
  for (const statement of body) walkStatement(statement, visitor, around, depth);
}

function walkStatement(node: Statement, visitor: Visitor, around: Surroundings, depth: number): void {
  visitor.statement?.(node, around);
  const expression = (one: Expression | undefined): void => { if (one !== undefined) walkExpression(one, [], visitor, around); };
  const block = (body: readonly Statement[], inside: Surroundings = around): void => { walkBlock(body, visitor, inside, depth + 1); };
  switch (node.type) {
    case "expression": case "return": case "raise":
      expression(node.value);
      return;
    case "assign":
      for (const target of node.targets) expression(target);
      expression(node.value);
      return;
    case "augmented":
      expression(node.target);
      expression(node.value);
      return;
    case "assert":
      expression(node.test);
      return;
    case "if": {
      let link = node;
      let tests = around.tests;
      for (;;) {
        walkExpression(link.test, [], visitor, { ...around, tests });
        block(link.body, { ...around, tests: [...tests, { test: link.test, holds: true }] });
        tests = [...tests, { test: link.test, holds: false }];
        const [only] = link.otherwise;
        if (link.otherwise.length !== 1 || only?.type !== "if") break;
        link = only;
      }
      block(link.otherwise, { ...around, tests });
      return;
    }
    case "for":
      expression(node.iterable);
      block(node.body);
      block(node.otherwise);
      return;
    case "while":
      expression(node.test);
      block(node.body);
      block(node.otherwise);
      return;
    case "try": {
      block(node.body, node.handlers.length > 0 ? { ...around, inTry: true } : around);
      for (const handler of node.handlers) block(handler.body, { ...around, inTry: true });
      block(node.otherwise);
      block(node.finally);
      return;
    }
    case "with":
      for (const item of node.items) expression(item.context);
      block(node.body);
      return;
    case "function":
      for (const one of node.decorators) expression(one);
      for (const parameter of node.parameters) expression(parameter.default);
      block(node.body, { ...around, inFunction: true });
      return;
    case "class":
      for (const base of node.bases) expression(base.value);
      block(node.body, { ...around, className: node.name });
      return;
    case "match":
      expression(node.subject);
      for (const one of node.cases) block(one.body, { ...around, inTry: around.inTry });
      return;
    case "delete": case "pass": case "break": case "continue": case "import": case "import-from": case "global": case "nonlocal": case "broken":
      return;
  }
}

function walkExpression(node: Expression, parents: readonly Expression[], visitor: Visitor, around: Surroundings): void {
  if (parents.length > maximumDepth) return;
  visitor.expression?.(node, parents, around);
  const inner = [node, ...parents];
  for (const child of childrenOf(node)) walkExpression(child, inner, visitor, around);
}

function childrenOf(node: Expression): readonly Expression[] {
  const present = (...all: (Expression | undefined)[]): Expression[] => all.filter((one) => one !== undefined);
  switch (node.type) {
    case "fstring": return node.parts.flatMap((part) => typeof part === "string" ? [] : [part.expression]);
    case "list": case "tuple": case "set": return node.elements;
    case "dict": return node.entries.flatMap((entry) => present(entry.key, entry.value));
    case "binary": return [node.left, node.right];
    case "unary": return [node.operand];
    case "boolean": return node.values;
    case "comparison": return [node.left, ...node.rest.map((one) => one.right)];
    case "call": return [node.callee, ...node.arguments.map((one) => one.value)];
    case "attribute": return [node.object];
    case "subscript": return [node.object, node.index];
    case "slice": return present(node.lower, node.upper, node.step);
    case "conditional": return [node.test, node.then, node.otherwise];
    case "lambda": return [node.body];
    case "comprehension": return [...present(node.element, node.value), ...node.clauses.flatMap((clause) => [clause.iterable, ...clause.tests])];
    case "starred": return [node.value];
    case "walrus": return [node.value];
    case "await": case "yield": return present(node.value);
    case "name": case "string": case "number": case "constant": case "unreadable": return [];
  }
}
