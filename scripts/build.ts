/** Bundles the extension, its pages, the language server and the command line into `dist/`. `--production` minifies. */
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { build, transform, type BuildOptions, type BuildResult, type Plugin } from "esbuild";
import { root } from "../test/harness/locations.ts";
import { directImports } from "./lib/directImports.ts";
import { leanClient } from "./lib/leanClient.ts";
import { packageSymbols } from "./lib/packageSymbols.ts";
import { packSmallParts, type BuiltFile } from "./lib/packSmallParts.ts";

const production = process.argv.includes("--production");

const dist = join(root, "dist");

const common: BuildOptions = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  target: "node20",
  mainFields: ["module", "main"],
  minify: production,
  sourcemap: production ? false : "linked",
  legalComments: "none",
  logLevel: "warning",
};

/** What the extension host loads: one file each. `import()` becomes `require()`, which works in every extension host. */
const commonjs: BuildOptions = { ...common, format: "cjs", supported: { "dynamic-import": false } };

/** The language client and the workshop are many times the rest of the extension, so they are files of their own that are loaded when they are needed. */
const lazyParts: Plugin = {
  name: "lazy-parts",
  setup(bundler) {
    bundler.onResolve({ filter: /^\.\/client\.ts$/ }, ({ importer }) => (/extension[\\/]server\.ts$/.test(importer) ? { path: "./client.js", external: true } : undefined));
    bundler.onResolve({ filter: /^\.\/index\.ts$/ }, ({ importer }) => (/extension[\\/]workshop[\\/]registration\.ts$/.test(importer) ? { path: "./workshop.js", external: true } : undefined));
  },
};

/** Of package.json the programs want the version. */
const ownVersion: Plugin = {
  name: "own-version",
  setup(bundler) {
    bundler.onLoad({ filter: /[\\/]package\.json$/ }, ({ path }) => {
      if (path !== join(root, "package.json")) return undefined;
      const { version } = JSON.parse(readFileSync(path, "utf8")) as { version: string };
      return { contents: JSON.stringify({ version }), loader: "json" };
    });
  },
};

async function bundleExtension(): Promise<void> {
  rmSync(join(dist, "extension.js.map"), { force: true });
  const result = await build({ ...commonjs, entryPoints: ["src/extension/extension.ts"], outfile: join(dist, "extension.js"), external: ["vscode"], plugins: [lazyParts], keepNames: production });
  noteWarnings(result);
}

/**
 * The server, the command line, the extension's workshop and its language client share most of their code, and each command
 * needs only a part of it: what an `import()` names is loaded when it is reached. esbuild splits ES modules only, so each part is then made a
 * CommonJS file, which Node loads faster and whose compiled code it can keep.
 */
async function bundlePrograms(): Promise<void> {
  const split = await build({
    ...common,
    entryPoints: [{ in: "src/server/main.ts", out: "server" }, { in: "src/cli/main.ts", out: "cli" }, { in: "src/extension/workshop/index.ts", out: "workshop" }, { in: "src/extension/client.ts", out: "client" }],
    external: ["vscode"],
    outdir: dist,
    format: "esm",
    splitting: true,
    chunkNames: "part-[hash]",
    plugins: [directImports(), leanClient(), ownVersion],
    // A table that is read when it is needed lies beside the bundles.
    define: { "import.meta.dirname": "__dirname", ...(production ? { isRelease: "true" } : {}) },
    sourcemap: production ? false : "inline",
    write: false,
  });
  noteWarnings(split);
  mkdirSync(dist, { recursive: true });
  const files = await Promise.all(split.outputFiles.map(async ({ path, text }): Promise<BuiltFile & { readonly map: string }> => {
    const name = basename(path);
    const { code, map } = await transform(text, {
      format: "cjs",
      platform: "node",
      target: "node20",
      supported: { "dynamic-import": false },
      minify: production,
      sourcemap: production ? false : "external",
      sourcefile: name,
      ...(name === "cli.js" ? { banner: "#!/usr/bin/env node" } : {}),
      legalComments: "none",
      logLevel: "warning",
    });
    return { name, code, map };
  }));
  const written = new Set<string>();
  for (const { name, code, map } of production ? packSmallParts(files).map((one) => ({ ...one, map: "" })) : files) {
    const path = join(dist, name);
    written.add(name);
    writeFileSync(path, `${code}${map === "" ? "" : `//# sourceMappingURL=${name}.map\n`}`);
    if (map === "") rmSync(`${path}.map`, { force: true });
    else writeFileSync(`${path}.map`, map);
  }
  for (const file of readdirSync(dist)) {
    const part = /^part-\w+\.js(?=$|\.map$)/.exec(file)?.[0];
    if (part !== undefined && !written.has(part)) rmSync(join(dist, file));
  }
}

/** A warning is a file that will not do at run time what it does under the tests. */
function noteWarnings(result: BuildResult): void {
  if (result.warnings.length > 0) process.exitCode = 1;
}

/** Pages run in a browser: they have no modules and nothing of Node. */
async function bundlePage(name: string, main = "main.ts"): Promise<void> {
  const folder = join(dist, "webview");
  for (const kind of ["js", "css"]) rmSync(join(folder, `${name}.${kind}.map`), { force: true });
  await build({
    absWorkingDir: root,
    entryPoints: [{ in: `webview/${name}/${main}`, out: name }, { in: `webview/${name}/style.css`, out: name }],
    outdir: folder,
    bundle: true,
    platform: "browser",
    format: "iife",
    target: "chrome120",
    jsx: "automatic",
    jsxImportSource: "preact",
    minify: production,
    sourcemap: production ? false : "linked",
    legalComments: "none",
    logLevel: "warning",
  });
}

// esbuild has printed its errors when it rejects.
const results = await Promise.allSettled([bundleExtension(), bundlePrograms(), bundlePage("binary"), bundlePage("explain"), bundlePage("panel", "main.tsx")]);
if (results.some((result) => result.status === "rejected")) process.exitCode = 1;
const symbols = readFileSync(join(root, "data", "torch-symbols.br"));
writeFileSync(join(dist, "torch-symbols.br"), production ? packageSymbols(symbols) : symbols);
// What `abiding stamp` writes into setuptools projects; what it writes into CMake projects are Gantry's own files, in native/cmake.
const stamp = join(dist, "stamp");
rmSync(stamp, { recursive: true, force: true });
mkdirSync(stamp, { recursive: true });
for (const file of ["src/workshop/stamp/templates/_abiding_stamp.py", "src/workshop/stamp/templates/_abiding_check.py"]) copyFileSync(join(root, file), join(stamp, basename(file)));
