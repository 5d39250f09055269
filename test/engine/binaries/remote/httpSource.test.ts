import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { ByteSourceError } from "../../../../src/engine/binaries/archive/index.ts";
import { httpSource, readRemote, Spending } from "../../../../src/engine/binaries/remote/index.ts";
import { RangeServer } from "../../../support/rangeServer.ts";

const content = randomBytes(1_000_000);
const quick = { backOff: 1, silence: 400 };
let server: RangeServer;
let url: string;

before(async () => { server = await RangeServer.start(); });
after(async () => { await server.stop(); });
beforeEach(() => {
  server.seen.length = 0;
  server.mostAtOnce = 0;
  server.bytesSent = 0;
  url = server.serve("/x/lib.whl", { content, etag: '"one"' });
});
afterEach(() => {
  server.trick = () => false;
  server.delay = 0;
  server.ignoresRanges = false;
  server.packs = false;
});

function same(bytes: Uint8Array, offset: number, length: number): void {
  assert.ok(content.subarray(offset, offset + length).equals(bytes), `${offset}+${length}`);
}

async function problem(work: Promise<unknown>): Promise<readonly [string, string]> {
  try {
    await work;
  } catch (error) {
    assert.ok(error instanceof ByteSourceError, String(error));
    return [error.problem, error.message.replace(server.origin, "")];
  }
  return ["none", ""];
}

