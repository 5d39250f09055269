import assert from "node:assert/strict";
import * as path from "node:path";
import { after, describe, it } from "node:test";
import type { Finding, Severity } from "../../../src/engine/model/index.ts";
import { build } from "../../../src/workshop/build/index.ts";
import type { BuildRequest } from "../../../src/workshop/build/index.ts";
import type { CommandBuild } from "../../../src/workshop/project/types.ts";
import type { Workshop } from "../../../src/workshop/workshop.ts";
import { bench, cmakePlan, pythonPlan, request, scratchFolder, writeFiles } from "./support.ts";

const { folder: scratch, remove } = scratchFolder("build-before");
after(remove);
const root = writeFiles(path.join(scratch, "project"), {
  "CMakeLists.txt": "project(x)\ninclude(cmake/ops.cmake)\n", "cmake/ops.cmake": "\n", "setup.py": "import nothing\n",
  "driven/setup.py": 'setup(ext_modules=[CMakeExtension("x")])\nhand_over("-DWANTED=1")\n', "driven/CMakeLists.txt": "project(driven)\nset(STANDARD 14)\nset(WANTED 0)\n",
});

function finding(file: string, severity: Severity = "error", changes: Partial<Finding> = {}): Finding {
  const start = { line: 0, character: 0 };
  return { rule: "libstdcxx-abi", severity, message: `${file} is wrong.`, location: { path: path.join(root, file), range: { start, end: start } }, related: [], against: [], fixes: [], ...changes };
}

/** A command plan that does nothing: what is decided before it is what is tested. */
const nothing: CommandBuild = { kind: "command", id: "nothing", label: "Nothing", origin: "abiding.json", shownBy: cmakePlan(root).shownBy, variables: {}, folder: root, steps: [["true"]] };

/** Answers of `check`, one after the other; the last one stays. */
async function outcome(checks: readonly (readonly Finding[])[], changes: Partial<BuildRequest> = {}, plan: BuildRequest["plan"] = nothing): Promise<{ readonly outcome: string; readonly asked: number; readonly before: readonly string[] }> {
  const real = bench();
  let asked = 0;
  const workshop: Workshop = { ...real, diagnostician: { examine: () => Promise.resolve([]), explain: () => Promise.resolve({ schema: 1, against: null, verdicts: [], notChecked: [] }), check: () => Promise.resolve({ findings: checks[Math.min(asked++, checks.length - 1)] ?? [], against: [], notChecked: [] }) } };
  const report = await build(request(root, plan, changes), workshop);
  return { outcome: report.outcome, asked, before: report.before.map((one) => one.message) };
}

