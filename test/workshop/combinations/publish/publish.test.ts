/** What is published: the line that works, the table, a badge, a page; and what is not. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import * as path from "node:path";
import { after, before, describe, it } from "node:test";
import { userCacheFolder } from "../../../../src/engine/binaries/remote/index.ts";
import type { PublishedPage } from "../../../../src/protocol/panel.ts";
import { memoryFile } from "../../../../src/workshop/combinations/nightlies/memory.ts";
import { html } from "../../../../src/workshop/combinations/publish/html.ts";
import { Privacy, publicAddress, publishable } from "../../../../src/workshop/combinations/publish/privacy.ts";
import { tableOf } from "../../../../src/workshop/combinations/publish/table.ts";
import type { PublishedData } from "../../../../src/workshop/combinations/publish/types.ts";
import { Folder, lines, made, schema } from "../records/support.ts";

const name = ".abiding/combinations.jsonl";
const nightly = { version: "2.15.0.dev20261101+cu130", index: "https://me:secret@download.pytorch.org/whl/nightly/cu130" };
const hostile = "</script><script>alert(1)</script><!-- <b>&amp;\u2028";

function dataOf(page: string): PublishedPage {
  return JSON.parse(/<script type="application\/json" id="abiding-data">(.*?)<\/script>/s.exec(page)?.[1] ?? "") as PublishedPage;
}

describe("abiding combinations publish", () => {
  const folder = new Folder();
  after(() => folder[Symbol.dispose]());
  before(() => {
    folder.environment(".venv");
    folder.file("CMakeLists.txt", "cmake_minimum_required(VERSION 3.22)\nproject(ops VERSION 1.2)\n");
    folder.file(name, lines(
      made({ when: "2026-11-20T00:00:00Z", run: "2026-1" }),
      made({ when: "2026-11-21T00:00:00Z", outcome: "failed", reason: { message: `${folder.root}/a.so and /home/alice/b.so differ.`, rule: "torch-symbols" } }, { torch: { version: "2.14.1+cpu" } }),
      made({ when: "2026-11-22T00:00:00Z", how: "predicted", outcome: "no-conflict" }, { torch: { version: "2.14.1+cpu" }, project: { name: "ops", version: "1.3" } }),
      made({ when: "2026-11-23T00:00:00Z", note: hostile }, { torch: nightly, packages: { torchvision: "0.28.0.dev20261101+cu130" } }),
      made({ when: "2026-11-24T00:00:00Z", how: "predicted", outcome: "conflict" }, { torch: { version: "2.15.0.dev20261102+cu130", index: "http://127.0.0.1:8080/simple" } }),
      "garbage",
    ));
  });
  const publish = async (...args: readonly string[]): Promise<string> => {
    const { status, out, err } = await folder.abiding("publish", ...args);
    assert.equal(status, 0, err);
    assert.equal(err, "abiding: One record has an index that only this machine or network reaches; its address is left out.\n");
    return out;
  };

  it("has the lines and the table for a README", async () => {
    assert.equal((await publish("--format", "markdown")).replace(/as of \d{4}-\d\d-\d\d/, "as of today"), `With a release of torch (smoke tests passed on 2026-11-20, ops 1.2, Python 3.12, linux-x86\\_64):

\`\`\`sh
pip install torch==2.13.0+cpu --index-url https://download.pytorch.org/whl/cpu
\`\`\`

With a nightly of torch (smoke tests passed on 2026-11-23, ops 1.2, Python 3.12, linux-x86\\_64):

\`\`\`sh
pip install --pre torch==2.15.0.dev20261101+cu130 torchvision==0.28.0.dev20261101+cu130 --index-url https://download.pytorch.org/whl/nightly/cu130
\`\`\`

| torch | 1.3 | 1.2 |
| --- | --- | --- |
| 2.15.0.dev20261102+cu130 |  | *predicted conflict* |
| 2.15.0.dev20261101+cu130 |  | smoke tests passed |
| 2.14.1+cpu | *predicted no conflict* | smoke tests failed (torch-symbols) |
| 2.13.0+cpu |  | smoke tests passed |

What stands in italics was predicted from symbols and was not tried.

Recorded by Abiding; as of today.
`);
    assert.match(await publish("--format", "markdown", "--rows", "1"), /\| 2\.15\.0\.dev20261102\+cu130 .*\n\nWhat stands in italics .*\n\nNot shown: 3 older torches\.\n/);
  });

  it("has what programs and badges read", async () => {
    const isReport = schema("combinations-publish");
    const report = JSON.parse(await publish("--format", "json")) as { readonly latest: readonly { readonly torch: string }[]; readonly table: { readonly rows: readonly unknown[] }; readonly problems: readonly string[] };
    assert.equal(isReport(report), true, JSON.stringify(isReport.errors));
    assert.deepEqual([report.latest.map((one) => one.torch), report.table.rows.length, report.problems], [["2.13.0+cpu", nightly.version], 4, [`Line 6 of ${name} is left out: it is no JSON.`]]);
    assert.deepEqual(JSON.parse(await publish("--format", "shields")), { schemaVersion: 1, label: "works with torch", message: "2.13.0+cpu", color: "brightgreen" });
    assert.deepEqual(JSON.parse(await publish("--format", "shields", "--channel", "nightly")), { schemaVersion: 1, label: "works with torch nightly", message: nightly.version, color: "brightgreen" });
  });

  it("says that nothing is known where nothing is", async () => {
    using empty = new Folder();
    const shields = await empty.abiding("publish", "--format", "shields");
    assert.deepEqual(JSON.parse(shields.out), { schemaVersion: 1, label: "works with torch", message: "none recorded", color: "lightgrey" });
    assert.match((await empty.abiding("publish", "--format", "markdown")).out, /^No torch is recorded yet with which the tests of abiding-records-\S+ passed\.\n\nRecorded by Abiding; as of \d{4}-\d\d-\d\d\.\n$/);
    assert.match((await empty.abiding("publish")).err, /--format says what is published/);
    assert.match((await empty.abiding("publish", "--format", "pdf")).err, /--format must be one of markdown, html, json, shields; it is "pdf"/);
    assert.match((await empty.abiding("publish", "--format", "html", "--rows", "0")).err, /--rows must be a whole number/);
  });

  it("makes one page with everything in it, and nothing that is private", async () => {
    await publish("--format", "html", "--output", folder.at("site/index.html"));
    const page = folder.read("site/index.html");
    for (const hidden of [folder.root, "alice", "secret", "127.0.0.1", "2026-1\"", "<script>alert"]) assert.equal(page.includes(hidden), false, hidden);
    const data = dataOf(page);
    assert.deepEqual([data.schema, data.project, data.by, data.combinations?.file, data.bodies?.root], [1, { name: "ops", version: "1.2" }, "0.1.0", name, ""]);
    assert.deepEqual(data.combinations?.records.map((one) => [one.torch, one.index, one.run]), [
      ["2.15.0.dev20261102+cu130", undefined, undefined], [nightly.version, "https://download.pytorch.org/whl/nightly/cu130", undefined], ["2.14.1+cpu", undefined, undefined], ["2.14.1+cpu", undefined, undefined], ["2.13.0+cpu", undefined, undefined],
    ]);
    assert.equal(data.combinations?.records[1]?.note, hostile);
    assert.equal(data.combinations?.records[3]?.reason?.message, "a.so and …/b.so differ.");
    assert.match(page, /script-src 'sha256-/, "the page lacks the panel, which npm run build makes");
    // It can be read without scripts.
    assert.match(page, /<pre><code>pip install torch==2\.13\.0\+cpu --index-url https:\/\/download\.pytorch\.org\/whl\/cpu<\/code><\/pre>/);
    assert.match(page, /<tr><th scope="row">2\.14\.1\+cpu<\/th><td class="predicted">predicted no conflict<\/td><td class="bad">smoke tests failed \(torch-symbols\)<\/td><\/tr>/);
    assert.equal(dataOf(await publish("--format", "html", "--without", "bodies")).bodies, undefined);
  });
});

it("publishes what indexes have only of the torches that there are records of", async () => {
  using folder = new Folder();
  const index = "https://pypi.org/simple";
  folder.file("abiding.json", JSON.stringify({ combinations: { indexes: [index] } }));
  folder.file(name, lines(made({}, { torch: { version: "2.13.0+cpu" } }), made({}, { torch: { version: "2.14.0", index } })));
  const wheels = ["2.12.0", "2.13.0", "2.14.0", "2.15.0"].map((version) => ({
    package: "torch", version, file: `torch-${version}-cp312-cp312-any.whl`, url: `${index}/torch-${version}-cp312-cp312-any.whl`, index, python: "cp312", abi: "cp312", platforms: ["any"],
    firstSeen: "2026-11-01T00:00:00Z", lastSeen: "2026-11-01T00:00:00Z", listed: true, ...(version === "2.13.0" ? { yanked: "" } : {}),
  }));
  const file = memoryFile(path.join(userCacheFolder(folder.variables), "indexes"), index, "torch");
  folder.file(path.relative(folder.root, file), JSON.stringify({ schema: 1, index, package: "torch", readAt: "2026-11-01T00:00:00Z", wheels }));
  const { status, out, err } = await folder.abiding("publish", "--format", "html", "--without", "bodies");
  assert.equal(status, 0, err);
  assert.deepEqual(dataOf(out).combinations?.known, [{ torch: "2.14.0", listed: true }, { torch: "2.13.0", listed: true, yanked: true }]);
});

describe("the published page", () => {
  const combinations = { records: [], latest: [], known: [], problems: [], file: name };
  const data: PublishedData = { project: { name: "<b>&\"'" }, published: "2026-11-30T00:00:00Z", by: "0.1.0", combinations, table: tableOf(combinations, 10) };
  const script = "console.log('</script>', '<!--', /<script/);\r\n//# sourceMappingURL=panel.js.map";
  const style = "body { color: red }\r\n/*# sourceMappingURL=panel.css.map */";
  const inner = (page: string, element: string): string => new RegExp(`<${element}>([^]*?)</${element}>`).exec(page)?.[1] ?? "";

  it("lets its own script and style work, by their hashes, and nothing else", () => {
    const page = html(data, { script, style });
    const policy = /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/.exec(page)?.[1];
    const hash = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
    assert.equal(policy, `default-src 'none'; style-src ${hash(inner(page, "style"))}; script-src ${hash(inner(page, "script"))}; img-src data:; base-uri 'none'; form-action 'none'`);
    assert.equal(inner(page, "script"), "console.log('<\\/script>', '<\\!--', /\\x3Cscript/);\n");
    assert.equal(/sourceMappingURL|\r/.test(page), false);
    assert.equal(/\s(?:src|href|action|style|on\w+)=/.test(page.replaceAll(/<(script|style)[^]*?<\/\1>/g, "")), false);
    assert.equal(inner(page, "title"), "torch and &#60;b&#62;&#38;&#34;&#39;: what works together");
  });

  it("is a plain page where the bundle is missing", () => {
    const page = html(data, undefined);
    assert.match(page, /default-src 'none'; style-src 'sha256-[^']+'; img-src data:/);
    assert.equal(inner(page, "script"), "");
  });
});

