import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { after, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { execa } from "execa";
import { openElf } from "../../../../src/engine/binaries/elf/index.ts";
import { NodeFiles } from "../../../../src/engine/files/index.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "abiding-elf-memory-"));
after(() => fs.rmSync(scratch, { recursive: true }));

test("thousands of files that are read in one go, one after the other, do not pile up in memory", async () => {
  const file = path.join(scratch, "small.so");
  await execa("g++", ["-shared", "-fPIC", "-x", "c++", "-", "-o", file], { input: "int small() { return 1; }" });
  const files = new NodeFiles();
  const read = (): void => {
    const opened = openElf(file, files);
    assert.ok(opened.ok);
    assert.ok([...opened.elf.exportedNames()].includes("_Z5smallv"));
  };
  for (let round = 0; round < 100; round += 1) read();
  collectGarbage();
  const before = process.memoryUsage();
  for (let round = 0; round < 20_000; round += 1) read();
  collectGarbage();
  const now = process.memoryUsage();
  const grown = (now.heapUsed + now.arrayBuffers - before.heapUsed - before.arrayBuffers) / 1e6;
  assert.ok(grown < 90, `${grown.toFixed(0)} MB stayed`);
});
