import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { after, describe, it } from "node:test";
import { build } from "../../../src/workshop/build/index.ts";
import type { BuildReport } from "../../../src/workshop/build/index.ts";
import { CannotDo } from "../../../src/workshop/workshop.ts";
import { bench, cmakePlan, request, scratchFolder, writeFiles } from "./support.ts";

const { folder: scratch, remove } = scratchFolder("build-cmake");
after(remove);

const lists = `cmake_minimum_required(VERSION 3.22)
project(shapes C)
add_library(shapes SHARED shapes.c)
set_target_properties(shapes PROPERTIES LIBRARY_OUTPUT_DIRECTORY \${CMAKE_SOURCE_DIR}/lib)
add_library(inner MODULE shapes.c)
add_library(archive STATIC shapes.c)
`;
const shapes = { "CMakeLists.txt": lists, "shapes.c": "int area(int side) { return side * side; }\n" };

function project(name: string, files: Readonly<Record<string, string>> = shapes): string {
  return writeFiles(path.join(scratch, name), files);
}

/** What each step ran, without the program's folder. */
function commands(report: BuildReport): readonly string[] {
  return report.steps.map((step) => [path.basename(step.command[0] ?? ""), ...step.command.slice(1)].join(" "));
}

describe("a build by CMake", () => {
  it("adds nothing of its own to a first configuration, and reports the libraries that the targets make", async () => {
    const root = project("first");
    const workshop = bench();
    const report = await build(request(root, cmakePlan(root)), workshop);
    assert.equal(report.outcome, "built", report.reason);
    assert.deepEqual(commands(report), [`cmake -S ${root} -B ${root}/build`, `cmake --build ${root}/build`]);
    assert.deepEqual(report.products.map((one) => one.file), [`${root}/build/libinner.so`, `${root}/lib/libshapes.so`]);
    assert.equal(/^CMAKE_BUILD_TYPE:STRING=(.*)$/m.exec(fs.readFileSync(`${root}/build/CMakeCache.txt`, "utf8"))?.[1], "");
    assert.deepEqual(workshop.steps.slice(0, 3), ["Checking the build files", "Configuring", "Checking the build files"]);
    assert.equal(workshop.fractions.at(-1), 1);
    assert.deepEqual(workshop.notes, report.steps.map((step) => step.line));
    assert.match(fs.readFileSync(report.steps[1]?.log ?? "", "utf8"), /Linking C shared library/);
  });

  it("leaves a configured folder as it is: no generator, no build type, no arguments; and tells what was up to date", async () => {
    const root = project("again");
    await build(request(root, cmakePlan(root, { arguments: ["-DCMAKE_BUILD_TYPE=Debug"] })), bench({ CMAKE_GENERATOR: "Ninja" }));
    const cache = fs.readFileSync(`${root}/build/CMakeCache.txt`, "utf8");
    assert.match(cache, /^CMAKE_BUILD_TYPE:UNINITIALIZED=Debug$|^CMAKE_BUILD_TYPE:STRING=Debug$/m);
    const workshop = bench();
    const second = await build(request(root, cmakePlan(root, { arguments: ["-DCMAKE_BUILD_TYPE=Release", "-G", "Unix Makefiles"], configuration: "Release" })), workshop);
    assert.deepEqual([second.outcome, ...commands(second)], ["built", `cmake --build ${root}/build`]);
    assert.deepEqual([second.products, second.unchanged], [[], [`${root}/build/libinner.so`, `${root}/lib/libshapes.so`]]);
    assert.equal(fs.readFileSync(`${root}/build/CMakeCache.txt`, "utf8"), cache);
    assert.match(workshop.notes[0] ?? "", /CMakeCache\.txt is there and counts: -DCMAKE_BUILD_TYPE=Release -G Unix Makefiles was not passed again\./);
    fs.writeFileSync(path.join(root, "shapes.c"), "int area(int side) { return side * side + 1; }\n");
    const third = await build(request(root, cmakePlan(root, { targets: ["inner"] })), bench({ MAX_JOBS: "1" }));
    assert.deepEqual([commands(third), third.products.map((one) => one.file)], [[`cmake --build ${root}/build --parallel 1 --target inner`], [`${root}/build/libinner.so`]]);
  });

  it("asks a folder that somebody else configured once for its targets, without changing it", async () => {
    const root = project("asked");
    await bench().run({ file: "cmake", arguments: ["-G", "Ninja", "-S", root, "-B", `${root}/build`, "-DCMAKE_C_FLAGS=-O1"], folder: root, environment: bench().environment });
    const workshop = bench();
    const report = await build(request(root, cmakePlan(root, { arguments: ["-DCMAKE_C_FLAGS=-O3"] })), workshop);
    assert.deepEqual([report.outcome, workshop.steps.filter((one) => /CMake|Building/.test(one)), commands(report)[0]], ["built", ["Asking CMake for its targets", "Building"], `cmake -S ${root} -B ${root}/build`]);
    assert.match(fs.readFileSync(`${root}/build/CMakeCache.txt`, "utf8"), /^CMAKE_C_FLAGS:STRING=-O1$/m);
    assert.deepEqual(report.products.map((one) => path.basename(one.file)), ["libinner.so", "libshapes.so"]);
  });

  it("configures a folder again with arguments that the user adds now", async () => {
    const root = project("added", { ...shapes, "CMakeLists.txt": `${lists}option(EXTRA "" OFF)\nmessage(STATUS "EXTRA is \${EXTRA}")\n` });
    await build(request(root, cmakePlan(root)), bench());
    const workshop = bench();
    const report = await build(request(root, cmakePlan(root), { arguments: ["-DEXTRA=ON"], jobs: 2 }), workshop);
    assert.deepEqual(commands(report), [`cmake -S ${root} -B ${root}/build -DEXTRA=ON`, `cmake --build ${root}/build --parallel 2`]);
    assert.match(workshop.printed(), /EXTRA is ON/);
  });

  it("takes the presets as they are, passes a build type only where nothing names one, and another folder where one is named", async () => {
    const presets = { version: 3, configurePresets: [{ name: "base", hidden: true, generator: "Ninja", binaryDir: "${sourceDir}/out/${presetName}" }, { name: "host", inherits: "base" }], buildPresets: [{ name: "inner", configurePreset: "host", targets: ["inner"] }] };
    const root = project("presets", { ...shapes, "CMakePresets.json": JSON.stringify(presets) });
    const plan = cmakePlan(root, { folder: `${root}/out/host`, configurePreset: "host", buildPreset: "inner", configuration: "Release" });
    const report = await build(request(root, plan), bench());
    assert.deepEqual(commands(report), ["cmake --preset host", "cmake --build --preset inner"]);
    assert.deepEqual(report.products.map((one) => one.file), [`${root}/out/host/libinner.so`]);
    const elsewhere = await build(request(root, plan, { buildFolder: `${root}/elsewhere` }), bench());
    assert.deepEqual(commands(elsewhere), [`cmake --preset host -B ${root}/elsewhere`, `cmake --build ${root}/elsewhere`]);
    const later = new Date(Date.now() + 5000);
    fs.utimesSync(`${root}/CMakePresets.json`, later, later);
    const workshop = bench();
    assert.deepEqual(commands(await build(request(root, plan), workshop)), ["cmake --build --preset inner"]);
    assert.match(workshop.notes[0] ?? "", /^CMakePresets\.json is newer than .*CMakeCache\.txt; the cache counts\. Configure anew \(--fresh\) to apply the preset host\.$/);
    const typed = project("typed");
    assert.deepEqual(commands(await build(request(typed, cmakePlan(typed, { configuration: "Release" })), bench()))[0], `cmake -S ${typed} -B ${typed}/build -DCMAKE_BUILD_TYPE=Release`);
  });

  it("builds one configuration of a generator that has several", async () => {
    const root = project("multi");
    const report = await build(request(root, cmakePlan(root, { configuration: "Debug" })), bench({ CMAKE_GENERATOR: "Ninja Multi-Config" }));
    assert.deepEqual(commands(report), [`cmake -S ${root} -B ${root}/build`, `cmake --build ${root}/build --config Debug`]);
    assert.deepEqual(report.products.map((one) => path.relative(root, one.file)), ["build/Debug/libinner.so", "lib/Debug/libshapes.so"]);
  });

  it("configures from nothing when told so, keeping the old cache beside its place", async () => {
    const root = project("fresh");
    await build(request(root, cmakePlan(root, { arguments: ["-DOLD=1"] })), bench());
    const workshop = bench();
    const report = await build(request(root, cmakePlan(root, { arguments: ["-DNEW=1"] }), { fresh: true }), workshop);
    assert.equal(report.outcome, "built");
    assert.equal(workshop.notes[0], `The cache of ${root}/build was set aside as ${root}/build/CMakeCache.txt.before-fresh.`);
    assert.doesNotMatch(fs.readFileSync(`${root}/build/CMakeCache.txt`, "utf8"), /OLD/);
    assert.match(fs.readFileSync(`${root}/build/CMakeCache.txt.before-fresh`, "utf8"), /OLD/);
  });

  it("configures again where an earlier configuration failed", async () => {
    const root = project("mended", { ...shapes, "CMakeLists.txt": `${lists}if(NOT READY)\nmessage(FATAL_ERROR "not ready")\nendif()\n` });
    const failed = await build(request(root, cmakePlan(root)), bench());
    assert.deepEqual([failed.outcome, failed.reason, failed.products], ["failed", "cmake ended with status 1: not ready", []]);
    assert.deepEqual(failed.problems, [{ tool: "cmake", severity: "error", message: "not ready", code: "message", location: { path: `${root}/CMakeLists.txt`, range: { start: { line: 7, character: 0 }, end: { line: 7, character: 0 } } } }]);
    const mended = await build(request(root, cmakePlan(root, { arguments: ["-DREADY=ON"] })), bench());
    assert.deepEqual([mended.outcome, commands(mended)[0]], ["built", `cmake -S ${root} -B ${root}/build -DREADY=ON`]);
  });

  it("tells errors of the compiler with their places, and keeps what was built", async () => {
    const root = project("broken", { ...shapes, "broken.c": '#include "broken.h"\nint main(void) { return undeclared; }\n', "broken.h": "int unused(void);\n", "CMakeLists.txt": `${lists}add_executable(broken broken.c)\n` });
    const report = await build(request(root, cmakePlan(root), { arguments: ["-GNinja"] }), bench());
    assert.equal(report.outcome, "failed");
    assert.match(report.reason ?? "", /^cmake ended with status 1: .undeclared. undeclared \(first use in this function\)$/);
    assert.deepEqual(report.problems.map((one) => [one.tool, one.severity, one.location?.path, one.location?.range.start]), [["gcc", "error", `${root}/broken.c`, { line: 1, character: 24 }]]);
    assert.match(fs.readFileSync(report.steps[1]?.log ?? "", "utf8"), /undeclared/);
  });
});

