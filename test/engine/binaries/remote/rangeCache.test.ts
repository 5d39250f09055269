import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { appendFileSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import { httpSource, RangeCache, userCacheFolder } from "../../../../src/engine/binaries/remote/index.ts";
import { RangeServer } from "../../../support/rangeServer.ts";

const content = randomBytes(500_000);
const sum = createHash("sha256").update(content).digest("hex");

describe("RangeCache", () => {
  let server: RangeServer;
  let folder: string;
  let url: string;
  before(async () => { server = await RangeServer.start(); });
  after(async () => { await server.stop(); });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "abiding-"));
    server.seen.length = 0;
    server.trick = () => false;
    url = server.serve("/a.whl", { content, etag: '"one"' });
  });

  async function ranges(address: string, ...wanted: readonly (readonly [number, number])[]): Promise<readonly (string | undefined)[]> {
    server.seen.length = 0;
    const source = await httpSource(address, { cache: new RangeCache(folder), backOff: 1, retries: 0 });
    for (const [offset, length] of wanted) assert.ok(content.subarray(offset, offset + length).equals(await source.read(offset, length)));
    return server.seen.map((one) => one.range);
  }

  it("fetches a range once, asks only whether the file is the same, and takes what has changed anew", async () => {
    assert.deepEqual(await ranges(url, [0, 50_000], [400_000, 100]), ["bytes=0-0", "bytes=0-49999", "bytes=400000-416383"]);
    assert.deepEqual(await ranges(url, [10_000, 100], [400_000, 16_384], [0, 60_000]), ["bytes=0-0", "bytes=50000-66383"]);
    server.serve("/a.whl", { content, etag: '"two"' });
    assert.deepEqual(await ranges(url, [0, 50_000]), ["bytes=0-0", "bytes=0-49999"]);
    server.serve("/a.whl", { content });
    await ranges(url, [0, 50_000]);
    assert.deepEqual(await ranges(url, [0, 50_000]), ["bytes=0-0", "bytes=0-49999"]);
    rmSync(folder, { recursive: true });
  });

  it("needs no server for what a checksum names, and notices when the server has another file", async () => {
    const named = `${url}#sha256=${sum}`;
    await ranges(named, [0, 50_000]);
    assert.deepEqual(await ranges(named, [1000, 2000]), []);
    assert.deepEqual(await ranges(named, [1000, 2000], [100_000, 20_000]), ["bytes=0-0", "bytes=100000-119999"]);
    server.serve("/a.whl", { content: content.subarray(0, 400_000), etag: '"one"' });
    await assert.rejects(ranges(named, [200_000, 20_000]), { problem: "changed" });
    rmSync(folder, { recursive: true });
  });

  it("keeps what came before an interruption", async () => {
    server.trick = (request, response, count) => {
      if (count === 1) return false;
      if (count > 2) {
        request.socket.destroy();
        return true;
      }
      response.writeHead(206, { etag: '"one"', "content-range": "bytes 0-99999/500000", "content-length": "100000" });
      response.write(content.subarray(0, 40_000), () => { setTimeout(() => { request.socket.destroy(); }, 20); });
      return true;
    };
    const source = await httpSource(url, { cache: new RangeCache(folder), retries: 0, backOff: 1 });
    await assert.rejects(source.read(0, 50_000), { problem: "unreadable" });
    server.trick = () => false;
    const seen = await ranges(url, [0, 50_000]);
    assert.deepEqual(seen, ["bytes=0-0", "bytes=40000-56383"]);
    rmSync(folder, { recursive: true });
  });

  it("takes damaged pieces and notes for missing ones", async () => {
    await ranges(url, [0, 50_000]);
    const [resource] = readdirSync(join(folder, "ranges"));
    const place = join(folder, "ranges", resource ?? assert.fail());
    const piece = readdirSync(place).find((name) => name.startsWith("0-")) ?? assert.fail();
    appendFileSync(join(place, piece), "x");
    writeFileSync(join(place, "7-9999999"), "short");
    assert.deepEqual(await ranges(url, [0, 50_000]), ["bytes=0-0", "bytes=0-49999"]);
    assert.deepEqual(await ranges(url, [0, 50_000]), ["bytes=0-0"]);
    writeFileSync(join(place, "resource.json"), "{");
    assert.deepEqual(await ranges(url, [0, 50_000]), ["bytes=0-0", "bytes=0-49999"]);
    rmSync(folder, { recursive: true });
  });

  it("stays within its size; what was unused longest goes first", async () => {
    const cache = new RangeCache(folder, 150_000);
    for (const [index, name] of ["a", "b", "c"].entries()) {
      const resource = await cache.open(name, 1_000_000);
      await resource?.put(0, content.subarray(0, 60_000));
      for (const one of readdirSync(join(folder, "ranges"))) if (statSync(join(folder, "ranges", one)).mtimeMs > Date.now() - 60_000) utimesSync(join(folder, "ranges", one), 1000 + index, 1000 + index);
    }
    // The size is looked at when a cache writes for the first time, and then every 16 MB.
    const next = await new RangeCache(folder, 150_000).open("d", 1_000_000);
    await next?.put(0, content.subarray(0, 60_000));
    const left = await Promise.all(["a", "b", "c", "d"].map(async (name) => (await cache.find(name)) !== undefined));
    assert.deepEqual(left, [false, false, true, true]);
    rmSync(folder, { recursive: true });
  });

  it("does without a folder that cannot be written", async () => {
    const file = join(folder, "file");
    writeFileSync(file, "");
    const source = await httpSource(url, { cache: new RangeCache(join(file, "sub")) });
    assert.equal((await source.read(0, 10)).length, 10);
    assert.ok(existsSync(file));
    rmSync(folder, { recursive: true });
  });
});

describe("userCacheFolder", () => {
  it("follows the platform", () => {
    assert.equal(userCacheFolder({ HOME: "/h", XDG_CACHE_HOME: "/c" }, "linux"), join("/c", "abiding"));
    assert.equal(userCacheFolder({ HOME: "/h", XDG_CACHE_HOME: "relative" }, "linux"), join("/h", ".cache", "abiding"));
    assert.equal(userCacheFolder({ HOME: "/h" }, "darwin"), join("/h", "Library", "Caches", "abiding"));
    assert.equal(userCacheFolder({ LOCALAPPDATA: "/l" }, "win32"), join("/l", "abiding", "cache"));
  });
});
