import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { after, describe, it } from "node:test";
import type { TestContext } from "node:test";
import { build } from "../../../src/workshop/build/index.ts";
import { CannotDo } from "../../../src/workshop/workshop.ts";
import { bench, cmakePlan, request, scratchFolder, writeFiles } from "./support.ts";

const { folder: scratch, remove } = scratchFolder("build-disk");
after(remove);

/** A file system of its own; undefined, and said, where none can be mounted. */
function mounted(t: TestContext, name: string, options: string): (Disposable & { readonly folder: string }) | undefined {
  const folder = path.join(scratch, name);
  fs.mkdirSync(folder);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", options, "none", folder], { stdio: "pipe" });
  } catch {
    t.skip("no file system can be mounted here");
    return undefined;
  }
  return { folder, [Symbol.dispose]: () => execFileSync("umount", [folder]) };
}

const project = { "CMakeLists.txt": "cmake_minimum_required(VERSION 3.22)\nproject(ops CXX)\nadd_library(ops SHARED ops.cpp)\ninstall(TARGETS ops DESTINATION lib)\n", "ops.cpp": "int ops() { return 1; }\n" };

describe("a disk that a build cannot use", () => {
  it("when it is full: that is said, and the next build goes on where there is room", async (t) => {
    using disk = mounted(t, "small", "size=64k");
    if (disk === undefined) return;
    const root = writeFiles(disk.folder, project);
    const full = await build(request(root, cmakePlan(root)), bench());
    assert.equal(full.outcome, "failed");
    assert.match(full.reason ?? "", /^There is no room left on the disk \(\d+ KiB are left in .+[\\/]small[\\/]build\)\. What was finished stays/);
    execFileSync("mount", ["-o", "remount,size=16m", disk.folder]);
    assert.equal((await build(request(root, cmakePlan(root)), bench())).outcome, "built");
  });

  it("when it is for reading only: the build folder is refused before anything runs, and an install fails with its reason", async (t) => {
    using disk = mounted(t, "closed", "ro");
    if (disk === undefined) return;
    const root = writeFiles(path.join(scratch, "project"), project);
    for (const folder of [path.join(disk.folder, "build"), path.join(disk.folder, "far", "build")]) {
      await assert.rejects(build(request(root, cmakePlan(root), { buildFolder: folder }), bench()), (error) => error instanceof CannotDo && error.message === `Could not write into the build folder ${folder}: the file system is read-only (EROFS).`);
    }
    const report = await build(request(root, cmakePlan(root, { targets: ["install"] }), { arguments: [`-DCMAKE_INSTALL_PREFIX=${path.join(disk.folder, "prefix")}`] }), bench());
    assert.equal(report.outcome, "failed");
    assert.equal(report.reason, `The install prefix cannot be written to: ${path.join(disk.folder, "prefix", "lib")}. Name another one (-DCMAKE_INSTALL_PREFIX=…).`);
    assert.equal(fs.existsSync(path.join(root, "build", "libops.so")), true);
  });
});
