import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { after, describe, it } from "node:test";
import { Ajv } from "ajv";
import schema from "../../../docs/schema/build.schema.json" with { type: "json" };
import { UsageError } from "../../../src/cli/arguments.ts";
import { build } from "../../../src/cli/workshop/build.ts";
import { environment, scratchFolder, writeFiles } from "./support.ts";

const { folder: scratch, remove } = scratchFolder("build-cli");
after(remove);
const isReport = new Ajv({ allErrors: true }).compile(schema);

interface Outcome {
  readonly status: number | undefined;
  readonly out: string;
  readonly err: string;
}

async function abiding(cwd: string, args: readonly string[], variables: Readonly<Record<string, string>> = {}): Promise<Outcome> {
  let out = "";
  let err = "";
  try {
    const status = await build(args, {
      workingDirectory: cwd, environment: { ...environment, Torch_DIR: path.join(torch, "share/cmake/Torch"), ...variables }, version: "0.0.0", colours: false,
      progress: () => undefined,
      say: (text) => { err += text; },
      deliver: (text) => { out += text; },
    });
    return { status, out, err };
  } catch (error) {
    // As main does.
    assert.ok(error instanceof UsageError, String(error));
    return { status: 2, out, err: `${err}abiding: ${error.message}\n` };
  }
}

function report(outcome: Outcome): Record<string, unknown> {
  const parsed = JSON.parse(outcome.out) as Record<string, unknown>;
  assert.equal(isReport(parsed), true, JSON.stringify(isReport.errors));
  return parsed;
}

const flag = "-D_GLIBCXX_USE_CXX11_ABI=0";
const lists = (options: string): string => `cmake_minimum_required(VERSION 3.22)
project(ops CXX)
set(CMAKE_CXX_STANDARD 20)
add_library(ops SHARED ops.cpp)
target_compile_options(ops PRIVATE ${options})
find_package(Torch REQUIRED)
target_link_libraries(ops PRIVATE \${TORCH_LIBRARIES})
`;
/** As much of a torch as CMake and the compiler ask for here. */
const torch = writeFiles(path.join(scratch, "torch"), {
  "include/torch/torch.h": "#pragma once\n",
  "share/cmake/Torch/TorchConfig.cmake": 'set(TORCH_LIBRARIES m)\ninclude_directories(SYSTEM "${CMAKE_CURRENT_LIST_DIR}/../../../include")\n',
});
const against = ["--against", "torch==2.14.1+cu130"];

function project(name: string, options = flag, source = "int ops() { return 1; }\n"): string {
  return writeFiles(path.join(scratch, name), { "CMakeLists.txt": lists(options), "ops.cpp": `#include <torch/torch.h>\n${source}` });
}

