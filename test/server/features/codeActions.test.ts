import assert from "node:assert/strict";
import { test } from "node:test";
import { CodeActionTriggerKind } from "vscode-languageserver/node";
import type { CodeAction } from "vscode-languageserver/node";
import { TextDocument } from "vscode-languageserver-textdocument";
import { codeActions, fixAllKind } from "../../../src/server/features/codeActions.ts";
import { toDiagnostic } from "../../../src/server/features/diagnostics.ts";
import { abiFinding, cmakeLists, cmakeText, placeOf, standardFinding } from "../support/diagnosis.ts";
import type { Finding } from "../../../src/engine/model/index.ts";

const document = TextDocument.create("file:///project/CMakeLists.txt", "cmake", 1, cmakeText);
const uri = (path: string): string => `file://${path}`;
const shown = toDiagnostic(abiFinding, { relatedInformation: false, codeDescription: false, tags: false, uri });

function ask(range = placeOf("_GLIBCXX_USE_CXX11_ABI=0").range, only?: string[], findings: readonly Finding[] = [abiFinding, standardFinding]): CodeAction[] {
  return codeActions({
    path: cmakeLists, document, range, findings, clientCommands: [], uri,
    context: { diagnostics: [shown], triggerKind: CodeActionTriggerKind.Invoked, ...(only === undefined ? {} : { only }) },
  });
}

function applied(action: CodeAction | undefined): string {
  return TextDocument.applyEdits(document, action?.edit?.changes?.[document.uri] ?? []);
}

test("the fixes of the findings under the cursor come first, the preferred one marked", () => {
  const actions = ask();
  assert.deepEqual(actions.map((one) => [one.title, one.isPreferred === true]), [
    ["Delete the definition", true],
    ["Define 1", false],
    ["Ignore libstdcxx-abi here", false],
    ["Open documentation of libstdcxx-abi", false],
  ]);
  assert.deepEqual(actions[0]?.diagnostics, [shown]);
  assert.match(applied(actions[1]), /_GLIBCXX_USE_CXX11_ABI=1\)/);
});

test("ignoring writes the comment above the line, in its indentation", () => {
  const ignore = ask().find((one) => one.title.startsWith("Ignore"));
  assert.match(applied(ignore), /\n# abiding: ignore\[libstdcxx-abi\] \ntarget_compile_definitions\(/);
});

test("nothing is offered where nothing was found", () => {
  assert.deepEqual(ask(placeOf("project(demo").range), []);
});

test("fix all is given only when asked for, and applies every preferred fix", () => {
  assert.equal(ask().some((one) => one.kind === fixAllKind), false);
  for (const only of [["source.fixAll"], ["source"], [fixAllKind]]) {
    const actions = ask(undefined, only);
    assert.deepEqual(actions.map((one) => one.kind), [fixAllKind]);
    const text = applied(actions[0]);
    assert.match(text, /CXX_STANDARD 17/);
    assert.doesNotMatch(text, /_GLIBCXX_USE_CXX11_ABI/);
  }
  assert.deepEqual(ask(undefined, ["refactor"]), []);
  assert.deepEqual(ask(undefined, ["source.fixAll.eslint"]), []);
});

test("of two fixes that touch the same text, fix all takes the first", () => {
  const rival: Finding = { ...abiFinding, rule: "libstdcxx-abi-pinned", fixes: [{ title: "Other", preferred: true, edits: [{ location: placeOf("_GLIBCXX_USE_CXX11_ABI=0"), newText: "X" }] }] };
  const [action] = ask(undefined, ["source.fixAll"], [abiFinding, rival]);
  assert.equal(applied(action), cmakeText.replace("target_compile_definitions(ops PRIVATE _GLIBCXX_USE_CXX11_ABI=0)", ""));
});
