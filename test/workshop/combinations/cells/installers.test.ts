/** The real installers in what goes wrong with disks and servers, and uv in pip's place. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { after, before, describe, it } from "node:test";
import { execa } from "execa";
import { tryCell } from "../../../../src/workshop/combinations/index.ts";
import type { CellResult } from "../../../../src/workshop/combinations/types.ts";
import { writeWhole } from "../../../../src/workshop/process/index.ts";
import { findProgram } from "../../../harness/locations.ts";
import type { NightlyIndex } from "../../../support/nightlyIndex.ts";
import { bench, environment, scratchFolder } from "../../build/support.ts";
import { cellFolder, index, onlyIndex, project } from "./support.ts";

const { folder: scratch, remove } = scratchFolder("installers");
const cli = path.resolve(import.meta.dirname, "../../../../src/cli/main.ts");
let served: NightlyIndex;
let root: string;

before(async () => {
  served = await index({ days: 3, padding: 24_000_000 });
  root = project(path.join(scratch, "project"), served.nightly());
});
after(async () => {
  await served.stop();
  remove();
});

/** The environment of a cell, without a cache that would answer in place of the index. */
function variables(): Readonly<Record<string, string>> {
  return { ...onlyIndex(served, scratch), PIP_NO_CACHE_DIR: "1", UV_NO_CACHE: "1", UV_HTTP_RETRIES: "0", UV_DEFAULT_INDEX: served.nightly() };
}

const torch = (day: number): string => `2.16.0.dev2026100${day}+cpu`;

describe("a cell whose index goes down while torch is installed", () => {
  for (const [bad, torn] of [["reset", {}], ["lies", { lies: "length" }]] as const) {
    it(`is not told, in a sentence, and nothing is recorded (${bad})`, async () => {
      const task = await cellFolder(path.join(scratch, bad), root, { index: served.nightly(), torch: torch(1) });
      Object.assign(served.bad, torn);
      const { trick } = served.server;
      served.server.trick = (request, response, number) => {
        // The page was read: the wheel is on its way.
        if (bad === "reset" && (request.url ?? "").includes(".whl")) served.bad.down = "reset";
        return trick(request, response, number);
      };
      const result = await tryCell(task, bench(variables())).finally(() => {
        served.server.trick = trick;
        served.bad.down = served.bad.lies = undefined;
      });
      assert.deepEqual([result.outcome, result.steps.map(({ name, outcome }) => `${name} ${outcome}`), result.records], ["unknown", ["install unknown"], []], result.reason?.message);
      const broke = `torch==${torch(1)} could not be installed: the index did not answer, or the connection to it broke.`;
      // What pip says of half a file depends on its age.
      const half = `A file of torch==${torch(1)} is no wheel that can be unpacked; it may have been cut short on the way.`;
      assert.ok((bad === "reset" ? [broke] : [broke, half]).includes(result.reason?.message ?? ""), result.reason?.message);
      assert.deepEqual(fs.readdirSync(task.folder).toSorted(), ["cell.json", "constraints.txt", "logs", "result.json"]);
    });
  }
});

/** A small disk of the cell's own, gone with the process. Without root it takes user namespaces, which some systems forbid. */
const own = ["unshare", "--map-root-user", "--mount", "sh", "-c"] as const;
const [unshare, ...mounting] = own;
const disk = (bytes: string): string => `mount -t tmpfs -o size=${bytes} none "$1"`;
const mayMount = (await execa(unshare, [...mounting, disk("1m"), "sh", scratch], { reject: false })).exitCode === 0;

describe("a cell on a disk that becomes full", { skip: mayMount ? false : "this system lets nobody mount a small disk (unshare --map-root-user --mount)" }, () => {
  // pip itself takes more than the first; torch takes more than it leaves of the second.
  for (const [size, what] of [["8m", "Python's environment"], ["30m", `torch==${torch(2)}`]] as const) {
    it(`is not told, says that there is no room, keeps its log and leaves no half environment (${size})`, async () => {
      const task = await cellFolder(path.join(scratch, `disk-${size}`), root, { index: served.nightly(), torch: torch(2) });
      const place = path.join(scratch, `mount-${size}`);
      fs.mkdirSync(place);
      const script = `${disk(size)} && cp "$2/cell.json" "$1" && "$3" "$4" combinations cell --task "$1" && cat "$1/result.json" && echo && ls "$1" "$1/logs" >&2`;
      const { stdout, stderr } = await execa(unshare, [...mounting, script, "sh", place, task.folder, process.execPath, cli], { cwd: scratch, reject: false, env: { ...environment, ...variables() }, extendEnv: false });
      const lines = stdout.split("\n");
      const result = JSON.parse(lines.slice(lines.indexOf("{")).join("\n")) as CellResult;
      assert.deepEqual([result.outcome, result.records, result.reason?.message], ["unknown", [], `There is no room left on the disk to install ${what}.`], `${stdout}\n${stderr}`);
      assert.match(stderr, /cell\.json[^]*logs[^]*result\.json[^]*install\.log/);
      assert.doesNotMatch(stderr, /^(?:environment|source)$/m);
    });
  }
});

const uv = findProgram("uv");

describe("a cell with uv on PATH", { skip: uv === undefined ? "uv is not on PATH" : false }, () => {
  it("is made and installed by it, builds and loads; a wheel that was built goes in as well, though there is no pip", async () => {
    // The build makes a wheel of what it built.
    const wheels = project(path.join(scratch, "wheels"), served.nightly());
    const settings = JSON.parse(fs.readFileSync(path.join(wheels, "abiding.json"), "utf8")) as object;
    const packing = "import subprocess, sys, zipfile; subprocess.run([sys.executable, 'build_ext.py'], check=True); import glob, os; os.makedirs('dist', exist_ok=True); w = zipfile.ZipFile('dist/nightly_ops-1-py3-none-any.whl', 'w'); i = 'nightly_ops-1.dist-info/'; names = glob.glob('nightly_ops/*'); [w.write(n) for n in names]; w.writestr(i + 'METADATA', 'Metadata-Version: 2.1\\nName: nightly-ops\\nVersion: 1\\n'); w.writestr(i + 'WHEEL', 'Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: false\\nTag: py3-none-any\\n'); w.writestr(i + 'RECORD', ''.join(n + ',,\\n' for n in names + [i + 'METADATA', i + 'WHEEL', i + 'RECORD'])); w.close()";
    await writeWhole(path.join(wheels, "abiding.json"), JSON.stringify({ ...settings, build: { name: "wheel", command: ["python", "-c", packing] } }));
    const task = await cellFolder(path.join(scratch, "by uv"), wheels, { index: served.nightly(), torch: torch(3) }, { steps: ["build", "load"] });
    const result = await tryCell(task, bench({ ...variables(), PATH: process.env["PATH"] ?? "" }));
    assert.deepEqual([result.outcome, result.steps.map(({ name, outcome }) => `${name} ${outcome}`)], ["passed", ["install passed", "build passed", "load passed"]], result.reason?.message);
    const log = fs.readFileSync(path.join(task.folder, "logs/install.log"), "utf8");
    assert.match(log, new RegExp(`^\\$ ${uv} venv [^]*^\\$ ${uv} pip install`, "m"));
    assert.match(fs.readFileSync(path.join(task.folder, "logs/load.log"), "utf8"), /nightly_ops-1-py3-none-any\.whl/);
  });
});
