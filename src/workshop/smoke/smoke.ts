import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { isInside } from "../../engine/files/index.ts";
import { exclusively, stateFolder } from "../process/index.ts";
import type { CTestPlan, SmokePlan } from "../project/types.ts";
import { CannotDo } from "../workshop.ts";
import type { TorchInUse, Workshop } from "../workshop.ts";
import { environmentThatMatters, findGpus, hostOf } from "./circumstances.ts";
import { runCommandTest } from "./command.ts";
import { StackTaker } from "./crash.ts";
import type { CTest } from "./ctest/listing.ts";
import { inOrder } from "./ctest/order.ts";
import { runCTests } from "./ctest/run.ts";
import type { ChosenCTest } from "./ctest/run.ts";
import { isWanted, programGroup } from "./ctest/tests.ts";
import { environmentFor, interpreterIn, listPlan } from "./discover.ts";
import type { Listed } from "./discover.ts";
import { Explainer } from "./explain.ts";
import { grouped } from "./groups.ts";
import { keepResults, readLastResults } from "./lastResults.ts";
import type { LastResult } from "./lastResults.ts";
import { PytestRun } from "./pytest/run.ts";
import { functionOf, PytestNames } from "./pytest/tests.ts";
import { Repetitions } from "./repetitions.ts";
import type { Running } from "./running.ts";
import { select } from "./select.ts";
import type { Selection } from "./select.ts";
import type { DiscoverRequest, SmokeEvent, SmokeReport, SmokeRequest, TestCase, TestResult } from "./types.ts";

/**
 * Runs tests, one process at a time, and tells what happens meanwhile. Two runs in the same folder follow one another. Never
 * rejects for what a test does. Throws CannotDo for a request that names what is not there.
 */
export async function smoke(request: SmokeRequest, workshop: Workshop, onEvent: (event: SmokeEvent) => void): Promise<SmokeReport> {
  const { activity } = workshop;
  const started = workshop.now();
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "abiding-smoke-"));
  try {
    const torch = await torchOf(request, workshop);
    const interpreter = request.interpreter ?? torch?.interpreter;
    const environment = environmentFor(workshop, interpreter);
    const run = new SmokeRun(request, workshop, onEvent, {
      workshop, request, environment, interpreter: interpreter ?? interpreterIn(environment), gpus: await findGpus(workshop, environment), scratch,
      stacks: new StackTaker(workshop), explainer: new Explainer(workshop, request.root, request.against), emit: onEvent,
    });
    try {
      await exclusively(await stateFolder(request.root), "smoke tests", activity, () => run.run(), request.root);
    } catch (error) {
      // Cancelled while it waited for another run.
      if (!activity.signal.aborted) throw error;
    }
    return run.report(started, torch);
  } finally {
    fs.rmSync(scratch, { recursive: true, force: true });
  }
}

/** The torch that the tests would meet; a project without one can be tested all the same. */
async function torchOf({ root, against }: SmokeRequest, { diagnostician, activity }: Workshop): Promise<TorchInUse | undefined> {
  try {
    return (await diagnostician.check(root, against, activity.signal)).against[0];
  } catch (error) {
    if (error instanceof CannotDo) throw error;
    return undefined;
  }
}

class SmokeRun {
  readonly #request: SmokeRequest;
  readonly #workshop: Workshop;
  readonly #running: Running;
  readonly #results = new Repetitions();
  readonly #problems: { plan: string; message: string }[] = [];
  readonly #kinds = new Map<string, TestCase["kind"]>();
  readonly #present = new Map<string, Set<string>>();
  #imported: readonly string[] | undefined;
  #expected = 0;
  #ended = 0;

