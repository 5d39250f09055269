import type { Node } from "./ast.ts";
import { stringAbiOf } from "./abi-twin.ts";
import { unlessUnreadable } from "./cursor.ts";
import { parseSymbol } from "./demangle.ts";
import { textOfName, textsOfParameters } from "./print-names.ts";
import { componentsOf } from "./components.ts";
import { nameOf, nodesOf, specialMemberOf } from "./tree.ts";
import type { MangledName } from "./types.ts";

const kinds: Readonly<Record<string, MangledName["kind"]>> = {
  TV: "vtable", TT: "vtt", TI: "typeinfo", TS: "typeinfo-name", GV: "guard", Th: "thunk", Tv: "thunk", Tc: "thunk",
};

/** What a mangled name says, undefined when it is none that can be read. */
export function readMangled(symbol: string): MangledName | undefined {
  const parsed = parseSymbol(symbol);
  return parsed === undefined ? undefined : unlessUnreadable(() => describe(symbol, parsed.target));
}

function describe(symbol: string, target: Node): MangledName {
  const inner = target.kind === "special" ? target.target : target;
  return {
    symbol,
    kind: target.kind === "special" ? kinds[target.code] ?? "other" : target.kind === "encoding" ? "function" : "data",
    scope: componentsOf(target),
    qualifiedName: textOfName(nameOf(target)),
    parameters: inner.kind === "encoding" ? textsOfParameters(inner) : undefined,
    variant: specialMemberOf(target)?.variant,
    stringAbi: stringAbiOf(target),
    libcxx: usesLibcxx(target),
  };
}

/** std::__1 is the inline namespace of libc++. */
function usesLibcxx(target: Node): boolean {
  for (const node of nodesOf(target)) {
    if (node.kind === "member" && node.scope.kind === "std" && node.name.kind === "identifier" && node.name.text === "__1") return true;
  }
  return false;
}
