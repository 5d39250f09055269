import { styleText } from "node:util";
import { recordWords, shortCommit } from "../../views/words.ts";
import type { ReadRecord } from "../../workshop/combinations/index.ts";
import { wrap } from "./layout.ts";
import { printable } from "./printable.ts";
import type { Style } from "./text.ts";

export interface CombinationsList {
  readonly file: string;
  /** Of the file. */
  readonly total: number;
  readonly matching: number;
  readonly records: readonly ReadRecord[];
}

const styles: Readonly<Partial<Record<ReadRecord["outcome"], Style>>> = { passed: "green", failed: "red", conflict: "red", unknown: "yellow" };

/** A line for each record, and why where it did not work. */
export function listText({ file, total, matching, records }: CombinationsList, { colours }: { readonly colours: boolean }): string {
  const paint = (style: Style | undefined, text: string): string => (colours && style !== undefined ? styleText(style, text, { validateStream: false }) : text);
  if (total === 0) return `Nothing is recorded yet: ${printable(file)} has no records. abiding smoke --record adds what its tests say, and combinations record what you know.\n`;
  const rows = records.map((record) => rowOf(record).map(printable));
  const widths = (rows[0] ?? []).map((_, column) => rows.reduce((widest, row) => Math.max(widest, row[column]?.length ?? 0), 0));
  const lines = records.flatMap((record, index) => {
    const cells = (rows[index] ?? []).map((cell, column) => cell.padEnd(widths[column] ?? 0));
    const line = cells.map((cell, column) => (column === 2 ? paint(styles[record.outcome], cell) : cell)).join("  ").trimEnd();
    const why = [record.reason === undefined ? undefined : `${record.reason.message}${record.reason.rule === undefined ? "" : ` [${record.reason.rule}]`}`, record.note].filter((one) => one !== undefined);
    return [line, ...why.flatMap((one) => wrap(printable(one), "            "))];
  });
  const count = matching === total ? `${total} ${total === 1 ? "record" : "records"}` : `${matching} of ${total} records`;
  const cut = records.length < matching ? `, of which the newest ${records.length} are shown` : "";
  return `${[...lines, ...(lines.length === 0 ? [] : [""]), `${matching === 0 ? "No record matches: " : ""}${count}${cut}, in ${printable(file)}`].join("\n")}\n`;
}

function rowOf({ combination, how, outcome, when }: ReadRecord): string[] {
  const { project, torch, packages, python, platform, gpu, compiler } = combination;
  const commit = project.commit === undefined ? "" : ` ${shortCommit(project.commit)}${project.changed === true ? "+changes" : ""}`;
  const beside = Object.entries(packages ?? {}).map(([name, version]) => ` ${name} ${version}`).join("");
  return [
    when.slice(0, 10), `torch ${torch.version}${beside}`, recordWords(how, outcome), python === undefined ? "" : `Python ${python}`,
    `${project.name}${project.version === undefined ? "" : ` ${project.version}`}${commit}`, [platform, gpu?.name, compiler].filter((one) => one !== undefined).join(", "),
  ];
}