  constructor(request: SmokeRequest, workshop: Workshop, onEvent: (event: SmokeEvent) => void, shared: Omit<Running, "imported">) {
    this.#request = request;
    this.#workshop = workshop;
    this.#running = {
      ...shared,
      emit: (event) => {
        if (event.kind === "found") this.#note(event.tests);
        if (event.kind === "ended") this.#progress(event.result);
        onEvent(event);
      },
      imported: (modules) => {
        const own = modules.filter(({ name, file }) => name === "torch" || name === "torch._C" || (file !== undefined && isInside(file, request.root)));
        const named = (own.some(({ name }) => !name.startsWith("torch")) ? own : modules).map(({ name }) => name);
        if (named.length > 0) this.#imported ??= named;
      },
    };
  }

  async run(): Promise<void> {
    const { root } = this.#request;
    const last = await readLastResults(root);
    const listed: Listed[] = [];
    for (const plan of this.#request.plans) {
      if (this.#isCancelled) break;
      this.#workshop.activity.step(`Listing ${plan.label}`);
      listed.push(await listPlan(plan, this.#listing(false), this.#workshop, last));
    }
    for (const { plan, problem } of listed) if (problem !== undefined) this.#problem(plan, problem);
    const tests = listed.flatMap((one) => one.tests);
    const others = named(this.#request, listed);
    const chosen = select([...tests, ...others], this.#request, last);
    if (this.#request.failed && chosen.size === 0) this.#nothingFailed(last);
    this.#running.emit({ kind: "found", tests });
    const times = Math.max(1, this.#request.repeat ?? 1);
    this.#expected = times * [...chosen.values()].reduce((sum, { ids }) => sum + ids.size, 0);
    for (let time = 0; time < times && !this.#isCancelled; time++) {
      this.#results.next();
      for (const one of listed) await this.#runPlan(one, chosen.get(one.plan.id), last);
    }
    for (const one of listed) if (one.problem === undefined) for (const test of one.tests) this.#here(one.plan.id).add(test.id);
    // A function of which only some parameters ran is not known to pass.
    const partial = new Set(others.map(({ id }) => functionOf(id)));
    await keepResults(root, this.#results.all.filter((one) => one.outcome !== "passed" || !partial.has(one.id)), this.#kinds, this.#present, this.#workshop.now());
  }

  report(started: Date, torch: TorchInUse | undefined): SmokeReport {
    const results = this.#results.all;
    const { gpus, environment } = this.#running;
    const failed = results.some(({ outcome }) => outcome !== "passed" && outcome !== "skipped");
    return {
      schema: 1,
      root: this.#request.root,
      outcome: this.#isCancelled ? "cancelled" : failed ? "failed" : results.length === 0 ? "no-tests" : "passed",
      circumstances: {
        started: started.toISOString(),
        host: hostOf(),
        gpus: gpus.names,
        ...(gpus.none === undefined ? {} : { noGpu: gpus.none }),
        ...(torch === undefined ? {} : { torch }),
        ...(this.#imported === undefined ? {} : { importOrder: this.#imported }),
        environment: environmentThatMatters(environment),
      },
      results,
      problems: this.#problems,
    };
  }

  get #isCancelled(): boolean {
    return this.#workshop.activity.signal.aborted;
  }

  async #runPlan(listed: Listed, selection: Selection | undefined, last: ReadonlyMap<string, LastResult>): Promise<void> {
    const { plan } = listed;
    const isEverything = selection?.all === true || (selection === undefined && this.#isEverything && listed.problem === undefined && plan.kind === "pytest");
    if (this.#isCancelled || (selection === undefined && !isEverything)) return;
    const ids = selection?.ids ?? new Set<string>();
    switch (plan.kind) {
      case "command": {
        const results = await runCommandTest(this.#running, plan, ids.has(plan.id) ? undefined : [...ids]);
        for (const result of results) this.#results.add(result);
        break;
      }
      case "pytest": {
        const run = new PytestRun(this.#running, plan, new Map(listed.tests.map((test) => [test.id, test])), (result) => this.#results.add(result));
        const problem = await run.run(isEverything ? undefined : [...ids]);
        if (problem !== undefined) this.#problem(plan, problem);
        break;
      }
      case "ctest":
        await exclusively(plan.folder, "smoke tests", this.#workshop.activity, () => this.#runCTest(listed, ids, last));
        break;
    }
  }

  /** Programs that list their tests themselves are started for that now: the user runs them. */
  async #runCTest(listed: Listed, ids: ReadonlySet<string>, last: ReadonlyMap<string, LastResult>): Promise<void> {
    const { plan } = listed;
    if (plan.kind !== "ctest") return;
    const unlisted = new Set(listed.tests.filter((test) => test.unlisted !== undefined && ids.has(test.id)).map((test) => test.id));
    let { tests, ctests } = listed;
    const chosen = new Set(ids);
    if (unlisted.size > 0) {
      const relisted = await listPlan(plan, this.#listing(true), this.#workshop, last);
      if (relisted.problem !== undefined) {
        this.#problem(plan, relisted.problem);
        return;
      }
      ({ tests, ctests } = relisted);
      const inside = freshTests(plan, listed, ctests, unlisted);
      for (const test of inside) chosen.add(test.id);
      const fresh = tests.filter((test) => inside.some((one) => one.id === test.id) || unlisted.has(test.id));
      for (const test of fresh) this.#here(plan.id).add(test.id);
      this.#running.emit({ kind: "found", tests: fresh });
    }
    const items = new Map(tests.map((test) => [test.id, test]));
    const inTest = ({ parent }: TestCase): readonly string[] => (parent !== undefined && items.get(parent)?.kind === "ctest" ? [parent] : []);
    const all = grouped(tests, inTest);
    const cases = grouped([...chosen].flatMap((id) => items.get(id) ?? []), (item) => inTest(item).filter((id) => !chosen.has(id)));
    const order = inOrder(ctests, new Set([...chosen, ...cases.keys()])).map((one): ChosenCTest => {
      const inside = cases.get(one.test.id);
      const item = items.get(one.test.id) ?? { id: one.test.id, parent: plan.id, label: one.test.name, kind: "ctest", plan: plan.id, labels: one.test.properties.labels, ...(one.test.location === undefined ? {} : { location: one.test.location }) };
      return { ...one, item, known: inside ?? all.get(one.test.id) ?? [], isPart: inside !== undefined };
    });
    const fixtures = order.filter((one) => one.fixture && !items.has(one.test.id)).map((one) => one.item);
    if (fixtures.length > 0) this.#running.emit({ kind: "found", tests: fixtures });
    await runCTests(this.#running, order, plan.variables, (result) => this.#results.add(result));
  }

  get #isEverything(): boolean {
    const { only, except, failed, labels = [] } = this.#request;
    return only.length === 0 && except.length === 0 && !failed && labels.length === 0;
  }

  #listing(runProjectCode: boolean): DiscoverRequest {
    const { root, plans, timeLimit } = this.#request;
    return { root, plans, timeLimit, runProjectCode, interpreter: this.#running.interpreter };
  }

  #nothingFailed(last: ReadonlyMap<string, LastResult>): void {
    const [plan] = this.#request.plans;
    if (plan !== undefined) this.#problem(plan, last.size === 0 ? "No test has been run yet, so none has failed." : "Every test that was run the last time passed or was skipped; there is nothing to run again.");
  }

  #problem(plan: SmokePlan, message: string): void {
    if (!this.#problems.some((one) => one.plan === plan.id && one.message === message)) this.#problems.push({ plan: plan.id, message });
  }

  #here(plan: string): Set<string> {
    const known = this.#present.get(plan);
    if (known !== undefined) return known;
    const made = new Set<string>();
    this.#present.set(plan, made);
    return made;
  }

  #note(tests: readonly TestCase[]): void {
    for (const test of tests) this.#kinds.set(test.id, test.kind);
  }

  #progress({ parent, label }: TestResult): void {
    if (parent !== undefined) return;
    this.#ended += 1;
    this.#workshop.activity.step(label);
    if (this.#expected > 0) this.#workshop.activity.progress(Math.min(1, this.#ended / this.#expected));
  }
}

/** Tests of pytest that a request names as pytest does, with or without the plan, and that no file shows: only pytest knows whether they exist. */
function named({ only, except }: SmokeRequest, listed: readonly Listed[]): readonly TestCase[] {
  const known = new Set(listed.flatMap((one) => one.tests.map((test) => test.id)));
  const plans = listed.flatMap(({ plan }) => (plan.kind === "pytest" ? [plan] : []));
  return [...new Set([...only, ...except])].flatMap((word): readonly TestCase[] => {
    if (known.has(word) || !word.includes("::") || word.includes("*")) return [];
    return plans.flatMap((plan): readonly TestCase[] => {
      const names = new PytestNames(plan);
      const id = word.startsWith(`${plan.id}::`) ? word : `${plan.id}::${word}`;
      const { file, name } = names.split(id);
      return !known.has(id) && name !== "" && fs.existsSync(file) ? [{ id, parent: names.fileId(file), label: word, kind: "pytest", plan: plan.id, labels: [] }] : [];
    });
  });
}

/** Tests that came to light when their programs listed them; those of programs that were not chosen stay out. */
function freshTests(plan: CTestPlan, listed: Listed, ctests: readonly CTest[], chosen: ReadonlySet<string>): readonly CTest[] {
  const before = new Set(listed.ctests.map((test) => test.id));
  const all = new Set(listed.tests.filter((test) => test.unlisted !== undefined).map((test) => test.id));
  // A file of commands can add tests of any program.
  const anyProgram = [...chosen].some((id) => id.endsWith(".cmake]"));
  return ctests.filter((test) => {
    const group = programGroup(plan, test.command[0] ?? "").id;
    return !before.has(test.id) && isWanted(plan, test) && (chosen.has(group) || (anyProgram && !all.has(group)));
  });
}
