import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { join, resolve } from "node:path";
import { after, before, describe, it } from "node:test";
import { Ajv } from "ajv";
import { UsageError } from "../../../src/cli/arguments.ts";
import type { Terminal } from "../../../src/cli/terminal.ts";
import { benchmark } from "../../../src/cli/workshop/benchmark.ts";
import type { BenchmarkReport } from "../../../src/workshop/benchmark/types.ts";
import { Project } from "./support.ts";

const root = resolve(import.meta.dirname, "../../..");
const valid = new Ajv({ allErrors: true }).compile(JSON.parse(fs.readFileSync(join(root, "docs/schema/benchmark.schema.json"), "utf8")) as object);

/** A program that prints Google Benchmark's JSON of a real copy and real arithmetic; SLOWER makes the copy take longer. */
const source = String.raw`
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
template <class Work> double seconds(Work work) {
  double best = 1e9;
  for (int round = 0; round < 5; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (took < best) best = took;
  }
  return best;
}
void print(const char* name, double took, const char* counter, double rate, const char* end) {
  std::printf("    {\"name\": \"%s\", \"run_name\": \"%s\", \"run_type\": \"iteration\", \"repetitions\": 1, \"repetition_index\": 0, \"threads\": 1, \"iterations\": 1, \"real_time\": %.9e, \"cpu_time\": %.9e, \"time_unit\": \"ns\", \"%s\": %.9e}%s\n", name, name, took * 1e9, took * 1e9, counter, rate, end);
}
int main() {
  const int times = std::getenv("SLOWER") != nullptr ? 8 : 1;
  const std::size_t bytes = 24u << 20;
  std::vector<char> from(bytes, 1), to(bytes, 2);
  const double copy = seconds([&] { for (int i = 0; i < times; ++i) std::memcpy(to.data(), from.data(), bytes); });
  volatile float sum = 0;
  const double add = seconds([&] { float own = 0; for (int i = 0; i < 1000000; ++i) own = own * 0.5f + static_cast<float>(i); sum = own; });
  std::printf("Starting.\n{\n  \"context\": {\"executable\": \"tiny\"},\n  \"benchmarks\": [\n");
  print("copy/real_time", copy, "bytes_per_second", bytes / copy, ",");
  print("add/real_time", add, "FLOPS", 2e6 / add, "");
  std::printf("  ]\n}\nDone with %d.\n", static_cast<int>(to[7]) + (sum > 0 ? 0 : 1));
}
`;

