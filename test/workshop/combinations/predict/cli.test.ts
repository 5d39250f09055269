/** The commands as people call them: their JSON, their text, and how they exit. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { describe, it } from "node:test";
import { Ajv } from "ajv";
import { UsageError } from "../../../../src/cli/arguments.ts";
import type { Terminal } from "../../../../src/cli/terminal.ts";
import { combinations } from "../../../../src/cli/workshop/combinations/index.ts";
import type { BisectReport, PredictReport } from "../../../../src/workshop/combinations/types.ts";
import { extension, indexOf, projectFolder } from "./support.ts";

function validator(name: string): (value: unknown) => void {
  const validate = new Ajv({ allErrors: true, validateFormats: false }).compile(JSON.parse(fs.readFileSync(path.resolve(import.meta.dirname, `../../../../docs/schema/${name}.schema.json`), "utf8")) as object);
  return (value) => { assert.ok(validate(value), JSON.stringify(validate.errors)); };
}

async function called(root: string, ...argv: readonly string[]): Promise<{ readonly status: number; readonly text: string }> {
  let text = "";
  const terminal: Terminal = {
    workingDirectory: root, environment: { PATH: process.env["PATH"], HOME: root, XDG_CACHE_HOME: path.join(root, ".cache") }, version: "1.2.3", colours: false,
    progress: () => undefined, say: () => undefined, deliver: (given) => { text += given; },
  };
  return { status: await combinations(argv, terminal), text };
}

describe("abiding combinations predict", () => {
  it("gives JSON of its schema, says in words that nothing was run, and exits by what came out", async () => {
    const index = await indexOf({ days: 3, since: { removed: "20261003" } });
    const root = projectFolder();
    extension(root);
    const asked = ["--index", index.nightly(), "--torch", "nightly:5"];
    const json = await called(root, "predict", ...asked, "--format", "json");
    const report = JSON.parse(json.text) as PredictReport;
    validator("combinations-predict")(report);
    assert.deepEqual([json.status, report.predictions.map((one) => one.verdict)], [1, ["conflict", "no-conflict", "no-conflict"]]);
    const words = await called(root, "predict", ...asked);
    assert.equal(words.text.replaceAll(index.server.origin, "ORIGIN").split("\n\nNot checked\n")[0], `nightly_ops/_C.cpython-311-x86_64-linux-gnu.so

  torch ${index.version("20261003")}  predicted conflict
      _C.cpython-311-x86_64-linux-gnu.so needs
      c10::impl::cow::materialize_cow_storage(c10::StorageImpl&), which torch
      ${index.version("20261003")} does not export. (torch-symbols)
  torch ${index.version("20261002")}  predicted no conflict
  torch ${index.version("20261001")}  predicted no conflict

3 torches: 2 without a conflict in what was checked, 1 with one, 0 unknown. Nothing was run. 0.0 MB
read, 3 from the cache.`);
    assert.doesNotMatch(words.text, /compatible|tested|works/);
    assert.equal((await called(root, "predict", "--index", index.nightly(), "--torch", "nightly:20261001", "nightly_ops/_C.cpython-311-x86_64-linux-gnu.so")).status, 0);
    assert.equal((await called(root, "predict", ...asked, "--torch", "nightly:20261001", "--budget", "1KB", "--offline")).status, 1);
    const empty = projectFolder();
    const nothing = await called(empty, "predict", ...asked, "--format", "json", "--no-record");
    validator("combinations-predict")(JSON.parse(nothing.text));
    assert.deepEqual([nothing.status, fs.existsSync(path.join(empty, ".abiding", "combinations.jsonl"))], [2, false]);
  });

  it("takes indexes and torches of abiding.json, and refuses what makes no sense", async () => {
    const index = await indexOf({ days: 3 });
    const root = projectFolder();
    extension(root);
    fs.writeFileSync(path.join(root, "abiding.json"), JSON.stringify({ combinations: { indexes: [index.nightly()], matrix: { torch: ["nightly:2"] }, records: "records.jsonl" } }));
    const { status, text } = await called(root, "predict", "--format", "json");
    const report = JSON.parse(text) as PredictReport;
    assert.deepEqual([status, report.predictions.map((one) => one.torch.day), report.records], [0, ["20261003", "20261002"], path.join(root, "records.jsonl")]);
    assert.equal(fs.readFileSync(report.records, "utf8").trim().split("\n").length, 2);
    await assert.rejects(called(root, "predict", "--budget", "much"), UsageError);
    await assert.rejects(called(root, "predict", "--torch", "newest"), (error: unknown) => error instanceof UsageError && error.message.startsWith('"newest" names no torch: write a version'));
    await assert.rejects(called(root, "predict", "nowhere"), UsageError);
    for (const part of ["predict", "bisect"]) assert.match((await called(root, part, "--help")).text, new RegExp(`^abiding combinations ${part}: `));
  });
});

describe("abiding combinations bisect", () => {
  it("gives JSON of its schema, and says in words which torch it was and what changed", async () => {
    const index = await indexOf({ days: 4, since: { changed: "20261003" } });
    const root = projectFolder();
    extension(root, ["changed"]);
    const asked = ["--index", index.nightly(), "--good", "20261001", "--bad", index.version("20261004")];
    const json = await called(root, "bisect", ...asked, "--format", "json");
    const report = JSON.parse(json.text) as BisectReport;
    validator("combinations-bisect")(report);
    assert.deepEqual([json.status, report.outcome, report.firstBad?.day], [0, "found", "20261003"]);
    const words = await called(root, "bisect", ...asked);
    assert.equal(words.text.split("\n\nAsked")[0], `First bad: torch ${index.version("20261003")}
Last good: torch ${index.version("20261002")}
Commits:   ${report.range?.from.slice(0, 12)}..${report.range?.to.slice(0, 12)}
           ${report.range?.url}
This was told by symbols alone: nothing was run.

1 symbol that the file needs and torch ${index.version("20261003")} does not export:
  - c10::DeviceTypeName[abi:cxx11](c10::DeviceType, bool)
    now c10::DeviceTypeName[abi:cxx11](c10::DeviceType)`);
    const good = await called(root, "bisect", "--index", index.nightly(), "--good", "20261001", "--bad", "20261002", "--format", "json");
    validator("combinations-bisect")(JSON.parse(good.text));
    assert.equal(good.status, 1);
    await assert.rejects(called(root, "bisect", "--good", "2.13.0"), UsageError);
    await assert.rejects(called(root, "bisect", ...asked, "--by", "luck"), UsageError);
  });
});
