import type { FunctionType, Node, MangledSymbol } from "./ast.ts";
import { fail, maximumDepth, maximumLength } from "./cursor.ts";
import { encodeExpression } from "./encode-expressions.ts";
import { Identities } from "./identities.ts";

/**
 * Writes the tree of a symbol as a mangled name, with its substitutions found anew. `distinct` are nodes that stand for
 * something else than others of the same structure: see `distinctNodes`.
 */
export function encodeSymbol(symbol: MangledSymbol, distinct?: ReadonlySet<Node>): string {
  const encoder = new Encoder(new Identities(distinct), false);
  encodeEncoding(encoder, symbol.target);
  return `_Z${encoder.text}${symbol.suffix}`;
}

/**
 * The nodes of a tree just read that its compiler wrote out although an equal one stood before: so they are not the same to
 * it. The T_ of two templates are such, and two overloads of a function template.
 */
export function distinctNodes(symbol: MangledSymbol): ReadonlySet<Node> {
  const identities = new Identities();
  encodeEncoding(new Encoder(identities, true), symbol.target);
  return identities.distinct;
}

/** A mangled name as it grows, and what in it a substitution can refer to. */
export class Encoder {
  text = "";
  readonly #identities: Identities;
  /** Refers to the objects of the tree and not to their structure, as the name did that it was read from. */
  readonly #byObject: boolean;
  readonly #positions = new Map<number | Node, number>();
  #next = 0;
  #depth = 0;

  constructor(identities: Identities, byObject: boolean) {
    this.#identities = identities;
    this.#byObject = byObject;
  }

  add(text: string): void {
    this.text += text;
    if (this.text.length > maximumLength) fail();
  }

