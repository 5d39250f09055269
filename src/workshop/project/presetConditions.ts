import type { Node } from "jsonc-parser";
import { items, member, text } from "../../engine/sources/cmake/presetFiles.ts";
import type { Preset, PresetFiles } from "../../engine/sources/cmake/presetFiles.ts";
import { toRegExp } from "../../engine/sources/cmake/words.ts";

/** Conditions are nested by anyOf, allOf and not. */
const deepest = 50;

/** Whether a preset may be used here. One whose condition cannot be decided may: CMake will tell. Source: cmake-presets(7), "Condition". */
export function holds(presets: PresetFiles, preset: Preset): boolean {
  const condition = presets.field(preset, "condition");
  if (condition === undefined) return true;
  return decide(condition.node, (value) => presets.expand(value, preset, condition.source.path), 0) ?? true;
}

type Expand = (value: string | undefined) => string | undefined;

function decide(node: Node, expand: Expand, depth: number): boolean | undefined {
  if (node.type === "boolean") return node.value === true;
  if (node.type === "null") return true;
  if (depth > deepest) return undefined;
  const part = (name: string): string | undefined => expand(text(member(node, name)));
  const parts = items(member(node, "conditions"));
  switch (text(member(node, "type"))) {
    case "const":
      return member(node, "value")?.value === true;
    case "equals":
      return both(part("lhs"), part("rhs"), (a, b) => a === b);
    case "notEquals":
      return both(part("lhs"), part("rhs"), (a, b) => a !== b);
    case "inList":
    case "notInList": {
      const list = items(member(node, "list")).map((one) => expand(text(one)));
      const value = part("string");
      if (value === undefined) return undefined;
      const found = list.includes(value) ? true : list.includes(undefined) ? undefined : false;
      return text(member(node, "type")) === "inList" ? found : negated(found);
    }
    case "matches":
      return both(part("string"), part("regex"), matches);
    case "notMatches":
      return negated(both(part("string"), part("regex"), matches));
    case "anyOf": {
      const results = parts.map((one) => decide(one, expand, depth + 1));
      return results.includes(true) ? true : results.includes(undefined) ? undefined : false;
    }
    case "allOf": {
      const results = parts.map((one) => decide(one, expand, depth + 1));
      return results.includes(false) ? false : results.includes(undefined) ? undefined : true;
    }
    case "not": {
      const inner = member(node, "condition");
      return inner === undefined ? undefined : negated(decide(inner, expand, depth + 1));
    }
    default:
      return undefined;
  }
}

function negated(value: boolean | undefined): boolean | undefined {
  return value === undefined ? undefined : !value;
}

function both(a: string | undefined, b: string | undefined, compare: (a: string, b: string) => boolean | undefined): boolean | undefined {
  return a === undefined || b === undefined ? undefined : compare(a, b);
}

/** A pattern that is none, or could take its time on a long text, decides nothing. */
function matches(value: string, pattern: string): boolean | undefined {
  return value.length > 1000 ? undefined : toRegExp(pattern)?.test(value);
}
