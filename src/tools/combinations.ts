import { realpathSync } from "node:fs";
import * as path from "node:path";
import { isInside } from "../engine/files/index.ts";
import type { predict as Predict } from "../workshop/combinations/index.ts";
import type { CellStepName, CombinationOutcome } from "../workshop/combinations/types.ts";
import { CannotDo } from "../workshop/workshop.ts";
import type { Activity, Workshop } from "../workshop/workshop.ts";
import { CannotAnswer } from "./types.ts";
import type { ToolContext } from "./types.ts";

interface ListInput {
  readonly torch?: string;
  readonly python?: string;
  readonly outcome?: readonly CombinationOutcome[];
  readonly limit?: number;
}

const usualLimit = 50;

/** The report of `abiding combinations list`. */
export async function list({ torch, python, outcome, limit = usualLimit }: ListInput, { where: { root }, signal }: ToolContext): Promise<object> {
  const { newestRecordsFirst, Problems, readSettings, recordFilter, recordsFile, streamCombinations } = await import("../workshop/combinations/index.ts");
  const now = new Date();
  const file = recordsFile(root, readSettings(root).settings);
  const passes = recordFilter({ ...(torch === undefined ? {} : { torch }), ...(python === undefined ? {} : { python }), ...(outcome === undefined ? {} : { outcome }) });
  const problems = new Problems(file);
  const read = [];
  for await (const group of streamCombinations(file, problems, { now, signal })) {
    read.push(...group);
  }
  const records = newestRecordsFirst(read, now).map(({ record }) => record).filter(passes);
  return { schema: 1, root, file, total: read.length, matching: records.length, records: records.slice(0, limit), problems: problems.sentences() };
}

interface PredictInput {
  readonly files?: readonly string[];
  readonly torch?: readonly string[];
  readonly offline?: boolean;
}

/** The report of `abiding combinations predict`. Nothing is recorded: a question changes nothing. */
export async function predict({ files = [], torch = [], offline = false }: PredictInput, context: ToolContext): ReturnType<typeof Predict> {
  const room = await import("../workshop/combinations/index.ts");
  const { root, interpreter } = context.where;
  const { settings, isWritten } = room.readSettings(root);
  return room.predict({
    root, files: files.map((file) => path.resolve(root, file)), torch, offline, record: false,
    settings: isWritten ? settings : undefined,
    wanted: room.wantedOf(isWritten ? settings : undefined),
    budget: room.defaultBudget,
    ...(interpreter === undefined ? {} : { interpreter }),
  }, readingWorkshop(context));
}

interface RunInput {
  readonly torch?: readonly string[];
  readonly python?: readonly string[];
  readonly steps?: readonly CellStepName[];
}

/** The report of `abiding combinations run`, on this machine. */
export async function run({ torch, python, steps }: RunInput, context: ToolContext): Promise<object> {
  const { workshop } = context;
  if (workshop === undefined) {
    throw new CannotAnswer("Nothing is run here: this workspace is not trusted, or the server was started without --trust. Whoever owns it has to trust it first; combinations_predict and combinations_list only read.");
  }
  const { root } = context.where;
  const { trusted = [root] } = context;
  if (!trusted.some((folder) => isInside(realpathSync(root), realpathSync(folder)))) {
    throw new CannotAnswer(`Nothing is run in ${root}: what may be run is the code of ${trusted.join(", ")}. Who owns the other folder has to open and trust it, or to start the server with it as --root.`);
  }
  const room = await import("../workshop/combinations/index.ts");
  const { settings } = room.readSettings(root);
  const wrong = python?.find((one) => !/^3\.\d{1,2}t?$/.test(one));
  if (wrong !== undefined) {
    throw new CannotAnswer(`"python" must be versions such as 3.12 or 3.13t; one is "${wrong}".`);
  }
  return room.runCombinations({
    root, settings, keep: "never",
    ...(torch === undefined ? {} : { torch }), ...(python === undefined ? {} : { python }), ...(steps === undefined ? {} : { steps }),
  }, {
    workshop: { ...workshop, activity: activityOf(context) },
    tell: (event) => {
      if (event.kind === "step") {
        context.tell(`${event.cell.label}: ${event.step}`);
      } else if (event.kind === "ended") {
        context.tell(`${event.result.cell.label}: ${event.result.outcome}`);
      }
    },
  });
}

function activityOf({ signal, tell }: ToolContext): Activity {
  const nothing = (): void => undefined;
  return { signal, step: tell, progress: nothing, output: nothing, note: tell };
}

/** What a prediction needs of the workshop; it starts nothing. */
function readingWorkshop(context: ToolContext): Workshop {
  const refuse = (): Promise<never> => Promise.reject(new CannotDo("Nothing is run to answer this."));
  return {
    run: refuse, diagnostician: { check: refuse, examine: refuse, explain: refuse }, activity: activityOf(context),
    environment: Object.fromEntries(Object.entries(context.where.environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
    version: context.version, now: () => new Date(),
  };
}
