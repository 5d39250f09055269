import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { after, describe, it } from "node:test";
import { copySource } from "../../../../src/workshop/combinations/cells/source.ts";
import { commitOf } from "../../../../src/workshop/process/index.ts";
import { bench, scratchFolder, writeFiles } from "../../build/support.ts";
import { contents, git } from "./support.ts";

const { folder: scratch, remove } = scratchFolder("source");
after(remove);

function repository(name: string, files: Readonly<Record<string, string>>): string {
  const root = writeFiles(path.join(scratch, name), files);
  git(root, "init", "--quiet", "--initial-branch=main");
  git(root, "add", ".");
  git(root, "commit", "--quiet", "--message=first");
  git(root, "tag", "v1.0");
  return root;
}

describe("the copy of a project", () => {
  it("has what git knows and what is new, as it is now, and is a repository with the same commit and tags", async () => {
    const root = repository("git", { ".gitignore": "build/\n*.so\n", "a.txt": "committed\n", "gone.txt": "deleted since\n", "sub/b.txt": "b\n" });
    writeFiles(root, { "a.txt": "changed since\n", "new file.txt": "new\n", "build/CMakeCache.txt": "", "lib.so": "" });
    fs.rmSync(path.join(root, "gone.txt"));
    fs.symlinkSync("a.txt", path.join(root, "link"));
    const copy = await copySource({ root, to: path.join(scratch, "git-copy") }, bench());
    assert.deepEqual(contents(copy), { ".gitignore": "build/\n*.so\n", "a.txt": "changed since\n", "new file.txt": "new\n", "sub/b.txt": "b\n" });
    assert.equal(fs.readlinkSync(path.join(copy, "link")), "a.txt");
    assert.deepEqual(await commitOf(copy, bench()), { hash: git(root, "rev-parse", "HEAD"), isChanged: true });
    assert.equal(git(copy, "describe", "--tags"), "v1.0");
    // A copy of the copy is what a cell gets.
    const second = await copySource({ root: copy, to: path.join(scratch, "git-copy-copy") }, bench());
    assert.deepEqual(contents(second), contents(copy));
  });

  it("of a commit has the files of that commit", async () => {
    const root = repository("commits", { "a.txt": "first\n" });
    writeFiles(root, { "a.txt": "second\n", "b.txt": "b\n" });
    git(root, "add", ".");
    git(root, "commit", "--quiet", "--message=second");
    const copy = await copySource({ root, to: path.join(scratch, "commit-copy"), commit: git(root, "rev-parse", "v1.0") }, bench());
    assert.deepEqual(contents(copy), { "a.txt": "first\n" });
    await assert.rejects(copySource({ root, to: path.join(scratch, "no-copy"), commit: "v9" }, bench()), /has no commit "v9"\./);
  });

  it("of a folder below the top of a repository has what is tracked around it, and nothing of others that is not", async () => {
    const top = repository("mono", { "csrc/ops.cpp": "shared\n", "python/setup.py": "own\n" });
    writeFiles(top, { "notes/private.txt": "not known to git\n", "python/new.py": "new\n" });
    const copy = await copySource({ root: path.join(top, "python"), to: path.join(scratch, "mono-copy") }, bench());
    assert.deepEqual([path.relative(scratch, copy), contents(path.join(scratch, "mono-copy"))], ["mono-copy/python", { "csrc/ops.cpp": "shared\n", "python/new.py": "new\n", "python/setup.py": "own\n" }]);
  });

  it("without git leaves out build folders, environments and caches", async () => {
    const root = writeFiles(path.join(scratch, "plain"), { "setup.py": "x\n", "out/CMakeCache.txt": "", "out/lib.so": "", "env/pyvenv.cfg": "", "node_modules/a.js": "", "pkg/__pycache__/a.pyc": "", "pkg/a.py": "a\n", ".abiding/local/x": "" });
    const copy = await copySource({ root, to: path.join(scratch, "plain-copy") }, bench());
    assert.deepEqual(contents(copy), { "pkg/a.py": "a\n", "setup.py": "x\n" });
    await assert.rejects(copySource({ root, to: path.join(scratch, "x"), commit: "v1" }, bench()), /The commit v1 of .+plain was asked for, and the folder is in no git repository that can be read\./);
  });
});
