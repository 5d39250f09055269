import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, beforeEach, describe, it } from "node:test";
import { findWheels, locateWheel, parseIndexPage, parseRemoteSpec, readIndex, readSidecar } from "../../../../src/engine/binaries/remote/index.ts";
import type { WheelTarget } from "../../../../src/engine/binaries/remote/index.ts";
import { RangeServer } from "../../../support/rangeServer.ts";
import { processorTime } from "../../../support/processorTime.ts";

const sum = "ab".repeat(32);
const html = `<!DOCTYPE html><html><head><meta name="pypi:repository-version" content="1.3"><BASE HREF="/whl/"></head><body>
<!-- <a href="hidden-1.0-py3-none-any.whl">hidden</a> -->
<h1>Links for torch</h1>
<a href="cu130/torch-2.14.1%2Bcu130-cp311-cp311-manylinux_2_28_x86_64.whl#sha256=${sum.toUpperCase()}" data-requires-python="&gt;=3.10" data-dist-info-metadata="sha256=${sum}" data-core-metadata="sha256=${sum}">torch-2.14.1+cu130</a><br/>
<A HREF='https://other.example.org/torch-2.14.1-cp312-cp312-manylinux_2_28_x86_64.whl' data-yanked="">x</A>
<a href=cpu/torch-2.14.0-cp311-cp311-linux_x86_64.whl data-yanked="broken &amp; slow" data-core-metadata=true>x</a>
<a href="javascript:alert(1)">x</a><a name="top">top</a><a data-x="unclosed href="torch.whl"></body></html>`;

describe("parseIndexPage", () => {
  it("reads PEP 503 pages, with base, entities, hashes and data attributes", () => {
    const page = parseIndexPage(html, "text/html", "https://example.org/simple/torch/");
    assert.deepEqual(page.files, [
      { name: "torch-2.14.1+cu130-cp311-cp311-manylinux_2_28_x86_64.whl", url: "https://example.org/whl/cu130/torch-2.14.1%2Bcu130-cp311-cp311-manylinux_2_28_x86_64.whl", sha256: sum, size: undefined, requiresPython: ">=3.10", yanked: undefined, metadata: { sha256: sum } },
      { name: "torch-2.14.1-cp312-cp312-manylinux_2_28_x86_64.whl", url: "https://other.example.org/torch-2.14.1-cp312-cp312-manylinux_2_28_x86_64.whl", sha256: undefined, size: undefined, requiresPython: undefined, yanked: "", metadata: undefined },
      { name: "torch-2.14.0-cp311-cp311-linux_x86_64.whl", url: "https://example.org/whl/cpu/torch-2.14.0-cp311-cp311-linux_x86_64.whl", sha256: undefined, size: undefined, requiresPython: undefined, yanked: "broken & slow", metadata: { sha256: undefined } },
    ]);
    assert.deepEqual(page.problems, ["https://example.org/simple/torch/ has 1 link that lead to no file of a web server."]);
  });

  it("reads PEP 691 pages", () => {
    const text = JSON.stringify({ meta: { "api-version": "1.1" }, name: "torch", files: [
      { filename: "torch-2.8.0-cp311-cp311-manylinux_2_28_x86_64.whl", url: "../../f/torch-2.8.0-cp311-cp311-manylinux_2_28_x86_64.whl", hashes: { sha256: sum }, "requires-python": ">=3.9", size: 888086002, yanked: false, "core-metadata": { sha256: sum } },
      { filename: "torch-2.7.0-cp311-cp311-win_amd64.whl", url: "https://f.example.org/b.whl", hashes: {}, yanked: "wrong", "core-metadata": true },
      { filename: "no address" }, null, 7,
    ] });
    const page = parseIndexPage(text, "application/vnd.pypi.simple.v1+json", "https://example.org/simple/torch/");
    assert.deepEqual(page.files, [
      { name: "torch-2.8.0-cp311-cp311-manylinux_2_28_x86_64.whl", url: "https://example.org/f/torch-2.8.0-cp311-cp311-manylinux_2_28_x86_64.whl", sha256: sum, size: 888086002, requiresPython: ">=3.9", yanked: undefined, metadata: { sha256: sum } },
      { name: "torch-2.7.0-cp311-cp311-win_amd64.whl", url: "https://f.example.org/b.whl", sha256: undefined, size: undefined, requiresPython: undefined, yanked: "wrong", metadata: { sha256: undefined } },
    ]);
    assert.deepEqual(page.problems, ["https://example.org/simple/torch/ has 3 entries without the address of a file."]);
    assert.deepEqual(parseIndexPage("{", "application/json", "u").problems, ["u is not valid JSON."]);
    assert.deepEqual(parseIndexPage('{"__proto__":{"files":[]}}', "application/json", "u").problems, ["u is JSON without a list of files."]);
  });

  it("stays linear on hostile text", () => {
    const started = processorTime();
    for (const text of ['<a href="'.repeat(200_000), "<a ".repeat(300_000), `<a ${"x=".repeat(500_000)}`, "&#".repeat(500_000), "<!--".repeat(300_000), `<a href='${"&amp;".repeat(300_000)}'>`]) parseIndexPage(text, "text/html", "https://example.org/");
    assert.ok(processorTime() - started < 5000, `${processorTime() - started} ms`);
  });
});

