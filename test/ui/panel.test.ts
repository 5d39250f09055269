/** The panel as a user meets it in VS Code: every control by keyboard, work that was started anywhere, cells while they are tried, all kinds of themes. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Frame, FrameLocator, Locator, Page } from "playwright-core";
import type { CombinationRecord } from "../../src/workshop/combinations/types.ts";
import { accessibilityProblems, openBridge, type Bridge } from "../harness/index.ts";
import { panelProject, pythonVersion, type PanelProject } from "../harness/panelProject.ts";
import { NightlyIndex } from "../support/nightlyIndex.ts";

/** Milliseconds for what happens at once on a machine that has nothing else to do. */
const limit = Number(process.env.LIMIT ?? 30_000);

let index: NightlyIndex;
let project: PanelProject;
let bridge: Bridge;
let page: Page;
let view: FrameLocator;

before(async () => {
  index = await NightlyIndex.start({ days: 0, releases: { "2.14.0": {} }, pythons: [`cp${pythonVersion().replace(".", "")}`] });
  project = panelProject(index.simple, ["2.14.0"]);
  bridge = await openBridge({
    workspace: project.path, size: { width: 1280, height: 900 }, environment: { LIBTORCH: project.outside("libtorch"), XDG_CACHE_HOME: project.outside("cache") },
    settings: { "terminal.integrated.gpuAcceleration": "off", "abiding.benchmark.repetitions": 5, "workbench.sideBar.location": "right" },
  });
  page = bridge.workbench.page;
  page.setDefaultTimeout(limit);
  view = page.frameLocator('iframe.webview[src*="extensionId=abiding.abiding"]').frameLocator('iframe#active-frame[title="Abiding"]');
});
after(async () => {
  await bridge.close();
  await index.stop();
  project.delete();
});

/** Everything is done by keys: nothing of the panel is clicked. */
async function press(control: Locator, key = "Enter"): Promise<void> {
  await control.focus();
  await page.keyboard.press(key);
}

async function run(command: string): Promise<void> {
  await bridge.inHost((vscode, id) => void vscode.commands.executeCommand(id), command);
}

const button = (name: string | RegExp): Locator => view.getByRole("button", { name });
const work = (name: string): Locator => view.locator(".work").filter({ has: view.getByRole("heading", { name, exact: true }) });
const quickPick = (title: string): Locator => page.locator(".quick-input-widget").filter({ hasText: title });
const clipboard = (): Promise<string> => bridge.inHost((vscode) => vscode.env.clipboard.readText(), null);
const tab = (name: string): Locator => page.locator(".tabs-container .tab").filter({ hasText: name });
const recorded = (): readonly CombinationRecord[] => readFileSync(join(project.path, ".abiding", "combinations.jsonl"), "utf8").trim().split("\n").map((line) => JSON.parse(line) as CombinationRecord);

/** Picks what has the text that is typed, as a person does who knows what is there; empty: what is offered first. */
async function pick(title: string, text: string, shown = text): Promise<void> {
  await quickPick(title).locator(".monaco-list-row").filter({ hasText: shown }).first().waitFor();
  await quickPick(title).locator("input").first().fill(text);
  await quickPick(title).locator(".monaco-list-row.focused").filter({ hasText: shown }).waitFor();
  await page.keyboard.press("Enter");
}

async function select(name: "Bodies" | "Combinations" | "Benchmarks"): Promise<void> {
  await press(view.getByRole("tab", { name }));
  await view.getByRole("tab", { name, selected: true }).waitFor();
}

/** What the panel has opened beside itself goes again. */
async function alone(): Promise<void> {
  // A tab that is only just coming cannot be closed yet.
  await until("nothing else is open", () => bridge.inHost(async (vscode) => {
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    const others = tabs.filter((one) => !(one.input instanceof vscode.TabInputWebview && one.label === "Abiding"));
    await vscode.workspace.saveAll(false);
    await vscode.window.tabGroups.close(others).then(undefined, () => undefined);
    await vscode.commands.executeCommand("workbench.action.closePanel");
    return vscode.window.tabGroups.all.flatMap((group) => group.tabs).length === 1;
  }, null));
  await view.locator("h1").waitFor();
}

