import assert from "node:assert/strict";
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { CannotDo } from "../../../src/workshop/workshop.ts";
import { plansOfBuild, readHistory } from "../../../src/workshop/benchmark/index.ts";
import { googleJson, program, Project } from "./support.ts";

const good = (times: Readonly<Record<string, number>>): string => program(`cat > "$out" <<'END'\n${googleJson(times)}\nEND`);

describe("a benchmark run", () => {
  it("is one process for each repetition, described and kept with its machine", async () => {
    using project = new Project();
    project.file("bench", program(`touch count; n=$(wc -l < count); echo >> count; echo "a table"; sed "s/@/1$n/" > "$out" <<'END'\n${googleJson({ a: 10, b: 20 }).replaceAll(": 10,", ": @,").replace('"iterations": @', '"iterations": 1')}\nEND`));
    const report = await project.measure([project.plan(["./bench"])], { saveBaseline: "main" });
    assert.equal(report.outcome, "measured", report.reason);
    const [run] = report.runs;
    assert.deepEqual(run?.measurements.map(({ name, seconds, clock }) => ({ name, seconds, clock })), [{ name: "a", seconds: [10e-9, 11e-9, 12e-9], clock: "cpu" }, { name: "b", seconds: [20e-9, 20e-9, 20e-9], clock: "cpu" }]);
    assert.match(run?.id ?? "", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ-bench$/);
    assert.equal(run?.line, "./bench --benchmark_out=benchmark.json --benchmark_out_format=json");
    assert.equal(run?.partial, undefined);
    assert.ok((run?.machine.cores ?? 0) > 0 && (run?.machine.memoryBytes ?? 0) > 0 && run?.machine.cpu !== "");
    assert.equal(project.printed, "a table\n".repeat(3));
    const history = await readHistory(project.root);
    assert.deepEqual(history.runs, report.runs);
    assert.deepEqual(history.baselines.map(({ name, runs }) => [name, runs]), [["main", [run?.id]]]);
    assert.deepEqual(fs.readdirSync(join(project.root, ".abiding/local")).sort(), [".gitignore", "benchmarks.jsonl"], "what programs wrote is gone");
  });

  it("compares with the last run, a name, an id or an exported file, and refuses what it cannot find before it starts", async () => {
    using project = new Project();
    project.file("bench", good({ a: 10 }));
    const plans = [project.plan(["./bench"])];
    const first = await project.measure(plans, { repetitions: 4, saveBaseline: "main", baseline: "last" });
    assert.deepEqual([first.comparisons, first.warnings.at(-1)], [[], "The baseline has no run of bench; nothing is compared with it."]);
    project.file("bench", good({ a: 30 }));
    project.file("export.json", JSON.stringify({ schema: 1, runs: first.runs.map((run) => ({ ...run, warnings: [] })) }));
    for (const baseline of ["last", "main", first.runs[0]?.id ?? "", "export.json"]) {
      const { comparisons, comparedWith } = await project.measure(plans, { repetitions: 4, baseline: baseline === "last" ? "main" : baseline });
      assert.deepEqual(comparisons.map(({ name, before, now, ratio, interval }) => ({ name, before, now, ratio: ratio?.toFixed(6), interval: interval?.map((one) => one.toFixed(6)) })), [{ name: "a", before: 10e-9, now: 30e-9, ratio: "3.000000", interval: ["3.000000", "3.000000"] }]);
      assert.equal(comparedWith?.interleaved, false);
    }
    await assert.rejects(project.measure(plans, { baseline: "nothing" }), (error) => error instanceof CannotDo && error.message.startsWith('"nothing" is neither a run nor a saved baseline in '));
    project.file("bad.json", "{");
    await assert.rejects(project.measure(plans, { baseline: "bad.json" }), (error) => error instanceof CannotDo && error.message.includes("bad.json is no JSON"));
    project.file("newer.json", '{"schema": 2, "runs": []}');
    await assert.rejects(project.measure(plans, { baseline: "newer.json" }), (error) => error instanceof CannotDo && error.message.endsWith("newer.json was written by a newer Abiding (schema 2)."));
    await assert.rejects(project.measure(plans, { filter: "(" }), (error) => error instanceof CannotDo && error.message.startsWith("The filter is no regular expression"));
    await assert.rejects(project.measure(plans, { repetitions: 0 }), CannotDo);
  });

  it("measures two builds in turns, and records whose turn it was", async () => {
    using project = new Project();
    project.file("build/bin/bench", good({ a: 30 }).replace("#!/bin/sh\n", `#!/bin/sh\nprintf A >> ${project.root}/turns\n`));
    project.file("other/bin/bench", good({ a: 10 }).replace("#!/bin/sh\n", `#!/bin/sh\nprintf B >> ${project.root}/turns\n`));
    const plan = project.plan([join(project.root, "build/bin/bench")]);
    const report = await project.measure([plan], { repetitions: 4, variant: { name: "other", plans: plansOfBuild([plan], join(project.root, "other")) } });
    const turns = fs.readFileSync(join(project.root, "turns"), "utf8");
    assert.match(turns, /^(?:ABBA|BAAB){2}$/);
    assert.deepEqual(report.runs.map(({ variant, order }) => [variant, order]), [[undefined, turns], ["other", turns]]);
    assert.equal(report.outcome, "regressed");
    assert.equal(report.reason, "1 of 1 benchmarks regressed: a.");
    assert.equal(report.comparedWith?.interleaved, true);
    assert.throws(() => plansOfBuild([plan], join(project.root, "build")), CannotDo, "the same program is no variant");
    assert.throws(() => plansOfBuild([plan], join(project.root, "none")), CannotDo);
  });

  it("hands the filter to the program, and applies it to what a command prints", async () => {
    using project = new Project();
    project.file("bench", program(`echo "$filter" > given; cat > "$out" <<'END'\n${googleJson({ a: 10, b: 20 })}\nEND`));
    const report = await project.measure([project.plan(["./bench"])], { filter: "-?b", repetitions: 1 });
    assert.equal(fs.readFileSync(join(project.root, "given"), "utf8"), "[-]?b\n", "a minus at the begin would turn it around");
    assert.deepEqual(report.runs[0]?.measurements.map((one) => one.name), ["b"]);
    const none = await project.measure([project.plan(["./bench"])], { filter: "zzz", repetitions: 1 });
    assert.deepEqual([none.outcome, none.reason], ["no-benchmarks", "No benchmark's name is found by zzz."]);
    assert.equal((await readHistory(project.root)).runs.length, 1, "a run without a number is not kept");
  });
});

