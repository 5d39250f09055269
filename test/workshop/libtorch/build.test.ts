import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { describe, it } from "node:test";
import { buildLibtorch } from "../../../src/workshop/libtorch/index.ts";
import type { BuildLibtorchRequest, LibtorchReport } from "../../../src/workshop/libtorch/index.ts";
import { abiFlags } from "../../../src/workshop/libtorch/carry.ts";
import { splitWords } from "../../../src/workshop/libtorch/words.ts";
import type { Variables } from "../../../src/workshop/process/types.ts";
import { writeConsumer, writeReducedTorch } from "./reducedTorch.ts";
import { scratchFolder, treeOf, workshopOf } from "./support.ts";
import type { Told } from "./support.ts";

const scratch = scratchFolder("build");
const source = path.join(scratch, "py torch");
writeReducedTorch(source, true);
const commit = execFileSync("git", ["-C", source, "rev-parse", "HEAD"], { encoding: "utf8" }).trim();
const launcher = path.join(scratch, "launcher");
const launched = path.join(scratch, "launched");
fs.writeFileSync(launcher, `#!/bin/sh\necho "$@" >> '${launched}'\nexec "$@"\n`, { mode: 0o755 });
/** What a project leaves that asks for libtorch. */
const cache = path.join(scratch, "asking", "CMakeCache.txt");
fs.mkdirSync(path.dirname(cache));
fs.writeFileSync(cache, [
  "CMAKE_CXX_COMPILER:FILEPATH=/usr/bin/g++", "CMAKE_CXX_COMPILER_LAUNCHER:STRING=" + launcher, "CMAKE_GENERATOR:INTERNAL=Ninja", "CMAKE_CXX_FLAGS:STRING=-DASKED_BY_PROJECT=1 -fno-plt",
  "CMAKE_INSTALL_PREFIX:PATH=/usr/local", "CMAKE_BUILD_TYPE:STRING=Debug", "Torch_DIR:PATH=/somewhere/else", "MY_OWN_OPTION:BOOL=ON", "CMAKE_PREFIX_PATH:UNINITIALIZED=",
].join("\n"));
let count = 0;

interface Run {
  readonly report: LibtorchReport;
  readonly told: Told;
  readonly prefix: string;
  readonly buildFolder: string;
}

async function run(more: Partial<BuildLibtorchRequest> = {}, prepare: (told: Told) => void = () => undefined, variables: Variables = {}): Promise<Run> {
  count += 1;
  const { workshop, told } = workshopOf(scratch, variables);
  prepare(told);
  const prefix = path.join(scratch, `out ${count}`, "torch");
  const buildFolder = path.join(scratch, `build-${count}`);
  const given = { root: scratch, source, buildFolder, prefix, linkage: "shared" as const, arguments: [], cacheFolder: path.join(scratch, "store"), ...more };
  return { report: await buildLibtorch(given, workshop), told, prefix: given.prefix, buildFolder: given.buildFolder };
}

function recordIn(prefix: string): Readonly<Record<string, unknown>> {
  return JSON.parse(fs.readFileSync(path.join(prefix, "abiding-libtorch.json"), "utf8")) as Readonly<Record<string, unknown>>;
}

function consumerSays(report: LibtorchReport, name: string): string {
  const app = path.join(scratch, name);
  writeConsumer(app);
  execFileSync("cmake", ["-G", "Ninja", "-S", app, "-B", path.join(app, "build"), report.cmakeArgument ?? ""]);
  execFileSync("cmake", ["--build", path.join(app, "build")]);
  return execFileSync(path.join(app, "build", "consumer"), { encoding: "utf8" });
}

