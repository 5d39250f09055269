/** What package.json promises: strings, commands, settings and rules that exist. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import * as path from "node:path";
import { test } from "node:test";
import { rules } from "../../src/engine/rules/index.ts";
import { defaultSettings, readSettings } from "../../src/server/settings.ts";
import { defaultRepetitions } from "../../src/workshop/benchmark/index.ts";
import { defaultTimeLimit } from "../../src/workshop/smoke/index.ts";
import { declarations } from "../../src/tools/declarations.ts";

const root = path.resolve(import.meta.dirname, "../..");

interface Property {
  readonly type: string;
  readonly default: unknown;
  readonly scope?: string;
  readonly markdownDescription?: string;
  readonly propertyNames?: { readonly enum: readonly string[] };
}

interface Manifest {
  readonly activationEvents: readonly string[];
  readonly capabilities: { readonly untrustedWorkspaces: { readonly supported: string; readonly restrictedConfigurations: readonly string[] } };
  readonly contributes: {
    readonly commands: readonly { readonly command: string; readonly title: string; readonly category: string }[];
    readonly menus: { readonly commandPalette: readonly { readonly command: string; readonly when: string }[] };
    readonly configuration: readonly { readonly properties: Readonly<Record<string, Property>> }[];
    readonly languageModelTools: readonly { readonly name: string; readonly displayName: string; readonly modelDescription: string; readonly inputSchema: unknown; readonly when?: string; readonly toolReferenceName: string; readonly canBeReferencedInPrompt: boolean }[];
    readonly jsonValidation: readonly { readonly fileMatch: string; readonly url: string }[];
  };
}

const text = readFileSync(path.join(root, "package.json"), "utf8");
const manifest = JSON.parse(text) as Manifest;
const strings = JSON.parse(readFileSync(path.join(root, "package.nls.json"), "utf8")) as Record<string, string>;
const settings = Object.assign({}, ...manifest.contributes.configuration.map((section) => section.properties)) as Record<string, Property>;

test("every string of the manifest is there, and none is left over", () => {
  const used = [...text.matchAll(/"%([\w.]+)%"/g)].map((match) => match[1] ?? "");
  assert.deepEqual([...new Set(used)].sort(), Object.keys(strings).sort());
});

test("every command has a title and a category, and code behind it", () => {
  const table = readFileSync(path.join(root, "src/extension/commands/index.ts"), "utf8");
  for (const { command, title, category } of manifest.contributes.commands) {
    assert.equal(category, "Abiding");
    assert.match(title, /^%/);
    assert.equal(table.includes(`"${command}"`), true, command);
  }
});

test("every setting has a scope and a description, and its default is the server's", () => {
  for (const [name, setting] of Object.entries(settings)) {
    assert.notEqual(setting.scope, undefined, name);
    assert.match(setting.markdownDescription ?? "", /^%/, name);
  }
  const of = (name: string): unknown => settings[name]?.default;
  const { settings: read, problems } = readSettings({
    enable: of("abiding.enable"), environment: of("abiding.environment"), rules: of("abiding.rules"),
    inlayHints: { targets: of("abiding.inlayHints.targets"), torch: of("abiding.inlayHints.torch") }, codeLens: { enable: of("abiding.codeLens.enable") },
  });
  assert.deepEqual([read, problems], [defaultSettings, []]);
});

test("tests and benchmarks run in the editor as they do on the command line", () => {
  assert.equal(settings["abiding.benchmark.repetitions"]?.default, defaultRepetitions);
  assert.equal(settings["abiding.smoke.timeLimit"]?.default, defaultTimeLimit / 1000);
});

test("every rule can be given a severity in the settings, and has its page", () => {
  const named = settings["abiding.rules"]?.propertyNames?.enum ?? [];
  assert.deepEqual(rules.map((rule) => rule.name).filter((name) => !named.includes(name)), []);
  assert.deepEqual(named.filter((name) => !rules.some((rule) => rule.name === name)), []);
  assert.deepEqual(rules.map((rule) => rule.name).filter((name) => !existsSync(path.join(root, "docs/rules", `${name}.md`))), []);
});

test("a workspace that is not trusted cannot say what is read, fetched or run", () => {
  assert.equal(manifest.capabilities.untrustedWorkspaces.supported, "limited");
  assert.deepEqual(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations, ["abiding.environment", "abiding.smoke.afterBuild", "abiding.libtorch.index"]);
});

test("what runs something is offered in a trusted workspace only", () => {
  const reading = ["selectEnvironment", "checkWorkspace", "copyReport", "openRuleDocumentation", "showLog", "restartServer", "wouldThisLoad", "explainError", "openPanel"].map((name) => `abiding.${name}`);
  const conditions = new Map(manifest.contributes.menus.commandPalette.map(({ command, when }) => [command, when]));
  const free = manifest.contributes.commands.map(({ command }) => command).filter((command) => conditions.get(command) === undefined);
  assert.deepEqual(free, reading);
  const table = readFileSync(path.join(root, "src/extension/commands/index.ts"), "utf8");
  const running = [...conditions].filter(([, when]) => when === "isWorkspaceTrusted").map(([command]) => command);
  // The palette hides them; whoever calls them all the same is refused by the door.
  assert.deepEqual(running.filter((command) => !table.includes(`"${command}": inWorkshop(`)), []);
});

test("language-model tools are those of the Model Context Protocol, and the one that runs something is offered in a trusted workspace only", () => {
  const contributed = manifest.contributes.languageModelTools;
  assert.deepEqual(contributed.map(({ name, displayName, modelDescription, inputSchema, when }) => ({ name, title: strings[displayName.replaceAll("%", "")], description: modelDescription, input: inputSchema, runs: when === "isWorkspaceTrusted" })),
    declarations.map(({ name, title, description, input, runs }) => ({ name: `abiding_${name}`, title, description, input, runs })));
  assert.equal(new Set(contributed.map(({ toolReferenceName }) => toolReferenceName)).size, contributed.length);
  for (const { toolReferenceName, canBeReferencedInPrompt } of contributed) {
    assert.equal(canBeReferencedInPrompt, true);
    assert.match(toolReferenceName, /^abiding[A-Za-z]+$/);
  }
});

test("activation searches no folders", () => {
  assert.deepEqual(manifest.activationEvents.filter((event) => event.startsWith("workspaceContains:") && event.includes("*")), []);
});

test("names in any file and errors in any terminal are explained, also where no project is open", () => {
  assert.deepEqual(["onLanguage", "onTerminal:*"].filter((event) => !manifest.activationEvents.includes(event)), []);
});

test("abiding.json is checked against the published schema", () => {
  for (const { url } of manifest.contributes.jsonValidation) {
    assert.doesNotThrow(() => void JSON.parse(readFileSync(path.join(root, url), "utf8")), url);
  }
});