describe("what CMake cannot build", () => {
  const refused = async (work: Promise<BuildReport>, message: RegExp): Promise<void> => {
    await assert.rejects(work, (error) => error instanceof CannotDo && message.test(error.message) || assert.fail(String(error)));
  };

  it("is a folder that was configured for another source, that was moved, or a source without CMakeLists.txt", async () => {
    const root = project("one");
    const other = project("two");
    await build(request(root, cmakePlan(root)), bench());
    await refused(build(request(other, cmakePlan(other, { folder: `${root}/build` })), bench()), /one\/build was configured for the source .*\/one, not for .*\/two\. Name another build folder \(--build-dir\)/);
    fs.cpSync(`${root}/build`, `${root}/copy`, { recursive: true });
    await refused(build(request(root, cmakePlan(root, { folder: `${root}/copy` })), bench()), /was made for the folder .*\/one\/build: the build folder was moved or copied/);
    assert.equal((await build(request(root, cmakePlan(root, { folder: `${root}/copy` }), { fresh: true }), bench())).outcome, "built");
    await refused(build(request(scratch, cmakePlan(scratch)), bench()), /has no CMakeLists\.txt/);
  });

  it("is a folder that cannot be written", async () => {
    const root = project("file", { ...shapes, build: "" });
    await assert.rejects(build(request(root, cmakePlan(root, { folder: `${root}/build/inside` })), bench()), /build\/inside: a part of its path is not a folder \(ENOTDIR\)/);
    const onProc = cmakePlan(root, { folder: "/proc/abiding" });
    await assert.rejects(build(request(root, onProc), bench()), /\/proc\/abiding: it does not exist \(ENOENT\)/);
  });

  it("is anything without a compiler, without the generator's program, without CMake", async () => {
    const root = project("bare");
    const tools = path.join(scratch, "tools");
    fs.mkdirSync(tools);
    for (const name of ["cmake", "ninja"]) {
      fs.symlinkSync(`/usr/bin/${name}`, path.join(tools, name));
    }
    const noCompiler = await build(request(root, cmakePlan(root, { folder: `${root}/b1` }), { arguments: ["-GNinja"] }), bench({ PATH: tools }));
    assert.deepEqual([noCompiler.outcome, noCompiler.reason], ["failed", "No C compiler was found: install one (apt-get install gcc), or name it with CC."]);
    const noMake = await build(request(root, cmakePlan(root, { folder: `${root}/b2` })), bench({ PATH: tools }));
    assert.deepEqual([noMake.outcome, noMake.reason], ["failed", 'The program behind the generator "Unix Makefiles" was not found: install make.']);
    const noCMake = await build(request(root, cmakePlan(root, { folder: `${root}/b3` })), bench({ PATH: path.join(scratch, "nothing") }));
    assert.deepEqual([noCMake.outcome, noCMake.steps[0]?.ending.kind], ["failed", "not-started"]);
    assert.match(noCMake.reason ?? "", /cmake.* Install CMake \(apt-get install cmake, or pip install cmake\)\.$/);
  });

  it("is a preset that does not exist, is hidden, or is too new for this CMake", async () => {
    const presets = { version: 3, configurePresets: [{ name: "base", hidden: true }, { name: "host", binaryDir: "${sourceDir}/out", generator: "Ninja" }, { name: "debug", inherits: "host" }] };
    const root = project("nopreset", { ...shapes, "CMakePresets.json": JSON.stringify(presets) });
    const reason = async (name: string): Promise<string | undefined> => (await build(request(root, cmakePlan(root, { folder: `${root}/out`, configurePreset: name })), bench())).reason;
    assert.equal(await reason("nope"), 'There is no preset "nope"; there are host, debug.');
    assert.equal(await reason("base"), 'The preset "base" is hidden: others inherit from it, and it cannot be used itself; there are host, debug.');
    fs.writeFileSync(path.join(root, "CMakePresets.json"), JSON.stringify({ ...presets, version: 99 }));
    assert.match(await reason("host") ?? "", /have a version that this CMake does not know: it is too old for them/);
  });

  it("is anything on a disk that is full", async () => {
    const root = project("full", { ...shapes, "CMakeLists.txt": `${lists}add_custom_target(big ALL COMMAND dd if=/dev/zero of=/dev/full bs=1k count=1)\n` });
    const report = await build(request(root, cmakePlan(root)), bench());
    assert.deepEqual([report.outcome, report.reason], ["failed", "There is no room left on the disk (No space left on device). What was finished stays; the next build goes on from there."]);
  });
});
