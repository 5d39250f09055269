import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { after, describe, it } from "node:test";
import { NodeFiles, OverlayFiles } from "../../../src/engine/files/index.ts";
import { maximumTextSize } from "../../../src/engine/model/index.ts";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "abiding-files-"));
after(() => fs.rmSync(folder, { recursive: true }));

function write(name: string, content: string | Uint8Array): string {
  const file = path.join(folder, name);
  fs.writeFileSync(file, content);
  return file;
}

describe("NodeFiles", () => {
  const files = new NodeFiles();

  it("strips a byte order mark", () => {
    assert.deepEqual(files.readText(write("bom.txt", "\uFEFFset(A 1)\r\n")), { ok: true, text: "set(A 1)\r\n", lossy: false });
  });

  it("replaces bytes that are not UTF-8 and says so", () => {
    assert.deepEqual(files.readText(write("latin1.txt", Uint8Array.of(0x61, 0xe9, 0x62))), { ok: true, text: "a\uFFFDb", lossy: true });
  });

  it("refuses binary, huge, missing and irregular files", () => {
    const problems = [write("nul.bin", Uint8Array.of(0x61, 0, 0x62)), write("big.txt", new Uint8Array(maximumTextSize + 1).fill(0x61)), path.join(folder, "nothing"), folder, "/dev/zero"]
      .map((file) => files.readText(file))
      .map((result) => (result.ok ? "ok" : result.problem));
    assert.deepEqual(problems, ["binary", "too-large", "missing", "not-a-file", "not-a-file"]);
  });

  it("reads ranges within the file only", () => {
    const file = write("range.bin", Uint8Array.of(1, 2, 3, 4, 5));
    assert.deepEqual(files.readBytes(file, 1, 2), Uint8Array.of(2, 3));
    assert.deepEqual(files.readBytes(file, 3, 1e12), Uint8Array.of(4, 5));
    assert.deepEqual(files.readBytes(file, 99, 4), Uint8Array.of());
    assert.equal(files.readBytes(file, -1, 4), undefined);
    assert.equal(files.readBytes(path.join(folder, "nothing"), 0, 4), undefined);
  });

  it("answers a link loop with nothing", () => {
    const link = path.join(folder, "loop");
    fs.symlinkSync(link, link);
    assert.equal(files.status(link), undefined);
    assert.equal(files.realPath(link), undefined);
    assert.deepEqual(files.list(link), []);
  });
});

describe("OverlayFiles", () => {
  it("takes an open document that equals its file for as old as the file", () => {
    const saved = write("same.txt", "same");
    const disk = new NodeFiles();
    const files = new OverlayFiles(disk);
    files.set(saved, "same");
    assert.equal(files.status(saved)?.modified, disk.status(saved)?.modified);
    fs.utimesSync(saved, 1, 1);
    files.set(saved, "other");
    assert.ok((files.status(saved)?.modified ?? 0) > 1000);
  });

  it("lays unsaved texts over the disk, and shows files that do not exist yet", () => {
    const saved = write("saved.txt", "disk");
    const files = new OverlayFiles(new NodeFiles());
    const fresh = path.join(folder, "new", "deep", "CMakeLists.txt");
    files.set(saved, "\uFEFFeditor");
    files.set(fresh, "project(x)");
    files.set(fresh, "project(y)");
    assert.deepEqual(files.readText(saved), { ok: true, text: "editor", lossy: false });
    assert.deepEqual(files.readText(fresh), { ok: true, text: "project(y)", lossy: false });
    assert.equal(files.status(path.join(folder, "new"))?.kind, "directory");
    assert.deepEqual(files.list(path.join(folder, "new")), ["deep"]);
    assert.ok(files.list(folder).includes("new"));

    files.remove(saved);
    files.remove(fresh);
    assert.deepEqual(files.readText(saved), { ok: true, text: "disk", lossy: false });
    assert.equal(files.status(path.join(folder, "new")), undefined);
    assert.ok(!files.list(folder).includes("new"));
  });
});
