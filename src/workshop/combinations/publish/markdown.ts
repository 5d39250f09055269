import { plural } from "../../../views/words.ts";
import type { LatestWorking } from "../../../protocol/panel.ts";
import type { PublishedData } from "./types.ts";
import type { PublishedCell, PublishedTable } from "./table.ts";

export const channelWords: Readonly<Record<LatestWorking["channel"], string>> = { release: "With a release of torch", nightly: "With a nightly of torch" };

/** The lines to paste and the table, for a README or a page of documentation. */
export function markdown({ project, combinations: { latest }, table, published }: PublishedData): string {
  const lines = latest.flatMap((one) => [`${channelWords[one.channel]} (${escaped(one.because)}):`, "", "```sh", one.line.replaceAll("\n", " "), "```", ""]);
  const none = latest.length === 0 ? [`No torch is recorded yet with which the tests of ${escaped(project.name)} passed.`, ""] : [];
  return [...lines, ...none, ...tableLines(table), `Recorded by Abiding; as of ${published.slice(0, 10)}.`, ""].join("\n");
}

function tableLines({ axis, columns, rows, leftOut }: PublishedTable): readonly string[] {
  if (rows.length === 0) return [];
  const left = [...(leftOut.rows === 0 ? [] : [plural(leftOut.rows, "older torch", "older torches")]), ...(leftOut.columns === 0 ? [] : [plural(leftOut.columns, `further ${axis}`)])];
  return [
    `| torch | ${columns.map(escaped).join(" | ")} |`, `| --- |${columns.map(() => " --- |").join("")}`,
    ...rows.map((row) => `| ${escaped(row.torch)}${row.yanked === true ? " (withdrawn)" : ""} | ${row.cells.map((cell) => (cell === null ? "" : cellText(cell))).join(" | ")} |`), "",
    ...(rows.some((row) => row.cells.some((cell) => cell?.isPrediction === true)) ? ["What stands in italics was predicted from symbols and was not tried.", ""] : []),
    ...(left.length === 0 ? [] : [`Not shown: ${left.join(" and ")}.`, ""]),
  ];
}

function cellText({ words, why, isPrediction }: PublishedCell): string {
  const text = `${escaped(words)}${why === undefined ? "" : ` (${escaped(why)})`}`;
  return isPrediction ? `*${text}*` : text;
}

/** Text that Markdown shows as it is, also within a table. */
function escaped(text: string): string {
  return text.replaceAll(/[\r\n]+/g, " ").replaceAll(/[\\`*_[\]<>|~]/g, "\\$&").replaceAll("&", "&amp;");
}
