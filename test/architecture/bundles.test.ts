/** What `npm run build` and `npm run package` make, without VS Code. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, sep } from "node:path";
import test from "node:test";
import { execa } from "execa";
import { gantry } from "../../src/workshop/project/index.ts";
import { root } from "../harness/locations.ts";

const vsce = join(root, "node_modules", "@vscode", "vsce", "vsce");

test("the command line runs where the module vscode cannot be found", async () => {
  assert.throws(() => import.meta.resolve("vscode"), { code: "ERR_MODULE_NOT_FOUND" });
  const { exitCode, stdout } = await execa(process.execPath, [join(root, "dist", "cli.js"), "--help"], { reject: false });
  assert.equal(exitCode, 0);
  assert.match(stdout, /abiding check/);
});

test("only the extension's bundles ask for vscode", () => {
  const bundles = readdirSync(join(root, "dist")).filter((file) => file.endsWith(".js"));
  const asking = bundles.filter((file) => /require\("vscode"\)/.test(readFileSync(join(root, "dist", file), "utf8")));
  assert.deepEqual(asking.sort(), ["client.js", "extension.js", "workshop.js"]);
});

test("what is loaded with every window is small, and loads the client and the workshop when they are needed", () => {
  const text = readFileSync(join(root, "dist", "extension.js"), "utf8");
  assert.ok(text.length < 100_000, String(text.length));
  const required = new Set([...text.matchAll(/require\("([^"]+)"\)/g)].map((match) => match[1] ?? ""));
  assert.deepEqual([...required].filter((name) => name.startsWith(".")).sort(), ["./client.js", "./workshop.js"]);
});

test("a command loads what it needs: fits no reader of build files, check no protocol", async () => {
  // Texts that only the readers of CMake and of YAML have, and the protocol.
  const marks = { cmake: "cmake_parse_arguments", yaml: "tag:yaml.org,2002:", protocol: "textDocument/didOpen" };
  const loadedBy = async (...command: readonly string[]): Promise<readonly string[]> => {
    const tell = "process.on('exit', () => process.stdout.write('\\0' + JSON.stringify(Object.keys(require('node:module')._cache))))";
    const { stdout } = await execa(process.execPath, ["--eval", `${tell}; require(process.argv[1])`, join(root, "dist", "cli.js"), ...command], { reject: false });
    const files = JSON.parse(stdout.slice(stdout.lastIndexOf("\0") + 1)) as readonly string[];
    assert.ok(files.length > 1, stdout);
    const text = files.map((file) => readFileSync(file, "utf8")).join("\n");
    return Object.entries(marks).filter(([, mark]) => text.includes(mark)).map(([name]) => name);
  };
  const nowhere = join(root, "no", "such", "file.so");
  assert.deepEqual(await loadedBy("fits", nowhere), []);
  assert.deepEqual(await loadedBy("inspect", nowhere), []);
  assert.deepEqual(await loadedBy("check", nowhere), ["cmake", "yaml"]);
});

let listing: Promise<readonly string[]> | undefined;

/** The files that are packaged, from the root, with `/`. */
function packaged(): Promise<readonly string[]> {
  return (listing ??= execa(process.execPath, [vsce, "ls", "--no-dependencies"], { cwd: root }).then(({ stdout }) => stdout.split("\n").map((line) => line.trim())));
}

test("the package holds the bundles and what users read, and nothing else", async () => {
  const files = await packaged();
  const expected = [
    /^(?:package|package\.nls(?:\.[\w-]+)?)\.json$/, /^(?:README|CHANGELOG)\.md$/, /^LICENSE(?:\.txt)?$/,
    /^dist\/(?:extension|client|workshop|server|cli|part-\w+)\.js$/, /^dist\/torch-symbols\.br$/, /^dist\/stamp\/_abiding_(?:stamp|check)\.py$/, /^dist\/webview\/[\w-]+\.(?:js|css)$/, /^docs\/(?:building|combinations|executors|explain|github-action|libtorch|mcp|measuring|projects|stamp)\.md$/, /^cmake\/AbidingLibtorch\.cmake$/, /^docs\/rules\/[\w-]+\.md$/, /^docs\/schema\/(?:abiding|combination-record)\.schema\.json$/, /^l10n\/[\w.-]+\.json$/, /^media\/[\w.-]+$/, /^native\//,
  ];
  assert.deepEqual(files.filter((file) => !expected.some((pattern) => pattern.test(file))), []);
  for (const file of ["package.json", "README.md", "CHANGELOG.md", "dist/extension.js", "dist/client.js", "dist/workshop.js", "dist/server.js", "dist/cli.js", "dist/torch-symbols.br", "native/cmake/AbidingStamp.cmake", "native/cmake/abiding_stamp.cpp", "dist/stamp/_abiding_stamp.py", "dist/stamp/_abiding_check.py", "docs/explain.md", "docs/libtorch.md", "docs/mcp.md", "docs/projects.md", "cmake/AbidingLibtorch.cmake"]) assert.ok(files.includes(file), file);
});

test("the package holds of Gantry what the workshop copies to build it, and no more", async (context) => {
  const folder = mkdtempSync(join(tmpdir(), "abiding-gantry-"));
  context.after(() => { rmSync(folder, { recursive: true, force: true }); });
  const copy = await gantry({ from: join(root, "native"), to: folder });
  const copied = readdirSync(copy, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).map((entry) => `native/${relative(copy, join(entry.parentPath, entry.name)).split(sep).join("/")}`);
  const files = (await packaged()).filter((file) => file.startsWith("native/"));
  assert.deepEqual(files.toSorted(), copied.toSorted());
  const { stdout: tracked } = await execa("git", ["ls-files", "native"], { cwd: root });
  const known = new Set(tracked.split("\n"));
  assert.deepEqual(files.filter((file) => !known.has(file)), []);
});

test("abiding stamp of the package writes the very files of native/cmake", async () => {
  const { stdout } = await execa(process.execPath, [join(root, "dist", "cli.js"), "stamp", join(root, "samples", "healthy-extension"), "--target", "setup.py", "--dry-run", "--format", "json"]);
  const { files } = JSON.parse(stdout) as { readonly files: readonly { readonly path: string; readonly text: string }[] };
  assert.equal(files.find(({ path }) => path === "abiding_stamp.cpp")?.text, readFileSync(join(root, "native", "cmake", "abiding_stamp.cpp"), "utf8"));
});
