import { limits } from "./call.ts";
import type { Arg } from "./call.ts";
import { always, complement } from "./guards.ts";
import type { Guard } from "./guards.ts";
import type { Interpreter } from "./interpreter.ts";
import { splitList } from "./split.ts";
import type { Branch, Exit, Table } from "./state.ts";
import type { BlockNode, LoopNode, Node } from "./syntax.ts";
import { certainText, emptyValue, known, render, sameGuard, unknownPiece, value } from "./value.ts";
import type { Piece } from "./value.ts";

/** Runs a foreach; elements that are there under conditions are branches. */
export function runForeach(vm: Interpreter, node: LoopNode): Exit {
  const args = vm.expand(node.command);
  const name = certainText(args[0]?.pieces ?? []);
  if (name === undefined) return "normal";
  const items = loopItems(vm, args);
  if (items.length > limits.iterations) vm.gap(`Only the first ${limits.iterations} of ${items.length} iterations of foreach(${name}) were evaluated.`);
  const { scope } = vm;
  const before = scope.values.get(name) ?? emptyValue;
  vm.set(name, emptyValue);
  const exit = vm.state.region(["break"], () => {
    let guarded = 0;
    for (const { guard, items: group } of sameGuards(items.slice(0, limits.iterations))) {
      const followed = guard.length > 0 ? group.slice(0, Math.max(0, limits.guardedIterations - guarded)) : group;
      if (guard.length > 0) guarded += group.length;
      const iterations = () => iterate(vm, scope, name, followed, node.body);
      const exit = followed.length === 0 ? "normal" : guard.length > 0 ? vm.state.fork([{ guard, run: iterations }, ...complement(vm.conditions, guard).map((without): Branch => ({ guard: without, run: () => "normal" }))]) : iterations();
      if (exit !== "normal") return exit;
      if (guarded > limits.guardedIterations) {
        vm.gap(`Of the conditional elements of foreach(${name}) only the first ${limits.guardedIterations} were followed.`);
        break;
      }
    }
    return "normal";
  });
  vm.state.write(scope, name, before);
  return exit;
}

function iterate(vm: Interpreter, scope: Table, name: string, items: readonly (readonly Piece[])[], body: readonly Node[]): Exit {
  for (const item of items) {
    const exit = vm.state.region(["continue"], () => {
      // Each iteration sets it anew and the loop puts back what it was, so no branch has to remember it.
      scope.values.set(name, value(item));
      return vm.run(body);
    });
    if (exit !== "normal") return exit;
  }
  return "normal";
}

/** block(): variables of its own, unless it is for policies alone; those named after PROPAGATE reach the scope around it. */
export function runBlock(vm: Interpreter, node: BlockNode): Exit {
  const words = vm.expand(node.command).map((arg) => certainText(arg.pieces));
  const [scopesAt, propagateAt] = [words.indexOf("SCOPE_FOR"), words.indexOf("PROPAGATE")];
  if (scopesAt >= 0 && !words.slice(scopesAt, propagateAt > scopesAt ? propagateAt : undefined).includes("VARIABLES")) return vm.run(node.body);
  const { scope } = vm;
  const inner = vm.state.table(scope.kind, scope);
  vm.scope = inner;
  const exit = vm.run(node.body);
  vm.scope = scope;
  if (propagateAt >= 0 && exit !== "stop") {
    for (const name of words.slice(propagateAt + 1)) {
      const changed = name === undefined ? undefined : inner.values.get(name);
      if (name !== undefined && changed !== undefined) vm.set(name, changed, scope);
    }
  }
  return exit;
}

/** What a foreach goes through, one entry an iteration. */
function loopItems(vm: Interpreter, args: readonly Arg[]): (readonly Piece[])[] {
  const word = (index: number) => certainText(args[index]?.pieces ?? []);
  if (word(1) === "RANGE") {
    const numbers = args.slice(2).map((arg) => Number(certainText(arg.pieces) ?? NaN));
    if (numbers.length === 0 || numbers.some(Number.isNaN)) return [[unknownPiece("...", vm.origin())]];
    const [start, stop, step] = numbers.length === 1 ? [0, numbers[0] as number, 1] : [numbers[0] as number, numbers[1] as number, numbers[2] ?? 1];
    const out: Piece[][] = [];
    for (let at = start; step > 0 && at <= stop && out.length <= limits.iterations; at += step) out.push([...known(String(at), vm.origin()).pieces]);
    return out;
  }
  if (word(1) !== "IN") return args.slice(1).map((arg) => arg.pieces).filter((item) => !item.every((piece) => vm.countsAsEmpty(piece)));
  const out: (readonly Piece[])[] = [];
  let mode = "";
  for (const arg of args.slice(2)) {
    const text = certainText(arg.pieces);
    if (text === "LISTS" || text === "ITEMS" || text === "ZIP_LISTS") mode = text;
    else if (mode === "ITEMS") out.push(arg.pieces);
    else if (mode === "LISTS" && text !== undefined) {
      vm.noteUse(text);
      out.push(...splitList(vm.lookup(text).pieces).filter((item) => !item.every((piece) => vm.countsAsEmpty(piece))));
    } else out.push([unknownPiece(render(arg.pieces), vm.origin())]);
  }
  return out;
}

/** Elements that are there under the same decisions, next to each other: their iterations are one branch. */
function sameGuards(items: readonly (readonly Piece[])[]): { readonly guard: Guard; readonly items: (readonly Piece[])[] }[] {
  const out: { readonly guard: Guard; readonly items: (readonly Piece[])[] }[] = [];
  for (const item of items) {
    const guards = [...new Set(item.flatMap((piece) => piece.guard))];
    const guard = guards.length > 0 && item.every((piece) => piece.guard.length === guards.length) ? guards : always;
    const inside = guard.length > 0 ? item.map((piece) => ({ ...piece, guard: always })) : item;
    const last = out.at(-1);
    if (last !== undefined && sameGuard(last.guard, guard)) last.items.push(inside);
    else out.push({ guard, items: [inside] });
  }
  return out;
}
