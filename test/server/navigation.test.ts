/** Definitions, links and outlines across the files of one project. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { DocumentLink, DocumentSymbol, Location } from "vscode-languageserver/node";
import { TextDocument } from "vscode-languageserver-textdocument";
import { folderOf, LspClient, uriOf } from "./support/client.ts";

const lists = [
  "project(demo LANGUAGES CXX)",
  "find_package(Torch REQUIRED)",
  "option(WITH_OPS \"build them\" ON)",
  "include(${CMAKE_CURRENT_SOURCE_DIR}/cmake/helpers.cmake)",
  "add_subdirectory(core)",
  "Make_Ops(ops ops.cpp)",
  "finish(ops)",
  "if(WITH_OPS)",
  "  target_link_libraries(ops PRIVATE ${TORCH_LIBRARIES} core)",
  "endif()",
  "",
].join("\n");
const helpers = "function(make_ops name)\n  set(inside ${name})\n  add_library(${name} SHARED ${ARGN})\nendfunction()\nmacro(FINISH name)\nendmacro()\n";
const setup = 'from setuptools import setup\nfrom torch.utils.cpp_extension import CppExtension\nsetup(ext_modules=[CppExtension("demo._C", ["ops.cpp"])])\n';
const requirements = "-r base.txt\n--constraint=limits.txt\n-r absent.txt\ntorch\n";

const folder = folderOf({
  "abiding.json": '{ "against": ["torch==2.8.0+cu128"] }', "CMakeLists.txt": lists, "cmake/helpers.cmake": helpers, "core/CMakeLists.txt": "add_library(core STATIC core.cpp)\n",
  "ops.cpp": "#include <torch/all.h>\n", "core/core.cpp": "", "setup.py": setup, "requirements.txt": requirements, "base.txt": "", "limits.txt": "",
});
let client: LspClient;

before(async () => {
  client = await LspClient.start({ folders: [folder.root] });
  for (const [name, text, language] of [["CMakeLists.txt", lists, "cmake"], ["cmake/helpers.cmake", helpers, "cmake"], ["setup.py", setup, "python"], ["requirements.txt", requirements, "pip-requirements"]] as const) await client.open(folder.path(name), text, language);
});
after(async () => {
  await client.stop();
  folder.remove();
});

/** Where a text leads: `file:line`, counted from 1. */
async function leads(name: string, text: string, at: string, shift = 1): Promise<readonly string[]> {
  const position = TextDocument.create("", "", 1, text).positionAt(text.indexOf(at) + shift);
  const found = await client.ask<Location[] | null>("textDocument/definition", folder.path(name), { position });
  return (found ?? []).map((one) => `${one.uri.slice(uriOf(folder.root).length + 1)}:${one.range.start.line + 1}`);
}

test("functions and macros are found in whatever case they are called", async () => {
  assert.deepEqual(await leads("CMakeLists.txt", lists, "Make_Ops"), ["cmake/helpers.cmake:1"]);
  assert.deepEqual(await leads("CMakeLists.txt", lists, "finish"), ["cmake/helpers.cmake:5"]);
});

test("variables lead to their option, their package and their function's parameter", async () => {
  assert.deepEqual(await leads("CMakeLists.txt", lists, "if(WITH_OPS", 4), ["CMakeLists.txt:3"]);
  assert.deepEqual(await leads("CMakeLists.txt", lists, "${TORCH_LIBRARIES}", 3), ["CMakeLists.txt:2"]);
  assert.deepEqual(await leads("cmake/helpers.cmake", helpers, "${name}", 3), ["cmake/helpers.cmake:1"]);
});

test("files that are named are found through variables, and folders by their list", async () => {
  assert.deepEqual(await leads("CMakeLists.txt", lists, "cmake/helpers"), ["cmake/helpers.cmake:1"]);
  assert.deepEqual(await leads("CMakeLists.txt", lists, "(core)"), ["core/CMakeLists.txt:1"]);
  assert.deepEqual(await leads("CMakeLists.txt", lists, "core)\nendif"), ["core/CMakeLists.txt:1"]);
  assert.deepEqual(await leads("CMakeLists.txt", lists, "ops.cpp"), ["ops.cpp:1"]);
});

test("requirement files that exist are links", async () => {
  const links = await client.ask<DocumentLink[]>("textDocument/documentLink", folder.path("requirements.txt"));
  assert.deepEqual(links.map((one) => [one.range.start.line, one.range.start.character, one.target]), [[0, 3, uriOf(folder.path("base.txt"))], [1, 13, uriOf(folder.path("limits.txt"))]]);
});

test("the outline nests what a function sets; of Python it has the targets", async () => {
  const outline = async (name: string): Promise<unknown> => (await client.ask<DocumentSymbol[]>("textDocument/documentSymbol", folder.path(name))).map((one) => [one.name, one.detail, (one.children ?? []).map((child) => child.name)]);
  assert.deepEqual(await outline("cmake/helpers.cmake"), [["make_ops", "function", ["inside"]], ["FINISH", "macro", []]]);
  assert.deepEqual(await outline("setup.py"), [["demo._C", "CppExtension", []]]);
});
