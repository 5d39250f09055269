import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { after, describe, it } from "node:test";
import Ajv from "ajv";
import { execa } from "execa";
import explainSchema from "../../docs/schema/explain.schema.json" with { type: "json" };
import fitsSchema from "../../docs/schema/fits.schema.json" with { type: "json" };
import { explain } from "../../src/cli/explain.ts";
import { explainText } from "../../src/cli/reporters/explainText.ts";
import { causes } from "../../src/engine/diagnosis/explain/index.ts";
import type { ExplainReport, ExplainVerdict } from "../../src/engine/model/index.ts";
import { commandLine } from "../support/commandLine.ts";
import type { Outcome } from "../support/commandLine.ts";
import { writeTorch, writeVenv } from "../support/fake-torch.ts";

const root = path.resolve(import.meta.dirname, "../..");
const scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "abiding-explain-")));
after(() => fs.rmSync(scratch, { recursive: true }));

const variables = { HOME: scratch, PATH: path.join(scratch, "nothing") };

const run = commandLine(scratch, variables);
const abiding = (...words: readonly string[]): Promise<Outcome> => run(explain, ...words);

/** A file with the text of an error. */
function log(text: string | Uint8Array, name = "error.log"): string {
  fs.writeFileSync(path.join(scratch, name), text);
  return name;
}

async function piped(args: readonly string[], input: string): Promise<Outcome> {
  const result = await execa(process.execPath, [path.join(root, "src/cli/main.ts"), "explain", ...args], { cwd: scratch, input, reject: false, stripFinalNewline: false, env: { VIRTUAL_ENV: undefined, CONDA_PREFIX: undefined, ...variables } });
  return { status: result.exitCode, out: result.stdout, err: result.stderr };
}

const twin = "ImportError: /srv/app/_C.so: undefined symbol: _ZN3c105ErrorC2ENS_14SourceLocationESs";
const ajv = new Ajv({ strict: true, allowUnionTypes: true }).addSchema(fitsSchema, "fits.schema.json");
const isReport = ajv.compile(explainSchema);

function reportOf({ status, out, err }: Outcome): ExplainReport {
  assert.ok(status === 0 || status === 1, err);
  const report = JSON.parse(out) as ExplainReport;
  assert.ok(isReport(report), JSON.stringify(isReport.errors));
  return report;
}

