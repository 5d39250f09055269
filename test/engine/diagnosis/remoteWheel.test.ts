import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { test } from "node:test";
import { loadCatalogue } from "../../../src/engine/catalogue/index.ts";
import { examine } from "../../../src/engine/diagnosis/examination.ts";
import { openEnvironment } from "../../../src/engine/diagnosis/fitEnvironment.ts";
import { judge } from "../../../src/engine/diagnosis/judgement.ts";
import { NodeFiles } from "../../../src/engine/files/index.ts";
import type { FitReport } from "../../../src/engine/model/index.ts";
import { RangeServer } from "../../support/rangeServer.ts";
import { zip } from "../../support/zip.ts";
import { compile, temporaryFolder } from "../binaries/elf/compile.ts";

const folder = temporaryFolder();
const files = new NodeFiles();
const catalogue = loadCatalogue();

async function report(spec: string): Promise<FitReport> {
  const where = { root: folder, files, catalogue, environment: {} };
  const [opened, against] = [await examine(spec, { files, root: folder }), await openEnvironment("torch==2.14.1", where)];
  assert.ok(opened.ok, opened.ok ? "" : opened.message);
  assert.ok(against.ok);
  const steps = judge(opened.examined, against.environment, { catalogue, files });
  for (;;) {
    const step = steps.next();
    if (step.done === true) {
      opened.examined.dispose();
      return step.value;
    }
  }
}

/** Without names of places. */
function anywhere(said: FitReport, place: string): unknown {
  return JSON.parse(JSON.stringify(said).replaceAll(place, "<wheel>"));
}

test("a wheel on a server gets the verdict of the same wheel on disk", async () => {
  const grafted = compile(folder, "libpicture-1a2b3c4d.so.1", 'extern "C" int picture() { return 1; }', "-Wl,-soname,libpicture-1a2b3c4d.so.1");
  const module = compile(folder, "_C.so", 'extern "C" { int picture(); void* PyInit__C() { return picture() ? nullptr : nullptr; } }', grafted, "-Wl,-rpath,$ORIGIN/../ops.libs", "-Wl,--enable-new-dtags");
  const lost = compile(folder, "_D.so", 'extern "C" { int picture(); void* PyInit__D() { return picture() ? nullptr : nullptr; } }', grafted, "-Wl,-rpath,$ORIGIN/../gone.libs", "-Wl,--enable-new-dtags");
  const name = "ops-1.0+cpu-cp311-cp311-linux_x86_64.whl";
  const server = await RangeServer.start();
  try {
    for (const [modules, verdict] of [[{ "ops/_C.so": module }, "no-conflict"], [{ "ops/_C.so": module, "other/_D.so": lost }, "unknown"]] as const) {
      const libraries = { ...modules, "ops.libs/libpicture-1a2b3c4d.so.1": grafted };
      const content = zip({
        ...Object.fromEntries(Object.entries(libraries).map(([member, file]) => [member, fs.readFileSync(file)])),
        "ops-1.0+cpu.dist-info/METADATA": "Name: ops\nVersion: 1.0+cpu\n",
        "ops-1.0+cpu.dist-info/WHEEL": "Wheel-Version: 1.0\nTag: cp311-cp311-linux_x86_64\n",
        "ops-1.0+cpu.dist-info/RECORD": [...Object.keys(libraries), ...["METADATA", "WHEEL", "RECORD"].map((one) => `ops-1.0+cpu.dist-info/${one}`)].map((one) => `${one},,\n`).join(""),
      });
      const file = path.join(folder, name);
      fs.writeFileSync(file, content);
      const onDisk = await report(file);
      const remote = await report(server.serve(`/whl/${name.replace("+", "%2B")}`, { content }));
      const address = `${server.origin}/whl/${name}`;
      assert.equal(remote.file, address);
      assert.deepEqual(anywhere(remote, address), anywhere(onDisk, file));
      assert.deepEqual(onDisk.members?.find((one) => one.file === `${file}/ops/_C.so`)?.missingDependencies, []);
      assert.deepEqual(remote.members?.map((one) => one.file.slice(address.length)), onDisk.members?.map((one) => one.file.slice(file.length)));
      assert.equal(onDisk.verdict, verdict, onDisk.findings.map((one) => one.message).join("\n"));
    }
  } finally {
    await server.stop();
  }
});
