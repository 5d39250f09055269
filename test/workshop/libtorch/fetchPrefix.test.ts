/** Where a fetch may put what it fetched: what is in the way there is told, and stays. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { describe, it } from "node:test";
import { place, run, scratch, server, whole } from "./fetching.ts";
import { treeOf } from "./support.ts";

describe("the prefix", () => {
  it("is refused when something else is in it, and nothing in it changes", async () => {
    fs.mkdirSync(place.prefix);
    fs.writeFileSync(path.join(place.prefix, "mine"), "mine");
    const { report } = await run();
    assert.equal(report.reason, `${place.prefix} is not empty and holds nothing that Abiding put there; nothing in it was changed. Name another prefix, or remove this one.`);
    assert.deepEqual(treeOf(place.prefix), { mine: `${fs.statSync(path.join(place.prefix, "mine")).mode} mine` });
    assert.equal(server.seen.length, 0);
  });

  it("is refused when it holds another libtorch of ours", async () => {
    await run();
    const { report } = await run({ wanted: { version: "2.12.0" } });
    assert.equal(report.reason, `${place.prefix} holds another libtorch, and nothing in it was changed. It is torch 2.13.0+cpu; 2.12.0 is wanted. Name another prefix, or remove this one.`);
  });

  it("may be an empty folder", async () => {
    fs.mkdirSync(place.prefix);
    assert.equal((await run()).report.outcome, "found");
  });

  it("what a killed run left beside it is removed", async () => {
    fs.mkdirSync(path.join(path.dirname(place.prefix), ".libtorch.abiding-0000", "lib"), { recursive: true });
    assert.equal((await run()).report.outcome, "found");
    assert.deepEqual(fs.readdirSync(path.dirname(place.prefix)), ["libtorch"]);
  });

  it("on a disk that is full is not made, and one that has no room for it is told before", async (test) => {
    const disk = path.join(scratch, "disk");
    fs.mkdirSync(disk);
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=300k", "abiding", disk], { stdio: "ignore" });
    } catch {
      test.skip("a small disk cannot be mounted here");
      return;
    }
    try {
      const { report } = await run({ prefix: path.join(disk, "libtorch") });
      assert.match(report.reason ?? "", /^What is in libtorch-shared-with-deps-2\.13\.0\+cpu\.zip needs .* and the disk of .*\/disk has .* left\.$/);
      assert.deepEqual(fs.readdirSync(disk), []);
      const part = await run({ prefix: place.prefix, cacheFolder: path.join(disk, "store") });
      server.trick = (incoming, response) => {
        if (incoming.headers.range === "bytes=0-0") return false;
        // In pieces, without a length: the disk itself has to say that it is full.
        response.writeHead(200, { etag: '"one"' }).end(whole);
        return true;
      };
      const surprised = await run({ prefix: place.prefix, cacheFolder: path.join(disk, "other") });
      assert.match(surprised.report.reason ?? "", /^Could not write .*\.part: no space is left on the disk \(ENOSPC\)\. \d+ bytes of .* are kept for the next attempt\.$/);
      assert.match(part.report.reason ?? "", /^The download of .* needs .* and the disk of .*\/disk.* has .* left\.$/);
    } finally {
      execFileSync("umount", [disk]);
    }
  });

  it("that is a disk of its own is told before anything is asked of a server; a folder in it will do", async (test) => {
    const disk = path.join(scratch, "volume");
    fs.mkdirSync(disk);
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=20m", "abiding", disk], { stdio: "ignore" });
    } catch {
      test.skip("a disk cannot be mounted here");
      return;
    }
    try {
      const { report } = await run({ prefix: disk });
      assert.equal(report.reason, `${disk} cannot be made: a disk of its own is mounted there, and the prefix comes into its place whole. Name a folder in it, such as ${disk}/libtorch.`);
      assert.equal(server.seen.length, 0);
      assert.equal((await run({ prefix: path.join(disk, "libtorch") })).report.outcome, "found");
    } finally {
      execFileSync("umount", [disk]);
    }
  });

  it("that cannot be written to is told before anything is asked of a server", async (test) => {
    const disk = path.join(scratch, "read only");
    fs.mkdirSync(disk);
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "ro,size=100k", "abiding", disk], { stdio: "ignore" });
    } catch {
      test.skip("a read-only disk cannot be mounted here");
      return;
    }
    try {
      const { report } = await run({ prefix: path.join(disk, "libtorch") });
      assert.equal(report.reason, `${path.join(disk, "libtorch")} cannot be made: ${disk} is not writable (EROFS).`);
      assert.equal(server.seen.length, 0);
    } finally {
      execFileSync("umount", [disk]);
    }
  });
});
