/** A second libtorch that a built file brings or loads. */
import type { BuiltFile, RuleContext } from "../rule.ts";
import type { Observed } from "./report.ts";
import { nameOf } from "./subjects.ts";
import { traitSaid } from "./traits.ts";

const consequence = "Two copies have an operator registry, allocator and dispatcher each: operators are registered twice or are missing, and tensors of one crash in the other.";

export function secondLibtorch(context: RuleContext, file: BuiltFile): Observed | undefined {
  if (file.origin === "jit-cache") return undefined;
  const { profile } = file.body;
  const name = nameOf(context, file);
  const sign = profile.signs.find((one) => one.what === "static-libtorch");
  if (sign !== undefined && profile.kind !== "executable") {
    return { message: `${name} holds a statically linked libtorch, and the process that imports torch has its own. ${consequence} Link the libtorch of the torch that is imported.`, against: [sign.evidence] };
  }
  return traitSaid(context, file, "two-libtorch");
}
