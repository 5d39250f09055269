import * as path from "node:path";
import { styleText } from "node:util";
import { stamp as addStamp } from "../../workshop/stamp/index.ts";
import type { StampReport } from "../../workshop/stamp/types.ts";
import { oneOf } from "../arguments.ts";
import { jsonText } from "../reporters/jsonText.ts";
import { printableDeep } from "../reporters/printable.ts";
import type { WorkshopCommand } from "./commands.ts";
import { projectFolder, readOptions } from "./options.ts";

const options = {
  target: { type: "string" },
  package: { type: "string" },
  "dry-run": { type: "boolean" },
  format: { type: "string" },
  output: { type: "string", short: "o" },
  help: { type: "boolean", short: "h" },
} as const;

const help = `abiding stamp [PATH] [--target NAME] [--package DIR] [--dry-run] [--format text|json]
              [--output FILE]

Adds the ABI stamp to a CMake target or to an extension of setup.py: one line in the build file, and
the files that it needs, written into the project. The stamp says with what the file was compiled,
and is read without loading it. Where a package loads the extension, two lines compare the stamp
with the torch that is there, and raise an error that names both. Nothing is run; all files are
written, or none. See docs/stamp.md.

PATH is the project's folder (default: the current one).

  --target NAME        the CMake target or the extension; with its file before it where several have
                       that name (setup.py:ops); setup.py for all extensions of that file
  --package DIR        the Python package that loads it; default: the one that is seen to
  --dry-run            only say what would be written
  --output, -o FILE    write the report to FILE

Exit status: 0 the stamp is there, or would be; 2 it was refused, and nothing was changed.
`;

/** `abiding stamp`. Answers 0 when the stamp is there now (or would be), 2 when it was refused. */
export const stamp: WorkshopCommand = async (argv, terminal) => {
  const { values, positionals } = readOptions("stamp", argv, options);
  if (values.help === true) {
    terminal.deliver(help, undefined);
    return 0;
  }
  const format = oneOf("--format", values.format, ["text", "json"], "text");
  const root = projectFolder("stamp", positionals, terminal.workingDirectory);
  const dryRun = values["dry-run"] ?? false;
  const report = await addStamp({
    root,
    dryRun,
    ...(values.target === undefined ? {} : { target: values.target }),
    ...(values.package === undefined ? {} : { package: path.resolve(terminal.workingDirectory, values.package) }),
  });
  terminal.deliver(format === "json" ? jsonText(report) : asText(printableDeep(report), dryRun, terminal.colours && values.output === undefined), values.output);
  return report.outcome === "refused" ? 2 : 0;
};

function asText(report: StampReport, dryRun: boolean, colours: boolean): string {
  const bold = (text: string): string => (colours ? styleText("bold", text, { validateStream: false }) : text);
  const green = (text: string): string => (colours ? styleText("green", text, { validateStream: false }) : text);
  const headline = {
    stamped: dryRun ? `${report.target ?? ""} would be stamped. Nothing was written.` : `${report.target ?? ""} is stamped.`,
    already: `${report.target ?? ""} is stamped already; nothing was changed.`,
    refused: `${report.target ?? "The project"} was not stamped.${report.reason === undefined ? "" : ` ${report.reason}`}`,
  }[report.outcome];
  const lines = [bold(headline)];
  for (const file of report.files) {
    lines.push(`  ${file.change.padEnd(9)}  ${file.path}${file.inserted === undefined ? "" : `:${file.inserted.line}`}`);
    lines.push(...(file.inserted?.lines ?? []).map((line) => green(`             + ${line}`)));
  }
  if (report.next.length > 0) {
    lines.push("", ...report.next.map((sentence) => `- ${sentence}`));
  }
  return `${lines.join("\n")}\n`;
}
