/** What the workshop writes where its user says: the ABI stamp, and an installation. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { openBridge, type Bridge } from "../harness/index.ts";
import { scratchWorkspace } from "../harness/workspace.ts";

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
let bridge: Bridge;
let page: Page;

before(async () => {
  writeFileSync(join(project.path, "CMakeLists.txt"), cmake);
  writeFileSync(join(project.path, "setup.py"), "from setuptools import setup, Extension\nsetup(ext_modules=[Extension('scan', ['scan.c'])])\n");
  writeFileSync(join(project.path, "abiding.json"), JSON.stringify({ build: { python: "editable" } }));
  mkdirSync(join(project.path, ".venv", "bin"), { recursive: true });
  writeFileSync(join(project.path, ".venv", "pyvenv.cfg"), "version = 3.11.0\n");
  writeFileSync(join(project.path, ".venv", "bin", "python"), `#!/bin/sh\ntouch ${outside("ran")}\nexit 1\n`, { mode: 0o755 });
  bridge = await openBridge({ workspace: project.path, settings: { "terminal.integrated.gpuAcceleration": "off" } });
  page = bridge.workbench.page;
  page.setDefaultTimeout(20_000);
});
after(async () => {
  await bridge.close();
  project.delete();
});

const question = (title: string): Locator => page.locator(".quick-input-widget").filter({ hasText: title });
const choose = (title: string, label: string): Promise<void> => question(title).locator(".monaco-list-row").filter({ hasText: label }).first().click();

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

test("an installation is asked for by the Python that it goes into, and Cancel runs nothing", async () => {
  await bridge.workbench.runCommand("Abiding: Build Native Library");
  const installing = question("installs into an environment");
  await installing.waitFor();
  await installing.locator(".monaco-list-row").filter({ hasText: `Install into ${join(project.path, ".venv", "bin", "python")}` }).waitFor();
  await choose("installs into an environment", "Cancel");
  await page.locator(".terminal-wrapper .xterm-rows").filter({ hasText: "Cancelled." }).waitFor();
  assert.equal(existsSync(outside("ran")), false);
});
