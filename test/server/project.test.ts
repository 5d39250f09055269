/** One project while it is slow to read: who waits, who gets what held a moment ago, and what edits in between do. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadCatalogue } from "../../src/engine/catalogue/index.ts";
import type { ReadResult } from "../../src/engine/model/index.ts";
import { Project } from "../../src/server/project.ts";
import { defaultSettings } from "../../src/server/settings.ts";
import { MemoryFiles } from "../support/memory-files.ts";

const catalogue = loadCatalogue();

class SlowFiles extends MemoryFiles {
  reads = 0;

  override readText(path: string): ReadResult {
    this.reads += 1;
    if (path.endsWith(".py")) {
      for (const end = performance.now() + 20; performance.now() < end; );
    }
    return super.readText(path);
  }
}

const cmake = (standard: number): string => `cmake_minimum_required(VERSION 3.18)\nproject(ops LANGUAGES CXX)\nset(CMAKE_CXX_STANDARD ${standard})\nfind_package(Torch)\nadd_library(ops SHARED ops.cpp)\ntarget_link_libraries(ops PRIVATE torch)\n`;

function slowProject(): { readonly project: Project; readonly files: SlowFiles; readonly log: string[]; readonly change: (text: string) => void } {
  const helpers = Array.from({ length: 15 }, (_, index) => [`/p/tools/t${index}.py`, "print(1)\n"] as const);
  const files = new SlowFiles({ ...Object.fromEntries(helpers), "/p/CMakeLists.txt": cmake(20), "/p/ops.cpp": "#include <torch/library.h>\n" });
  const log: string[] = [];
  const project = new Project("/p", {
    files, catalogue, environment: {}, beforeCheck: () => undefined,
    progress: () => ({ report: () => undefined, done: () => log.push("scanned") }), log: () => undefined, info: () => undefined, warn: (message) => log.push(message),
  });
  project.configure({ ...defaultSettings, environment: "torch==2.14.1+cu130" }, []);
  return {
    project, files, log,
    change: (text) => {
      files.write("/p/CMakeLists.txt", text);
      project.invalidate("/p/CMakeLists.txt");
    },
  };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const rules = (findings: readonly { readonly rule: string }[]): readonly string[] => findings.map((one) => one.rule);

test("all who ask share one diagnosis, and an edit in between is in it", async () => {
  const { project, log, change } = slowProject();
  const first = project.current();
  await turn();
  change(cmake(17));
  const second = project.current();
  assert.equal(await first, await second);
  assert.deepEqual(rules((await first).findings), ["cxx-standard"]);
  assert.deepEqual(log, ["scanned"]);
  assert.equal(project.isBusy, false);
});

test("a slow diagnosis does not keep those waiting who can do with the last one", async () => {
  const { project } = slowProject();
  const before = await project.recent();
  project.invalidateAll();
  const recent = await project.recent();
  assert.equal(recent, before);
  assert.equal(project.isBusy, true);
  assert.notEqual(await project.current(), before);
  assert.equal(await project.recent(), await project.current());
});

test("other settings in the middle begin anew", async () => {
  const { project, change } = slowProject();
  change(cmake(17));
  const under = project.current();
  await turn();
  project.select("torch==2.8.0+cu128");
  const diagnosis = await under;
  assert.deepEqual(rules(diagnosis.findings), []);
  assert.equal(diagnosis.installed[0]?.source, "catalogue");
});

test("a file that nobody asked for leaves the diagnosis as it is", async () => {
  const { project, files } = slowProject();
  const before = await project.current();
  const { reads } = files;
  files.write("/p/README.md", "# ops\n");
  assert.equal(project.invalidate("/p/README.md"), false);
  assert.equal(await project.current(), before);
  assert.equal(files.reads, reads);
});