describe("a ceiling that the project measures itself", () => {
  it("is measured whatever the filter says, and the others are fractions of it", async () => {
    using project = new Project();
    const json = JSON.stringify({ context: {}, benchmarks: [["a", 20, 100], ["roof.copy", 10, 100]].map(([name, time, traffic_bytes]) => ({ name, run_name: name, run_type: "iteration", real_time: time, cpu_time: time, time_unit: "ns", traffic_bytes })) });
    project.file("bench", program(`echo "$filter" > given; echo '${json}' > "$out"`));
    const report = await project.measure([project.plan(["./bench"], { ceiling: "roof.copy" })], { filter: "^a$" });
    assert.equal(fs.readFileSync(join(project.root, "given"), "utf8"), "(^a$)|^roof\\.copy$\n");
    assert.deepEqual(report.runs[0]?.ceilings, { copyBytes: 100 / 10e-9, from: "roof.copy" });
    assert.deepEqual(report.fractions.map(({ name, fraction, of }) => [name, fraction, of]), [["a", 0.5, "copy"], ["roof.copy", 1, "copy"]]);
    const none = await project.measure([project.plan(["./bench"], { ceiling: "other" })], { repetitions: 1 });
    assert.ok(none.warnings.includes('The ceiling "other" of abiding.json is no benchmark that was measured; a copy measured here stands in for it.'));
  });
});

