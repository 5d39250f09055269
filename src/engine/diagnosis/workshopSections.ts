import { findNodeAtLocation } from "jsonc-parser";
import type { Node } from "jsonc-parser";
import type { Location } from "../model/index.ts";
import { combinationsFields } from "./combinationsSection.ts";
import type { CombinationsSection } from "./combinationsSection.ts";
import { choice, command, duration, members, object, readFields, steps, text, texts, variables } from "./jsonFields.ts";
import type { FieldContext, Values } from "./jsonFields.ts";

const shared = { name: text, environment: variables };
const cmakeBuild = { ...shared, preset: text, buildPreset: text, folder: text, source: text, arguments: texts, targets: texts, configuration: text };
const pythonBuild = { ...shared, python: choice(["in-place", "wheel", "editable"]), source: text, arguments: texts };
const commandBuild = { ...shared, command: steps, folder: text };
const ctest = { ...shared, ctest: text, labels: texts, configuration: text };
const pytest = { ...shared, pytest: texts, marker: text, arguments: texts, folder: text };
const commandTest = { ...shared, command, folder: text, timeLimit: duration };
const googleBenchmark = { ...shared, "google-benchmark": command, folder: text, ceiling: text };
const nvbench = { ...shared, nvbench: command, folder: text, ceiling: text };
const pytestBenchmark = { ...shared, "pytest-benchmark": texts, arguments: texts, folder: text, ceiling: text };
const commandBenchmark = { ...shared, command, prints: choice(["google-benchmark", "nvbench", "pytest-benchmark"]), folder: text, ceiling: text };

/** An entry of a section: which keys make it what it is, what it says, and where. */
interface Entry<F extends string, V> {
  readonly form: F;
  readonly values: V;
  readonly location: Location;
  /** Places of the values, by key. */
  readonly places: ReadonlyMap<string, Location>;
}

export type BuildEntry = Entry<"cmake", Values<typeof cmakeBuild>> | Entry<"python", Values<typeof pythonBuild>> | Entry<"command", Values<typeof commandBuild>>;
export type SmokeEntry = Entry<"ctest", Values<typeof ctest>> | Entry<"pytest", Values<typeof pytest>> | Entry<"command", Values<typeof commandTest>>;
export type BenchmarkEntry =
  | Entry<"google-benchmark", Values<typeof googleBenchmark>> | Entry<"nvbench", Values<typeof nvbench>>
  | Entry<"pytest-benchmark", Values<typeof pytestBenchmark>> | Entry<"command", Values<typeof commandBenchmark>>;

/** The sections of abiding.json that say how the project is built, tested, measured and tried. An absent one was not written. */
export interface WorkshopSections {
  readonly build?: readonly BuildEntry[];
  readonly smoke?: readonly SmokeEntry[];
  readonly benchmarks?: readonly BenchmarkEntry[];
  readonly combinations?: CombinationsSection;
}

/** Reads the sections of a parsed abiding.json; see docs/schema/abiding.schema.json. A mistake costs only the value or entry it is in. */
export function readWorkshopSections(tree: Node, context: FieldContext): WorkshopSections {
  const entries = <T>(section: string, read: (reading: EntryReading) => T | undefined): readonly T[] | undefined => {
    const node = findNodeAtLocation(tree, [section]);
    if (node === undefined) return undefined;
    const nodes = node.type === "array" ? (node.children ?? []) : [node];
    const found = nodes.flatMap((one) => {
      if (one.type === "object") return read(new EntryReading(section, one, context)) ?? [];
      context.complain(`"${section}" must be an object or a list of objects.`, context.at(one));
      return [];
    });
    // A section that is nothing but mistakes does not say that there is nothing.
    return found.length === 0 && nodes.length > 0 ? undefined : found;
  };
  const build = entries("build", readBuild);
  const smoke = entries("smoke", readSmoke);
  const benchmarks = entries("benchmarks", readBenchmark);
  const combinations = readCombinations(findNodeAtLocation(tree, ["combinations"]), context);
  return { ...(build && { build }), ...(smoke && { smoke }), ...(benchmarks && { benchmarks }), ...(combinations && { combinations }) };
}

function readCombinations(node: Node | undefined, context: FieldContext): CombinationsSection | undefined {
  return node === undefined ? undefined : object(combinationsFields)(node, `"combinations"`, context);
}

function readBuild(reading: EntryReading): BuildEntry | undefined {
  if (reading.has("command")) return reading.entry("command", commandBuild, "command");
  if (reading.has("python")) return reading.entry("python", pythonBuild, "python");
  if (reading.has("preset") || reading.has("folder") || reading.has("source")) return reading.entry("cmake", cmakeBuild);
  return reading.refuse(`"preset", "folder" or "source" for CMake, "python", or "command"`);
}

function readSmoke(reading: EntryReading): SmokeEntry | undefined {
  if (reading.has("command")) return reading.entry("command", commandTest, "command");
  if (reading.has("ctest")) return reading.entry("ctest", ctest, "ctest");
  if (reading.has("pytest")) return reading.entry("pytest", pytest, "pytest");
  return reading.refuse(`"ctest", "pytest" or "command"`);
}

function readBenchmark(reading: EntryReading): BenchmarkEntry | undefined {
  if (reading.has("command")) {
    if (!reading.has("prints")) return reading.refuse(`"prints" beside its "command": the format that it prints on standard output`);
    const entry = reading.entry("command", commandBenchmark, "command");
    return entry?.values.prints === undefined ? undefined : entry;
  }
  if (reading.has("google-benchmark")) return reading.entry("google-benchmark", googleBenchmark, "google-benchmark");
  if (reading.has("nvbench")) return reading.entry("nvbench", nvbench, "nvbench");
  if (reading.has("pytest-benchmark")) return reading.entry("pytest-benchmark", pytestBenchmark, "pytest-benchmark");
  return reading.refuse(`"google-benchmark", "nvbench", "pytest-benchmark" or "command"`);
}

/** One object of a section while it is read. */
class EntryReading {
  readonly #section: string;
  readonly #node: Node;
  readonly #context: FieldContext;
  readonly #places: ReadonlyMap<string, Location>;

  constructor(section: string, node: Node, context: FieldContext) {
    this.#section = section;
    this.#node = node;
    this.#context = context;
    this.#places = new Map(members(node).map(({ name, value }) => [name, context.at(value)]));
  }

  has(key: string): boolean {
    return this.#places.has(key);
  }

  /** `key`: without its value nothing is left of the entry. */
  entry<F extends string, S extends Parameters<typeof readFields>[1]>(form: F, fields: S, key?: keyof S): Entry<F, Values<S>> | undefined {
    const owner = `"${this.#section}" with ${form === "cmake" ? "CMake" : `"${form}"`}`;
    const values = readFields(this.#node, fields, owner, this.#context);
    if (key !== undefined && values[key] === undefined) return undefined;
    return { form, values, location: this.#context.at(this.#node), places: this.#places };
  }

  refuse(needs: string): undefined {
    this.#context.complain(`An entry of "${this.#section}" needs ${needs}.`, this.#context.at(this.#node));
    return undefined;
  }
}
