/** `abiding smoke`: exit statuses, reports in their three forms, lists. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { Ajv } from "ajv";
import { execa } from "execa";
import { XMLParser } from "fast-xml-parser";
import { UsageError } from "../../../src/cli/arguments.ts";
import { smoke } from "../../../src/cli/workshop/smoke.ts";
import { root } from "../../harness/locations.ts";
import { environment, Project, testFile } from "./support.ts";

const ajv = new Ajv({ allErrors: true, strict: true, allowUnionTypes: true });
ajv.addFormat("date-time", (text: string) => !Number.isNaN(Date.parse(text)));
const isReport = ajv.compile(JSON.parse(readFileSync(join(root, "docs/schema/smoke.schema.json"), "utf8")) as object);

interface Suite {
  readonly testsuites: {
    readonly tests: string; readonly failures: string; readonly errors: string;
    readonly testsuite: readonly { readonly name: string; readonly skipped: string; readonly testcase: readonly { readonly name: string; readonly failure?: { readonly message: string }; readonly error?: { readonly message: string; readonly type: string }; readonly skipped?: { readonly message: string }; readonly "system-out"?: string }[] }[];
  };
}

describe("abiding smoke", () => {
  const project = new Project();
  const at = (...parts: readonly string[]): string => join(project.root, ...parts);
  /** In this process, which is quicker; the program itself is started once below. */
  const abiding = async (...args: readonly string[]): Promise<{ readonly status: number; readonly out: string; readonly err: string }> => {
    let [out, err] = ["", ""];
    const status = await smoke(args, {
      workingDirectory: project.root, environment, version: "0.0.0", colours: false, progress: () => undefined, say: (text) => void (err += text),
      deliver: (text, file) => (file === undefined ? void (out += text) : writeFileSync(at(file), text)),
    }).catch((error: unknown) => {
      if (!(error instanceof UsageError)) throw error;
      err += `abiding: ${error.message}\n`;
      return 2;
    });
    return { status, out, err };
  };
  after(() => project[Symbol.dispose]());
  before(() => {
    project.file("abiding.json", JSON.stringify({ smoke: [
      { name: "mixed", ctest: "mixed" }, { name: "good", ctest: "good" }, { name: "own", command: ["/bin/sh", "-c", "echo hello; sleep 0"] }, { name: "slow", command: ["/bin/sh", "-c", "echo up; sleep 600"] },
    ] }));
    project.file("good/CTestTestfile.cmake", testFile([{ name: "one", command: ["/bin/true"], properties: { LABELS: "quick" } }, { name: "two", command: ["/bin/echo", "shown"] }]));
    const loud = project.file("loud.sh", "#!/bin/sh\nprintf '\\033[31mred\\033[0m \\001 <b> ]]> & \"q\"\\n'; echo 'a.c:3: Failure'; echo words; exit 1\n");
    project.file("mixed/CTestTestfile.cmake", testFile([
      { name: "bad <&\"'>", command: [loud] }, { name: "gone", command: [at("nothing")] }, { name: "off", command: ["/bin/true"], properties: { DISABLED: "ON" } },
      { name: "crash", command: ["/bin/sh", "-c", "kill -SEGV $$"] }, { name: "late", command: ["/bin/sleep", "600"], properties: { TIMEOUT: "1" } }, { name: "fine", command: ["/bin/true"] },
      { name: "leaves", command: ["/bin/sh", "-c", "sleep 600 >/dev/null 2>&1 &"] },
    ]));
  });

  it("answers 0 when all passed", async () => {
    const { status, out, err } = await abiding("--plan", "good");
    assert.equal(status, 0, out + err);
    assert.match(out, /^2 passed in [\d.]+ m?s$/m);
    assert.match(err, /^passed {4}one [\d.]+ m?s$/m);
  });

  it("answers 1 when something did not, and says what", async () => {
    const { status, out } = await abiding("--plan", "mixed");
    assert.equal(status, 1);
    assert.match(out, /^failed bad <&"'> \([\d.]+ m?s\)\n {2}It ended with the exit status 1\.\n {2}mixed\/a\.c:3 words$/m);
    assert.match(out, /^ {2}\| red \\x01 <b> \]\]> & "q"$/m);
    assert.match(out, /^missing executable gone /m);
    assert.match(out, /^crashed crash /m);
    assert.match(out, /^timed out late /m);
    assert.match(out, /^skipped off \(disabled: It is disabled \(DISABLED\)\.\)$/m);
    assert.match(out, /^! leaves: 1 process outlived it and was ended\.$/m);
    assert.match(out, /^2 passed, 1 failed, 1 crashed, 1 timed out, 1 missing executable, 1 skipped in /m);
    assert.equal(out.includes("\u001b"), false);
  });

  it("answers 2 when there is nothing to run", async () => {
    const empty = new Project();
    try {
      const { exitCode, stderr } = await execa(process.execPath, [join(root, "src/cli/main.ts"), "smoke", empty.root], { reject: false, env: environment, extendEnv: false });
      assert.equal(exitCode, 2);
      assert.match(stderr, /^abiding: No tests were found in .*: no add_test\(\) or gtest_discover_tests\(\) in a CMake project, no test_\*\.py, and no "smoke" in abiding\.json\.$/m);
    } finally {
      empty[Symbol.dispose]();
    }
    const none = await abiding("--plan", "good", "--test", "nothing-like-it");
    assert.equal(none.status, 2);
    assert.match(none.err, /--test nothing-like-it: there is no such test\./);
    assert.equal((await abiding("--plan", "no")).err.trim(), "abiding: --plan no: there is no such plan; there are mixed, good, own, slow.");
    assert.match((await abiding("--repeat", "0")).err, /--repeat must be a whole number from 1 on/);
    assert.match((await abiding("--format", "xml")).err, /--format must be one of text, json, junit/);
    assert.match((await abiding("--time-limit", "0s")).err, /--time-limit must be a time above zero such as 90s or 5m; it is "0s"\./);
    assert.match((await abiding("--interpreter", "nowhere/python")).err, /--interpreter .*nowhere\/python does not exist\./);
    assert.match((await abiding("--interpreter", "good")).err, /--interpreter .*good holds no Python/);
    assert.equal((await abiding("no-such-folder")).status, 2);
  });

  it("answers 2 when a part could not be run, though the rest passed", async () => {
    project.file("half/abiding.json", JSON.stringify({ smoke: [{ name: "own", command: ["/bin/true"] }, { name: "unbuilt", ctest: "build" }] }));
    const { status, out } = await abiding("half");
    assert.equal(status, 2);
    assert.match(out.replaceAll(/\s+/g, " "), /! unbuilt: \S*half\/build does not exist: the project is not configured yet\. Build it first \(abiding build\)\. 1 passed in/);
  });

  it("answers 130 when it is interrupted, and reports what it has", async () => {
    const child = execa(process.execPath, [join(root, "src/cli/main.ts"), "smoke", "--plan", "good", "--plan", "slow", "-v", "--format", "json"], { cwd: project.root, reject: false, env: environment, extendEnv: false });
    child.stderr.on("data", (data: Buffer) => {
      if (data.includes("up\n")) child.kill("SIGINT");
    });
    const { exitCode, stdout } = await child;
    assert.equal(exitCode, 130);
    const report = JSON.parse(stdout) as { readonly outcome: string; readonly results: readonly { readonly label: string; readonly outcome: string }[] };
    assert.equal(isReport(report), true, JSON.stringify(isReport.errors));
    assert.deepEqual([report.outcome, report.results.map((one) => [one.label, one.outcome])], ["cancelled", [["one", "passed"], ["two", "passed"], ["slow", "cancelled"]]]);
  });

  it("--format json is what its schema says", async () => {
    const { out } = await abiding("--plan", "mixed", "--plan", "own", "--format", "json", "--repeat", "2");
    const report = JSON.parse(out) as { readonly results: readonly { readonly label: string; readonly outcome: string; readonly messages: readonly { readonly location?: unknown }[] }[] };
    assert.equal(isReport(report), true, JSON.stringify(isReport.errors));
    assert.deepEqual(report.results[0]?.messages[0]?.location, { path: "mixed/a.c", line: 3, column: 1, endLine: 3, endColumn: 1 });
  });

  it("--format junit calls nothing skipped that is not", async () => {
    const { status } = await abiding("--plan", "mixed", "--format", "junit", "--output", "report.xml");
    assert.equal(status, 1);
    const parser = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: "", isArray: (name) => name === "testsuite" || name === "testcase", parseAttributeValue: false, parseTagValue: false, trimValues: false });
    const { testsuites } = parser.parse(readFileSync(at("report.xml"), "utf8"), true) as Suite;
    assert.deepEqual([testsuites.tests, testsuites.failures, testsuites.errors], ["7", "1", "3"]);
    const [suite] = testsuites.testsuite;
    assert.deepEqual([suite?.name, suite?.skipped], ["mixed", "1"]);
    const cases = Object.fromEntries((suite?.testcase ?? []).map((one) => [one.name, one]));
    assert.equal(cases["bad <&\"'>"]?.failure?.message, "It ended with the exit status 1.");
    assert.equal(cases["bad <&\"'>"]?.["system-out"], "red \ufffd <b> ]]> & \"q\"\na.c:3: Failure\nwords\n");
    assert.deepEqual(["gone", "crash", "late"].map((name) => cases[name]?.error?.type), ["missing-executable", "crashed", "timed-out"]);
    assert.equal(cases["off"]?.skipped?.message, "It is disabled (DISABLED).");
    assert.deepEqual(Object.keys(cases["fine"] ?? {}).filter((key) => ["failure", "error", "skipped"].includes(key)), []);
  });

  it("--list shows the tests, as text and as its schema says", async () => {
    const text = await abiding("--list", "--plan", "good");
    assert.equal(text.status, 0);
    assert.equal(text.out, "good\n  one [quick]\n  two\n\n2 tests\n");
    const { out } = await abiding("--list", "--static", "--plan", "good", "--plan", "own", "--format", "json");
    const list = JSON.parse(out) as { readonly tests: readonly { readonly id: string }[] };
    assert.equal(isReport(list), true, JSON.stringify(isReport.errors));
    assert.deepEqual(list.tests.map((one) => one.id), ["good", "good::one", "good::two", "own"]);
  });

  it("--verbose shows what tests print, --help says how it is called", async () => {
    assert.match((await abiding("--plan", "good", "-v")).err, /^shown$/m);
    assert.match((await abiding("--help")).out, /^ {2}abiding smoke \[PATH\]/m);
  });
});
