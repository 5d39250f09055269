import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { describe, it } from "node:test";
import Ajv04 from "ajv-draft-04";
import addFormats from "ajv-formats";
import { Ajv } from "ajv";
import { githubReport } from "../../src/cli/reporters/github.ts";
import { jsonReport } from "../../src/cli/reporters/json.ts";
import type { Report } from "../../src/cli/reporters/report.ts";
import { sarifReport } from "../../src/cli/reporters/sarif.ts";
import { textReport } from "../../src/cli/reporters/text.ts";
import type { Diagnosis } from "../../src/engine/diagnosis/index.ts";
import type { Finding, InstalledBody, Location } from "../../src/engine/model/index.ts";
import checkSchema from "../../docs/schema/check.schema.json" with { type: "json" };

const require = createRequire(import.meta.url);
const sarifSchema = require("@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json") as object;

function at(path: string, line: number, from: number, to: number): Location {
  return { path, range: { start: { line, character: from }, end: { line, character: to } } };
}

const installed: InstalledBody = {
  role: "installed",
  name: "torch 2.8.0+cu128",
  source: "catalogue",
  facts: [
    { trait: "torch-version", value: "2.8.0+cu128", certainty: "observed", conditions: [], evidence: [{ kind: "catalogue", table: "torch-releases", row: "2.8.0", source: "release notes" }] },
    { trait: "libstdcxx-abi", value: 1, certainty: "observed", conditions: [], evidence: [{ kind: "catalogue", table: "torch-releases", row: "2.8.0", source: "release notes" }] },
    { trait: "cuda-version", value: "12.8", certainty: "observed", conditions: [], evidence: [{ kind: "catalogue", table: "torch-releases", row: "2.8.0", source: "release notes" }] },
  ],
  distributions: [],
  shadowed: [],
  notKnown: [],
};

const finding: Finding = {
  rule: "libstdcxx-abi",
  severity: "error",
  message: "Target ops sets _GLIBCXX_USE_CXX11_ABI to 0, and torch 2.8.0+cu128 has 1: 100% of std::string symbols, at least, differ.",
  target: "ops",
  location: at("/p/my setup.py", 1, 4, 30),
  related: [{ message: "the value comes from here", location: at("/p/cmake/flags.cmake", 0, 0, 3) }],
  against: [{ kind: "catalogue", table: "torch-releases", row: "2.8.0", source: "release notes" }],
  fixes: [{ title: "Delete the define", preferred: true, edits: [{ location: at("/p/my setup.py", 1, 4, 30), newText: "" }] }],
};

const diagnosis: Diagnosis = {
  root: "/p",
  declared: [],
  observations: [],
  requirements: [],
  installed: [installed],
  toolchains: [],
  built: [], scanned: false,
  configured: [
    { folder: "/p/build", comparisons: [{ target: "ops", outcome: "different", undecided: 0, differences: [{ language: "CXX", setting: "-std", read: ["14", "17"], truth: "20", location: at("/p/CMakeLists.txt", 2, 0, 5) }] }] },
  ],
  findings: [finding],
  suppressed: 2,
  gaps: [{ kind: "file", path: "/p/requirements.txt", message: "requirements.txt is binary." }, { kind: "evaluation", path: "/p/setup.py", message: "x stayed unknown." }],
  notChecked: ["Built files were not read."],
  files: ["/p/my setup.py"],
};

const report: Report = {
  diagnosis,
  findings: [finding],
  version: "1.2.3",
  colours: false,
  workingDirectory: "/p",
  lineOf: (file, line) => (file === "/p/my setup.py" && line === 1 ? '\tf("-D_GLIBCXX_USE_CXX11_ABI=0"),' : undefined),
};

