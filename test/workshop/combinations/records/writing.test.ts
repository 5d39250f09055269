/** Which commands write records, where they may, and what they say. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { after, before, describe, it } from "node:test";
import { readArguments } from "../../../../src/cli/arguments.ts";
import { fits } from "../../../../src/cli/fits.ts";
import { smoke } from "../../../../src/cli/workshop/smoke.ts";
import type { FitReport } from "../../../../src/engine/model/index.ts";
import type { BenchmarkReport, BenchmarkRun, Measurement } from "../../../../src/workshop/benchmark/types.ts";
import type { BuildReport } from "../../../../src/workshop/build/types.ts";
import { readCombinations, recordBenchmark, recordBuild } from "../../../../src/workshop/combinations/index.ts";
import { saidByBenchmark, saidByBuild, saidByFit, saidBySmoke } from "../../../../src/workshop/combinations/records/outcomes.ts";
import type { CombinationRecord } from "../../../../src/workshop/combinations/types.ts";
import type { SmokeReport, TestResult } from "../../../../src/workshop/smoke/types.ts";
import { Folder, lines, made, schema } from "./support.ts";

describe("what reports say of a combination", () => {
  const result = (label: string, outcome: TestResult["outcome"], more: Partial<TestResult> = {}): TestResult => ({ id: `t/${label}`, label, plan: "t", outcome, milliseconds: 1, output: "", messages: [], ...more });
  const tests = (outcome: SmokeReport["outcome"], results: readonly TestResult[], problems: SmokeReport["problems"] = []): SmokeReport => ({
    schema: 1, root: "/p", outcome, results, problems, circumstances: { started: "2026-11-20T10:00:00Z", host: { system: "", cpu: "" }, gpus: [], environment: {} },
  });

  it("of smoke tests", () => {
    const good = [result("a", "passed"), result("b", "skipped"), result("a1", "failed", { parent: "t/a" })];
    assert.deepEqual(saidBySmoke(tests("passed", good), false), { how: "smoke", outcome: "passed", counts: { passed: 1, failed: 0, skipped: 1 } });
    // That some pass says nothing of the others; that one fails says enough.
    assert.equal(saidBySmoke(tests("passed", good), true), undefined);
    assert.deepEqual(saidBySmoke(tests("failed", [...good, result("c", "crashed", { reason: "SIGSEGV." })], []), true), {
      how: "smoke", outcome: "failed", reason: { message: "c crashed: SIGSEGV.", test: "t/c" }, counts: { passed: 1, failed: 1, skipped: 1 },
    });
    assert.deepEqual(saidBySmoke(tests("failed", [result("c", "failed", { reason: "r", explanation: { rule: "torch-symbols", cause: "torch-drift", headline: "Another torch.", message: "Another torch." } })]), false)?.reason, { message: "Another torch.", rule: "torch-symbols", test: "t/c" });
    // A guess takes the place of nothing that was seen.
    assert.deepEqual(saidBySmoke(tests("failed", [result("c", "failed", { reason: "It ended with 3", explanation: { rule: "torch-symbols", cause: "torch-drift", headline: "Possible.", message: "Possible.", confidence: "possible" } })]), false)?.reason, { message: "c failed: It ended with 3. Possible.", test: "t/c" });
    assert.deepEqual(saidBySmoke(tests("failed", [result("a", "passed"), result("c", "missing-executable", { reason: "it was not built." })]), false), {
      how: "smoke", outcome: "unknown", reason: { message: "c did not run: it was not built." }, counts: { passed: 1, failed: 1, skipped: 0 },
    });
    assert.deepEqual(saidBySmoke(tests("passed", [result("b", "skipped")]), false)?.reason?.message, "All 1 tests were skipped.");
    assert.deepEqual(saidBySmoke(tests("passed", good, [{ plan: "pytest", message: "No pytest." }]), false)?.outcome, "unknown");
    assert.equal(saidBySmoke(tests("cancelled", good), false), undefined);
    assert.equal(saidBySmoke(tests("no-tests", []), false), undefined);
  });

  const measurement = (name: string, more: Partial<Measurement> = {}): Measurement => ({ name, seconds: [1, 2], counters: {}, ...more });
  const measured = (outcome: BenchmarkReport["outcome"], measurements: readonly Measurement[], more: Partial<BenchmarkReport> = {}): BenchmarkReport => ({
    schema: 1, root: "/p", outcome, comparisons: [], fractions: [], history: "", warnings: [],
    runs: [{ schema: 1, id: "r", plan: "b", started: "", format: "nvbench", line: "", machine: { cpu: "", cores: 1, memoryBytes: 1, system: "", gpus: [], load: [0, 0] }, measurements, warnings: [] } satisfies BenchmarkRun], ...more,
  });

  it("of benchmarks", () => {
    assert.deepEqual(saidByBenchmark(measured("measured", [measurement("a"), measurement("b", { seconds: [], skipped: true })]), false), { how: "benchmark", outcome: "passed", counts: { passed: 1, failed: 0, skipped: 1 } });
    assert.equal(saidByBenchmark(measured("measured", [measurement("a")]), true), undefined);
    const comparison = { name: "a", verdict: "regressed" } as const;
    assert.deepEqual(saidByBenchmark(measured("regressed", [measurement("a")], { reason: "1 of 1 benchmarks regressed: a.", comparisons: [comparison] }), false), {
      how: "benchmark", outcome: "failed", reason: { message: "1 of 1 benchmarks regressed: a.", test: "a" }, counts: { passed: 1, failed: 0, skipped: 0 },
    });
    // The other of two builds was quicker: this one runs all the same.
    assert.equal(saidByBenchmark(measured("regressed", [measurement("a")], { comparisons: [comparison], comparedWith: { name: "v", interleaved: true, method: "" } }), false)?.outcome, "passed");
    assert.deepEqual(saidByBenchmark(measured("failed", [measurement("a", { seconds: [], problem: "exit 1" })], { reason: "It ended with 1." }), false)?.reason, { message: "It ended with 1." });
    assert.equal(saidByBenchmark(measured("cancelled", [measurement("a")]), false), undefined);
    assert.equal(saidByBenchmark(measured("no-benchmarks", []), false), undefined);
  });

  const built = (outcome: BuildReport["outcome"], more: Partial<BuildReport> = {}): BuildReport => ({
    schema: 1, root: "/p", plan: { id: "p", label: "p", kind: "command" }, outcome, against: [], before: [], elsewhere: 0, steps: [], problems: [], products: [], notChecked: [], ...more,
  });

  it("of builds", () => {
    assert.deepEqual(saidByBuild(built("built")), { how: "built", outcome: "passed" });
    assert.deepEqual(saidByBuild(built("failed", { reason: "make ended with 2.", problems: [{ tool: "gcc", severity: "warning", message: "unused" }, { tool: "gcc", severity: "error", message: "no member named x." }] })), {
      how: "built", outcome: "failed", reason: { message: "no member named x. make ended with 2." },
    });
    assert.equal(saidByBuild(built("stopped")), undefined);
    assert.equal(saidByBuild(built("cancelled")), undefined);
  });

  it("of a comparison of symbols, which is never more than a prediction", () => {
    const fit: FitReport = { schema: 1, file: "/p/ops.so", against: { torch: "2.13.0", source: "wheel", name: "torch" }, verdict: "no-conflict", missing: [], missingDependencies: [], missingVersions: [], traits: [], releasesThatWouldDo: null, loaded: [], notChecked: ["It is not known."], findings: [] };
    assert.deepEqual(saidByFit(fit), { how: "predicted", outcome: "no-conflict" });
    assert.deepEqual(saidByFit({ ...fit, verdict: "unknown" }), { how: "predicted", outcome: "unknown", reason: { message: "It is not known." } });
    const conflict = saidByFit({ ...fit, verdict: "conflict", missing: [{ symbol: "_ZN3c101fEv", demangled: "c10::f()", binding: "global", kind: "drift", because: "" }] });
    assert.deepEqual([conflict.outcome, conflict.reason?.rule, conflict.reason?.symbols], ["conflict", "torch-symbols", ["_ZN3c101fEv"]]);
  });
});

describe("commands that record", () => {
  const isList = schema("combinations-list");
  const isRecord = schema("combination-record");
  const folder = new Folder();
  const name = ".abiding/combinations.jsonl";
  before(() => {
    folder.environment(".venv");
    folder.file("abiding.json", JSON.stringify({ smoke: [{ name: "own", command: ["/bin/sh", "-c", "test ! -e broken"] }] }));
    folder.file("CMakeLists.txt", "project(ops VERSION 1.2)\n");
  });
  after(() => folder[Symbol.dispose]());
  const records = async (): Promise<readonly CombinationRecord[]> => (await readCombinations(folder.at(name))).records;

  it("smoke: nowhere unasked, and what was asked for is told", async () => {
    assert.deepEqual((await folder.run(smoke)).status, 0);
    assert.equal(fs.existsSync(folder.at(".abiding", "combinations.jsonl")), false);
    const asked = await folder.run(smoke, "--record");
    assert.equal(asked.status, 0);
    assert.match(asked.err, /^abiding: Recorded in \.abiding\/combinations\.jsonl: torch 2\.13\.0\+cpu, smoke, passed\.$/m);
    const [record] = await records();
    assert.equal(isRecord(record), true, JSON.stringify(isRecord.errors));
    assert.deepEqual(record, { ...record, how: "smoke", outcome: "passed", by: "0.1.0", counts: { passed: 1, failed: 0, skipped: 0 } });
    assert.deepEqual([record?.combination.project, record?.combination.torch.version, record?.combination.packages, record?.combination.python], [{ name: "ops", version: "1.2" }, "2.13.0+cpu", { torchvision: "0.28.0+cpu" }, "3.12"]);
  });

  it("smoke: from then on, unless told not to, and a part of the tests not as passed", async () => {
    await folder.run(smoke, "--no-record");
    assert.equal((await records()).length, 1);
    const part = await folder.run(smoke, "--plan", "own");
    assert.match(part.err, /The smoke tests are not recorded: only a part of them ran\./);
    assert.equal((await folder.run(smoke, "--plan", "own", "--record")).status, 2);
    folder.file("broken", "");
    assert.equal((await folder.run(smoke)).status, 1);
    fs.rmSync(folder.at("broken"));
    const all = await records();
    assert.deepEqual(all.map((one) => one.outcome), ["passed", "failed"]);
    assert.equal(all[1]?.reason?.test, "own");
    assert.equal((await folder.run(smoke, "--record", "--no-record")).err, "abiding: --record and --no-record are opposites; give one of them.\n");
  });

  it("smoke: the section of abiding.json says where", async () => {
    using other = new Folder();
    other.environment(".venv");
    other.file("abiding.json", JSON.stringify({ smoke: [{ name: "own", command: ["/bin/true"] }], combinations: { records: "known/all.jsonl" } }));
    const { err } = await other.run(smoke);
    assert.match(err, /Recorded in known\/all\.jsonl/);
    assert.match(err, /Add the line "all\.jsonl merge=union" to /);
    assert.equal((await readCombinations(other.at("known/all.jsonl"))).records.length, 1);
  });

  it("smoke: without a torch there is nothing to record, and what was tested is reported", async () => {
    using other = new Folder();
    other.file("abiding.json", JSON.stringify({ smoke: [{ name: "own", command: ["/bin/true"] }] }));
    // Whoever runs the tests may have one on PATH.
    const { status, out, err } = await other.run(smoke, "--record", "--interpreter", other.file("bin/python", ""));
    assert.deepEqual([status, out.includes("passed"), /Nothing is recorded: no torch was found/.test(err)], [2, true, true], err);
  });

  it("benchmark and build: by the functions that the editor calls too", async () => {
    using other = new Folder();
    const environment = other.environment("venv");
    const recording = { root: other.root, settings: undefined, interpreter: `${environment}/bin/python` };
    const benchmarked = await recordBenchmark({
      schema: 1, root: other.root, outcome: "measured", comparisons: [], fractions: [], history: "", warnings: [],
      runs: [{ schema: 1, id: "r", plan: "b", started: "", format: "nvbench", line: "", machine: { cpu: "", cores: 1, memoryBytes: 1, system: "", gpus: [{ name: "NVIDIA H200", driver: "580.95" }], load: [0, 0] }, measurements: [{ name: "a", seconds: [1], counters: {} }], warnings: [] }],
    }, [], recording, other.workshop);
    assert.deepEqual([benchmarked.record?.how, benchmarked.record?.combination.gpu], ["benchmark", { name: "NVIDIA H200", driver: "580.95" }]);
    const failed = await recordBuild({ schema: 1, root: other.root, plan: { id: "p", label: "p", kind: "command" }, outcome: "failed", reason: `${other.root}/a.cpp does not compile.`, against: [], before: [], elsewhere: 0, steps: [], problems: [], products: [], notChecked: [] }, recording, other.workshop);
    assert.deepEqual(failed.record?.reason, { message: "a.cpp does not compile." });
    assert.deepEqual(failed.notes, ["Recorded in .abiding/combinations.jsonl: torch 2.13.0+cpu, built, failed."]);
  });

  it("fits: what is predicted of which file", async () => {
    const library = folder.at("ops.so");
    execFileSync("g++", ["-shared", "-fPIC", "-nostdlib", "-x", "c++", "-", "-o", library], { input: "namespace c10 { void gone(); } extern \"C\" void f() { c10::gone(); }" });
    const before = (await records()).length;
    const compared = async (...args: readonly string[]): ReturnType<Folder["run"]> => folder.run((argv, terminal) => fits(readArguments(["fits", "ops.so", "--against", "torch==2.8.0+cpu", ...argv]), terminal), ...args);
    const result = await compared();
    assert.match(result.err, /Recorded in \.abiding\/combinations\.jsonl: torch 2\.8\.0\+cpu, predicted, conflict\./);
    const record = (await records())[before];
    assert.deepEqual([record?.how, record?.outcome, record?.combination.gpu, record?.reason?.symbols, record?.file], ["predicted", "conflict", undefined, ["_ZN3c104goneEv"], createHash("sha256").update(fs.readFileSync(library)).digest("hex")]);
    const quiet = await compared("--no-record");
    assert.deepEqual([quiet, (await records()).length], [{ status: result.status, out: result.out, err: "" }, before + 1]);
  });

  it("record: what somebody knows, with what the environment tells", async () => {
    using other = new Folder();
    other.environment(".venv");
    const run = (...args: readonly string[]): ReturnType<Folder["run"]> => other.abiding("record", ...args);
    assert.deepEqual(await run("--how", "smoke", "--outcome", "passed", "--note", "on the cluster", "--when", "2026-11-01T12:00:00Z", "--gpu", "NVIDIA H200", "--capability", "9.0"), {
      status: 0, out: "Recorded in .abiding/combinations.jsonl: torch 2.13.0+cpu, smoke, passed.\n", err: `abiding: ${other.at(name)} is new: it holds what was found to work, and is meant to be committed.\n`,
    });
    const twice = await run("--how", "smoke", "--outcome", "passed", "--note", "on the cluster", "--when", "2026-11-01T12:00:00Z", "--gpu", "NVIDIA H200", "--capability", "9.0");
    assert.equal(twice.out, "It was recorded already in .abiding/combinations.jsonl: torch 2.13.0+cpu, smoke, passed.\n");
    const { out } = await run("--torch", "2.12.0+cu130", "--how", "built", "--outcome", "failed", "--reason", "ptxas", "--rule", "cuda-version", "--python", "3.11", "--cuda", "13.0", "--package", "Torch_Vision==0.27.0", "--project", "ops", "--version", "3", "--commit", "0123456", "--compiler", "gcc 13.2.0", "--format", "json", "--when", "2026-11-02T12:00:00Z", "--index", "https://me:pw@example.org/simple", "--platform", "linux-aarch64");
    assert.deepEqual(JSON.parse(out), {
      schema: 1, how: "built", outcome: "failed", when: "2026-11-02T12:00:00Z", by: "0.1.0", reason: { message: "ptxas", rule: "cuda-version" }, note: "by hand",
      combination: { project: { name: "ops", version: "3", commit: "0123456" }, torch: { version: "2.12.0+cu130", index: "https://example.org/simple" }, packages: { "torch-vision": "0.27.0" }, python: "3.11", cuda: "13.0", compiler: "gcc 13.2.0", platform: "linux-aarch64" },
    });
    const refused = async (...args: readonly string[]): Promise<string> => {
      const { status, err } = await run(...args);
      assert.equal(status, 2);
      return err;
    };
    assert.match(await refused("--how", "smoke"), /A record needs --how .* and --outcome/);
    assert.match(await refused("--how", "smoke", "--outcome", "conflict"), /--outcome of what is smoke must be one of passed, failed, unknown; it is "conflict"/);
    assert.match(await refused("--how", "smoke", "--outcome", "passed", "--torch", "latest"), /combination\.torch\.version is no version: "latest"/);
    assert.match(await refused("--how", "smoke", "--outcome", "passed", "--when", "today"), /when is no time such as/);
    assert.match(await refused("--how", "smoke", "--outcome", "failed", "--rule", "x"), /--rule belongs to a reason/);
    assert.match(await refused("--how", "smoke", "--outcome", "passed", "--package", "torchvision"), /--package must be a name and a version/);
    assert.match(await refused("--how", "smoke", "--outcome", "passed", "--driver", "580"), /name it with --gpu/);
    assert.equal((await readCombinations(other.at(name))).records.length, 2);
  });

  it("list: filters, forms and what is wrong in the file", async () => {
    using other = new Folder();
    const run = (...args: readonly string[]): ReturnType<Folder["run"]> => other.abiding("list", ...args);
    assert.equal((await run()).out, `Nothing is recorded yet: ${other.at(name)} has no records. abiding smoke --record adds what its tests say, and combinations record what you know.\n`);
    const day = (number: number): string => `2026-11-0${number}T00:00:00.000Z`;
    const all = [
      made({ when: day(1) }), made({ when: day(2), outcome: "failed", reason: { message: "It broke.", rule: "torch-symbols" } }, { torch: { version: "2.14.1+cu130" }, python: "3.11", gpu: { name: "NVIDIA H200" } }),
      made({ when: day(3), how: "predicted", outcome: "conflict" }, { torch: { version: "2.15.0.dev20261101+cu130" }, project: { name: "other" }, platform: "linux-aarch64" }), made({ when: day(4), how: "benchmark" }, { torch: { version: "2.13.1" } }),
    ];
    other.file(name, lines(...all, "garbage"));
    const shown = async (...args: readonly string[]): Promise<string> => {
      const report = JSON.parse((await run("--format", "json", ...args)).out) as { readonly records: readonly CombinationRecord[] };
      assert.equal(isList(report), true, JSON.stringify(isList.errors));
      return report.records.map((one) => one.when[9]).join("");
    };
    assert.equal(await shown(), "4321");
    assert.equal(await shown("--torch", "2.13.0"), "1");
    assert.equal(await shown("--torch", ">=2.13,<2.14"), "41");
    assert.equal(await shown("--torch", "nightly"), "3");
    assert.equal(await shown("--torch", "release"), "421");
    assert.equal(await shown("--how", "smoke,predicted", "--outcome", "failed", "--outcome", "conflict"), "32");
    assert.equal(await shown("--python", "3.11"), "2");
    assert.equal(await shown("--project", "ops", "--version", "1.2", "--commit", "0123456"), "421");
    assert.equal(await shown("--platform", "linux-aarch64"), "3");
    assert.equal(await shown("--gpu", "h200"), "2");
    assert.equal(await shown("--gpu", "none"), "431");
    assert.equal(await shown("--since", "2026-11-03"), "43");
    assert.equal(await shown("--limit", "2"), "43");
    const { out, err } = await run("--how", "smoke");
    assert.equal(out, `2026-11-02  torch 2.14.1+cu130  smoke tests failed  Python 3.11  ops 1.2 012345678  linux-x86_64, NVIDIA H200
            It broke. [torch-symbols]
2026-11-01  torch 2.13.0+cpu    smoke tests passed  Python 3.12  ops 1.2 012345678  linux-x86_64

2 of 4 records, in ${other.at(name)}
`);
    assert.equal(err, `abiding: Line 5 of ${other.at(name)} is left out: it is no JSON.\n`);
    await run("--format", "jsonl", "--how", "smoke", "--output", other.at("out.jsonl"));
    assert.equal(other.read("out.jsonl"), lines(all[0], all[1]));
    assert.equal((await run(other.at("out.jsonl"), "--torch", "2.14.1")).out.split("\n")[3], `1 of 2 records, in ${other.at("out.jsonl")}`);
    assert.match((await run("--torch", "newest")).err, /"newest" names no torch/);
    assert.match((await run("--since", "long ago")).err, /--since must be a day/);
    assert.match((await run("--how", "guess")).err, /--how must be one of predicted, built, loaded, smoke, benchmark; it is "guess"/);
    assert.equal((await run("--since", "2000d", "--limit", "1")).status, 0);
  });
});
