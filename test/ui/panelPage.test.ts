/** The panel's page in a browser, without VS Code around it: what it shows and asks for, with keys alone, live, large, restored, hostile and published. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Locator } from "playwright-core";
import type { PanelHostMessage, PanelState } from "../../src/protocol/panel.ts";
import type { Cell } from "../../src/workshop/combinations/types.ts";
import { accessibilityProblems, launchBrowser, openExtensionPage, type ExtensionPage } from "../harness/index.ts";
import { panelRecord } from "../support/panelRecords.ts";
import { without } from "../../webview/panel/without.ts";
import { benchmarks, bodies, finding, manyRecords, panelState, place } from "../support/panelState.ts";

let browser: Browser;
before(async () => {
  browser = await launchBrowser();
});
after(() => browser.close());

async function show(state: PanelState = panelState(), kept?: unknown): Promise<ExtensionPage> {
  const page = await openExtensionPage(browser, "panel", { title: "Abiding", state: kept });
  await page.send({ type: "state", state } satisfies PanelHostMessage);
  await page.page.locator("h1").getByText(state.project.name).waitFor();
  return page;
}

const send = (page: ExtensionPage, message: PanelHostMessage): Promise<void> => page.send(message);
const button = (page: ExtensionPage, name: string | RegExp): Locator => page.page.getByRole("button", { name, exact: true });
const active = (page: ExtensionPage): Locator => page.page.locator(".grid [data-active]");
const focused = (page: ExtensionPage): Locator => page.page.locator(":focus");
/** Where the tab stop of the matrix is: row and column as screen readers count them. */
async function at(page: ExtensionPage): Promise<string> {
  assert.equal(await active(page).evaluate((element) => element === (element as unknown as { ownerDocument: { activeElement: unknown } }).ownerDocument.activeElement), true);
  return `${await active(page).locator("xpath=..").getAttribute("aria-rowindex") ?? ""} ${await active(page).getAttribute("aria-colindex") ?? ""}`;
}

test("it asks for its project, and says who is ready", async () => {
  const page = await show(panelState(), { root: "/w/ops", also: "torch==2.8.0", baseline: "before" });
  assert.deepEqual(await page.told(), [{ type: "ready", root: "/w/ops", also: "torch==2.8.0", baseline: "before" }]);
});

test("a page that was there all the time asks again when the panel comes into sight; one that waits for its state does not", async () => {
  const page = await openExtensionPage(browser, "panel", { title: "Abiding" });
  await page.page.getByText("Reading the project…").waitFor();
  await send(page, { type: "shown" });
  await send(page, { type: "state", state: panelState() });
  await page.page.locator("h1").getByText(panelState().project.name).waitFor();
  assert.deepEqual(await page.told(), [{ type: "ready" }]);
  await send(page, { type: "shown" });
  const { root } = panelState().project;
  assert.deepEqual((await page.told()).slice(1), [{ type: "ready", root }]);
});

test("work is started, cancelled and explained, and what stands in the way comes before it", async () => {
  const page = await show();
  await button(page, "Start: Build").press("Enter");
  await send(page, { type: "work", work: { kind: "build", state: "running", step: "Compiling", fraction: 0.4, since: new Date().toISOString() } });
  assert.equal(await page.page.getByRole("progressbar", { name: "Build: Compiling" }).getAttribute("value"), "40");
  await button(page, "Cancel: Build").press("Enter");
  await send(page, { type: "work", work: { kind: "build", state: "ended", outcome: "cancelled", headline: "It was cancelled after 3 of 9 files.", hasLog: true } });
  await page.page.getByRole("status").filter({ hasText: "Build: cancelled. It was cancelled after 3 of 9 files." }).waitFor({ state: "attached" });
  await button(page, "Log: Build").press("Enter");
  const way = page.page.locator(".in-the-way");
  for (const name of ["setup.py:14", "Delete -D_GLIBCXX_USE_CXX11_ABI=0", "libstdcxx-abi"]) await way.getByRole("button", { name }).press("Enter");
  assert.deepEqual((await page.told()).slice(1), [
    { type: "start", work: "build" }, { type: "cancel", work: "build" }, { type: "showLog", work: "build" },
    { type: "openLocation", location: place }, { type: "applyFix", of: "inTheWay", finding: 0, fix: 0, title: "Delete -D_GLIBCXX_USE_CXX11_ABI=0" }, { type: "openRule", rule: "libstdcxx-abi" },
  ]);
  await send(page, { type: "inTheWay", findings: Array.from({ length: 5 }, () => finding) });
  await button(page, "2 more disagreements among the bodies").waitFor();
});

