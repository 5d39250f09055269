import { styleText } from "node:util";
import type { BisectReport } from "../../workshop/combinations/types.ts";
import { plural, wrap } from "./layout.ts";
import type { Style } from "./text.ts";

const mostSymbols = 10;
const styles: Readonly<Record<BisectReport["steps"][number]["verdict"], Style>> = { good: "green", bad: ["bold", "red"], skipped: "yellow" };

/** Which torch broke it, what changed, and what was asked on the way. */
export function bisectText(report: BisectReport, colours: boolean): string {
  const paint = (style: Style, text: string): string => (colours ? styleText(style, text, { validateStream: false }) : text);
  const lines: string[] = [];
  const { lastGood, firstBad, range, failing, symbols } = report;
  if (lastGood !== undefined && firstBad !== undefined) {
    lines.push(paint("bold", `First bad: torch ${firstBad.version}`), `Last good: torch ${lastGood.version}`);
    if (range !== undefined) lines.push(`Commits:   ${range.from.slice(0, 12)}..${range.to.slice(0, 12)}`, `           ${range.url}`);
    if (report.by === "fits") lines.push("This was told by symbols alone: nothing was run.");
  }
  if (report.reason !== undefined) lines.push(...wrap(report.reason, ""));
  if (symbols.length > 0) {
    lines.push("", `${plural(symbols.length, "symbol")} that the file needs and torch ${firstBad?.version ?? ""} does not export:`);
    for (const { demangled, nearest } of symbols.slice(0, mostSymbols)) {
      lines.push(...wrap(demangled, "    ", "  - "), ...(nearest === undefined ? [] : wrap(`now ${nearest}`, "    ")));
    }
    if (symbols.length > mostSymbols) lines.push(`  and ${symbols.length - mostSymbols} more`);
  }
  if (failing !== undefined && report.by !== "fits") {
    lines.push("", ...wrap(failing.message, ""), ...(failing.test === undefined ? [] : [`Test: ${failing.test}`]));
  }
  lines.push("", `Asked ${plural(report.steps.length, "time")}, ${(report.bytes / 1e6).toFixed(1)} MB read:`);
  for (const { torch, by, verdict, milliseconds, because, resumed } of report.steps) {
    lines.push(`  torch ${torch}  ${paint(styles[verdict], word(by, verdict))}, ${resumed === true ? "from before" : `${(milliseconds / 1000).toFixed(1)} s`}`);
    if (verdict === "skipped" && because !== undefined) lines.push(...wrap(because, "      "));
  }
  return `${lines.join("\n")}\n`.replace(/^\n+/, "");
}

function word(by: BisectReport["by"], verdict: keyof typeof styles): string {
  if (verdict === "skipped") return "could not be told";
  if (by === "fits") return verdict === "good" ? "predicted no conflict" : "predicted conflict";
  return `${verdict} by ${by}`;
}
