import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Ajv } from "ajv";
import { parse } from "jsonc-parser";
import { root } from "../../harness/locations.ts";
import { complaints, ids, place, plan, readMemory } from "./support.ts";

const schema = new Ajv({ allErrors: true, strict: false }).compile(JSON.parse(readFileSync(join(root, "docs/schema/abiding.schema.json"), "utf8")) as object);

const sources = {
  "CMakeLists.txt": "cmake_minimum_required(VERSION 3.22)\nproject(ops LANGUAGES CXX)\n",
  "CMakePresets.json": `{"version": 3, "configurePresets": [{"name": "host", "binaryDir": "\${sourceDir}/out"}, {"name": "far", "condition": false}], "buildPresets": [{"name": "all", "configurePreset": "host", "configuration": "Debug"}]}`,
  "setup.py": "from setuptools import setup\nfrom torch.utils.cpp_extension import CppExtension\nsetup(name='ops', ext_modules=[CppExtension('ops._C', ['a.cpp'])])\n",
};

const whole = `{
  // How it is built.
  "build": [
    { "preset": "host", "arguments": ["-DA=\${env:WANTED}", "-DB=\${other}"], "environment": { "HERE": "\${root}/x", "N": 3 } },
    { "folder": "../elsewhere", "targets": "ops", "name": "far away" },
    { "python": "editable", "arguments": ["a=b"] },
    { "command": [["make", "ext"], ["./check.sh"]], "folder": "native" },
  ],
  "smoke": [
    { "ctest": "out", "labels": ["smoke", "quick"] },
    { "pytest": ["test", "more/test_b.py"], "marker": "smoke and not gpu", "folder": "more" },
    { "command": ["python3", "-m", "ops.smoke"], "name": "ops", "timeLimit": "1.5m" },
    { "command": ["bin/run"], "timeLimit": 4 },
  ],
  "benchmarks": [
    { "google-benchmark": ["out/bench", "--quick"] },
    { "nvbench": ["bench_gpu"] },
    { "pytest-benchmark": ["benchmarks"] },
    { "command": ["python3", "bench.py"], "prints": "nvbench", "folder": "tools" },
  ],
}`;

test("abiding.json names builds, tests and benchmarks", async () => {
  const project = await readMemory({ ...sources, "abiding.json": whole }, { WANTED: "yes" });
  assert.equal(schema(parse(whole)), true, JSON.stringify(schema.errors));
  assert.deepEqual(complaints(project), [`abiding.json:5:17 "folder" leads out of the project, to /elsewhere. It is used as it stands.`]);

  assert.deepEqual(ids(project.builds), ["cmake:host", "far away", "python:editable", "command:make ext"]);
  const [host, far, python, command] = project.builds;
  assert.ok(host?.kind === "cmake" && far?.kind === "cmake" && python?.kind === "python" && command?.kind === "command");
  assert.deepEqual(host, {
    kind: "cmake", id: "cmake:host", label: "CMake preset host", origin: "abiding.json", shownBy: host.shownBy, variables: { HERE: "/p/x", N: "3" }, source: "/p", folder: "/p/out",
    configurePreset: "host", buildPreset: "all", configuration: "Debug", arguments: ["-DA=yes", "-DB=${other}"], targets: [],
  });
  assert.equal(place(host.shownBy), "abiding.json:4:5");
  assert.deepEqual([far.folder, far.targets, far.label], ["/elsewhere", ["ops"], "far away"]);
  assert.deepEqual([python.mode, python.backend, python.source, python.arguments], ["editable", "setuptools", "/p", ["a=b"]]);
  assert.deepEqual([command.folder, command.steps], ["/p/native", [["make", "ext"], ["/p/check.sh"]]]);

  assert.deepEqual(ids(project.smoke), ["ctest:out", "pytest:more", "ops", "command:bin/run"]);
  const [ctest, pytest, ops, run] = project.smoke;
  assert.ok(ctest?.kind === "ctest" && pytest?.kind === "pytest" && ops?.kind === "command" && run?.kind === "command");
  assert.deepEqual([ctest.folder, ctest.labels], ["/p/out", ["smoke", "quick"]]);
  assert.deepEqual([pytest.folder, pytest.paths, pytest.marker], ["/p/more", ["../test", "test_b.py"], "smoke and not gpu"]);
  assert.deepEqual([ops.command, ops.timeLimit, run.command, run.timeLimit], [["python3", "-m", "ops.smoke"], 90_000, ["/p/bin/run"], 4000]);

  assert.deepEqual(project.benchmarks.map(({ id, format, command: words, folder, printsJson }) => ({ id, format, words, folder, printsJson })), [
    { id: "google-benchmark:bench", format: "google-benchmark", words: ["/p/out/bench", "--quick"], folder: "/p", printsJson: false },
    { id: "nvbench:bench_gpu", format: "nvbench", words: ["bench_gpu"], folder: "/p", printsJson: false },
    { id: "pytest-benchmark:benchmarks", format: "pytest-benchmark", words: ["python3", "-m", "pytest", "benchmarks"], folder: "/p", printsJson: false },
    { id: "nvbench:python3", format: "nvbench", words: ["python3", "bench.py"], folder: "/p/tools", printsJson: true },
  ]);
});