test("what stands in the way is folded over the other views, until somebody wants it there", async () => {
  const page = await show(panelState(), { tab: "combinations" });
  const way = page.page.locator(".in-the-way");
  assert.equal(await way.getAttribute("open"), null);
  await page.page.getByRole("tab", { name: "Bodies" }).press("Enter");
  await page.page.locator(".in-the-way[open]").waitFor();
  await page.page.getByRole("tab", { name: "Combinations" }).press("Enter");
  await page.page.locator(".in-the-way:not([open])").waitFor();
  await way.locator("summary").press("Enter");
  const kept = async (): Promise<boolean | undefined> => ((await page.state()) as { inTheWay?: boolean }).inTheWay;
  // The browser tells of it some time after it was done.
  for (let tries = 0; tries < 200 && await kept() !== true; tries += 1) await page.page.waitForTimeout(50);
  assert.equal(await kept(), true);
});

test("a baseline is that of its project", async () => {
  const page = await show(panelState(), { tab: "benchmarks", root: panelState().project.root, baseline: "before" });
  assert.equal(await page.page.getByRole("combobox", { name: "Baseline" }).inputValue(), "before");
  await send(page, { type: "state", state: panelState({ project: { name: "native", root: "/w/native" } }) });
  await page.page.locator("h1").getByText("native").waitFor();
  assert.equal(await page.page.getByRole("combobox", { name: "Baseline" }).inputValue(), "last");
});

test("where no line of the records can be read, nobody is told that nothing was tried, and the file is one key away", async () => {
  const page = await show(panelState({ combinations: { records: [], latest: [], known: [], problems: ["Line 1 is left out: it is no JSON."], file: "/w/ops/.abiding/combinations.jsonl" } }), { tab: "combinations" });
  await page.page.getByText("No record of a trial or a prediction could be read.").waitFor();
  assert.equal(await page.page.getByText("Nothing was tried").count(), 0);
  await button(page, "Open the records").press("Enter");
  assert.deepEqual((await page.told()).at(-1), { type: "openRecords" });
});

test("the name of work stays whole beside its buttons in a narrow panel", async () => {
  const page = await show(panelState({ work: [{ kind: "combinations", state: "running", hasLog: true, since: new Date().toISOString() }] }));
  for (const width of [930, 520, 320]) {
    await page.page.setViewportSize({ width, height: 700 });
    const name = await page.page.getByRole("heading", { name: "Combinations", exact: true }).boundingBox();
    const cancel = await button(page, "Cancel: Combinations").boundingBox();
    assert.ok(name && cancel && name.height < 30 && (cancel.x >= name.x + name.width || cancel.y >= name.y + name.height), `${width}: ${JSON.stringify([name, cancel])}`);
  }
});

test("another project is chosen", async () => {
  const page = await show();
  await page.page.getByRole("combobox", { name: "Project" }).selectOption("native");
  assert.deepEqual((await page.told()).at(-1), { type: "selectProject", root: "/w/native" });
});

