import type { Node, SpecialMember } from "./ast.ts";
import { fail, maximumDepth } from "./cursor.ts";

/** The nodes directly below one, in the order of the name. */
export function childrenOf(node: Node): readonly Node[] {
  const children: Node[] = [];
  for (const value of Object.values(node) as readonly unknown[]) {
    if (typeof value !== "object" || value === null) continue;
    if (Array.isArray(value)) children.push(...value as readonly Node[]);
    else if ("kind" in value) children.push(value as Node);
    else if ("operands" in value) children.push(...value.operands as readonly Node[]);
  }
  return children;
}

/** Every node of a tree once, also where it is shared. */
export function nodesOf(root: Node): ReadonlySet<Node> {
  const seen = new Set<Node>([root]);
  // A set is walked in the order of insertion, additions included.
  for (const node of seen) for (const child of childrenOf(node)) seen.add(child);
  return seen;
}

/**
 * The tree with nodes replaced from the leaves up: `change` gets each node with its children already replaced. Nodes that
 * are shared stay shared, and nodes without a change stay the same objects; `replaced` tells what became of each.
 */
export function rewrite(root: Node, change: (node: Node) => Node): { readonly root: Node; readonly replaced: ReadonlyMap<Node, Node> } {
  const replaced = new Map<Node, Node>();
  let depth = 0;
  const visit = (node: Node): Node => {
    const known = replaced.get(node);
    if (known !== undefined) return known;
    if (++depth > maximumDepth) fail();
    let copy: Record<string, unknown> | undefined;
    for (const [name, value] of Object.entries(node) as readonly (readonly [string, unknown])[]) {
      const changed = visitValue(value);
      if (changed !== value) (copy ??= { ...node })[name] = changed;
    }
    const result = change((copy ?? node) as unknown as Node);
    replaced.set(node, result);
    depth--;
    return result;
  };
  const visitValue = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) {
      const items = (value as readonly Node[]).map(visit);
      return items.some((item, index) => item !== value[index]) ? items : value;
    }
    if ("kind" in value) return visit(value as Node);
    if (!("operands" in value)) return value;
    const operands = visitValue(value.operands);
    return operands === value.operands ? value : { ...value, operands };
  };
  return { root: visit(root), replaced };
}

/** The name of a function or object: what is left without parameters and qualifiers, and without "thunk to" and the like. */
export function nameOf(target: Node): Node {
  let name = target;
  while (name.kind === "encoding" || name.kind === "this-qualified" || name.kind === "special") name = name.kind === "special" ? name.target : name.name;
  return name;
}

/** The constructor or destructor that a symbol is. */
export function specialMemberOf(target: Node): SpecialMember | undefined {
  let name: Node | undefined = target;
  for (;;) {
    switch (name?.kind) {
      case "constructor": case "destructor": return name;
      case "encoding": case "this-qualified": case "member": case "template": case "tagged": name = name.name; break;
      case "special": name = name.target; break;
      case "local": name = name.entity; break;
      default: return undefined;
    }
  }
}
