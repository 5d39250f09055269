/** Whose interpreter is asked for, and when: with stand-ins for VS Code and its Python extensions. */
import assert from "node:assert/strict";
import { registerHooks } from "node:module";
import { beforeEach, test } from "node:test";

type Listener = () => void;

class FakeEvent {
  readonly listeners: Listener[] = [];
  readonly event = (listener: Listener): { dispose(): void } => {
    this.listeners.push(listener);
    return { dispose: () => void this.listeners.splice(this.listeners.indexOf(listener), 1) };
  };
  fire(): void {
    [...this.listeners].forEach((listener) => listener());
  }
}

const folder = { uri: { toString: () => "file:///work/ext" } };
let trusted = true;
let useEnvironments = false;
let granted = new FakeEvent();
let folders = new FakeEvent();
let extensions: Record<string, unknown> = {};

const fake = {
  workspace: {
    get isTrusted() { return trusted; },
    workspaceFolders: [folder],
    onDidGrantWorkspaceTrust: (listener: Listener) => granted.event(listener),
    onDidChangeWorkspaceFolders: (listener: Listener) => folders.event(listener),
    getConfiguration: () => ({ get: () => useEnvironments }),
  },
  extensions: { getExtension: (id: string) => extensions[id] },
};
Object.assign(globalThis, { abidingFakeVscode: fake });

registerHooks({
  resolve: (specifier, context, next) => (specifier === "vscode"
    ? { url: "data:text/javascript,export const { workspace, extensions } = globalThis.abidingFakeVscode;", shortCircuit: true }
    : next(specifier, context)),
});

const { Interpreters } = await import("../../src/extension/interpreters.ts");

interface Asked {
  readonly told: [string, string | undefined][];
  readonly warnings: string[];
  readonly interpreters: InstanceType<typeof Interpreters>;
}

function watch(): Asked {
  const told: [string, string | undefined][] = [];
  const warnings: string[] = [];
  const log = { warn: (message: string) => void warnings.push(message) };
  const interpreters = new Interpreters(log as never, (uri, interpreter) => void told.push([uri, interpreter]));
  interpreters.watch();
  return { told, warnings, interpreters };
}

const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

function python(path: () => string, changed = new FakeEvent()): { isActive: boolean; exports: object; activate(): Promise<object> } {
  const api = { environments: { getActiveEnvironmentPath: () => ({ path: path() }), onDidChangeActiveEnvironmentPath: changed.event } };
  return { isActive: false, exports: api, activate: () => Promise.resolve(api) };
}

beforeEach(() => {
  trusted = true;
  useEnvironments = false;
  granted = new FakeEvent();
  folders = new FakeEvent();
  extensions = {};
});

test("the Python extension's interpreter is told, and told again only when it changes", async () => {
  const changed = new FakeEvent();
  let path = "/venv/bin/python";
  extensions["ms-python.python"] = python(() => path, changed);
  const { told, interpreters } = watch();
  await settled();
  changed.fire();
  await settled();
  path = "/other/bin/python";
  changed.fire();
  await settled();
  assert.deepEqual(told, [["file:///work/ext", "/venv/bin/python"], ["file:///work/ext", "/other/bin/python"]]);
  assert.deepEqual(interpreters.known, { "file:///work/ext": "/other/bin/python" });
});

test("nobody is asked before the workspace is trusted", async () => {
  trusted = false;
  extensions["ms-python.python"] = python(() => "/venv/bin/python");
  const { told } = watch();
  await settled();
  assert.deepEqual(told, []);
  granted.fire();
  await settled();
  assert.deepEqual(told, [["file:///work/ext", "/venv/bin/python"]]);
});

test("the newer environments extension is asked where the user has switched to it", async () => {
  const api = { getEnvironment: () => Promise.resolve({ environmentPath: { fsPath: "/envs/a" } }), onDidChangeEnvironment: new FakeEvent().event };
  extensions["ms-python.vscode-python-envs"] = { isActive: true, exports: api, activate: () => Promise.reject(new Error("was active")) };
  extensions["ms-python.python"] = python(() => "/venv/bin/python");
  assert.deepEqual((await watchAndSettle()).told, [["file:///work/ext", "/venv/bin/python"]]);
  useEnvironments = true;
  assert.deepEqual((await watchAndSettle()).told, [["file:///work/ext", "/envs/a"]]);
});

test("without a Python extension, and with one that fails, nothing is known and nothing breaks", async () => {
  const none = await watchAndSettle();
  assert.deepEqual([none.told, none.warnings], [[], []]);
  extensions["ms-python.python"] = { isActive: false, activate: () => Promise.reject(new Error("no Python")) };
  const failing = await watchAndSettle();
  assert.deepEqual([failing.told, failing.warnings], [[], ["The Python extension could not be asked for its interpreter: Error: no Python"]]);
});

async function watchAndSettle(): Promise<Asked> {
  const asked = watch();
  await settled();
  return asked;
}
