/** Fetching an official archive: what comes of it, and what is refused. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { describe, it } from "node:test";
import { locate } from "../../../src/workshop/libtorch/index.ts";
import { archive, entriesOf } from "./archives.ts";
import { address, assertAbsent, made, place, run, scratch, serve, server, sha256, whole } from "./fetching.ts";
import { writeConsumer, writeLibtorch } from "./reducedTorch.ts";
import { treeOf, workshopOf } from "./support.ts";

const zipName = "libtorch-cxx11-abi-shared-with-deps-2.7.1+cpu.zip";

describe("fetching an official archive", () => {
  it("unpacks it whole, with executable bits and links, writes its record, and a second fetch asks nobody", async () => {
    const { report } = await run();
    assert.equal(report.reason, undefined);
    assert.equal(report.outcome, "found");
    assert.equal(report.cmakeArgument, `-DTorch_DIR=${place.prefix}/share/cmake/Torch`);
    assert.deepEqual(report.fetched, { url: `${server.origin}/mirror/cpu/libtorch-shared-with-deps-2.13.0+cpu.zip`, sha256, checked: false, bytes: whole.length, fromCache: false });
    assert.deepEqual(JSON.parse(fs.readFileSync(path.join(place.prefix, "abiding-libtorch.json"), "utf8")), {
      schema: 1, version: "2.13.0+cpu", gitVersion: "0123456789abcdef0123456789abcdef01234567", variant: "cpu", cuda: null, abi: 1, linkage: "shared",
      platform: report.chosen?.platform, source: { kind: "libtorch", url: report.fetched?.url, sha256, checked: false }, made: "2026-11-30T12:00:00.000Z", madeBy: "1.2.3",
    });
    const tree = treeOf(place.prefix);
    delete (tree as Record<string, string>)["abiding-libtorch.json"];
    delete (tree as Record<string, string>)["share/filler"];
    assert.deepEqual(tree, treeOf(made));
    assert.deepEqual(report.warnings, [`${report.fetched?.url} came without a checksum, so that it was compared with none. With --sha256 ${sha256} the next fetch is.`]);

    const asked = server.seen.length;
    place.prefix = path.join(path.dirname(place.prefix), "second");
    const second = await run();
    assert.equal(second.report.outcome, "found");
    assert.deepEqual([second.report.fetched?.fromCache, second.report.fetched?.bytes, server.seen.length], [true, 0, asked]);
    const third = await run();
    assert.deepEqual([third.report.outcome, third.report.fetched, server.seen.length], ["found", undefined, asked]);
  });

  it("serves a CMake project, also from a path with blanks, and locate finds it again", async () => {
    await run();
    const { workshop } = workshopOf(scratch);
    const found = await locate({ root: scratch, wanted: { version: "2.13.0" }, prefixes: [], cacheFolder: place.store }, workshop);
    assert.deepEqual([found.chosen?.folder, found.chosen?.because, found.stampFile], [place.prefix, "made here by abiding libtorch", path.join(place.prefix, "abiding-libtorch.json")]);
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
    assert.equal(report.reason, `${server.origin}/mirror/cpu/libtorch-shared-with-deps-2.13.0+cpu.zip is not what was asked for, and ${place.prefix} was not made. Its libraries are built with _GLIBCXX_USE_CXX11_ABI=0; 1 is wanted.`);
    assertAbsent();
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
    assert.deepEqual(fs.readdirSync(path.join(place.store, "content")), [sha256]);
  });
});

describe("two fetches of the same at once", () => {
  it("download it once, and the one that waits says for whom", async () => {
    server.delay = 150;
    const [first, second] = await Promise.all([run(), run()]);
    server.delay = 0;
    assert.deepEqual([first.report.outcome, second.report.outcome], ["found", "found"]);
    assert.equal(server.seen.filter((one) => one.range === "bytes=0-").length, 1);
    assert.ok([...first.told.notes, ...second.told.notes].some((note) => note.startsWith(`${place.prefix} is in use by "abiding libtorch fetch" of process ${process.pid}`)));
  });
});

describe("--require", () => {
  it("asks no server, whether the prefix holds what is wanted or not", async () => {
    const absent = await run({ require: true });
    assert.deepEqual([absent.report.outcome, absent.report.reason], ["not-found", `${place.prefix} holds no libtorch, and --require forbids to fetch one.`]);
    await run();
    server.seen.length = 0;
    assert.equal((await run({ require: true })).report.outcome, "found");
    const other = await run({ require: true, wanted: { version: "2.12.0" } });
    assert.equal(other.report.outcome, "not-found");
    assert.equal(server.seen.length, 0);
  });
});
