import type { Condition, IneffectiveSetting, Observation, TorchImport, TorchLookup } from "../../model/index.ts";
import builder from "../../../../data/torch-build-extension.json" with { type: "json" };
import { evidenceOf } from "./leaves.ts";
import type { Place, SourceFile } from "./source-file.ts";
import { locationOf, textOf } from "./source-file.ts";
import type { ClassDefinition, Expression, Statement } from "./syntax.ts";
import { versionComparison } from "./version-tests.ts";
import type { Surroundings } from "./walk.ts";
import { walkModule } from "./walk.ts";

const lookups: Readonly<Record<string, TorchLookup["what"] | undefined>> = {
  "torch._C._GLIBCXX_USE_CXX11_ABI": "torch._C._GLIBCXX_USE_CXX11_ABI",
  "torch._C._PYBIND11_BUILD_ABI": "torch._C._PYBIND11_BUILD_ABI",
  "torch._C._PYBIND11_COMPILER_TYPE": "torch._C._PYBIND11_COMPILER_TYPE",
  "torch._C._PYBIND11_STDLIB": "torch._C._PYBIND11_STDLIB",
  "torch.compiled_with_cxx11_abi": "torch.compiled_with_cxx11_abi",
};

/**
 * What a Python build file shows by its text alone, also in functions that nobody calls: imports of torch,
 * questions about its ABI, tests that cannot hold, versions compared part by part.
 */
export function inspectFile(file: SourceFile): readonly Observation[] {
  const names = importedNames(file.module.body);
  const observations: Observation[] = [];
  const imports: TorchImport[] = [];
  const place = (node: { readonly start: number; readonly end: number }): Place => ({ file, start: node.start, end: node.end });
  const assigned = new Set<Expression>();
  walkModule(file.module.body, {
    statement(node, around) {
      if (node.type === "import" || node.type === "import-from") {
        const found = node.type === "import" ? node.names.some((one) => isTorch(one.name)) : node.level === 0 && isTorch(node.module);
        if (found) imports.push({ kind: "torch-import", optional: around.inTry || around.inFunction || around.tests.some((one) => !isMainGuard(one.test)), conditions: conditionsOf(file, around), evidence: evidenceOf(place(node), []) });
      } else if (node.type === "assign") {
        for (const target of node.targets) assigned.add(target);
        if (!around.inFunction && around.tests.length === 0) observations.push(...abiDefault(node, place));
      } else if (node.type === "class") observations.push(...overriddenHooks(node, names, place));
    },
    expression(node, parents, around) {
      const lookup = lookupOf(node, parents, names, assigned, around);
      if (lookup !== undefined) observations.push({ kind: "torch-lookup", ...lookup, conditions: conditionsOf(file, around), evidence: evidenceOf(place(node), []) });
      const never = neverHolds(node, names, place);
      if (never !== undefined) observations.push({ ...never, conditions: conditionsOf(file, around) });
      const version = versionComparison(node, parents, (one) => dottedName(one, names), place);
      if (version !== undefined) observations.push({ kind: "version-comparison", message: version, conditions: conditionsOf(file, around), evidence: evidenceOf(place(node), []) });
    },
  });
  // One import says it: the one that cannot be left out, else the first.
  const first = imports.find((one) => !one.optional) ?? imports[0];
  return first === undefined ? observations : [first, ...observations];
}

function isTorch(module: string): boolean {
  return module === "torch" || module.startsWith("torch.");
}

function isMainGuard(test: Expression): boolean {
  return test.type === "comparison" && test.left.type === "name" && test.left.id === "__name__";
}