describe("httpSource", () => {
  it("reads by absolute ranges, with If-Range and unpacked", async () => {
    const source = await httpSource(`${url}?token=secret`, quick);
    assert.deepEqual([source.size, source.name], [1_000_000, `${server.origin}/x/lib.whl`]);
    same(await source.read(500_000, 100_000), 500_000, 100_000);
    same(await source.read(999_999, 1), 999_999, 1);
    assert.deepEqual(server.seen.map((one) => one.range), ["bytes=0-0", "bytes=500000-599999", "bytes=999999-999999"]);
    assert.deepEqual([server.seen[1]?.headers["if-range"], server.seen[1]?.headers["accept-encoding"]], ['"one"', "identity"]);
    assert.equal(source.bytesRead, 100_001);
    await assert.rejects(source.read(999_999, 2), { problem: "outside" });
  });

  it("makes few requests of many small reads", async () => {
    const source = await httpSource(url, quick);
    await Promise.all(Array.from({ length: 50 }, async (_, index) => same(await source.read(index * 300, 200), index * 300, 200)));
    for (let at = 0; at < 15_000; at += 100) same(await source.read(at, 100), at, 100);
    assert.equal(server.seen.length, 2);
    await Promise.all([source.read(100_000, 10), source.read(110_000, 10), source.read(400_000, 10)]);
    assert.deepEqual(server.seen.slice(2).map((one) => one.range), ["bytes=100000-116383", "bytes=400000-416383"]);
    same(await source.read(90_000, 20_000), 90_000, 20_000);
    assert.deepEqual(server.seen.slice(4).map((one) => one.range), ["bytes=90000-99999"]);
  });

  it("keeps to four connections", async () => {
    server.delay = 20;
    const source = await httpSource(url, quick);
    await Promise.all(Array.from({ length: 12 }, async (_, index) => source.read(index * 80_000, 100)));
    assert.equal(server.mostAtOnce, 4);
  });

  it("takes a small file whole from a server that ignores ranges, and refuses a large one before it is sent", async () => {
    server.ignoresRanges = true;
    const source = await httpSource(url, quick);
    same(await source.read(999_000, 1000), 999_000, 1000);
    assert.equal(server.seen.length, 1);
    assert.deepEqual(await problem(httpSource(url, { ...quick, budget: 900_000 })), ["no-ranges", "/x/lib.whl: the server sends only whole files, and this one would cost 1000000 bytes (up to 900000 are taken). Download it and name the file."]);
    server.trick = (_, response) => {
      response.writeHead(200, { "transfer-encoding": "chunked" });
      response.write(content);
      return true;
    };
    assert.deepEqual(await problem(httpSource(url, { ...quick, budget: 500_000 })), ["no-ranges", "/x/lib.whl: the server sends more than the 500000 bytes that are taken of a whole file. Download it and name the file."]);
  });

  it("says what a step would cost before it is paid", async () => {
    const spending = new Spending(150_000);
    const source = await httpSource(url, { ...quick, budget: spending });
    await source.read(0, 100_000);
    await assert.rejects(source.read(200_000, 60_000), { name: "BudgetExceededError", needed: 60_000, spent: 100_001, budget: 150_000, message: `${server.origin}/x/lib.whl: the next step would fetch 60000 bytes, and 100001 of the 150000 bytes that may be fetched are spent. A larger budget lets it go on.` });
    assert.equal(server.seen.length, 2);
    same(await source.read(200_000, 49_000), 200_000, 49_000);
    assert.equal(spending.spent, 149_001);
  });

  it("notices that the file was replaced, and starts over where it can", async () => {
    const source = await httpSource(url, quick);
    server.serve("/x/lib.whl", { content, etag: '"two"' });
    assert.deepEqual(await problem(source.read(0, 100)), ["changed", '/x/lib.whl changed while it was read: its ETag was "one" and is "two".']);
    server.serve("/x/lib.whl", { content: content.subarray(0, 5000) });
    assert.equal((await problem(source.read(0, 100)))[0], "changed");
    server.serve("/x/lib.whl", { content: content.subarray(0, 5000), etag: '"one"' });
    assert.deepEqual(await problem(source.read(900_000, 100)), ["changed", "/x/lib.whl changed while it was read: the server no longer has byte 900000."]);
    assert.deepEqual(await problem(source.read(0, 100)), ["changed", "/x/lib.whl changed while it was read: it had 1000000 bytes and has 5000."]);
    let rounds = 0;
    const size = await readRemote(url, quick, async (one) => {
      rounds += 1;
      if (rounds === 1) server.serve("/x/lib.whl", { content, etag: '"three"' });
      await one.read(0, 100);
      return one.size;
    });
    assert.deepEqual([rounds, size], [2, 1_000_000]);
  });

  it("waits as it is asked to, and goes on", async () => {
    server.trick = (_, response, count) => {
      if (count !== 2 && count !== 3) return false;
      response.writeHead(count === 2 ? 429 : 503, { "retry-after": count === 2 ? "1" : new Date(Date.now() - 1000).toUTCString() }).end("busy");
      return true;
    };
    const source = await httpSource(url, quick);
    const started = performance.now();
    same(await source.read(10, 1000), 10, 1000);
    assert.ok(performance.now() - started > 950);
    assert.equal(server.seen.length, 4);
    server.trick = (_, response) => { response.writeHead(429, { "retry-after": "3600" }).end(); return true; };
    assert.deepEqual(await problem(source.read(500_000, 10)), ["refused", "/x/lib.whl: the server answers 429 Too Many Requests, and asks to wait 3600 seconds."]);
  });

  it("gives up on a server that stays busy, is silent, or does not answer", async () => {
    server.trick = (_, response) => { response.writeHead(502).end(); return true; };
    assert.deepEqual(await problem(httpSource(url, { ...quick, retries: 2 })), ["refused", "/x/lib.whl could not be read: the server answers 502 Bad Gateway (3 attempts)."]);
    server.trick = () => true;
    assert.deepEqual(await problem(httpSource(url, { ...quick, retries: 1, silence: 50 })), ["timeout", "/x/lib.whl could not be read: the server was silent for 0.05 seconds (2 attempts)."]);
    server.trick = (request) => { request.socket.destroy(); return true; };
    assert.equal((await problem(httpSource(url, { ...quick, retries: 0 })))[0], "unreadable");
  });

  it("continues an answer that breaks off where it broke off", async () => {
    server.trick = (request, response, count) => {
      if (count !== 2) return false;
      response.writeHead(206, { etag: '"one"', "content-range": "bytes 0-99999/1000000", "content-length": "100000" });
      response.write(content.subarray(0, 40_000), () => { setTimeout(() => { request.socket.destroy(); }, 20); });
      return true;
    };
    const source = await httpSource(url, quick);
    same(await source.read(0, 100_000), 0, 100_000);
    assert.deepEqual(server.seen.map((one) => one.range), ["bytes=0-0", "bytes=0-99999", "bytes=40000-99999"]);
    assert.equal(source.bytesRead, 100_000);
  });

  it("follows redirects with its range, remembers where they led, and finds the way again when that expired", async () => {
    server.serve("/new/1/lib.whl", { content, etag: '"one"' });
    let place = 1;
    server.trick = (request, response) => {
      if (request.url !== "/x/lib.whl") return false;
      response.writeHead(302, { location: `../new/${place}/lib.whl` }).end();
      return true;
    };
    const source = await httpSource(url, quick);
    same(await source.read(0, 100_000), 0, 100_000);
    server.files.delete("/new/1/lib.whl");
    server.serve("/new/2/lib.whl", { content, etag: '"one"' });
    place = 2;
    same(await source.read(500_000, 100_000), 500_000, 100_000);
    assert.deepEqual(server.seen.map((one) => one.path), ["/x/lib.whl", "/new/1/lib.whl", "/new/1/lib.whl", "/new/1/lib.whl", "/x/lib.whl", "/new/2/lib.whl"]);
    server.trick = (_, response) => { response.writeHead(302, { location: "/x/lib.whl" }).end(); return true; };
    assert.equal((await problem(httpSource(url, quick)))[1], "/x/lib.whl leads through more than 5 redirects.");
    server.trick = (_, response) => { response.writeHead(302, { location: "file:///etc/passwd" }).end(); return true; };
    assert.equal((await problem(httpSource(url, quick)))[1], "/x/lib.whl redirects to what is no http or https address.");
  });

  it("refuses parts of a packed form, parts that were not asked for, and what is not there", async () => {
    server.packs = true;
    assert.deepEqual(await problem(httpSource(url, quick)), ["refused", "/x/lib.whl: the server sends the file packed (Content-Encoding: gzip) although it was asked not to, so its parts cannot be read."]);
    server.packs = false;
    const source = await httpSource(url, quick);
    server.trick = (_, response) => { response.writeHead(206, { "content-range": "bytes 7-106/1000000" }).end(content.subarray(7, 107)); return true; };
    assert.equal((await problem(source.read(0, 100)))[0], "refused");
    server.trick = () => false;
    assert.deepEqual(await problem(httpSource(`${server.origin}/none.whl`, quick)), ["missing", "/none.whl is not there: the server answers 404 Not Found."]);
    assert.deepEqual(await problem(httpSource("ftp://example.org/x.whl", quick)), ["refused", '"ftp://example.org/x.whl" is no http or https address.']);
  });

  it("sends a user and password to their own server only, and shows them nowhere", async () => {
    const other = await RangeServer.start();
    try {
      other.serve("/lib.whl", { content, etag: '"one"' });
      server.trick = (_, response) => { response.writeHead(302, { location: `${other.origin}/lib.whl` }).end(); return true; };
      const source = await httpSource(url.replace("http://", "http://me:s%40cret@"), quick);
      assert.equal(source.name, url);
      assert.equal(server.seen[0]?.headers.authorization, `Basic ${Buffer.from("me:s@cret").toString("base64")}`);
      assert.equal(other.seen[0]?.headers.authorization, undefined);
    } finally {
      await other.stop();
    }
  });

  it("can be cancelled, also while it waits", async () => {
    const controller = new AbortController();
    const source = await httpSource(url, { ...quick, backOff: 5000, signal: controller.signal });
    server.trick = (_, response) => { response.writeHead(503).end(); setTimeout(() => { controller.abort(); }, 20); return true; };
    const started = performance.now();
    assert.deepEqual(await problem(source.read(0, 10)), ["cancelled", "Reading /x/lib.whl was cancelled."]);
    // It would have waited for five seconds.
    assert.ok(performance.now() - started < 4000);
  });

  it("reads an empty file, and tells of progress", async () => {
    const empty = await httpSource(server.serve("/empty", { content: new Uint8Array(0) }), quick);
    assert.equal((await empty.read(0, 0)).length, 0);
    const told: number[] = [];
    const source = await httpSource(url, { ...quick, progress: (bytes) => told.push(bytes) });
    await source.read(0, 300_000);
    assert.equal(told.at(-1), 300_000);
  });
});