describe("a benchmark program", () => {
  it("that fails is named, each of several", async () => {
    using project = new Project();
    project.file("stops", "#!/bin/sh\necho oh >&2\nexit 3\n");
    project.file("hangs", "#!/bin/sh\nsleep 600\n");
    const plans = [project.plan(["./stops"]), project.plan(["./hangs"], { id: "other" }), ...["a", "b", "c", "d"].map((id) => project.plan(["./stops"], { id }))];
    const report = await project.measure(plans, { repetitions: 2, timeLimit: 2000 });
    assert.equal(report.outcome, "failed");
    assert.match(report.reason ?? "", /^bench, repetition 1: It exited with code 3; [^.]* error: oh\. other, repetition 1: It was ended after its time limit of 2 s\. a, .* c, repetition 1: It exited with code 3; [^.]*: oh\. And 1 more\.$/);
  });

  it("that crashes half way keeps what it had told, and is not tried again", async () => {
    using project = new Project();
    const json = googleJson({ a: 10, b: 20 });
    project.file("bench", program(`n=$(cat count 2>/dev/null); echo "x$n" > count; if [ "$n" = xx ]; then printf '%s' '${json.slice(0, json.indexOf('"b"'))}' > "$out"; echo "terminate called" >&2; kill -SEGV $$; fi; cat > "$out" <<'END'\n${json}\nEND`));
    const report = await project.measure([project.plan(["./bench"])], { repetitions: 5 });
    assert.equal(report.outcome, "failed");
    assert.equal(report.reason, "bench, repetition 3: It crashed with SIGSEGV; the last that it wrote to standard error: terminate called");
    assert.deepEqual(report.runs[0]?.measurements.map(({ name, seconds }) => [name, seconds.length]), [["a", 3], ["b", 2]]);
    assert.deepEqual(report.runs[0]?.failures?.map((one) => one.message.split(";")[0]), ["It crashed with SIGSEGV", "The file that it wrote ends in the middle of the JSON"]);
    assert.equal(report.runs[0]?.partial, true);
    assert.equal((await readHistory(project.root)).runs.length, 1);
  });

  it("that hangs is ended with what it started, and called neither crashed nor failed", async () => {
    using project = new Project();
    project.file("bench", program("sleep 60 & sleep 60"));
    const report = await project.measure([project.plan(["./bench"])], { timeLimit: 300 });
    assert.equal(report.outcome, "failed");
    assert.equal(report.reason, "bench, repetition 1: It was ended after its time limit of 0.3 s.");
    assert.equal(report.runs[0]?.failures?.[0]?.ending.kind, "timed-out");
  });

  it("that cannot be started, exits with an error or writes no JSON is told so", async () => {
    using project = new Project();
    const outcome = async (script: string | undefined, more = {}): Promise<string | undefined> => {
      if (script !== undefined) {
        project.file("bench", script);
      }
      return (await project.measure([project.plan(["./bench"], more)], { repetitions: 1 })).reason;
    };
    assert.match(await outcome(undefined) ?? "", /^bench, repetition 1: .*bench/);
    assert.equal(await outcome(program("echo no such flag >&2; exit 3")), "bench, repetition 1: It exited with code 3; the last that it wrote to standard error: no such flag");
    assert.equal(await outcome(program("exit 0")), "bench, repetition 1: It wrote no JSON.");
    assert.equal(await outcome(program('echo hello > "$out"')), "bench, repetition 1: The file that it wrote holds no JSON object. It begins with \"hello\"");
    assert.equal(await outcome(program("echo '{\"machine_info\": {}}'"), { printsJson: true }), "bench, repetition 1: What it printed is JSON, but not of Google Benchmark: it looks like pytest-benchmark. abiding.json says which it is.");
    assert.equal(await outcome(program(`cat > "$out" <<'END'\n${googleJson({ a: 1 }, { error_occurred: true, error_message: "too little memory" })}\nEND`)), "a: too little memory");
  });

  it("that exits with an error after whole results keeps them, and the run is called failed", async () => {
    using project = new Project();
    project.file("bench", `${good({ a: 10 })}exit 1\n`);
    const report = await project.measure([project.plan(["./bench"])]);
    assert.deepEqual([report.outcome, report.runs[0]?.measurements[0]?.seconds.length], ["failed", 3]);
  });

  it("that prints a gigabyte around its JSON takes no such memory", async () => {
    using project = new Project();
    project.file("bench", program(`head -c 200000000 /dev/zero | tr '\\0' x >&2; cat > "$out" <<'END'\n${googleJson({ a: 10 })}\nEND`));
    const before = process.memoryUsage().rss;
    const report = await project.measure([project.plan(["./bench"])], { repetitions: 1 });
    assert.equal(report.outcome, "measured", report.reason);
    assert.ok(project.printed.length < 3e6, `${project.printed.length} characters were shown`);
    assert.ok(process.memoryUsage().rss - before < 300e6);
    assert.ok(project.notes.includes("It prints more than a mebibyte; the rest is not shown."));
  });

  it("that prints more JSON than is read is told so, with what was whole", async () => {
    using project = new Project();
    project.file("bench", program(`printf '%s' '${googleJson({ a: 10, b: 20 }).slice(0, -12)}'; head -c 80000000 /dev/zero | tr '\\0' ' '`));
    const report = await project.measure([project.plan(["./bench"], { printsJson: true })], { repetitions: 1 });
    assert.deepEqual([report.outcome, report.runs[0]?.measurements.map((one) => one.name)], ["failed", ["a"]]);
    assert.equal(report.runs[0]?.failures?.[0]?.message, "It printed more than 64 MiB; only the begin of that was read.");
  });

  it("is ended by a cancel, and what was measured until then is kept", async () => {
    using project = new Project();
    project.file("bench", program(`if [ -e first ]; then touch second; exec sleep 60; fi; touch first; cat > "$out" <<'END'\n${googleJson({ a: 10 })}\nEND`));
    const running = project.measure([project.plan(["./bench"])], { repetitions: 4 });
    const watch = setInterval(() => {
      if (fs.existsSync(join(project.root, "second"))) {
        project.stop.abort();
      }
    }, 20);
    const report = await running;
    clearInterval(watch);
    assert.equal(report.outcome, "cancelled");
    assert.deepEqual(report.runs[0]?.measurements.map(({ seconds }) => seconds), [[10e-9]]);
    assert.equal((await readHistory(project.root)).runs.length, 1);
  });

  it("of a second run waits for the first one's, and the user is told", async () => {
    using project = new Project();
    project.file("bench", program(`mkdir running || exit 7; sleep 0.1; rmdir running; cat > "$out" <<'END'\n${googleJson({ a: 10 })}\nEND`));
    const plans = [project.plan(["./bench"])];
    const reports = await Promise.all([project.measure(plans, { repetitions: 2 }), project.measure(plans, { repetitions: 2 })]);
    assert.deepEqual(reports.map((report) => report.outcome), ["measured", "measured"]);
    assert.equal(new Set((await readHistory(project.root)).runs.map((run) => run.id)).size, 2);
    assert.ok(project.notes.some((note) => /benchmark/.test(note) && /wait/i.test(note)), project.notes.join("\n"));
  });
});

describe("a full disk", () => {
  it("costs the history's line, not the report", { skip: fs.existsSync("/dev/full") ? false : "there is no /dev/full" }, async () => {
    using project = new Project();
    project.file("bench", `${good({ a: 10 })}ln -sf /dev/full ${join(project.root, ".abiding/local/benchmarks.jsonl")}\n`);
    const report = await project.measure([project.plan(["./bench"])]);
    assert.equal(report.outcome, "measured");
    assert.match(report.warnings.at(-1) ?? "", /^The runs were not kept in the history\. .*no space is left on the disk/);
  });
});