describe("abiding build", () => {
  it("stops before a build that would be skewed, builds it when told to, and mends it with --fix", async () => {
    const root = project("skewed");
    const stopped = await abiding(root, [...against, "--format", "json"]);
    assert.equal(stopped.status, 1);
    const found = report(stopped) as { outcome: string; reason: string; steps: object[]; before: { rule: string; location: object }[] };
    assert.deepEqual([found.outcome, found.steps, found.before.map((one) => [one.rule, one.location])], ["stopped", [], [["libstdcxx-abi", { path: "CMakeLists.txt", line: 5, column: 36, endLine: 5, endColumn: 62 }]]]);
    assert.match(found.reason, /^The build would carry what libstdcxx-abi found before it in CMakeLists\.txt:5\. _GLIBCXX_USE_CXX11_ABI is 0 /);
    assert.equal(fs.existsSync(path.join(root, "build")), false);

    const built = await abiding(root, [...against, "--fail-on", "never"]);
    assert.equal(built.status, 0, built.err);
    assert.match(built.out, /^built {2}CMake.*/);
    assert.match(built.out, /Found before the build\n {2}error libstdcxx-abi {2}CMakeLists\.txt:5:36\n/);
    assert.match(built.out, /Built\n {2}build\/libops\.so\n/);
    assert.match(built.err, /^abiding: One finding before the build:$/m);
    assert.match(built.err, /^ {2}fix Delete -D_GLIBCXX_USE_CXX11_ABI=0$/m);
    assert.match(built.err, /^abiding: \S*cmake --build /m);

    const mended = await abiding(root, [...against, "--fix"]);
    assert.equal(mended.status, 0, mended.err);
    assert.match(mended.err, /^abiding: Applied in CMakeLists\.txt: Delete -D_GLIBCXX_USE_CXX11_ABI=0\.$/m);
    assert.doesNotMatch(fs.readFileSync(path.join(root, "CMakeLists.txt"), "utf8"), /CXX11_ABI/);
  });

  it("finds skew that only the configured cache brings about, before it builds", async () => {
    const root = project("cached", "-O1");
    const outcome = await abiding(root, [...against, "--format", "json"], { CXXFLAGS: flag });
    const found = report(outcome) as { outcome: string; steps: { name: string }[]; before: { rule: string }[] };
    assert.deepEqual([outcome.status, found.outcome, found.steps.map((step) => step.name), found.before.map((one) => one.rule)], [1, "stopped", ["configure"], ["libstdcxx-abi"]]);
    const other = report(await abiding(root, [...against, "--build-dir", path.join(scratch, "outside"), "--format", "json"])) as { outcome: string; before: object[] };
    assert.deepEqual([other.outcome, other.before], ["built", []]);
    const again = report(await abiding(root, [...against, "--build-dir", path.join(scratch, "outside"), "--fresh", "--format", "json"], { CXXFLAGS: flag })) as { outcome: string; before: { rule: string }[] };
    assert.deepEqual([again.outcome, again.before.map((one) => one.rule)], ["stopped", ["libstdcxx-abi"]]);
  });

  it("ends with 1 when the build fails, and says where", async () => {
    const root = project("failing", "-O1", "int ops() { return nothing; }\n");
    const outcome = await abiding(root, ["--format", "json"]);
    const found = report(outcome) as { outcome: string; problems: { tool: string; location: object }[] };
    assert.deepEqual([outcome.status, found.outcome, found.problems.map((one) => [one.tool, one.location])], [1, "failed", [["gcc", { path: "ops.cpp", line: 2, column: 20, endLine: 2, endColumn: 20 }]]]);
    assert.match((await abiding(root, [])).out, /error gcc ops\.cpp:2:20: /);
  });

  it("ends with 2 when it cannot start", async () => {
    const root = project("unstarted", "-O1");
    fs.writeFileSync(path.join(root, "CMakePresets.json"), JSON.stringify({ version: 3, configurePresets: [{ name: "base", hidden: true, binaryDir: "${sourceDir}/out" }, { name: "host", inherits: "base" }] }));
    fs.mkdirSync(path.join(scratch, "empty"), { recursive: true });
    for (const [args, message, variables] of [
      [["--preset", "nope"], /^abiding: There is no configure preset nope; there is host\.$/m],
      [["--preset", "base"], /^abiding: The preset base is hidden: others inherit from it, and it cannot be used itself; there is host\.$/m],
      [["--build", "nope"], /^abiding: --build nope: there is no such build; there (?:is|are) cmake:host/m],
      [["--wheel"], /^abiding: Nothing in .* is built by Python/m],
      [["--wheel", "--editable"], /exclude each other/],
      [["--jobs", "many"], /--jobs must be a number of processes such as 4; it is "many"/],
      [["--fail-on", "info"], /--fail-on must be one of error, warning, never; it is "info"/],
      [["--interpreter", "nowhere"], /--interpreter .*nowhere does not exist/],
      [["--against", "torch==99.1"], /99\.1/],
      [["--colour"], /--colour/],
      [["nowhere"], /nowhere does not exist/],
      [[path.join(scratch, "empty")], /^abiding: Nothing was found to build in /m],
      [["--build-dir", "/proc/abiding"], /^abiding: .*\/proc\/abiding: it does not exist \(ENOENT\)\.$/m],
      [[], /^failed {2}CMake.*\n {2}The program "cmake" was not found: (?:.*\n)+?.*Install CMake \(apt-get install cmake/m, { PATH: "/nowhere" }],
    ] as const) {
      const outcome = await abiding(root, args, variables);
      assert.equal(outcome.status, 2, `${args.join(" ")}: ${outcome.err}`);
      assert.match(`${outcome.err}${outcome.out}`, message);
      assert.doesNotMatch(outcome.err, /\n\s+at /);
    }
  });

  it("lists what can be built, and shows how its environment differs", async () => {
    const root = project("listed", "-O1");
    assert.match((await abiding(root, ["--list"])).out, /^cmake:build {2}.*\(default\)$/m);
    const listed = JSON.parse((await abiding(root, ["--list", "--format", "json"])).out) as { builds: { id: string; kind: string }[] };
    assert.deepEqual(listed.builds.map((one) => [one.id, one.kind]), [["cmake:build", "cmake"]]);
    writeFiles(root, Object.fromEntries(Array.from({ length: 22 }, (_, index) => [`examples/${index}/CMakeLists.txt`, "project(example)\n"])));
    const many = (await abiding(root, ["--list"])).out.trimEnd().split("\n");
    assert.deepEqual([many.length, many.at(-1)], [21, "and 3 more: --format json lists all, abiding build FOLDER --list those of one folder"]);
    const python = writeFiles(path.join(scratch, "venv"), { "pyvenv.cfg": "home = /usr/bin\nversion = 3.11.2\n", "bin/python": "" });
    const shown = await abiding(root, ["--show-environment", "--interpreter", python]);
    assert.equal(shown.status, 0, shown.err);
    assert.match(shown.out, new RegExp(`^\\+ VIRTUAL_ENV=${python}$`, "m"));
    assert.match(shown.out, new RegExp(`^~ PATH: \\+${python}/bin$`, "m"));
  });
});