test("bodies stand side by side, with the reason and the ways on under a disagreement", async () => {
  const page = await show();
  const table = page.page.getByRole("table");
  assert.deepEqual(await table.getByRole("columnheader").allInnerTexts(), ["Trait", "Result", "Declared\nsetup.py", "Built\nNothing was built yet.", "Installed\ntorch 2.14.1"]);
  assert.deepEqual(await table.getByRole("rowheader").allInnerTexts(), ["C++ string ABI", "CUDA"]);
  assert.deepEqual((await table.getByRole("row").nth(1).getByRole("cell").allInnerTexts()).map((text) => text.replaceAll(/\s+/g, " ")), ["disagrees", "0 declared setup.py:14", "— Nothing was built yet.", "1 observed libc10.so"]);
  assert.match(await table.getByRole("row").nth(2).innerText(), /The old std::string against the new one\..*ops is compiled with/s);
  await page.page.getByRole("checkbox", { name: "Only disagreements" }).press("Space");
  assert.deepEqual(await table.getByRole("rowheader").allInnerTexts(), ["C++ string ABI"]);
  await button(page, "Compare with another environment…").press("Enter");
  await send(page, { type: "bodies", also: "torch==2.8.0", bodies: { ...bodies, targets: bodies.targets.map((target) => ({ ...target, columns: [...target.columns, { role: "also", name: "torch==2.8.0" }], rows: target.rows.map((row) => ({ ...row, cells: [...row.cells, { value: "12.8" }], also: { agrees: false, because: "CUDA 12.8 against 13.0.", findings: [], weight: "warning" } })) })) } });
  await table.getByRole("columnheader").getByText("Also").waitFor();
  assert.deepEqual(await table.getByRole("rowheader").allInnerTexts(), ["C++ string ABI", "CUDA"]);
  assert.equal(((await page.state()) as { also: string }).also, "torch==2.8.0");
  await button(page, "Remove the fifth column").press("Enter");
  assert.deepEqual((await page.told()).slice(-2), [{ type: "compareAlso" }, { type: "compareAlso", remove: true }]);
  await page.page.getByRole("combobox", { name: "Target" }).selectOption({ index: 1 });
  await button(page, "Build").press("Enter");
  assert.deepEqual((await page.told()).at(-1), { type: "start", work: "build" });
});

test("tabs are changed by arrow keys, and views keep their place", async () => {
  const page = await show();
  await page.page.getByRole("tab", { name: "Bodies" }).focus();
  await page.page.keyboard.press("ArrowRight");
  assert.equal(await focused(page).getAttribute("id"), "tab-combinations");
  await page.page.getByRole("grid").waitFor();
  await page.page.keyboard.press("End");
  assert.equal(await page.page.getByRole("tab", { selected: true }).getAttribute("id"), "tab-benchmarks");
  await page.page.keyboard.press("ArrowRight");
  assert.equal(await page.page.getByRole("tab", { selected: true }).getAttribute("id"), "tab-bodies");
});

test("the matrix is walked through by keys; Enter opens the evidence, Escape leads back", async () => {
  const page = await show(panelState(), { tab: "combinations" });
  const { keyboard } = page.page;
  await active(page).focus();
  const walk: string[] = [await at(page)];
  for (const key of ["ArrowDown", "ArrowRight", "PageDown", "Home", "End", "Control+End", "Control+Home", "ArrowRight"]) {
    await keyboard.press(key);
    walk.push(await at(page));
  }
  // 31 rows and 12 columns below and beside their heads. A page is as many rows as are in sight.
  assert.deepEqual(walk.map((one, index) => (index === 3 ? one.replace(/^\d+/, (row) => (Number(row) > 8 ? "page" : row)) : one)).filter((_, index) => index !== 4 && index !== 5), ["2 2", "3 2", "3 3", "page 3", "32 13", "2 1", "2 2"]);
  await keyboard.press("Enter");
  await page.page.locator("h3:focus").getByText("torch 2.15.0.dev20261130+cu130, 1.11", { exact: true }).waitFor();
  assert.deepEqual((await page.told()).at(-1), { type: "openCell", torch: "2.15.0.dev20261130+cu130", records: ["r11"] });
  await send(page, { type: "details", details: { torch: "2.15.0.dev20261130+cu130", records: [{ ...panelRecord({ id: "r11" }), log: "all is well", explanation: "It found what it needs." }] } });
  const evidence = page.page.getByRole("region", { name: /^torch 2\.15/ });
  await evidence.getByText("It found what it needs.").waitFor();
  for (const name of ["Copy install line", "Try it", "Predict", "Bisect from here…", "Roll pins…", "Open log"]) await evidence.getByRole("button", { name }).press("Enter");
  const asked = { torch: "2.15.0.dev20261130+cu130", records: ["r11"] };
  assert.deepEqual((await page.told()).slice(-6), [...["copyInstallLine", "tryIt", "predict", "bisectFrom", "rollPins"].map((type) => ({ type, ...asked })), { type: "openLog", record: "r11" }]);
  await keyboard.press("Escape");
  assert.equal(await at(page), "2 2");
  assert.equal(await evidence.count(), 0);
});

