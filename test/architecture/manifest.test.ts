/** package.json says what VS Code shows; all of it has to be there and to be explained. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { rules } from "../../src/engine/rules/index.ts";
import { root } from "../harness/locations.ts";

interface Setting {
  readonly scope?: string;
  readonly description?: string;
  readonly markdownDescription?: string;
}

interface Manifest {
  readonly engines: { readonly vscode: string };
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly activationEvents: readonly string[];
  readonly capabilities: { readonly untrustedWorkspaces: { readonly restrictedConfigurations: readonly string[] } };
  readonly contributes: {
    readonly commands: readonly { readonly command: string; readonly title: string; readonly category?: string }[];
    readonly configuration: readonly { readonly properties: Readonly<Record<string, Setting>> }[];
  };
}

function read(file: string): string {
  return readFileSync(join(root, file), "utf8");
}

const text = read("package.json");
const manifest = JSON.parse(text) as Manifest;
const strings = JSON.parse(read("package.nls.json")) as Record<string, string>;
const settings = Object.assign({}, ...manifest.contributes.configuration.map((section) => section.properties)) as Record<string, Setting>;
const readme = read("README.md");

test("every %key% has a string, and every string is used", () => {
  const used = new Set([...text.matchAll(/"%([\w.-]+)%"/g)].map((match) => match[1]));
  assert.deepEqual([...used].filter((key) => key === undefined || strings[key] === undefined), []);
  assert.deepEqual(Object.keys(strings).filter((key) => !used.has(key)), []);
});

test("every command has the product's name as its category", () => {
  assert.deepEqual(manifest.contributes.commands.filter((one) => one.category !== "Abiding").map((one) => one.command), []);
});

test("every setting has a scope and a description, and is in the README", () => {
  const lacking = Object.entries(settings).filter(([, one]) => one.scope === undefined || (one.description ?? one.markdownDescription) === undefined);
  assert.deepEqual(lacking.map(([name]) => name), []);
  assert.deepEqual(Object.keys(settings).filter((name) => !readme.includes(`\`${name}\``)), []);
});

test("the README names commands and settings that exist", () => {
  const titles = manifest.contributes.commands.map((one) => `Abiding: ${one.title.startsWith("%") ? strings[one.title.slice(1, -1)] : one.title}`);
  const named = [...readme.matchAll(/"(Abiding: [^"]+)"/g)].map((match) => match[1] ?? "");
  assert.deepEqual(named.filter((one) => !titles.includes(one)), []);
  const mentioned = [...readme.matchAll(/`(abiding\.[A-Za-z.]+)`/g)].map((match) => match[1] ?? "").filter((one) => one !== "abiding.json");
  assert.deepEqual(mentioned.filter((one) => settings[one] === undefined), []);
});

test("what names a path for a machine is restricted in an untrusted workspace", () => {
  assert.deepEqual(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations.filter((name) => settings[name] === undefined), []);
  const machine = Object.entries(settings).filter(([, one]) => one.scope?.startsWith("machine") === true).map(([name]) => name);
  assert.deepEqual(machine.filter((name) => !manifest.capabilities.untrustedWorkspaces.restrictedConfigurations.includes(name)), []);
});

test("the extension does not start with every window, nor by a search through the workspace", () => {
  assert.deepEqual(manifest.activationEvents.filter((event) => event === "*" || event === "onStartupFinished" || event.includes("**")), []);
});

test("the API that is compiled against is that of the oldest VS Code supported", () => {
  const minor = /(\d+\.\d+)/;
  assert.equal(minor.exec(manifest.devDependencies["@types/vscode"] ?? "")?.[1], minor.exec(manifest.engines.vscode)?.[1]);
});

test("every rule has a page, and every page a rule", () => {
  const folder = join(root, "docs", "rules");
  const pages = existsSync(folder) ? readdirSync(folder).map((file) => file.replace(/\.md$/, "")) : [];
  assert.deepEqual(rules.map((rule) => rule.name).filter((name) => !pages.includes(name)), []);
  assert.deepEqual(pages.filter((page) => !rules.some((rule) => rule.name === page)), []);
});
