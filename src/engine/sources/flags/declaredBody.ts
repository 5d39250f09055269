import type { DeclaredBody, DeclaredTarget } from "../../model/index.ts";
import { readFlags } from "./facts.ts";

/** A target as a body: what its compile arguments declare. */
export function declaredBody(target: DeclaredTarget): DeclaredBody {
  return { role: "declared", name: target.name, target, facts: readFlags(target.arguments) };
}
