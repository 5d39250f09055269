import type { DeclaredTarget, TorchLookup } from "../../../model/index.ts";
import { sourceEvidence } from "../evidence.ts";
import type { Interpreter } from "../interpreter.ts";
import type { Command, IfNode, Node, SourceFile } from "../syntax.ts";
import type { Directory, Target } from "../target.ts";
import { origin } from "./settings.ts";

/** What can only be said once everything is evaluated, from how statements stand to each other. */
export function noteStatements(vm: Interpreter, targets: readonly DeclaredTarget[]): void {
  noteTorchFlags(vm);
  noteTooLate(vm, targets);
  if (vm.targets.get("torch")?.some((target) => target.isImported)) vm.observations.push(...vm.notes.droppedUserFlags);
  for (const file of vm.notes.sources) eachIf(file.nodes, (node) => noteInvertedChoice(vm, file, node));
  for (const question of vm.notes.abiQuestions) {
    const { call, variable } = question;
    let fallback: Command | undefined;
    eachIf(call.file.nodes, (node) => {
      if (node.command.start < call.command.start || fallback !== undefined) return;
      const head = call.file.text.slice(node.command.start, node.command.end);
      const last = node.branches.at(-1);
      const body = last === undefined || last.head.name !== "else" ? "" : call.file.text.slice(last.head.start, node.end);
      if (new RegExp(`\\b${variable}\\b`).test(head) && /CXX11_ABI/.test(body)) fallback = last?.head;
    });
    if (fallback === undefined) continue;
    vm.observations.push({
      kind: "ineffective-setting", reason: "silent-fallback", conditions: question.conditions, evidence: sourceEvidence(vm, origin(call)),
      message: `Python is asked for torch's ABI here and nobody looks whether that worked: when it fails, ${variable} is empty and the else() branch silently picks an ABI.`,
      related: [{ location: call.file.location(fallback.start, fallback.end), what: "the branch taken when the question fails" }],
    });
  }
}

function noteTorchFlags(vm: Interpreter): void {
  const seen = new Set<string>();
  for (const use of vm.notes.torchFlagUses) {
    const { name } = use.command;
    const key = `${use.file.path}:${use.start}`;
    if (name === "message" || name === "foreach" || seen.has(key)) continue;
    seen.add(key);
    const first = use.command.args[0];
    const mode = first === undefined ? "" : use.file.source(first);
    const how: TorchLookup["use"] = name === "if" || name === "elseif" || (name === "string" && /^(REGEX|FIND|COMPARE|REPLACE)$/i.test(mode)) ? "parsed" : "forwarded";
    const conditions = vm.conditions.list(use.path);
    const head = name === "if" || name === "elseif" ? use.file.text.slice(use.command.start, use.command.end) : "";
    if (/STREQUAL\s+""/.test(head)) continue;
    vm.observations.push({
      kind: "torch-lookup", what: "TORCH_CXX_FLAGS", use: how, conditions,
      guarded: conditions.some((condition) => condition.text.includes("TORCH_CXX_FLAGS")),
      evidence: sourceEvidence(vm, { file: use.file, start: use.start, end: use.end }),
    });
  }
}

