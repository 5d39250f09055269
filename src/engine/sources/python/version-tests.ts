import type { Place } from "./source-file.ts";
import { textOf } from "./source-file.ts";
import type { Comparison, Expression } from "./syntax.ts";

/**
 * A version test that is wrong for some release, in a sentence: numbers compared part by part
 * (`MAJOR >= 2 and MINOR >= 1` is false for 3.0), or a version cut to three characters (2.10 becomes 2.1).
 */
export function versionComparison(node: Expression, parents: readonly Expression[], dotted: (node: Expression) => string | undefined, place: (node: Expression) => Place): string | undefined {
  if (node.type === "boolean" && node.operator === "and") return partByPart(node, parents, place);
  if (node.type === "comparison") return cutVersion(node, dotted, place);
  return undefined;
}

interface Bound { readonly name: string; readonly operator: string; readonly value: number }

function boundOf(node: Expression, place: (node: Expression) => Place): Bound | undefined {
  if (node.type !== "comparison" || node.rest.length !== 1) return undefined;
  const [one] = node.rest;
  if (one?.right.type !== "number") return undefined;
  return { name: textOf(place(node.left)), operator: one.operator, value: one.right.value };
}

function partByPart(node: Extract<Expression, { type: "boolean" }>, parents: readonly Expression[], place: (node: Expression) => Place): string | undefined {
  const bounds = node.values.map((value) => boundOf(value, place)).filter((bound) => bound !== undefined);
  const major = bounds.find((bound) => /major/i.test(bound.name) && (bound.operator === ">=" || bound.operator === ">"));
  if (major === undefined) return undefined;
  const family = (name: string): string => name.replace(/major|minor/i, "#");
  const minor = bounds.find((bound) => /minor/i.test(bound.name) && family(bound.name) === family(major.name) && (bound.operator === ">=" || bound.operator === ">"));
  const lowest = minor === undefined ? 0 : minor.operator === ">" ? minor.value + 1 : minor.value;
  if (minor === undefined || lowest <= 0) return undefined;
  // `major > 2 or (major >= 2 and minor >= 1)` is right.
  const completed = parents.some((parent) => parent.type === "boolean" && parent.operator === "or" && parent.values.some((value) => {
    const bound = boundOf(value, place);
    return bound !== undefined && bound.name === major.name && (bound.operator === ">" || bound.operator === ">=");
  }));
  if (completed || bounds.some((bound) => bound.name === major.name && (bound.operator === "==" || bound.operator === "<" || bound.operator === "<="))) return undefined;
  const next = (major.operator === ">" ? major.value + 1 : major.value) + 1;
  return `\`${textOf(place(node))}\` compares the parts of a version one by one: it is false for ${String(next)}.0, which is newer. Compare the versions as a whole, as in (${major.name}, ${minor.name}) >= (${String(major.value)}, ${String(lowest)}).`;
}

function cutVersion(node: Comparison, dotted: (node: Expression) => string | undefined, place: (node: Expression) => Place): string | undefined {
  const [one] = node.rest;
  if (one === undefined || node.rest.length !== 1 || !/^(?:>=?|<=?)$/.test(one.operator)) return undefined;
  const left = node.left.type === "call" && node.left.arguments.length === 1 && node.left.callee.type === "name" && node.left.callee.id === "float" ? node.left.arguments[0]?.value : node.left;
  if (left?.type !== "subscript" || left.index.type !== "slice" || left.index.upper?.type !== "number" || left.index.upper.value !== 3 || left.index.lower !== undefined) return undefined;
  if (dotted(left.object) !== "torch.__version__") return undefined;
  const bound = one.right.type === "string" ? one.right.value : one.right.type === "number" ? String(one.right.value) : "";
  if (!/^2\.[2-9]$/.test(bound)) return undefined;
  return `\`${textOf(place(node))}\` cuts torch's version to three characters: 2.10.0 becomes 2.1 and counts as older than ${bound}. Compare torch.__version__ itself, which compares as a version.`;
}
