import * as path from "node:path";
import { NodeFiles } from "../../engine/files/index.ts";
import { valueOf } from "../../engine/model/index.ts";
import { commandLine, exclusively, explainedFailure, pythonEnvironment, stateFolder } from "../process/index.ts";
import type { ProcessResult } from "../process/types.ts";
import { CannotDo } from "../workshop.ts";
import type { Examination, ExaminedFile, Workshop } from "../workshop.ts";
import { decide } from "./before.ts";
import { cmakeRecipe } from "./cmakeRecipe.ts";
import { reasonOf } from "./explain.ts";
import { againstOf, interpreterFor, torchesFor, torchIn } from "./interpreter.ts";
import { ProblemReader } from "./problems/reader.ts";
import { productsIn, renewedProducts } from "./products.ts";
import { fractionIn } from "./progress.ts";
import { pythonRecipe } from "./pythonRecipe.ts";
import { commandOf } from "./recipe.ts";
import type { Circumstances, Recipe, Step } from "./recipe.ts";
import type { BuildProblem, BuildReport, BuildRequest, BuildStep } from "./types.ts";

/** More files than this are listed, not examined. */
const mostExamined = 200;

/** What is known so far; a build that is cut short reports it all the same. */
type Draft = { -readonly [K in keyof BuildReport]: BuildReport[K] };

/**
 * Checks the project, builds it if nothing keeps it from that, and examines what came out. Throws CannotDo when the request
 * makes no sense as it stands; a build that fails or is cancelled is a report.
 */
export async function build(asked: BuildRequest, workshop: Workshop): Promise<BuildReport> {
  const request = { ...asked, against: againstOf(asked, workshop) };
  const { plan } = request;
  const draft: Draft = {
    schema: 1, root: request.root, outcome: "failed", against: [], before: [], elsewhere: 0, steps: [], problems: [], products: [], notChecked: [],
    plan: { id: plan.id, label: plan.label, kind: plan.kind, folder: folderOf(request) },
  };
  try {
    const { examination, findings, elsewhere, stopped } = await decide(request, workshop);
    draft.before = findings;
    draft.elsewhere = elsewhere;
    draft.against = examination.against;
    draft.notChecked = examination.notChecked;
    if (stopped !== undefined) {
      return { ...draft, outcome: "stopped", reason: stopped };
    }
    await exclusively(await lockedFolder(request), `abiding build ${plan.id}`, workshop.activity, () => carryOut(request, workshop, examination, draft), folderOf(request));
    return draft;
  } catch (error) {
    if (workshop.activity.signal.aborted && !(error instanceof CannotDo)) {
      return { ...draft, outcome: "cancelled", reason: "The build was cancelled." };
    }
    throw error;
  }
}

/** The environment in which a plan's processes run, without its own variables. */
export function buildEnvironment(request: BuildRequest, examination: Examination, workshop: Workshop): Circumstances["environment"] {
  const interpreter = interpreterFor(request, examination, workshop);
  const base = interpreter === undefined ? workshop.environment : pythonEnvironment(workshop.environment, interpreter);
  return { ...base, ...request.plan.variables };
}

/** The folder that is locked: two builds of one would undo each other's work. Nobody's sources are the place for a lock. */
async function lockedFolder(request: BuildRequest): Promise<string> {
  const { plan } = request;
  return plan.kind === "cmake" ? folderOf(request) : stateFolder(plan.kind === "python" ? plan.source : request.root);
}

/** The folder that is built in. */
function folderOf({ plan, buildFolder }: BuildRequest): string {
  return plan.kind === "cmake" ? buildFolder ?? plan.folder : plan.kind === "python" ? plan.source : plan.folder;
}

async function carryOut(request: BuildRequest, workshop: Workshop, examination: Examination, draft: Draft): Promise<void> {
  const { activity } = workshop;
  const circumstances: Circumstances = {
    environment: buildEnvironment(request, examination, workshop),
    state: await stateFolder(request.root),
    interpreter: interpreterFor(request, examination, workshop),
  };
  const recipe = recipeOf(request, workshop, examination, circumstances);
  for (const note of recipe.notes) {
    activity.note(note);
  }
  draft.notChecked = [...draft.notChecked, ...otherTorch(request, workshop, circumstances, draft)];
  const started = workshop.now().getTime();
  const before = productsIn(recipe.productFolders, recipe.products());
  const steps = [...recipe.steps];
  for (let next = steps.shift(); next !== undefined; next = steps.shift()) {
    const step = next();
    const { result, problems } = await runStep(step, workshop, logOf(request, step, draft.steps, circumstances.state));
    draft.steps = [...draft.steps, stepReport(step, result)];
    draft.problems = [...draft.problems, ...problems];
    if (result.log?.problem !== undefined) {
      draft.notChecked = [...draft.notChecked, `The log ${result.log.path} is not whole: ${result.log.problem}`];
    }
    if (result.ending.kind === "cancelled" || activity.signal.aborted) {
      draft.outcome = "cancelled";
      draft.reason = "The build was cancelled; what was finished stays, and the next build goes on from there.";
      return;
    }
    if (result.ending.kind !== "exited" || result.ending.code !== 0) {
      draft.reason = reasonOf(step, result, problems, recipe.advice, folderOf(request));
      const { interpreter } = circumstances;
      const explanation = await explainedFailure(result, request.root, request.against.length > 0 || interpreter === undefined ? request.against : [interpreter], workshop);
      if (explanation !== undefined) {
        draft.explanation = explanation;
      }
      return;
    }
    if (step.name === "configure" && steps.length > 0 && !await isStillFine(request, workshop, draft)) {
      return;
    }
  }
  await examineProducts(request, workshop, recipe, before, started, draft);
}

