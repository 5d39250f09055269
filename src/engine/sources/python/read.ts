import * as nodePath from "node:path";
import type { Catalogue } from "../../catalogue/index.ts";
import type { DeclaredTarget, EvaluationContext, Files, Gap, Observation, Reading, Requirement } from "../../model/index.ts";
import { cmakeArguments } from "./cmake-arguments.ts";
import { externalBases } from "./evaluation/calls.ts";
import { Interpreter } from "./evaluation/interpreter.ts";
import { ModuleLoader } from "./evaluation/modules.ts";
import { executeBlock } from "./evaluation/statements.ts";
import type { Cut, Value } from "./evaluation/values.ts";
import { tooMany } from "./evaluation/values.ts";
import { environmentObservations, extensionKeywords, swallowedFlags } from "./facts.ts";
import { inspectFile } from "./inspect.ts";
import { buildClasses, isSetupCall, setupObservations, setupRequirements } from "./setup-call.ts";
import type { SourceFile } from "./source-file.ts";
import { locationOf, parseSourceFile } from "./source-file.ts";
import type { BuilderFacts } from "./targets.ts";
import { extensionTarget, jitTarget } from "./targets.ts";
import { maximumTokens } from "./tokenizer.ts";
import { runBuilders, runUncalled } from "./uncalled.ts";

export interface PythonBuildOptions {
  /** For what BuildExtension of the torch in question does by itself. */
  readonly catalogue?: Catalogue;
}

const maximumTargets = 500;

/** Parsed files are kept as long as whoever hands out the texts lives, and parsed again when their text changes. */
const parsedFiles = new WeakMap<Files, Map<string, SourceFile>>();

function openFile(files: Files, path: string): SourceFile | { readonly problem: string } {
  const read = files.readText(path);
  if (!read.ok) return { problem: read.message };
  const known = parsedFiles.get(files) ?? new Map<string, SourceFile>();
  parsedFiles.set(files, known);
  const before = known.get(path);
  if (before?.text === read.text) return before;
  const file = parseSourceFile(path, read.text);
  known.set(path, file);
  return file;
}

/** Names of files that build a Python package. */
const buildFileName = /^setup[\w.-]*\.py$/i;

/**
 * Whether a Python file says how something is compiled: a setup.py under any of its usual names, or a module
 * that makes torch extensions.
 */