describe("abiding benchmark", () => {
  const project = new Project();
  after(() => project[Symbol.dispose]());
  before(() => {
    project.file("tiny.cpp", source);
    fs.mkdirSync(join(project.root, "build/fast"), { recursive: true });
    fs.mkdirSync(join(project.root, "build/slow"), { recursive: true });
    execFileSync("g++", ["-O2", "-std=c++17", "-o", "build/fast/tiny", "tiny.cpp"], { cwd: project.root });
    project.file("build/slow/tiny", "#!/bin/sh\nSLOWER=1 exec ../fast/tiny \"$@\"\n");
    project.file("abiding.json", JSON.stringify({ benchmarks: [{ name: "tiny", command: ["build/fast/tiny"], prints: "google-benchmark" }] }));
    project.file("build/slow/tiny", `#!/bin/sh\nSLOWER=1 exec ${join(project.root, "build/fast/tiny")} "$@"\n`);
  });

  async function abiding(...args: readonly string[]): Promise<{ readonly status: number; readonly out: string; readonly err: string }> {
    let out = "";
    let err = "";
    const terminal: Terminal = {
      workingDirectory: project.root, environment: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: project.root }, version: "0.0.0", colours: false, progress: () => undefined,
      say: (text) => void (err += text),
      deliver(text, file) {
        if (file === undefined) {
          out += text;
        } else {
          fs.writeFileSync(resolve(project.root, file), text);
        }
      },
    };
    const status = await benchmark(args, terminal);
    return { status, out, err };
  }

  it("measures a real program against ceilings that it measures too", async () => {
    const { status, out } = await abiding("--repetitions", "4", "--save-baseline", "main", "--format", "json");
    const report = JSON.parse(out) as BenchmarkReport;
    assert.ok(valid(report), JSON.stringify(valid.errors));
    assert.equal(status, 0);
    assert.deepEqual(report.runs[0]?.measurements.map(({ name, seconds, clock }) => [name, seconds.length, clock]), [["copy/real_time", 4, "real"], ["add/real_time", 4, "real"]]);
    const { copyBytes = 0, flops = 0 } = report.runs[0]?.ceilings ?? {};
    assert.ok(copyBytes > 1e8 && copyBytes < 1e13 && flops > 1e8 && flops < 1e15, `${copyBytes} bytes, ${flops} operations in a second`);
    const fractions = new Map(report.fractions.map((one) => [`${one.name} ${one.of}`, one.fraction]));
    assert.deepEqual([...fractions.keys()], ["copy/real_time copy", "add/real_time compute"]);
    // One thread that adds one number after the other: far from what vectors on all cores do, and the copy near to what memory does.
    assert.ok((fractions.get("add/real_time compute") ?? 1) < 0.3 && (fractions.get("copy/real_time copy") ?? 0) > 0.02, JSON.stringify([...fractions]));
  });

  it("a benchmark that abiding.json names is the ceiling of the others, whatever is chosen", async () => {
    project.file("ceiling/abiding.json", JSON.stringify({ benchmarks: [{ name: "tiny", command: ["../build/fast/tiny"], prints: "google-benchmark", ceiling: "copy/real_time" }] }));
    const { status, out } = await abiding("ceiling", "--repetitions", "2", "--format", "json");
    assert.equal(status, 0);
    const report = JSON.parse(out) as BenchmarkReport;
    assert.ok(valid(report), JSON.stringify(valid.errors));
    const [copy] = report.runs[0]?.measurements ?? [];
    const { ceilings } = report.runs[0] ?? {};
    // Arithmetic is nothing that it could tell.
    assert.deepEqual([ceilings?.from, ceilings?.copyBytes], ["bytes: copy/real_time; operations: multiply-adds measured here", 2 * (copy?.bytes ?? 0) / Math.min(...copy?.seconds ?? [])]);
    const [fraction] = report.fractions;
    assert.ok(fraction?.name === "copy/real_time" && fraction.of === "copy" && fraction.fraction > 0 && fraction.fraction <= 1, JSON.stringify(fraction));
    const text = await abiding("ceiling", "--repetitions", "1");
    assert.match(text.out.replaceAll(/\s+/g, " "), /read and written, \d+ GFLOP\/s \(bytes: copy\/real_time; operations: multiply-adds measured here\)/);
  });

  it("finds eight times the work in the other build, both measured in turns, and exits with 1", async () => {
    const slow = await abiding("--repetitions", "4", "--filter", "^copy", "--against-build", "build/slow");
    assert.equal(slow.status, 0);
    assert.match(slow.out, /improved {2,}copy\/real_time .*\(0\.\d{3} to 0\.\d{3}\)/);
    project.file("abiding.json", JSON.stringify({ benchmarks: [{ name: "tiny", command: ["build/slow/tiny"], prints: "google-benchmark" }] }));
    const { status, out } = await abiding("--repetitions", "4", "--filter", "^copy", "--against-build", "build/fast", "--format", "json", "-o", "report.json");
    assert.deepEqual([status, out], [1, ""]);
    const report = JSON.parse(fs.readFileSync(join(project.root, "report.json"), "utf8")) as BenchmarkReport;
    assert.ok(valid(report), JSON.stringify(valid.errors));
    assert.deepEqual([report.outcome, report.comparisons[0]?.verdict], ["regressed", "regressed"]);
    project.file("abiding.json", JSON.stringify({ benchmarks: [{ name: "tiny", command: ["build/fast/tiny"], prints: "google-benchmark" }] }));
  });

  it("shows no ratio without its interval, and says how it was judged", async () => {
    const { status, out } = await abiding("--repetitions", "3", "--baseline", "main", "--filter", "copy");
    assert.equal(status, 0);
    assert.match(out, /^Compared with baseline main$/m);
    assert.match(out, /^ {2}too-few {2}copy\/real_time .* \d\.\d{3} \(\d\.\d{3} to \d\.\d{3}\) /m);
    assert.match(out.replaceAll("\n", " "), /Two-sided Mann-Whitney test, corrected for 1 comparison by Holm's method/);
    assert.ok(!/\d %\s+(?:faster|slower)/.test(out));
  });

  it("shows the history, and exports it or what was measured", async () => {
    const { out } = await abiding("--history");
    assert.match(out, /^ {2}\S+Z-.*tiny\S* {2,}2 benchmarks .*baseline main$/m);
    const history = JSON.parse((await abiding("--history", "--format", "json")).out) as { readonly runs: readonly object[] };
    assert.equal(history.runs.length, 6);
    assert.equal((await abiding("--history", "--export", "csv")).out.split("\r\n").length, 1 + 8 + 2 * 8 + 3 + 1);
    const measured = await abiding("--repetitions", "1", "--export", "markdown");
    assert.match(measured.out, /^\| copy\/real\\_time \| [\d.]+ (?:µs|ms) \|/m);
  });

  it("--help names every option and the exit status", async () => {
    const { status, out, err } = await abiding("--help");
    assert.deepEqual([status, err], [0, ""]);
    const { message } = await abiding("--unknown").then(() => new Error(), (error: unknown) => error as Error);
    const options = (message.split(" takes ")[1] ?? "").match(/--[a-z-]+/g) ?? [];
    assert.ok(options.length > 10, message);
    assert.deepEqual(options.filter((option) => option !== "--help" && !out.includes(`${option} `)), []);
    assert.match(out, /^Exit status: 0 measured, 1 something regressed or failed/m);
    assert.deepEqual(out.split("\n").filter((line) => line.length > 100), []);
  });

  it("refuses what it does not understand", async () => {
    for (const [args, message] of [
      [["--repetitions", "0"], /--repetitions must be a whole number/], [["--repetitions", "x"], /--repetitions/], [["--plan", "none"], /There is no benchmark plan "none"\. Plans: /],
      [["--format", "xml"], /--format must be one of text, json/], [["--export", "xml"], /--export must be one of json, csv, markdown/], [["a", "b"], /takes one folder/], [["--filter", "("], /no regular expression/],
      [["--threshold", "x"], /--threshold must be a share/], [["--time-limit", "soon"], /--time-limit must be a time/], [["--time-limit", "0"], /--time-limit must be a time above zero/], [["--interpreter", "nowhere"], /--interpreter .*nowhere does not exist/],
      [["--variant-interpreter", "build"], /--variant-interpreter .*build holds no Python/], [["--baseline", "x"], /is neither a run nor a saved baseline/], [["--against-build", "nowhere"], /does not exist/],
      [["--unknown"], /--plan, --filter/],
    ] as const) {
      await assert.rejects(abiding(...args), (error) => error instanceof UsageError && message.test(error.message), args.join(" "));
    }
  });

  it("exits with 2 where there is nothing to measure", async () => {
    const empty = join(project.root, "empty");
    fs.mkdirSync(empty);
    const { status, out } = await abiding(empty);
    assert.deepEqual([status, out.split("\n")[0]], [2, "Nothing to measure. The project has no benchmarks that are known: none is named in abiding.json and"]);
    const listed = await abiding("--list", empty);
    assert.equal(listed.status, 2);
  });

  it("works with the real Google Benchmark: lists, filters, errors, repetitions and threads", { skip: fs.existsSync("/usr/include/benchmark/benchmark.h") ? false : "libbenchmark-dev is not installed" }, async () => {
    project.file("real.cpp", String.raw`#include <benchmark/benchmark.h>
static void sum(benchmark::State& s) { for (auto _ : s) { int n = 0; for (int i = 0; i < s.range(0); ++i) benchmark::DoNotOptimize(n += i); } s.SetComplexityN(s.range(0)); s.SetBytesProcessed(s.iterations() * 8); }
BENCHMARK(sum)->Arg(8)->Arg(64)->Complexity();
static void manual(benchmark::State& s) { for (auto _ : s) s.SetIterationTime(0.001); }
BENCHMARK(manual)->UseManualTime()->Iterations(3)->Repetitions(2);
static void broken(benchmark::State& s) { s.SkipWithError("no luck"); for (auto _ : s) {} }
BENCHMARK(broken);
BENCHMARK_MAIN();
`);
    execFileSync("g++", ["-O1", "-o", "real", "real.cpp", "-lbenchmark", "-lpthread"], { cwd: project.root });
    const folder = join(project.root, "google");
    fs.mkdirSync(folder);
    project.file("google/abiding.json", JSON.stringify({ benchmarks: [{ "google-benchmark": ["../real", "--benchmark_min_time=0.01"] }] }));
    assert.match((await abiding("google", "--list")).out, /\n {2}sum\/8\n {2}sum\/64\n {2}manual\/iterations:3\/repeats:2\/manual_time\n {2}broken\n$/);
    const { status, out } = await abiding("google", "--repetitions", "2", "--format", "json");
    const report = JSON.parse(out) as BenchmarkReport;
    assert.ok(valid(report), JSON.stringify(valid.errors));
    assert.deepEqual([status, report.outcome, report.reason], [1, "failed", "broken: no luck"]);
    assert.deepEqual(report.runs[0]?.measurements.map(({ name, seconds, clock, bytes }) => [name, seconds.length, clock, bytes === undefined ? undefined : Math.round(bytes)]), [
      ["sum/8", 2, "cpu", 8], ["sum/64", 2, "cpu", 8], ["manual/iterations:3/repeats:2/manual_time", 2, "real", undefined], ["broken", 0, "cpu", undefined],
    ]);
    assert.deepEqual(report.runs[0]?.measurements[2]?.seconds, [0.001, 0.001]);
    const filtered = JSON.parse((await abiding("google", "--repetitions", "1", "--filter", "^sum/(8|9)$", "--format", "json")).out) as BenchmarkReport;
    assert.deepEqual([filtered.outcome, filtered.runs[0]?.measurements.map((one) => one.name)], ["measured", ["sum/8"]]);
  });

  it("is a command of the program, and loads nothing that a bundle would not have", () => {
    const result = spawnSync(process.execPath, [join(root, "src/cli/main.ts"), "benchmark", "--history", project.root], { encoding: "utf8" });
    assert.equal(result.status, 0, result.stderr);
    assert.match(result.stdout, /2 benchmarks/);
  });
});
