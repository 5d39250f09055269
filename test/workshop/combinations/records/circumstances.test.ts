/** What a combination is made of, by files and by git. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { after, before, describe, it } from "node:test";
import { combinationOf } from "../../../../src/workshop/combinations/index.ts";
import { compilerOfBuild, compilerOfFile } from "../../../../src/workshop/combinations/records/compiler.ts";
import { projectNameOf } from "../../../../src/workshop/combinations/records/project.ts";
import { withoutCredentials, withoutPlaces } from "../../../../src/workshop/combinations/records/withoutPrivate.ts";
import { Folder } from "./support.ts";

describe("the circumstances of a record", () => {
  const folder = new Folder();
  let venv = "";
  let first = "";
  before(() => {
    venv = folder.environment("venv");
    folder.file("project/pyproject.toml", "[project]\nname = \"Fast_Ops\"\nversion = \"1.4\"\n");
    folder.file("project/.abiding/combinations.jsonl", "");
    folder.file("other/x.txt", "");
    folder.git("init", "--quiet", "--initial-branch=main");
    folder.git("add", "project", "other");
    folder.git("commit", "--quiet", "--message=first");
    first = folder.git("rev-parse", "HEAD");
  });
  after(() => folder[Symbol.dispose]());
  const root = folder.at("project");
  const machine = { gpu: "irrelevant", platform: "linux-x86_64" } as const;

  it("are those of the environment, which is not run", async () => {
    assert.deepEqual(await combinationOf({ root, environment: venv, ...machine }, folder.workshop), {
      project: { name: "Fast_Ops", version: "1.4", commit: first },
      torch: { version: "2.13.0+cpu", gitVersion: "0123456789abcdef0123456789abcdef01234567" },
      packages: { torchvision: "0.28.0+cpu" }, python: "3.12", cuda: null, platform: "linux-x86_64",
    });
  });

  it("are of no environment where another torch is named", async () => {
    assert.deepEqual(await combinationOf({ root, environment: venv, torch: { version: "2.12.0", index: "https://me:secret@example.org/simple?token=1" }, ...machine }, folder.workshop), {
      project: { name: "Fast_Ops", version: "1.4", commit: first }, torch: { version: "2.12.0", index: "https://example.org/simple" }, platform: "linux-x86_64",
    });
    const same = await combinationOf({ root, environment: venv, torch: { version: "2.13.0" }, ...machine }, folder.workshop);
    assert.deepEqual([same?.torch.version, same?.python], ["2.13.0+cpu", "3.12"]);
    assert.equal(await combinationOf({ root, environment: folder.at("other"), ...machine }, folder.workshop), undefined);
  });

  it("tell the commit of the project's own files, whatever becomes of the records", async () => {
    const project = async (): Promise<unknown> => (await combinationOf({ root, torch: { version: "2.12.0" }, ...machine }, folder.workshop))?.project;
    const named = { name: "Fast_Ops", version: "1.4" };
    folder.file("project/.abiding/combinations.jsonl", "{}\n");
    folder.file("other/x.txt", "changed");
    assert.deepEqual(await project(), { ...named, commit: first });
    folder.git("commit", "--quiet", "--all", "--message=records");
    assert.deepEqual(await project(), { ...named, commit: first });
    folder.file("project/setup.cfg", "");
    assert.deepEqual(await project(), { ...named, commit: first });
    folder.file("project/pyproject.toml", "[project]\nname = \"Fast_Ops\"\nversion = \"1.4\"\n\n");
    assert.deepEqual(await project(), { ...named, commit: first, changed: true });
    folder.git("commit", "--quiet", "--all", "--message=third");
    assert.deepEqual(await project(), { ...named, commit: folder.git("rev-parse", "HEAD") });
    // Of a folder that a repository around it has nothing of, it tells nothing.
    fs.mkdirSync(folder.at("outside"));
    assert.deepEqual((await combinationOf({ root: folder.at("outside"), torch: { version: "2.12.0" }, ...machine }, folder.workshop))?.project, { name: "outside" });
  });

  it("of somebody else's wheel are not the project's", async () => {
    const wheel = await combinationOf({ root, torch: { version: "2.12.0" }, project: { name: "torchvision", version: "0.28.0" }, ...machine }, folder.workshop);
    assert.deepEqual(wheel?.project, { name: "torchvision", version: "0.28.0" });
    const own = await combinationOf({ root, torch: { version: "2.12.0" }, project: { name: "fast-ops", version: "1.3" }, ...machine }, folder.workshop);
    assert.deepEqual([own?.project.name, own?.project.version], ["Fast_Ops", "1.3"]);
  });

  it("name the project as its files do", () => {
    const named = (files: Readonly<Record<string, string>>): unknown => {
      fs.rmSync(folder.at("named"), { recursive: true, force: true });
      fs.mkdirSync(folder.at("named"));
      for (const [name, text] of Object.entries(files)) folder.file(`named/${name}`, text);
      return projectNameOf(folder.at("named"));
    };
    const cmake = "# project(old)\ncmake_minimum_required(VERSION 3.22)\nproject(\n  Gantry # the library\n  VERSION 0.3.1 LANGUAGES CXX)\n";
    assert.deepEqual(named({}), { name: "named" });
    assert.deepEqual(named({ "CMakeLists.txt": cmake }), { name: "Gantry", version: "0.3.1" });
    assert.deepEqual(named({ "CMakeLists.txt": cmake, "pyproject.toml": "[build-system]\nrequires = []\n" }), { name: "Gantry", version: "0.3.1" });
    assert.deepEqual(named({ "CMakeLists.txt": cmake, "pyproject.toml": "[project]\nname = \"gantry-py\"\ndynamic = [\"version\"]\n" }), { name: "gantry-py", version: "0.3.1" });
    assert.deepEqual(named({ "pyproject.toml": "[project\nname = 1\n", "setup.cfg": "[metadata]\nname = ops\nversion = attr: ops.__version__\n[options]\nname = no\n" }), { name: "ops" });
    assert.deepEqual(named({ "setup.py": "# setup(name='no')\nfrom setuptools import setup\nname = 'x'\nsetup(\n    name=\"ops\", version='2.0',\n    url='u')\n" }), { name: "ops", version: "2.0" });
    assert.deepEqual(named({ "setup.py": "setup(name=NAME, version=f'{v}')\n" }), { name: "named" });
  });

  it("tell the compiler of a build folder and of a file", async () => {
    folder.file("build/CMakeFiles/3.25.1/CMakeCXXCompiler.cmake", "set(CMAKE_CXX_COMPILER \"/usr/bin/c++\")\nset(CMAKE_CXX_COMPILER_ID \"Clang\")\nset(CMAKE_CXX_COMPILER_VERSION \"18.1.3\")\n");
    assert.equal(compilerOfBuild(folder.at("build")), "clang 18.1.3");
    assert.equal(compilerOfBuild(folder.at("other")), undefined);
    const library = folder.at("ops.so");
    execFileSync("g++", ["-shared", "-fPIC", "-nostdlib", "-x", "c++", "-", "-o", library], { input: "int f() { return 1; }" });
    const version = execFileSync("g++", ["-dumpfullversion"], { encoding: "utf8" }).trim();
    assert.equal(await compilerOfFile(library), `gcc ${version}`);
    assert.equal(await compilerOfFile(folder.at("other/x.txt")), undefined);
    const combination = await combinationOf({ root, torch: { version: "2.12.0" }, built: [folder.at("other"), folder.at("other/x.txt"), folder.at("build"), library], ...machine }, folder.workshop);
    assert.equal(combination?.compiler, "clang 18.1.3");
  });

  it("hold nothing of users and their folders", () => {
    assert.equal(withoutCredentials("https://me:secret@example.org/simple/?token=1#x"), "https://example.org/simple/");
    assert.equal(withoutCredentials("not an address"), "not an address");
    assert.equal(withoutPlaces("/work/ops/src/a.cpp:1: error in /work/ops and /work/ops2", "/work/ops"), "src/a.cpp:1: error in the project folder and /work/ops2");
  });
});