export function isPythonBuildFile(path: string, text: string): boolean {
  const name = nodePath.basename(path);
  if (buildFileName.test(name)) return /\bsetup\s*\(|Extension\s*\(|cpp_extension|cmake/i.test(text);
  if (/(?:^|[/_.])(?:tests?|conftest|docs?)(?:[/_.]|$)/i.test(path.slice(-200).replace(/^.*?\/site-packages\//, ""))) return false;
  // DeepSpeed's pattern, which others copied: one class for each op, whose methods give its flags.
  if (/^\s+def (?:cxx_args|nvcc_args|cxx_flags|nvcc_flags)\(self/m.test(text) && /Builder\b|Extension\b/.test(text)) return true;
  if (!/cpp_extension/.test(text)) return /^build[\w-]*\.py$/i.test(name) && /Extension\s*\(|["']cmake["']/.test(text);
  return /\b(?:CUDAExtension|CppExtension|SyclExtension)\s*\(|cpp_extension\.load|import\s+[^\n]*\bload(?:_inline)?\b|\bload_inline\s*\(/.test(text);
}

/** Reads one Python build script with the modules of the project that it imports. */
export function readPythonBuild(path: string, files: Files, context: EvaluationContext, options: PythonBuildOptions = {}): Reading {
  const file = openFile(files, path);
  if ("problem" in file) return { targets: [], observations: [], requirements: [], gaps: [{ message: file.problem, path, kind: "file" }], files: [path] };
  const gaps: Gap[] = file.module.problems.slice(0, 5).map((problem) => ({
    message: `A statement of ${nodePath.basename(path)} could not be read: ${problem.message}.`,
    location: locationOf({ file, start: problem.start, end: problem.end }), path, kind: "evaluation",
  }));
  gaps.push(...cutGaps(file));
  const loader = new ModuleLoader((one) => {
    const opened = openFile(files, one);
    if ("problem" in opened) return undefined;
    gaps.push(...cutGaps(opened));
    return opened;
  });
  const interpreter = new Interpreter(file, nodePath.dirname(path), files, context, loader);
  const attempt = (what: string, run: () => void): void => {
    try {
      run();
    } catch (fault) {
      gaps.push({ message: `${nodePath.basename(path)} could not be evaluated to its end (${what}): ${fault instanceof Error ? fault.message : String(fault)}.`, path, kind: "evaluation" });
    }
  };
  const state = { scope: interpreter.scope, file, stack: interpreter.stack };
  attempt("statements", () => { executeBlock(interpreter, file.module.body); });
  Object.assign(interpreter, state);
  const setups = interpreter.externalCalls.filter((call) => isSetupCall(call.name));
  const builders = setups.flatMap(buildClasses);
  attempt("build_ext", () => { runBuilders(interpreter, builders); });
  Object.assign(interpreter, state);
  attempt("functions", () => { runUncalled(interpreter, file); });
  const targets: DeclaredTarget[] = [];
  const observations: Observation[] = [...inspectFile(file)];
  const requirements: Requirement[] = [];
  attempt("targets", () => { collectTargets(interpreter, builders, context, options.catalogue, targets, observations); });
  attempt("observations", () => {
    for (const call of interpreter.externalCalls.filter((one) => isSetupCall(one.name))) {
      requirements.push(...setupRequirements(call));
      observations.push(...setupObservations(call));
    }
    observations.push(...cmakeArguments(interpreter), ...environmentObservations(interpreter), ...extensionKeywords(interpreter), ...swallowedFlags(targets));
  });
  gaps.push(...evaluationGaps(interpreter, targets, path));
  return { targets, observations: withoutRepeats(observations, observationIdentity), requirements: withoutRepeats(requirements, JSON.stringify), gaps, files: [path, ...loader.read] };
}

const leftOut: Readonly<Record<Cut, (names: string) => string>> = {
  elements: () => "a list or dict holds more elements than are read; those behind them were not checked",
  steps: (names) => `more steps are taken by ${names} than are spent on one function or imported module; what comes late in it was not seen`,
  calls: () => "more calls are made than are looked at; extensions and commands of the later ones were not checked",
};

/** What evaluation left out: nothing that reaches an extension is lost without a word. */
function evaluationGaps(interpreter: Interpreter, targets: readonly DeclaredTarget[], path: string): Gap[] {
  const name = nodePath.basename(path);
  const gaps: Gap[] = [...interpreter.cuts].map(([cut, names]) => ({ message: `${name}: ${leftOut[cut]([...names].slice(0, 3).join(", "))}.`, path, kind: "evaluation" }));
  if (interpreter.exhausted) gaps.push({ message: `${name} takes more steps to evaluate than are spent on one file; what comes late in it was not seen.`, path, kind: "evaluation" });
  if (targets.length >= maximumTargets) gaps.push({ message: `${name} makes more than ${String(maximumTargets)} extensions; the later ones were not checked.`, path, kind: "evaluation" });
  for (const target of targets) {
    const argument = target.arguments.find((one) => one.text.includes(tooMany));
    const location = argument?.evidence.location ?? target.sources.find((one) => one.path.includes(tooMany))?.location;
    if (location !== undefined) gaps.push({ message: `${argument === undefined ? "A source" : "An argument"} of ${target.name} has more values, each under other conditions, than are told apart; it was not checked.`, path, location, kind: "evaluation" });
  }
  return gaps.slice(0, 20);
}

function cutGaps(file: SourceFile): Gap[] {
  const { cutAt } = file.module;
  if (cutAt === undefined) return [];
  const location = locationOf({ file, start: cutAt, end: cutAt });
  return [{
    message: `${nodePath.basename(file.path)} has more than ${maximumTokens.toLocaleString("en")} tokens: it was read up to line ${String(location.range.start.line + 1)}, and nothing behind that was checked.`,
    location, path: file.path, kind: "file",
  }];
}

function collectTargets(interpreter: Interpreter, builders: readonly Value[], context: EvaluationContext, catalogue: Catalogue | undefined, targets: DeclaredTarget[], observations: Observation[]): void {
  const names = builders.map((builder) => builder.kind === "class" ? externalBases(builder) : [builder.kind === "external" ? builder.name : builder.kind === "unknown" ? builder.text : ""]);
  const isTorchs = (name: string): boolean => /^torch\.utils\.cpp_extension\.BuildExtension/.test(name);
  const hooks = interpreter.classes.some((one) => one.scope.has("_add_gnu_cpp_abi_flag"));
  const facts: BuilderFacts = {
    context,
    catalogue,
    torchBuilder: names.some((all) => all.some(isTorchs)),
    ownBuilder: builders.some((builder, index) => (builder.kind === "class" && ["build_extensions", "build_extension"].some((name) => builder.scope.has(name))) || names[index]?.every((name) => !isTorchs(name)) === true),
    ownAbiHook: hooks,
  };
  const seen = new Set<string>();
  const add = (target: DeclaredTarget | undefined): void => {
    if (target === undefined || targets.length >= maximumTargets) return;
    const { start } = target.location.range;
    const key = JSON.stringify([target.location.path, start, target.name, target.madeBy, target.arguments.map((one) => one.text), target.conditions.map((one) => [one.id, one.branch])]);
    if (!seen.has(key)) targets.push(target);
    seen.add(key);
  };
  for (const object of interpreter.objects) {
    const reading = extensionTarget(interpreter, object, facts);
    add(reading?.target);
    observations.push(...(reading?.ineffective ?? []));
  }
  for (const call of interpreter.externalCalls) {
    if (/^torch\.utils\.cpp_extension\.load(?:_inline)?$/.test(call.name)) add(jitTarget(interpreter, call, facts));
  }
}

/** A key that reaches no compiler is one thing to report, however many extensions are made from it. */
function observationIdentity(one: Observation): string {
  return one.kind === "ineffective-setting" ? JSON.stringify([one.reason, one.evidence.location]) : JSON.stringify(one);
}

function withoutRepeats<T>(all: readonly T[], identity: (one: T) => string): T[] {
  const seen = new Set<string>();
  return all.filter((one) => {
    const key = identity(one);
    return !seen.has(key) && seen.add(key);
  });
}
