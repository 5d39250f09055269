import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readOutput } from "../../../src/workshop/benchmark/formats/read.ts";
import type { Reading } from "../../../src/workshop/benchmark/formats/reading.ts";
import { googleJson, Project } from "./support.ts";

const google = (text: string | Uint8Array): ReturnType<typeof readOutput> => readOutput(text, "google-benchmark", "It");
const entry = (name: string, more: object = {}): object => ({ name, run_name: name, run_type: "iteration", real_time: 20, cpu_time: 10, time_unit: "us", iterations: 1, repetitions: 1, threads: 1, ...more });
const of = (...entries: readonly object[]): string => JSON.stringify({ context: {}, benchmarks: entries });
const one = (...entries: readonly object[]): Reading | undefined => google(of(...entries)).readings[0];

describe("Google Benchmark's JSON", () => {
  it("takes the time that the name means, in any unit", () => {
    assert.deepEqual(one(entry("a")), { name: "a", samples: [10e-6], clock: "cpu", counters: {} });
    assert.deepEqual(one(entry("a/real_time"))?.samples, [20e-6]);
    assert.deepEqual(one(entry("a/8/process_time/real_time/threads:2"))?.clock, "real");
    assert.deepEqual(one(entry("a/manual_time"))?.clock, "real");
    assert.deepEqual(one(entry("a/process_time"))?.clock, "cpu");
    assert.deepEqual(one(entry("real_time/a"))?.clock, "cpu");
    assert.deepEqual(["ns", "us", "ms", "s"].map((time_unit) => one(entry("a", { time_unit }))?.samples[0]), [10e-9, 10e-6, 10e-3, 10]);
  });

  it("groups repetitions by run_name and drops aggregates and complexity, also those of releases that do not mark them", () => {
    const three = [0, 1, 2].map((repetition_index) => entry("a/repeats:3", { cpu_time: 10 + repetition_index, repetition_index }));
    const aggregate = (kind: string): object => entry(`a/repeats:3_${kind}`, { run_name: "a/repeats:3", run_type: "aggregate", aggregate_name: kind, cpu_time: 1e9 });
    const bigO = { name: "a_BigO", run_name: "a", run_type: "aggregate", aggregate_name: "BigO", cpu_coefficient: 1, real_coefficient: 1, big_o: "N", time_unit: "ns" };
    assert.deepEqual(google(of(...three, aggregate("mean"), aggregate("median"), aggregate("stddev"), aggregate("cv"), bigO)).readings, [{ name: "a/repeats:3", samples: [10e-6, 11e-6, 12e-6], clock: "cpu", counters: {} }]);
    const old = ["a", "a", "a_mean", "a_stddev", "b_mean"].map((name, index) => ({ name, real_time: 1, cpu_time: index + 1, time_unit: "ns" }));
    assert.deepEqual(google(of(...old)).readings.map(({ name, samples }) => [name, samples]), [["a", [1e-9, 2e-9]], ["b_mean", [5e-9]]], "a benchmark may be called b_mean");
  });

  it("takes the median where only aggregates were reported", () => {
    const aggregate = (kind: string, cpu_time: number): object => entry(`a_${kind}`, { run_name: "a", run_type: "aggregate", aggregate_name: kind, cpu_time });
    assert.deepEqual(one(aggregate("mean", 5), aggregate("median", 4))?.samples, [4e-6]);
    assert.match(one(aggregate("mean", 5))?.problem ?? "", /neither repetitions nor their median/);
  });

  it("keeps errors and skips as they are told", () => {
    assert.deepEqual(one(entry("a", { error_occurred: true, error_message: "no \"luck\"", cpu_time: 0 })), { name: "a", samples: [], clock: "cpu", counters: {}, problem: "no \"luck\"" });
    assert.deepEqual(one(entry("a", { skipped: true, skip_message: "no GPU", cpu_time: 0 })), { name: "a", samples: [], clock: "cpu", counters: {}, problem: "no GPU", skipped: true });
    assert.match(one(entry("a", { cpu_time: 0 }))?.problem ?? "", /^1 of 1 of its cpu times is no number of seconds above 0\.$/);
    assert.deepEqual(one(entry("a", { cpu_time: -1 }), entry("a"))?.samples, [10e-6]);
  });

  it("counts bytes and operations of one iteration from rates and counts", () => {
    const reading = one(entry("a", { bytes_per_second: 1e9, items_per_second: 5, FLOPS: 2e9 }));
    assert.deepEqual([reading?.bytes, reading?.bytesCount, reading?.flops], [10_000, "processed", 20_000]);
    assert.deepEqual(reading?.counters, { bytes_per_second: 1e9, items_per_second: 5, FLOPS: 2e9 });
    const traffic = one(entry("a", { bytes_per_second: 1e9, traffic_bytes: 30_000, GFLOPS: 2 }));
    assert.deepEqual([traffic?.bytes, traffic?.bytesCount, traffic?.flops], [30_000, "traffic", 20_000]);
  });

  it("reads NaN and Infinity, which Google Benchmark writes and JSON does not have", () => {
    const text = of(entry("a NaN", { bad: "X", label: "x: NaN, -Infinity" })).replace('"X"', "NaN").replace('"cpu_time":10', '"cpu_time":-Infinity');
    assert.deepEqual(google(text), { readings: [{ name: "a NaN", samples: [], clock: "cpu", counters: {}, problem: "1 of 1 of its cpu times is no number of seconds above 0." }], problems: [] });
  });
});