/** A check against a release says nothing of the torch beside the Python that builds. */
function otherTorch(request: BuildRequest, workshop: Workshop, { interpreter }: Circumstances, { against }: Draft): readonly string[] {
  const body = request.plan.kind !== "python" || interpreter === undefined ? undefined : torchIn(interpreter, request, workshop);
  const version = body === undefined ? undefined : valueOf(body.facts, "torch-version");
  return version === undefined || against.length === 0 || against.some((one) => one.version === version)
    ? []
    : [`${interpreter ?? ""} builds with torch ${version}, which the project was not checked against; --interpreter or --against names it.`];
}

function recipeOf(request: BuildRequest, workshop: Workshop, examination: Examination, circumstances: Circumstances): Recipe {
  const { plan } = request;
  switch (plan.kind) {
    case "cmake":
      return cmakeRecipe(plan, request, circumstances, torchesFor(request, examination, workshop));
    case "python":
      return pythonRecipe(plan, request, circumstances, request.against.find((one) => /^torch==/.test(one)));
    case "command":
      return {
        notes: [], advice: [], products: () => [], productFolders: [plan.folder],
        steps: plan.steps.map((argv, index) => () => commandStep(index === plan.steps.length - 1 ? [...argv, ...(request.arguments ?? [])] : argv, plan.folder, circumstances)),
      };
  }
}

/** A program with a folder in its name is meant from the plan's folder. */
function commandStep(argv: readonly string[], folder: string, { environment }: Circumstances): Step {
  const [program = "", ...rest] = argv;
  const file = /[\\/]/.test(program) ? path.resolve(folder, program) : program;
  return { name: "command", title: `Running ${path.basename(program)}`, source: folder, command: commandOf([file, ...rest], folder, environment) };
}

/** CMake's own account of the flags is the truth: what only the configured cache brings about is found now. */
async function isStillFine(request: BuildRequest, workshop: Workshop, draft: Draft): Promise<boolean> {
  const { findings, elsewhere, stopped } = await decide(request, workshop, draft.before);
  draft.before = findings;
  draft.elsewhere = elsewhere;
  if (stopped === undefined) {
    return true;
  }
  draft.outcome = "stopped";
  draft.reason = stopped;
  return false;
}

/** Each step has a log of its own: a command build may have several of one name. */
function logOf({ plan }: BuildRequest, { name }: Step, before: readonly BuildStep[], state: string): string {
  const same = before.filter((one) => one.name === name).length;
  return path.join(state, "build", `${plan.id.replaceAll(/[^\w.-]+/g, "_")}.${name}${same === 0 ? "" : `-${same + 1}`}.log`);
}

async function runStep(step: Step, { activity, run }: Workshop, logFile: string): Promise<{ readonly result: ProcessResult; readonly problems: readonly BuildProblem[] }> {
  const files = new NodeFiles();
  const reader = new ProblemReader({ folder: step.command.folder, source: step.source, isIndented: step.isIndented === true, exists: (file) => files.status(file)?.kind === "file" });
  activity.step(step.title);
  activity.note(commandLine(step.command));
  const result = await run(step.command, {
    signal: activity.signal,
    logFile,
    onText: (text) => activity.output(text),
    onLine: ({ text }) => {
      reader.push(text);
      const fraction = fractionIn(text.trimStart());
      if (fraction !== undefined) {
        activity.progress(fraction);
      }
    },
  });
  return { result, problems: reader.end() };
}

function stepReport(step: Step, result: ProcessResult): BuildStep {
  return {
    name: step.name, command: [step.command.file, ...step.command.arguments], line: commandLine(step.command), folder: step.command.folder,
    ending: result.ending, milliseconds: Math.round(result.duration),
    ...(result.log === undefined ? {} : { log: result.log.path }),
  };
}

async function examineProducts(request: BuildRequest, workshop: Workshop, recipe: Recipe, before: ReadonlyMap<string, string>, started: number, draft: Draft): Promise<void> {
  const { activity, diagnostician } = workshop;
  draft.outcome = "built";
  const { renewed, unchanged } = renewedProducts(before, recipe.productFolders, recipe.products(), started);
  draft.unchanged = unchanged;
  const wanted = renewed.slice(0, mostExamined);
  if (renewed.length > wanted.length) {
    draft.notChecked = [...draft.notChecked, `The build made ${renewed.length} libraries; the first ${mostExamined} were examined.`];
  }
  if (wanted.length === 0) {
    return;
  }
  // Said of the project before the build.
  draft.notChecked = draft.notChecked.filter((one) => !one.startsWith("No built file that concerns torch was found"));
  activity.step("Examining what was built");
  try {
    draft.products = await diagnostician.examine(request.root, wanted, request.against, activity.signal);
  } catch (error) {
    if (activity.signal.aborted) {
      draft.products = wanted.map((file): ExaminedFile => ({ file, verdict: "unknown", headline: "Not examined: it was cancelled.", findings: [] }));
      return;
    }
    throw error;
  }
}