test("what was predicted is told apart from what was tried by its name too", async () => {
  const page = await show(panelState(), { tab: "combinations" });
  const cells = await page.page.getByRole("row").nth(1).getByRole("gridcell").allInnerTexts();
  const names = new Set(cells.map((text) => text.replaceAll(/\s+/g, " ").trim()));
  assert.ok([...names].some((name) => name.startsWith("smoke tests passed")), [...names].join());
  assert.ok([...names].every((name) => !/conflict/.test(name) || /^predicted/.test(name)), [...names].join());
});

test("filters leave what fits, and say how much", async () => {
  const page = await show(panelState(), { tab: "combinations" });
  const summary = page.page.locator(".summary");
  assert.equal((await summary.innerText()).trim(), "31 versions of torch, 360 records");
  await page.page.getByRole("searchbox").fill("20261130");
  assert.equal((await summary.innerText()).trim(), "1 of 31 versions of torch, 12 of 360 records");
  await page.page.getByRole("combobox", { name: "Outcome" }).selectOption("failed");
  await page.page.getByRole("searchbox").fill("nothing is called that");
  await page.page.getByText("No version of torch fits the filter.").waitFor();
  await button(page, "Clear the filter").press("Enter");
  assert.equal(await page.page.getByRole("searchbox").inputValue(), "");
  await page.page.getByRole("combobox", { name: "Columns" }).selectOption("platform");
  assert.deepEqual(await page.page.getByRole("columnheader").allInnerTexts(), ["torch", "linux-x86_64"]);
});

test("records and cells that come in leave the focus and the place alone", async () => {
  const page = await show(panelState({ work: [{ kind: "combinations", state: "running" }] }), { tab: "combinations" });
  await active(page).focus();
  await page.page.keyboard.press("PageDown");
  const before = await active(page).locator("xpath=..").getAttribute("aria-rowindex");
  const scrolled = await page.page.locator(".grid").evaluate((grid) => (grid as unknown as { scrollTop: number }).scrollTop);
  const cell: Cell = { id: "c1", label: "torch 2.16.0, Python 3.12", torch: "2.16.0", packages: {}, python: "3.12" };
  await send(page, { type: "cell", event: { kind: "started", cell, where: "node7" } });
  await send(page, { type: "cell", event: { kind: "step", cell, step: "build", fraction: 0.4 } });
  await page.page.getByText("Being tried: 0 of 1 cell ended, 1 running").waitFor();
  assert.equal(await page.page.locator(".grid .cell.live").evaluate((element) => (element as unknown as { innerText: string }).innerText.trim()).catch(() => "scrolled away"), "build 40 %");
  await send(page, { type: "recordsAdded", records: [panelRecord({ torch: "2.17.0" })], latest: [] });
  // Two rows came above it.
  assert.equal(await active(page).locator("xpath=..").getAttribute("aria-rowindex"), String(Number(before) + 2));
  assert.ok((await at(page)).startsWith(String(Number(before) + 2)));
  assert.equal(await page.page.locator(".grid").evaluate((grid) => (grid as unknown as { scrollTop: number }).scrollTop), scrolled);
  await page.page.getByText("No released torch is known to work yet.").waitFor();
});