async function until<T>(what: string, get: () => T | undefined | false | Promise<T | undefined | false>): Promise<T> {
  for (const end = Date.now() + limit; ; ) {
    const value = await get();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > end) throw new Error(`Waited in vain: ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function frame(): Promise<Frame> {
  return (await (await view.locator("body").elementHandle())?.ownerFrame()) ?? assert.fail("The page has no frame.");
}

test("the palette opens the panel: what stands in the way is there before anything was built", async () => {
  await bridge.workbench.runCommand("Abiding: Open Panel");
  await view.getByRole("heading", { name: "skewed-extension", level: 1 }).waitFor();
  await view.getByText("torch 2.14.1+cu130").first().waitFor();
  for (const name of ["Build", "Smoke tests", "Benchmarks", "libtorch"]) await work(name).getByText("Not run yet.").waitFor();
  await view.getByText("In the way of a build").waitFor();
  await view.getByRole("table").getByText("C++ standard").first().waitFor();
  assert.equal(existsSync(join(project.path, "built")), false);
  await bridge.workbench.screenshot("ui-panel-bodies");
});

test("there is one panel: opening it again shows it", async () => {
  await bridge.inHost((vscode) => vscode.commands.executeCommand("abiding.openPanel"), null);
  assert.equal(await tab("Abiding").count(), 1);
});

test("smoke tests are started and cancelled from the panel", async () => {
  await press(button("Run: Smoke tests"));
  await work("Smoke tests").getByRole("progressbar").waitFor();
  await press(button("Cancel: Smoke tests"));
  await work("Smoke tests").getByText("Cancelled").first().waitFor();
  await button("Run: Smoke tests").waitFor();
});

test("what is started elsewhere is there too, with what came of it and its log; what passes is recorded", async () => {
  await bridge.workbench.runCommand("Abiding: Run Smoke Tests");
  await work("Smoke tests").getByRole("progressbar").waitFor();
  writeFileSync(project.outside("go"), "");
  await work("Smoke tests").getByText("1 passed.").waitFor();
  assert.deepEqual(recorded().slice(21).map(({ how, outcome, combination }) => [how, outcome, combination.torch.version]), [["smoke", "passed", "2.14.1+cu130"]]);
  await press(button("Log: Smoke tests"));
  await page.locator(".part.panel").getByText("all is well").first().waitFor();
  await alone();
});

test("a build asks about the skews that it would carry", async () => {
  await press(button("Start: Build"));
  await pick("This build would be skewed", "Build anyway");
  await work("Build").getByText("Built: touch.").waitFor();
  assert.equal(existsSync(join(project.path, "built")), true);
  await press(button("Log: Build"));
  await page.locator(".part.panel .terminal, .editor-instance").first().waitFor();
  await alone();
});

test("libtorch is located: the one that the environment names, and why", async () => {
  await press(button("Get: libtorch"));
  await pick("libtorch", "Locate libtorch");
  await pick("libtorch for skewed-extension", "", "LIBTORCH in the environment");
  assert.equal(await until("the argument is copied", async () => /^-DTorch_DIR=/.test(await clipboard()) && clipboard()), `-DTorch_DIR=${join(project.outside("libtorch"), "share", "cmake", "Torch")}`);
  await work("libtorch").getByText(`libtorch 2.14.1 is in ${project.outside("libtorch")}.`).waitFor();
});

test("bodies: a value leads to its line, a rule to its page", async () => {
  const cell = view.getByRole("table").getByRole("button", { name: /^setup\.py:\d+$/ }).first();
  const line = Number((await cell.innerText()).split(":")[1]);
  await press(cell);
  await until("the line is selected", async () => await bridge.inHost((vscode) => vscode.window.activeTextEditor?.selection.active.line, null) === line - 1);
  await alone();
  await press(view.getByRole("button", { name: "cxx-standard" }).first());
  await tab("cxx-standard.md").waitFor();
  await alone();
});

test("bodies: a fix is applied as the light bulb would, and what it mends is no longer in the way", async () => {
  const fixes = view.getByRole("region", { name: /In the way/ }).or(view.locator(".in-the-way")).getByRole("button", { name: "Raise it to C++20" });
  await fixes.first().waitFor();
  const before = await fixes.count();
  await press(fixes.first());
  await until("the text is changed", () => bridge.inHost((vscode) => vscode.workspace.textDocuments.some((one) => one.isDirty && one.getText().includes("CMAKE_CXX_STANDARD 20")), null));
  await until("it is gone from the panel", async () => await fixes.count() < before);
  await alone();
  assert.match(readFileSync(join(project.path, "CMakeLists.txt"), "utf8"), /CMAKE_CXX_STANDARD 20/);
});

test("bodies: another environment is a fifth column, until it is removed", async () => {
  await press(button(/^Compare with another/));
  await pick("Which environment beside the others?", "A release of torch...");
  await pick("Release of torch", "torch==2.5.1");
  await view.getByRole("columnheader").filter({ hasText: "2.5.1" }).waitFor();
  await press(button("Remove the fifth column"));
  await view.getByRole("columnheader").filter({ hasText: "2.5.1" }).waitFor({ state: "detached" });
});

test("bodies: another target, and of it only what disagrees", async () => {
  const target = view.getByRole("combobox", { name: "Target" });
  const first = await target.inputValue();
  await press(target, "ArrowDown");
  await until("another target", async () => await target.inputValue() !== first);
  const only = view.getByRole("checkbox", { name: "Only disagreements" });
  await press(only, "Space");
  await until("it is on", () => only.isChecked());
  assert.equal(await view.getByRole("table").getByText("agrees", { exact: true }).count(), 0);
  await press(only, "Space");
  await until("it is off", async () => !(await only.isChecked()));
});

test("benchmarks: measured from the panel, with a table beside each chart; a run becomes the baseline", async () => {
  await select("Benchmarks");
  await press(button("Run benchmarks"));
  await work("Benchmarks").getByText("Measured 2 benchmarks.").waitFor();
  await view.getByRole("heading", { name: /gather\/4096/ }).waitFor();
  await press(view.locator("summary").filter({ hasText: "Table of 1 run" }).first());
  await view.getByRole("table").last().getByRole("columnheader", { name: "95 % interval" }).waitFor();
  await press(button("Run: Benchmarks"));
  await view.locator("summary").filter({ hasText: "Table of 2 runs" }).first().waitFor();
  await view.getByRole("heading", { name: "Compared with the run before" }).or(view.getByRole("heading", { name: /^Compared with/ })).first().waitFor();
  const baseline = view.getByRole("combobox", { name: "Baseline" });
  await press(baseline, "End");
  await until("the oldest run is the baseline", async () => (await view.getByRole("heading", { name: /^Compared with/ }).innerText()).includes(await baseline.inputValue()));
  await bridge.workbench.screenshot("ui-panel-benchmarks");
});

test("combinations: the latest working lines are on top, and copied", async () => {
  await select("Combinations");
  await press(button("Copy the line for the release"));
  await view.getByText("Copied install line").waitFor();
  assert.equal(await clipboard(), "pip install torch==2.14.1+cu130 --index-url https://download.pytorch.org/whl/cu130");
});

test("combinations: arrows walk through the matrix, and Enter opens the evidence of a cell", async () => {
  const grid = view.getByRole("grid", { name: "Combinations" });
  await grid.locator("[data-active]").focus();
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  const evidence = view.getByRole("region", { name: /^torch 2\.16\.0\.dev20261119\+cu130, 0\.4\.0/ });
  await evidence.getByText("tests/test_ops.py::test_quantize").last().waitFor();
  await page.keyboard.press("Escape");
  await evidence.waitFor({ state: "detached" });
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await view.getByRole("region", { name: /dev20261118/ }).getByText("torch-symbols").waitFor();
  // What the rule means is told from its page.
  await view.getByText("A built file needs C++ symbols of torch").waitFor();
});

test("combinations: the install line of a cell is that of its record", async () => {
  await press(button("Copy install line"));
  await until("it is copied", async () => (await clipboard()).includes("dev20261118"));
  assert.equal(await clipboard(), "pip install --pre torch==2.16.0.dev20261118+cu130 --index-url https://download.pytorch.org/whl/nightly/cu130");
  await press(button("Close the evidence"));
});

test("combinations: filters and another axis by keyboard, and the way back", async () => {
  const rows = view.getByRole("grid").getByRole("rowheader");
  await press(view.getByRole("searchbox", { name: "Filter versions and records" }), "2");
  await page.keyboard.type(".12");
  await until("one row", async () => await rows.count() === 1);
  await press(view.getByRole("button", { name: "Clear", exact: true }));
  await until("all rows", async () => await rows.count() > 10);
  await press(view.getByRole("combobox", { name: "Columns" }), "ArrowDown");
  await view.getByRole("columnheader", { name: /^22222222/ }).waitFor();
  await press(view.getByRole("combobox", { name: "Columns" }), "ArrowUp");
  for (const name of ["Channel", "Outcome", "Method", "Listed"]) {
    const choice = view.getByRole("combobox", { name, exact: true });
    await press(choice, "ArrowDown");
    await until(`${name} is chosen`, async () => await choice.inputValue() !== "");
    await press(view.getByRole("button", { name: "Clear", exact: true }));
  }
});

test("combinations: indexes are read when that is asked for", async () => {
  await press(button("Refresh indexes"));
  await view.getByText("Indexes were read").waitFor();
  await view.getByRole("grid").getByRole("rowheader", { name: "2.14.0", exact: true }).waitFor();
});

test("combinations: the matrix leads to abiding.json, and the records to their file", async () => {
  await press(button("Edit the matrix"));
  await until("abiding.json is open at it", () => bridge.inHost((vscode) => {
    const editor = vscode.window.activeTextEditor;
    return editor?.document.uri.path.endsWith("/abiding.json") === true && editor.document.lineAt(editor.selection.active.line).text.includes('"combinations"');
  }, null));
  await alone();
  await press(button("Open the records"));
  await tab("combinations.jsonl").waitFor();
  await alone();
});

test("records that cannot be read are opened all the same, and shown again when they are mended", async () => {
  const file = join(project.path, ".abiding", "combinations.jsonl");
  const before = readFileSync(file);
  writeFileSync(file, "<<<<<<< ours\n{torn\n");
  await view.getByText("No record of a trial or a prediction could be read.").waitFor();
  await press(button("Open the records"));
  await tab("combinations.jsonl").waitFor();
  writeFileSync(file, before);
  await alone();
  await view.getByRole("grid").getByRole("rowheader", { name: /dev20261119/ }).waitFor();
});

test("a torch is tried: its cell tells how it goes, and its record and log are there afterwards", async () => {
  const grid = view.getByRole("grid", { name: "Combinations" });
  await press(view.getByRole("searchbox", { name: "Filter versions and records" }), "2");
  await page.keyboard.type(".14.0");
  await until("one row", async () => await grid.getByRole("rowheader").count() === 1);
  await grid.locator("[data-active]").focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("Enter");
  await view.getByRole("heading", { name: "torch 2.14.0", exact: true }).waitFor();
  await press(button("Try it"));
  await quickPick("Try 1 cell?").locator(".monaco-list-row").filter({ hasText: "torch 2.14.0" }).first().waitFor();
  await pick("Try 1 cell?", "", "Each in a scratch environment");
  await view.getByText(/^Being tried: 0 of 1 cell ended, 1 running/).waitFor();
  await grid.locator(".cell.live, .busy").first().waitFor();
  await work("Combinations").getByText("The cell passed.").waitFor({ timeout: 4 * limit });
  assert.deepEqual(recorded().slice(-2).map(({ how, outcome, combination }) => [how, outcome, combination.torch.version]), [["built", "passed", "2.14.0"], ["smoke", "passed", "2.14.0"]]);
  await view.getByRole("region", { name: /^torch 2\.14\.0/ }).getByText("End of the log").first().waitFor();
  await press(button("Open log").first());
  await page.locator(".tabs-container .tab").filter({ hasText: ".log" }).waitFor();
  await alone();
});

test("pins are rolled to a cell's torch in VS Code's own preview", async () => {
  await press(button("Roll pins…"));
  const files = page.locator(".part.panel .monaco-list-row[aria-level='1']");
  await files.filter({ hasText: "requirements.txt" }).waitFor();
  await bridge.workbench.screenshot("ui-panel-roll");
  for (const file of await files.all()) {
    await file.click();
    await page.keyboard.press("Space");
  }
  // VS Code compares the texts beside the list. Where that tab goes before it has done so, VS Code leaves "The editor could not be opened" in the place of what comes next.
  for (const name of ["pyproject.toml", "requirements.txt"]) await page.locator(".multiDiffEntry").filter({ hasText: name }).filter({ hasText: "torch==2.14.0" }).waitFor();
  await run("refactorPreview.apply");
  await until("the pins are rolled", () => bridge.inHost((vscode) => vscode.workspace.textDocuments.some((one) => one.uri.path.endsWith("/requirements.txt") && one.getText().includes("torch==2.14.0")), null));
  await alone();
});

test("a bisect asks for the end that is not known, and says why it has no answer", async () => {
  await press(view.getByRole("searchbox", { name: "Filter versions and records" }), "Escape");
  await view.getByRole("searchbox", { name: "Filter versions and records" }).fill("20261119");
  await view.getByRole("grid").locator("[data-active]").focus();
  await page.keyboard.press("Enter");
  await view.getByRole("heading", { name: /^torch 2\.16\.0\.dev20261119/ }).waitFor();
  await press(button("Bisect from here…"));
  await pick("With which torch did it work?", "", "2.16.0.dev20261116+cu130");
  await pick("How is good told from bad?", "", "By symbols");
  await work("Bisect").getByText(/Nothing that uses torch was found built/).waitFor();
});

test("a prediction asks for the torches, and says why there is none", async () => {
  await press(view.getByRole("search", { name: "Matrix" }).getByRole("button", { name: "Predict" }));
  await quickPick("Predict with which torches?").waitFor();
  await page.keyboard.press("Enter");
  await work("Prediction").getByText(/Nothing that uses torch was found built/).waitFor();
});

test("what was looked at is there again after the tab was hidden", async () => {
  const filter = view.getByRole("searchbox", { name: "Filter versions and records" });
  assert.equal(await filter.inputValue(), "20261119");
  await bridge.inHost(async (vscode, file) => { await vscode.window.showTextDocument(vscode.Uri.file(file), { viewColumn: vscode.ViewColumn.One }); }, join(project.path, "setup.py"));
  await view.locator("h1").waitFor({ state: "detached" });
  await alone();
  await view.getByRole("tab", { name: "Combinations", selected: true }).waitFor();
  assert.equal(await filter.inputValue(), "20261119");
  await view.getByRole("heading", { name: /^torch 2\.16\.0\.dev20261119/ }).waitFor();
  await work("Smoke tests").getByText("1 passed.").waitFor();
  await press(view.getByRole("button", { name: "Clear", exact: true }));
});

for (const name of ["Bodies", "Combinations", "Benchmarks"] as const) {
  test(`${name}: Tab comes to every control`, async () => {
    await select(name);
    const missed = await (await frame()).evaluate(() => {
      interface Control { tabIndex: number; disabled?: boolean; offsetParent: unknown; outerHTML: string; closest(selector: string): unknown; focus(): void }
      const { document } = globalThis as unknown as { document: { querySelectorAll(selector: string): Iterable<Control>; activeElement: Control } };
      // A control is missed when keys cannot come to it: it is no tab stop, and belongs to nothing in which arrows lead on.
      return [...document.querySelectorAll("button, input, select, summary, a[href], [role=gridcell], [role=tab]")]
        .filter((one) => one.disabled !== true && one.offsetParent !== null && one.tabIndex < 0 && one.closest("[role=grid], [role=tablist]") === null).map((one) => one.outerHTML);
    });
    assert.deepEqual(missed, []);
    // And Tab really goes on from one to the next.
    await view.getByRole("tab", { name, selected: true }).focus();
    const seen = new Set<string>();
    for (let step = 0; step < 6; step += 1) {
      await page.keyboard.press("Tab");
      seen.add(await (await frame()).evaluate(() => (globalThis as unknown as { document: { activeElement: { outerHTML: string } } }).document.activeElement.outerHTML.slice(0, 200)));
    }
    assert.ok(seen.size >= 3, [...seen].join("\n"));
  });
}

for (const [theme, kind] of [["Default Dark Modern", "vscode-dark"], ["Default High Contrast", "vscode-high-contrast"], ["Default High Contrast Light", "vscode-high-contrast-light"], ["Default Light Modern", "vscode-light"]] as const) {
  test(`${theme}: axe finds nothing to complain about in any view`, async () => {
    await bridge.inHost((vscode, name) => vscode.workspace.getConfiguration("workbench").update("colorTheme", name, vscode.ConfigurationTarget.Global), theme);
    await view.locator(`body.${kind}`).waitFor();
    for (const name of ["Bodies", "Combinations", "Benchmarks"] as const) {
      await select(name);
      assert.deepEqual(await accessibilityProblems(await frame()), [], name);
      await bridge.workbench.screenshot(`ui-panel-${kind.slice("vscode-".length)}-${name.toLowerCase()}`);
    }
  });
}

test("nothing left this machine", () => {
  assert.deepEqual(bridge.workbench.foreignRequests.filter((url) => new URL(url).hostname !== "open-vsx.org"), []);
});
