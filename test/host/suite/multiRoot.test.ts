/** Two projects in one window: each has its own findings. */
import assert from "node:assert/strict";
import { suite, test } from "mocha";
import { fileIn, finding, findings, open, until } from "./support.ts";
import * as vscode from "vscode";

suite("multi-root", () => {
  test("the skewed project has findings and the healthy one has none", async () => {
    const skewed = fileIn("CMakeLists.txt", "skewed-extension");
    await open(fileIn("CMakeLists.txt", "healthy-extension"));
    await open(skewed);
    await finding(skewed, "cxx-standard");
    await until("files that are not open", () => findings(fileIn("requirements.txt", "skewed-extension")).length > 0);
    const all = vscode.languages.getDiagnostics().filter(([, diagnostics]) => diagnostics.some((one) => one.source === "abiding"));
    assert.deepEqual(all.filter(([uri]) => uri.path.includes("healthy-extension")).map(([uri]) => uri.path), []);
  });
});
