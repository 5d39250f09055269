/**
 * Predicting for a year of nightlies of a local index: reading them for the first time, from what the first time left, and without
 * a network. The wheels are small, so this is what Abiding itself takes; what PyTorch's own take in bytes, `remote` measures.
 *
 *   npm run bench -- predict [--days N]
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { makeWorkshop } from "../../src/cli/workshop/workshop.ts";
import { predict } from "../../src/workshop/combinations/index.ts";
import type { PredictRequest } from "../../src/workshop/combinations/index.ts";
import { NightlyIndex } from "../../test/support/nightlyIndex.ts";
import { scratchFolder, writeNightlyExtension } from "../../test/support/nightlyTorch.ts";
import { report } from "./lib/report.ts";

const { values: options } = parseArgs({ options: { days: { type: "string", default: "365" } } });
const days = Number(options.days);
const root = scratchFolder();
const index = await NightlyIndex.start({ days, listed: days, since: { removed: "20261005" } });
try {
  writeFileSync(join(root, "pyproject.toml"), '[project]\nname = "nightly_ops"\nversion = "0.1.0"\n');
  mkdirSync(join(root, "nightly_ops"));
  writeNightlyExtension(join(root, "nightly_ops", "_C.cpython-311-x86_64-linux-gnu.so"), ["removed"], {});
  const workshop = makeWorkshop(
    { workingDirectory: root, environment: { PATH: process.env["PATH"] ?? "", HOME: tmpdir() }, version: "0.0.0", colours: false, progress: () => undefined, say: () => undefined, deliver: () => undefined },
    { signal: new AbortController().signal, step: () => undefined, progress: () => undefined, output: () => undefined, note: () => undefined },
  );
  const request: PredictRequest = { root, files: [], torch: [`nightly:${days}`], wanted: { indexes: [index.nightly()] }, settings: undefined, budget: 1e9, offline: false, record: false, cacheFolder: join(root, ".cache") };
  const timed = async (changes: Partial<PredictRequest>): Promise<{ readonly took: number; readonly bytes: number }> => {
    const started = performance.now();
    const { predictions, spent } = await predict({ ...request, ...changes }, workshop);
    const took = performance.now() - started;
    if (predictions.length !== days) throw new Error(`${predictions.length} predictions of ${days}.`);
    return { took, bytes: spent };
  };
  const first = await timed({});
  const again = await timed({});
  const offline = await timed({ offline: true });
  report("predict", [
    { what: `${days} nightlies, read for the first time`, unit: "ms", values: [first.took] },
    { what: "the same from what that left", unit: "ms", values: [again.took], atMost: 2000 },
    { what: "the same offline", unit: "ms", values: [offline.took], atMost: 2000 },
    { what: "read the first time", unit: "MB", values: [first.bytes / 1e6] },
    { what: "read the second time", unit: "MB", values: [again.bytes / 1e6] },
  ]);
} finally {
  await index.stop();
  rmSync(root, { recursive: true, force: true });
}