describe("parseRemoteSpec", () => {
  it("tells addresses of wheels, indexes with a requirement, and neither", () => {
    assert.deepEqual(parseRemoteSpec("https://example.org/torch-2.8.0-cp311-cp311-linux_x86_64.whl#sha256=1"), { kind: "wheel", url: "https://example.org/torch-2.8.0-cp311-cp311-linux_x86_64.whl#sha256=1" });
    assert.deepEqual(parseRemoteSpec(" index:https://example.org/whl/cu130  torch == 2.14.1 "), { kind: "index", url: "https://example.org/whl/cu130", requirement: "torch == 2.14.1" });
    assert.deepEqual(["./torch.whl", "torch==2.8.0", "/w/index"].map(parseRemoteSpec), [undefined, undefined, undefined]);
    assert.deepEqual(["index:https://example.org/whl", "index:/tmp torch", "https://example.org/simple/torch/", "https://"].map((spec) => parseRemoteSpec(spec)), [
      { kind: "invalid", message: '"index:https://example.org/whl" does not say which wheel of the index is meant; write it as index:https://example.org/whl torch==2.14.1.' },
      { kind: "invalid", message: '"/tmp" is no http or https address.' },
      { kind: "invalid", message: '"https://example.org/simple/torch/" is not the address of a wheel, which ends in .whl; a page of an index is named as index:https://example.org/simple/torch/ torch==2.14.1.' },
      { kind: "invalid", message: '"https://" is no http or https address.' },
    ]);
  });
});

