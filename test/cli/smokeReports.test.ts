/** Reports of smoke tests: tests of the same name in two files, and what XML cannot hold. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { XMLParser } from "fast-xml-parser";
import { smokeJunit } from "../../src/cli/reporters/smokeJunit.ts";
import { endedLine, smokeText } from "../../src/cli/reporters/smokeText.ts";
import type { SmokeReport, TestResult } from "../../src/workshop/smoke/types.ts";

function result(id: string, label: string, more: Partial<TestResult> = {}): TestResult {
  return { id, label, plan: id.split("::")[0] ?? "", outcome: "passed", milliseconds: 1, output: "", messages: [], ...more };
}

function reportOf(...results: readonly TestResult[]): SmokeReport {
  return {
    schema: 1, root: "/p", outcome: "failed", results, problems: [],
    circumstances: { started: "2026-11-30T00:00:00.000Z", host: { system: "Linux", cpu: "CPU" }, gpus: [], noGpu: "No GPU.", environment: {} },
  };
}

interface Case {
  readonly name: string;
  readonly classname: string;
  readonly file?: string;
  readonly line?: string;
  readonly "system-out"?: string;
}

function casesOf(report: SmokeReport): readonly Case[] {
  const parser = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: "", isArray: (name) => name === "testsuite" || name === "testcase", parseAttributeValue: false, parseTagValue: false, trimValues: false, htmlEntities: true });
  const { testsuites } = parser.parse(smokeJunit(report), true) as { readonly testsuites: { readonly testsuite: readonly { readonly testcase: readonly Case[] }[] } };
  return testsuites.testsuite.flatMap((suite) => suite.testcase);
}

describe("reports of smoke tests", () => {
  const gather = result("pytest::test/test_gather.py::test_forward", "test_forward");
  const scatter = result("pytest::test/test_scatter.py::test_forward", "test_forward", { outcome: "failed", reason: "It failed.", messages: [{ message: "no", location: { path: "/p/test/test_scatter.py", range: { start: { line: 6, character: 0 }, end: { line: 6, character: 0 } } } }] });
  const inside = [result("ctest::core", "core"), result("ctest::core::Suite.Case", "Suite.Case", { parent: "ctest::core" }), result("ctest::twice", "twice"), result("ctest::twice#2", "twice"), result("own", "own")];

  it("JUnit: class and name together are of one test only", () => {
    assert.deepEqual(casesOf(reportOf(gather, scatter, ...inside)).map(({ classname, name }) => [classname, name]), [
      ["pytest::test/test_gather.py", "test_forward"], ["pytest::test/test_scatter.py", "test_forward"],
      ["ctest::core", "Suite.Case"], ["ctest", "twice"], ["ctest", "twice#2"], ["own", "own"],
    ]);
  });

  it("JUnit: places are relative to the project, as services that show them in the sources take them", () => {
    assert.deepEqual(casesOf(reportOf(scatter)).map(({ file, line }) => [file, line]), [["test/test_scatter.py", "7"]]);
  });

  it("JUnit: a failure without a reason of its own has its first message for one", () => {
    const xml = smokeJunit(reportOf(result("own", "own", { outcome: "failed", messages: [{ message: "1 != 2" }, { message: "3 != 4" }] }), result("two", "two", { outcome: "failed" })));
    assert.match(xml, /<failure message="1 != 2" type="failed">1 != 2\n3 != 4<\/failure>/);
    assert.match(xml, /<failure message="failed" type="failed"><\/failure>/);
  });

  it("JUnit: what XML cannot hold, and what only terminals know, is left out", () => {
    const output = "\u001b]0;title\u0007\u001b[1;31mred\u001b[0m \u001b]8;;https://a.b\u001b\\link\u001b]8;;\u001b\\ nul:\0 bell:\u0007 \ufffe\uffff \ud800 \u{1f600} ]]> <a>&amp;\r\n\tend\n";
    const [one] = casesOf(reportOf(result("own", "a\0\u001b[1mb", { output, outcome: "crashed", reason: "\u0001\u000b" })));
    assert.equal(one?.["system-out"], "red link nul:\ufffd bell:\ufffd \ufffd\ufffd \ufffd \u{1f600} ]]> <a>&amp;\r\n\tend\n");
    assert.equal(one.name, "a\ufffdb");
  });

  it("a symbol is spelt as the report of a build spells it", () => {
    const report = reportOf(result("own", "own", { outcome: "failed", explanation: { rule: "torch-symbols", cause: "torch-drift", headline: "It was built for another torch.", fix: "Rebuild it.", copy: "pip install .", message: "f(std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > const&) is missing." } }));
    assert.match(smokeText(report, { workingDirectory: "/p", colours: false }), /^ {2}because: f\(std::__cxx11::string const&\) is missing\. \[torch-symbols, \S+\]\n {2}to do: Rebuild it\.\n {4}pip install \.$/m);
    assert.match(smokeJunit(report), /torch-symbols: f\(std::__cxx11::string const&amp;\) is missing\. Rebuild it\./);
  });

  it("text: a test of pytest is named with its file, as --test takes it", () => {
    assert.equal(endedLine(gather, false), "passed    test/test_gather.py::test_forward 1 ms\n");
    assert.equal(endedLine(inside[0] as TestResult, false), "passed    core 1 ms\n");
    const text = smokeText(reportOf({ ...gather, outcome: "skipped", skipped: "other", reason: "Later." }, scatter), { workingDirectory: "/p", colours: false });
    assert.match(text, /^failed test\/test_scatter\.py::test_forward \(1 ms\)$/m);
    assert.match(text, /^skipped test\/test_gather\.py::test_forward \(other: Later\.\)$/m);
  });
});