describe("an output", () => {
  const whole = googleJson({ a: 10, b: 20, c: 30 });

  it("may stand between other text, twice, and after what looks like JSON", () => {
    const read = google(`Loading {weights} "now\n{"level": "info"}\n{broken\n${whole}\nDone. {}\n`);
    assert.deepEqual([read.readings.map((reading) => reading.name), read.problems], [["a", "b", "c"], []]);
    assert.deepEqual(google(`RESULT ${whole.replaceAll("\n", " ")} END`).readings.length, 3);
    assert.deepEqual(google(`x\n${whole}\ny\n${googleJson({ a: 12 })}`).readings.map(({ name, samples }) => [name, samples.length]), [["a", 2], ["b", 1], ["c", 1]]);
  });

  it("keeps what was whole when it is cut short, wherever that is", () => {
    const at = whole.indexOf('"b"', whole.indexOf("run_name") + 30) + 10;
    const read = google(whole.slice(0, at));
    assert.deepEqual(read.readings.map((reading) => reading.name), ["a"]);
    assert.deepEqual(read.problems, ["It ends in the middle of the JSON; the 1 benchmark before that was read."]);
    for (let end = 1; end < whole.length; end += 3) {
      const { readings, problems } = google(whole.slice(0, end));
      assert.ok(problems.length === 1 && readings.every((reading) => reading.samples.length === 1), `cut after ${end}: ${JSON.stringify({ readings, problems })}`);
    }
  });

  it("is told when it is empty, no JSON, of another format or shape", () => {
    assert.deepEqual(google(" \n"), { readings: [], problems: ["It is empty."] });
    assert.deepEqual(google("Segmentation fault\nmore"), { readings: [], problems: ["It holds no JSON object. It begins with \"Segmentation fault\""] });
    assert.deepEqual(google("[1, 2]").problems, ["It holds no JSON object. It begins with \"[1, 2]\""]);
    assert.deepEqual(google('{"machine_info": {}, "benchmarks": []}').problems, ["It is JSON, but not of Google Benchmark: it looks like pytest-benchmark. abiding.json says which it is."]);
    assert.match(google('{"devices": [], "benchmarks": []}').problems[0] ?? "", /looks like nvbench/);
    assert.match(google('{"results": [{"times": [1]}]}').problems[0] ?? "", /looks like hyperfine, which is not read/);
    assert.deepEqual(google('{"a": 1, "b": 2}').problems, ["It is JSON, but not of Google Benchmark: its keys are a, b."]);
    assert.deepEqual(google('{"context": {}, "benchmarks": []}').problems, ["It lists no benchmarks."]);
    assert.deepEqual(google('{"context": {}, "benchmarks": [1, null, "x", {}]}').problems, ["It lists no benchmarks."]);
    assert.match(readOutput(whole, "pytest-benchmark", "It").problems[0] ?? "", /looks like Google Benchmark/);
  });

  it("is read in UTF-16 as PowerShell writes it, and told when it is in no encoding", () => {
    assert.equal(google(Buffer.from(`\ufeff${whole}`, "utf16le")).readings.length, 3);
    assert.equal(google(Buffer.from(`\ufeff${whole}`)).readings.length, 3);
    const broken = google(Buffer.from(googleJson({ "na\u00efve": 1 }), "latin1"));
    assert.deepEqual([broken.readings[0]?.samples, broken.problems], [[1e-9], ["It is not valid UTF-8; what could not be decoded is shown as \ufffd."]]);
  });

  it("does not take time that grows with the square of its size", () => {
    const started = Date.now();
    google("{\n".repeat(200_000));
    google(`${'{"benchmarks": ['.repeat(20_000)}`);
    google(`{"x": "${"\\".repeat(300_000)}`);
    assert.ok(Date.now() - started < 10_000);
  });
});

