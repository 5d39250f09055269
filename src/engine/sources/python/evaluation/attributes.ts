import type { Place } from "../source-file.ts";
import type { Interpreter } from "./interpreter.ts";
import { invoke } from "./calls.ts";
import { constantOf } from "./constants.ts";
import { baseOf, directoryOf } from "./paths.ts";
import type { ClassValue, FunctionValue, Value } from "./values.ts";
import { followed, number, render, text, unknown } from "./values.ts";
import { parseVersion } from "../../../model/index.ts";

/** `object.name`. */
export function attributeOf(interpreter: Interpreter, object: Value, name: string, place: Place): Value {
  switch (object.kind) {
    case "external": {
      const full = `${object.name}.${name}`;
      return constantOf(interpreter, full, place) ?? { kind: "external", name: full };
    }
    case "module":
      return object.scope.own(name, interpreter.stack) ?? interpreter.modules.submodule(interpreter, object, name) ?? unknown(`${object.name}.${name}`);
    case "class":
      return memberOf(interpreter, object, name) ?? unknown(`${object.name}.${name}`);
    case "object": {
      const own = object.attributes.own(name, interpreter.stack);
      if (own !== undefined) return own;
      const member = typeof object.type === "string" ? undefined : memberOf(interpreter, object.type, name);
      if (member?.kind === "function") return bind(interpreter, member, object, place);
      if (member !== undefined) return member;
      return name.startsWith("__") ? unknown(`${render(object)}.${name}`) : { kind: "method", self: object, name };
    }
    case "text":
      return textAttribute(object, name, place) ?? { kind: "method", self: object, name };
    case "version":
      return versionAttribute(object.text, name, place, followed(object)) ?? { kind: "method", self: object, name };
    case "list": case "dict":
      return { kind: "method", self: object, name };
    case "unknown":
      return { kind: "method", self: object, name };
    default:
      return unknown(`${render(object)}.${name}`, followed(object));
  }
}

/** The value of a class member, looked up through the bases that are known. */
export function memberOf(interpreter: Interpreter, type: ClassValue, name: string, depth = 0): Value | undefined {
  const own = type.scope.own(name, interpreter.stack);
  if (own !== undefined || depth > 16) return own;
  for (const base of type.bases) {
    const inherited = base.kind === "class" ? memberOf(interpreter, base, name, depth + 1) : undefined;
    if (inherited !== undefined) return inherited;
  }
  return undefined;
}

function bind(interpreter: Interpreter, member: FunctionValue, self: Value, place: Place): Value {
  if (member.binding === "static") return member;
  const bound: FunctionValue = { ...member, self: member.binding === "class" && self.kind === "object" && typeof self.type !== "string" ? self.type : self };
  return member.binding === "property" ? invoke(interpreter, bound, { positional: [], keywords: new Map(), open: false }, place) : bound;
}

/** Texts also stand for pathlib paths. */
function textAttribute(value: Extract<Value, { kind: "text" }>, name: string, place: Place): Value | undefined {
  const make = (path: string): Value => text(path, place, { known: value.known, follows: value.follows });
  switch (name) {
    case "parent": return make(directoryOf(value.value) || ".");
    case "name": return make(baseOf(value.value));
    case "stem": return make(baseOf(value.value).replace(/(?<=.)\.[^.]*$/, ""));
    case "suffix": return make(/(?<=.)\.[^.]*$/.exec(baseOf(value.value))?.[0] ?? "");
    default: return undefined;
  }
}

function versionAttribute(version: string, name: string, place: Place, follows: "torch" | "environment" | undefined): Value | undefined {
  const release = parseVersion(version)?.release ?? [];
  switch (name) {
    case "major": return number(release[0] ?? 0, follows);
    case "minor": return number(release[1] ?? 0, follows);
    case "micro": return number(release[2] ?? 0, follows);
    case "public": return text(version.replace(/\+.*$/, ""), place, { follows });
    case "base_version": return text(release.join("."), place, { follows });
    case "local": return text(/\+(.*)$/.exec(version)?.[1] ?? "", place, { follows });
    case "release": case "version":
      return { kind: "list", makes: "tuple", elements: release.map((part) => ({ value: number(part, follows), conditions: [] })), base: [], place, steps: [], held: 0 };
    default: return undefined;
  }
}
