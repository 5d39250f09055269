/** What `npm run build` and `npm run package` make, without VS Code. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { execa } from "execa";
import { root } from "../harness/locations.ts";

const vsce = join(root, "node_modules", "@vscode", "vsce", "vsce");

test("the command line runs where the module vscode cannot be found", async () => {
  assert.throws(() => import.meta.resolve("vscode"), { code: "ERR_MODULE_NOT_FOUND" });
  const { exitCode, stdout } = await execa(process.execPath, [join(root, "dist", "cli.js"), "--help"], { reject: false });
  assert.equal(exitCode, 0);
  assert.match(stdout, /abiding check/);
});

test("only the extension's bundles ask for vscode", () => {
  const asking = ["cli.js", "client.js", "extension.js", "server.js"].filter((file) => /require\("vscode"\)/.test(readFileSync(join(root, "dist", file), "utf8")));
  assert.deepEqual(asking, ["client.js", "extension.js"]);
});

test("the package holds the bundles and what users read, and nothing else", async () => {
  const { stdout } = await execa(process.execPath, [vsce, "ls", "--no-dependencies"], { cwd: root });
  const files = stdout.split("\n").map((line) => line.trim());
  const expected = [
    /^(?:package|package\.nls(?:\.[\w-]+)?)\.json$/, /^(?:README|CHANGELOG)\.md$/, /^LICENSE(?:\.txt)?$/,
    /^dist\/(?:extension|client|server|cli)\.js$/, /^dist\/torch-symbols\.br$/, /^docs\/rules\/[\w-]+\.md$/, /^docs\/schema\/[\w.-]+\.json$/, /^l10n\/[\w.-]+\.json$/, /^media\/[\w.-]+$/,
  ];
  assert.deepEqual(files.filter((file) => !expected.some((pattern) => pattern.test(file))), []);
  for (const file of ["package.json", "README.md", "CHANGELOG.md", "dist/extension.js", "dist/client.js", "dist/server.js", "dist/cli.js", "dist/torch-symbols.br"]) assert.ok(files.includes(file), file);
});
