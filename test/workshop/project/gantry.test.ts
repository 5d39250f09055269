import assert from "node:assert/strict";
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, test } from "node:test";
import { gantry, readProject } from "../../../src/workshop/project/index.ts";
import { CannotDo } from "../../../src/workshop/workshop.ts";
import { root } from "../../harness/locations.ts";
import { ids } from "./support.ts";

const scratch = mkdtempSync(join(tmpdir(), "abiding-gantry-"));
after(() => { rmSync(scratch, { recursive: true, force: true }); });

const from = join(root, "native");
const to = join(scratch, "copies");

test("the copy of Gantry is a project of its own, with smoke tests", async () => {
  const folder = await gantry({ from, to });
  assert.match(basename(folder), /^gantry-\d+\.\d+\.\d+-[0-9a-f]{12}$/);
  assert.deepEqual(readdirSync(to), [basename(folder)]);
  assert.deepEqual([existsSync(join(folder, "fuzz")), existsSync(join(folder, "tests/core")), existsSync(join(folder, "tests/smoke/abi.c"))], [false, false, true]);
  assert.deepEqual([(statSync(folder).mode & 0o777).toString(8), (statSync(join(folder, "src/cuda/ptxas_report.sh")).mode & 0o100) !== 0], ["755", true]);
  const project = await readProject(folder, { environment: {} });
  assert.equal(project.builds[0]?.id, "cmake:host");
  assert.deepEqual([ids(project.smoke)[0], ids(project.benchmarks)], ["ctest:build/host", ["google-benchmark:gantry_benchmarks"]]);
  assert.equal(project.smoke[0]?.kind === "ctest" && project.smoke[0].labels[0], "smoke");
  assert.deepEqual(project.problems, []);
});

test("a damaged copy is mended and keeps its builds; the sources of another version have a folder of their own", async () => {
  const folder = await gantry({ from, to });
  mkdirSync(join(folder, "build/host"), { recursive: true });
  writeFileSync(join(folder, "build/host/CMakeCache.txt"), "");
  const lists = join(folder, "CMakeLists.txt");
  const before = readFileSync(lists, "utf8");
  writeFileSync(lists, before.slice(0, 100));
  rmSync(join(folder, "src/core"), { recursive: true });
  rmSync(join(folder, "src/cuda/ptxas_report.sh"));
  assert.equal(await gantry({ from, to }), folder);
  assert.equal(readFileSync(lists, "utf8"), before);
  assert.deepEqual(readdirSync(join(folder, "src/core")), readdirSync(join(from, "src/core")));
  assert.deepEqual([existsSync(join(folder, "build/host/CMakeCache.txt")), (statSync(join(folder, "src/cuda/ptxas_report.sh")).mode & 0o100) !== 0], [true, true]);

  const other = join(scratch, "other");
  cpSync(folder, other, { recursive: true, filter: (file) => !file.includes(`${folder}/build`) });
  writeFileSync(join(other, "include/gantry/gantry.h"), "// another\n");
  const second = await gantry({ from: other, to });
  assert.notEqual(second, folder);
  assert.equal(readFileSync(join(second, "include/gantry/gantry.h"), "utf8"), "// another\n");
});

test("two that copy at once get one whole copy", async () => {
  const place = join(scratch, "twice");
  const folders = await Promise.all([gantry({ from, to: place }), gantry({ from, to: place }), gantry({ from, to: place })]);
  assert.equal(new Set(folders).size, 1);
  assert.deepEqual(readdirSync(place), [basename(folders[0])]);
});

test("a copy that cannot be made leaves nothing and says why", async (context) => {
  const file = join(scratch, "file");
  writeFileSync(file, "");
  await assert.rejects(gantry({ from, to: file }), (error) => error instanceof CannotDo && error.message.startsWith(`Could not put the sources of Gantry into ${file}/gantry-`));
  await assert.rejects(gantry({ from: join(scratch, "nothing"), to }), (error) => error instanceof CannotDo && error.message.startsWith("The sources of Gantry that come with Abiding are not whole."));
  // Node's own recursive mkdir never returns there.
  if (process.platform === "linux") await assert.rejects(gantry({ from, to: "/proc/abiding" }), (error) => error instanceof CannotDo && error.message.includes("/proc/abiding"));
  if (process.getuid?.() === 0) return context.diagnostic("not as root: a folder that cannot be written to");
  const closed = join(scratch, "closed");
  mkdirSync(closed, { mode: 0o555 });
  await assert.rejects(gantry({ from, to: closed }), CannotDo);
  chmodSync(closed, 0o755);
  assert.deepEqual(readdirSync(closed), []);
});

test("this repository is built by Gantry's presets", async () => {
  // As a fresh clone has it: what somebody built in native/ would come first.
  const clone = join(scratch, "clone");
  cpSync(from, join(clone, "native"), { recursive: true, filter: (file) => !["build", ".abiding"].includes(basename(file)) });
  const project = await readProject(clone, { environment: {} });
  assert.deepEqual([project.builds[0]?.id, project.smoke[0]?.id, project.benchmarks[0]?.id], ["cmake:native/host", "ctest:native/build/host", "google-benchmark:gantry_benchmarks"]);
});
