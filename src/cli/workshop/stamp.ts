import * as fs from "node:fs";
import * as path from "node:path";
import { styleText } from "node:util";
import { stamp as addStamp } from "../../workshop/stamp/index.ts";
import type { StampReport } from "../../workshop/stamp/types.ts";
import { oneOf, UsageError } from "../arguments.ts";
import { printableLines } from "../reporters/printable.ts";
import type { WorkshopCommand } from "./commands.ts";
import { readOptions } from "./options.ts";

const options = {
  target: { type: "string" },
  package: { type: "string" },
  "dry-run": { type: "boolean" },
  format: { type: "string" },
} as const;

/** `abiding stamp`. Answers 0 when the stamp is there now (or would be), 2 when it was refused. */
export const stamp: WorkshopCommand = async (argv, terminal) => {
  const { values, positionals } = readOptions("stamp", argv, options);
  const format = oneOf("--format", values.format, ["text", "json"], "text");
  if (positionals.length > 1) {
    throw new UsageError(`stamp takes one path, and got ${positionals.length}: ${positionals.join(" ")}.`);
  }
  const root = path.resolve(terminal.workingDirectory, positionals[0] ?? ".");
  if (fs.statSync(root, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new UsageError(`${root} is not a folder.`);
  }
  const dryRun = values["dry-run"] ?? false;
  const report = await addStamp({
    root,
    dryRun,
    ...(values.target === undefined ? {} : { target: values.target }),
    ...(values.package === undefined ? {} : { package: path.resolve(terminal.workingDirectory, values.package) }),
  });
  terminal.deliver(format === "json" ? `${JSON.stringify(report, undefined, 2)}\n` : asText(report, dryRun, terminal.colours), undefined);
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
  return `${colours ? lines.join("\n") : printableLines(lines.join("\n"))}\n`;
}
