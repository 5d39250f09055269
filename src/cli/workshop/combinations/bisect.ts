import { bisect as bisectTorches, defaultBudget, readSettings, triesOf, wantedOf } from "../../../workshop/combinations/index.ts";
import type { BisectReport } from "../../../workshop/combinations/types.ts";
import { bytesOf, oneOf, UsageError } from "../../arguments.ts";
import { bisectText } from "../../reporters/combinationsBisectText.ts";
import { jsonText } from "../../reporters/jsonText.ts";
import { printableDeep } from "../../reporters/printable.ts";
import type { Terminal } from "../../terminal.ts";
import { withActivity } from "../activity.ts";
import { interpreterOption, readOptions } from "../options.ts";
import { makeWorkshop } from "../workshop.ts";
import { bisectHelp } from "./bisectHelp.ts";
import { subjectsOf } from "./predict.ts";

const options = {
  good: { type: "string" },
  bad: { type: "string" },
  by: { type: "string" },
  index: { type: "string", multiple: true },
  budget: { type: "string" },
  python: { type: "string" },
  variant: { type: "string" },
  interpreter: { type: "string" },
  offline: { type: "boolean" },
  restart: { type: "boolean" },
  "no-record": { type: "boolean" },
  verbose: { type: "boolean", short: "v" },
  format: { type: "string" },
  output: { type: "string", short: "o" },
  help: { type: "boolean", short: "h" },
} as const;

const statuses: Readonly<Record<BisectReport["outcome"], number>> = { found: 0, "not-found": 1, inconclusive: 1, cancelled: 130 };

/** `abiding combinations bisect`. Exit status: 0 found, 1 not found or inconclusive, 2 could not run, 130 cancelled. */
export async function bisect(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readOptions("combinations bisect", argv, options);
  if (values.help === true) {
    terminal.deliver(bisectHelp, undefined);
    return 0;
  }
  const format = oneOf("--format", values.format, ["text", "json"], "text");
  const by = oneOf("--by", values.by, ["fits", "build", "smoke", "benchmark"], "fits");
  const { good, bad } = values;
  if (good === undefined || bad === undefined) {
    throw new UsageError("combinations bisect wants --good and --bad, each with a version of torch or the day of a nightly.");
  }
  const here = terminal.workingDirectory;
  const { root, files } = subjectsOf(positionals, here);
  const interpreter = interpreterOption("--interpreter", values.interpreter, here);
  const { settings, isWritten, problems } = readSettings(root);
  const wanted = wantedOf(settings);
  return withActivity(terminal, async (activity) => {
    for (const { message } of problems) activity.note(message);
    // What pip and compilers print is in the logs of the cells; here it would bury what the bisect says.
    const workshop = makeWorkshop(terminal, values.verbose === true ? activity : { ...activity, output: () => undefined }, interpreter);
    const report = await bisectTorches({
      root, files, good, bad, by, ...(isWritten ? { settings } : { settings: undefined }),
      wanted: { ...wanted, ...(values.index === undefined ? {} : { indexes: values.index }), ...(values.python === undefined ? {} : { python: values.python }), ...(values.variant === undefined ? {} : { variant: values.variant }) },
      budget: values.budget === undefined ? defaultBudget : bytesOf(values.budget),
      offline: values.offline === true, record: values["no-record"] !== true, restart: values.restart === true,
      ...(interpreter === undefined ? {} : { interpreter }),
    }, workshop, triesOf(root, settings, workshop));
    terminal.deliver(format === "json" ? jsonText(report) : bisectText(printableDeep(report), terminal.colours && values.output === undefined), values.output);
    return statuses[report.outcome];
  });
}
