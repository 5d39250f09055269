import * as path from "node:path";
import { publish as makePublished, readSettings } from "../../../workshop/combinations/index.ts";
import type { OptionalView } from "../../../workshop/combinations/index.ts";
import { writeWhole } from "../../../workshop/process/index.ts";
import { oneOf, UsageError } from "../../arguments.ts";
import type { Terminal } from "../../terminal.ts";
import { withActivity } from "../activity.ts";
import { interpreterOption, projectFolder, readOptions } from "../options.ts";
import { makeWorkshop } from "../workshop.ts";
import { publishHelp } from "./publishHelp.ts";

const options = {
  format: { type: "string" },
  channel: { type: "string" },
  rows: { type: "string" },
  without: { type: "string", multiple: true },
  interpreter: { type: "string" },
  output: { type: "string", short: "o" },
  help: { type: "boolean", short: "h" },
} as const;

/** `abiding combinations publish`. Exit status: 0 published, 2 could not be, 130 cancelled. */
export async function publish(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readOptions("combinations publish", argv, options);
  if (values.help === true) {
    terminal.deliver(publishHelp, undefined);
    return 0;
  }
  if (values.format === undefined) {
    throw new UsageError("--format says what is published: markdown, html, json or shields.");
  }
  const format = oneOf("--format", values.format, ["markdown", "html", "json", "shields"], "markdown");
  const channel = oneOf("--channel", values.channel, ["release", "nightly"], "release");
  const without = (values.without ?? []).flatMap((one) => one.split(",")).map((one) => oneOf<OptionalView>("--without", one.trim(), ["bodies", "benchmarks"], "bodies"));
  if (values.rows !== undefined && !/^[1-9]\d{0,8}$/.test(values.rows)) {
    throw new UsageError(`--rows must be a whole number from 1 on; it is "${values.rows}".`);
  }
  const root = projectFolder("combinations publish", positionals, terminal.workingDirectory);
  const interpreter = interpreterOption("--interpreter", values.interpreter, terminal.workingDirectory);
  return withActivity(terminal, async (activity) => {
    const { settings, isWritten, problems } = readSettings(root);
    for (const { message } of problems) activity.note(message);
    const { text, notes } = await makePublished({
      root, settings: isWritten ? settings : undefined, format, channel, without,
      ...(values.rows === undefined ? {} : { rows: Number(values.rows) }), ...(interpreter === undefined ? {} : { interpreter }),
    }, makeWorkshop(terminal, activity, interpreter));
    for (const note of notes) activity.note(note);
    // A site may serve the file while it is written.
    if (values.output === undefined) terminal.deliver(text, undefined);
    else await writeWhole(path.resolve(terminal.workingDirectory, values.output), text);
    return 0;
  });
}
