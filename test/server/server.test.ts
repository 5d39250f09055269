import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { CodeAction, CodeLens, Diagnostic, DocumentLink, DocumentSymbol, InlayHint, Location } from "vscode-languageserver/node";
import { TextDocument } from "vscode-languageserver-textdocument";
import type { Status } from "../../src/protocol/index.ts";
import { folderOf, LspClient, uriOf } from "./support/client.ts";

const against = '{ "against": ["torch==2.8.0+cu128"] }';

const cmake = [
  "cmake_minimum_required(VERSION 3.18)",
  "project(demo LANGUAGES CXX)",
  "find_package(Torch REQUIRED)",
  "include(cmake/flags.cmake)",
  "add_library(ops SHARED ops.cpp)",
  "target_compile_definitions(ops PRIVATE _GLIBCXX_USE_CXX11_ABI=0)",
  "target_link_libraries(ops PRIVATE ${TORCH_LIBRARIES})",
  "",
].join("\n");

const files = {
  "abiding.json": against,
  "CMakeLists.txt": cmake,
  "cmake/flags.cmake": "set(CMAKE_CXX_STANDARD 17)\nset(SHARED_FLAGS -O2)\n",
  "ops.cpp": "#include <torch/all.h>\n",
};

/** A document as the client holds it. */
class Open {
  text: string;
  readonly #client: LspClient;
  readonly file: string;

  constructor(client: LspClient, file: string, text: string) {
    this.#client = client;
    this.file = file;
    this.text = text;
  }

  static async at(client: LspClient, file: string, text: string, language = "cmake"): Promise<Open> {
    await client.open(file, text, language);
    return new Open(client, file, text);
  }

  /** Types over the first occurrence of a text. */
  async replace(old: string, by: string): Promise<void> {
    const document = TextDocument.create(uriOf(this.file), "cmake", 1, this.text);
    const at = this.text.indexOf(old);
    assert.notEqual(at, -1);
    await this.#client.change(this.file, { range: { start: document.positionAt(at), end: document.positionAt(at + old.length) }, text: by });
    this.text = this.text.replace(old, by);
  }

  async apply(action: CodeAction | undefined): Promise<void> {
    const document = TextDocument.create(uriOf(this.file), "cmake", 1, this.text);
    this.text = TextDocument.applyEdits(document, action?.edit?.changes?.[uriOf(this.file)] ?? []);
    await this.#client.change(this.file, { text: this.text });
  }

  position(needle: string, shift = 0): { line: number; character: number } {
    return TextDocument.create("", "cmake", 1, this.text).positionAt(this.text.indexOf(needle) + shift);
  }
}

async function diagnostics(client: LspClient, file: string): Promise<Diagnostic[]> {
  const report = await client.pull(file);
  return report.kind === "full" ? report.items : [];
}

