/** Predictions over nightlies of a local index, whose torch changes on known days. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { describe, it } from "node:test";
import { predict } from "../../../../src/workshop/combinations/index.ts";
import { CannotDo } from "../../../../src/workshop/workshop.ts";
import { makeWheel, plantedSymbols } from "../../../support/nightlyTorch.ts";
import { gitVersionOf } from "../../../support/nightlyIndex.ts";
import { extension, indexOf, predicted, projectFolder, recordsOf, requestOf, verdicts, workshopIn } from "./support.ts";

const clear = ["1004 no-conflict", "1003 no-conflict", "1002 no-conflict", "1001 no-conflict"];

describe("predict", () => {
  it("finds the planted day, records each prediction once, and reads nothing the second time, nor without a network", async () => {
    const index = await indexOf({ days: 6, since: { removed: "20261005" } });
    const root = projectFolder();
    const file = extension(root);
    const first = await predicted(root, index);
    assert.equal(first.outcome, "predicted", first.reason);
    assert.deepEqual(verdicts(first), ["1006 conflict", "1005 conflict", ...clear]);
    assert.deepEqual(first.files.map((one) => one.file), [file]);
    assert.deepEqual(first.predictions[1]?.reason, {
      message: `_C.cpython-311-x86_64-linux-gnu.so needs c10::impl::cow::materialize_cow_storage(c10::StorageImpl&), which torch ${index.version("20261005")} does not export.`,
      rule: "torch-symbols", symbols: [plantedSymbols.removed],
    });
    assert.ok(first.predictions.every((one) => !one.fromCache && one.bytes > 0));
    assert.equal(first.spent, first.predictions.reduce((sum, one) => sum + one.bytes, 0));
    const records = recordsOf(root);
    assert.deepEqual(records.map(({ how, outcome, combination: { torch } }) => [how, outcome, torch.version]), first.predictions.map(({ torch, verdict }) => ["predicted", verdict, torch.version]));
    const { compiler, ...combination } = records[1]?.combination ?? { compiler: undefined };
    assert.match(compiler ?? "", /^gcc \d/);
    assert.deepEqual(combination, {
      project: { name: "nightly_ops", version: "0.1.0" }, torch: { version: index.version("20261005"), gitVersion: gitVersionOf(index.version("20261005")), index: index.nightly() },
      python: "3.11", cuda: "13.0", platform: "linux-x86_64",
    });
    assert.equal(records[1]?.file, first.files[0]?.sha256);

    const asked = index.server.seen.length;
    const second = await predicted(root, index);
    assert.deepEqual([verdicts(second), second.estimated], [verdicts(first), 0]);
    assert.ok(second.predictions.every((one) => one.fromCache));
    // Without checksums in the index, the first byte of each wheel tells whether it is still the same.
    assert.deepEqual(index.server.seen.slice(asked).map((one) => one.range), Array.from({ length: 6 }, () => "bytes=0-0"));

    await index.stop();
    const third = await predicted(root, index, { offline: true });
    assert.deepEqual([third.outcome, third.spent, verdicts(third)], ["predicted", 0, verdicts(first)]);
    assert.deepEqual(recordsOf(root), records);
  });

  it("takes a wheel with a checksum for the same without asking its server", async () => {
    const index = await indexOf({ days: 1, releases: { "2.14.0": {}, "2.15.0": { changed: true } } });
    const root = projectFolder();
    extension(root, ["changed"]);
    const asked = { wanted: { indexes: [index.simple] }, torch: ["release:5"] };
    const first = await predicted(root, index, asked);
    assert.deepEqual(verdicts(first), ["2.15.0 conflict", "2.14.0 no-conflict"]);
    assert.equal(first.predictions[0]?.reason?.symbols?.[0], plantedSymbols.changed);
    const before = index.server.seen.length;
    const second = await predicted(root, index, asked);
    assert.deepEqual([verdicts(second), second.spent, index.server.seen.length], [verdicts(first), 0, before]);
  });

  it("stops before it would exceed the budget, keeps what it has, and goes on from there", async () => {
    const index = await indexOf({ days: 5, since: { removed: "20261005" } });
    const root = projectFolder();
    extension(root);
    const told = workshopIn(root);
    const one = await predicted(root, index, { budget: 7_010_000 }, told);
    assert.deepEqual([one.outcome, told.notes[0]], ["predicted", "5 torches: about 35.0 MB are to be read, and at most 7.0 MB may be."]);

    const other = projectFolder();
    extension(other, ["removed", "behaves"]);
    const none = await predicted(other, index, { budget: 1000 });
    assert.deepEqual([none.outcome, none.predictions, none.spent], ["partial", [], 0]);
    assert.match(none.reason ?? "", /^A further torch would cost more than the budget of 1 KB leaves: 5 of 5 torches are left, about 35\.0 MB\. .*--budget allows more\.$/);
    // What wheels of this kind cost is known from here on: both ends are read, and no third one.
    const cost = one.predictions[0]?.bytes ?? 0;
    const shared = { cacheFolder: path.join(root, ".cache") };
    fs.rmSync(path.join(root, ".cache", "predictions", "ranges"), { recursive: true });
    const some = await predicted(other, index, { ...shared, budget: Math.floor(cost * 2.5) });
    assert.deepEqual([some.outcome, verdicts(some)], ["partial", ["1005 conflict", "1001 no-conflict"]]);
    assert.ok(some.spent <= cost * 2.5);
    assert.deepEqual(recordsOf(other).map((record) => record.outcome), ["conflict", "no-conflict"]);
    const rest = await predicted(other, index, { ...shared });
    assert.deepEqual([rest.outcome, verdicts(rest), rest.predictions.map((prediction) => prediction.fromCache)], ["predicted", ["1005 conflict", ...clear], [true, false, false, false, true]]);
  });

  it("takes nothing of a wheel for an answer that turned out dearer than the budget", async () => {
    const index = await indexOf({ days: 2 });
    const root = projectFolder();
    extension(root);
    fs.mkdirSync(path.join(root, ".cache", "predictions"), { recursive: true });
    fs.writeFileSync(path.join(root, ".cache", "predictions", "wheels.jsonl"), '{"address":"https://example.invalid/t.whl","identity":"x","variant":"cu130","bytes":500}\n');
    const report = await predicted(root, index, { budget: 9000 });
    assert.deepEqual([report.outcome, report.estimated, report.predictions, recordsOf(root)], ["partial", 1000, [], []]);
    assert.ok(report.spent > 0 && report.spent <= 9000, `${report.spent}`);
    assert.match(report.reason ?? "", /^A further torch would cost more than the budget of 9 KB leaves: 2 of 2 torches are left/);
    assert.deepEqual(verdicts(await predicted(root, index)), ["1002 no-conflict", "1001 no-conflict"]);
  });

  it("keeps what was found out when it is cancelled", async () => {
    const index = await indexOf({ days: 12 });
    const root = projectFolder();
    extension(root);
    const told = workshopIn(root);
    let read = 0;
    const workshop = { ...told.workshop, activity: { ...told.workshop.activity, progress: () => { read += 1; if (read === 2) told.stop.abort(); } } };
    const report = await predict(requestOf(root, index), workshop);
    assert.equal(report.outcome, "cancelled");
    assert.match(report.reason ?? "", /^It was cancelled: \d+ of 12 torches (?:is|are) left\. What was found out is kept; the same command goes on from there\.$/);
    assert.ok(report.predictions.length >= 2 && report.predictions.length < 12, `${report.predictions.length}`);
    assert.equal(recordsOf(root).length, report.predictions.length);
    const offline = workshopIn(root);
    assert.deepEqual(verdicts(await predicted(root, index, { offline: true, torch: ["nightly:12"] }, offline)), verdicts(report));
    assert.equal(offline.notes[0], `12 torches, ${report.predictions.length} of them known from before. Offline, nothing is read of the others.`);
    const after = await predicted(root, index);
    assert.deepEqual([after.outcome, after.predictions.filter((one) => one.fromCache).length], ["predicted", report.predictions.length]);
  });

  it("says what a server does wrong, and loses nothing of what is known", async () => {
    const index = await indexOf({ days: 4, since: { removed: "20261003" } });
    const root = projectFolder();
    extension(root);
    const known = await predicted(root, index, { torch: ["nightly:20261001..20261002"] });
    assert.deepEqual(verdicts(known), ["1002 no-conflict", "1001 no-conflict"]);

    index.bad.down = 503;
    const down = await predicted(root, index);
    assert.deepEqual([down.outcome, verdicts(down)], ["partial", ["1002 no-conflict", "1001 no-conflict"]]);
    assert.match(down.reason ?? "", /^2 of 4 torches are left: .* could not be read: the server answers 503 Service Unavailable/);
    delete index.bad.down;

    index.bad.gone = [index.version("20261004")];
    const gone = await predicted(root, index, { torch: ["nightly:20261004"] });
    assert.deepEqual([gone.outcome, verdicts(gone)], ["predicted", ["1004 unknown"]]);
    assert.match(gone.predictions[0]?.reason?.message ?? "", /is not there: the server answers 404/);
    delete index.bad.gone;

    index.bad.lies = "length";
    const cut = await predicted(root, index, { torch: ["nightly:20261003"] });
    assert.deepEqual([cut.outcome, cut.predictions], ["partial", []]);
    assert.match(cut.reason ?? "", /^1 of 1 torches is left: /);
    index.bad.lies = "range";
    const lying = await predicted(root, index, { torch: ["nightly:20261003"] });
    assert.deepEqual(verdicts(lying), ["1003 unknown"]);
    delete index.bad.lies;

    // Nobody was told that these are unknown, and none of it is kept.
    assert.deepEqual(recordsOf(root).map((record) => record.outcome), ["no-conflict", "no-conflict"]);
    assert.deepEqual(verdicts(await predicted(root, index)), ["1004 conflict", "1003 conflict", "1002 no-conflict", "1001 no-conflict"]);
  });

  it("reads a wheel anew that changed under its name, and says so", async () => {
    const index = await indexOf({ days: 2 });
    const root = projectFolder();
    extension(root);
    await predicted(root, index);
    index.bad.changedContent = ["2.16.0.dev20261002"];
    const after = await predicted(root, index);
    assert.deepEqual(after.predictions.map((one) => one.fromCache), [false, true]);
    assert.deepEqual(after.notChecked.filter((one) => one.includes("changed under its name")), [`torch-${index.version("20261002")}-cp311-cp311-manylinux_2_28_x86_64.whl changed under its name since it was last read; it was read anew.`]);
  });

  it("goes by the gravest verdict of several files, and leaves out what is for another Python", async () => {
    const index = await indexOf({ days: 3, since: { removed: "20261003", changed: "20261002" } });
    const root = projectFolder();
    const files = [extension(root, ["changed"]), extension(root, ["removed"], {}, path.join("more", "_C.cpython-311-x86_64-linux-gnu.so")), extension(root, ["removed"], {}, "_C.cpython-310-x86_64-linux-gnu.so")];
    const report = await predicted(root, index);
    assert.deepEqual(report.files.map((one) => one.file).sort(), files.slice(0, 2).sort());
    assert.deepEqual(report.predictions.map(({ torch, verdict, reason }) => [torch.day, verdict, reason?.symbols?.[0]]), [["20261003", "conflict", plantedSymbols.changed], ["20261002", "conflict", plantedSymbols.changed], ["20261001", "no-conflict", undefined]]);
    assert.ok(report.notChecked.includes("nightly_ops/_C.cpython-310-x86_64-linux-gnu.so is for another Python or machine than Python 3.11 on linux-x86_64, and was left out."), report.notChecked.join("\n"));
  });

  it("takes the wheels in dist where they are newer than the libraries", async () => {
    const index = await indexOf({ days: 2, since: { removed: "20261002" } });
    const root = projectFolder();
    const library = extension(root);
    const old = new Date("2026-01-01T00:00:00Z");
    fs.utimesSync(library, old, old);
    const wheel = path.join(root, "dist", "nightly_ops-0.1.0-cp311-cp311-linux_x86_64.whl");
    fs.mkdirSync(path.dirname(wheel));
    fs.writeFileSync(wheel, makeWheel("nightly_ops", { version: "0.1.0", python: "cp311" }, { "nightly_ops/_C.cpython-311-x86_64-linux-gnu.so": fs.readFileSync(library) }));
    const report = await predicted(root, index);
    assert.deepEqual([report.files.map((one) => one.file), verdicts(report)], [[wheel], ["1002 conflict", "1001 no-conflict"]]);
    assert.ok(report.notChecked.includes("dist/nightly_ops-0.1.0-cp311-cp311-linux_x86_64.whl is newer than the libraries in the project, which were left out."));
  });

  it("records what it finds of somebody else's wheel as that one's, and of several distributions nothing", async () => {
    const index = await indexOf({ days: 1 });
    const root = projectFolder();
    const library = fs.readFileSync(extension(root));
    const wheelOf = (name: string, version: string): string => {
      const file = path.join(root, "downloads", `${name}-${version}-cp311-cp311-linux_x86_64.whl`);
      fs.mkdirSync(path.dirname(file), { recursive: true });
      fs.writeFileSync(file, makeWheel(name, { version, python: "cp311" }, { [`${name}/_C.cpython-311-x86_64-linux-gnu.so`]: library }));
      return file;
    };
    execFileSync("git", ["init", "-q"], { cwd: root });
    execFileSync("git", ["add", "pyproject.toml"], { cwd: root });
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "first"], { cwd: root });
    const [other, own, older] = [wheelOf("other_ops", "1.2"), wheelOf("nightly_ops", "0.1.0"), wheelOf("nightly_ops", "0.0.9")];
    const projectOf = async (...files: readonly string[]): Promise<unknown> => {
      const target = projectFolder();
      fs.cpSync(path.join(root, ".git"), path.join(target, ".git"), { recursive: true });
      await predicted(target, index, { files });
      return recordsOf(target)[0]?.combination.project;
    };
    const commit = execFileSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" }).trim();
    assert.deepEqual(await projectOf(other), { name: "other-ops", version: "1.2" });
    assert.deepEqual(await projectOf(own), { name: "nightly_ops", version: "0.1.0", commit });
    assert.deepEqual(await projectOf(older), { name: "nightly_ops", version: "0.0.9" });
    const told = workshopIn(root);
    const both = await predicted(root, index, { files: [other, own] }, told);
    assert.deepEqual([verdicts(both), recordsOf(root)], [["1001 no-conflict"], []]);
    assert.ok(told.notes.includes("Nothing is recorded: the files are of other-ops and nightly-ops, and a record is of one project."), told.notes.join("\n"));
  });

  it("records no Python for what is bound to none", async () => {
    const index = await indexOf({ days: 1 });
    const root = projectFolder();
    extension(root, ["removed"], {}, "_C.abi3.so");
    await predicted(root, index, { wanted: { indexes: [index.nightly()], python: "3.11" } });
    assert.deepEqual(recordsOf(root).map(({ outcome, combination: { python } }) => [outcome, python]), [["no-conflict", undefined]]);
  });

  it("says what is missing where there is nothing to predict", async () => {
    const index = await indexOf({ days: 1 });
    const root = projectFolder();
    const nothing = await predicted(root, index);
    assert.deepEqual([nothing.outcome, nothing.reason], ["nothing-to-predict", `Nothing that uses torch was found built in ${root}: no library in a build folder or beside its package, and no wheel in dist. Build the project first, or name a file.`]);
    extension(root);
    const none = await predicted(root, index, { torch: ["==1.0"] });
    assert.deepEqual([none.outcome, none.reason], ["nothing-to-predict", `No torch ==1.0 for Python 3.11 on linux-x86_64 is known at ${index.nightly()}.`]);
    index.bad.errorPage = true;
    const other = projectFolder();
    extension(other);
    const page = await predicted(other, index);
    assert.equal(page.outcome, "nothing-to-predict");
    assert.match(page.notChecked.join("\n"), /lists no wheel of torch/);
    const broken = path.join(root, "broken.so");
    fs.writeFileSync(broken, "no library");
    await assert.rejects(predicted(root, index, { files: [broken] }), CannotDo);
    await assert.rejects(predicted(root, index, { files: [path.join(root, "none.so")] }), (error: unknown) => error instanceof CannotDo && error.message === `${path.join(root, "none.so")} does not exist.`);
  });

  it("finds out anew what a damaged cache has lost", async () => {
    const index = await indexOf({ days: 2, since: { removed: "20261002" } });
    const root = projectFolder();
    extension(root);
    const first = await predicted(root, index);
    const folder = path.join(root, ".cache", "predictions");
    for (const name of fs.readdirSync(folder).filter((one) => one.endsWith(".jsonl"))) fs.writeFileSync(path.join(folder, name), '{"engine":1}\n[]\n{"verdict":"no-conflict"}\nnull\n{"ident');
    const again = await predicted(root, index);
    assert.deepEqual([verdicts(again), again.predictions.map((one) => one.fromCache)], [verdicts(first), [false, false]]);
  });
});
