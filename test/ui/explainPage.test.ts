/** The page of an explanation in a browser, without VS Code around it: what it shows and asks for, with keys alone, and hostile texts. */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import type { ExplainHostMessage, ExplanationView } from "../../src/protocol/explain.ts";
import { accessibilityProblems, launchBrowser, openExtensionPage, type ExtensionPage } from "../harness/index.ts";
import { resultsFolder } from "../harness/locations.ts";

type Verdict = ExplanationView["report"]["verdicts"][number];

let browser: Browser;
before(async () => {
  browser = await launchBrowser();
});
after(() => browser.close());

const drift: Verdict = {
  cause: "torch-drift", rule: "torch-symbols", confidence: "certain",
  headline: "_C.so was built for torch 2.3 to 2.7; the torch that loads it is 2.8.0.",
  because: ["It asks for c10::cuda::SetDevice(signed char), which torch 2.8.0 exports with other parameters."],
  fixes: ["Build it again with torch 2.8.0.", "Or install torch 2.7.1."], copy: "pip install --no-build-isolation .", needs: [],
  lines: { first: 4, last: 4 }, words: "ImportError: /opt/rowwise/_C.so: undefined symbol: _ZN3c104cuda9SetDeviceEa", occurrences: 3, file: "/opt/rowwise/_C.so",
  symbols: [{
    symbol: "_ZN3c104cuda9SetDeviceEa", demangled: "c10::cuda::SetDevice(signed char)", torch: { since: "2.3.0", until: "2.7.1", source: "recorded wheels" },
    successor: { symbol: "_ZN3c104cuda9SetDeviceEab", demangled: "c10::cuda::SetDevice(signed char, bool)" },
  }],
  consequences: [{ line: 9, words: "1 error in 0.31s" }],
};
const missing: Verdict = {
  cause: "library-missing", rule: null, confidence: "possible", headline: "libfoo.so.1 was not found.", because: [], fixes: [], needs: ["Whether the package that brings it is installed: pip list"],
  lines: { first: 6, last: 7 }, words: "OSError: libfoo.so.1: cannot open shared object file", occurrences: 1, consequences: [],
};

function viewWith(changes: Partial<ExplanationView> = {}, verdicts: readonly Verdict[] = [drift, missing]): ExplanationView {
  return { report: { schema: 1, against: { torch: "2.8.0", source: "environment", name: ".venv" }, verdicts, notChecked: ["The end of the text is cut."] }, source: "the output of pytest", files: [0], firstLine: 10, ...changes };
}

async function show(view: ExplanationView): Promise<ExtensionPage> {
  const page = await openExtensionPage(browser, "explain", { title: "Explanation" });
  await page.send({ type: "view", view } satisfies ExplainHostMessage);
  await page.page.locator("h1").waitFor();
  return page;
}

async function picture(page: ExtensionPage, name: string): Promise<void> {
  mkdirSync(resultsFolder, { recursive: true });
  await page.page.screenshot({ path: join(resultsFolder, `${name}.png`) });
}

test("the cause, why, what to do, and the symbols stand under the headline, which is read out", async () => {
  const page = await show(viewWith());
  assert.equal(await page.page.locator(":focus").innerText(), drift.headline);
  const text = await page.page.locator("main").innerText();
  for (const words of ["Certain", "(said 3 times)", "Or install torch 2.7.1.", "pip install --no-build-isolation .", "torch 2.3.0 to 2.7.1", "Instead: c10::cuda::SetDevice(signed char, bool)", "1 later line that only follows from this",
    "In the same text: 1 other matter.", "libfoo.so.1 was not found.", "Possible: others explain it as well", "What Would Settle It", "The end of the text is cut.", "Read: the output of pytest. Compared with torch 2.8.0 (.venv)."]) assert.equal(text.includes(words), true, words);
  await picture(page, "ui-explain-page");
});

