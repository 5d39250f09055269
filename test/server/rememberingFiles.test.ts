import assert from "node:assert/strict";
import { test } from "node:test";
import { NodeFiles } from "../../src/engine/files/index.ts";
import { RememberingFiles } from "../../src/server/rememberingFiles.ts";
import { folderOf } from "./support/client.ts";

function kinds(files: RememberingFiles, ...paths: string[]): (string | undefined)[] {
  return paths.map((path) => files.status(path)?.kind);
}

test("a header is looked for once, until something is known to have changed", (context) => {
  const folder = folderOf({ "a.h": "" });
  context.after(() => folder.remove());
  const [a, b] = [folder.path("a.h"), folder.path("b.h")];
  const files = new RememberingFiles(new NodeFiles(), true);
  files.refresh();
  assert.deepEqual(kinds(files, a, b), ["file", undefined]);
  folder.remove("a.h");
  folder.write("b.h", "");
  files.refresh();
  assert.deepEqual(kinds(files, a, b), ["file", undefined]);
  files.forget();
  assert.deepEqual(kinds(files, a, b), [undefined, "file"]);
});

test("unsaved texts and build files are never remembered wrongly", (context) => {
  const folder = folderOf({});
  context.after(() => folder.remove());
  const [header, list] = [folder.path("a.h"), folder.path("CMakeLists.txt")];
  const files = new RememberingFiles(new NodeFiles(), true);
  files.refresh();
  assert.deepEqual(kinds(files, header, list), [undefined, undefined]);
  files.set(header, "");
  folder.write("CMakeLists.txt", "");
  assert.deepEqual(kinds(files, header, list), ["file", "file"]);
  files.remove(header);
  assert.deepEqual(kinds(files, header), [undefined]);
});

test("without events from the client, each check asks anew", (context) => {
  const folder = folderOf({ "a.h": "" });
  context.after(() => folder.remove());
  const files = new RememberingFiles(new NodeFiles(), false);
  files.refresh();
  assert.deepEqual(kinds(files, folder.path("a.h")), ["file"]);
  folder.remove("a.h");
  files.refresh();
  assert.deepEqual(kinds(files, folder.path("a.h")), [undefined]);
});
