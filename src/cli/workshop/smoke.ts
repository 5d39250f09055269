import { defaultTimeLimit, discover, smoke as runSmoke } from "../../workshop/smoke/index.ts";
import type { SmokeEvent, SmokeReport } from "../../workshop/smoke/types.ts";
import { readProject } from "../../workshop/project/index.ts";
import type { SmokePlan } from "../../workshop/project/types.ts";
import { fromHere } from "../against.ts";
import { oneOf, recordChoice, UsageError } from "../arguments.ts";
import { smokeJson, testListJson } from "../reporters/smokeJson.ts";
import { smokeJunit } from "../reporters/smokeJunit.ts";
import { endedLine, smokeText, testListText } from "../reporters/smokeText.ts";
import type { Terminal } from "../terminal.ts";
import { withActivity } from "./activity.ts";
import { interpreterOption, millisecondsOf, readOptions } from "./options.ts";
import { projectRoot } from "./projectRoot.ts";
import { recorded, recordOptions } from "./recording.ts";
import { smokeHelp } from "./smokeHelp.ts";
import { makeWorkshop } from "./workshop.ts";

const options = {
  plan: { type: "string", multiple: true },
  test: { type: "string", multiple: true },
  except: { type: "string", multiple: true },
  label: { type: "string", multiple: true },
  failed: { type: "boolean" },
  gantry: { type: "boolean" },
  list: { type: "boolean" },
  static: { type: "boolean" },
  "time-limit": { type: "string" },
  repeat: { type: "string" },
  interpreter: { type: "string" },
  against: { type: "string", multiple: true },
  ...recordOptions,
  verbose: { type: "boolean", short: "v" },
  format: { type: "string" },
  output: { type: "string", short: "o" },
  help: { type: "boolean", short: "h" },
} as const;

/** `abiding smoke`. Exit status: 0 all passed, 1 something did not, 2 could not run or found no tests, 130 cancelled. */
export async function smoke(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readOptions("smoke", argv, options);
  if (values.help === true) {
    terminal.deliver(smokeHelp, undefined);
    return 0;
  }
  const format = oneOf("--format", values.format, ["text", "json", "junit"], "text");
  if (values.list === true && format === "junit") {
    throw new UsageError("--format junit reports results; --list has none. It takes text or json.");
  }
  const here = terminal.workingDirectory;
  const root = await projectRoot("smoke", positionals, values.gantry, terminal);
  const interpreter = interpreterOption("--interpreter", values.interpreter, here);
  const timeLimit = values["time-limit"] === undefined ? defaultTimeLimit : millisecondsOf("--time-limit", values["time-limit"]);
  const repeat = countOf(values.repeat);
  const choice = recordChoice(values);
  const layout = { workingDirectory: here, colours: terminal.colours && values.output === undefined };
  return withActivity(terminal, async (activity) => {
    const workshop = makeWorkshop(terminal, activity, interpreter);
    const project = await readProject(root, { environment: workshop.environment, ...(interpreter === undefined ? {} : { interpreter }) });
    for (const { message } of project.problems) {
      activity.note(message);
    }
    const plans = chosen(project.smoke, values.plan, root);
    const common = { root, plans, timeLimit, ...(interpreter === undefined ? {} : { interpreter }) };
    if (values.list === true) {
      const found = await discover({ ...common, runProjectCode: values.static !== true }, workshop);
      terminal.deliver(format === "json" ? testListJson(root, found) : testListText(found, layout), values.output);
      return found.problems.length > 0 || found.tests.length === 0 ? 2 : 0;
    }
    const tell = (event: SmokeEvent): void => {
      if (event.kind === "output" && values.verbose === true) {
        activity.output(event.text);
      } else if (event.kind === "ended" && event.result.parent === undefined) {
        activity.output(endedLine(event.result, false));
      }
    };
    const report = await runSmoke({
      ...common, repeat, only: values.test ?? [], except: values.except ?? [], labels: values.label ?? [], failed: values.failed ?? false,
      against: (values.against ?? []).map((one) => fromHere(one, here)),
    }, workshop, tell);
    terminal.deliver(format === "json" ? smokeJson(report) : format === "junit" ? smokeJunit(report) : smokeText(report, layout), values.output);
    const isPart = values.failed === true || [values.plan, values.test, values.except, values.label].some((one) => one !== undefined);
    return recorded(statusOf(report), choice, root, activity, (room, recording) => room.recordSmoke(report, plans, { ...recording, isPart, ...(interpreter === undefined ? {} : { interpreter }) }, workshop));
  });
}

/** A plan that could not be run is no success, whatever the others did. */
function statusOf({ outcome, problems }: SmokeReport): number {
  switch (outcome) {
    case "passed": return problems.length > 0 ? 2 : 0;
    case "failed": return 1;
    case "no-tests": return 2;
    case "cancelled": return 130;
  }
}

function chosen(plans: readonly SmokePlan[], ids: readonly string[] | undefined, root: string): readonly SmokePlan[] {
  if (plans.length === 0) {
    throw new UsageError(`No tests were found in ${root}: no add_test() or gtest_discover_tests() in a CMake project, no test_*.py, and no "smoke" in abiding.json.`);
  }
  const unknown = ids?.find((id) => !plans.some((plan) => plan.id === id));
  if (unknown !== undefined) {
    throw new UsageError(`--plan ${unknown}: there is no such plan; there ${plans.length === 1 ? "is" : "are"} ${plans.map((plan) => plan.id).join(", ")}.`);
  }
  return ids === undefined ? plans : plans.filter((plan) => ids.includes(plan.id));
}

function countOf(text: string | undefined): number {
  if (text === undefined) {
    return 1;
  }
  if (!/^[1-9]\d{0,4}$/.test(text)) {
    throw new UsageError(`--repeat must be a whole number from 1 on; it is "${text}".`);
  }
  return Number(text);
}
