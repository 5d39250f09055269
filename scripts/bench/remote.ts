/**
 * What a torch wheel on a server costs to describe: bytes fetched, requests, time and memory, against a local server that
 * serves real wheels by ranges; then the same again from the cache. Each wheel is read in a process of its own. Without
 * names, the wheel of the prepared torch is made from its files.
 *
 *   npm run bench -- remote [WHEEL ...]
 */
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { httpSource, RangeCache } from "../../src/engine/binaries/remote/index.ts";
import { loadCatalogue } from "../../src/engine/catalogue/index.ts";
import { describeTorchWheel } from "../../src/engine/installed/index.ts";
import { RangeServer } from "../../test/support/rangeServer.ts";
import { report } from "./lib/report.ts";
import type { Measurement } from "./lib/report.ts";

interface Result {
  readonly fetched: number;
  readonly milliseconds: number;
  readonly megabytes: number;
  readonly libraries: readonly string[];
  readonly notKnown: readonly string[];
}

const self = fileURLToPath(import.meta.url);
const [first, ...others] = process.argv.slice(2);

if (first === "--read") {
  process.stdout.write(JSON.stringify(await read(others[0] ?? "", others[1] ?? "")));
} else {
  await main(process.argv.slice(2));
}

async function read(url: string, cache: string): Promise<Result> {
  const catalogue = loadCatalogue();
  let megabytes = 0;
  const sampling = setInterval(() => {
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    megabytes = Math.max(megabytes, (heapUsed + arrayBuffers) / 2 ** 20);
  }, 5);
  const started = performance.now();
  const source = await httpSource(url, { cache: new RangeCache(cache) });
  const { libraries, notKnown } = await describeTorchWheel(source, url, { catalogue });
  clearInterval(sampling);
  return { fetched: source.bytesRead, milliseconds: performance.now() - started, megabytes, libraries: libraries.map((one) => `${basename(one.path)}: ${one.exportsKnownBy}`), notKnown };
}

async function main(given: readonly string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "abiding-bench-"));
  const server = await RangeServer.start();
  const measurements: Measurement[] = [];
  const details: Record<string, unknown> = {};
  try {
    const wheels = given.length > 0 ? given.map((one) => resolve(one)) : await preparedWheel(folder);
    for (const wheel of wheels) {
      const name = basename(wheel);
      const url = server.serve(`/${encodeURIComponent(name)}`, { content: wheel, etag: `"${statSync(wheel).mtimeMs}"` });
      const size = statSync(wheel).size;
      for (const round of ["first", "again, from the cache"] as const) {
        server.seen.length = 0;
        const { stdout } = await promisify(execFile)(process.execPath, [self, "--read", url, join(folder, "cache")], { maxBuffer: 2 ** 24 });
        const result = JSON.parse(stdout) as Result;
        const label = `${name.replace(/-cp.*$/, "")} ${round}`;
        // Of a wheel for CPUs of 190 MB less than 5 MB; those for CUDA have more libraries, and their tables at both ends.
        measurements.push(
          { what: `${label}: fetched of ${(size / 1e6).toFixed(0)}`, unit: "MB", values: [result.fetched / 1e6], atMost: round === "first" ? (size < 250e6 ? 5 : 12) : 0.1 },
          { what: `${label}: requests`, unit: "count", values: [server.seen.length] },
          { what: `${label}: time`, unit: "ms", values: [result.milliseconds] },
          { what: `${label}: objects and buffers`, unit: "MB", values: [result.megabytes], atMost: 200 },
        );
        details[label] = { libraries: result.libraries, notKnown: result.notKnown };
      }
    }
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
  if (measurements.length === 0) {
    process.stderr.write("Name wheels of torch, or an environment with torch in ABIDING_TEST_TORCH.\n");
    return;
  }
  report("remote", measurements, details);
}

/** The installed torch packed again: the same files in another archive. */
async function preparedWheel(folder: string): Promise<readonly string[]> {
  const prefix = process.env["ABIDING_TEST_TORCH"];
  const python = prefix === undefined || !existsSync(join(prefix, "lib")) ? undefined : readdirSync(join(prefix, "lib")).find((name) => name.startsWith("python3"));
  const site = prefix === undefined || python === undefined ? "" : join(prefix, "lib", python, "site-packages");
  const distribution = existsSync(site) ? readdirSync(site).find((name) => /^torch-[^-]+\.dist-info$/.test(name)) : undefined;
  if (prefix === undefined || distribution === undefined) return [];
  const wheel = join(folder, `${distribution.replace(/\.dist-info$/, "")}-cp3-cp3-linux_x86_64.whl`);
  const script = "import sys, zipfile, os\nwith zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED) as out:\n  for top in sys.argv[3:]:\n    for at, _, names in os.walk(os.path.join(sys.argv[2], top)):\n      for name in sorted(names):\n        if not name.endswith('.pyc'):\n          path = os.path.join(at, name)\n          out.write(path, os.path.relpath(path, sys.argv[2]))\n";
  await promisify(execFile)(join(prefix, "bin", "python"), ["-c", script, wheel, site, "torch", distribution]);
  return [wheel];
}
