/**
 * All experiments of `test/lab`: small extensions built to fail in one way each, loaded under every torch given, and what
 * Abiding predicts of the same files. Prints predictions against outcomes.
 *
 *   npm run bench -- lab [--torch PREFIX|FILE.env ...] [--only THEME ...] [--released WHEEL ...] [--results FILE]
 *
 * A torch is a virtual environment, or a file of KEY=VALUE lines for one that lies elsewhere: PYTHON, LIBRARIES (folder of
 * libc10), INCLUDE, and whatever variables its Python needs. The libraries of some released wheels are loaded too; `--released`
 * names others in their place.
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { experiments, isFine, judgements, runLab, torchAt, type Observation } from "../../test/lab/index.ts";
import { record } from "../../test/lab/record.ts";
import { releasedExperiments } from "../../test/lab/released.ts";
import { releasedWheels, wheels } from "../prerequisites/releasedWheels.ts";
import { torch as torchPrerequisite } from "../prerequisites/torch.ts";

const { values: options } = parseArgs({
  options: { torch: { type: "string", multiple: true }, only: { type: "string", multiple: true }, released: { type: "string", multiple: true }, results: { type: "string" } },
});

const started = performance.now();
const torches = [];
for (const one of options.torch ?? [await torchPrerequisite.prepare()]) torches.push(await torchAt(one));
if (options.released === undefined) await wheels.prepare().catch((error: unknown) => print(`left out: released wheels: ${error instanceof Error ? error.message : String(error)}`));
const all = [...experiments, ...(options.released ?? releasedWheels()).flatMap(releasedExperiments)];
const chosen = all.filter((one) => options.only === undefined || options.only.some((theme) => one.id.startsWith(theme)));
const outcome = await runLab(chosen, torches);

for (const one of outcome.unmade) print(`could not be built: ${one.experiment.id}\n${one.text}`);
for (const one of outcome.left) print(`left out: ${one.experiment.id}: ${one.why}`);
for (const one of outcome.observations.filter((each) => !isFine(each.comparison.judgement))) {
  print(`${one.comparison.judgement}: ${one.experiment.id} under ${one.torch.name}: ${one.comparison.why}`);
}
table("torch", (one) => one.torch.name);
table("theme", (one) => one.experiment.id.split("/")[0] ?? "");
print(`${chosen.length} experiments, ${outcome.observations.length} observations under ${torches.map((one) => one.name).join(", ")}, ${Math.round((performance.now() - started) / 1000)} s`);
if (options.results !== undefined) writeFileSync(options.results, record(outcome));
if (outcome.unmade.length > 0 || outcome.observations.some((one) => !isFine(one.comparison.judgement))) process.exitCode = 1;

function table(heading: string, keyOf: (one: Observation) => string): void {
  const rows = new Map<string, Observation[]>();
  for (const one of outcome.observations) rows.set(keyOf(one), [...(rows.get(keyOf(one)) ?? []), one]);
  const width = Math.max(heading.length, ...[...rows.keys()].map((key) => key.length));
  print(`\n${[heading.padEnd(width), "loaded".padStart(7), "failed".padStart(7), ...judgements.map((one) => one.padStart(one.length + 1))].join(" ")}`);
  for (const [key, observations] of rows) {
    const loaded = observations.filter((one) => one.reality.outcome === "loads").length;
    const counts = judgements.map((judgement) => String(observations.filter((one) => one.comparison.judgement === judgement).length).padStart(judgement.length + 1));
    print([key.padEnd(width), String(loaded).padStart(7), String(observations.length - loaded).padStart(7), ...counts].join(" "));
  }
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
