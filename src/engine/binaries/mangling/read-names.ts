import type { Node, SpecialName, MangledSymbol } from "./ast.ts";
import { type Cursor, fail, isDigit } from "./cursor.ts";
import { abbreviations, operators, specialNames } from "./grammar.ts";
import { readConstraint, readTemplateArgument, readTemplateArguments } from "./read-arguments.ts";
import { readParameters, readParameterDeclarations, readType } from "./read-types.ts";

const std: Node = { kind: "std" };

/** <mangled-name>, and what a compiler appended to the name of a clone. */
export function readSymbol(cursor: Cursor): MangledSymbol {
  cursor.expect("_Z");
  const target = readEncoding(cursor);
  const suffix = cursor.text.slice(cursor.at);
  // .isra.0, .cold, .part.1.constprop.2: words and numbers, each after a dot.
  if (suffix !== "" && !/^(?:\.[a-z0-9_]+)+$/.test(suffix)) fail();
  return { target, suffix };
}

/** The name that a symbol begins with: for a function without its parameters, which are left unread. */
export function readNameOnly(cursor: Cursor): Node {
  cursor.expect("_Z");
  const character = cursor.peek();
  return character === "T" || character === "G" ? readSpecialName(cursor) : readName(cursor);
}

/** <encoding> */
export function readEncoding(cursor: Cursor): Node {
  cursor.enter();
  const character = cursor.peek();
  const encoding = character === "T" || character === "G" ? readSpecialName(cursor) : readFunctionOrData(cursor);
  cursor.leave();
  return encoding;
}

function readFunctionOrData(cursor: Cursor): Node {
  const name = readName(cursor);
  if (endsEncoding(cursor)) return name;
  const marksReturn = cursor.eat("J");
  const returns = marksReturn || returnIsEncoded(name) ? readType(cursor) : undefined;
  const parameters = readParameters(cursor);
  const constraint = cursor.peek() === "Q" ? readConstraint(cursor) : undefined;
  return { kind: "encoding", name, marksReturn, returns, parameters, constraint };
}

function endsEncoding(cursor: Cursor): boolean {
  const character = cursor.peek();
  return character === "" || character === "E";
}

/** Templates encode their return type, unless they are constructors, destructors or conversion functions. */
function returnIsEncoded(name: Node): boolean {
  let node: Node | undefined = name;
  while (node?.kind === "this-qualified" || node?.kind === "local") node = node.kind === "local" ? node.entity : node.name;
  if (node?.kind !== "template") return false;
  node = node.name;
  while (node?.kind === "member" || node?.kind === "tagged" || node?.kind === "local") node = node.kind === "local" ? node.entity : node.name;
  return node?.kind !== "constructor" && node?.kind !== "destructor" && node?.kind !== "conversion";
}

/** <special-name> */
function readSpecialName(cursor: Cursor): Node {
  let code = cursor.take() + cursor.take();
  if (code === "GT") code += cursor.take();
  if (specialNames[code] === undefined) return fail();
  let detail = "";
  let base: Node | undefined;
  let tail = "";
  let target: Node;
  switch (code) {
    case "TV": case "TT": case "TI": case "TS": case "TF":
      target = readType(cursor);
      break;
    case "TC":
      target = readType(cursor);
      detail = cursor.signedDigits();
      cursor.expect("_");
      base = readType(cursor);
      break;
    case "Th": case "Tv":
      detail = readCallOffset(cursor, code.slice(1));
      target = readEncoding(cursor);
      break;
    case "Tc": {
      const from = cursor.at;
      readCallOffset(cursor, cursor.take());
      readCallOffset(cursor, cursor.take());
      detail = cursor.text.slice(from, cursor.at);
      target = readEncoding(cursor);
      break;
    }
    case "TA":
      target = readTemplateArgument(cursor);
      break;
    case "GR":
      target = readName(cursor);
      tail = endsEncoding(cursor) ? "" : cursor.digits() + (cursor.eat("_") ? "_" : "");
      break;
    case "GTt": case "GTn": case "GA":
      target = readEncoding(cursor);
      break;
    default:
      target = readName(cursor);
  }
  return { kind: "special", code, detail, target, base, tail } satisfies SpecialName;
}

