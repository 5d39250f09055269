import type { LinkedLibrary } from "../../model/index.ts";
import { evidenceOf, sourceEvidence } from "./evidence.ts";
import { evaluateGenex } from "./genex.ts";
import { always, conjunction } from "./guards.ts";
import type { Guard } from "./guards.ts";
import type { Interpreter } from "./interpreter.ts";
import type { NamedLibrary, SharedParts, Way } from "./shared.ts";
import { splitList } from "./split.ts";
import type { Target } from "./target.ts";
import { certainText, render, worldsWithText } from "./value.ts";
import type { Piece, Value, World } from "./value.ts";

/** A target reached through linking, and the decisions under which it is reached. */
export interface ReachedTarget {
  readonly target: Target;
  readonly guard: Guard;
  /** Linked privately by a static library: its objects are linked, its usage requirements do not count. */
  readonly linkOnly: boolean;
}

export interface LinkClosure {
  readonly libraries: readonly LinkedLibrary[];
  readonly reached: readonly ReachedTarget[];
  /** False where the chain of targets is longer than it was followed: what the farther ones hand on is not known. */
  readonly isWhole: boolean;
}

/** Lists of libraries that are looked at for one target: while there are few in all, and when there were many. */
const maximumLists = { usual: 4000, late: 400, all: 400_000 };
/** Libraries that are no targets and are linked in some cases only: what a search through all makes of BLAS comes to hundreds. */
const maximumAlternatives = 100;
const keywords = /^(debug|optimized|general)$/;

/** Everything that a target links, directly and through the targets that it links. */
export function linkClosure(vm: Interpreter, target: Target, shared: SharedParts): LinkClosure {
  const libraries: LinkedLibrary[] = [];
  const reached: ReachedTarget[] = [];
  const seen = new Map<Target, { readonly guard: Guard; readonly linkOnly: boolean }[]>([[target, [{ guard: always, linkOnly: false }]]]);
  const names = new Set<string>();
  const queue: { list: Value | undefined; guard: Guard; linkOnly: boolean }[] = [{ list: target.properties.get("LINK_LIBRARIES"), guard: always, linkOnly: false }];
  if (target.kind === "interface") queue.push({ list: target.properties.get("INTERFACE_LINK_LIBRARIES"), guard: always, linkOnly: false });
  const most = shared.lists < maximumLists.all ? maximumLists.usual : maximumLists.late;
  let at = 0;
  for (; at < queue.length && at < most; at++) {
    const { list, guard, linkOnly } = queue[at] as (typeof queue)[number];
    if (list === undefined || list.pieces.length === 0) continue;
    for (const own of shared.names(list.pieces, (element) => namesIn(vm, target, element), (names) => withoutMost(vm, target, names))) {
      const { pieces, name, targets } = own;
      const way = wayTo(own, guard);
      if (way === undefined) continue;
      if (!names.has(way.key)) {
        names.add(way.key);
        let { library } = way;
        if (library === undefined) {
          const evidence = evidenceOf(pieces);
          library = { name, isProjectTarget: targets.some((one) => !one.isImported), conditions: vm.conditions.list(way.guard), evidence: evidence ?? sourceEvidence(vm, target.origin) };
          if (evidence !== undefined) way.library = library;
        }
        libraries.push(library);
      }
      for (const one of targets) {
        const under = shared.both(way.guard, one.guard);
        const before = seen.get(one);
        const only = linkOnly || own.linkOnly;
        // Nothing new where it is reached already under decisions that these include.
        if (under === undefined || before?.some((earlier) => (!earlier.linkOnly || only) && earlier.guard.every((code) => under.includes(code))) === true) continue;
        if (before === undefined) seen.set(one, [{ guard: under, linkOnly: only }]);
        else before.push({ guard: under, linkOnly: only });
        reached.push({ target: one, guard: under, linkOnly: only });
        queue.push({ list: one.properties.get("INTERFACE_LINK_LIBRARIES"), guard: under, linkOnly: only });
        queue.push({ list: one.properties.get("LINK_ONLY_LIBRARIES"), guard: under, linkOnly: true });
      }
    }
  }
  shared.lists += at;
  return { libraries, reached, isWhole: at === queue.length };
}

function wayTo(named: NamedLibrary, guard: Guard): Way | undefined {
  const ways = (named.ways ??= new Map<Guard, Way | undefined>());
  if (!ways.has(guard)) {
    const both = conjunction(guard, named.guard);
    ways.set(guard, both && { guard: both, key: `${named.name}|${both.join()}` });
  }
  return ways.get(guard);
}

/** The libraries that one element of a list can name. */
function namesIn(vm: Interpreter, target: Target, element: readonly Piece[]): readonly NamedLibrary[] {
  const out: NamedLibrary[] = [];
  const add = (pieces: readonly Piece[], guard: Guard, linkOnly: boolean) => {
    const name = render(pieces);
    if (name === "" || keywords.test(name) || name.startsWith("-Wl,") || pieces.every((piece) => piece.unset !== undefined && piece.text === name)) return;
    const aliased = vm.globalProperties.get(`ALIAS ${name}`);
    const targets = vm.targets.get(aliased === undefined ? name : (certainText(aliased.pieces) ?? name)) ?? [];
    out.push({ pieces, name, guard, linkOnly, targets });
  };
  for (const world of worldsWithText(vm.conditions, element, always, 8) ?? eachText(element)) {
    if (!world.pieces.some((piece) => piece.text.includes("$<"))) add(world.pieces, world.guard, false);
    else for (const one of evaluateGenex(world.pieces, { vm, target, language: "CXX", configuration: "Release", linking: true })) {
      const guard = conjunction(world.guard, one.guard);
      if (guard !== undefined) for (const part of splitList(one.pieces)) add(part, guard, world.pieces.some((piece) => piece.text.includes("$<LINK_ONLY:")));
    }
  }
  return out;
}

/** What a search found in some cases only is bounded, as long as it says nothing about torch. */
function withoutMost(vm: Interpreter, target: Target, names: readonly NamedLibrary[]): readonly NamedLibrary[] {
  let alternatives = 0;
  // One that could not be evaluated stays in any case: it may be anything.
  let unnamed = false;
  const kept = names.filter(({ name, guard, targets }) => {
    if (guard.length > 0 && targets.length === 0 && !/torch|c10/i.test(name) && ++alternatives > maximumAlternatives && (unnamed || !name.includes("${"))) return false;
    unnamed ||= name.includes("${");
    return true;
  });
  if (alternatives > maximumAlternatives) vm.gap(`Target ${target.name} may link ${alternatives} other libraries, depending on what is found; only the first ${maximumAlternatives} were kept.`, "evaluation", target.origin.file.path);
  return kept;
}

/** Too many ways to follow: each text by itself, under the decisions that first lead to it. */
function eachText(element: readonly Piece[]): readonly World[] {
  const byText = new Map<string, World>();
  for (const piece of element) if (!byText.has(piece.text)) byText.set(piece.text, { guard: piece.guard, pieces: [piece] });
  return [...byText.values()];
}