test("what was shown is shown again when the page is rebuilt", async () => {
  const first = await show(panelState(), { tab: "combinations" });
  await first.page.getByRole("combobox", { name: "Columns" }).selectOption("python");
  await first.page.getByRole("combobox", { name: "Columns" }).selectOption("version");
  await first.page.getByRole("combobox", { name: "Channel" }).selectOption("nightly");
  await active(first).focus();
  await first.page.keyboard.press("Control+End");
  const place = await at(first);
  await first.page.keyboard.press("Enter");
  const scroll = await first.page.locator(".grid").evaluate((grid) => [(grid as unknown as { scrollLeft: number }).scrollLeft, (grid as unknown as { scrollTop: number }).scrollTop]);
  await first.page.waitForFunction((wanted) => JSON.stringify((globalThis as unknown as { host: { state: { scroll?: { matrix?: number[] } } } }).host.state.scroll?.matrix) === JSON.stringify(wanted), scroll);
  const second = await show(panelState(), await first.state());
  await second.page.getByRole("region", { name: /^torch 2\.15/ }).waitFor();
  assert.equal(await second.page.getByRole("combobox", { name: "Channel" }).inputValue(), "nightly");
  assert.deepEqual(await second.page.locator(".grid").evaluate((grid) => [(grid as unknown as { scrollLeft: number }).scrollLeft, (grid as unknown as { scrollTop: number }).scrollTop]), scroll);
  // Nobody asked for the focus.
  assert.equal(await focused(second).count(), 0);
  await active(second).focus();
  assert.equal(await at(second), place);
});

test("24,000 cells: only those in sight are in the page", async () => {
  const page = await show(panelState({ combinations: { records: manyRecords(400, 60), latest: [], known: [], problems: [], file: "" } }), { tab: "combinations" });
  const grid = page.page.getByRole("grid");
  assert.deepEqual([await grid.getAttribute("aria-rowcount"), await grid.getAttribute("aria-colcount")], ["401", "61"]);
  assert.ok(await grid.getByRole("gridcell").count() < 700);
  await active(page).focus();
  await page.page.keyboard.press("Control+End");
  assert.equal(await at(page), "401 61");
  assert.ok(await grid.getByRole("gridcell").count() < 700);
});

test("charts have their numbers in a table beside them, and a baseline is chosen", async () => {
  const page = await show(panelState(), { tab: "benchmarks" });
  await page.page.getByRole("img", { name: "gather: 3 runs, the last 1.44 µs. The table has all numbers." }).waitFor();
  assert.equal(await page.page.locator(".change title").first().textContent(), "governor powersave, was performance");
  assert.equal((await page.page.locator(".now").innerText()).replaceAll(/\s+/g, " "), "1.44 µs 1.1 µs to 1.5 µs 62 % of copy bandwidth slower × 1.100 (1.050 to 1.150)");
  await page.page.getByText("Table of 3 runs").press("Enter");
  const rows = page.page.getByRole("group", { name: "Runs of gather, to be scrolled" }).getByRole("row");
  await rows.nth(3).waitFor();
  assert.deepEqual(await rows.nth(2).locator("th, td").allInnerTexts(), ["2026-11-21 10:00", "", "1.32 µs", "1.1 µs to 1.5 µs", "9", "62 % of copy bandwidth", "governor powersave, was performance"]);
  await page.page.getByRole("combobox", { name: "Baseline" }).selectOption("before");
  assert.deepEqual((await page.told()).at(-1), { type: "chooseBaseline", baseline: "before" });
  assert.equal(((await page.state()) as { baseline: string }).baseline, "before");
});

test("where there is nothing yet, the next step is one key away", async () => {
  const nothing = without(panelState({ trusted: false, inTheWay: [], work: [], bodies: { root: "", targets: [], findings: [], notChecked: [] }, benchmarks: { runs: [], baselines: [], problems: [], file: "" }, combinations: { records: [], latest: [], known: [], problems: [], file: "" } }), "torch");
  const page = await show(nothing);
  for (const name of ["Select environment…", "Manage workspace trust…", "How projects are found"]) await button(page, name).press("Enter");
  assert.equal(await button(page, "Start: Build").isDisabled(), true);
  await send(page, { type: "state", state: { ...nothing, trusted: true } });
  await page.page.getByRole("tab", { name: "Combinations" }).click();
  for (const name of ["Predict", "Try the matrix", "Edit the matrix in abiding.json"]) await button(page, name).press("Enter");
  await page.page.getByRole("tab", { name: "Benchmarks" }).click();
  await button(page, "Run benchmarks").press("Enter");
  assert.deepEqual((await page.told()).slice(1), [
    { type: "selectEnvironment" }, { type: "manageTrust" }, { type: "openDocumentation" },
    { type: "start", work: "predict" }, { type: "start", work: "combinations" }, { type: "editMatrix" }, { type: "start", work: "benchmark" },
  ]);
});

