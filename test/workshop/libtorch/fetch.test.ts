import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import type { ServerResponse } from "node:http";
import * as path from "node:path";
import { after, beforeEach, describe, it } from "node:test";
import { fetchLibtorch, locate } from "../../../src/workshop/libtorch/index.ts";
import type { FetchRequest, LibtorchReport } from "../../../src/workshop/libtorch/index.ts";
import { keyOf } from "../../../src/workshop/libtorch/store.ts";
import type { Variables } from "../../../src/workshop/process/types.ts";
import { RangeServer } from "../../support/rangeServer.ts";
import { archive, entriesOf } from "./archives.ts";
import type { Entry } from "./archives.ts";
import { writeConsumer, writeLibtorch } from "./reducedTorch.ts";
import { scratchFolder, treeOf, workshopOf } from "./support.ts";
import type { Told } from "./support.ts";

const scratch = scratchFolder("fetch");
const made = path.join(scratch, "made");
writeLibtorch(made);
fs.symlinkSync("libtorch.so", path.join(made, "lib", "libtorch.so.2"));
fs.symlinkSync("../lib/libc10.so", path.join(made, "bin", "c10"));
const entries = entriesOf(made, "libtorch");
// What does not pack makes the archive long enough to be cut.
const filler = Buffer.from(Array.from({ length: 400_000 }, (_, at) => (at * at * 31 + (at >> 3) * 7 + (at >> 7)) & 255));
const whole = archive([...entries, { name: "libtorch/share/filler", content: filler, mode: 0o100644, stored: true }]);
const sha256 = createHash("sha256").update(whole).digest("hex");
const zipName = "libtorch-cxx11-abi-shared-with-deps-2.7.1+cpu.zip";

const server = await RangeServer.start();
after(async () => server.stop());
const address = `/mirror/cpu/${encodeURIComponent("libtorch-shared-with-deps-2.13.0+cpu.zip")}`;
let count = 0;
let store = "";
let prefix = "";
beforeEach(() => {
  count += 1;
  store = path.join(scratch, `store-${count}`);
  prefix = path.join(scratch, `out ${count}`, "libtorch");
  fs.mkdirSync(path.dirname(prefix));
  server.files.clear();
  server.seen.length = 0;
  server.ignoresRanges = false;
  server.trick = () => false;
  server.serve(address, { content: whole, etag: '"one"' });
});

const quick = { silence: 400, retries: 1, backOff: 10 };

function request(more: Partial<FetchRequest> = {}): FetchRequest {
  return { root: scratch, wanted: { version: "2.13.0" }, from: "libtorch", index: `${server.origin}/mirror`, prefix, cacheFolder: store, ...more };
}

async function run(more: Partial<FetchRequest> = {}, prepare: (told: Told) => void = () => undefined, variables: Variables = {}): Promise<{ readonly report: LibtorchReport; readonly told: Told }> {
  const { workshop, told } = workshopOf(scratch, variables);
  prepare(told);
  return { report: await fetchLibtorch(request(more), workshop, quick), told };
}

/** Nothing of an attempt that failed is beside the prefix. */
function assertAbsent(): void {
  assert.deepEqual(fs.readdirSync(path.dirname(prefix)), []);
}

function serve(content: Uint8Array | readonly Entry[]): void {
  server.serve(address, { content: content instanceof Uint8Array ? content : archive(content), etag: '"one"' });
}

