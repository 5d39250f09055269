import type { Node } from "./ast.ts";
import { unlessUnreadable } from "./cursor.ts";
import { parseSymbol } from "./demangle.ts";
import { distinctNodes, encodeSymbol } from "./encode.ts";
import { rewrite, specialMemberOf } from "./tree.ts";

/**
 * The forms in which a compiler emits one constructor or destructor: complete, base, allocating; deleting, complete, base
 * (Itanium C++ ABI, 5.1.4.3).
 */
const families: readonly (readonly string[])[] = [["C1", "C2", "C3"], ["CI1", "CI2"], ["D0", "D1", "D2"]];

/** The symbol itself, then the other variants of the constructor or destructor that it is. */
export function variantsOf(symbol: string): readonly string[] {
  // Most names are of neither; those need no reading.
  if (!/[CD]I?\d/.test(symbol)) return [symbol];
  const parsed = parseSymbol(symbol);
  const member = parsed === undefined ? undefined : specialMemberOf(parsed.target);
  const family = families.find((one) => member !== undefined && one.includes(member.variant));
  if (parsed === undefined || member === undefined || family === undefined) return [symbol];
  const variants = unlessUnreadable(() => {
    const distinct = distinctNodes(parsed);
    return family.filter((variant) => variant !== member.variant).map((variant) => {
      const { root, replaced } = rewrite(parsed.target, (node: Node) => node === member ? { ...member, variant } : node);
      return encodeSymbol({ target: root, suffix: parsed.suffix }, new Set([...distinct].map((node) => replaced.get(node) ?? node)));
    });
  });
  return [symbol, ...variants ?? []];
}
