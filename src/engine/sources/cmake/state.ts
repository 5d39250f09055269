import { always, beyond, complement, conjunction, excludes } from "./guards.ts";
import type { Conditions, Guard } from "./guards.ts";
import { merge, unboundedValue, unknownPiece, unsetValue } from "./value.ts";
import type { Value } from "./value.ts";

/** A table of values: variables of a scope, the cache, properties of a target. */
export class Table {
  readonly values = new Map<string, Value>();
  readonly parent: Table | undefined;
  /** Branch counter at creation: a table made inside a branch needs no undoing at its end. */
  readonly birth: number;
  /** What a name that nothing has set stands for. */
  readonly kind: "variables" | "local" | "cache" | "properties";

  constructor(kind: Table["kind"], birth: number, parent?: Table) {
    this.kind = kind;
    this.birth = birth;
    this.parent = parent;
  }

  get(key: string): Value | undefined {
    let found = this.values.get(key);
    for (let table = this.parent; found === undefined && table !== undefined; table = table.parent) found = table.values.get(key);
    return found;
  }
}

/** How a run of commands ended. `stop`: FATAL_ERROR, nothing after it happens. */
export type Exit = "normal" | "return" | "break" | "continue" | "stop";

type Writes = Map<Table, Map<string, Value>>;

/** Writes of a branch that left early; they come back where its function, loop or file ends. */
interface Deferred {
  readonly exit: Exit;
  readonly guard: Guard;
  readonly writes: Writes;
  /** Where the journal stood when the others went on without it: what they write later is not written here. */
  mark: number;
}

export interface Branch {
  readonly guard: Guard;
  run(): Exit;
}

/** Tables, the decisions under which the evaluator stands, and branching with merging. */
/**
 * Alternatives of a variable of a function. Loops over architectures and the like pile up hundreds that decide nothing here;
 * beyond this the variable counts as unknown.
 */
const maximumLocal = { text: 40, list: 300 };

export class State {
  readonly conditions: Conditions;
  /** Decisions made on the way here; they are noted on every fact. */
  path: Guard = always;
  /** Decisions that must hold, or the build would have stopped. They decide, but are not noted. */
  assumed: Guard = always;
  #journal: { table: Table; key: string; old: Value | undefined }[] = [];
  #depth = 0;
  #branches = 0;
  #deferred: Deferred[] = [];
  /** Branches that left early and have not come back. */
  #left = 0;

  constructor(conditions: Conditions) {
    this.conditions = conditions;
  }

  get branching(): boolean {
    return this.#depth > 0;
  }