describe("fetching an official archive", () => {
  it("unpacks it whole, with executable bits and links, writes its record, and a second fetch asks nobody", async () => {
    const { report } = await run();
    assert.equal(report.reason, undefined);
    assert.equal(report.outcome, "found");
    assert.equal(report.cmakeArgument, `-DTorch_DIR=${prefix}/share/cmake/Torch`);
    assert.deepEqual(report.fetched, { url: `${server.origin}/mirror/cpu/libtorch-shared-with-deps-2.13.0+cpu.zip`, sha256, checked: false, bytes: whole.length, fromCache: false });
    assert.deepEqual(JSON.parse(fs.readFileSync(path.join(prefix, "abiding-libtorch.json"), "utf8")), {
      schema: 1, version: "2.13.0+cpu", gitVersion: "0123456789abcdef0123456789abcdef01234567", variant: "cpu", cuda: null, abi: 1, linkage: "shared",
      platform: report.chosen?.platform, source: { kind: "libtorch", url: report.fetched?.url, sha256, checked: false }, made: "2026-11-30T12:00:00.000Z", madeBy: "1.2.3",
    });
    const tree = treeOf(prefix);
    delete (tree as Record<string, string>)["abiding-libtorch.json"];
    delete (tree as Record<string, string>)["share/filler"];
    assert.deepEqual(tree, treeOf(made));
    assert.deepEqual(report.warnings, [`${report.fetched?.url} came without a checksum, so that it was compared with none. With --sha256 ${sha256} the next fetch is.`]);

    const asked = server.seen.length;
    prefix = path.join(scratch, `out ${count}`, "second");
    const second = await run();
    assert.equal(second.report.outcome, "found");
    assert.deepEqual([second.report.fetched?.fromCache, second.report.fetched?.bytes, server.seen.length], [true, 0, asked]);
    const third = await run();
    assert.deepEqual([third.report.outcome, third.report.fetched, server.seen.length], ["found", undefined, asked]);
  });

  it("serves a CMake project, also from a path with blanks, and locate finds it again", async () => {
    await run();
    const { workshop } = workshopOf(scratch);
    const found = await locate({ root: scratch, wanted: { version: "2.13.0" }, prefixes: [], cacheFolder: store }, workshop);
    assert.deepEqual([found.chosen?.folder, found.chosen?.because, found.stampFile], [prefix, "made here by abiding libtorch", path.join(prefix, "abiding-libtorch.json")]);
    const app = path.join(scratch, "app");
    writeConsumer(app);
    execFileSync("cmake", ["-S", app, "-B", path.join(app, "build"), found.cmakeArgument ?? ""]);
    execFileSync("cmake", ["--build", path.join(app, "build")]);
    assert.equal(execFileSync(path.join(app, "build", "consumer"), { encoding: "utf8" }), "a fetched torch\n");
  });

  it("asks for the names of the release: the one with cxx11-abi until 2.7", async () => {
    const before = path.join(scratch, "made-2.7");
    writeLibtorch(before, { version: "2.7.1" });
    server.serve(`/mirror/cpu/${encodeURIComponent(zipName)}`, { content: archive(entriesOf(before, "libtorch")) });
    const { report } = await run({ wanted: { version: "2.7.1", abi: 1 } });
    assert.equal(report.fetched?.url, `${server.origin}/mirror/cpu/${zipName}`);
  });

  it("says which names it asked for when none is there", async () => {
    const { report } = await run({ wanted: { version: "2.12.0", variant: "cu130" } });
    assert.equal(report.outcome, "failed");
    const name = "libtorch-shared-with-deps-2.12.0+cu130.zip";
    const said = (folder: string): string => `${server.origin}/mirror/${folder}${name} is not there: the server answers 404 Not Found.`;
    assert.equal(report.reason, `No libtorch archive of torch 2.12.0 for ${process.arch === "arm64" ? "linux-aarch64" : "linux-x86_64"} was found. ${said("cu130/")} ${said("")} A package index has wheels: --from wheel.`);
  });

  it("refuses an archive that is not what was asked for, with both sides, and makes nothing", async () => {
    const other = path.join(scratch, "made-abi0");
    writeLibtorch(other, { abi: 0 });
    serve(entriesOf(other, "libtorch"));
    const { report } = await run({ wanted: { version: "2.13.0", abi: 1 } });
    assert.equal(report.reason, `${server.origin}/mirror/cpu/libtorch-shared-with-deps-2.13.0+cpu.zip is not what was asked for, and ${prefix} was not made. Its libraries are built with _GLIBCXX_USE_CXX11_ABI=0; 1 is wanted.`);
    assertAbsent();
  });
});

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
    const stem = path.join(store, "parts", keyOf([`${server.origin}${address}`]));
    fs.mkdirSync(path.dirname(stem), { recursive: true });
    fs.writeFileSync(`${stem}.part`, whole);
    fs.writeFileSync(`${stem}.json`, JSON.stringify({ url: "x", validator: '"one"', size: whole.length }));
    const { report } = await run();
    assert.deepEqual([report.outcome, report.fetched?.bytes, report.fetched?.sha256], ["found", 0, sha256]);
  });

  it("begins anew when nothing says what the part is of", async () => {
    const stem = path.join(store, "parts", keyOf([`${server.origin}${address}`]));
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
    fs.truncateSync(path.join(store, "content", sha256), 233);
    fs.rmSync(prefix, { recursive: true });
    const { report, told } = await run();
    assert.deepEqual([report.outcome, report.fetched?.bytes], ["found", whole.length]);
    assert.ok(told.notes.some((note) => note.includes("is damaged")));
  });
});

