import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { after, beforeEach, describe, it } from "node:test";
import { fetchLibtorch } from "../../../src/workshop/libtorch/index.ts";
import type { FetchRequest, LibtorchReport } from "../../../src/workshop/libtorch/index.ts";
import type { Variables } from "../../../src/workshop/process/types.ts";
import { RangeServer } from "../../support/rangeServer.ts";
import { archive, entriesOf } from "./archives.ts";
import { writeLibtorch } from "./reducedTorch.ts";
import { scratchFolder, treeOf, workshopOf } from "./support.ts";
import type { Told } from "./support.ts";

const scratch = scratchFolder("wheel");
const made = path.join(scratch, "made");
writeLibtorch(made);
const server = await RangeServer.start();
after(async () => server.stop());
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
  server.trick = () => false;
});

const quick = { silence: 400, retries: 1, backOff: 10 };

async function run(more: Partial<FetchRequest>): Promise<{ readonly report: LibtorchReport; readonly told: Told }> {
  const { workshop, told } = workshopOf(scratch);
  return { report: await fetchLibtorch({ root: scratch, wanted: { version: "2.13.0" }, from: "wheel", prefix, cacheFolder: store, ...more }, workshop, quick), told };
}

describe("fetching a wheel as libtorch", () => {
  const wheelName = "torch-2.13.0+cpu-cp311-cp311-manylinux_2_28_x86_64.whl";
  const torch = [...entriesOf(made, "torch").filter((entry) => !/build-(?:version|hash)$/.test(entry.name)), { name: "torch/version.py", content: "__version__ = '2.13.0+cpu'\ncuda = None\n", mode: 0o100644 }, { name: "torch/__init__.py", content: "" }];
  const wheel = archive([...torch, { name: "torch.libs/libgomp-1.so", content: "gomp" }, { name: "torchgen/__init__.py", content: "" }, { name: "torch-2.13.0.dist-info/METADATA", content: "Name: torch\n" }]);
  const wheelSum = createHash("sha256").update(wheel).digest("hex");
  const serveIndex = (type: "html" | "json", sum = wheelSum): void => {
    const url = `../../files/${encodeURIComponent(wheelName)}`;
    server.serve("/simple/torch/", type === "html"
      ? { content: Buffer.from(`<a href="${url}#sha256=${sum}">${wheelName}</a>`), type: "text/html" }
      : { content: Buffer.from(JSON.stringify({ meta: { "api-version": "1.0" }, name: "torch", files: [{ filename: wheelName, url, hashes: { sha256: sum } }] })), type: "application/vnd.pypi.simple.v1+json" });
    server.serve(`/files/${encodeURIComponent(wheelName)}`, { content: wheel });
  };

  it("of the newest Python and this machine, among all that an index has", async () => {
    serveIndex("html");
    const others = ["cp310-cp310-manylinux_2_28_x86_64", "cp311-cp311-manylinux_2_28_aarch64", "cp313-cp313t-manylinux_2_28_x86_64", "cp312-cp312-macosx_14_0_arm64", "cp312-cp312-win_amd64", "cp312-cp312-musllinux_1_2_x86_64", "cp312-cp312-manylinux_9_99_x86_64"];
    const page = server.files.get("/simple/torch/")?.content ?? "";
    const links = [...others.map((tags) => `torch-2.13.0+cpu-${tags}.whl`), "torch-2.13.0+cu130-cp314-cp314-manylinux_2_28_x86_64.whl", "torch-2.12.0+cpu-cp314-cp314-manylinux_2_28_x86_64.whl"].map((name) => `<a href="/absent/${encodeURIComponent(name)}">${name}</a>`);
    server.serve("/simple/torch/", { content: Buffer.from(links.join("\n") + Buffer.from(page).toString()), type: "text/html" });
    const { report } = await run({ index: `${server.origin}/simple`, wanted: { version: "2.13.0", variant: "cpu" } });
    assert.equal(report.reason, undefined);
    assert.equal(report.fetched?.url, `${server.origin}/files/${wheelName}`);
    const missing = await run({ index: `${server.origin}/simple`, wanted: { version: "2.13.0", variant: "cu126" }, prefix: `${prefix}2` });
    assert.equal(missing.report.reason, `${server.origin}/simple has no wheel of torch 2.13.0 for cu126; it has 2.13.0+cu130, 2.13.0+cpu.`);
  });

  it("of another variant, by an index without labels, is refused before it is fetched", async () => {
    const name = "torch-2.13.0-cp312-cp312-manylinux_2_28_x86_64.whl";
    const content = archive([{ name: "torch/version.py", content: "from typing import Optional\n__version__ = '2.13.0+cu130'\ncuda: Optional[str] = '13.0'\n" }, { name: "torch/lib/libtorch_cuda.so", content: Buffer.alloc(400_000, 7), stored: true }]);
    server.serve("/pypi/torch/", { content: Buffer.from(`<a href="/big/${name}">${name}</a>`), type: "text/html" });
    server.serve(`/big/${name}`, { content, etag: '"big"' });
    const { report } = await run({ index: `${server.origin}/pypi`, wanted: { version: "2.13.0", variant: "cpu" } });
    assert.equal(report.reason, `${server.origin}/big/${name} is the variant cu130 by its torch/version.py; cpu is wanted. Nothing but that file was fetched. PyTorch's own indexes have one variant each: --index https://download.pytorch.org/whl/cpu`);
    assert.ok(!fs.existsSync(path.join(store, "parts")));
  });

  for (const type of ["html", "json"] as const) {
    it(`by an index in ${type}, compared with its checksum`, async () => {
      serveIndex(type);
      const { report } = await run({ index: `${server.origin}/simple`, wanted: { version: "2.13.0", variant: "cpu" } });
      assert.equal(report.reason, undefined);
      assert.deepEqual([report.fetched?.checked, report.fetched?.sha256, report.chosen?.version, report.chosen?.cuda], [true, wheelSum, "2.13.0+cpu", null]);
      assert.deepEqual(fs.readdirSync(prefix).sort(), ["__init__.py", "abiding-libtorch.json", "bin", "include", "lib", "share", "version.py"]);
      assert.equal(fs.readFileSync(path.join(prefix, "lib/libgomp-1.so"), "utf8"), "gomp");
    });
  }

  it("says both checksums when they differ, and keeps nothing of it", async () => {
    serveIndex("html", "0".repeat(64));
    const { report } = await run({ index: `${server.origin}/simple` });
    assert.equal(report.reason, `${server.origin}/files/${wheelName} has the SHA-256 ${wheelSum}; ${"0".repeat(64)} is expected. What was downloaded is discarded.`);
    assert.deepEqual(fs.readdirSync(path.dirname(prefix)), []);
    assert.deepEqual(fs.readdirSync(path.join(store, "parts")), []);
  });

  it("takes PIP_INDEX_URL when no variant is named, and ABIDING_INDEX_URL before it", async () => {
    serveIndex("html");
    const plain: FetchRequest = { root: scratch, wanted: { version: "2.13.0" }, from: "wheel", prefix, cacheFolder: store };
    const take = async (variables: Variables): Promise<LibtorchReport> => fetchLibtorch(plain, workshopOf(scratch, variables).workshop, quick);
    assert.equal((await take({ PIP_INDEX_URL: `${server.origin}/simple`, ABIDING_INDEX_URL: `${server.origin}/none` })).outcome, "failed");
    assert.equal((await take({ PIP_INDEX_URL: `${server.origin}/simple` })).outcome, "found");
  });

  it("never shows the user and password of an index, and sends them to its own server only", async () => {
    const other = await RangeServer.start();
    try {
      serveIndex("html");
      server.trick = (incoming, response) => {
        if (incoming.url?.startsWith("/files/") !== true) return false;
        response.writeHead(302, { location: `${other.origin}${incoming.url}` }).end();
        return true;
      };
      other.serve(`/files/${encodeURIComponent(wheelName)}`, { content: wheel });
      const { report, told } = await run({ index: `${server.origin.replace("://", "://me:hush@")}/simple` });
      assert.equal(report.outcome, "found");
      const text = JSON.stringify([report, told.notes, told.steps]) + fs.readFileSync(path.join(prefix, "abiding-libtorch.json"), "utf8") + JSON.stringify(treeOf(path.join(store, "answers")));
      assert.ok(!text.includes("hush"));
      assert.ok(server.seen.every((one) => one.headers.authorization === `Basic ${Buffer.from("me:hush").toString("base64")}`));
      assert.ok(other.seen.length > 0 && other.seen.every((one) => one.headers.authorization === undefined));
    } finally {
      await other.stop();
    }
  });
});