  table(kind: Table["kind"], parent?: Table): Table {
    return new Table(kind, this.#branches, parent);
  }

  write(table: Table, key: string, value: Value): void {
    if ((this.#depth > 0 || this.#left > 0) && table.birth < this.#branches) this.#journal.push({ table, key, old: table.values.get(key) });
    table.values.set(key, value);
  }

  /** Decided here, by the way or by an assumption: 0 holds, 1 does not. */
  decided(code: number): 0 | 1 | undefined {
    if (this.path.includes(code) || this.assumed.includes(code)) return 0;
    if (this.path.includes(code ^ 1) || this.assumed.includes(code ^ 1)) return 1;
    return undefined;
  }

  possible(guard: Guard): boolean {
    return !excludes(guard, this.path) && !excludes(guard, this.assumed);
  }

  /** Runs a function body, a file or an iteration: what returns early inside comes together at its end. */
  region(catches: readonly Exit[], run: () => Exit): Exit {
    const { path } = this;
    const outer = this.#deferred;
    this.#deferred = [];
    let exit = run();
    const here = this.#deferred.filter((one) => catches.includes(one.exit));
    const further = this.#deferred.filter((one) => !catches.includes(one.exit));
    this.#deferred = outer;
    outer.push(...further);
    for (const one of here) this.#complete(one, one.mark);
    this.#left -= here.length;
    if (this.#depth === 0 && this.#left === 0) this.#journal.length = 0;
    const left = here.map(({ guard, writes }) => ({ guard: beyond(guard, path), writes }));
    if (here.length > 0 && exit !== "stop") this.#apply([...this.#others(left).map((guard) => ({ guard, writes: new Map() })), ...left]);
    else if (here.length > 0 && exit === "stop") {
      // The rest of the body stops, but a branch had returned before that: what follows stands under its guard.
      this.#apply(left);
      exit = "normal";
    }
    if (further.length === 0) this.path = path;
    return catches.includes(exit) ? "normal" : exit;
  }

  /** The decisions under which none of these branches was taken. */
  #others(taken: readonly { readonly guard: Guard }[]): Guard[] {
    let parts: Guard[] = [always];
    for (const { guard } of taken) {
      const ways = complement(this.conditions, guard);
      const next = parts.flatMap((part) => ways.map((way) => conjunction(part, way)).filter((both) => both !== undefined));
      if (next.length > 12) break;
      parts = next;
    }
    return parts;
  }

  /** Follows all branches from the same state and merges what they leave. */
  fork(branches: readonly Branch[]): Exit {
    const before = { path: this.path, assumed: this.assumed };
    const survivors: { guard: Guard; writes: Writes }[] = [];
    const exits: Exit[] = [];
    let stopped: Guard | undefined;
    const earlier = this.#deferred.length;
    for (const branch of branches) {
      const path = conjunction(before.path, branch.guard);
      if (path === undefined) continue;
      const mark = this.#journal.length;
      const birth = ++this.#branches;
      this.#depth++;
      this.path = path;
      const inside = this.#deferred.length;
      const exit = branch.run();
      for (const one of this.#deferred.slice(inside)) this.#complete(one, mark);
      const inner = this.path;
      this.#depth--;
      this.path = before.path;
      this.assumed = before.assumed;
      const writes = this.#undo(mark, birth);
      exits.push(exit);
      if (exit === "normal") survivors.push({ guard: inner === path ? branch.guard : inner, writes });
      else if (exit === "stop") stopped = branch.guard;
      else {
        this.#deferred.push({ exit, guard: path, writes, mark: 0 });
        this.#left++;
      }
    }
    if (survivors.length > 0) this.#apply(survivors);
    for (const one of this.#deferred.slice(earlier)) one.mark = this.#journal.length;
    if (survivors.length === 0) return exits.find((exit) => exit !== "stop") ?? (exits.length > 0 ? "stop" : "normal");
    const left = survivors.length === 1 ? survivors[0]?.guard : undefined;
    if (exits.length > survivors.length && left !== undefined) {
      if (stopped !== undefined && exits.length === survivors.length + 1) this.assumed = conjunction(this.assumed, left) ?? this.assumed;
      else this.path = conjunction(this.path, left) ?? this.path;
    }
    return "normal";
  }

  /** Gives a branch that left early, for all that was written since `from`, the values that it left with. */
  #complete({ writes, mark }: Deferred, from: number): void {
    const own = new Map<Table, Set<string>>([...writes].map(([table, values]) => [table, new Set(values.keys())]));
    const late = new Map<Table, Set<string>>();
    for (let at = from; at < this.#journal.length; at++) {
      const { table, key, old } = this.#journal[at] as { table: Table; key: string; old: Value | undefined };
      if (own.get(table)?.has(key) === true || late.get(table)?.has(key) === true) continue;
      const values = writes.get(table) ?? new Map<string, Value>();
      writes.set(table, values);
      if (at < mark) values.set(key, table.values.get(key) ?? unsetValue);
      else {
        values.set(key, old ?? table.parent?.get(key) ?? neverSet(table, key));
        late.set(table, (late.get(table) ?? new Set<string>()).add(key));
      }
    }
  }

  #undo(mark: number, birth: number): Writes {
    const writes: Writes = new Map();
    for (let at = this.#journal.length - 1; at >= mark; at--) {
      const { table, key, old } = this.#journal[at] as { table: Table; key: string; old: Value | undefined };
      if (table.birth >= birth) continue;
      let of = writes.get(table);
      if (of === undefined) writes.set(table, (of = new Map<string, Value>()));
      if (!of.has(key)) of.set(key, table.values.get(key) ?? unsetValue);
      if (old === undefined) table.values.delete(key);
      else table.values.set(key, old);
    }
    this.#journal.length = mark;
    return writes;
  }

  #apply(branches: readonly { readonly guard: Guard; readonly writes: Writes }[]): void {
    const seen: Writes = new Map();
    for (const { writes } of branches) {
      for (const [table, values] of writes) {
        let of = seen.get(table);
        if (of === undefined) seen.set(table, (of = new Map<string, Value>()));
        for (const key of values.keys()) of.set(key, unsetValue);
      }
    }
    for (const [table, keys] of seen) {
      for (const key of keys.keys()) {
        const old = table.get(key) ?? neverSet(table, key);
        for (const { writes } of branches) this.conditions.work += writes.get(table)?.get(key)?.pieces.length ?? 1;
        const value = merge(branches.map(({ guard, writes }) => ({ guard, value: writes.get(table)?.get(key) ?? old })), table.kind === "local" ? maximumLocal : undefined);
        if (value !== table.values.get(key)) this.write(table, key, value === unboundedValue ? { pieces: [unknownPiece(`\${${key}}`)], absent: [] } : value);
      }
    }
  }
}

/** A variable that nothing set may still come from the command line; a property may not. */
export function neverSet(table: Table, key: string): Value {
  if (table.kind === "properties" || key.includes("\u0000")) return unsetValue;
  return { pieces: [{ ...unknownPiece(`\${${key}}`), unset: key }], absent: [always] };
}