describe("a server that is pulled", () => {
  const folder = folderOf(files);
  let client: LspClient;
  let document: Open;

  before(async () => {
    client = await LspClient.start({ folders: [folder.root] });
    document = await Open.at(client, folder.path("CMakeLists.txt"), cmake);
  });
  after(async () => {
    await client.stop();
    folder.remove();
  });

  test("reports the ABI with both sides, and its rule as code", async () => {
    const found = (await diagnostics(client, document.file)).filter((one) => one.code === "libstdcxx-abi");
    assert.equal(found.length, 1);
    assert.equal(found[0]?.severity, 1);
    assert.equal(found[0]?.range.start.line, 5);
    assert.match(JSON.stringify(found[0]?.message), /2\.8\.0\+cu128/);
    assert.match(found[0]?.codeDescription?.href ?? "", /docs\/rules\/libstdcxx-abi\.md$/);
  });

  test("follows typing, in unsaved text", async () => {
    await document.replace("_GLIBCXX_USE_CXX11_ABI=0", "_GLIBCXX_USE_CXX11_ABI=1");
    assert.equal((await client.codes(document.file)).includes("libstdcxx-abi 6"), false);
    await document.replace("_GLIBCXX_USE_CXX11_ABI=1", "_GLIBCXX_USE_CXX11_ABI=0");
    assert.equal((await client.codes(document.file)).includes("libstdcxx-abi 6"), true);
  });

  test("says unchanged when nothing changed", async () => {
    const first = await client.pull(document.file);
    const second = await client.pull(document.file, first.resultId);
    assert.deepEqual(second, { kind: "unchanged", resultId: first.resultId });
  });

  test("reports files that are not open by the workspace pull, once", async () => {
    const first = await client.pullWorkspace();
    const report = first.items.find((one) => one.uri === uriOf(document.file));
    assert.equal(report?.kind, "full");
    const second = await client.pullWorkspace(first.items.map((one) => ({ uri: one.uri, value: one.resultId ?? "" })));
    assert.deepEqual(second.items.map((one) => one.kind), first.items.map(() => "unchanged"));
  });

  test("explains a flag on hover", async () => {
    const hover = await client.hover(document.file, document.position("_GLIBCXX_USE_CXX11_ABI=0", 3));
    const text = JSON.stringify(hover?.contents);
    assert.match(text, /For target ops, C\+\+/);
    assert.match(text, /torch 2\.8\.0\+cu128/);
  });

  test("explains the search for Torch on hover", async () => {
    const hover = await client.hover(document.file, document.position("find_package(Torch", 14));
    assert.match(JSON.stringify(hover?.contents), /\*\*Torch\*\*.*2\.8\.0\+cu128/);
  });

  test("hints at what a target gets and which torch is meant", async () => {
    const hints = await client.ask<InlayHint[]>("textDocument/inlayHint", document.file, { range: { start: { line: 0, character: 0 }, end: { line: 20, character: 0 } } });
    assert.deepEqual(hints.map((one) => [one.label, one.position.line]).sort(), [["ABI 0 · C++17", 4], ["torch 2.8.0+cu128", 2]]);
  });

  test("counts findings above the target", async () => {
    const lenses = await client.ask<CodeLens[]>("textDocument/codeLens", document.file);
    assert.equal(lenses.length, 1);
    assert.match(lenses[0]?.command?.title ?? "", /^1 error.* against torch 2\.8\.0\+cu128/);
    assert.equal(lenses[0]?.range.start.line, 4);
  });

  test("links what is included and compiled", async () => {
    const links = await client.ask<DocumentLink[]>("textDocument/documentLink", document.file);
    assert.deepEqual(links.map((one) => [one.range.start.line, one.target]).sort(), [
      [3, uriOf(folder.path("cmake/flags.cmake"))],
      [4, uriOf(folder.path("ops.cpp"))],
    ]);
  });

  test("goes to definitions in this and in included files", async () => {
    const target = await client.ask<Location[]>("textDocument/definition", document.file, { position: document.position("ops PRIVATE _GL") });
    assert.deepEqual(target.map((one) => [one.uri, one.range.start.line]), [[uriOf(document.file), 4]]);
    await document.replace("SHARED ops.cpp", "SHARED ops.cpp ${SHARED_FLAGS}");
    const variable = await client.ask<Location[]>("textDocument/definition", document.file, { position: document.position("SHARED_FLAGS}", 2) });
    assert.deepEqual(variable.map((one) => [one.uri, one.range.start.line]), [[uriOf(folder.path("cmake/flags.cmake")), 1]]);
    await document.replace(" ${SHARED_FLAGS}", "");
    const included = await client.ask<Location[]>("textDocument/definition", document.file, { position: document.position("cmake/flags", 2) });
    assert.deepEqual(included.map((one) => one.uri), [uriOf(folder.path("cmake/flags.cmake"))]);
  });

  test("goes to the command that makes a target whose name no file spells out", async () => {
    const before = document.text;
    const text = before.replace("add_library(ops SHARED ops.cpp)", "function(make name)\n  add_library(${name} SHARED ops.cpp)\nendfunction()\nmake(ops)");
    await client.change(document.file, { text });
    document.text = text;
    const target = await client.ask<Location[]>("textDocument/definition", document.file, { position: document.position("ops PRIVATE _GL") });
    assert.deepEqual(target.map((one) => [one.uri, one.range.start.line]), [[uriOf(document.file), 5]]);
    document.text = before;
    await client.change(document.file, { text: before });
  });

  test("outlines the file", async () => {
    const symbols = await client.ask<DocumentSymbol[]>("textDocument/documentSymbol", document.file);
    assert.deepEqual(symbols.map((one) => one.name), ["demo", "Torch", "ops"]);
  });

  test("silences with a comment, then fixes for good", async () => {
    const [found] = (await diagnostics(client, document.file)).filter((one) => one.code === "libstdcxx-abi");
    assert.ok(found);
    const actions = await client.actions(document.file, found);
    const ignore = actions.find((one) => one.title === "Ignore libstdcxx-abi here");
    const before = document.text;
    await document.apply(ignore);
    assert.equal((await client.codes(document.file)).some((one) => one.startsWith("libstdcxx-abi")), false);
    document.text = before;
    await client.change(document.file, { text: before });
    const fix = actions.find((one) => one.isPreferred === true);
    assert.deepEqual(fix?.diagnostics?.map((one) => one.code), ["libstdcxx-abi"]);
    await document.apply(fix);
    assert.equal((await client.codes(document.file)).some((one) => one.startsWith("libstdcxx-abi")), false);
    document.text = before;
    await client.change(document.file, { text: before });
  });

  test("tells the status, and which projects it checked", async () => {
    const status = await client.connection.sendRequest<Status>("abiding/status", { uri: uriOf(document.file) });
    assert.deepEqual([status.torch?.version, status.torch?.abi, status.torch?.source, status.targets], ["2.8.0+cu128", 1, "catalogue", 1]);
    assert.equal(status.findings.error >= 1, true);
    assert.equal(client.statuses.some((one) => one.folder === status.folder), true);
    const checked = await client.connection.sendRequest<Status[]>("abiding/check", {});
    assert.deepEqual(checked.map((one) => one.folder), [uriOf(folder.root)]);
    const { markdown } = await client.connection.sendRequest<{ markdown: string }>("abiding/report", { uri: uriOf(document.file) });
    assert.match(markdown, /- \*\*error\*\* CMakeLists\.txt:6 `libstdcxx-abi`/);
  });

  test("checks against what is selected, and back", async () => {
    const selected = await client.connection.sendRequest<Status>("abiding/selectEnvironment", { uri: uriOf(document.file), spec: "torch==2.5.1+cu121" });
    assert.deepEqual([selected.torch?.version, selected.torch?.abi], ["2.5.1+cu121", 0]);
    assert.equal((await client.codes(document.file)).some((one) => one.startsWith("libstdcxx-abi ")), false);
    const back = await client.connection.sendRequest<Status>("abiding/selectEnvironment", { uri: uriOf(document.file) });
    assert.equal(back.torch?.version, "2.8.0+cu128");
    assert.equal((await client.codes(document.file)).includes("libstdcxx-abi 6"), true);
  });
});