test("a mistake costs only itself and is reported with its place", async () => {
  const text = `{
  "build": [
    { "preset": "hots" },
    { "preset": "far" },
    { "preset": "host", "tagrets": ["ops"], "arguments": [1, "-DX=1"] },
    { "python": "sideways" },
    { "python": "wheel", "source": "nowhere" },
    { "command": "make ext" },
    { "folder": "b", "buildPreset": "" },
    { "name": "nothing" },
    3,
  ],
  "smoke": [{ "ctest": "out", "timeLimit": "60s" }, { "command": ["x"], "timeLimit": "soon" }, { "pytest": { } }],
  "benchmarks": [{ "command": ["x"] }, { "command": ["y"], "prints": "words" }, { "google-benchmark": [] }],
}`;
  const project = await readMemory({ ...sources, "abiding.json": text });
  assert.equal(schema(parse(text)), false);
  assert.deepEqual(complaints(project), [
    `abiding.json:5:25 "tagrets" is not a setting of "build" with CMake. It has "name", "environment", "preset", "buildPreset", "folder", "source", "arguments", "targets", "configuration".`,
    `abiding.json:5:59 "arguments" holds something that is no text.`,
    `abiding.json:6:17 "python" must be one of "in-place", "wheel", "editable".`,
    `abiding.json:8:18 "command" must be a list of texts: the program, then its arguments one by one, as in ["make", "-j4"]. No shell reads it.`,
    `abiding.json:9:37 "buildPreset" must be a text that is not empty.`,
    `abiding.json:10:5 An entry of "build" needs "preset", "folder" or "source" for CMake, "python", or "command".`,
    `abiding.json:11:5 "build" must be an object or a list of objects.`,
    `abiding.json:13:31 "timeLimit" is not a setting of "smoke" with "ctest". It has "name", "environment", "ctest", "labels", "configuration".`,
    `abiding.json:13:86 "timeLimit" must be a time above zero such as "60s", "2m" or "1h"; a number by itself counts seconds.`,
    `abiding.json:13:108 "pytest" must be a text or a list of texts.`,
    `abiding.json:14:18 An entry of "benchmarks" needs "prints" beside its "command": the format that it prints on standard output.`,
    `abiding.json:14:70 "prints" must be one of "google-benchmark", "nvbench", "pytest-benchmark".`,
    `abiding.json:14:103 "google-benchmark" must be a list of texts: the program, then its arguments one by one, as in ["make", "-j4"]. No shell reads it.`,
    `abiding.json:3:17 The preset hots is not among those of this folder. The usable ones are host.`,
    `abiding.json:4:17 The preset far cannot be used: it is hidden, or its condition does not hold on this machine. The usable ones are host.`,
    `abiding.json:7:36 nowhere has no setup.py and no pyproject.toml that a Python build could start from.`,
  ]);
  assert.deepEqual(ids(project.builds), ["cmake:host", "cmake:b"]);
  assert.deepEqual(plan(project.builds, "cmake:host").variables, {});
  assert.deepEqual(ids(project.smoke), ["ctest:out", "command:x"]);
  assert.deepEqual(ids(project.benchmarks), []);
});

test("an empty section leaves nothing, an absent one what is found", async () => {
  const none = await readMemory({ ...sources, "test/test_a.py": "def test_a(): pass\n", "abiding.json": `{"build": [], "smoke": [], "benchmarks": []}` });
  assert.deepEqual([none.builds, none.smoke, none.benchmarks, none.problems], [[], [], [], []]);
  const found = await readMemory({ ...sources, "test/test_a.py": "def test_a(): pass\n", "abiding.json": `{"build": {"python": "wheel"}}` });
  assert.deepEqual([ids(found.builds), ids(found.smoke)], [["python:wheel"], ["pytest"]]);
});

test("two plans of one name are told apart", async () => {
  const project = await readMemory({ ...sources, "abiding.json": `{"smoke": [{"command": ["a"], "name": "x"}, {"command": ["b"], "name": "x"}]}` });
  assert.deepEqual(ids(project.smoke), ["x", "x-2"]);
});

test("a broken abiding.json leaves the project as it is found", async () => {
  const project = await readMemory({ ...sources, "abiding.json": `{"build": {"preset": ` });
  assert.equal(project.builds[0]?.id, "python:in-place");
  assert.equal(complaints(project)[0]?.startsWith("abiding.json:1:"), true);
});
