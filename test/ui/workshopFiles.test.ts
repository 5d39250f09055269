/** What the workshop writes where its user says: the ABI stamp, a libtorch beside what is there already, an installation. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { openBridge, type Bridge } from "../harness/index.ts";
import { scratchWorkspace } from "../harness/workspace.ts";
import { RangeServer } from "../support/rangeServer.ts";
import { archive, entriesOf } from "../workshop/libtorch/archives.ts";
import { writeLibtorch } from "../workshop/libtorch/reducedTorch.ts";

const cmake = `cmake_minimum_required(VERSION 3.22)
project(rowwise LANGUAGES CXX)
find_package(Torch REQUIRED)
add_library(rowwise SHARED rowwise.cpp)
add_library(other SHARED rowwise.cpp)
target_link_libraries(rowwise PRIVATE torch)
`;

const project = scratchWorkspace("rowwise");
const outside = (name: string): string => join(project.path, "..", name);
const text = (): string => readFileSync(join(project.path, "CMakeLists.txt"), "utf8");
let server: RangeServer;
let bridge: Bridge;
let page: Page;

before(async () => {
  writeFileSync(join(project.path, "CMakeLists.txt"), cmake);
  writeFileSync(join(project.path, "setup.py"), "from setuptools import setup, Extension\nsetup(ext_modules=[Extension('scan', ['scan.c'])])\n");
  writeFileSync(join(project.path, "abiding.json"), JSON.stringify({ build: { python: "editable" } }));
  mkdirSync(join(project.path, ".venv", "bin"), { recursive: true });
  writeFileSync(join(project.path, ".venv", "pyvenv.cfg"), "version = 3.11.0\n");
  writeFileSync(join(project.path, ".venv", "bin", "python"), `#!/bin/sh\ntouch ${outside("ran")}\nexit 1\n`, { mode: 0o755 });
  writeLibtorch(outside("made"));
  mkdirSync(outside("opt"));
  writeFileSync(join(outside("opt"), "notes.txt"), "mine");
  server = await RangeServer.start();
  server.serve(`/mirror/cpu/${encodeURIComponent("libtorch-shared-with-deps-2.13.0+cpu.zip")}`, { content: archive(entriesOf(outside("made"), "libtorch")), etag: '"one"' });
  mkdirSync(join(project.path, ".vscode"));
  writeFileSync(join(project.path, ".vscode", "settings.json"), JSON.stringify({ "abiding.libtorch.index": `${server.origin}/mirror` }));
  bridge = await openBridge({ workspace: project.path, environment: { XDG_CACHE_HOME: outside("cache") }, settings: { "terminal.integrated.gpuAcceleration": "off" } });
  page = bridge.workbench.page;
  page.setDefaultTimeout(20_000);
});
after(async () => {
  await bridge.close();
  await server.stop();
  project.delete();
});

const question = (title: string): Locator => page.locator(".quick-input-widget").filter({ hasText: title });
const choose = (title: string, label: string): Promise<void> => question(title).locator(".monaco-list-row").filter({ hasText: label }).first().click();

async function until(what: string, get: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 20_000; !(await get()); await page.waitForTimeout(50)) {
    if (Date.now() > end) assert.fail(`Waited in vain: ${what}.`);
  }
}

test("the stamp is shown whole before anything is written, and Cancel writes nothing", async () => {
  await bridge.workbench.runCommand("Abiding: Add ABI Stamp...");
  await choose("Stamp which library?", "rowwise");
  await question("ABI stamp of rowwise").waitFor();
  assert.match(await question("ABI stamp of rowwise").innerText(), /changes CMakeLists\.txt, creates cmake\/AbidingStamp\.cmake/);
  await page.locator(".multiDiffEditor").getByText("AbidingStamp.cmake").first().waitFor();
  await bridge.workbench.screenshot("ui-workshop-stamp");
  await choose("ABI stamp of rowwise", "Cancel");
  await page.locator(".multiDiffEditor").waitFor({ state: "hidden" });
  assert.equal(text(), cmake);
  assert.equal(existsSync(join(project.path, "cmake")), false);
});

test("once it is confirmed all of it is written and saved", async () => {
  await bridge.workbench.runCommand("Abiding: Add ABI Stamp...");
  await choose("Stamp which library?", "rowwise");
  await choose("ABI stamp of rowwise", "Add the stamp");
  await page.locator(".tabs-container .tab").filter({ hasText: "stamp of rowwise.md" }).waitFor();
  assert.equal(text(), `${cmake}include("\${CMAKE_CURRENT_LIST_DIR}/cmake/abiding_stamp_rowwise.cmake")\n`);
  assert.deepEqual(readdirSync(join(project.path, "cmake")).sort(), ["AbidingStamp.cmake", "abiding_stamp.cpp", "abiding_stamp_rowwise.cmake"]);
});

test("a fetched libtorch lies in a new folder beside what is there, and is found afterwards", async () => {
  await bridge.workbench.runCommand("Abiding: Fetch libtorch...");
  await choose("Which release of torch?", "2.13.0");
  await question("Which build of 2.13.0?").waitFor();
  await page.keyboard.press("Enter");
  await choose("From which file?", "The libtorch archive");
  const folder = question("In which folder shall libtorch-2.13.0-cpu be made?");
  await folder.locator("input").first().fill(`${outside("opt")}/`);
  // The dialog follows what is typed a moment later.
  await folder.locator(".monaco-list-row").filter({ hasText: ".." }).first().waitFor();
  await page.waitForTimeout(500);
  await page.keyboard.press("Enter");
  const prefix = join(outside("opt"), "libtorch-2.13.0-cpu");
  await until("libtorch is there", () => existsSync(join(prefix, "abiding-libtorch.json")));
  assert.deepEqual(readdirSync(outside("opt")).sort(), ["libtorch-2.13.0-cpu", "notes.txt"]);
  await bridge.workbench.runCommand("Abiding: Locate libtorch");
  await choose("libtorch for rowwise", "2.13.0");
  await until("its argument is copied", async () => await bridge.inHost((vscode) => vscode.env.clipboard.readText(), null) === `-DTorch_DIR=${prefix}/share/cmake/Torch`);
});

test("an installation is asked for by the Python that it goes into, and Cancel runs nothing", async () => {
  await bridge.workbench.runCommand("Abiding: Build Native Library");
  const installing = question("installs into an environment");
  await installing.waitFor();
  await installing.locator(".monaco-list-row").filter({ hasText: `Install into ${join(project.path, ".venv", "bin", "python")}` }).waitFor();
  await choose("installs into an environment", "Cancel");
  await page.locator(".terminal-wrapper .xterm-rows").filter({ hasText: "Cancelled." }).waitFor();
  assert.equal(existsSync(outside("ran")), false);
});
