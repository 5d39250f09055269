/** The panel in Restricted Mode: everything is read, and nothing can be started. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { FrameLocator } from "playwright-core";
import { openBridge, type Bridge } from "../harness/index.ts";
import { panelProject, type PanelProject } from "../harness/panelProject.ts";

let project: PanelProject;
let bridge: Bridge;
let view: FrameLocator;

before(async () => {
  project = panelProject("http://127.0.0.1:9/simple", ["2.14.0"]);
  bridge = await openBridge({ workspace: project.path, trusted: false });
  bridge.workbench.page.setDefaultTimeout(30_000);
  view = bridge.workbench.page.frameLocator('iframe.webview[src*="extensionId=abiding.abiding"]').frameLocator('iframe#active-frame[title="Abiding"]');
});
after(async () => {
  await bridge.close();
  project.delete();
});

test("bodies and records are read; what would run something says why it does not", async () => {
  await bridge.workbench.runCommand("Abiding: Open Panel");
  await view.getByRole("note").filter({ hasText: "Restricted Mode" }).waitFor();
  await view.getByRole("table").getByText("C++ standard").first().waitFor();
  for (const name of ["Start: Build", "Run: Smoke tests", "Run: Benchmarks", "Get: libtorch"]) assert.equal(await view.getByRole("button", { name }).isDisabled(), true, name);
  await view.locator(".work").first().getByText("This workspace is not trusted: nothing of it is run.").waitFor();
  await view.getByRole("tab", { name: "Combinations" }).press("Enter");
  await view.getByText("21 records").first().waitFor();
  await bridge.workbench.screenshot("ui-panel-restricted");
});

test("a page that asks all the same is refused, and nothing ran", async () => {
  // What a page that was taken over could send goes through the same commands.
  for (const command of ["run", "predict", "bisect", "rollPins", "publish", "refreshIndexes"]) {
    await bridge.inHost(async (vscode, name) => {
      let isAnswered = false;
      void vscode.commands.executeCommand(`abiding.combinations.${name}`).then(() => {
        isAnswered = true;
      });
      // The refusal is a message, and the command ends when it is closed.
      while (!isAnswered) {
        await vscode.commands.executeCommand("notifications.clearAll");
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }, command);
  }
  assert.equal(existsSync(join(project.path, "built")), false);
  assert.equal(existsSync(join(project.path, ".abiding", "local")), false);
});