/** What targets take when they are made is set when the last target of the directory, or one of a subdirectory, is made already. */
function noteTooLate(vm: Interpreter, declared: readonly DeclaredTarget[]): void {
  for (const one of vm.notes.standardSets) {
    if (one.conditions.length > 0) continue;
    const property = one.name.replace("CMAKE_", "");
    const made = vm.allTargets.map((target, index) => ({ target, index })).filter(({ target }) => !target.isImported && within(target.directory, one.directory));
    const before = made.filter(({ target, index }) => index < one.targetsBefore && target.kind !== "interface").map(({ target }) => target);
    const missing = before.filter((target) => target.properties.get(property)?.pieces.map((piece) => piece.text).join("") !== one.text);
    const isLast = made.every(({ index }) => index < one.targetsBefore);
    const missed = isLast ? missing : missing.filter((target) => target.directory !== one.directory && lacks(declared, target, one.name));
    const [first] = missed;
    if (first === undefined || (isLast && property === "CUDA_ARCHITECTURES" && !missed.some((target) => declaredAs(declared, target)?.languages.includes("CUDA")))) continue;
    vm.observations.push({
      kind: "ineffective-setting", reason: "too-late", conditions: one.conditions, evidence: sourceEvidence(vm, origin(one.call)),
      message: isLast
        ? `${one.name} is set to ${one.text} after the last target of this directory is made; targets take the value that is set when they are made, so no target gets this one.`
        : `${one.name} is set to ${one.text} after the subdirectory of target ${first.name} is added; targets take the value that is set when they are made, so ${first.name}, which uses torch, gets none.`,
      related: missed.slice(0, isLast ? 1 : 3).map((target) => ({ location: target.origin.file.location(target.origin.start, target.origin.end), what: `target ${target.name} made before` })),
    });
  }
}

function declaredAs(declared: readonly DeclaredTarget[], target: Target): DeclaredTarget | undefined {
  return declared.find((one) => one.name === target.name);
}

/** A target that torch's headers make demands on and that has no standard of its own. */
function lacks(declared: readonly DeclaredTarget[], target: Target, variable: string): boolean {
  const language = /^CMAKE_(CXX|CUDA)_STANDARD$/.exec(variable)?.[1];
  const one = declaredAs(declared, target);
  return one?.usesTorch === true && one.languages.some((each) => each === language) && !one.arguments.some((argument) => /^[-/]-?std[=:]/.test(argument.text) && argument.languages.some((each) => each === language));
}

function within(directory: Directory, outer: Directory): boolean {
  for (let at: Directory | undefined = directory; at !== undefined; at = at.parent) if (at === outer) return true;
  return false;
}

/** `if(NOT DEFINED X) ... else() set(X 0)`: whoever passes X gets the constant instead. */
function noteInvertedChoice(vm: Interpreter, file: SourceFile, node: IfNode): void {
  const head = file.text.slice(node.command.nameEnd, node.command.end);
  const asked = /(NOT\s+)?\bDEFINED\s+(?:CACHE\{)?(\w+)/.exec(head);
  const name = asked?.[2];
  if (name === undefined || !/ABI|STANDARD|ARCH/i.test(name) || /\bOR\b/.test(head)) return;
  const given = asked?.[1] === undefined ? node.branches[0] : node.branches.find((branch) => branch.head.name === "else");
  if (asked?.[1] === undefined && /\bAND\b/.test(head)) return;
  for (const inner of given?.body ?? []) {
    if (inner.kind !== "command" || inner.command.name !== "set") continue;
    const [target, ...values] = inner.command.args;
    if (target === undefined || file.source(target) !== name || values.length !== 1) continue;
    const value = file.source(values[0] as (typeof values)[number]);
    if (!/^\w+$/.test(value)) continue;
    vm.observations.push({
      kind: "ineffective-setting", reason: "inverted-choice", conditions: [], evidence: sourceEvidence(vm, { file, start: inner.command.start, end: inner.command.end }),
      message: `Whoever passes -D${name}=... comes to this line, which replaces the choice by ${value}: passing 1 gives ${value} all the same.`,
      related: [{ location: file.location(node.command.start, node.command.end), what: `asks whether ${name} is given` }],
      fix: { title: `Keep the given ${name}`, edits: [{ location: file.location(inner.command.start, inner.command.end), newText: "" }] },
    });
  }
}

const maximumDepth = 200;

function eachIf(nodes: readonly Node[], visit: (node: IfNode) => void, depth = 0): void {
  if (depth > maximumDepth) return;
  for (const node of nodes) {
    if (node.kind === "command") continue;
    if (node.kind === "if") {
      visit(node);
      for (const branch of node.branches) eachIf(branch.body, visit, depth + 1);
    } else eachIf(node.body, visit, depth + 1);
  }
}
