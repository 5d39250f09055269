import type { DeclaredBody, Finding } from "../model/index.ts";
import { onBuilt } from "./binaries/report.ts";
import type { Observed } from "./binaries/report.ts";
import { nameOf } from "./binaries/subjects.ts";
import { onceForSources } from "./once.ts";
import { calledByName } from "./operators/binary.ts";
import { installedOperators } from "./operators/installed.ts";
import type { InstalledOperators } from "./operators/installed.ts";
import { operatorUses } from "./operators/uses.ts";
import type { OperatorUse } from "./operators/uses.ts";
import type { BuiltFile, Rule, RuleContext } from "./rule.ts";
import { namesOf } from "./sources.ts";
import { finding, joinWords, mergeByLocation, torchName } from "./support.ts";

/** Operators are found by name when the program runs: neither compiler nor loader misses one. */
export const torchOperators: Rule = {
  name: "torch-operators",
  severity: "error",
  summary: "A source or built file calls an operator, or registers a kernel for one, that the installed torch does not have.",
  check(context) {
    // The list has 15,000 lines: it is read when there is something to look up.
    const declared = context.declared.flatMap((body) => usesOf(context, body).flatMap((one) => judge(context, body, one) ?? []));
    return [...mergeByLocation(declared), ...onBuilt(torchOperators, context, inBinary)];
  },
};

interface Placed extends OperatorUse {
  readonly path: string;
}

const anchors = new Set(["TORCH_LIBRARY_IMPL", "findSchemaOrThrow", "torch_call_dispatcher", "aoti_torch_call_dispatcher"]);

/** What stands under a preprocessor condition may be for another torch. */
const usesOf = onceForSources((context, body): readonly Placed[] => namesOf(context, body, (name) => anchors.has(name)).flatMap((use) => {
  if (use.guards.length > 0) return [];
  const { path } = use.location;
  const all = textUses(context, path);
  return all.filter((one) => one.anchor === use.location.range.start.line).map((one) => ({ ...one, path }));
}));

function textUses(context: RuleContext, path: string): readonly OperatorUse[] {
  if (context.ofText !== undefined) return context.ofText(path, operatorUses) ?? [];
  const read = context.files.readText(path);
  return read.ok ? operatorUses(read.text) : [];
}

function operatorsOf({ installed, files }: RuleContext): InstalledOperators | undefined {
  return installed === undefined ? undefined : installedOperators(installed, files);
}

function judge(context: RuleContext, body: DeclaredBody, use: Placed): Finding | undefined {
  const operators = operatorsOf(context);
  if (context.installed === undefined || operators === undefined) return undefined;
  const overloads = operators.overloads(use.name);
  const qualified = use.overload === "" ? use.name : `${use.name}.${use.overload}`;
  if (overloads?.includes(use.overload) === true || operators.withSchema([`${qualified}(`]).size > 0) return undefined;
  const has = overloads === undefined || overloads.length === 0 ? "" : ` It has ${use.name} as ${joinWords([...new Set(overloads)].slice(0, 8).map((one) => (one === "" ? `aten::${use.name}` : `aten::${use.name}.${one}`)))}${overloads.length > 8 ? " and others" : ""}.`;
  const registers = use.how === "m.impl";
  const consequence = registers ? "The kernel is registered for an operator that nobody defines and is never called." : `The call throws "Could not find schema for aten::${qualified}" when it is reached.`;
  return finding(torchOperators, {
    severity: registers ? "warning" : "error",
    message: `${registers ? "A kernel is registered for" : `${use.how} asks for`} the operator aten::${qualified}, which ${torchName(context.installed)} does not have.${has} ${consequence}`,
    location: { path: use.path, range: { start: { line: use.line, character: use.start }, end: { line: use.line, character: use.start + use.length } } },
    target: body.name,
    against: [{ kind: "file", path: operators.path, what: overloads === undefined ? `does not list ${use.name}` : `lists no overload "${use.overload}" of ${use.name}` }],
  });
}

/** Where the sources are at hand, they have been looked at. A binary tells names and not overloads. */
function inBinary(context: RuleContext, file: BuiltFile): Observed | undefined {
  if (file.target !== undefined || file.fit === undefined || file.origin === "jit-cache" || isTorchs(context, file)) return undefined;
  const called = calledByName(file.body, context.files);
  const operators = called.length === 0 ? undefined : operatorsOf(context);
  if (operators === undefined) return undefined;
  const unlisted = called.filter((name) => operators.overloads(name) === undefined);
  const held = operators.withSchema(unlisted.flatMap((name) => [`${name}(`, `${name}.`]));
  const gone = unlisted.filter((name) => !held.has(`${name}(`) && !held.has(`${name}.`));
  if (gone.length === 0) return undefined;
  const names = joinWords(gone.slice(0, 5).map((name) => `aten::${name}`));
  return {
    severity: "warning",
    message: `${nameOf(context, file)} calls operators by name, and names ${names}${gone.length > 5 ? ` and ${gone.length - 5} more` : ""}, which ${torchName(file.fit.against)} does not have: the call throws "Could not find schema" when it is reached.`,
    against: [{ kind: "file", path: operators.path, what: `does not list ${gone[0] ?? ""}` }],
  };
}

/** Torch's own libraries know their operators. */
function isTorchs({ installed }: RuleContext, { body }: BuiltFile): boolean {
  return installed?.torchRoot !== undefined && body.path.startsWith(`${installed.torchRoot}/`);
}