  enter(): void {
    if (++this.#depth > maximumDepth) fail();
  }

  leave(): void {
    this.#depth--;
  }

  remember(node: Node): void {
    if (this.#byObject && !this.#positions.has(node)) this.#identities.part(node);
    const key = this.#byObject ? node : this.#identities.of(node);
    // A candidate counts even where another equals it; the first is the one that is referred to.
    if (!this.#positions.has(key)) this.#positions.set(key, this.#next);
    this.#next++;
  }

  /** Writes a substitution where the node has been written before. */
  substitute(node: Node): boolean {
    const position = this.#positions.get(this.#byObject ? node : this.#identities.of(node));
    if (position === undefined) return false;
    this.add(position === 0 ? "S_" : `S${(position - 1).toString(36).toUpperCase()}_`);
    return true;
  }
}

export function encodeEncoding(encoder: Encoder, node: Node): void {
  encoder.enter();
  switch (node.kind) {
    case "encoding":
      encodeName(encoder, node.name);
      if (node.marksReturn) encoder.add("J");
      if (node.returns !== undefined) encodeType(encoder, node.returns);
      for (const parameter of node.parameters) encodeType(encoder, parameter);
      if (node.constraint !== undefined) {
        encoder.add("Q");
        encodeExpression(encoder, node.constraint);
      }
      break;
    case "special": encodeSpecial(encoder, node); break;
    default: encodeName(encoder, node);
  }
  encoder.leave();
}

function encodeSpecial(encoder: Encoder, node: Node & { kind: "special" }): void {
  encoder.add(node.code);
  switch (node.code) {
    case "TV": case "TT": case "TI": case "TS": case "TF":
      encodeType(encoder, node.target);
      break;
    case "TC":
      encodeType(encoder, node.target);
      encoder.add(`${node.detail}_`);
      if (node.base !== undefined) encodeType(encoder, node.base);
      break;
    case "TA": encodeTemplateArgument(encoder, node.target); break;
    case "Th": case "Tv": case "Tc": case "GTt": case "GTn": case "GA":
      encoder.add(node.detail);
      encodeEncoding(encoder, node.target);
      break;
    default:
      encodeName(encoder, node.target);
      encoder.add(node.tail);
  }
}

/** <name> */
export function encodeName(encoder: Encoder, node: Node): void {
  encoder.enter();
  if (node.kind === "this-qualified") {
    encodeNested(encoder, node.name, node.qualifiers + node.reference);
  } else if (node.kind === "local") {
    encoder.add("Z");
    encodeEncoding(encoder, node.within);
    encoder.add("E");
    if (node.defaultArgument !== undefined) encoder.add(`d${node.defaultArgument}_`);
    if (node.entity === undefined) encoder.add("s");
    else encodeName(encoder, node.entity);
    encoder.add(node.discriminator);
  } else if (node.kind === "template") {
    if (isNested(node.name)) {
      encodeNested(encoder, node, "");
    } else {
      encodeTemplateName(encoder, node.name);
      encodeTemplateArguments(encoder, node.args);
    }
  } else if (isNested(node)) {
    encodeNested(encoder, node, "");
  } else {
    encodeUnscoped(encoder, node);
  }
  encoder.leave();
}

/** Whether a name stands between N and E: where its scope is more than std. */
function isNested(node: Node): boolean {
  return node.kind === "member" ? node.scope.kind !== "std" : node.kind === "template" || node.kind === "initializer";
}

function encodeUnscoped(encoder: Encoder, node: Node): void {
  if (node.kind === "member") {
    encoder.add("St");
    encodeUnqualified(encoder, node.name);
  } else {
    encodeUnqualified(encoder, node);
  }
}

function encodeTemplateName(encoder: Encoder, node: Node): void {
  if (node.kind === "abbreviation") {
    encodeUnqualified(encoder, node);
  } else if (!encoder.substitute(node)) {
    encodeUnscoped(encoder, node);
    encoder.remember(node);
  }
}

function encodeNested(encoder: Encoder, node: Node, qualifiers: string): void {
  encoder.add(`N${qualifiers}`);
  encodePrefix(encoder, node, true);
  encoder.add("E");
}

function encodePrefix(encoder: Encoder, node: Node, isWhole: boolean): void {
  encoder.enter();
  const isCandidate = node.kind !== "std" && node.kind !== "abbreviation" && node.kind !== "initializer";
  if (isWhole || !isCandidate || !encoder.substitute(node)) {
    switch (node.kind) {
      case "std": encoder.add("St"); break;
      case "member":
        encodePrefix(encoder, node.scope, false);
        encodeUnqualified(encoder, node.name);
        break;
      case "template":
        encodePrefix(encoder, node.name, false);
        encodeTemplateArguments(encoder, node.args);
        break;
      case "initializer":
        encodePrefix(encoder, node.of, false);
        encoder.add("M");
        break;
      case "parameter": encoder.add(`T${node.number}_`); break;
      case "decltype": encodeDecltype(encoder, node); break;
      default: encodeUnqualified(encoder, node);
    }
    if (!isWhole && isCandidate) encoder.remember(node);
  }
  encoder.leave();
}

/** <unqualified-name> */
export function encodeUnqualified(encoder: Encoder, node: Node): void {
  encoder.enter();
  switch (node.kind) {
    case "identifier": encoder.add(`${node.internal ? "L" : ""}${sourceName(node.text)}${node.discriminator}`); break;
    case "tagged":
      encodeUnqualified(encoder, node.name);
      encoder.add(`B${sourceName(node.tag)}`);
      break;
    case "operator": encoder.add(node.code); break;
    case "conversion":
      encoder.add("cv");
      encodeType(encoder, node.type);
      break;
    case "literal-operator": encoder.add(`li${sourceName(node.text)}`); break;
    case "vendor-operator": encoder.add(`v${node.arity}${sourceName(node.text)}`); break;
    case "constructor": case "destructor":
      encoder.add(node.variant);
      if (node.inherited !== undefined) encodeType(encoder, node.inherited);
      break;
    case "unnamed": encoder.add(`Ut${node.number}_`); break;
    case "lambda":
      encoder.add("Ul");
      for (const declaration of node.head) encodeTemplateArgument(encoder, declaration);
      for (const parameter of node.parameters) encodeType(encoder, parameter);
      encoder.add(`E${node.number}_`);
      break;
    case "bindings":
      encoder.add("DC");
      for (const name of node.names) encodeUnqualified(encoder, name);
      encoder.add("E");
      break;
    case "abbreviation": encoder.add(`S${node.letter}`); break;
    case "template":
      encodeUnqualified(encoder, node.name);
      encodeTemplateArguments(encoder, node.args);
      break;
    default: fail();
  }
  encoder.leave();
}

export function sourceName(text: string): string {
  return `${text.length}${text}`;
}

export function encodeTemplateArguments(encoder: Encoder, args: readonly Node[]): void {
  encoder.add("I");
  for (const argument of args) encodeTemplateArgument(encoder, argument);
  encoder.add("E");
}

export function encodeTemplateArgument(encoder: Encoder, node: Node): void {
  encoder.enter();
  switch (node.kind) {
    case "computed":
      encoder.add("X");
      encodeExpression(encoder, node.expression);
      encoder.add("E");
      break;
    case "literal": case "external": encodeExpression(encoder, node); break;
    case "pack":
      encoder.add(node.letter);
      for (const argument of node.args) encodeTemplateArgument(encoder, argument);
      encoder.add("E");
      break;
    case "declaration":
      encoder.add(node.code);
      if (node.code === "Tn") encodeType(encoder, node.operands[0] ?? fail());
      else if (node.code === "Tk") encodeName(encoder, node.operands[0] ?? fail());
      else for (const operand of node.operands) encodeTemplateArgument(encoder, operand);
      if (node.code === "Tt") encoder.add("E");
      break;
    default: encodeType(encoder, node);
  }
  encoder.leave();
}

/** <type> */
export function encodeType(encoder: Encoder, node: Node): void {
  if (node.kind === "builtin") {
    encoder.add(node.code);
    return;
  }
  encoder.enter();
  if (node.kind === "abbreviation") {
    encoder.add(`S${node.letter}`);
  } else if (!encoder.substitute(node)) {
    encodeNewType(encoder, node);
    encoder.remember(node);
  }
  encoder.leave();
}

function encodeNewType(encoder: Encoder, node: Node): void {
  switch (node.kind) {
    case "vendor-type":
      encoder.add(`u${sourceName(node.text)}`);
      if (node.args !== undefined) encodeTemplateArguments(encoder, node.args);
      break;
    case "qualified":
      encoder.add(node.qualifiers);
      encodeType(encoder, node.type);
      break;
    case "vendor-qualified":
      encoder.add(`U${sourceName(node.text)}`);
      if (node.args !== undefined) encodeTemplateArguments(encoder, node.args);
      encodeType(encoder, node.type);
      break;
    case "indirect":
      encoder.add(node.code);
      encodeType(encoder, node.type);
      break;
    case "function": encodeFunctionType(encoder, node); break;
    case "array":
      encoder.add("A");
      encodeDimension(encoder, node.dimension);
      encodeType(encoder, node.type);
      break;
    case "vector":
      encoder.add(typeof node.dimension === "string" ? "Dv" : "Dv_");
      encodeDimension(encoder, node.dimension);
      encodeType(encoder, node.type);
      break;
    case "member-pointer":
      encoder.add("M");
      encodeType(encoder, node.owner);
      encodeType(encoder, node.type);
      break;
    case "expansion":
      encoder.add("Dp");
      encodeType(encoder, node.pattern);
      break;
    case "parameter": encoder.add(`T${node.number}_`); break;
    case "decltype": encodeDecltype(encoder, node); break;
    case "elaborated":
      encoder.add(node.code);
      encodeName(encoder, node.name);
      break;
    case "template":
      if (node.name.kind === "parameter") {
        encodeType(encoder, node.name);
        encodeTemplateArguments(encoder, node.args);
        break;
      }
      encodeName(encoder, node);
      break;
    default: encodeName(encoder, node);
  }
}

function encodeDecltype(encoder: Encoder, node: Node & { kind: "decltype" }): void {
  encoder.add(node.code);
  encodeExpression(encoder, node.expression);
  encoder.add("E");
}

function encodeFunctionType(encoder: Encoder, node: FunctionType): void {
  encoder.add(node.qualifiers);
  if (node.exceptions !== undefined) {
    encoder.add(node.exceptions.code);
    for (const operand of node.exceptions.operands) {
      if (node.exceptions.code === "Dw") encodeType(encoder, operand);
      else encodeExpression(encoder, operand);
    }
    if (node.exceptions.code !== "Do") encoder.add("E");
  }
  encoder.add(`${node.transactionSafe ? "Dx" : ""}F${node.externC ? "Y" : ""}`);
  encodeType(encoder, node.returns);
  for (const parameter of node.parameters) encodeType(encoder, parameter);
  encoder.add(`${node.reference}E`);
}

function encodeDimension(encoder: Encoder, dimension: string | Node): void {
  if (typeof dimension === "string") encoder.add(dimension);
  else encodeExpression(encoder, dimension);
  encoder.add("_");
}
