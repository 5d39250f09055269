import { readSettings, recordsFile, rollPins, wantedOf } from "../../../workshop/combinations/index.ts";
import type { RollReport } from "../../../workshop/combinations/index.ts";
import { oneOf, UsageError } from "../../arguments.ts";
import { rollJson, rollText } from "../../reporters/combinationsRoll.ts";
import { printableDeep, printableLines } from "../../reporters/printable.ts";
import type { Terminal } from "../../terminal.ts";
import { withActivity } from "../activity.ts";
import { projectFolder, readOptions } from "../options.ts";
import { makeWorkshop } from "../workshop.ts";
import { wantedIn } from "./nightlies.ts";
import { rollHelp } from "./rollHelp.ts";

const options = {
  to: { type: "string" },
  from: { type: "string" },
  write: { type: "boolean" },
  index: { type: "string", multiple: true },
  package: { type: "string", multiple: true },
  python: { type: "string" },
  variant: { type: "string" },
  platform: { type: "string" },
  offline: { type: "boolean" },
  refresh: { type: "boolean" },
  format: { type: "string" },
  output: { type: "string", short: "o" },
  help: { type: "boolean", short: "h" },
} as const;

/** `abiding combinations roll`. Exit status: 0 rolled or nothing to roll, 1 some by hand, 2 could not. */
export async function roll(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readOptions("combinations roll", argv, options);
  if (values.help === true) {
    terminal.deliver(rollHelp, undefined);
    return 0;
  }
  if (values.offline === true && values.refresh === true) {
    throw new UsageError("--offline opens no connection, and --refresh asks for one.");
  }
  const format = oneOf("--format", values.format, ["text", "json", "patch"], "text");
  const root = projectFolder("combinations roll", positionals, terminal.workingDirectory);
  const { settings, isWritten, problems } = readSettings(root);
  const wanted = { ...wantedOf(isWritten ? settings : undefined), ...wantedIn(values) };
  const packages = values.package ?? settings.packages;
  return withActivity(terminal, async (activity) => {
    for (const { message } of problems) activity.note(message);
    const records = recordsFile(root, settings);
    const report = await rollPins({
      root, wanted, records, write: values.write === true, offline: values.offline === true, refresh: values.refresh === true,
      ...(packages === undefined ? {} : { packages }),
      ...(values.to === undefined ? {} : { to: values.to }),
      ...(values.from === undefined ? {} : { from: values.from }),
    }, makeWorkshop(terminal, activity));
    const text = rollText(printableDeep({ ...report, patch: "" }), format === "text" ? printableLines(report.patch) : "");
    if (format === "patch") {
      terminal.say(text);
      terminal.deliver(report.patch, values.output);
    } else {
      terminal.deliver(format === "json" ? rollJson(report) : text, values.output);
    }
    return statusOf(report);
  });
}

function statusOf({ outcome, left }: RollReport): number {
  if (outcome === "stopped" || outcome === "changed-meanwhile") return 2;
  return left.some((one) => one.byHand) ? 1 : 0;
}