/** h <number> _, v <number> _ <number> _ */
function readCallOffset(cursor: Cursor, letter: string): string {
  if (letter !== "h" && letter !== "v") return fail();
  const from = cursor.at;
  cursor.signedDigits();
  cursor.expect("_");
  if (letter === "v") {
    cursor.signedDigits();
    cursor.expect("_");
  }
  return cursor.text.slice(from, cursor.at);
}

/** <name> */
export function readName(cursor: Cursor): Node {
  cursor.enter();
  let name: Node;
  switch (cursor.peek()) {
    case "N": name = readNestedName(cursor); break;
    case "Z": name = readLocalName(cursor); break;
    case "S":
      if (cursor.next() === "t") {
        cursor.at += 2;
        name = readTemplateId(cursor, { kind: "member", scope: std, name: readUnqualifiedName(cursor) }, true);
      } else {
        name = readTemplateId(cursor, readSubstitution(cursor), false);
      }
      break;
    default: name = readTemplateId(cursor, readUnqualifiedName(cursor), true);
  }
  cursor.leave();
  return name;
}

function readTemplateId(cursor: Cursor, name: Node, isNew: boolean): Node {
  if (cursor.peek() !== "I") return name;
  if (isNew) cursor.remember(name);
  return { kind: "template", name, args: readTemplateArguments(cursor) };
}

/** N [<CV-qualifiers>] [<ref-qualifier>] <prefix> <unqualified-name> E */
function readNestedName(cursor: Cursor): Node {
  cursor.at++;
  const from = cursor.at;
  while ("rVK".includes(cursor.peek()) && cursor.peek() !== "") cursor.at++;
  const qualifiers = cursor.text.slice(from, cursor.at);
  const reference = cursor.peek() === "R" || cursor.peek() === "O" ? cursor.take() : "";
  const name = readPrefix(cursor);
  return qualifiers === "" && reference === "" ? name : { kind: "this-qualified", qualifiers, reference, name };
}

function readPrefix(cursor: Cursor): Node {
  let prefix: Node | undefined;
  let components = 0;
  for (;;) {
    cursor.enter();
    let isNew = true;
    const character = cursor.peek();
    const next = cursor.next();
    if (character === "E") {
      cursor.at++;
      for (; components >= 0; components--) cursor.leave();
      return prefix ?? fail();
    }
    components++;
    if (character === "S" && prefix === undefined) {
      if (next === "t") {
        cursor.at += 2;
        prefix = std;
      } else {
        prefix = readSubstitution(cursor, true);
      }
      isNew = false;
    } else if (character === "I" && prefix !== undefined) {
      prefix = { kind: "template", name: prefix, args: readTemplateArguments(cursor) };
    } else if (character === "T" && prefix === undefined) {
      prefix = readTemplateParameter(cursor);
    } else if (character === "D" && (next === "t" || next === "T") && prefix === undefined) {
      prefix = readType(cursor, false);
    } else if (character === "M" && prefix !== undefined) {
      cursor.at++;
      prefix = { kind: "initializer", of: prefix };
      isNew = false;
    } else {
      const name = readUnqualifiedName(cursor);
      prefix = prefix === undefined ? name : { kind: "member", scope: prefix, name };
    }
    if (isNew && cursor.peek() !== "E") cursor.remember(prefix);
  }
}

/** Z <encoding> E ... */
function readLocalName(cursor: Cursor): Node {
  cursor.at++;
  const within = readEncoding(cursor);
  cursor.expect("E");
  if (cursor.eat("s")) return { kind: "local", within, entity: undefined, discriminator: readDiscriminator(cursor), defaultArgument: undefined };
  const defaultArgument = cursor.eat("d") ? cursor.compactNumber() : undefined;
  const entity = readName(cursor);
  const discriminator = entity.kind === "lambda" || entity.kind === "unnamed" ? "" : readDiscriminator(cursor);
  return { kind: "local", within, entity, discriminator, defaultArgument };
}

/** _ <digit>, __ <number> _ */
function readDiscriminator(cursor: Cursor): string {
  const from = cursor.at;
  if (!cursor.eat("_")) return "";
  const long = cursor.eat("_");
  if (cursor.digits() === "") return fail();
  if (long) cursor.expect("_");
  return cursor.text.slice(from, cursor.at);
}

/** <unqualified-name> with its ABI tags. */
export function readUnqualifiedName(cursor: Cursor): Node {
  let name = readUntaggedName(cursor);
  while (cursor.peek() === "B") {
    cursor.at++;
    name = { kind: "tagged", name, tag: cursor.sourceName() };
  }
  return name;
}

