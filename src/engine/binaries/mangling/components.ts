import type { Node } from "./ast.ts";
import { fail, maximumDepth, readWith, unlessUnreadable } from "./cursor.ts";
import { abbreviations, specialNames } from "./grammar.ts";
import { textOfName } from "./print-names.ts";
import { readNameOnly } from "./read-names.ts";

/** Components of a qualified name, without template arguments and ABI tags; of a special name those of what it is for. */
export function componentsOf(target: Node): readonly string[] {
  const components: string[] = [];
  collect(target, components, 0);
  return components;
}

function collect(node: Node, into: string[], depth: number): void {
  if (depth > maximumDepth) fail();
  switch (node.kind) {
    case "encoding": case "this-qualified": case "template": case "tagged": case "elaborated": collect(node.name, into, depth + 1); break;
    case "special": collect(node.target, into, depth + 1); break;
    case "member":
      collect(node.scope, into, depth + 1);
      collect(node.name, into, depth + 1);
      break;
    case "local":
      collect(node.within, into, depth + 1);
      if (node.entity !== undefined) collect(node.entity, into, depth + 1);
      break;
    case "initializer": collect(node.of, into, depth + 1); break;
    case "identifier": into.push(node.text.startsWith("_GLOBAL__N") ? "(anonymous namespace)" : node.text); break;
    case "std": into.push("std"); break;
    case "abbreviation": into.push("std", abbreviations[node.letter]?.[1] ?? node.letter); break;
    // The class that was named before it; what a demangler prints may be the name of another.
    case "constructor": into.push(into.at(-1) ?? node.of); break;
    case "destructor": into.push(`~${into.at(-1) ?? node.of}`); break;
    default: into.push(textOfName(node));
  }
}

/**
 * The same text for every overload and version of an entity: its qualified name without template arguments, with what kind of
 * name it is ("vtable for c10::Error"). Parameters are not read. Undefined for what is no mangled name.
 */
export function entityKey(symbol: string): string | undefined {
  const target = readWith(symbol, readNameOnly);
  if (target === undefined) return undefined;
  const prefix = target.kind === "special" ? specialNames[target.code] ?? "" : "";
  return unlessUnreadable(() => prefix + componentsOf(target).join("::"));
}
