import * as path from "node:path";
import { observationsOf } from "../model/index.ts";
import type { CMakeArguments, CompileArgument, Condition, DeclaredTarget, EvaluationContext, Files, Location, Observation, Reading } from "../model/index.ts";
import { unreadable } from "./readings.ts";

/**
 * Reads every folder that `cmake` can be started in: those whose CMakeLists.txt begins a project, and where nothing else leads to
 * it and no folder above has one, any other, since CMake then takes a project() for given. Shallow folders come first.
 */
export function* readCMakeFolders(cmakeLists: readonly string[], files: Files, read: (folder: string) => Generator<string, Reading, undefined>): Generator<string, readonly Reading[], undefined> {
  const readings: Reading[] = [];
  const reached = new Set<string>();
  const readable = new Set<string>();
  const others: string[] = [];
  const follow = function* (file: string): Generator<string, void, undefined> {
    const reading = yield* read(path.dirname(file));
    readings.push(reading);
    for (const one of [file, ...reading.files]) {
      reached.add(one);
    }
  };
  for (const file of cmakeLists) {
    if (!reached.has(file)) {
      const text = files.readText(file);
      if (!text.ok) {
        readings.push(unreadable(file, text.message));
        continue;
      }
      if (/^[ \t]*(?:project|cmake_minimum_required)[ \t]*\(/im.test(text.text)) {
        yield* follow(file);
      } else {
        others.push(file);
      }
    }
    readable.add(path.dirname(file));
  }
  for (const file of others) {
    if (!reached.has(file) && !isBelowAny(path.dirname(file), readable)) {
      yield* follow(file);
    }
  }
  return readings;
}

/** Whether a folder above is one of them. */
function isBelowAny(folder: string, folders: ReadonlySet<string>): boolean {
  for (let at = path.dirname(folder); ; at = path.dirname(at)) {
    if (folders.has(at)) {
      return true;
    }
    if (at === path.dirname(at)) {
      return false;
    }
  }
}

/** One way to configure a CMake project: plainly, or with the variables that a preset or a setup.py hands over. */
export interface CMakeEntry {
  readonly variables: ReadonlyMap<string, string>;
  /** What hands them over: "setup.py", "CMakePresets.json"; undefined for a plain `cmake`. */
  readonly configuredBy: string | undefined;
  readonly location: Location | undefined;
  readonly definitions: CMakeArguments["definitions"];
}

/** More ways than this to configure one project are not each evaluated. */
const maximumEntries = 6;

/** The ways in which a folder's CMakeLists.txt gets configured; the plain one comes first. */
export function cmakeEntries(folder: string, root: string, observations: readonly Observation[]): readonly [CMakeEntry, ...CMakeEntry[]] {
  const entries: [CMakeEntry, ...CMakeEntry[]] = [{ variables: new Map(), configuredBy: undefined, location: undefined, definitions: [] }];
  const seen = new Set<string>(["[]"]);
  for (const handed of observationsOf(observations, "cmake-arguments")) {
    const target = handed.sourceDirectory ?? path.dirname(handed.evidence.location.path);
    if (path.resolve(target) !== folder || entries.length > maximumEntries) {
      continue;
    }
    const variables = new Map<string, string>();
    for (const definition of handed.definitions) {
      if (definition.value !== undefined) {
        variables.set(definition.name, definition.value);
      }
    }
    const identity = JSON.stringify([...variables].sort());
    if (variables.size > 0 && !seen.has(identity)) {
      seen.add(identity);
      const { location } = handed.evidence;
      entries.push({ variables, configuredBy: path.relative(root, location.path) || path.basename(location.path), location, definitions: handed.definitions });
    }
  }
  return entries;
}

/** The circumstances of an evaluation for one entry. */
export function contextOf(entry: CMakeEntry, context: EvaluationContext): EvaluationContext {
  return entry.variables.size === 0 ? context : { ...context, cacheVariables: new Map([...(context.cacheVariables ?? []), ...entry.variables]) };
}

/**
 * What another entry gives beside the plain configuration: its targets that are not compiled and linked alike. Most are,
 * and of a large project they are too many to be kept twice.
 */
export function beside(plain: Reading): (reading: Reading) => Reading {
  const identities = new Identities();
  let known: ReadonlySet<string> | undefined;
  return (reading) => {
    known ??= new Set(plain.targets.map((target) => identities.of(target)));
    const targets = reading.targets.filter((target) => known?.has(identities.of(target)) !== true);
    return { targets, observations: [], requirements: [], gaps: [], files: reading.files };
  };
}

/**
 * The readings of one project's entries as one: the plain one, and what the others give beside it, which is kept under
 * the condition that the project is configured that way.
 */
export function mergeEntries(folder: string, readings: readonly { readonly entry: CMakeEntry; readonly reading: Reading }[]): Reading {
  const [plain, ...others] = readings;
  if (plain === undefined) {
    return { targets: [], observations: [], requirements: [], gaps: [], files: [] };
  }
  if (others.length === 0) {
    return plain.reading;
  }
  const before = merged.get(plain.reading);
  const handed = JSON.stringify(others.map(({ entry }) => [entry.configuredBy, entry.location, entry.definitions]));
  if (before?.handed === handed && before.others.length === others.length && before.others.every((reading, index) => reading === others[index]?.reading)) {
    return before.result;
  }
  const identities = new Identities();
  const known = new Set<string>();
  const targets: DeclaredTarget[] = [...plain.reading.targets];
  const files = new Set(plain.reading.files);
  const id = `configured:${folder}`;
  for (const [index, { entry, reading }] of others.entries()) {
    const condition: Condition | undefined = entry.location && {
      id, branch: index + 1, text: `configured by ${entry.configuredBy ?? "another tool"}`, location: entry.location,
    };
    for (const read of reading.targets) {
      const target = placeHanded(read, entry);
      const identity = identities.of(target);
      if (!known.has(identity)) {
        known.add(identity);
        targets.push(condition === undefined ? target : { ...target, conditions: [...target.conditions, condition] });
      }
    }
    for (const file of reading.files) {
      files.add(file);
    }
  }
  const result = { ...plain.reading, targets, files: [...files] };
  merged.set(plain.reading, { handed, others: others.map((other) => other.reading), result });
  return result;
}

/** Flags and standards that were handed over stand where they are handed over: no text of the CMake files has them. */
function placeHanded(target: DeclaredTarget, entry: CMakeEntry): DeclaredTarget {
  const handed = entry.definitions.flatMap(({ name, value, evidence }) => (value !== undefined && /^CMAKE_(?:CXX|CUDA|C)_(?:STANDARD$|FLAGS)/.test(name) ? [{ name, words: value.split(/\s+/), evidence }] : []));
  const sourceOf = (one: CompileArgument): CompileArgument["evidence"] | undefined => samePlace(one.evidence.location, target.location)
    ? handed.find(({ name, words }) => (name.endsWith("_STANDARD") ? one.origin === "standard" && words.some((word) => one.text.endsWith(`+${word}`)) : words.includes(one.text)))?.evidence
    : undefined;
  if (handed.length === 0 || !target.arguments.some((one) => sourceOf(one) !== undefined)) return target;
  return {
    ...target,
    arguments: target.arguments.map((one) => {
      const evidence = sourceOf(one);
      return evidence === undefined ? one : { ...one, evidence };
    }),
  };
}

function samePlace(a: Location, b: Location): boolean {
  return a.path === b.path && a.range.start.line === b.range.start.line;
}

/** Readings are remembered as long as their files stay as they are, and so is what was made of them. */
const merged = new WeakMap<Reading, { readonly handed: string; readonly others: readonly Reading[]; readonly result: Reading }>();

const numbers = new WeakMap<Reading, number>();
let lastNumber = 0;

/** A number of its own for each reading. */
export function numberOf(reading: Reading): number {
  let number = numbers.get(reading);
  if (number === undefined) numbers.set(reading, (number = ++lastNumber));
  return number;
}

/** Texts that are equal for targets that are compiled and linked alike. */
class Identities {
  readonly #numbers = new Map<string, number>();
  /** Most arguments belong to many targets. */
  readonly #ofArgument = new Map<CompileArgument, number>();

  of(target: DeclaredTarget): string {
    return [
      target.name, JSON.stringify(target.location), target.arguments.map((argument) => this.#argument(argument)).join(), target.links.map((link) => link.name).join("\n"), conditionIdentity(target.conditions),
    ].join("\n\n");
  }

  #argument(argument: CompileArgument): number {
    let known = this.#ofArgument.get(argument);
    if (known === undefined) {
      const text = JSON.stringify([argument.text, argument.languages, argument.configurations, conditionIdentity(argument.conditions)]);
      known = this.#numbers.get(text) ?? this.#numbers.size;
      this.#numbers.set(text, known);
      this.#ofArgument.set(argument, known);
    }
    return known;
  }
}

function conditionIdentity(conditions: readonly Condition[]): string {
  return conditions.map((one) => `${one.id} ${one.branch}`).join("\n");
}
