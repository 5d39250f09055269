import type { Condition } from "../../../model/index.ts";
import type { Place, SourceFile } from "../source-file.ts";
import type { ClassDefinition, FunctionDefinition, Lambda } from "../syntax.ts";
import type { Scope } from "./scope.ts";

/** A condition on the way to where evaluation stands. Branch 0: its test held, 1: it did not. */
export interface Branching extends Condition {
  readonly branch: 0 | 1;
  /** Taken for granted because the other branch ends the build: it decides what can be met, and is not reported. */
  readonly assumed?: boolean;
}

export type Conditions = readonly Branching[];
export const always: Conditions = [];

/** What had to be left out: elements of a list or dict, calls, the end of a long function or module. */
export type Cut = "elements" | "calls" | "steps";

/** Stands for what has more values or forms, each under other conditions, than are told apart; whoever meets it reports it. */
export const tooMany = "one of very many values";

/** Where evaluation stands. */
export interface Standing {
  readonly stack: Conditions;
  /** Counts work that is no step of its own, such as copying. */
  spend(work: number): void;
  /** Notes that something was left out. */
  cut(what: Cut, name?: string): void;
}

/** What a value is asked from while the build runs. */
export type Followed = "torch" | "environment";

/** A step of the way a value took, for people. */
export interface Step {
  readonly place: Place;
  readonly what: string;
}

/** What an unknown text is when environment variables are left alone, and the tests that say so. */
export interface UsualText { readonly value: string; readonly because: Conditions }

export interface TextValue {
  readonly kind: "text";
  /** Unknown stretches stand in braces: `-DX={x}`. */
  readonly value: string;
  readonly known: boolean;
  readonly follows?: Followed;
  readonly usual?: UsualText;
  readonly place: Place;
  readonly steps: readonly Step[];
}

export interface NumberValue { readonly kind: "number"; readonly value: number; readonly follows?: Followed }
export interface BooleanValue { readonly kind: "boolean"; readonly value: boolean; readonly follows?: Followed }
export interface NoneValue { readonly kind: "none" }

export interface Element {
  readonly value: Value;
  /** Beyond the conditions under which the list exists. */
  readonly conditions: Conditions;
}

/** A list, tuple or set. Lists are shared and change. */
export interface ListValue {
  readonly kind: "list";
  readonly makes: "list" | "tuple" | "set";
  elements: Element[];
  readonly base: Conditions;
  readonly place: Place;
  steps: Step[];
  /** Names, attributes and containers that it was ever put into. */
  held: number;
  /** Many lists went into it, each under its conditions. */
  readonly gathered?: boolean;
  /** Lists that are the same one under conditions: what is added here is added there. */
  links?: { list: ListValue; conditions: Conditions }[];
}

export interface DictValue {
  readonly kind: "dict";
  entries: { readonly key: Value; value: Value; readonly conditions: Conditions; readonly keyPlace: Place }[];
  /** Keys that were ever set. */
  readonly keys: Set<string | number>;
  /** Set when keys that are not known may be in it. */
  open: boolean;
  readonly base: Conditions;
  readonly place: Place;
  steps: Step[];
}

export interface FunctionValue {
  readonly kind: "function";
  readonly node: FunctionDefinition | Lambda;
  readonly name: string;
  readonly scope: Scope;
  readonly file: SourceFile;
  readonly self?: Value;
  /** The class whose body defines it. */
  readonly owner?: ClassValue;
  /** Decorated by something that changes how it is called. */
  readonly binding: "plain" | "static" | "class" | "property" | "wrapped";
  /** Defaults are evaluated where the function is defined. */
  readonly defaults: ReadonlyMap<string, Value>;
}

export interface ClassValue {
  readonly kind: "class";
  readonly name: string;
  readonly bases: readonly Value[];
  readonly scope: Scope;
  readonly node: ClassDefinition;
  readonly file: SourceFile;
}

/** An instance of a class, or of a class of a library, named by its dotted name. */
export interface ObjectValue {
  readonly kind: "object";
  readonly type: ClassValue | string;
  readonly attributes: Scope;
  readonly conditions: Conditions;
  readonly place: Place;
}

export interface ModuleValue { readonly kind: "module"; readonly name: string; readonly scope: Scope; readonly file: SourceFile }

