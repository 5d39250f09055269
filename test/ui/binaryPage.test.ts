/** The page of a binary in a browser, without VS Code around it: what it shows, does with keys, and makes of hostile files. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Locator } from "playwright-core";
import { accessibilityProblems, launchBrowser, openExtensionPage, type ExtensionPage } from "../harness/index.ts";
import { conflict, file, fits, imported, view } from "../support/binary-view.ts";
import { profile } from "../support/built-file.ts";

let browser: Browser;
before(async () => {
  browser = await launchBrowser();
});
after(() => browser.close());

async function show(shown: unknown, state?: unknown, title = "_C.so"): Promise<ExtensionPage> {
  const page = await openExtensionPage(browser, "binary", { title, state });
  await page.send({ type: "view", view: shown });
  await page.page.locator(".verdict .headline").waitFor();
  return page;
}

const headings = (page: ExtensionPage): Promise<string[]> => page.page.locator("h2").allInnerTexts();
const rows = (page: ExtensionPage): Locator => page.page.locator(".symbols .row");
const symbolTexts = (page: ExtensionPage): Promise<string[]> => page.page.locator(".symbols .row .symbol").allInnerTexts();

test("the verdict comes first, then the loader's words, then why", async () => {
  const page = await show(conflict);
  assert.deepEqual(await page.told(), [{ type: "ready" }]);
  assert.equal(await page.page.locator("h1").innerText(), "_C.so");
  assert.equal(await page.page.locator(".verdict .headline").innerText(), "Would not work with torch 2.8.0+cu128.");
  assert.equal(await page.page.locator(".loader pre").innerText(), `${file}: undefined symbol: _ZN3c105ErrorC1ENS_14SourceLocationESs`);
  assert.deepEqual(await headings(page), ["Why It Would Not Load", "Compared", "Findings", "Not Checked", "What It Needs", "What It Is", "Imported Symbols (5)"]);
  assert.deepEqual(await page.page.locator("h3").allInnerTexts(), ["The other std::string ABI: 1 symbol", "Another torch version: 1 symbol"]);
  const drift = page.page.getByRole("listbox", { name: "Another torch version" }).getByRole("option");
  assert.equal((await drift.innerText()).replaceAll(/\n+/g, "\n"), ["c10::probe(int)", "_ZN3c105probeEi", "No library of this torch exports it.", "Nearest, in libc10.so: c10::probe(long)", "Exported by torch 2.1.0 to 2.4.1."].join("\n"));
  assert.deepEqual(await page.page.locator(".traits tbody tr").evaluateAll((all) => all.map((one) => (one as unknown as { innerText: string }).innerText.replaceAll(/\s+/g, " "))), [
    "libstdcxx-abi 0 1 disagrees The file speaks of the old std::string.", "glibc 2.14 2.36 agrees", "cuda-architectures sm_90 no GPU known not compared No GPU is known.",
  ]);
});

test("a new verdict is announced, the same one is not", async () => {
  const page = await show(conflict);
  const answer = page.page.locator(".verdict");
  assert.deepEqual([await answer.getAttribute("role"), await answer.getAttribute("aria-live")], ["status", "polite"]);
  const same = await answer.locator(".headline").elementHandle();
  await page.send({ type: "view", view: conflict, compared: undefined });
  assert.equal(await same?.evaluate((element) => (element as unknown as { isConnected: boolean }).isConnected), true);
  await page.send({ type: "view", view: view([]) });
  await answer.getByText("No conflict with torch 2.8.0+cu128 found in what was checked.").waitFor();
});

test("without a torch an environment can be selected, unless something else was named that it would not replace", async () => {
  const notCompared = { ...view([], { headline: "Not compared: no torch to compare with." }), fits: undefined };
  const page = await show(notCompared);
  const buttons = (): Promise<string[]> => page.page.locator(".actions button").allInnerTexts();
  assert.deepEqual(await buttons(), ["Select Environment…"]);
  await page.send({ type: "view", view: notCompared, compared: "/w/nowhere" });
  await page.page.getByRole("button", { name: "Compare with Selected Environment" }).waitFor();
  assert.deepEqual(await buttons(), ["Compare with Selected Environment"]);
});

test("searching leaves what fits, in symbols and in rows, by either name", async () => {
  const page = await show(conflict);
  await page.page.keyboard.press("Control+f");
  await page.page.keyboard.type("PROBE c10");
  assert.deepEqual(await symbolTexts(page), ["c10::probe(int)"]);
  assert.deepEqual(await headings(page), ["Why It Would Not Load", "Imported Symbols (1 of 5 symbols)"]);
  assert.equal(await page.page.locator(".found").innerText(), "1 symbol");
  await page.page.getByRole("searchbox").fill("_ZN3c105Error");
  assert.deepEqual(await symbolTexts(page), ["c10::Error::Error(c10::SourceLocation, std::string)"]);
  await page.page.getByRole("searchbox").fill("glibc");
  assert.deepEqual(await headings(page), ["Compared", "Findings", "Imported Symbols (2 of 5 symbols)"]);
  await page.page.getByRole("searchbox").fill("nothing is called that");
  assert.deepEqual(await headings(page), []);
  assert.equal(await page.page.locator(".found").innerText(), "Nothing found");
  await page.page.keyboard.press("Escape");
  assert.equal((await symbolTexts(page)).length, 5);
});

test("names are shown demangled or as they stand in the file", async () => {
  const page = await show(conflict);
  const toggle = page.page.getByRole("button", { name: "Demangle" });
  assert.equal(await toggle.getAttribute("aria-pressed"), "true");
  await toggle.click();
  assert.equal(await toggle.getAttribute("aria-pressed"), "false");
  assert.deepEqual((await symbolTexts(page)).slice(0, 3), ["_ZN3c105ErrorC1ENS_14SourceLocationESs", "_ZN3c105probeEi", "memcpy"]);
  assert.equal(await page.page.locator(".missing .name").first().innerText(), "_ZN3c105ErrorC1ENS_14SourceLocationESs");
});

test("everything is reached and copied without a mouse", async () => {
  const page = await show(conflict);
  const { keyboard } = page.page;
  const focused = (): Promise<string> => page.page.evaluate(() => {
    const { activeElement } = (globalThis as unknown as { document: { activeElement: { getAttribute(name: string): string | null; textContent: string } } }).document;
    return activeElement.getAttribute("aria-label") ?? activeElement.textContent;
  });
  const walk: string[] = [];
  for (let step = 0; step < 8; step++) {
    await keyboard.press("Tab");
    walk.push(await focused());
  }
  assert.deepEqual(walk, ["Search symbols and rows", "Demangle", "Copy Report", "Compare with Another Torch…", "The other std::string ABI, 1 symbol", "Another torch version, 1 symbol", "libstdcxx-abi", "Imported symbols, 5 rows"]);
  const selected = page.page.locator(".symbols .row[aria-selected=true]");
  assert.equal(await selected.locator(".symbol").innerText(), "c10::Error::Error(c10::SourceLocation, std::string)");
  await keyboard.press("End");
  assert.equal(await selected.getAttribute("aria-posinset"), "5");
  await keyboard.press("Home");
  await keyboard.press("ArrowDown");
  assert.equal(await page.page.locator(".symbols").getAttribute("aria-activedescendant"), await selected.getAttribute("id"));
  await keyboard.press("Control+c");
  await keyboard.press("Shift+Tab");
  await keyboard.press("Enter");
  await page.page.getByRole("button", { name: "Copy Report" }).press("Enter");
  assert.deepEqual((await page.told()).slice(1), [{ type: "copy", text: "c10::probe(int)" }, { type: "openRule", rule: "libstdcxx-abi" }, { type: "copyReport" }]);
  await page.send({ type: "copied", what: "report" });
  await page.page.getByText("Copied report").waitFor();
});

test("a library with 75 000 imported symbols stays quick", async () => {
  const page = await show(view([]));
  // Made in the page: the way there is not what is measured.
  const milliseconds = await page.page.evaluate((base) => {
    const page = globalThis as unknown as {
      dispatchEvent(event: unknown): void; document: { querySelector(selector: string): { value: string; dispatchEvent(event: unknown): void } };
      Event: new (type: string) => unknown; MessageEvent: new (type: string, init: unknown) => unknown; performance: { now(): number };
    };
    const { document, Event, MessageEvent, performance } = page;
    const symbols = Array.from({ length: 75_000 }, (_, index) => ({ name: `_ZN2at8functionEi${index}`, demangled: `at::function(std::vector<at::Tensor, std::allocator<at::Tensor> > const&, int)::number_${index}`, family: "torch", weak: false }));
    // The least of three: other processes have their turns too.
    const time = (work: () => void): number => Math.min(...[1, 2, 3].map(() => {
      const started = performance.now();
      work();
      return performance.now() - started;
    }));
    const shown = time(() => page.dispatchEvent(new MessageEvent("message", { data: { type: "view", view: { ...base, libraries: [{ file: "x", name: "x", symbols }] } } })));
    const input = document.querySelector("input");
    return [shown, ...["n", "number_7499", ""].map((text) => time(() => {
      input.value = text;
      input.dispatchEvent(new Event("input"));
    }))];
  }, view([]));
  // About a tenth of it is needed; a machine may do other things as well.
  assert.deepEqual(milliseconds.filter((one) => one > 1000), []);
  assert.ok(await rows(page).count() < 60);
  await page.page.locator(".symbols").focus();
  await page.page.keyboard.press("End");
  await page.page.locator(".row[aria-selected=true]").getByText("number_74999").waitFor();
});

test("what stands in a file is text, whatever it looks like", async () => {
  const markup = '<img src=x onerror="document.title=1"><b>bold</b>';
  const page = await show(view([imported(markup, { demangled: `${markup}()` })], {
    headline: markup, problem: markup,
    libraries: [{ file, name: markup, loaderSays: markup, symbols: [imported(markup)] }],
    inspect: { schema: 1, file: markup, kind: "binary", binaries: [{ profile: profile(file, { needed: [markup], compilers: [markup], soname: markup }), facts: [], notKnown: [markup] }], problems: [markup] },
    fits: fits({ verdict: "conflict", missing: [{ symbol: markup, demangled: markup, binding: "global", kind: "own", because: markup }], findings: [{ rule: markup, severity: "error", message: markup, docs: markup }] }),
  }));
  assert.equal(await page.page.locator("img, b").count(), 0);
  assert.equal(await page.page.title(), "_C.so");
  assert.equal(await page.page.locator(".symbols .symbol").innerText(), markup);
  await page.send({ type: "view", view: view([imported("evil\u202egnp.\u0007")]) });
  assert.equal(await page.page.locator(".symbols .symbol").innerText(), "evil\\u202egnp.\\u0007");
});

test("search, names, places and comparison outlive the page", async () => {
  const many = Array.from({ length: 500 }, (_, index) => imported(`symbol_${index}`));
  const first = await show(view(many), undefined);
  await first.send({ type: "view", view: view(many), compared: "torch==2.5.1" });
  await first.page.getByRole("button", { name: "Demangle" }).click();
  await first.page.getByRole("searchbox").fill("symbol");
  await first.page.locator(".symbols").evaluate((list) => void ((list as unknown as { scrollTop: number }).scrollTop = 2200));
  await first.page.locator(".row").getByText("symbol_100", { exact: true }).waitFor();
  const state = await first.state();
  const second = await show(view(many), state);
  assert.deepEqual(await second.told(), [{ type: "ready", against: "torch==2.5.1" }]);
  assert.equal(await second.page.getByRole("searchbox").inputValue(), "symbol");
  assert.equal(await second.page.getByRole("button", { name: "Demangle" }).getAttribute("aria-pressed"), "false");
  await second.page.locator(".row").getByText("symbol_100", { exact: true }).waitFor();
});

const member = `${file}/ops/_C.so`;
const wheel = view([], {
  headline: "Would not work with torch 2.8.0+cu128.",
  inspect: {
    schema: 1, file: "/w/ops-1.0.whl", kind: "wheel", problems: [], binaries: [{ profile: profile(member), facts: [], notKnown: [] }, { profile: profile(`${member}.2`), facts: [], notKnown: [] }],
    wheel: {
      path: "/w/ops-1.0.whl", fileName: "ops-1.0.whl", size: 4096, name: "ops", version: "1.0", tags: { pythons: ["cp311"], abis: ["cp311"], platforms: ["manylinux_2_28_x86_64"] }, wheelTags: ["cp311-cp311-manylinux_2_28_x86_64"],
      generator: "setuptools", isPurelib: false, requiresPython: ">=3.9", requires: ["torch>=2.8"], libraries: [], platformTag: "manylinux_2_34_x86_64", platformTagBesideTorch: undefined, abi3Floor: undefined,
      disagreements: [{ kind: "platform-tag", weight: "error", message: "The name promises manylinux_2_28, and ops/_C.so needs GLIBC_2.34.", evidence: [] }], notKnown: [],
    },
  },
  fits: fits({ verdict: "conflict", findings: conflict.fits?.findings ?? [], members: [fits({ file: `${member}.2` }), fits({ file: member, verdict: "conflict", missing: conflict.fits?.missing ?? [] })] }),
  libraries: [{ file: `${member}.2`, name: "ops/_C.so.2", symbols: [imported("memcpy"), imported("lonely")] }, { file: member, name: "ops/_C.so", symbols: conflict.libraries[0]?.symbols ?? [], loaderSays: "x: undefined symbol: y" }],
});

test("a wheel shows at a glance which library would be refused, and it is the one that is folded out", async () => {
  const page = await show(wheel, undefined, "ops-1.0.whl");
  assert.equal(await page.page.locator(".loader p").innerText(), "The loader would say of ops/_C.so");
  assert.deepEqual(await page.page.locator("main > .sections > section > h2").allInnerTexts(), ["Tags and Metadata against Content", "Findings", "Libraries (2)", "Metadata"]);
  assert.deepEqual(await page.page.locator("summary").evaluateAll((all) => all.map((one) => (one as unknown as { innerText: string }).innerText.replaceAll(/\s+/g, " ").trim())), ["ops/_C.so.2 no conflict found 1000 B", "ops/_C.so conflict 1000 B"]);
  assert.deepEqual(await page.page.locator("details[open] summary .name").allInnerTexts(), ["ops/_C.so"]);
  assert.equal(await page.page.locator("details[open] .symbols .row").count(), 5);
  assert.equal(await page.page.locator("details .missing").count(), 2);
  await page.page.locator("summary").first().focus();
  await page.page.keyboard.press("Enter");
  await page.page.locator("details[open] .symbol").getByText("lonely").waitFor();
  assert.deepEqual((await page.state() as { open: string[] }).open, ["ops/_C.so", "ops/_C.so.2"]);
});

test("a search in a wheel leaves the libraries with a hit, folded out, and keeps what was folded before", async () => {
  const page = await show(wheel, { open: [] }, "ops-1.0.whl");
  const open = (): Promise<string[]> => page.page.locator("details[open] summary .name").allInnerTexts();
  const libraries = (): Promise<string[]> => page.page.locator("summary .name").allInnerTexts();
  assert.deepEqual(await open(), []);
  await page.page.getByRole("searchbox").fill("lonely");
  assert.deepEqual([await libraries(), await open(), await symbolTexts(page)], [["ops/_C.so.2"], ["ops/_C.so.2"], ["lonely"]]);
  await page.page.getByRole("searchbox").fill("memcpy");
  assert.deepEqual(await open(), ["ops/_C.so.2", "ops/_C.so"]);
  await page.page.getByRole("searchbox").fill("undefined symbol");
  assert.deepEqual([await libraries(), await page.page.locator("details[open] .loader pre").allInnerTexts()], [["ops/_C.so"], ["x: undefined symbol: y"]]);
  // A library whose name alone fits is there with all that it has, and folded.
  await page.page.getByRole("searchbox").fill("_C.so.2");
  assert.deepEqual([await libraries(), await open()], [["ops/_C.so.2"], []]);
  await page.page.getByRole("searchbox").fill("nothing is called that");
  assert.deepEqual([await libraries(), await page.page.locator(".found").innerText()], [[], "Nothing found"]);
  await page.page.keyboard.press("Escape");
  assert.deepEqual([await libraries(), await open()], [["ops/_C.so.2", "ops/_C.so"], []]);
  assert.deepEqual((await page.state() as { open: string[] }).open, []);
});

interface Focused { readonly tagName: string; readonly textContent: string; getAttribute(name: string): string | null }
const focused = (page: ExtensionPage): Promise<string> => page.page.evaluate(() => {
  const { activeElement } = (globalThis as unknown as { document: { activeElement: Focused } }).document;
  return activeElement.getAttribute("aria-label") ?? (activeElement.tagName === "BODY" ? "nothing" : activeElement.textContent);
});

test("a refresh leaves the focus and the selected symbols where they are", async () => {
  const page = await show(conflict);
  const { keyboard } = page.page;
  const drift = page.page.getByRole("listbox", { name: "Another torch version" });
  await drift.focus();
  await keyboard.press("Home");
  await page.page.locator(".symbols").focus();
  await keyboard.press("Home");
  await keyboard.press("ArrowDown");
  const list = await page.page.locator(".symbols").elementHandle();
  const isThere = (): Promise<boolean | undefined> => list?.evaluate((element) => (element as unknown as { isConnected: boolean }).isConnected) ?? Promise.resolve(undefined);
  await page.send({ type: "busy", message: "Comparing" });
  await page.send({ type: "view", view: conflict });
  assert.equal(await isThere(), true);
  // One more symbol before the one that is selected.
  const [library] = conflict.libraries;
  assert.ok(library !== undefined);
  await page.send({ type: "view", view: { ...conflict, libraries: [{ ...library, symbols: [imported("another"), ...library.symbols] }] } });
  assert.equal(await isThere(), false);
  assert.equal(await focused(page), "Imported symbols, 6 rows");
  const selected = page.page.locator(".symbols .row[aria-selected=true]");
  assert.deepEqual([await selected.locator(".symbol").allInnerTexts(), await selected.getAttribute("aria-posinset"), await page.page.locator(".symbols").getAttribute("aria-activedescendant")], [["c10::probe(int)"], "3", await selected.getAttribute("id")]);
  assert.equal(await page.page.locator(".detail code").first().innerText(), "c10::probe(int)");
  assert.equal(await drift.getByRole("option", { selected: true }).count(), 1);
  await page.page.evaluate(() => (globalThis as unknown as { scrollTo(x: number, y: number): void }).scrollTo(0, 0));
  await keyboard.press("ArrowDown");
  assert.equal(await selected.locator(".symbol").innerText(), "memcpy");
  // The list was out of sight.
  assert.ok(((await selected.boundingBox())?.y ?? Infinity) < 700);
  await page.page.getByRole("button", { name: "libstdcxx-abi" }).focus();
  await page.send({ type: "view", view: { ...conflict, markdown: "another" } });
  assert.equal(await focused(page), "libstdcxx-abi");
  // What had the focus is gone.
  await page.send({ type: "view", view: view([]) });
  await page.page.getByText("No conflict with").waitFor();
  assert.equal(await focused(page), "No conflict with torch 2.8.0+cu128 found in what was checked.");
});

test("when a button goes, the focus is on the one in its place or on the headline", async () => {
  const page = await show(conflict);
  await page.send({ type: "view", view: conflict, compared: "torch==2.5.1" });
  await page.page.getByRole("button", { name: "Compare with Selected Environment" }).press("Enter");
  await page.send({ type: "busy", message: "Comparing" });
  assert.equal(await focused(page), "Cancel");
  await page.send({ type: "busy", message: "Comparing with another" });
  assert.equal(await focused(page), "Cancel");
  await page.send({ type: "view", view: conflict });
  assert.equal(await focused(page), "Would not work with torch 2.8.0+cu128.");
  await page.send({ type: "failed", message: "It is gone." });
  assert.equal(await focused(page), "Try Again");
});

test("text of a row can be selected with the mouse", async () => {
  const page = await show(conflict);
  await rows(page).last().scrollIntoViewIfNeeded();
  const box = await rows(page).nth(1).locator(".symbol").boundingBox();
  assert.ok(box !== null);
  await page.page.mouse.move(box.x + 1, box.y + 10);
  await page.page.mouse.down();
  await page.page.mouse.move(box.x + 60, box.y + 10, { steps: 4 });
  await page.page.mouse.up();
  const text = await page.page.evaluate(() => String((globalThis as unknown as { getSelection(): unknown }).getSelection()));
  assert.match(text, /^c10::pr/);
  assert.equal(await rows(page).nth(1).getAttribute("aria-selected"), "true");
});

test("a long name is cut, and neither it nor a narrow page makes it scroll sideways", async () => {
  const long = `_ZN3c10${"x".repeat(60_000)}`;
  const page = await show({
    ...conflict, headline: `Would not work: ${long}`,
    libraries: [{ file, name: "_C.so", symbols: [imported(long)], loaderSays: `undefined symbol: ${long}` }],
    fits: { ...conflict.fits, missing: [{ symbol: long, demangled: long, binding: "global", kind: "own", because: `Nobody defines ${long}.` }], notChecked: [long], traits: [...conflict.fits?.traits ?? [], { trait: "compiler", built: long, installed: long, agrees: false, weight: "error", because: long, evidence: [] }] },
  });
  const widths = (): Promise<readonly number[]> => page.page.evaluate(() => {
    const { scrollWidth, clientWidth } = (globalThis as unknown as { document: { documentElement: { scrollWidth: number; clientWidth: number } } }).document.documentElement;
    return [scrollWidth, clientWidth];
  });
  assert.deepEqual(await widths(), [900, 900]);
  assert.match(await page.page.locator(".missing .name").innerText(), /^_ZN3c10x{1993}… \(58,007 more characters\)$/);
  await page.page.locator(".symbols").focus();
  await page.page.keyboard.press("Control+c");
  assert.deepEqual((await page.told()).at(-1), { type: "copy", text: long });
  for (const width of [641, 440, 400, 320]) {
    await page.page.setViewportSize({ width, height: 700 });
    assert.deepEqual(await widths(), [width, width]);
  }
  await page.send({ type: "view", view: conflict });
  // Values stand under their trait, each in one line and with its label.
  const heights = await page.page.locator(".traits td[data-label]").evaluateAll((all) => all.map((one) => (one as unknown as { offsetHeight: number }).offsetHeight));
  assert.deepEqual(heights.filter((one) => one > 24), []);
  assert.deepEqual(await accessibilityProblems(page.page), []);
});

test("a reason that names releases is not followed by them again", async () => {
  const missing = { symbol: "f", demangled: "f", binding: "global", kind: "drift", torch: { since: "2.12.0", until: null, source: "data" } } as const;
  const page = await show({ ...conflict, fits: fits({ verdict: "conflict", missing: [
    { ...missing, because: "torch 2.8.0 exports nothing of that name: the file was built with another torch. Official wheels export it since torch 2.12.0." },
    { ...missing, symbol: "g", because: "No library of this torch exports it." },
  ] }) });
  assert.deepEqual(await page.page.locator(".missing .item").evaluateAll((all) => all.map((one) => (one as unknown as { querySelectorAll(selector: string): { length: number } }).querySelectorAll("p").length)), [1, 2]);
});

test("what was copied stands beside the number of symbols found, and messages that are no message of the host do nothing", async () => {
  const page = await show(conflict);
  await page.page.getByRole("searchbox").fill("probe");
  for (const message of [null, 1, "view", {}, { type: "view" }, { type: "busy" }, { type: "copied", what: 1 }]) {
    await page.send(message);
  }
  await page.send({ type: "copied", what: "symbol" });
  await page.page.getByText("Copied symbol").waitFor();
  assert.equal(await page.page.locator(".found").innerText(), "1 symbol");
  assert.equal(await page.page.locator("[aria-busy]").count(), 0);
});

test("a question that takes long says how far it is and can be cancelled; a failure can be tried again", async () => {
  const page = await openExtensionPage(browser, "binary", { title: "_C.so" });
  await page.send({ type: "busy", message: "Comparing with torch.whl" });
  await page.page.locator(".verdict").getByText("Comparing with torch.whl").waitFor();
  const cancel = page.page.getByRole("button", { name: "Cancel" });
  await cancel.focus();
  await page.send({ type: "busy", message: "Comparing with torch.whl", progress: "1.2 MB of torch.whl" });
  await page.page.locator(".actions").getByText("1.2 MB of torch.whl").waitFor();
  // What is read out has not changed, and the button is still the one that has the focus.
  assert.equal(await page.page.locator(".verdict").innerText(), "Comparing with torch.whl");
  await page.page.keyboard.press("Enter");
  await page.send({ type: "failed", message: "script.so is no ELF file." });
  await page.page.locator(".verdict").getByText("script.so is no ELF file.").waitFor();
  await page.page.getByRole("button", { name: "Try Again" }).click();
  await page.page.getByRole("button", { name: "Open as Text" }).click();
  assert.deepEqual(await page.told(), [{ type: "ready" }, { type: "cancel" }, { type: "retry" }, { type: "openAsText" }]);
});

test("axe finds nothing to complain about", async () => {
  const page = await show(conflict);
  await page.page.locator(".symbols").focus();
  await page.page.keyboard.press("ArrowDown");
  assert.deepEqual(await accessibilityProblems(page.page), []);
});
