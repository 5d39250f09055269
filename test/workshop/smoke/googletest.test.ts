/** GoogleTest inside CTest: found in the sources, listed by the program only when that is asked for, run one by one. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { casesIn } from "../../../src/workshop/smoke/gtest/sources.ts";
import { debugLaunch } from "../../../src/workshop/smoke/index.ts";
import { byLabel, has, outcomes, Project, testFile } from "./support.ts";

const source = `#include <gtest/gtest.h>
#include <cstdio>
// TEST(Commented, Out) {}
/* TEST(Commented, Too) {} */
TEST(Sum, Right) { std::puts("added"); EXPECT_EQ(1 + 1, 2); }
TEST(Sum, Wrong) {
  int sum = 2;
  EXPECT_EQ(sum, 3);
}
class Fixed : public testing::Test {};
TEST_F(Fixed, Skips) { GTEST_SKIP() << "No CUDA device"; }
class Numbers : public testing::TestWithParam<int> {};
TEST_P(Numbers, Small) { EXPECT_LT(GetParam(), 3) << "too large"; }
INSTANTIATE_TEST_SUITE_P(Some, Numbers, testing::Values(1, 2, 3));
template <class T> class Typed : public testing::Test {};
typedef testing::Types<int, char> Kinds;
TYPED_TEST_SUITE(Typed, Kinds);
TYPED_TEST(Typed, Works) { EXPECT_GT(sizeof(TypeParam), 0u); }
TEST(Sum, DISABLED_Later) { FAIL(); }
TEST(Zeroes, Crash) { int *none = nullptr; volatile int value = *none; (void)value; }
`;
const isThere = existsSync("/usr/include/gtest/gtest.h") || has("pkg-config", "--exists", "gtest");

describe("GoogleTest in CTest", { skip: isThere ? false : "GoogleTest is not installed (libgtest-dev)" }, () => {
  const project = new Project();
  const at = (...parts: readonly string[]): string => join(project.root, ...parts);
  after(() => project[Symbol.dispose]());
  before(() => {
    project.file("CMakeLists.txt", `cmake_minimum_required(VERSION 3.20)
