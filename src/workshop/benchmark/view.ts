import type { BenchmarksView, PanelBenchmarkRun } from "../../protocol/panel.ts";
import { CannotDo } from "../workshop.ts";
import { findBaseline } from "./baseline.ts";
import { compare, defaultThreshold, methodOf } from "./comparison.ts";
import type { ComparedRuns } from "./comparison.ts";
import { fractionsOf } from "./fractions.ts";
import { readHistory } from "./history.ts";
import { machineChanges } from "./machineChanges.ts";
import { medianInterval } from "./statistics/medianInterval.ts";
import { median } from "./statistics/samples.ts";
import type { BenchmarkRun, Comparison, History, Machine, Measurement } from "./types.ts";

/** Older runs stay in the file, and are compared with when somebody names them. */
const mostRuns = 400;

/** Comparisons in which neither side has a number to compare. */
const untested: ReadonlySet<Comparison["verdict"]> = new Set<Comparison["verdict"]>(["only-before", "only-now", "not-measured"]);

/**
 * What was measured in a project, for people to look at. `baseline`: a saved name, the id of a run, "last" for the run before,
 * or a file; the newest run of each plan is compared with it. One that cannot be had is a problem, and all the rest is there.
 */
export async function benchmarksView(root: string, baseline?: string): Promise<BenchmarksView> {
  const history = await readHistory(root);
  const runs = history.runs.slice(-mostRuns);
  const older = history.runs.length - runs.length;
  const compared = baseline === undefined ? {} : await comparisonWith(baseline, history, root);
  return {
    runs: runs.map((run, index) => panelRun(run, predecessorOf(run, history.runs, older + index))),
    baselines: history.baselines.map(({ name, runs: ids }) => ({ name, runs: ids })),
    ...(compared.comparison === undefined ? {} : { comparison: compared.comparison }),
    problems: [
      ...history.problems,
      ...(older > 0 ? [`The history has ${history.runs.length} runs; the last ${mostRuns} are shown.`] : []),
      ...(compared.problems ?? []),
    ],
    file: history.file,
  };
}

function panelRun(run: BenchmarkRun, before: BenchmarkRun | undefined): PanelBenchmarkRun {
  return {
    id: run.id,
    started: run.started,
    plan: run.plan,
    ...(run.commit === undefined ? {} : { commit: run.commit }),
    machine: machineText(run.machine),
    changes: before === undefined ? [] : machineChanges(before.machine, run.machine),
    measurements: run.measurements.map(panelMeasurement),
    fractions: fractionsOf(run),
    warnings: [...run.warnings, ...(run.failures ?? []).map((failure) => `Repetition ${failure.repetition + 1}: ${failure.message}`)],
  };
}

function panelMeasurement({ name, seconds, problem }: Measurement): PanelBenchmarkRun["measurements"][number] {
  const interval = medianInterval(seconds);
  return {
    name,
    ...(seconds.length === 0 ? {} : { median: median(seconds) }),
    ...(interval === undefined ? {} : { interval }),
    repetitions: seconds.length,
    ...(problem === undefined ? {} : { problem }),
  };
}

/** The run before of the same plan: what was measured in turns with it stood on the same machine. */
function predecessorOf(run: BenchmarkRun, runs: readonly BenchmarkRun[], at: number): BenchmarkRun | undefined {
  return runs.slice(0, at).findLast((one) => one.plan === run.plan);
}

function machineText({ cpu, cores, cpuLimit, gpus, virtual, system }: Machine): string {
  const limit = cpuLimit === undefined ? "" : `, of which a control group allows ${cpuLimit}`;
  return [`${cpu}, ${cores} ${cores === 1 ? "core" : "cores"}${limit}`, ...gpus.map((gpu) => gpu.name), ...(virtual === undefined ? [] : [virtual]), system].join(", ");
}

async function comparisonWith(wanted: string, history: History, root: string): Promise<{ readonly comparison?: BenchmarksView["comparison"]; readonly problems?: readonly string[] }> {
  const own = history.runs.filter((run) => run.variant === undefined);
  const plans = [...new Set(own.map((run) => run.plan))];
  const newest = plans.flatMap((plan) => own.findLast((run) => run.plan === plan) ?? []);
  try {
    // Of the newest run "last" is the one before.
    const found = await findBaseline(wanted, wanted === "last" ? { ...history, runs: history.runs.filter((run) => !newest.includes(run)) } : history, plans, root);
    const pairs = newest.flatMap((now): readonly ComparedRuns[] => {
      const before = found.runs.get(now.plan);
      return before === undefined ? [] : [{ before, now }];
    });
    const without = newest.filter((now) => !found.runs.has(now.plan)).map((now) => `There is no run of ${now.plan} in ${found.name}: nothing is compared with it.`);
    const itself = pairs.filter(({ before, now }) => before.id === now.id).map(({ now }) => `The newest run of ${now.plan} is the baseline itself: nothing is compared.`);
    const others = pairs.filter(({ before, now }) => before.id !== now.id);
    const comparisons = compare(others, { threshold: defaultThreshold, interleaved: false, history: history.runs });
    const tested = comparisons.filter((one) => !untested.has(one.verdict)).length;
    return { ...(others.length === 0 ? {} : { comparison: { with: found.name, method: methodOf(false, tested), comparisons } }), problems: [...without, ...itself] };
  } catch (error) {
    if (error instanceof CannotDo) {
      return { problems: [error.message] };
    }
    throw error;
  }
}