/** Something of a library or of Python itself, by its full dotted name: "torch.utils.cpp_extension.CUDAExtension". */
export interface ExternalValue { readonly kind: "external"; readonly name: string }

/** A method of a built-in value that waits to be called. */
export interface MethodValue { readonly kind: "method"; readonly self: Value; readonly name: string }

/** A version that compares as one: torch.__version__, packaging's Version. */
export interface VersionValue { readonly kind: "version"; readonly text: string; readonly follows?: Followed }

export interface UnknownValue {
  readonly kind: "unknown";
  /** As one would write it: `os.environ.get("X")`. The same text means the same value. */
  readonly text: string;
  readonly follows?: Followed;
  /** Whether it counts as true, when that is known although the value is not. */
  readonly truth?: boolean;
  /** What it is when environment variables are left alone. */
  readonly usual?: Value;
}

/** A part of a text, with what it depends on. */
export interface Piece { readonly value: TextValue; readonly conditions: Conditions }

/** One of several values, depending on conditions. */
export interface ChoiceValue {
  readonly kind: "choice";
  readonly alternatives: readonly Alternative[];
  /** A text put together under conditions; the alternatives are what it may come to, or one that is not known. */
  readonly pieces?: readonly Piece[];
}

export interface Alternative {
  readonly value: Value;
  readonly conditions: Conditions;
}

export type Value =
  | TextValue | NumberValue | BooleanValue | NoneValue | ListValue | DictValue | FunctionValue | ClassValue | ObjectValue
  | ModuleValue | ExternalValue | MethodValue | VersionValue | UnknownValue | ChoiceValue;

export const none: NoneValue = { kind: "none" };

/** Texts longer than this are cut where unknown values are named. */
const maximumText = 200;

export function unknown(text: string, follows?: Followed): UnknownValue {
  const cut = text.length > maximumText ? `${text.slice(0, maximumText)}…` : text;
  return follows === undefined ? { kind: "unknown", text: cut } : { kind: "unknown", text: cut, follows };
}

export function boolean(value: boolean, follows?: Followed): BooleanValue {
  return follows === undefined ? { kind: "boolean", value } : { kind: "boolean", value, follows };
}

export function number(value: number, follows?: Followed): NumberValue {
  return follows === undefined ? { kind: "number", value } : { kind: "number", value, follows };
}

export function text(value: string, place: Place, more: { readonly known?: boolean; readonly follows?: Followed | undefined; readonly usual?: UsualText | undefined; readonly steps?: readonly Step[] } = {}): TextValue {
  const { known = true, follows, usual, steps = [] } = more;
  return { kind: "text", value, known, ...(follows === undefined ? {} : { follows }), ...(usual === undefined || known ? {} : { usual }), place, steps };
}

/** What an unknown value is when environment variables are left alone, if that is known. */
export function usually(value: Value): Value | undefined {
  return value.kind === "unknown" ? value.usual : undefined;
}

/** What the value is asked from, if it is asked from something. */
export function followed(value: Value): Followed | undefined {
  switch (value.kind) {
    case "text": case "number": case "boolean": case "version": case "unknown":
      return value.follows;
    case "choice":
      return value.alternatives.map((one) => followed(one.value)).find((one) => one !== undefined);
    default:
      return undefined;
  }
}

/** The value as Python would write it, for conditions and for the holes of texts. */
export function render(value: Value): string {
  switch (value.kind) {
    case "text": return JSON.stringify(value.value);
    case "number": return String(value.value);
    case "boolean": return value.value ? "True" : "False";
    case "none": return "None";
    case "list": {
      const inner = value.elements.slice(0, 8).map((element) => element.value.kind === "list" ? "[...]" : render(element.value)).join(", ");
      return value.makes === "list" ? `[${inner}]` : `(${inner})`;
    }
    case "dict": return "{...}";
    case "function": case "class": case "module": return value.name;
    case "object": return typeof value.type === "string" ? value.type : value.type.name;
    case "external": return value.name.replace(/^builtins\./, "");
    case "method": return `${render(value.self)}.${value.name}`;
    case "version": return value.text;
    case "unknown": return value.text;
    case "choice": return value.alternatives.slice(0, 4).map((one) => render(one.value)).join(" or ");
  }
}