describe("pytest-benchmark's JSON", () => {
  const read = (entryOf: object): Reading | undefined => readOutput(JSON.stringify({ machine_info: {}, benchmarks: [{ name: "test_a", fullname: "test_x.py::test_a[1]", options: { timer: "perf_counter" }, ...entryOf }] }), "pytest-benchmark", "It").readings[0];

  it("takes the median of the rounds, with and without their data", () => {
    assert.deepEqual(read({ stats: { median: 0.25, mean: 9 } }), { name: "test_x.py::test_a[1]", samples: [0.25], clock: "real", counters: {} });
    assert.deepEqual(read({ stats: { median: 0.25, data: [0.5, 0.75, 0.125] } })?.samples, [0.5]);
  });

  it("takes counts from extra_info and the clock from the timer", () => {
    const reading = read({ stats: { median: 0.5 }, extra_info: { bytes: 100, flops: 7, note: "x" }, options: { timer: "process_time" } });
    assert.deepEqual([reading?.bytes, reading?.bytesCount, reading?.flops, reading?.clock, reading?.counters], [100, "processed", 7, "cpu", { bytes: 100, flops: 7 }]);
  });

  it("tells a test that failed or has no statistics", () => {
    assert.equal(read({ has_error: true, stats: { median: 1 } })?.problem, "The test failed while it was measured.");
    assert.equal(read({ stats: null })?.problem, "Its statistics hold no median above 0.");
  });
});

describe("nvbench's JSON", () => {
  const summary = (tag: string, data: Readonly<Record<string, string>>): object => ({ tag, name: tag, data: Object.entries(data).map(([name, value]) => ({ name, type: "float64", value })) });
  const state = (more: object): object => ({ name: "Device=0 T=I32", device: 0, axis_values: [{ name: "T", type: "type", value: "I32" }, { name: "Elements", type: "int64", value: "1024" }], is_skipped: false, summaries: [], ...more });
  const text = (...states: readonly object[]): string => JSON.stringify({ meta: { version: {} }, devices: [{ id: 0, name: "NVIDIA H100" }], benchmarks: [{ name: "copy", axes: [], states }] });
  const summaries = [summary("nv/cold/time/gpu/mean", { value: "2e-05" }), summary("nv/cold/time/gpu/stdev/relative", { value: "0.01" }), summary("nv/cold/bw/global/bytes_per_second", { value: "1e12" }), summary("nv/cold/bw/global/utilization", { value: "0.75" }), summary("nv/json/bin:nv/cold/sample_times", { filename: "out.json-bin/0.bin", size: "3" })];

  it("reads numbers from strings", () => {
    assert.deepEqual(readOutput(text(state({ summaries })), "nvbench", "It").readings, [{
      name: "copy T=I32 Elements=1024", samples: [2e-5], clock: "gpu", bytes: 2e7, bytesCount: "traffic",
      counters: { relative_stdev: 0.01, bytes_per_second: 1e12, memory_utilization: 0.75 },
    }]);
  });

  it("takes the median of the samples beside the file, when there are as many as it says", () => {
    using project = new Project();
    const samples = new Float32Array([0.5, 0.25, 4]);
    project.file("out.json-bin/0.bin", Buffer.from(samples.buffer));
    const file = project.file("out.json", text(state({ summaries })));
    const read = (): readonly number[] | undefined => readOutput(text(state({ summaries })), "nvbench", "It", file).readings[0]?.samples;
    assert.deepEqual(read(), [0.5]);
    project.file("out.json-bin/0.bin", Buffer.from(samples.buffer).subarray(0, 8));
    assert.deepEqual(read(), [2e-5]);
  });

  it("tells states that were skipped and such without a time, and names devices where there are several", () => {
    const read = readOutput(text(state({ is_skipped: true, skip_reason: "too little memory" }), state({})), "nvbench", "It");
    assert.deepEqual(read.readings.map(({ problem, skipped }) => [problem, skipped]), [["too little memory", true]], "two states of one name are one benchmark");
    const two = text(state({ summaries, device: 1 })).replace('"devices":[', '"devices":[{"id":1},');
    assert.equal(readOutput(two, "nvbench", "It").readings[0]?.name, "copy Device=1 T=I32 Elements=1024");
    assert.equal(readOutput(text(state({})), "nvbench", "It").readings[0]?.problem, "The state holds no cold GPU time above 0.");
  });
});