describe("what is private", () => {
  const privacy = new Privacy("/home/alice/proj", "node-17.cluster");

  it("is taken out of texts: folders, users, hosts, addresses of a network", () => {
    for (const [text, published] of [
      ["/home/alice/proj/src/a.cpp:12: error", "src/a.cpp:12: error"], ["in /home/alice/proj, there", "in the project folder, there"], ["/home/alice/proj2/x", "…/x"], ["/home/alice", "…"],
      ["ImportError: /home/bob/venv/ops.so: undefined symbol: _ZN3c10", "ImportError: …/ops.so: undefined symbol: _ZN3c10"], ["g++ -I/usr/include/x -L/opt/cuda/lib64", "g++ -I…/x -L…/lib64"],
      ["'/home/al ice/x y/z.so' is not there", "'…/z.so' is not there"], ["C:\\Users\\bob\\ops.pyd failed", "…/ops.pyd failed"], ["\\\\server\\share\\ops.dll", "…/ops.dll"], ["~/venv/bin/python", "…/python"],
      ["see https://bob:pw@pypi.example.com/simple?x=1.", "see https://pypi.example.com/simple."], ["from http://10.0.0.4:8080/simple, and file:///home/bob/x.whl", "from an address of this network, and an address of this network"],
      ["ran on node-17.cluster and node-17", "ran on this machine and this machine"],
      ["\u001b[1m/home/bob/a.cpp:3:\u001b[m error", "…/a.cpp:3: error"], ["ld @/tmp/bob/a.rsp -o/tmp/bob/a.so", "ld @…/a.rsp -o…/a.so"],
      // These are no paths.
      ["and/or a/b, 2026/11/30, c10::Error, https://github.com/a/b/actions/runs/1", "and/or a/b, 2026/11/30, c10::Error, https://github.com/a/b/actions/runs/1"], ["linux-x86_64", "linux-x86_64"],
    ] as const) assert.equal(privacy.text(text), published);
    assert.deepEqual(publishable({ location: { path: "/opt/al ice/x.h", line: 3 }, all: [{ path: "/home/alice/proj/CMakeLists.txt" }, null, true] }, privacy), { location: { path: "…/x.h", line: 3 }, all: [{ path: "CMakeLists.txt" }, null, true] });
    assert.equal(new Privacy("/p", "linux").text("linux-x86_64 on linux"), "linux-x86_64 on linux");
  });

  it("are indexes that others do not reach", () => {
    assert.equal(publicAddress("https://me:pw@download.pytorch.org/whl/cu130?x=1"), "https://download.pytorch.org/whl/cu130");
    for (const address of ["http://localhost:1/", "https://pypi/simple", "https://pypi.corp/simple", "https://nexus.acme.internal/", "http://192.168.1.2/", "http://172.20.0.1/", "http://[fd00::1]/", "http://[::1]/", "file:///x", "ftp://example.org/x", "no address"]) assert.equal(publicAddress(address), undefined, address);
  });
});