describe("before a build", () => {
  it("findings from the level on stop it; others are reported", async () => {
    const error = finding("ops.cmake");
    const warning = finding("ops.cmake", "warning");
    assert.deepEqual(await outcome([[error]]), { outcome: "stopped", asked: 1, before: ["ops.cmake is wrong."] });
    assert.deepEqual(await outcome([[error]], { stopOn: "never" }), { outcome: "built", asked: 1, before: ["ops.cmake is wrong."] });
    assert.deepEqual(await outcome([[warning]]), { outcome: "built", asked: 1, before: ["ops.cmake is wrong."] });
    assert.equal((await outcome([[warning]], { stopOn: "warning" })).outcome, "stopped");
    assert.deepEqual(await outcome([[finding("ops.cmake", "info"), finding("ops.cmake", "hint")]], { stopOn: "warning" }), { outcome: "built", asked: 1, before: [] });
  });

  it("the user decides where there is one to ask: build all the same, check again, leave it to the level, or not at all", async () => {
    const error = [finding("ops.cmake")];
    const decide = (...answers: readonly ("build" | "check-again" | "cancel" | "by-severity")[]): Partial<BuildRequest> => {
      const left = [...answers];
      return { decide: () => Promise.resolve(left.shift() ?? assert.fail("asked once too often")) };
    };
    assert.equal((await outcome([error], decide("build"))).outcome, "built");
    assert.equal((await outcome([error], decide("cancel"))).outcome, "stopped");
    assert.equal((await outcome([error], decide("by-severity"))).outcome, "stopped");
    assert.deepEqual(await outcome([error, []], decide("check-again")), { outcome: "built", asked: 2, before: [] });
    assert.deepEqual(await outcome([error, error], decide("check-again", "build")), { outcome: "built", asked: 2, before: ["ops.cmake is wrong."] });
    assert.equal((await outcome([[]], decide())).outcome, "built");
  });

  it("what was built earlier, or is only about installs, does not stop it", async () => {
    const so = path.join(root, "ops.cpython-311-x86_64-linux-gnu.so");
    const start = { line: 0, character: 0 };
    const fromTarget = finding("setup.py", "error", { related: [{ message: "ops.cpython-311-x86_64-linux-gnu.so was built from this target.", location: { path: so, range: { start, end: start } } }] });
    const witness = finding("setup.py", "error", { related: [{ message: "Its symbols show it.", location: { path: so, range: { start, end: start } } }] });
    assert.deepEqual(await outcome([[finding("lib/libops.so.1"), fromTarget]]), { outcome: "built", asked: 1, before: [] });
    assert.equal((await outcome([[witness]])).outcome, "stopped");
    assert.deepEqual(await outcome([[finding("requirements.txt", "error", { rule: "package-pair" })]]), { outcome: "built", asked: 1, before: ["requirements.txt is wrong."] });
  });

  it("what the other builder of the project does wrong does not stop this one", async () => {
    const stopped = async (file: string, plan: BuildRequest["plan"]): Promise<boolean> => (await outcome([[finding(file)]], {}, plan).catch(() => ({ outcome: "not stopped" }))).outcome === "stopped";
    const driven = pythonPlan(path.join(root, "driven"));
    assert.deepEqual(await Promise.all([
      stopped("setup.py", cmakePlan(root, { folder: path.join(scratch, "nowhere") })), stopped("cmake/ops.cmake", cmakePlan(root)), stopped("ops.cpp", cmakePlan(root)),
      stopped("setup.py", pythonPlan(root)), stopped("CMakeLists.txt", pythonPlan(root)), stopped("driven/CMakeLists.txt", driven),
    ]), [false, true, true, true, false, true]);
  });

  it("a variable that setup.py hands over to CMake is not decided by its default", async () => {
    const at = (line: number): Finding => finding("driven/CMakeLists.txt", "error", { location: { path: path.join(root, "driven/CMakeLists.txt"), range: { start: { line, character: 0 }, end: { line, character: 1 } } } });
    const plan = pythonPlan(path.join(root, "driven"));
    assert.equal((await outcome([[at(1)]], {}, plan)).outcome, "stopped");
    assert.notEqual((await outcome([[at(2)]], {}, plan)).outcome, "stopped");
  });

  it("where else a product would work does not stop it", async () => {
    assert.deepEqual(await outcome([[finding("ops.cmake", "error", { rule: "python-abi" })]]), { outcome: "built", asked: 1, before: ["ops.cmake is wrong."] });
  });

  it("what is found in other parts of the project is counted, and stops nothing", async () => {
    const workshop: Workshop = { ...bench(), diagnostician: { examine: () => Promise.resolve([]), explain: () => Promise.resolve({ schema: 1, against: null, verdicts: [], notChecked: [] }), check: () => Promise.resolve({ findings: [finding("driven/CMakeLists.txt"), finding("cmake/ops.cmake")], against: [], notChecked: [] }) } };
    const report = await build(request(root, cmakePlan(root)), workshop);
    assert.deepEqual([report.outcome, report.elsewhere, report.before.map((one) => one.message)], ["stopped", 1, ["cmake/ops.cmake is wrong."]]);
    assert.equal(report.reason, "The build would carry what libstdcxx-abi found before it in cmake/ops.cmake:1. cmake/ops.cmake is wrong.");
  });
});
