/** How right `explain` is on the corpus of error texts, by family: `node scripts/corpus/explain.ts [--all]`; with --all every verdict is printed. */
import { explained, faults, readCorpus } from "../../test/engine/diagnosis/explain/corpus/corpus.ts";

const families = new Map<string, { texts: number; right: number; nearMisses: number; nearMissesRight: number }>();
const unsettled: string[] = [];
for (const one of readCorpus()) {
  const report = await explained(one);
  const wrong = faults(one, report);
  const row = families.get(one.family) ?? { texts: 0, right: 0, nearMisses: 0, nearMissesRight: 0 };
  const isRight = wrong.length === 0 ? 1 : 0;
  row.texts += 1;
  row.right += isRight;
  if (one.nearMiss === true) {
    row.nearMisses += 1;
    row.nearMissesRight += isRight;
  }
  families.set(one.family, row);
  if (one.unsettled !== undefined) unsettled.push(`${one.id}: ${one.unsettled}`);
  for (const fault of wrong) process.stdout.write(`${one.id} ${fault}\n`);
  if (process.argv.includes("--all")) for (const verdict of report.verdicts) process.stdout.write(`${one.id}: ${verdict.confidence} ${verdict.cause}: ${verdict.headline}\n    ${verdict.fixes.join(" / ")}\n`);
}
const rows = [...families].sort(([one], [other]) => Number(one.slice(1)) - Number(other.slice(1)));
const sum = (of: (row: { texts: number; right: number; nearMisses: number; nearMissesRight: number }) => number): number => rows.reduce((total, [, row]) => total + of(row), 0);
for (const [family, row] of rows) process.stdout.write(`${family.padEnd(4)} ${row.right} of ${row.texts} right, of which near misses ${row.nearMissesRight} of ${row.nearMisses}\n`);
process.stdout.write(`all  ${sum((row) => row.right)} of ${sum((row) => row.texts)} right, of which near misses ${sum((row) => row.nearMissesRight)} of ${sum((row) => row.nearMisses)}\n`);
for (const line of unsettled) process.stdout.write(`not settled: ${line}\n`);