describe("the text report", () => {
  it("groups by target, shows the line with a caret, both sides and what was not checked", () => {
    assert.equal(
      textReport(report),
      [
        "/p",
        "checked against torch 2.8.0+cu128 (libstdc++ ABI 1, CUDA 12.8, from the catalogue of releases)",
        "1 build file read, 0 targets",
        "",
        "Target ops",
        "",
        "error libstdcxx-abi  my setup.py:2:5",
        "  Target ops sets _GLIBCXX_USE_CXX11_ABI to 0, and torch 2.8.0+cu128 has 1: 100% of std::string",
        "  symbols, at least, differ.",
        '  2 | \tf("-D_GLIBCXX_USE_CXX11_ABI=0"),',
        `    | \t   ${"^".repeat(26)}`,
        "  see cmake/flags.cmake:1:1: the value comes from here",
        "  saw the catalogue's torch-releases, row 2.8.0",
        "  fix Delete the define",
        "  docs/rules/libstdcxx-abi.md",
        "",
        "Problems in files",
        "  requirements.txt: requirements.txt is binary.",
        "",
        "Not evaluated",
        "  setup.py: x stayed unknown.",
        "",
        "Configured build build",
        "  ops, CXX: -std is 20 in the configured build; the build files read as 14 or 17",
        "    (CMakeLists.txt:3:1).",
        "",
        "Not checked",
        "  Built files were not read.",
        "",
        "Sources of the catalogue's rows",
        "  torch-releases, 2.8.0: release notes",
        "",
        "1 error; 2 suppressed.",
        "",
      ].join("\n"),
    );
  });

  it("has escape sequences only when colours are wanted", () => {
    assert.ok(!textReport(report).includes("\u001b"));
    assert.ok(textReport({ ...report, colours: true }).includes("\u001b[31m"));
  });

  it("never says more than that no conflict was found", () => {
    const text = textReport({ ...report, findings: [] });
    assert.match(text, /No conflict found in what was checked; 2 suppressed\./);
  });
});

describe("the JSON report", () => {
  it("is valid against its published schema and one-based", () => {
    const json = JSON.parse(jsonReport(report)) as { findings: { location: object }[]; against: object; problems: object[]; notEvaluated: object[] };
    const validate = new Ajv({ strict: false }).compile(checkSchema);
    assert.ok(validate(json), JSON.stringify(validate.errors));
    assert.deepEqual(json.findings[0]?.location, { path: "my setup.py", line: 2, column: 5, endLine: 2, endColumn: 31 });
    assert.deepEqual(json.against, { torch: "2.8.0+cu128", source: "catalogue", name: "torch 2.8.0+cu128" });
    assert.deepEqual(json.problems, [{ message: "requirements.txt is binary.", path: "requirements.txt" }]);
    assert.deepEqual(json.notEvaluated, [{ message: "x stayed unknown.", path: "setup.py" }]);
  });
});

describe("the SARIF report", () => {
  it("is valid against the SARIF 2.1.0 schema", () => {
    const log = JSON.parse(sarifReport(report)) as { runs: { results: { locations: { physicalLocation: { artifactLocation: object; region: object } }[] }[] }[] };
    const ajv = new Ajv04({ strict: false, unicodeRegExp: false });
    addFormats(ajv);
    const validate = ajv.compile(sarifSchema);
    assert.ok(validate(log), JSON.stringify(validate.errors));
    const [result] = log.runs[0]?.results ?? [];
    assert.deepEqual(result?.locations[0]?.physicalLocation, {
      artifactLocation: { uri: "my%20setup.py", uriBaseId: "SRCROOT" },
      region: { startLine: 2, startColumn: 5, endLine: 2, endColumn: 31 },
    });
  });
});

describe("the GitHub report", () => {
  it("escapes properties and text", () => {
    assert.equal(
      githubReport(report).split("\n")[0],
      "::error file=my setup.py,line=2,endLine=2,col=5,endColumn=31,title=abiding libstdcxx-abi::Target ops sets _GLIBCXX_USE_CXX11_ABI to 0, and torch 2.8.0+cu128 has 1: 100%25 of std::string symbols, at least, differ.",
    );
  });
});
