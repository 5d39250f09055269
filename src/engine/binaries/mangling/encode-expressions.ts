import type { Node } from "./ast.ts";
import { fail } from "./cursor.ts";
import { type Encoder, encodeEncoding, encodeTemplateArgument, encodeTemplateArguments, encodeType, encodeUnqualified, sourceName } from "./encode.ts";

export function encodeExpression(encoder: Encoder, node: Node): void {
  encoder.enter();
  encode(encoder, node);
  encoder.leave();
}

function encodeAll(encoder: Encoder, nodes: readonly Node[]): void {
  for (const node of nodes) encodeExpression(encoder, node);
}

function encode(encoder: Encoder, node: Node): void {
  switch (node.kind) {
    case "literal":
      encoder.add("L");
      encodeType(encoder, node.type);
      encoder.add(`${node.value}E`);
      break;
    case "external":
      encoder.add(`L${node.prefix}`);
      encodeEncoding(encoder, node.encoding);
      encoder.add("E");
      break;
    case "operation": encodeOperation(encoder, node); break;
    case "braced":
      encoder.add(node.type === undefined ? "il" : "tl");
      if (node.type !== undefined) encodeType(encoder, node.type);
      encodeAll(encoder, node.elements);
      encoder.add("E");
      break;
    case "new":
      encoder.add(node.code);
      encodeAll(encoder, node.placement);
      encoder.add("_");
      encodeType(encoder, node.type);
      encoder.add(node.initializerCode);
      encodeAll(encoder, node.initializer ?? []);
      encoder.add("E");
      break;
    case "unresolved":
      encoder.add("sr");
      if (node.scope !== undefined) {
        encodeType(encoder, node.scope);
      } else {
        for (const level of node.levels) encodeSimpleName(encoder, level);
        encoder.add("E");
      }
      encodeSimpleName(encoder, node.name);
      break;
    case "fold":
      encoder.add(node.code + node.operator);
      encodeAll(encoder, node.operands);
      break;
    case "function-parameter": encoder.add(node.text); break;
    case "parameter": encoder.add(`T${node.number}_`); break;
    case "requires":
      encoder.add(node.code);
      for (const parameter of node.parameters) encodeType(encoder, parameter);
      if (node.code === "rQ") encoder.add("_");
      encodeAll(encoder, node.requirements);
      encoder.add("E");
      break;
    case "requirement":
      encoder.add(node.code);
      if (node.code === "T") for (const operand of node.operands) encodeType(encoder, operand);
      else encodeRequirement(encoder, node.operands, node.noexcept);
      break;
    case "vendor-expression": {
      encoder.add(`u${sourceName(node.text)}`);
      for (const argument of node.args) encodeTemplateArgument(encoder, argument);
      encoder.add("E");
      break;
    }
    case "expansion":
      encoder.add("sp");
      encodeExpression(encoder, node.pattern);
      break;
    default: encodeSimpleName(encoder, node);
  }
}

function encodeRequirement(encoder: Encoder, operands: readonly Node[], noexcept: boolean): void {
  const [expression, constraint] = operands;
  encodeExpression(encoder, expression ?? fail());
  if (noexcept) encoder.add("N");
  if (constraint !== undefined) {
    encoder.add("R");
    encodeExpression(encoder, constraint);
  }
}

/** A name in an expression: nothing in it but its template arguments is a candidate for substitution. */
function encodeSimpleName(encoder: Encoder, node: Node): void {
  switch (node.kind) {
    case "template":
      encodeSimpleName(encoder, node.name);
      encodeTemplateArguments(encoder, node.args);
      break;
    case "operator-reference":
      encoder.add("on");
      encodeUnqualified(encoder, node.name);
      break;
    case "destructor-reference":
      encoder.add("dn");
      if (node.of.kind === "identifier") encodeSimpleName(encoder, node.of);
      else encodeType(encoder, node.of);
      break;
    case "unresolved": encode(encoder, node); break;
    default: encodeUnqualified(encoder, node);
  }
}

function encodeOperation(encoder: Encoder, node: Node & { kind: "operation" }): void {
  const { code, form, operands } = node;
  const [first, ...others] = operands;
  encoder.add(code);
  if (code === "sP") {
    for (const operand of operands) encodeTemplateArgument(encoder, operand);
    encoder.add("E");
    return;
  }
  if (first === undefined) {
    if (code === "cp") encoder.add("E");
    return;
  }
  switch (code) {
    case "cv":
      encodeType(encoder, first);
      encoder.add(form);
      encodeAll(encoder, others);
      if (form !== "") encoder.add("E");
      break;
    case "st": case "at": case "ti": encodeType(encoder, first); break;
    case "dc": case "sc": case "cc": case "rc":
      encodeType(encoder, first);
      encodeAll(encoder, others);
      break;
    case "pp": case "mm":
      encoder.add(form);
      encodeExpression(encoder, first);
      break;
    case "cl": case "cp":
      encodeAll(encoder, operands);
      encoder.add("E");
      break;
    case "dt": case "pt":
      encodeExpression(encoder, first);
      encoder.add(form);
      encodeAll(encoder, others);
      break;
    default: encodeAll(encoder, operands);
  }
}
