/** A fetch whose connection, server or run ends before its time goes on where it was, and never with the part of another file. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import type { ServerResponse } from "node:http";
import * as path from "node:path";
import { describe, it } from "node:test";
import { keyOf } from "../../../src/workshop/libtorch/store.ts";
import { RangeServer } from "../../support/rangeServer.ts";
import { archive } from "./archives.ts";
import { address, assertAbsent, entries, filler, place, run, server, sha256, whole } from "./fetching.ts";

describe("a download that is interrupted", () => {
  /** Sends the first bytes of an answer and cuts the connection, for the first `times` answers of more than a byte. */
  function cutAfter(bytes: number, times: number): void {
    let left = times;
    server.trick = (incoming, response) => {
      const from = Number(/^bytes=(\d+)-$/.exec(incoming.headers.range ?? "")?.[1] ?? Number.NaN);
      if (Number.isNaN(from) || left === 0) return false;
      left -= 1;
      response.writeHead(206, { etag: '"one"', "content-range": `bytes ${from}-${whole.length - 1}/${whole.length}`, "content-length": String(whole.length - from) });
      // What was written has to leave before the connection goes.
      response.write(whole.subarray(from, from + bytes), () => setTimeout(() => response.destroy(), 40));
      return true;
    };
  }
  const ranges = (): readonly (string | undefined)[] => server.seen.map((one) => one.range).filter((one) => one !== "bytes=0-0");

  it("goes on where the connection was cut, asking whether the file is still the same", async () => {
    cutAfter(100_000, 2);
    const { report } = await run();
    assert.equal(report.outcome, "found");
    assert.deepEqual(ranges(), ["bytes=0-", "bytes=100000-", "bytes=200000-"]);
    assert.equal(server.seen.at(-1)?.headers["if-range"], '"one"');
    assert.equal(report.fetched?.sha256, sha256);
  });

  it("keeps the part when it gives up, and the next run goes on from there", async () => {
    cutAfter(100_000, 1);
    const cut = server.trick;
    server.trick = (incoming, response, at) => cut(incoming, response, at) || (incoming.headers.range !== "bytes=0-0" && (response.destroy(), true));
    const { report } = await run();
    assert.equal(report.outcome, "failed");
    assertAbsent();
    server.trick = () => false;
    server.seen.length = 0;
    const { report: second, told } = await run();
    assert.equal(second.fetched?.bytes, whole.length - 100_000);
    assert.deepEqual(ranges(), ["bytes=100000-"]);
    assert.ok(told.notes.some((note) => note.startsWith("100000 bytes of")));
  });

  it("keeps the part when it is cancelled", async () => {
    const { report } = await run({}, (told) => {
      server.trick = (incoming, response) => {
        if (incoming.headers.range !== "bytes=0-") return false;
        response.writeHead(206, { etag: '"one"', "content-range": `bytes 0-${whole.length - 1}/${whole.length}`, "content-length": String(whole.length) });
        response.write(whole.subarray(0, 50_000));
        return true;
      };
      told.onProgress = (fraction) => fraction * whole.length >= 50_000 && told.stop.abort();
    });
    assert.deepEqual([report.outcome, report.reason], ["cancelled", "The fetch was cancelled. What was downloaded so far is kept, and the next fetch goes on from there."]);
    server.trick = () => false;
    assert.equal((await run()).report.fetched?.bytes, whole.length - 50_000);
  });

  it("gives up on a server that falls silent, and says where it was", async () => {
    server.trick = (incoming, response) => {
      const from = Number(/^bytes=(\d+)-$/.exec(incoming.headers.range ?? "")?.[1] ?? Number.NaN);
      if (Number.isNaN(from)) return false;
      response.writeHead(206, { etag: '"one"', "content-range": `bytes ${from}-${whole.length - 1}/${whole.length}` });
      response.write(whole.subarray(from, from === 0 ? 1000 : from));
      response.flushHeaders();
      return true;
    };
    const { report } = await run();
    assert.match(report.reason ?? "", /could not be read: the server was silent for 0\.4 seconds/);
    assert.deepEqual(ranges().slice(0, 2), ["bytes=0-", "bytes=1000-"]);
  });

  it("begins anew when the file was replaced meanwhile", async () => {
    cutAfter(100_000, 1);
    const other = archive([...entries, { name: "libtorch/share/filler", content: filler.map((byte) => byte ^ 1), mode: 0o100644, stored: true }]);
    const cut = server.trick;
    server.trick = (incoming, response, at) => {
      const isCut = cut(incoming, response, at);
      if (isCut) server.serve(address, { content: other, etag: '"two"' });
      return isCut;
    };
    const { report, told } = await run();
    assert.equal(report.fetched?.sha256, createHash("sha256").update(other).digest("hex"));
    assert.ok(told.notes.some((note) => note.includes("from its beginning")));
  });

  it("begins anew when the server sends the rest of another file", async () => {
    cutAfter(100_000, 1);
    const cut = server.trick;
    server.trick = (incoming, response, at) => {
      if (cut(incoming, response, at)) return true;
      const from = Number(/^bytes=([1-9]\d*)-$/.exec(incoming.headers.range ?? "")?.[1] ?? Number.NaN);
      if (Number.isNaN(from)) return false;
      response.writeHead(206, { etag: '"two"', "content-range": `bytes ${from}-${whole.length - 1}/${whole.length}` }).end(whole.subarray(from).map((byte) => byte ^ 1));
      return true;
    };
    const { report, told } = await run();
    assert.deepEqual([report.outcome, report.fetched?.sha256], ["found", sha256]);
    assert.ok(told.notes.some((note) => note.includes("was replaced since the first part of it came")));
  });

  it("is done when all of it came before the run was killed", async () => {
    const stem = path.join(place.store, "parts", keyOf([`${server.origin}${address}`]));
    fs.mkdirSync(path.dirname(stem), { recursive: true });
    fs.writeFileSync(`${stem}.part`, whole);
    fs.writeFileSync(`${stem}.json`, JSON.stringify({ url: "x", validator: '"one"', size: whole.length }));
    const { report } = await run();
    assert.deepEqual([report.outcome, report.fetched?.bytes, report.fetched?.sha256], ["found", 0, sha256]);
  });

  it("begins anew when nothing says what the part is of", async () => {
    const stem = path.join(place.store, "parts", keyOf([`${server.origin}${address}`]));
    fs.mkdirSync(path.dirname(stem), { recursive: true });
    fs.writeFileSync(`${stem}.part`, Buffer.alloc(whole.length + 10));
    const { report } = await run();
    assert.deepEqual([report.outcome, report.fetched?.sha256], ["found", sha256]);
  });

  it("begins anew with a server that sends no parts", async () => {
    let cuts = 1;
    server.ignoresRanges = true;
    server.trick = (incoming, response: ServerResponse) => {
      if (incoming.headers.range === "bytes=0-0" || cuts === 0) return false;
      cuts -= 1;
      response.writeHead(200, { "content-length": String(whole.length) });
      response.write(whole.subarray(0, 10_000), () => response.destroy());
      return true;
    };
    const { report } = await run();
    assert.deepEqual([report.outcome, report.fetched?.sha256], ["found", sha256]);
  });

  it("names what it asked when the network is gone", async () => {
    const dead = await RangeServer.start();
    const { origin } = dead;
    await dead.stop();
    const { report } = await run({ index: origin }, () => undefined, { HTTP_PROXY: "http://proxy.example:3128" });
    assert.match(report.reason ?? "", /could not be read: nothing answers there \(ECONNREFUSED\).* HTTP_PROXY is set, and was not used/);
    assert.equal(report.outcome, "failed");
    assertAbsent();
  });

  it("fetches a damaged content of the cache again", async () => {
    await run();
    fs.truncateSync(path.join(place.store, "content", sha256), 233);
    fs.rmSync(place.prefix, { recursive: true });
    const { report, told } = await run();
    assert.deepEqual([report.outcome, report.fetched?.bytes], ["found", whole.length]);
    assert.ok(told.notes.some((note) => note.includes("is damaged")));
  });
});
