import type { RecordedSymbols } from "../../catalogue/index.ts";
import { entityKey } from "../mangling/index.ts";

/** A name as people write it: `c10::cuda::SetDevice(int)`, `vtable for c10::Error`. */
export interface WrittenName {
  /** As `entityKey` writes it. */
  readonly key: string;
  /** "TV" of "vtable for"; "" for what is no special name. */
  readonly special: string;
  /** Without template arguments and tags. */
  readonly components: readonly string[];
  /** The name with the template arguments that were written; undefined: none were. */
  readonly instantiation?: string;
  /** What stands in the parentheses, with what follows them; undefined: nothing was said of parameters. */
  readonly parameters?: string;
}

/** What `entityKey` puts before a special name, with its code in mangled names. Source: Itanium C++ ABI, 5.1.4.1. */
const specialCodes: readonly (readonly [words: string, code: string])[] = [["vtable for ", "TV"], ["VTT for ", "TT"], ["typeinfo for ", "TI"]];

/** Codes of operators by their text; those of one and of two operands have the same. Source: Itanium C++ ABI, 5.1.3. */
const operatorCodes: Readonly<Record<string, readonly string[]>> = {
  "()": ["cl"], "[]": ["ix"], "=": ["aS"], "==": ["eq"], "!=": ["ne"], "<": ["lt"], ">": ["gt"], "<=": ["le"], ">=": ["ge"], "<=>": ["ss"], "+": ["pl", "ps"], "-": ["mi", "ng"],
  "*": ["ml", "de"], "/": ["dv"], "%": ["rm"], "&": ["an", "ad"], "|": ["or"], "^": ["eo"], "~": ["co"], "!": ["nt"], "&&": ["aa"], "||": ["oo"], "<<": ["ls"], ">>": ["rs"],
  "+=": ["pL"], "-=": ["mI"], "*=": ["mL"], "/=": ["dV"], "%=": ["rM"], "&=": ["aN"], "|=": ["oR"], "^=": ["eO"], "<<=": ["lS"], ">>=": ["rS"], "++": ["pp"], "--": ["mm"], "->": ["pt"], "->*": ["pm"], ",": ["cm"],
  new: ["nw"], "new[]": ["na"], delete: ["dl"], "delete[]": ["da"],
};

/** Longer text names nothing. */
const longest = 4096;

/** undefined for what is no name: it is empty, or has parts that no name has. */
export function readWrittenName(text: string): WrittenName | undefined {
  if (text.length > longest) return undefined;
  const [words = "", special = ""] = specialCodes.find(([beginning]) => text.startsWith(beginning)) ?? [];
  const components: string[] = [];
  let component = "";
  let depth = 0;
  let end: number | undefined;
  let start = words.length;
  let isInstantiation = false;
  for (let at = words.length; at < text.length && end === undefined; at++) {
    const letter = text.charAt(at);
    const operator = depth === 0 && component === "" && text.startsWith("operator", at) ? /^operator(?:\s*(?:\(\)|\[\]|[-+*/%^&|~!=<>,]+)|\s+[^(]+)/.exec(text.slice(at))?.[0] : undefined;
    if (operator !== undefined) {
      const what = operator.slice("operator".length).trim();
      component = `operator${/^\w/.test(what) ? " " : ""}${what}`;
      at += operator.length - 1;
    } else if (letter === "<" || letter === "[") {
      depth++;
      isInstantiation ||= letter === "<";
    } else if (letter === ">" || letter === "]") depth--;
    else if (depth > 0) continue;
    else if (letter === "(") end = at;
    else if (letter === ":" && text.charAt(at + 1) === ":") {
      components.push(component);
      component = "";
      at++;
    } else if (letter === " ") {
      // What stood before is the type that it returns.
      components.length = 0;
      component = "";
      start = at + 1;
      isInstantiation = false;
    } else component += letter;
  }
  components.push(component);
  if (components[0] === "") components.shift();
  if (components.length === 0 || components.some((one) => !/^(?:~?[A-Za-z_]\w*|operator.+)$/s.test(one))) return undefined;
  return {
    key: words + components.join("::"), special, components,
    ...(isInstantiation ? { instantiation: text.slice(start, end).replace(/^::/, "") } : {}),
    ...(end === undefined ? {} : { parameters: text.slice(end).trim() }),
  };
}

/** The recorded mangled and C names that a qualified name stands for, of all overloads, qualifiers and variants. */
export function namesOf({ key, special, components }: WrittenName, history: RecordedSymbols): readonly string[] {
  const whole = startsOf(components, special).flatMap((start) => [...history.namesFrom(start)]).filter((name) => keyOf(name) === key);
  if (whole.length > 0) return whole;
  // A class in it may be a template, whose arguments stand in the middle of the mangled name.
  const last = encoded(components, components.length - 1);
  for (let kept = components.length - 1; kept > 1; kept--) {
    const starts = startsOf(components.slice(0, kept), special).map((start) => `${start}I`);
    const found = starts.flatMap((start) => [...history.namesFrom(start)]).filter((name) => last.some((part) => name.includes(part)) && keyOf(name) === key);
    if (found.length > 0) return found;
  }
  return [];
}

/** The name's key; a C name is its own. */
export function keyOf(symbol: string): string | undefined {
  return symbol.startsWith("_Z") ? entityKey(symbol) : symbol;
}

/** How mangled names that begin with these components begin. */
function startsOf(components: readonly string[], special: string): readonly string[] {
  let codes: readonly string[] = [""];
  for (const at of components.keys()) codes = codes.flatMap((before) => encoded(components, at).map((one) => before + one));
  const [only] = components;
  if (components.length === 1 && only !== undefined) return [...codes.map((code) => `_Z${special}${code}`), ...(special === "" ? [only] : [])];
  const qualifiers = special === "" ? ["", "K", "R", "O", "KR", "KO"] : [""];
  return codes.flatMap((code) => qualifiers.map((one) => `_Z${special}N${one}${code}`));
}

/** A component as mangled names write it; more than one where an operator may have one operand or two. */
function encoded(components: readonly string[], at: number): readonly string[] {
  const component = components[at] ?? "";
  const owner = components[at - 1];
  if (component === owner) return ["C"];
  if (component === `~${owner}`) return ["D"];
  const operator = /^operator(?! ?$)( ?)(\W.*|.+)/s.exec(component);
  if (operator === null || (operator[1] === "" && /^\w/.test(operator[2] ?? ""))) return [`${component.length}${component}`];
  // What is no operator's name is a type: a conversion.
  return operatorCodes[operator[2] ?? ""] ?? ["cv"];
}
