import * as path from "node:path";
import { styleText } from "node:util";
import type { PredictReport, Prediction } from "../../workshop/combinations/types.ts";
import { plural, wrap } from "./layout.ts";
import type { Style } from "./text.ts";

const words: Readonly<Record<Prediction["verdict"], { readonly text: string; readonly style: Style }>> = {
  "no-conflict": { text: "predicted no conflict", style: "green" },
  conflict: { text: "predicted conflict", style: ["bold", "red"] },
  unknown: { text: "unknown", style: "yellow" },
};

/** What is predicted for each torch, the newest first; a reason is said where it differs from that of the line above. */
export function predictText(report: PredictReport, colours: boolean): string {
  const paint = (style: Style, text: string): string => (colours ? styleText(style, text, { validateStream: false }) : text);
  const lines = report.files.map((one) => relative(report.root, one.file));
  const width = Math.max(0, ...report.predictions.map((one) => one.torch.version.length));
  let above: string | undefined;
  if (report.predictions.length > 0) lines.push("");
  for (const { torch, verdict, reason } of report.predictions) {
    lines.push(`  torch ${torch.version.padEnd(width)}  ${paint(words[verdict].style, words[verdict].text)}${torch.yanked === undefined ? "" : ", withdrawn (yanked)"}${torch.listed ? "" : ", no longer listed"}`);
    const what = reason === undefined ? undefined : JSON.stringify([reason.rule, reason.symbols ?? reason.message.replaceAll(/\d+\.\d[\w.+]*/g, "")]);
    if (reason !== undefined && what !== above) lines.push(...wrap(`${reason.message}${reason.rule === undefined ? "" : ` (${reason.rule})`}`, "      "));
    above = what;
  }
  lines.push("", ...wrap(summary(report), ""));
  if (report.reason !== undefined) lines.push(...wrap(report.reason, ""));
  if (report.notChecked.length > 0) lines.push("", "Not checked", ...report.notChecked.flatMap((one) => wrap(one, "    ", "  - ")));
  return `${lines.join("\n")}\n`.replace(/^\n+/, "");
}

function summary({ outcome, predictions, spent }: PredictReport): string {
  const read = `${(spent / 1e6).toFixed(1)} MB read`;
  if (predictions.length === 0) return outcome === "nothing-to-predict" ? "Nothing was predicted." : `Nothing was predicted. ${read}.`;
  const count = (verdict: Prediction["verdict"]): number => predictions.filter((one) => one.verdict === verdict).length;
  const known = predictions.filter((one) => one.fromCache).length;
  return `${plural(predictions.length, "torch").replace(/torchs$/, "torches")}: ${count("no-conflict")} without a conflict in what was checked, ${count("conflict")} with one, ${count("unknown")} unknown. Nothing was run. ${read}${known === 0 ? "" : `, ${known} from the cache`}.`;
}

function relative(root: string, file: string): string {
  const inside = path.relative(root, file);
  return inside.startsWith("..") ? file : inside;
}