function readUntaggedName(cursor: Cursor): Node {
  const character = cursor.peek();
  if (isDigit(character.charCodeAt(0))) return readIdentifier(cursor);
  const next = cursor.next();
  switch (character) {
    case "L": {
      cursor.at++;
      const text = cursor.lastName = cursor.sourceName();
      return { kind: "identifier", text, internal: true, discriminator: readDiscriminator(cursor) };
    }
    case "C":
      if (next === "I" && /[1-5]/.test(cursor.text.charAt(cursor.at + 2))) {
        const variant = cursor.take() + cursor.take() + cursor.take();
        const inherited = readType(cursor);
        return { kind: "constructor", variant, of: cursor.lastName, inherited };
      }
      if (!/[1-5]/.test(next)) return fail();
      return { kind: "constructor", variant: cursor.take() + cursor.take(), of: cursor.lastName, inherited: undefined };
    case "D":
      if (next === "C") {
        cursor.at += 2;
        const names: Node[] = [];
        while (!cursor.eat("E")) names.push(readIdentifier(cursor));
        return { kind: "bindings", names };
      }
      if (!/[0-5]/.test(next)) return fail();
      return { kind: "destructor", variant: cursor.take() + cursor.take(), of: cursor.lastName, inherited: undefined };
    case "U":
      cursor.at += 2;
      if (next === "l") return readLambda(cursor);
      if (next === "t") return { kind: "unnamed", number: cursor.compactNumber() };
      return fail();
    default: return readOperatorName(cursor);
  }
}

function readIdentifier(cursor: Cursor): Node {
  const text = cursor.lastName = cursor.sourceName();
  return { kind: "identifier", text, internal: false, discriminator: "" };
}

function readLambda(cursor: Cursor): Node {
  const head = readParameterDeclarations(cursor);
  const parameters = readParameters(cursor);
  cursor.expect("E");
  return { kind: "lambda", head, parameters, number: cursor.compactNumber() };
}

/** <operator-name> */
export function readOperatorName(cursor: Cursor): Node {
  const character = cursor.peek();
  if (character === "v" && isDigit(cursor.next().charCodeAt(0))) {
    cursor.at++;
    const arity = cursor.take();
    return { kind: "vendor-operator", arity, text: cursor.sourceName() };
  }
  const code = cursor.take() + cursor.take();
  if (code === "li") return { kind: "literal-operator", text: cursor.sourceName() };
  if (code === "cv") {
    const before = cursor.inConversion;
    cursor.inConversion = !cursor.inExpression;
    const type = readType(cursor);
    cursor.inConversion = before;
    return { kind: "conversion", type };
  }
  return operators[code] === undefined ? fail() : { kind: "operator", code };
}

/** S_, S0_ ..., Sa, Ss ... */
export function readSubstitution(cursor: Cursor, asScope = false): Node {
  cursor.expect("S");
  const from = cursor.at;
  const letter = cursor.take();
  const abbreviation = abbreviations[letter];
  if (abbreviation !== undefined) {
    let node: Node = { kind: "abbreviation", letter };
    cursor.lastName = abbreviation[1];
    while (!asScope && cursor.peek() === "B") {
      cursor.at++;
      node = { kind: "tagged", name: node, tag: cursor.sourceName() };
      cursor.remember(node);
    }
    return node;
  }
  cursor.at = from;
  let index = 0;
  if (cursor.peek() !== "_") {
    for (let character = cursor.take(); character !== "_"; character = cursor.take()) {
      const code = character.charCodeAt(0);
      if (isDigit(code)) index = index * 36 + code - 48;
      else if (code >= 65 && code <= 90) index = index * 36 + code - 55;
      else return fail();
      if (index > cursor.substitutions.length) return fail();
    }
    index++;
  } else {
    cursor.at++;
  }
  return cursor.substitutions[index] ?? fail();
}

/** T_, T0_, TL1_0_ */
export function readTemplateParameter(cursor: Cursor): Node {
  cursor.expect("T");
  const from = cursor.at;
  if (cursor.eat("L")) {
    cursor.digits();
    cursor.expect("_");
  }
  cursor.digits();
  cursor.expect("_");
  return { kind: "parameter", number: cursor.text.slice(from, cursor.at - 1) };
}