describe("unpacking", () => {
  it("that is cancelled leaves nothing, and the archive in the cache", async () => {
    const { report } = await run({}, (told) => {
      const push = told.steps.push.bind(told.steps);
      told.steps.push = (...items) => {
        if (items.some((one) => one.startsWith("Unpacking"))) told.onProgress = () => told.stop.abort();
        return push(...items);
      };
    });
    assert.equal(report.outcome, "cancelled");
    assertAbsent();
    const { report: second } = await run();
    assert.deepEqual([second.outcome, second.fetched?.fromCache], ["found", true]);
  });
});

describe("an archive that is of no use", () => {
  it("is refused, leaves nothing, and is not kept: when the server has a good one, that is fetched", async () => {
    const damaged = Buffer.from(whole);
    damaged.fill(0, damaged.length - 300_000, damaged.length - 299_900);
    serve(damaged);
    const { report } = await run();
    assert.equal(report.outcome, "failed");
    assert.match(report.reason ?? "", /libtorch-shared-with-deps-2\.13\.0\+cpu\.zip/);
    assertAbsent();
    server.serve(address, { content: whole, etag: '"two"' });
    const { report: second } = await run();
    assert.deepEqual([second.outcome, second.fetched?.sha256], ["found", sha256]);
    assert.deepEqual(fs.readdirSync(path.join(store, "content")), [sha256]);
  });
});

describe("two fetches of the same at once", () => {
  it("download it once, and the one that waits says for whom", async () => {
    server.delay = 150;
    const [first, second] = await Promise.all([run(), run()]);
    server.delay = 0;
    assert.deepEqual([first.report.outcome, second.report.outcome], ["found", "found"]);
    assert.equal(server.seen.filter((one) => one.range === "bytes=0-").length, 1);
    assert.ok([...first.told.notes, ...second.told.notes].some((note) => note.startsWith(`${prefix} is in use by "abiding libtorch fetch" of process ${process.pid}`)));
  });
});

describe("the prefix", () => {
  it("is refused when something else is in it, and nothing in it changes", async () => {
    fs.mkdirSync(prefix);
    fs.writeFileSync(path.join(prefix, "mine"), "mine");
    const { report } = await run();
    assert.equal(report.reason, `${prefix} is not empty and holds nothing that Abiding put there; nothing in it was changed. Name another prefix, or remove this one.`);
    assert.deepEqual(treeOf(prefix), { mine: `${fs.statSync(path.join(prefix, "mine")).mode} mine` });
    assert.equal(server.seen.length, 0);
  });

  it("is refused when it holds another libtorch of ours", async () => {
    await run();
    const { report } = await run({ wanted: { version: "2.12.0" } });
    assert.equal(report.reason, `${prefix} holds another libtorch, and nothing in it was changed. It is torch 2.13.0+cpu; 2.12.0 is wanted. Name another prefix, or remove this one.`);
  });

  it("may be an empty folder", async () => {
    fs.mkdirSync(prefix);
    assert.equal((await run()).report.outcome, "found");
  });

  it("what a killed run left beside it is removed", async () => {
    fs.mkdirSync(path.join(path.dirname(prefix), ".libtorch.abiding-0000", "lib"), { recursive: true });
    assert.equal((await run()).report.outcome, "found");
    assert.deepEqual(fs.readdirSync(path.dirname(prefix)), ["libtorch"]);
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
      const part = await run({ prefix, cacheFolder: path.join(disk, "store") });
      server.trick = (incoming, response) => {
        if (incoming.headers.range === "bytes=0-0") return false;
        // In pieces, without a length: the disk itself has to say that it is full.
        response.writeHead(200, { etag: '"one"' }).end(whole);
        return true;
      };
      const surprised = await run({ prefix, cacheFolder: path.join(disk, "other") });
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

describe("--require", () => {
  it("asks no server, whether the prefix holds what is wanted or not", async () => {
    const absent = await run({ require: true });
    assert.deepEqual([absent.report.outcome, absent.report.reason], ["not-found", `${prefix} holds no libtorch, and --require forbids to fetch one.`]);
    await run();
    server.seen.length = 0;
    assert.equal((await run({ require: true })).report.outcome, "found");
    const other = await run({ require: true, wanted: { version: "2.12.0" } });
    assert.equal(other.report.outcome, "not-found");
    assert.equal(server.seen.length, 0);
  });
});
