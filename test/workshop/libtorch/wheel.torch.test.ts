/** A released wheel of torch, served by an index, fetched as libtorch and found again. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { pipeline } from "node:stream/promises";
import { after, describe, it } from "node:test";
import { fetchLibtorch, locate } from "../../../src/workshop/libtorch/index.ts";
import { RangeServer } from "../../support/rangeServer.ts";
import { scratchFolder, workshopOf } from "./support.ts";

const wheel = process.env["ABIDING_TEST_TORCH_WHEEL"];
const environment = process.env["ABIDING_TEST_TORCH"];
/** A wheel with CUDA would cost more than the test is worth. */
const most = 400_000_000;

function reasonToSkip(): string | false {
  if (wheel === undefined || environment === undefined) {
    return "ABIDING_TEST_TORCH_WHEEL names no wheel, or ABIDING_TEST_TORCH no environment";
  }
  const { size } = fs.statSync(wheel);
  return size > most ? `the wheel of torch that this index gives has ${size} bytes` : false;
}

describe("a released wheel of torch", { skip: reasonToSkip() }, () => {
  const file = wheel ?? "";
  const scratch = scratchFolder("released-wheel");

  it("is fetched from an index as libtorch, is what the installed torch is, and needs no network a second time", async () => {
    const server = await RangeServer.start();
    after(() => server.stop());
    const hash = createHash("sha256");
    await pipeline(fs.createReadStream(file), hash);
    const sha256 = hash.digest("hex");
    const name = path.basename(file);
    server.serve(`/simple/torch/${encodeURIComponent(name)}`, { content: file, etag: '"released"' });
    server.serve("/simple/torch/", { content: Buffer.from(`<!DOCTYPE html><a href="${encodeURIComponent(name)}#sha256=${sha256}">${name}</a>`), type: "text/html" });
    const request = { root: scratch, wanted: { version: "2.13.0" }, from: "wheel", index: `${server.origin}/simple`, cacheFolder: path.join(scratch, "cache") } as const;
    const first = await fetchLibtorch({ ...request, prefix: path.join(scratch, "a prefix") }, workshopOf(scratch).workshop);
    assert.equal(first.outcome, "found", first.reason);
    assert.deepEqual([first.fetched?.sha256, first.fetched?.checked, first.fetched?.fromCache], [sha256, true, false]);

    const installed = await locate({ root: scratch, wanted: {}, prefixes: [], interpreter: path.join(environment ?? "", "bin", "python"), cacheFolder: scratch }, workshopOf(scratch).workshop);
    const here = installed.chosen;
    const there = first.chosen;
    assert.deepEqual([there?.version, there?.gitVersion, there?.abi, there?.cuda, there?.linkage], [here?.version, here?.gitVersion, here?.abi, here?.cuda, here?.linkage]);
    assert.deepEqual(fs.readFileSync(path.join(there?.folder ?? "", "lib", "libc10.so")), fs.readFileSync(path.join(here?.folder ?? "", "lib", "libc10.so")));

    await server.stop();
    const second = await fetchLibtorch({ ...request, prefix: path.join(scratch, "another") }, workshopOf(scratch).workshop);
    assert.deepEqual([second.outcome, second.fetched?.fromCache, second.fetched?.bytes], ["found", true, 0], second.reason);
  });
});