function importedNames(body: readonly Statement[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  walkModule(body, {
    statement(node) {
      if (node.type === "import") {
        for (const { name, as } of node.names) names.set(as ?? name.split(".")[0] ?? name, as === undefined ? (name.split(".")[0] ?? name) : name);
      } else if (node.type === "import-from" && node.level === 0) {
        for (const { name, as } of node.names) names.set(as ?? name, `${node.module}.${name}`);
      }
    },
  });
  return names;
}

/** The full name of `alias.attribute`, through the imports of the file. */
export function dottedName(node: Expression, names: ReadonlyMap<string, string>): string | undefined {
  if (node.type === "name") return names.get(node.id);
  if (node.type !== "attribute") return undefined;
  const object = dottedName(node.object, names);
  return object === undefined ? undefined : `${object}.${node.name}`;
}

function conditionsOf(file: SourceFile, around: Surroundings): readonly Condition[] {
  return around.tests.filter((one) => !isMainGuard(one.test)).map(({ test, holds }) => {
    const place = { file, start: test.start, end: test.end };
    const text = textOf(place);
    return { text, id: text, branch: holds ? 0 : 1, location: locationOf(place) };
  });
}

function lookupOf(node: Expression, parents: readonly Expression[], names: ReadonlyMap<string, string>, assigned: ReadonlySet<Expression>, around: Surroundings): Pick<TorchLookup, "what" | "use" | "guarded"> | undefined {
  const isTested = (): boolean => around.tests.some((one) => /hasattr/.test(JSON.stringify(one.test)));
  if (node.type === "call" && node.callee.type === "name" && node.callee.id === "getattr") {
    const [object, name, fallback] = node.arguments.map((argument) => argument.value);
    const of = object === undefined ? undefined : dottedName(object, names);
    if (of !== "torch._C" || name === undefined) return undefined;
    const built = name.type === "fstring" && name.parts.some((part) => typeof part === "string" && part.includes("_PYBIND11_"));
    const what = name.type === "string" ? lookups[`${of}.${name.value}`] : built ? "torch._C._PYBIND11_BUILD_ABI" : undefined;
    return what === undefined ? undefined : { what, use: useOf(parents), guarded: fallback !== undefined || around.inTry || isTested() };
  }
  if (node.type !== "attribute" && node.type !== "name") return undefined;
  const full = dottedName(node, names);
  const what = full === undefined ? undefined : lookups[full];
  if (what === undefined) return undefined;
  return { what, use: assigned.has(node) ? "assigned" : useOf(parents), guarded: around.inTry || isTested() };
}

/** Whether the answer becomes part of a flag. */
function useOf(parents: readonly Expression[]): TorchLookup["use"] {
  for (const parent of parents) {
    if (parent.type === "fstring" && parent.parts.some((part) => typeof part === "string" && /CXX11_ABI|PYBIND11/.test(part))) return "forwarded";
    if (parent.type === "binary" && /CXX11_ABI|PYBIND11/.test(JSON.stringify(parent.left))) return "forwarded";
  }
  return "read";
}

/** Methods of BuildExtension that belong to torch and that newer releases do not call. */
function overriddenHooks(node: ClassDefinition, names: ReadonlyMap<string, string>, place: (node: { start: number; end: number }) => Place): Observation[] {
  const isBuilder = node.bases.some((base) => /BuildExt/i.test(dottedName(base.value, names) ?? (base.value.type === "name" ? base.value.id : "")) || (base.value.type === "call" && base.value.callee.type === "attribute" && base.value.callee.name === "with_options"));
  if (!isBuilder) return [];
  return node.body.flatMap((member): Observation[] => {
    const hook = member.type === "function" ? builder.hooks.find((one) => one.name === member.name) : undefined;
    if (member.type !== "function" || hook === undefined) return [];
    const evidence = evidenceOf(place({ start: member.nameStart, end: member.nameStart + member.name.length }), []);
    return [
      { kind: "torch-lookup", what: "BuildExtension._add_gnu_cpp_abi_flag", use: "overridden", guarded: false, conditions: [], evidence },
      {
        kind: "ineffective-setting", reason: "private-hook", related: [], conditions: [], evidence,
        message: `${node.name} overrides BuildExtension.${hook.name}, a private method that torch calls no more since ${hook.until}: what it adds to the compile arguments reaches no compiler.`,
      },
    ];
  });
}

/** An environment variable is a text: comparing it with a number or with True never holds. */
function neverHolds(node: Expression, names: ReadonlyMap<string, string>, place: (node: { start: number; end: number }) => Place): Omit<IneffectiveSetting, "conditions"> | undefined {
  if (node.type !== "comparison") return undefined;
  const [only] = node.rest;
  if (only === undefined || node.rest.length !== 1 || (only.operator !== "==" && only.operator !== "is")) return undefined;
  const [environment, other] = isEnvironment(node.left, names) ? [node.left, only.right] : [only.right, node.left];
  if (!isEnvironment(environment, names)) return undefined;
  const isBoolean = other.type === "constant" && (other.value === "True" || other.value === "False");
  if (other.type !== "number" && !isBoolean) return undefined;
  const fallback = environment.type === "call" ? environment.arguments[1]?.value : undefined;
  if (fallback !== undefined && fallback.type !== "string" && !(fallback.type === "constant" && fallback.value === "None")) return undefined;
  const written = textOf(place(other));
  return {
    kind: "ineffective-setting",
    reason: "always-false",
    message: `\`${textOf(place(node))}\` never holds: an environment variable is a string, and ${written} is ${isBoolean ? "a boolean" : "a number"}.`,
    related: [],
    evidence: evidenceOf(place(node), []),
    ...(isBoolean ? {} : { fix: { title: `Compare with "${written}"`, edits: [{ location: locationOf(place(other)), newText: `"${written}"` }] } }),
  };
}

function isEnvironment(node: Expression, names: ReadonlyMap<string, string>): boolean {
  if (node.type === "subscript") return dottedName(node.object, names) === "os.environ";
  if (node.type !== "call") return false;
  const callee = dottedName(node.callee, names);
  return callee === "os.getenv" || callee === "os.environ.get";
}

/** `USE_CXX11_ABI = True` at the top of a build script chooses the ABI for whoever does not choose. */
function abiDefault(node: Extract<Statement, { type: "assign" }>, place: (node: { start: number; end: number }) => Place): Observation[] {
  const [target] = node.targets;
  if (target?.type !== "name" || !/^_*(?:GLIBCXX_)?USE_CXX11_ABI$/i.test(target.id) || node.value === undefined) return [];
  const { value } = node;
  const chosen = value.type === "constant" ? { True: 1, False: 0 }[value.value as "True" | "False"] : value.type === "number" ? value.value : value.type === "string" ? Number(value.value) : undefined;
  if (chosen !== 0 && chosen !== 1) return [];
  return [{ kind: "abi-setting", value: chosen, how: "setup.py default", variable: target.id, conditions: [], evidence: evidenceOf(place(node), []) }];
}
