/** Packages the extension: `abiding-<version>.vsix` in the root of the checkout, or `--out FILE`. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { root } from "../test/harness/locations.ts";
import { packageExtension } from "../test/harness/vsix.ts";

const { values } = parseArgs({ options: { out: { type: "string" } } });
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
const path = await packageExtension(values.out === undefined ? join(root, `abiding-${version}.vsix`) : resolve(values.out));
process.stdout.write(`${path}\n`);
