/** The torch of a real environment, located, configured against and linked. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { describe, it } from "node:test";
import { locate } from "../../../src/workshop/libtorch/index.ts";
import { scratchFolder, workshopOf } from "./support.ts";

const prefix = process.env["ABIDING_TEST_TORCH"];
const options = { skip: prefix === undefined ? "ABIDING_TEST_TORCH names no environment" : false };
const scratch = scratchFolder("torch");

describe("a real torch", options, () => {
  it("is found by its interpreter, and is what a CMake project links", async () => {
    const report = await locate({ root: scratch, wanted: { version: "2.13.0", variant: "cpu", abi: 1 }, prefixes: [], interpreter: path.join(prefix ?? "", "bin", "python"), cacheFolder: scratch }, workshopOf(scratch).workshop);
    assert.equal(report.outcome, "found", report.reason);
    assert.deepEqual([report.chosen?.version, report.chosen?.cuda, report.chosen?.abi, report.chosen?.linkage, report.chosen?.remarks], ["2.13.0+cpu", null, 1, "shared", []]);
    const app = path.join(scratch, "an app");
    fs.mkdirSync(app);
    fs.writeFileSync(path.join(app, "CMakeLists.txt"), "cmake_minimum_required(VERSION 3.18)\nproject(app CXX)\nfind_package(Torch REQUIRED)\nadd_executable(app main.cpp)\ntarget_link_libraries(app PRIVATE torch)\nset_property(TARGET app PROPERTY CXX_STANDARD 20)\n");
    fs.writeFileSync(path.join(app, "main.cpp"), "#include <c10/util/Exception.h>\n#include <iostream>\nint main() { try { TORCH_CHECK(false, \"checked\"); } catch (const c10::Error& error) { std::cout << error.what_without_backtrace() << std::endl; } }\n");
    execFileSync("cmake", ["-S", app, "-B", path.join(app, "build"), report.cmakeArgument ?? ""], { stdio: "pipe" });
    execFileSync("cmake", ["--build", path.join(app, "build")], { stdio: "pipe" });
    assert.equal(execFileSync(path.join(app, "build", "app"), { encoding: "utf8" }), "checked\n");
  });
});