describe("building libtorch", () => {
  it("shared, as the cache that asks has it: outside of the source, into the prefix only, measured and recorded", async () => {
    const before = treeOf(source);
    const { report, prefix, buildFolder } = await run({ cache, abi: 1, gxxAbiVersion: 11 }, () => undefined, { MAX_JOBS: "3", CMAKE_BUILD_PARALLEL_LEVEL: "7" });
    assert.equal(report.reason, undefined);
    assert.deepEqual(treeOf(source), before);
    assert.deepEqual(fs.readdirSync(path.dirname(prefix)), ["torch"]);
    assert.deepEqual(report.steps?.map((step) => [step.name, step.ending]), [["configure", { kind: "exited", code: 0 }], ["build", { kind: "exited", code: 0 }], ["install", { kind: "exited", code: 0 }]]);
    assert.match(report.steps?.[1]?.line ?? "", / --parallel 3$/);
    const configured = fs.readFileSync(path.join(buildFolder, "CMakeCache.txt"), "utf8");
    assert.match(configured, /^CMAKE_CXX_FLAGS:[A-Z]+=-DASKED_BY_PROJECT=1 -fno-plt -D_GLIBCXX_USE_CXX11_ABI=1 -fabi-version=11$/m);
    assert.match(configured, /^CMAKE_GENERATOR:INTERNAL=Ninja$/m);
    assert.match(configured, /^CMAKE_BUILD_TYPE:[A-Z]+=Release$/m);
    assert.doesNotMatch(configured, /somewhere\/else|MY_OWN_OPTION/);
    assert.deepEqual(report.carried?.map((one) => [one.name, one.carried]), [
      ["CMAKE_CXX_COMPILER", true], ["CMAKE_CXX_COMPILER_LAUNCHER", true], ["CMAKE_GENERATOR", true], ["CMAKE_CXX_FLAGS", true], ["CMAKE_INSTALL_PREFIX", false], ["CMAKE_BUILD_TYPE", false], ["Torch_DIR", false],
    ]);
    assert.ok(fs.readFileSync(launched, "utf8").includes("core.cpp"));
    const { compiler, platform, source: from, names, ...record } = recordIn(prefix);
    assert.match(String(names), /^[0-9a-f]{64}$/);
    assert.deepEqual(record, { schema: 1, version: "2.13.0", gitVersion: commit, variant: "cpu", cuda: null, abi: 1, gxxAbiVersion: 1011, linkage: "shared", made: "2026-11-30T12:00:00.000Z", madeBy: "1.2.3" });
    assert.match(String(compiler), /^GCC \d+\.\d+\.\d+$/);
    assert.equal(platform, report.chosen?.platform);
    assert.deepEqual([(from as { commit: string }).commit, (from as { modified: boolean }).modified], [commit, false]);
    assert.deepEqual([report.chosen?.gxxAbiVersion, report.chosen?.gitVersion, report.cmakeArgument], [1011, commit, `-DTorch_DIR=${prefix}/share/cmake/Torch`]);
    assert.equal(consumerSays(report, "shared app"), "reduced torch\n");
  });

  it("static, with the old ABI, and replaces its own earlier build", async () => {
    const first = await run({ linkage: "static", abi: 0, arguments: ["-G", "Ninja"] }, () => undefined, { CMAKE_BUILD_PARALLEL_LEVEL: "5" });
    assert.equal(first.report.reason, undefined);
    assert.match(first.report.steps?.[1]?.line ?? "", / --parallel 5$/);
    assert.deepEqual([first.report.chosen?.linkage, first.report.chosen?.abi], ["static", 0]);
    const app = path.join(scratch, "static app");
    writeConsumer(app, "add_compile_definitions(_GLIBCXX_USE_CXX11_ABI=0)");
    execFileSync("cmake", ["-G", "Ninja", "-S", app, "-B", path.join(app, "build"), first.report.cmakeArgument ?? ""]);
    execFileSync("cmake", ["--build", path.join(app, "build")]);
    assert.equal(execFileSync(path.join(app, "build", "consumer"), { encoding: "utf8" }), "reduced torch\n");
    const second = await run({ linkage: "static", abi: 1, prefix: first.prefix, buildFolder: first.buildFolder });
    assert.deepEqual([second.report.outcome, second.report.chosen?.abi], ["found", 1]);
    assert.deepEqual(fs.readdirSync(path.dirname(first.prefix)), ["torch"]);
    fs.writeFileSync(path.join(first.prefix, "lib", "libmine.a"), "mine");
    const third = await run({ linkage: "static", prefix: first.prefix, buildFolder: first.buildFolder });
    assert.equal(third.report.reason, `Files were added to ${first.prefix}, or removed, since Abiding built a libtorch there; nothing in it was changed. Name another prefix, or remove this one.`);
    assert.equal(fs.readFileSync(path.join(first.prefix, "lib", "libmine.a"), "utf8"), "mine");
    const required = await run({ linkage: "static", abi: 1, prefix: first.prefix, require: true });
    assert.deepEqual([required.report.outcome, required.told.started.length], ["found", 0]);
    const other = await run({ linkage: "shared", prefix: first.prefix, require: true });
    assert.deepEqual([other.report.outcome, other.report.reason], ["not-found", "Its libraries are static; shared ones are wanted."]);
  });

  it("fails before anything is compiled when the project sets another ABI behind ours, with both sides", async () => {
    const { report, prefix, buildFolder } = await run({ abi: 1, gxxAbiVersion: 11, arguments: ["-G", "Ninja", "-DLATE_FLAG=-D_GLIBCXX_USE_CXX11_ABI=0"] }, () => undefined);
    assert.equal(report.outcome, "failed");
    assert.match(report.reason ?? "", /nothing was compiled yet: _GLIBCXX_USE_CXX11_ABI=1 was asked for; GCC [\d.]+ compiles with _GLIBCXX_USE_CXX11_ABI=0\. The project sets other flags/);
    assert.deepEqual(report.steps?.map((step) => step.name), ["configure"]);
    assert.ok(!fs.existsSync(prefix) && fs.existsSync(buildFolder));
    const later = await run({ gxxAbiVersion: 11, arguments: ["-G", "Ninja", "-DLATE_FLAG=-fabi-version=16"] });
    assert.match(later.report.reason ?? "", /__GXX_ABI_VERSION 1011 was asked for; GCC [\d.]+ compiles with 1016\./);
  });

  it("keeps flags of the user and of the environment", async () => {
    const { buildFolder } = await run({ abi: 1, arguments: ["-G", "Ninja", "-DCMAKE_CXX_FLAGS=-DMINE=1", "-DLATE_FLAG=-D_GLIBCXX_USE_CXX11_ABI=0"] }, () => undefined, { CXXFLAGS: "-DENV=1" });
    assert.match(fs.readFileSync(path.join(buildFolder, "CMakeCache.txt"), "utf8"), /^CMAKE_CXX_FLAGS:[A-Z]+=-DMINE=1 -D_GLIBCXX_USE_CXX11_ABI=1$/m);
    const environment = await run({ abi: 1, arguments: ["-G", "Ninja", "-DLATE_FLAG=-D_GLIBCXX_USE_CXX11_ABI=0"] }, () => undefined, { CXXFLAGS: "-DENV=1" });
    assert.match(fs.readFileSync(path.join(environment.buildFolder, "CMakeCache.txt"), "utf8"), /^CMAKE_CXX_FLAGS:[A-Z]+=-DENV=1 -D_GLIBCXX_USE_CXX11_ABI=1$/m);
  });

  it("names the submodules that are missing, those that are switched off not", async () => {
    const bare = path.join(scratch, "bare");
    writeReducedTorch(bare);
    fs.rmSync(path.join(bare, "third_party/sleef/CMakeLists.txt"));
    fs.rmSync(path.join(bare, "third_party/fbgemm"), { recursive: true });
    const { report } = await run({ source: bare });
    assert.equal(report.reason, `2 submodules of ${bare} are not checked out: third_party/fbgemm, third_party/sleef. Not needed with -DUSE_FBGEMM=OFF: third_party/fbgemm. Run: git -C ${bare} submodule update --init --recursive -- third_party/fbgemm third_party/sleef`);
    assert.match((await run({ source: bare, arguments: ["-DUSE_FBGEMM=OFF"] })).report.reason ?? "", /^A submodule of .* is not checked out: third_party\/sleef\./);
  });

  it("refuses folders inside of each other, and what is no source or no build folder", async () => {
    const reasons = [
      (await run({ buildFolder: path.join(source, "build") })).report.reason,
      (await run({ prefix: path.join(source, "torch-install") })).report.reason,
      (await run({ buildFolder: path.join(scratch, "x"), prefix: path.join(scratch, "x", "y") })).report.reason,
      (await run({ source: path.join(scratch, "asking") })).report.reason,
    ];
    assert.deepEqual(reasons, [
      `The build folder ${source}/build lies inside the source ${source}. Nothing is written there; name a folder outside of it.`,
      `The prefix ${source}/torch-install lies inside the source ${source}. Nothing is written there; name a folder outside of it.`,
      `The build folder ${scratch}/x and the prefix ${scratch}/x/y lie in each other; name two folders apart.`,
      `${scratch}/asking is no source of PyTorch: it has no CMakeLists.txt.`,
    ]);
    const linked = path.join(scratch, "linked");
    fs.symlinkSync(source, linked);
    assert.match((await run({ buildFolder: path.join(linked, "build") })).report.reason ?? "", /lies inside the source/);
    const full = path.join(scratch, "full");
    fs.mkdirSync(full);
    fs.writeFileSync(path.join(full, "mine"), "");
    assert.equal((await run({ buildFolder: full })).report.reason, `${full} is not empty and no build folder of CMake; name another one.`);
    assert.match((await run({ prefix: full })).report.reason ?? "", /is not empty and holds no libtorch that Abiding built there as it is; nothing in it was changed/);
  });

  it("refuses arguments that contradict the request", async () => {
    const reasons = await Promise.all([["-DBUILD_SHARED_LIBS=0"], ["-DCMAKE_INSTALL_PREFIX=/usr"], ["-D", "_GLIBCXX_USE_CXX11_ABI=0"], ["-B", "x"]].map(async (args) => (await run({ abi: 1, arguments: args })).report.reason));
    assert.match(reasons[0] ?? "", /^-DBUILD_SHARED_LIBS=0 contradicts --static, which makes it ON\.$/);
    assert.match(reasons[1] ?? "", /^-DCMAKE_INSTALL_PREFIX=\/usr contradicts --prefix/);
    assert.match(reasons[2] ?? "", /^-D_GLIBCXX_USE_CXX11_ABI=0 contradicts --abi/);
    assert.equal(reasons[3], "-B is decided by --source, --build-dir and --prefix.");
  });

  it("says that there is no CMake, and no compiler", async () => {
    const none = path.join(scratch, "none");
    fs.mkdirSync(none);
    const cmake = (await run({}, () => undefined, { PATH: none })).report;
    assert.equal(cmake.outcome, "failed");
    assert.match(cmake.reason ?? "", /^Configuring failed: .*cmake/);
    const compiler = (await run({ gxxAbiVersion: 11, arguments: ["-DCMAKE_CXX_COMPILER=/absent/g++"] })).report;
    assert.match(compiler.reason ?? "", /^The C\+\+ compiler \/absent\/g\+\+ could not be asked for its ABI: /);
    const configured = (await run({ arguments: ["-DCMAKE_CXX_COMPILER=/absent/g++"] })).report;
    assert.match(configured.reason ?? "", /^Configuring failed: it ended with 1\. It says: CMake Error .*\/absent\/g\+\+.* All of its output is in .*configure\.log\.$/s);
  });

  it("shows what does not compile, keeps the log and leaves no prefix", async () => {
    const broken = path.join(scratch, "broken");
    writeReducedTorch(broken);
    fs.appendFileSync(path.join(broken, "torch/cpu.cpp"), "int x = unknown;\n");
    const { report, prefix } = await run({ source: broken, arguments: ["-G", "Ninja"] });
    assert.match(report.reason ?? "", /^Building failed: it ended with 1\. It says: .*'unknown' was not declared/s);
    assert.match(fs.readFileSync(report.steps?.at(-1)?.log ?? "", "utf8"), /'unknown' was not declared/);
    assert.ok(!fs.existsSync(prefix));
  });

  it("says when upstream's own build wrote into its source, and records that a source was changed", async () => {
    const writing = path.join(scratch, "writing");
    writeReducedTorch(writing, true);
    fs.appendFileSync(path.join(writing, "CMakeLists.txt"), "install(FILES version.txt DESTINATION /etc/torch)\n");
    execFileSync("git", ["-C", writing, "-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qam", "installs elsewhere"]);
    const { report, prefix } = await run({ source: writing, arguments: ["-G", "Ninja", "-DWRITES_INTO_SOURCE=ON"] });
    const outside = "The install of PyTorch has files outside of the prefix, which were left out: /etc.";
    assert.deepEqual(report.warnings, [outside, "The build of PyTorch itself changed files of its source: torch/version.py."]);
    assert.equal((recordIn(prefix)["source"] as { modified: boolean }).modified, false);
    const again = await run({ source: writing, prefix, arguments: ["-G", "Ninja"] });
    assert.deepEqual(again.report.warnings, [`The source ${writing} is changed against its commit; the record says so.`, outside]);
    assert.ok(!fs.existsSync("/etc/torch"));
    assert.equal((recordIn(prefix)["source"] as { modified: boolean }).modified, true);
  });

  it("twice at once in the same folders is done one after the other, and who waits says for whom; what a killed run left is removed", async () => {
    const folders = { prefix: path.join(scratch, "at once", "torch"), buildFolder: path.join(scratch, "build-at-once"), arguments: ["-G", "Ninja"] };
    fs.mkdirSync(path.join(scratch, "at once", ".torch.abiding-0000", "lib"), { recursive: true });
    const both = await Promise.all([run(folders, () => undefined, { CXX: `${launcher} g++` }), run({ ...folders, gxxAbiVersion: 16 }, () => undefined, { CXX: "g++ -DX=1" })]);
    assert.deepEqual(both.map((one) => one.report.reason), [undefined, undefined]);
    assert.ok(both.some((one) => one.told.notes.some((note) => note.includes("is in use by"))));
    assert.deepEqual(fs.readdirSync(path.join(scratch, "at once")), ["torch"]);
  });

  it("ends when it is cancelled, without a prefix", async () => {
    const { report, prefix } = await run({ arguments: ["-G", "Ninja"] }, (told) => {
      const { steps } = told;
      const push = steps.push.bind(steps);
      steps.push = (...items) => {
        if (items.includes("Building libtorch")) setTimeout(() => told.stop.abort(), 50);
        return push(...items);
      };
    });
    assert.deepEqual([report.outcome, fs.existsSync(prefix)], ["cancelled", false]);
  });
});

describe("flags that set the ABI", () => {
  it("are the option of GCC, and with clang the macro itself; nvcc hands them on", () => {
    assert.deepEqual(abiFlags({ abi: 0, gxxAbiVersion: 18 }, "gcc"), { C: [], CXX: ["-D_GLIBCXX_USE_CXX11_ABI=0", "-fabi-version=18"], CUDA: ["-D_GLIBCXX_USE_CXX11_ABI=0", "-Xcompiler=-fabi-version=18"] });
    assert.deepEqual(abiFlags({ gxxAbiVersion: 18 }, "clang").CXX, ["-U__GXX_ABI_VERSION", "-D__GXX_ABI_VERSION=1018"]);
    assert.deepEqual(abiFlags({}, "clang"), { C: [], CXX: [], CUDA: [] });
  });
});

describe("a command line taken apart", () => {
  it("is what a shell would make of it", () => {
    const text = `g++ -DA="x y" '-DB="z"' -I"/a b"/c \\"q\\" "a\\\\b\\n" ''`;
    const shell = execFileSync("sh", ["-c", `for one in ${text}; do printf '%s\\0' "$one"; done`], { encoding: "utf8" }).split("\0").slice(0, -1);
    assert.deepEqual(splitWords(text), shell);
  });
});