describe("abiding explain", () => {
  it("explains a file", async () => {
    const outcome = await abiding(log(`collecting ...\n${twin}\n`));
    assert.equal(outcome.status, 0, outcome.err);
    assert.match(outcome.out, /_C\.so/);
    assert.match(outcome.out, /^ {2}\w+, line 2, rule libstdcxx-abi$/m);
  });

  it("gives JSON of the published schema, with places that count in the text", async () => {
    const report = reportOf(await abiding("--format", "json", log(`first\nsecond\n${twin}\n`)));
    assert.deepEqual(report.verdicts.map((one) => [one.cause, one.rule, one.lines]), [["libstdcxx-abi", "libstdcxx-abi", { first: 3, last: 3 }]]);
    assert.equal(report.against, null);
  });

  it("ends with 1 where nothing is recognised, and says what was looked for", async () => {
    const { status, out } = await abiding(log("all 12 tests passed in 3.1 s\n"));
    assert.equal(status, 1);
    assert.match(out, /^Nothing in this text was recognised\.$/m);
    assert.match(out, /Looked for: errors of the dynamic loader/);
    assert.match(out, /report the text\s+as an issue/);
  });

  it("says with what it was compared", async () => {
    writeTorch(path.join(writeVenv(path.join(scratch, "project/.venv"), "3.11.4"), "torch"), { version: "2.14.1+cpu" });
    const { out } = await abiding("--root", "project", log(twin));
    assert.match(out.replaceAll(/\s+/g, " "), new RegExp(`Compared with torch 2\\.14\\.1\\+cpu \\(${path.join(scratch, "project/.venv")}\\), the one found around this folder; --against names the one in which it failed\\.`));
  });

  it("says clearly why it cannot run", async () => {
    fs.mkdirSync(path.join(scratch, "folder"), { recursive: true });
    log(twin);
    const refused = async (args: readonly string[], expected: RegExp): Promise<void> => {
      const { status, out, err } = await abiding(...args);
      assert.deepEqual([status, out], [2, ""]);
      assert.match(err, expected);
    };
    await refused([log("\n \n", "blank.log")], /blank\.log is empty\.$/);
    await refused(["folder"], /folder is a folder; name the log\. .*abiding explain -/);
    await refused(["nowhere.log"], /nowhere\.log does not exist\. .*abiding explain -/);
    await refused(["error.log/x"], /error\.log\/x does not exist\./);
    await refused([process.execPath], /is a program or a shared library, not the text of an error; `abiding fits/);
    await refused(["one", "two"], /explain takes one file, and got 2/);
    await refused(["--against", "nowhere", "error.log"], /nowhere does not exist/);
    await refused(["--against", "torch==2.8.0", "--against", "torch==2.9.0", "error.log"], /compares with one torch, and got 2/);
    await refused(["--root", "nowhere", "error.log"], /--root .*nowhere is no folder/);
    await refused(["--format", "sarif", "error.log"], /--format must be one of text, json/);
  });

  it("reads a pipe that has a name, and a device without an end no further than it reads a log", { skip: process.platform === "win32" }, async () => {
    execFileSync("mkfifo", [path.join(scratch, "pipe")]);
    const [outcome] = await Promise.all([abiding("pipe"), fs.promises.writeFile(path.join(scratch, "pipe"), twin)]);
    assert.match(outcome.out, /^ {2}\w+, line 1, rule libstdcxx-abi$/m);
    const { status, err } = await abiding("/dev/zero");
    assert.deepEqual([status, /^\/dev\/zero holds more than 256 MiB; /.test(err)], [2, true], err);
  });

  it("reads standard input, and says so where that is empty", async () => {
    const { status, out, err } = await piped([], "");
    assert.deepEqual([status, out, err], [2, "", "abiding: Standard input is empty.\n"]);
  });

  it("writes the report of a log from a pipe to a file, with nothing in it that a terminal would obey", async () => {
    const hostile = "\u001b[31mImportError: /srv/\u202eapp/_C.so: undefined symbol: _ZN3c105ErrorC2ENS_14SourceLocationESs\u001b]0;title\u0007\n";
    const { status, out } = await piped(["--output", "report.txt", "-"], `${"[ 12%] Building CXX object ops/CMakeFiles/ops.dir/ops.cpp.o\n".repeat(33_000)}${hostile}`);
    assert.deepEqual([status, out], [0, ""]);
    const text = fs.readFileSync(path.join(scratch, "report.txt"), "utf8");
    assert.match(text, /line 33001, rule libstdcxx-abi/);
    assert.doesNotMatch(text, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/u);
  });
});

const verdict: ExplainVerdict = {
  cause: "torch-drift", rule: "torch-symbols", confidence: "likely", headline: "_C.so was built for another torch.", because: ["It asks for a symbol."], fixes: ["Rebuild it.", "Take the other wheel."],
  copy: "pip install --no-build-isolation .", needs: ["Name the torch with --against."], lines: { first: 4, last: 6 }, words: "undefined symbol: _ZN1aE", occurrences: 3,
  symbols: [{ symbol: "_ZN1aE", demangled: "a", torch: { since: "2.1.0", until: "2.3.1", source: "table" }, successor: { symbol: "_ZN1bE", demangled: "b", torch: { since: "2.4.0", until: null } } }],
  consequences: Array.from({ length: 7 }, (_, at) => ({ line: 10 + at, words: "ninja: build stopped" })),
};

describe("the text of an explanation", () => {
  const report: ExplainReport = { schema: 1, against: { torch: "2.8.0", source: "environment", name: "/opt/venv", chosen: "named" }, verdicts: [verdict, { ...verdict, rule: null, fixes: ["Rebuild it."], lines: { first: 9, last: 9 }, occurrences: 1, consequences: [] }], notChecked: ["The driver was not looked at."] };

  it("marks the first of several, and has evidence, fixes, what to paste, what would settle it, and what follows", () => {
    assert.deepEqual(explainText(report, false).split("\n"), [
      "1. First: _C.so was built for another torch.",
      "  likely, lines 4 to 6, said 3 times, rule torch-symbols",
      "    undefined symbol: _ZN1aE",
      "", "  Why", "    - It asks for a symbol.",
      "", "  The symbol", "    - a", "      in torch 2.1.0 to 2.3.1", "      in torch 2.4.0 and later instead: b",
      "", "  What to do, the best first", "    - Rebuild it.", "    - Take the other wheel.",
      "", "    pip install --no-build-isolation .",
      "", "  What would settle it", "    - Name the torch with --against.",
      "", "  Only follows from it", ...Array.from({ length: 5 }, (_, at) => `    line ${10 + at}: ninja: build stopped`), "    and 2 more lines",
      "",
      "2. _C.so was built for another torch.",
      "  likely, line 9",
      "    undefined symbol: _ZN1aE",
      "", "  Why", "    - It asks for a symbol.",
      "", "  The symbol", "    - a", "      in torch 2.1.0 to 2.3.1", "      in torch 2.4.0 and later instead: b",
      "", "  What to do", "    - Rebuild it.",
      "", "    pip install --no-build-isolation .",
      "", "  What would settle it", "    - Name the torch with --against.",
      "", "Compared with torch 2.8.0 (/opt/venv).",
      "", "Not checked", "  The driver was not looked at.", "",
    ]);
  });

  it("says of a cause that is certain what its remedy depends on: there is nothing to settle", () => {
    const text = explainText({ ...report, verdicts: [{ ...verdict, confidence: "certain" }] }, false);
    assert.match(text, /^ {2}What the remedy depends on\n {4}- Name the torch with --against\.$/m);
    assert.doesNotMatch(text, /What would settle it/);
  });

  it("is coloured for terminals only", () => {
    const coloured = explainText(report, true);
    assert.match(coloured, /^\u001b\[1m1\. First: /);
    assert.equal(coloured.replace(/\u001b\[\d+m/g, ""), explainText(report, false));
  });
});

it("docs/explain.md lists every cause once, each with a sentence", () => {
  const page = fs.readFileSync(path.join(root, "docs/explain.md"), "utf8");
  const rows = [...page.matchAll(/^\| `([a-z0-9-]+)` \| (\S.+\.) \|$/gm)].map(([, name]) => name);
  assert.deepEqual(rows.toSorted(), Object.keys(causes).toSorted());
});

it("every rule that a cause names has its page", () => {
  for (const rule of Object.values(causes)) {
    assert.ok(rule === null || fs.existsSync(path.join(root, "docs/rules", `${rule}.md`)), String(rule));
  }
});
