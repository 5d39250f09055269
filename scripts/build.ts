/** Bundles the extension, its pages, the language server and the command line into `dist/`. `--production` minifies. */
import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build, type Plugin } from "esbuild";
import { root } from "../test/harness/locations.ts";

const production = process.argv.includes("--production");

const outputs: readonly { readonly entry: string; readonly file: string; readonly external: string[]; readonly banner?: string }[] = [
  { entry: "src/extension/extension.ts", file: "extension.js", external: ["vscode"] },
  { entry: "src/extension/client.ts", file: "client.js", external: ["vscode"] },
  { entry: "src/server/main.ts", file: "server.js", external: [] },
  { entry: "src/cli/main.ts", file: "cli.js", external: [], banner: "#!/usr/bin/env node" },
];

/** The language client is 40 times the rest of the extension, so it is a file of its own that is loaded when it is needed. */
const lazyClient: Plugin = {
  name: "lazy-client",
  setup(bundler) {
    bundler.onResolve({ filter: /^\.\/client\.ts$/ }, ({ importer }) => (/extension[\\/]server\.ts$/.test(importer) ? { path: "./client.js", external: true } : undefined));
  },
};

async function bundle(output: (typeof outputs)[number]): Promise<void> {
  const outfile = join(root, "dist", output.file);
  rmSync(`${outfile}.map`, { force: true });
  const result = await build({
    absWorkingDir: root,
    entryPoints: [output.entry],
    outfile,
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node20",
    mainFields: ["module", "main"],
    external: output.external,
    plugins: [lazyClient],
    // `import()` becomes `require()`, which works in every extension host.
    supported: { "dynamic-import": false },
    // A table that is read when it is needed lies beside the bundles.
    define: { "import.meta.dirname": "__dirname" },
    minify: production,
    keepNames: production,
    sourcemap: production ? false : "linked",
    banner: output.banner === undefined ? {} : { js: output.banner },
    legalComments: "none",
    logLevel: "warning",
  });
  // A warning is a file that will not do at run time what it does under the tests.
  if (result.warnings.length > 0) process.exitCode = 1;
}

/** Pages run in a browser: they have no modules and nothing of Node. */
async function bundlePage(name: string): Promise<void> {
  const folder = join(root, "dist", "webview");
  rmSync(join(folder, `${name}.js.map`), { force: true });
  await build({
    absWorkingDir: root,
    entryPoints: [{ in: `webview/${name}/main.ts`, out: name }, { in: `webview/${name}/style.css`, out: name }],
    outdir: folder,
    bundle: true,
    platform: "browser",
    format: "iife",
    target: "chrome120",
    minify: production,
    sourcemap: production ? false : "linked",
    legalComments: "none",
    logLevel: "warning",
  });
}

// esbuild has printed its errors when it rejects.
const results = await Promise.allSettled([...outputs.map(bundle), bundlePage("binary")]);
if (results.some((result) => result.status === "rejected")) process.exitCode = 1;
copyFileSync(join(root, "data", "torch-symbols.br"), join(root, "dist", "torch-symbols.br"));