test("of a cause that is certain the page says what the remedy depends on", async () => {
  const page = await show(viewWith({}, [{ ...drift, needs: ["Which torch the other machines have: pip show torch"] }]));
  const text = await page.page.locator("main").innerText();
  assert.ok(text.includes("What the Remedy Depends On") && text.includes("Which torch the other machines have: pip show torch"), text);
  assert.equal(text.includes("What Would Settle It"), false);
});

test("everything is done with keys", async () => {
  const page = await show(viewWith());
  for (const name of ["Copy Fix", "Open Rule torch-symbols", "Show in Binary View", "Line 14", "Compare with Another Environment…"]) await page.page.getByRole("button", { name, exact: true }).press("Enter");
  await page.page.keyboard.press("Escape");
  assert.deepEqual(await page.told(), [
    { type: "ready" }, { type: "copy", text: "pip install --no-build-isolation ." }, { type: "openRule", text: "torch-symbols" }, { type: "showFile", verdict: 0 }, { type: "showLines", verdict: 0 }, { type: "compare" }, { type: "close" },
  ]);
  await page.send({ type: "copied" });
  await page.page.getByRole("status").filter({ hasText: "Copied" }).waitFor();
});

test("the verdict of the line that was clicked comes first", async () => {
  const page = await show({ report: viewWith().report, source: "the clipboard", files: [], asked: 1 });
  assert.equal(await page.page.locator("h1").innerText(), missing.headline);
  assert.deepEqual(await page.page.locator("h2").allInnerTexts(), ["What Would Settle It", drift.headline, "Not Checked"]);
  assert.deepEqual(await page.page.getByRole("button").allInnerTexts(), ["Copy Fix", "Open Rule torch-symbols", "Compare with Another Environment…"]);
});

test("a name that no verdict is about is said in words", async () => {
  const page = await show(viewWith({ name: { name: "_ZN3c104warnEi", demangled: "c10::warn(int)", life: "No recorded release of torch exports it." } }, []));
  assert.equal(await page.page.locator("h1").innerText(), "c10::warn(int)");
  await page.page.getByText("No recorded release of torch exports it.").waitFor();
});

test("a text in which nothing is understood says so, and no more", async () => {
  const page = await show(viewWith({}, []));
  assert.equal(await page.page.locator("h1").innerText(), "No cause that Abiding knows was found in this text.");
});

test("while it is read it can be cancelled, and a failure can be tried again", async () => {
  const page = await openExtensionPage(browser, "explain", { title: "Explanation" });
  await page.send({ type: "busy", message: "Reading the clipboard" });
  await page.page.getByRole("button", { name: "Cancel" }).press("Enter");
  await page.send({ type: "failed", message: "The server is gone." });
  await page.page.getByRole("status").filter({ hasText: "The server is gone." }).waitFor();
  await page.page.getByRole("button", { name: "Try Again" }).press("Enter");
  assert.deepEqual((await page.told()).slice(1), [{ type: "cancel" }, { type: "retry" }]);
  assert.deepEqual(await accessibilityProblems(page.page), []);
});

test("axe finds nothing to complain about, also not in hostile texts", async () => {
  const hostile = "<img src=x onerror=alert(1)>\u202E\u001B[31m";
  for (const view of [viewWith(), viewWith({ source: hostile }, [{ ...drift, headline: hostile, words: hostile, because: [hostile], fixes: [hostile], copy: "x".repeat(300), consequences: [{ line: 1, words: hostile }] }])]) {
    const page = await show(view);
    assert.deepEqual(await accessibilityProblems(page.page), []);
    assert.equal(await page.page.locator("img").count(), 0);
    assert.equal(await page.page.evaluate(() => {
      const { scrollWidth, clientWidth } = (globalThis as unknown as { document: { documentElement: { scrollWidth: number; clientWidth: number } } }).document.documentElement;
      return scrollWidth <= clientWidth;
    }), true);
  }
});

test("messages of others are not believed", async () => {
  const page = await show(viewWith());
  for (const message of [null, "view", { type: "view" }, { type: "busy" }, { type: "other" }]) await page.send(message);
  assert.equal(await page.page.locator("h1").innerText(), drift.headline);
});
