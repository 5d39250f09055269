import { limits } from "./call.ts";
import { always } from "./guards.ts";
import type { Guard } from "./guards.ts";
import type { Arg } from "./call.ts";
import type { Interpreter } from "./interpreter.ts";
import { splitList } from "./split.ts";
import { certainText, known, render, sameGuard, unknownPiece } from "./value.ts";
import type { Piece } from "./value.ts";

/** What a foreach goes through, one entry an iteration. */
export function loopItems(vm: Interpreter, args: readonly Arg[]): (readonly Piece[])[] {
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
export function sameGuards(items: readonly (readonly Piece[])[]): { readonly guard: Guard; readonly items: (readonly Piece[])[] }[] {
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
