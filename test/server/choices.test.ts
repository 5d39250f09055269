/** What clients say when they start and later: settings, selections, interpreters; and what closing a document does. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import type { CodeLens, InlayHint } from "vscode-languageserver/node";
import type { EnvironmentChoice, Status } from "../../src/protocol/index.ts";
import type { ClientOptions } from "./support/client.ts";
import { folderOf, LspClient, uriOf } from "./support/client.ts";

const cmake = (abi: 0 | 1): string => `project(demo LANGUAGES CXX)\nfind_package(Torch REQUIRED)\nadd_library(ops SHARED ops.cpp)\ntarget_compile_definitions(ops PRIVATE _GLIBCXX_USE_CXX11_ABI=${abi})\ntarget_link_libraries(ops PRIVATE \${TORCH_LIBRARIES})\n`;

type Folder = ReturnType<typeof folderOf>;

async function start(context: TestContext, options: (folder: Folder) => Omit<ClientOptions, "folders">, files: Readonly<Record<string, string>> = {}): Promise<{ readonly client: LspClient; readonly folder: Folder; readonly list: string }> {
  const folder = folderOf({ "CMakeLists.txt": cmake(0), "ops.cpp": "#include <torch/all.h>\n", ...files });
  context.after(() => folder.remove());
  const client = await LspClient.start({ folders: [folder.root], ...options(folder) });
  context.after(() => client.stop());
  const list = folder.path("CMakeLists.txt");
  await client.open(list, cmake(0));
  return { client, folder, list };
}

function fakeTorch(version: string): Record<string, string> {
  const environment = `envs/${version}`;
  return {
    [`${environment}/pyvenv.cfg`]: "home = /usr/bin\nversion = 3.12.1\n", [`${environment}/bin/python`]: "",
    [`${environment}/lib/python3.12/site-packages/torch/__init__.py`]: "",
    [`${environment}/lib/python3.12/site-packages/torch/version.py`]: `__version__ = '${version}'\ndebug = False\ncuda = None\ngit_version = 'abc'\nhip = None\n`,
  };
}

async function version(client: LspClient): Promise<string | undefined> {
  return (await client.connection.sendRequest<Status>("abiding/status", {})).torch?.version;
}

const everything = { range: { start: { line: 0, character: 0 }, end: { line: 100, character: 0 } } };

test("hints and lenses are switched off by their settings, one by one", async (context) => {
  let settings: object = {};
  const { client, list } = await start(context, () => ({ settings: () => ({ environment: "torch==2.8.0+cu128", ...settings }) }));
  const shown = async (next: object): Promise<unknown> => {
    settings = next;
    await client.connection.sendNotification("workspace/didChangeConfiguration", { settings: null });
    const hints = await client.ask<InlayHint[]>("textDocument/inlayHint", list, everything);
    const lenses = await client.ask<CodeLens[]>("textDocument/codeLens", list);
    return [hints.map((one) => one.label), lenses.length];
  };
  assert.deepEqual(await shown({}), [["ABI 0", "torch 2.8.0+cu128"], 1]);
  assert.deepEqual(await shown({ inlayHints: { targets: false, torch: true } }), [["torch 2.8.0+cu128"], 1]);
  assert.deepEqual(await shown({ inlayHints: { targets: true, torch: false } }), [["ABI 0"], 1]);
  assert.deepEqual(await shown({ codeLens: { enable: false } }), [["ABI 0", "torch 2.8.0+cu128"], 0]);
});

test("a client that cannot be asked sends its settings, at the start and later, with and without their name", async (context) => {
  const { client } = await start(context, () => ({ configuration: false, initializationOptions: { settings: { environment: "torch==2.5.1+cu121" } } }));
  assert.equal(await version(client), "2.5.1+cu121");
  await client.connection.sendNotification("workspace/didChangeConfiguration", { settings: { abiding: { environment: "torch==2.8.0+cu128" } } });
  assert.equal(await version(client), "2.8.0+cu128");
  await client.connection.sendNotification("workspace/didChangeConfiguration", { settings: { environment: "torch==2.5.1+cu121" } });
  assert.equal(await version(client), "2.5.1+cu121");
});

test("a selection that the client remembers holds from the start, over settings", async (context) => {
  const { client } = await start(context, ({ root }) => ({ initializationOptions: { selected: { [uriOf(root)]: "torch==2.8.0+cu128" } }, settings: () => ({ environment: "torch==2.5.1+cu121" }) }));
  assert.equal(await version(client), "2.8.0+cu128");
  await client.connection.sendRequest("abiding/selectEnvironment", {});
  assert.equal(await version(client), "2.5.1+cu121");
});

test("the interpreter of the editor's Python support is used, and another one as well", async (context) => {
  const { client, folder } = await start(context, (made) => ({ initializationOptions: { interpreters: { [uriOf(made.root)]: made.path("envs/2.5.1+cpu/bin/python") } } }), { ...fakeTorch("2.5.1+cpu"), ...fakeTorch("2.8.0+cpu") });
  assert.equal(await version(client), "2.5.1+cpu");
  const choices = await client.connection.sendRequest<EnvironmentChoice[]>("abiding/environments", {});
  assert.deepEqual(choices.filter((one) => one.selected).map((one) => one.spec), [folder.path("envs/2.5.1+cpu")]);
  await client.connection.sendNotification("abiding/interpreterChanged", { folder: uriOf(folder.root), interpreter: folder.path("envs/2.8.0+cpu/bin/python") });
  assert.equal(await version(client), "2.8.0+cpu");
});

test("a root is a folder, as older clients name it", async (context) => {
  const folder = folderOf({ "CMakeLists.txt": cmake(0) });
  context.after(() => folder.remove());
  const client = await LspClient.start({ folders: [folder.root], rootOnly: true });
  context.after(() => client.stop());
  assert.deepEqual((await client.connection.sendRequest<Status[]>("abiding/check", {})).map((one) => one.folder), [uriOf(folder.root)]);
});

test("hints and lenses are asked for anew when the torch changes", async (context) => {
  const { client, list } = await start(context, () => ({ settings: () => ({ environment: "torch==2.8.0+cu128" }) }));
  assert.deepEqual(await client.codes(list), ["libstdcxx-abi 4"]);
  client.requests.length = 0;
  await client.connection.sendRequest("abiding/selectEnvironment", { spec: "torch==2.5.1+cu121" });
  await client.until(() => ["workspace/inlayHint/refresh", "workspace/codeLens/refresh"].every((one) => client.requests.includes(one)));
});

test("a document that is closed unsaved is read from disk again", async (context) => {
  const { client, list } = await start(context, () => ({ settings: () => ({ environment: "torch==2.8.0+cu128" }) }));
  assert.deepEqual(await client.codes(list), ["libstdcxx-abi 4"]);
  await client.change(list, { text: "project(demo)\n" });
  assert.deepEqual(await client.codes(list), []);
  await client.close(list);
  assert.deepEqual(await client.codes(list), ["libstdcxx-abi 4"]);
});

test("the command behind \"Open documentation\" shows the page of the rule", async (context) => {
  const { client, list } = await start(context, () => ({ settings: () => ({ environment: "torch==2.8.0+cu128" }) }));
  const report = await client.pull(list);
  const [finding] = report.kind === "full" ? report.items : [];
  assert.ok(finding);
  const action = (await client.actions(list, finding)).find((one) => one.title === "Open documentation of libstdcxx-abi");
  await client.connection.sendRequest("workspace/executeCommand", action?.command ?? {});
  assert.deepEqual(client.shown.map((one) => one.split("/").slice(-3).join("/")), ["docs/rules/libstdcxx-abi.md"]);
});
