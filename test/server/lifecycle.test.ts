/** What happens around documents: folders, files on disk, settings, environments, bad messages, and clients that cannot pull. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { CancellationTokenSource } from "vscode-languageserver/node";
import type { EnvironmentChoice, Status } from "../../src/protocol/index.ts";
import type { ClientOptions } from "./support/client.ts";
import { folderOf, LspClient, uriOf } from "./support/client.ts";

const cmake = (abi: 0 | 1): string => `cmake_minimum_required(VERSION 3.18)
project(demo LANGUAGES CXX)
find_package(Torch REQUIRED)
add_library(ops SHARED ops.cpp)
target_compile_definitions(ops PRIVATE _GLIBCXX_USE_CXX11_ABI=${abi})
target_link_libraries(ops PRIVATE \${TORCH_LIBRARIES})
`;
const source = "#include <torch/all.h>\n";
const against = (version: string): string => JSON.stringify({ against: [`torch==${version}`] });

function project(context: TestContext, files: Readonly<Record<string, string>>): ReturnType<typeof folderOf> {
  const folder = folderOf(files);
  context.after(() => folder.remove());
  return folder;
}

async function start(context: TestContext, options: ClientOptions): Promise<LspClient> {
  const client = await LspClient.start(options);
  context.after(() => client.stop());
  return client;
}

const abi = (codes: readonly string[]): string[] => codes.filter((code) => code.startsWith("libstdcxx-abi "));
const changed = { created: 1, changed: 2, deleted: 3 } as const;

async function watched(client: LspClient, file: string, type: keyof typeof changed): Promise<void> {
  await client.connection.sendNotification("workspace/didChangeWatchedFiles", { changes: [{ uri: uriOf(file), type: changed[type] }] });
}

test("each folder is checked against its own torch, and folders come and go", async (context) => {
  const old = project(context, { "abiding.json": against("2.5.1+cu121"), "CMakeLists.txt": cmake(0), "ops.cpp": source });
  const current = project(context, { "abiding.json": against("2.8.0+cu128"), "CMakeLists.txt": cmake(0), "ops.cpp": source });
  const client = await start(context, { folders: [old.root] });
  await client.open(old.path("CMakeLists.txt"), cmake(0));
  assert.deepEqual(abi(await client.codes(old.path("CMakeLists.txt"))), []);
  const event = (added: string[], removed: string[]): object => ({ event: { added: added.map((one) => ({ uri: uriOf(one), name: one })), removed: removed.map((one) => ({ uri: uriOf(one), name: one })) } });
  await client.connection.sendNotification("workspace/didChangeWorkspaceFolders", event([current.root], []));
  await client.open(current.path("CMakeLists.txt"), cmake(0));
  assert.deepEqual(abi(await client.codes(current.path("CMakeLists.txt"))), ["libstdcxx-abi 5"]);
  assert.deepEqual(abi(await client.codes(old.path("CMakeLists.txt"))), []);
  const both = await client.connection.sendRequest<Status[]>("abiding/check", {});
  assert.deepEqual(both.map((one) => [one.folder, one.torch?.version]), [[uriOf(old.root), "2.5.1+cu121"], [uriOf(current.root), "2.8.0+cu128"]]);
  await client.close(current.path("CMakeLists.txt"));
  await client.connection.sendNotification("workspace/didChangeWorkspaceFolders", event([], [current.root]));
  const rest = await client.connection.sendRequest<Status[]>("abiding/check", {});
  assert.deepEqual(rest.map((one) => one.folder), [uriOf(old.root)]);
});

test("a folder inside another reports its own files, and only once", async (context) => {
  const outer = project(context, { "abiding.json": against("2.8.0+cu128"), "CMakeLists.txt": "project(outer)\n", "inner/abiding.json": against("2.5.1+cu121"), "inner/CMakeLists.txt": cmake(0), "inner/ops.cpp": source });
  const client = await start(context, { folders: [outer.root, outer.path("inner")] });
  const { items } = await client.pullWorkspace();
  assert.deepEqual(items.filter((one) => one.kind === "full" && one.items.some((item) => item.code === "libstdcxx-abi")), []);
});

test("a document outside every folder is checked in its own folder", async (context) => {
  const folder = project(context, { "abiding.json": against("2.8.0+cu128"), "CMakeLists.txt": cmake(0), "ops.cpp": source });
  const client = await start(context, { folders: [] });
  await client.open(folder.path("CMakeLists.txt"), cmake(0));
  assert.deepEqual(abi(await client.codes(folder.path("CMakeLists.txt"))), ["libstdcxx-abi 5"]);
});

test("files that others change, create and delete are noticed", async (context) => {
  const folder = project(context, { "abiding.json": against("2.8.0+cu128"), "CMakeLists.txt": cmake(1), "ops.cpp": source });
  const client = await start(context, { folders: [folder.root] });
  const list = folder.path("CMakeLists.txt");
  assert.deepEqual(abi(await client.codes(list)), []);
  folder.write("CMakeLists.txt", cmake(0));
  await watched(client, list, "changed");
  await client.until(() => client.requests.includes("workspace/diagnostic/refresh"));
  assert.deepEqual(abi(await client.codes(list)), ["libstdcxx-abi 5"]);
  folder.remove("CMakeLists.txt");
  await watched(client, list, "deleted");
  assert.deepEqual(await client.codes(list), []);
  folder.write("CMakeLists.txt", cmake(0));
  await watched(client, list, "created");
  assert.deepEqual(abi(await client.codes(list)), ["libstdcxx-abi 5"]);
});

test("a folder that is deleted or created takes its files along, though it is one event", async (context) => {
  const folder = project(context, { "abiding.json": against("2.8.0+cu128"), "lib/CMakeLists.txt": cmake(0), "lib/ops.cpp": source });
  const client = await start(context, { folders: [folder.root] });
  const list = folder.path("lib/CMakeLists.txt");
  assert.deepEqual(abi(await client.codes(list)), ["libstdcxx-abi 5"]);
  folder.remove("lib");
  await watched(client, folder.path("lib"), "deleted");
  assert.deepEqual(await client.codes(list), []);
  folder.write("lib/CMakeLists.txt", cmake(0));
  await watched(client, folder.path("lib"), "created");
  assert.deepEqual(abi(await client.codes(list)), ["libstdcxx-abi 5"]);
});

test("results that went away are withdrawn by the workspace pull", async (context) => {
  const folder = project(context, { "abiding.json": against("2.8.0+cu128"), "CMakeLists.txt": cmake(0), "ops.cpp": source });
  const client = await start(context, { folders: [folder.root] });
  const first = await client.pullWorkspace();
  folder.write("CMakeLists.txt", "project(demo)\n");
  await watched(client, folder.path("CMakeLists.txt"), "changed");
  const second = await client.pullWorkspace(first.items.map((one) => ({ uri: one.uri, value: one.resultId ?? "" })));
  const report = second.items.find((one) => one.uri === uriOf(folder.path("CMakeLists.txt")));
  assert.deepEqual([report?.kind, report?.kind === "full" ? report.items : undefined], ["full", []]);
});

test("settings decide severity, environment and whether anything is said", async (context) => {
  const folder = project(context, { "CMakeLists.txt": cmake(0), "ops.cpp": source });
  let settings: object = { environment: "torch==2.8.0+cu128", rules: { "libstdcxx-abi": "hint" } };
  const client = await start(context, { folders: [folder.root], settings: () => settings });
  const list = folder.path("CMakeLists.txt");
  const severities = async (): Promise<(number | undefined)[]> => {
    const report = await client.pull(list);
    return report.kind === "full" ? report.items.filter((one) => one.code === "libstdcxx-abi").map((one) => one.severity) : [];
  };
  assert.deepEqual(await severities(), [4]);
  const change = async (next: object): Promise<void> => {
    settings = next;
    await client.connection.sendNotification("workspace/didChangeConfiguration", { settings: null });
  };
  await change({ environment: "torch==2.8.0+cu128", rules: { "libstdcxx-abi": "off" } });
  assert.deepEqual(await severities(), []);
  await change({ environment: "torch==2.8.0+cu128" });
  assert.deepEqual(await severities(), [1]);
  await change({ environment: "torch==2.8.0+cu128", enable: false });
  assert.deepEqual(await client.codes(list), []);
  await change({ environment: 7 });
  await client.codes(list);
  assert.equal(client.log.some((line) => line.includes("abiding.environment must be text")), true);
});

test("an abiding.json that is wrong says so in its own place, also while it is typed", async (context) => {
  const folder = project(context, { "abiding.json": '{ "rules": { "no-such-rule": "off" } }', "CMakeLists.txt": cmake(1), "ops.cpp": source });
  const client = await start(context, { folders: [folder.root] });
  const file = folder.path("abiding.json");
  assert.deepEqual(await client.codes(file), ["unreadable-file 1"]);
  await client.open(file, "{}", "jsonc");
  assert.deepEqual(await client.codes(file), []);
});

test("a client that cannot pull is told, once for a burst of edits, and told when all is well", async (context) => {
  const folder = project(context, { "abiding.json": against("2.8.0+cu128"), "CMakeLists.txt": cmake(0), "ops.cpp": source });
  const client = await start(context, { folders: [folder.root], push: true });
  const list = folder.path("CMakeLists.txt");
  const uri = uriOf(list);
  const told = (): boolean => client.published.at(-1)?.uri === uri && client.published.at(-1)?.diagnostics.some((one) => one.code === "libstdcxx-abi") === true;
  await client.open(list, cmake(0));
  await client.until(told);
  const before = client.published.length;
  await Promise.all([cmake(0), `${cmake(0)}# a`, `${cmake(0)}# b`, cmake(1)].map((text) => client.change(list, { text })));
  await client.until(() => client.published.length > before);
  assert.equal(told(), false);
  assert.equal(client.published.length, before + 1);
});

test("environments are found, and one that appears on disk is taken", async (context) => {
  const folder = project(context, { "CMakeLists.txt": cmake(0), "ops.cpp": source });
  const client = await start(context, { folders: [folder.root] });
  const before = await client.connection.sendRequest<Status>("abiding/status", {});
  folder.write(".venv/pyvenv.cfg", "home = /usr/bin\nversion = 3.12.1\n");
  folder.write(".venv/bin/python", "");
  folder.write(".venv/lib/python3.12/site-packages/torch/__init__.py", "");
  folder.write(".venv/lib/python3.12/site-packages/torch/version.py", "__version__ = '2.8.0+cpu'\ndebug = False\ncuda = None\ngit_version = 'abc'\nhip = None\n");
  // The server looks at the environment at most twice a second.
  await new Promise((resolve) => setTimeout(resolve, 600));
  const status = await client.connection.sendRequest<Status>("abiding/status", {});
  assert.notEqual(before.torch?.version, "2.8.0+cpu");
  assert.equal(status.torch?.version, "2.8.0+cpu");
  const choices = await client.connection.sendRequest<EnvironmentChoice[]>("abiding/environments", {});
  assert.deepEqual(choices.filter((one) => one.selected).map((one) => [one.spec, one.detail]), [[folder.path(".venv"), "torch 2.8.0+cpu, Python 3.12"]]);
});

test("an environment that changes unnoticed by the client is pushed by itself", async (context) => {
  const folder = project(context, { "CMakeLists.txt": cmake(0), "ops.cpp": source });
  const client = await start(context, { folders: [folder.root], push: true });
  const list = folder.path("CMakeLists.txt");
  const found = (): readonly string[] | undefined => client.published.findLast((one) => one.uri === uriOf(list))?.diagnostics.map((one) => String(one.code));
  await client.open(list, cmake(0));
  await client.until(() => found()?.includes("libstdcxx-abi") === true);
  folder.write(".venv/pyvenv.cfg", "home = /usr/bin\nversion = 3.12.1\n");
  folder.write(".venv/bin/python", "");
  folder.write(".venv/lib/python3.12/site-packages/torch/__init__.py", "");
  folder.write(".venv/lib/python3.12/site-packages/torch/version.py", "__version__ = '2.5.1+cpu'\ndebug = False\ncuda = None\ngit_version = 'abc'\nhip = None\n");
  await client.until(() => found()?.includes("libstdcxx-abi") === false);
  assert.equal(client.statuses.at(-1)?.torch?.version, "2.5.1+cpu");
  folder.remove(".venv");
  await new Promise((resolve) => setTimeout(resolve, 600));
  // A question finds it first; what was pushed is renewed all the same.
  assert.equal((await client.connection.sendRequest<Status>("abiding/status", {})).torch, undefined);
  await client.until(() => found()?.includes("libstdcxx-abi") === true);
});

test("an abiding.json that goes takes its choices along", async (context) => {
  const folder = project(context, { "abiding.json": against("2.8.0+cu128"), "CMakeLists.txt": cmake(0), "ops.cpp": source });
  const client = await start(context, { folders: [folder.root] });
  const version = async (): Promise<string | undefined> => (await client.connection.sendRequest<Status>("abiding/status", {})).torch?.version;
  assert.equal(await version(), "2.8.0+cu128");
  folder.remove("abiding.json");
  await watched(client, folder.path("abiding.json"), "deleted");
  assert.notEqual(await version(), "2.8.0+cu128");
});

test("an environment that cannot be checked against is refused, or told of in the status, and is no finding", async (context) => {
  const folder = project(context, { "CMakeLists.txt": cmake(0), "ops.cpp": source });
  const client = await start(context, { folders: [folder.root], settings: () => ({ environment: "torch==99" }) });
  const status = (): Promise<Status> => client.connection.sendRequest<Status>("abiding/status", {});
  const [problem] = (await status()).problems;
  assert.match(problem ?? "", /99/);
  assert.deepEqual((await status()).notChecked.slice(0, 2), [problem, "Nothing was compared with an installed torch."]);
  const { items } = await client.pullWorkspace();
  assert.deepEqual(items.filter((one) => one.uri.endsWith("abiding.json")), []);
  const missing = folder.path("nowhere");
  await assert.rejects(client.connection.sendRequest("abiding/selectEnvironment", { spec: missing }), { message: `${missing} does not exist. Name an environment, a torch or libtorch folder, a wheel, a saved profile, or torch==VERSION.` });
  await client.connection.sendRequest("abiding/selectEnvironment", { spec: "torch==2.8.0+cu128" });
  assert.deepEqual([(await status()).problems, (await status()).torch?.version], [[], "2.8.0+cu128"]);
});

test("a project that is switched off has a status that says so and nothing else", async (context) => {
  const folder = project(context, { "abiding.json": against("2.8.0+cu128"), "CMakeLists.txt": cmake(0), "ops.cpp": source });
  const client = await start(context, { folders: [folder.root], settings: () => ({ enable: false }) });
  await client.open(folder.path("CMakeLists.txt"), cmake(0));
  assert.deepEqual(await client.codes(folder.path("CMakeLists.txt")), []);
  const [status] = client.statuses;
  assert.deepEqual([status?.enabled, status?.torch, status?.findings.error], [false, undefined, 0]);
});

test("the log says what was checked against which torch, once", async (context) => {
  const folder = project(context, { "abiding.json": against("2.8.0+cu128"), "CMakeLists.txt": cmake(0), "ops.cpp": source });
  const client = await start(context, { folders: [folder.root] });
  await client.open(folder.path("CMakeLists.txt"), cmake(0));
  for (const value of [0, 1] as const) {
    await client.change(folder.path("CMakeLists.txt"), { text: cmake(value) });
    await client.codes(folder.path("CMakeLists.txt"));
  }
  assert.equal(client.news.filter((line) => line.startsWith(`Checked ${folder.root}. Against torch 2.8.0+cu128 (catalogue). Findings: `)).length, 1);
});

test("a second initialize is refused and changes nothing", async (context) => {
  const folder = project(context, { "abiding.json": against("2.8.0+cu128"), "CMakeLists.txt": cmake(0), "ops.cpp": source });
  const client = await start(context, { folders: [folder.root] });
  await assert.rejects(client.connection.sendRequest("initialize", { processId: null, rootUri: null, capabilities: {} }), { code: -32600 });
  assert.deepEqual(abi(await client.codes(folder.path("CMakeLists.txt"))), ["libstdcxx-abi 5"]);
});

test("a cancelled request is answered as cancelled, and later ones are not hurt", async (context) => {
  const folder = project(context, { "abiding.json": against("2.8.0+cu128"), "CMakeLists.txt": cmake(0), "ops.cpp": source });
  const client = await start(context, { folders: [folder.root] });
  const list = folder.path("CMakeLists.txt");
  await client.open(list, cmake(0));
  const cancellation = new CancellationTokenSource();
  const cancelled = client.connection.sendRequest("textDocument/diagnostic", { textDocument: { uri: uriOf(list) } }, cancellation.token);
  cancellation.cancel();
  await assert.rejects(cancelled, { code: -32800 });
  assert.deepEqual(abi(await client.codes(list)), ["libstdcxx-abi 5"]);
});

test("malformed and unknown messages cost only themselves", async (context) => {
  const folder = project(context, { "abiding.json": against("2.8.0+cu128"), "CMakeLists.txt": cmake(0), "ops.cpp": source });
  const client = await start(context, { folders: [folder.root] });
  const list = folder.path("CMakeLists.txt");
  await client.open(list, cmake(0));
  await assert.rejects(client.connection.sendRequest("abiding/noSuchThing", {}));
  await client.connection.sendRequest("textDocument/hover", {}).catch(() => undefined);
  await client.connection.sendRequest("abiding/status", { uri: "not a uri" });
  await client.connection.sendRequest("abiding/status", { uri: "file:///%E0%A4%A" });
  await client.connection.sendNotification("textDocument/didChange", { textDocument: { uri: "file:///never/opened", version: 3 }, contentChanges: [] });
  await client.connection.sendNotification("workspace/didChangeWatchedFiles", { changes: [{ uri: "untitled:x", type: 9 }] });
  const body = "{ this is not JSON";
  client.process.stdin.write(`Content-Length: ${body.length}\r\n\r\n${body}`);
  assert.deepEqual(abi(await client.codes(list)), ["libstdcxx-abi 5"]);
});

test("documents that are no files are left alone", async (context) => {
  const client = await start(context, { folders: [] });
  await client.connection.sendNotification("textDocument/didOpen", { textDocument: { uri: "untitled:Untitled-1", languageId: "cmake", version: 1, text: cmake(0) } });
  const report = await client.connection.sendRequest("textDocument/diagnostic", { textDocument: { uri: "untitled:Untitled-1" } });
  assert.deepEqual(report, { kind: "full", resultId: "none", items: [] });
  assert.equal(await client.connection.sendRequest("abiding/status", {}), null);
});
