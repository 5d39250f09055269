import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { writeAll } from "../../../src/workshop/stamp/write.ts";
import { includeLine, Project } from "./support.ts";

const cmake = "cmake_minimum_required(VERSION 3.22)\nproject(mine CXX)\nadd_library(ops SHARED a.cpp)\n";

/** File permissions say nothing to root. */
async function asNobody<T>(work: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return work();
  process.seteuid?.(65534);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}

describe("the files of abiding stamp", () => {
  it("are all taken back when one cannot be written", async () => {
    using project = new Project({ "a.txt": "before", "file": "" });
    const before = project.state();
    const change = (name: string, content: string | undefined) => ({ path: join(project.path, name), before: content === undefined ? undefined : Buffer.from(content), after: Buffer.from("after") });
    await assert.rejects(writeAll([change("new/b.txt", undefined), change("a.txt", "before"), change("file/c.txt", undefined)]));
    assert.deepEqual(project.state(), before);
    assert.equal(statSync(join(project.path, "new"), { throwIfNoEntry: false }), undefined);
    await writeAll([change("new/b.txt", undefined), change("a.txt", "before")]);
    assert.deepEqual(project.state(), { "a.txt": "after", file: "", "new/b.txt": "after" });
  });

  it("are not written over what changed in the meantime", async () => {
    using project = new Project({ "a.txt": "theirs" });
    await assert.rejects(writeAll([{ path: join(project.path, "a.txt"), before: Buffer.from("before"), after: Buffer.from("after") }]), /a\.txt was changed by another program in the meantime; try again$/);
    assert.equal(project.read("a.txt"), "theirs");
  });

  it("are not written into a read-only project, whose files stay as they are", async () => {
    using project = new Project({ "CMakeLists.txt": cmake });
    const before = project.state();
    chmodSync(project.path, 0o555);
    const report = await asNobody(() => project.stamp());
    chmodSync(project.path, 0o755);
    assert.equal(report.outcome, "refused");
    assert.match(report.reason ?? "", /^Nothing was changed: .*(?:EACCES|permission)/i);
    assert.deepEqual(project.state(), before);
  });

  it("are not written over a read-only build file in a folder that is none", async () => {
    using project = new Project({ "CMakeLists.txt": cmake });
    chmodSync(project.path, 0o777);
    chmodSync(join(project.path, "CMakeLists.txt"), 0o444);
    const report = await asNobody(() => project.stamp());
    assert.equal(report.outcome, "refused");
    assert.deepEqual(Object.keys(project.state()), ["CMakeLists.txt"]);
    assert.equal(project.read("CMakeLists.txt"), cmake);
  });

  it("are taken back on a disk that gets full meanwhile", async (test) => {
    using project = new Project({ "disk/keep": "" });
    const disk = join(project.path, "disk");
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=24k", "abiding", disk], { stdio: "ignore" });
    } catch {
      test.skip("a small disk cannot be mounted here");
      return;
    }
    try {
      project.write("disk/CMakeLists.txt", cmake);
      const report = await project.stamp({ root: disk });
      assert.equal(report.outcome, "refused");
      assert.match(report.reason ?? "", /^Nothing was changed: Could not write .*: no space is left on the disk \(ENOSPC\)\.$/);
      assert.deepEqual(project.state(), { "disk/CMakeLists.txt": cmake });
    } finally {
      execFileSync("umount", [disk]);
    }
  });

  it("are completed by the next run, whenever the one before was killed", async () => {
    const files = { "setup.py": 'from setuptools import setup, Extension\nsetup(name="mine", ext_modules=[Extension("mine._C", ["a.cpp"])])\n', "MANIFEST.in": "include README\n", "mine/__init__.py": "from . import _C\n" };
    using whole = new Project(files);
    await whole.stamp();
    const after = whole.state();
    const created = Object.keys(after).filter((name) => !(name in files));
    const edited = Object.keys(files);
    // New files come first, then the edits, as the state that each kill leaves.
    const order = [...created, ...edited];
    // The process that would have renamed it does not run any more.
    const dead = spawnSync(process.execPath, ["-e", ""]).pid;
    for (let count = 0; count < order.length; count += 1) {
      using project = new Project(files);
      for (const name of order.slice(0, count)) project.write(name, after[name] ?? "");
      project.write(`${join(order[count] ?? "", "..")}/.${(order[count] ?? "").split("/").at(-1)}.${dead}-1.abiding-new`, "half of i");
      const report = await project.stamp();
      assert.equal(report.outcome, "stamped", `killed after ${count} files: ${report.reason}`);
      assert.deepEqual(project.state(), after, `killed after ${count} files`);
    }
  });

  it("are refused where a file stands in their folder's place", async () => {
    using project = new Project({ "CMakeLists.txt": cmake, "cmake": "not a folder" });
    const before = project.state();
    const report = await project.stamp();
    assert.equal(report.outcome, "refused");
    assert.match(report.reason ?? "", /^Nothing was changed: /);
    assert.deepEqual(project.state(), before);
  });

  it("do not follow a link out of the project, keep one inside of it, and keep permissions", async () => {
    using outside = new Project({ "CMakeLists.txt": cmake });
    using project = new Project({ "real.txt": cmake });
    symlinkSync(join(outside.path, "CMakeLists.txt"), join(project.path, "CMakeLists.txt"));
    assert.match((await project.stamp()).reason ?? "", /CMakeLists\.txt is a link to .*, which does not lie in /);
    assert.equal(outside.read("CMakeLists.txt"), cmake);
    using inside = new Project({ "real.txt": cmake });
    chmodSync(join(inside.path, "real.txt"), 0o754);
    symlinkSync("real.txt", join(inside.path, "CMakeLists.txt"));
    assert.equal((await inside.stamp()).outcome, "stamped");
    assert.equal(inside.read("real.txt"), `${cmake}${includeLine("ops")}\n`);
    assert.equal(statSync(join(inside.path, "real.txt")).mode & 0o777, 0o754);
    using elsewhere = new Project({});
    using linked = new Project({ "CMakeLists.txt": cmake });
    mkdirSync(join(elsewhere.path, "cmake"));
    symlinkSync(join(elsewhere.path, "cmake"), join(linked.path, "cmake"));
    assert.match((await linked.stamp()).reason ?? "", /^cmake\/AbidingStamp\.cmake would be written to .*, which does not lie in /);
    assert.equal(readFileSync(join(linked.path, "CMakeLists.txt"), "utf8"), cmake);
  });
});
