import { readdirSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { root } from "./locations.ts";

const source = join(root, "test", "host");

/** Where the bundled modules for the extension host lie; inside the checkout, so that they find its node_modules. */
const outputFolder = join(root, "dist", "test", "host");

let bundled: Promise<void> | undefined;

/** The bundled module of `test/host/<name>.ts`: the extension host loads CommonJS only. */
export async function hostModule(name: string): Promise<string> {
  bundled ??= bundleAll();
  await bundled;
  return join(outputFolder, `${name}.js`);
}

async function bundleAll(): Promise<void> {
  const suites = readdirSync(join(source, "suite")).filter((file) => file.endsWith(".ts"));
  await build({
    absWorkingDir: root,
    entryPoints: [join(source, "run.ts"), join(source, "bridge.ts"), ...suites.map((file) => join(source, "suite", file))],
    outdir: outputFolder,
    outbase: source,
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node20",
    external: ["vscode", "mocha"],
    sourcemap: "inline",
    logLevel: "warning",
  });
}