test("the latest working line is copied, and what failed stays until it was read", async () => {
  const page = await show(panelState(), { tab: "combinations" });
  await button(page, "Copy the line for the release").press("Enter");
  assert.deepEqual((await page.told()).at(-1), { type: "copy", text: "pip install torch==2.14.1", what: "install line" });
  await send(page, { type: "copied", what: "install line" });
  await page.page.getByRole("status").getByText("Copied install line").waitFor();
  await send(page, { type: "failed", message: "The log is gone." });
  await page.page.getByRole("alert").getByText("The log is gone.").waitFor();
  await button(page, "Dismiss").press("Enter");
  assert.equal((await page.page.getByRole("alert").innerText()).trim(), "");
});

test("what stands in records and files is text, and all of it is seen", async () => {
  const markup = '<img src=x onerror="document.title=1">';
  const hidden = "evil\u202egpj.exe";
  const page = await show(panelState({ inTheWay: [{ ...finding, message: markup }], torch: hidden, combinations: { records: [panelRecord({ reason: { message: markup }, version: hidden, outcome: "failed" })], latest: [], known: [], problems: [markup], file: "" } }), { tab: "combinations", inTheWay: true });
  await page.page.locator(".in-the-way").getByText(markup).waitFor();
  assert.equal(await page.page.locator("img[src]").count(), 0);
  assert.match(await page.page.locator(".torch").first().innerText(), /evil\\u202egpj\.exe/);
  assert.deepEqual(await page.page.getByRole("columnheader").allInnerTexts(), ["torch", "evil\\u202egpj.exe"]);
  assert.equal(await page.page.title(), "Abiding");
});

test("other scripts' messages are none of its host", async () => {
  const page = await show();
  await page.send({ type: "state-of-something-else", state: {} });
  await page.send("state");
  assert.equal(await page.page.locator("h1").innerText(), "ops");
});

test("axe finds nothing in any view", async () => {
  for (const tab of ["bodies", "combinations", "benchmarks"]) {
    const page = await show(panelState(), { tab, open: true, selected: { torch: "2.15.0.dev20261130+cu130", column: "=1.10" }, tables: ["gantry\ngather"] });
    assert.deepEqual(await accessibilityProblems(page.page), [], tab);
  }
});

test("at the narrowest nothing is wider than the page", async () => {
  for (const tab of ["bodies", "combinations", "benchmarks"]) {
    const page = await show(panelState(), { tab });
    await page.page.setViewportSize({ width: 320, height: 700 });
    assert.equal(await page.page.evaluate(() => (globalThis as unknown as { document: { documentElement: { scrollWidth: number } } }).document.documentElement.scrollWidth), 320, tab);
  }
});

test("a published page has the same views without anything to start", async () => {
  const state = panelState();
  assert.ok(state.combinations && benchmarks.comparison);
  const published = { schema: 1, project: { name: "ops", version: "1.11" }, published: "2026-11-30T18:00:00Z", by: "0.1.0", bodies, combinations: state.combinations, benchmarks };
  const page = await openExtensionPage(browser, "panel", { title: "ops", body: `<script type="application/json" id="abiding-data">${JSON.stringify(published).replaceAll("<", "\\u003c")}</script>` });
  await page.page.getByText("Version 1.11. Published 2026-11-30 by Abiding 0.1.0", { exact: true }).waitFor();
  assert.equal(await page.page.getByRole("tab", { selected: true }).getAttribute("id"), "tab-combinations");
  await page.page.getByRole("gridcell").first().click();
  assert.deepEqual([...new Set((await page.page.getByRole("button").allInnerTexts()))].sort(), ["Close", "Copy", "Copy install line"]);
  assert.deepEqual(await accessibilityProblems(page.page), []);
  await page.page.getByRole("tab", { name: "Bodies" }).click();
  assert.deepEqual(await page.page.getByRole("button").allInnerTexts(), []);
  assert.deepEqual(await accessibilityProblems(page.page), []);
  assert.deepEqual(await page.told(), []);
});
