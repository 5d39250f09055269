import { pythonEnvironment } from "../process/index.ts";
import type { Command, Variables } from "../process/types.ts";
import type { BenchmarkPlan } from "../project/types.ts";

/** One of the two sides of a comparison, or the only one. */
export interface Side {
  readonly plan: BenchmarkPlan;
  readonly interpreter: string | undefined;
}

/** What is known of a benchmark program's names before it measures, for formats whose filter takes no expression. */
export interface Narrowing {
  readonly filter: string | undefined;
  /** nvbench: benchmarks that the expression finds; empty: all are run, and their states are filtered afterwards. */
  readonly benchmarks: readonly string[];
}

/** The process that measures every benchmark once and writes JSON to `file`, or prints it when the plan says so. */
export function measuringCommand(side: Side, environment: Variables, narrowing: Narrowing, file: string): Command {
  const { plan } = side;
  return command(side, environment, plan.printsJson ? [] : [...filterArguments(plan, narrowing), ...outputArguments(plan, file)]);
}

/** The process that lists names without measuring; undefined: there is none for a command that prints JSON by itself. */
export function listingCommand(side: Side, environment: Variables): Command | undefined {
  const { plan } = side;
  if (plan.printsJson) {
    return undefined;
  }
  switch (plan.format) {
    case "google-benchmark":
      return command(side, environment, ["--benchmark_list_tests=true"]);
    case "nvbench":
      return command(side, environment, ["--jsonlist-benches"]);
    case "pytest-benchmark":
      return command(side, environment, ["--collect-only", "-q", "--benchmark-only"]);
  }
}

function command(side: Side, environment: Variables, further: readonly string[]): Command {
  const [file = "", ...own] = side.plan.command;
  const base = side.interpreter === undefined ? environment : pythonEnvironment(environment, side.interpreter);
  return { file, arguments: [...own, ...further], folder: side.plan.folder, environment: { ...base, ...side.plan.variables } };
}

/** Into a file, not printed: what the program prints beside it cannot get into the JSON. */
function outputArguments(plan: BenchmarkPlan, file: string): string[] {
  switch (plan.format) {
    case "google-benchmark":
      return [`--benchmark_out=${file}`, "--benchmark_out_format=json"];
    case "nvbench":
      return ["--jsonbin", file];
    case "pytest-benchmark":
      return ["--benchmark-only", `--benchmark-json=${file}`];
  }
}

function filterArguments(plan: BenchmarkPlan, narrowing: Narrowing): string[] {
  if (narrowing.filter === undefined) {
    return [];
  }
  // The benchmark that the others are a fraction of is measured with them.
  const filter = plan.ceiling === undefined ? narrowing.filter : `(${narrowing.filter})|^${plan.ceiling.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`;
  switch (plan.format) {
    case "google-benchmark":
      // A minus at the begin turns the filter around (docs/user_guide.md, "Running a Subset of Benchmarks").
      return [`--benchmark_filter=${filter.startsWith("-") ? `[-]${filter.slice(1)}` : filter}`];
    case "nvbench":
      return narrowing.benchmarks.flatMap((name) => ["--benchmark", name]);
    case "pytest-benchmark":
      // `-k` takes words, not expressions.
      return /^\w+$/.test(filter) && !/^(?:and|or|not)$/i.test(filter) ? ["-k", filter] : [];
  }
}