describe("findWheels", () => {
  let server: RangeServer;
  before(async () => { server = await RangeServer.start(); });
  after(async () => { await server.stop(); });
  beforeEach(() => { server.seen.length = 0; });

  const names = [
    "torch-2.13.0+cpu-cp311-cp311-manylinux_2_28_x86_64.whl", "torch-2.14.1+cpu-cp311-cp311-manylinux_2_28_x86_64.whl", "torch-2.14.1+cu130-cp310-cp310-manylinux_2_28_x86_64.whl", "torch-2.14.1+cu130-cp311-cp311-manylinux_2_28_x86_64.whl",
    "torch-2.14.1+cu130-cp311-cp311-manylinux_2_28_aarch64.whl", "torch-2.14.1+cu130-cp313-cp313t-manylinux_2_28_x86_64.whl", "torch-2.15.0.dev20261101+cu130-cp311-cp311-manylinux_2_28_x86_64.whl", "torchvision-0.29.0-cp311-cp311-manylinux_2_28_x86_64.whl", "torch-2.14.1.tar.gz",
  ];

  async function best(requirement: string, target: WheelTarget, listed: readonly string[] = names): Promise<string> {
    server.serve("/whl/cu130/torch/", { content: Buffer.from(listed.map((name) => `<a href="${encodeURIComponent(name)}">${name}</a>`).join("\n")), type: "text/html" });
    const found = await findWheels(`${server.origin}/whl/cu130`, requirement, target, { backOff: 1 });
    return found.ok ? found.wheels[0]?.file.name ?? "" : found.message.replaceAll(server.origin, "");
  }
  const linux = { python: "3.11", platform: "linux-x86_64" } as const;

  it("takes the newest version that fits, by Python, platform and label", async () => {
    assert.equal(await best("torch==2.14.1+cu130", linux), names[3]);
    assert.equal(await best("torch==2.14.1", linux), names[3]);
    assert.equal(await best("torch", linux), names[3]);
    assert.equal(await best("torch<2.14", linux), names[0]);
    assert.equal(await best("torch==2.14.1+cu130", { python: "3.11.9", platform: "linux-aarch64" }), names[4]);
    assert.equal(await best("torch==2.14.1+cu130", { python: "3.13t", platform: "linux-x86_64" }), names[5]);
    assert.equal(await best("torch>=2.15.0.dev1", linux), names[6]);
    assert.equal(await best("torch==2.14.1+cu130", { platform: "linux-x86_64" }), names[3]);
    assert.deepEqual(server.seen.map((one) => one.path)[0], "/whl/cu130/torch/");
    assert.match(server.seen[0]?.headers.accept ?? "", /^application\/vnd\.pypi\.simple\.v1\+json, /);
  });

  it("orders tags as installers do", async () => {
    const tags = ["py3-none-any", "cp311-cp311-manylinux2014_x86_64", "cp39-abi3-manylinux_2_28_x86_64", "cp311-cp311-manylinux_2_34_x86_64", "cp311-cp311-linux_x86_64", "cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64", "cp311-cp311-musllinux_1_2_x86_64"];
    const order = async (target: WheelTarget): Promise<readonly string[]> => {
      server.serve("/t/", { content: Buffer.from(tags.map((tag) => `<a href="t-1-${tag}.whl">`).join("")), type: "text/html" });
      const found = await findWheels(`${server.origin}/t/`, "t", target);
      return found.ok ? found.wheels.map((one) => one.file.name.slice(4, -4)) : [found.message];
    };
    assert.deepEqual(await order({ ...linux, glibc: "2.31" }), ["cp311-cp311-manylinux2014_x86_64", "cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64", "cp311-cp311-linux_x86_64", "cp39-abi3-manylinux_2_28_x86_64", "py3-none-any"]);
    assert.deepEqual((await order(linux))[0], "cp311-cp311-manylinux_2_34_x86_64");
    assert.deepEqual(await order({ python: "3.13t", platform: "linux-x86_64" }), ["py3-none-any"]);
    assert.deepEqual(await order({ python: "3.8", platform: "windows-amd64" }), ["py3-none-any"]);
  });

  it("says what was there when nothing fits", async () => {
    assert.equal(await best("torch==9.9", linux), "/whl/cu130/torch/ has no wheel of torch==9.9. It has 2.15.0.dev20261101+cu130, 2.14.1+cu130, 2.14.1+cpu, 2.13.0+cpu.");
    assert.equal(await best("torch==2.13.0", { python: "3.14", platform: "linux-x86_64" }), "/whl/cu130/torch/ has no wheel of torch==2.13.0 for Python 3.14, linux-x86_64. It has it for cp311-cp311-manylinux_2_28_x86_64.");
    assert.equal(await best("torch", linux, ["numpy-2.0-py3-none-any.whl"]), "/whl/cu130/torch/ offers no wheel of torch; it lists 1 files.");
    assert.equal(await best("!", linux), '"!" is no requirement; write it as torch==2.14.1 or torch==2.14.1+cu130.');
  });

  it("takes a withdrawn wheel only when its version is pinned, and minds Requires-Python", async () => {
    server.serve("/y/torch/", { content: Buffer.from(`<a href="torch-2.1-cp311-cp311-linux_x86_64.whl" data-yanked="bad">a</a><a href="torch-2.0-cp311-cp311-linux_x86_64.whl" data-requires-python="&gt;=3.12">a</a>`), type: "text/html" });
    const answer = async (requirement: string): Promise<string> => {
      const found = await findWheels(`${server.origin}/y`, requirement, linux);
      return found.ok ? found.wheels.map((one) => one.version).join() : found.message.replace(server.origin, "");
    };
    assert.equal(await answer("torch==2.1"), "2.1");
    assert.equal(await answer("torch>2.0"), "/y/torch/ has only withdrawn (yanked) wheels of torch>2.0 for Python 3.11, linux-x86_64.");
    assert.match(await answer("torch==2.0"), /has no wheel of torch==2\.0 for Python 3\.11/);
  });

  it("locates, hands on checksum and user, and reads METADATA beside a wheel", async () => {
    const metadata = Buffer.from("Metadata-Version: 2.1\nName: torch\n");
    const digest = createHash("sha256").update(metadata).digest("hex");
    const name = "torch-2.8.0-cp311-cp311-manylinux_2_28_x86_64.whl";
    server.serve("/simple/torch/", { content: Buffer.from(JSON.stringify({ files: [{ filename: name, url: `../f/${name}`, hashes: { sha256: sum }, "core-metadata": { sha256: digest } }] })), type: "application/vnd.pypi.simple.v1+json" });
    server.serve(`/simple/f/${name}.metadata`, { content: metadata });
    const spec = parseRemoteSpec(`index:${server.origin.replace("//", "//me:pw@")}/simple torch==2.8.0`) ?? assert.fail();
    assert.equal(await locateWheel(spec, linux), `${server.origin.replace("//", "//me:pw@")}/simple/f/${name}#sha256=${sum}`);
    const [file] = (await readIndex(`${server.origin}/simple/torch/`)).files;
    assert.ok(file);
    assert.equal(await readSidecar(file), metadata.toString());
    await assert.rejects(readSidecar({ ...file, metadata: { sha256: sum } }), { problem: "changed" });
    assert.equal(await readSidecar({ ...file, metadata: undefined }), undefined);
    await assert.rejects(readIndex(`${server.origin}/simple/torch/`, { budget: 20 }), { problem: "no-ranges" });
    await assert.rejects(locateWheel({ kind: "index", url: `${server.origin}/none`, requirement: "torch" }, linux), { problem: "missing" });
  });
});