project(small CXX)
enable_testing()
find_package(GTest REQUIRED)
include(GoogleTest)
add_executable(unit unit.cpp)
target_link_libraries(unit GTest::gtest_main)
add_test(NAME whole COMMAND unit --gtest_filter=-Zeroes.*)
add_test(NAME crashing COMMAND unit)
gtest_discover_tests(unit TEST_PREFIX "unit." DISCOVERY_MODE PRE_TEST)
`);
    project.file("unit.cpp", source);
    execFileSync("cmake", ["-G", "Ninja", "-S", project.root, "-B", at("build"), "-DCMAKE_BUILD_TYPE=Debug"], { stdio: "pipe" });
    execFileSync("cmake", ["--build", at("build")], { stdio: "pipe" });
  });

  it("lists a program that lists itself (PRE_TEST) as one item with the reason, and does not start it", async () => {
    const { tests, problems } = await project.discover([project.ctest()]);
    assert.deepEqual(problems, []);
    const group = tests.find((test) => test.id === "ctest:build::[unit]");
    assert.match(group?.unlisted ?? "", /^unit lists its tests itself and has not done so since it was built \(DISCOVERY_MODE PRE_TEST\): they are listed when they are run\.$/);
    assert.equal(existsSync(at("build", "unit[1]_tests.cmake")), false, "ctest did not ask the program");
    assert.equal(tests.some((test) => test.label.startsWith("unit.")), false);
  });

  it("finds the tests inside a test in the sources, with their places", async () => {
    const { tests } = await project.discover([project.ctest()]);
    const crashing = tests.find((test) => test.label === "crashing");
    assert.equal(crashing?.location?.path, at("CMakeLists.txt"));
    assert.equal(crashing?.location?.range.start.line, 8);
    const inside = tests.filter((test) => test.parent === crashing?.id);
    assert.deepEqual(inside.map((test) => test.label), ["Sum.Right", "Sum.Wrong", "Fixed.Skips", "Numbers.Small", "Typed.Works", "Sum.DISABLED_Later", "Zeroes.Crash"]);
    assert.deepEqual(inside[1]?.location, { path: at("unit.cpp"), range: { start: { line: 5, character: 0 }, end: { line: 5, character: 16 } } });
    assert.equal(inside[5]?.disabled, "Its name begins with DISABLED_.");
    assert.equal(inside[0]?.kind, "gtest");
  });

  it("tells which of them crashed, and how those before it ended", async () => {
    const results = byLabel(await project.run([project.ctest()], { only: ["crashing"] }));
    assert.equal(results["crashing"]?.outcome, "crashed");
    assert.deepEqual(Object.fromEntries(Object.entries(results).filter(([label]) => label !== "crashing").map(([label, { outcome }]) => [label, outcome])), {
      "Sum.Right": "passed", "Sum.Wrong": "failed", "Fixed.Skips": "skipped", "Typed.Works": "passed", "Zeroes.Crash": "crashed", "Numbers.Small": "not-run",
    });
    assert.match(results["Zeroes.Crash"]?.reason ?? "", /SIGSEGV/);
    assert.equal(results["Sum.Right"]?.output, "added\n");
    assert.equal(results["Numbers.Small"]?.reason, "The program crashed before it.");
    assert.equal(results["Fixed.Skips"]?.parent, "ctest:build::crashing");
  });

  it("tells what was expected and where", async () => {
    const { "Sum.Wrong": wrong } = byLabel(await project.run([project.ctest()], { only: ["ctest:build::crashing::Sum.Wrong"] }));
    assert.deepEqual(wrong?.messages.map(({ message, location, expected, actual }) => [message.split("\n")[0], location?.path, location?.range.start.line, expected, actual]), [
      ["Expected equality of these values:", at("unit.cpp"), 7, "3", "2"],
    ]);
  });

  it("runs one of them, or all but one", async () => {
    const alone = await project.run([project.ctest()], { only: ["ctest:build::crashing::Numbers.Small", "ctest:build::crashing::Typed.Works"] });
    assert.deepEqual(Object.keys(outcomes(alone)).sort(), ["Numbers.Small", "Typed.Works", "crashing"]);
    const { "Numbers.Small": numbers } = byLabel(alone);
    assert.deepEqual(numbers?.cases, { total: 3, passed: 2, skipped: 0 });
    assert.equal(numbers.reason, "1 of 3 with parameters: Some/Numbers.Small/2.");
    assert.equal(numbers.messages[0]?.location?.range.start.line, 12);
    const most = await project.run([project.ctest()], { only: ["crashing"], except: ["ctest:build::crashing::Zeroes.Crash", "ctest:build::crashing::Sum.DISABLED_Later"] });
    assert.deepEqual(outcomes(most)["crashing"], "failed");
    assert.equal(outcomes(most)["Zeroes.Crash"], undefined);
    assert.equal(outcomes(most)["Sum.Right"], "passed");
  });

  it("starts a debugger with the program and the filter", async () => {
    const { tests } = await project.discover([project.ctest()]);
    const test = tests.find((one) => one.id === "ctest:build::crashing::Sum.Wrong");
    assert.ok(test !== undefined);
    const launch = await debugLaunch(test, [project.ctest()], project.workshop);
    assert.equal(launch?.program, at("build", "unit"));
    assert.equal(launch.language, "cpp");
    assert.deepEqual(launch.arguments, ["--gtest_filter=Sum.Wrong:*/Sum.Wrong/*:Sum/*.Wrong:*/Sum/*.Wrong"]);
    assert.equal(launch.folder, at("build"));
    assert.equal(launch.variables["PATH"], project.variables["PATH"]);
  });

  it("starts the program when the list is asked for, and knows its tests without it from then on", async () => {
    const { tests } = await project.discover([project.ctest()], true);
    const names = tests.filter((test) => test.parent === "ctest:build::[unit]").map((test) => test.label);
    assert.ok(names.includes("unit.Sum.Right") && names.includes("unit.Some/Numbers.Small/3"), names.join(" "));
    assert.equal(existsSync(at("build", "unit[1]_tests.cmake")), true);
    const again = await project.discover([project.ctest()]);
    const right = again.tests.find((test) => test.label === "unit.Sum.Right");
    assert.equal(right?.kind, "gtest");
    assert.equal(right.location?.range.start.line, 4);
    assert.equal(again.tests.find((test) => test.label === "unit.Some/Numbers.Small/3")?.location?.range.start.line, 12);
  });

  it("runs what is not listed yet when the user runs it", async () => {
    // Built again since: the list is out of date.
    const later = new Date(statSync(at("build", "unit[1]_tests.cmake")).mtimeMs + 60_000);
    utimesSync(at("build", "unit"), later, later);
    const before = await project.discover([project.ctest()]);
    assert.ok(before.tests.some((test) => test.unlisted !== undefined));
    const report = await project.run([project.ctest()], { only: ["ctest:build::[unit]"] });
    const found = outcomes(report);
    assert.equal(found["unit.Sum.Right"], "passed");
    assert.equal(found["unit.Sum.Wrong"], "failed");
    assert.equal(found["unit.Fixed.Skips"], "skipped");
    assert.equal(found["unit.Sum.Later"], "skipped");
    assert.equal(found["unit.Zeroes.Crash"], "crashed");
    assert.equal(found["whole"], undefined);
    assert.equal(byLabel(report)["unit.Fixed.Skips"]?.reason?.startsWith("It said: No CUDA device"), true);
  });
});

describe("a file that starts a program when ctest reads it", () => {
  it("is not read, and its tests are one item", async () => {
    using project = new Project();
    const touched = join(project.root, "touched");
    project.file("build/custom.cmake", `execute_process(COMMAND /bin/sh -c "touch ${touched}")\nadd_test(hidden /bin/true)\n`);
    project.file("build/CTestTestfile.cmake", `${testFile([{ name: "plain", command: ["/bin/true"] }])}include("${project.root}/build/custom.cmake")\nsubdirs("inner")\n`);
    project.file("build/inner/CTestTestfile.cmake", testFile([{ name: "inner", command: ["/bin/true"] }]));
    const { tests } = await project.discover([project.ctest()]);
    assert.equal(existsSync(touched), false);
    assert.deepEqual(tests.map((test) => test.label), ["ctest:build", "plain", "inner", "custom.cmake"]);
    assert.equal(tests.find((test) => test.label === "inner")?.folder, join(project.root, "build/inner"));
    const report = await project.run([project.ctest()]);
    assert.equal(existsSync(touched), true);
    assert.deepEqual(outcomes(report), { plain: "passed", inner: "passed", hidden: "passed" });
  });
});

it("the tests of a source file are those outside comments", () => {
  using project = new Project();
  const file = project.file("a.cpp", `${source}\nconst char* text = "// TEST(In, Text)"; TEST(Not, AtLineStart) {}\n  TEST ( Spaced , Out ) {}\n`);
  assert.deepEqual(casesIn(file).map((one) => one.name), ["Sum.Right", "Sum.Wrong", "Fixed.Skips", "Numbers.Small", "Typed.Works", "Sum.DISABLED_Later", "Zeroes.Crash", "Spaced.Out"]);
});
