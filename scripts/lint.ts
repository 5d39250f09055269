/** ESLint over the sources, then knip for exports, files and packages that nobody uses. */
import { join } from "node:path";
import { execa } from "execa";
import { root } from "../test/harness/locations.ts";

const checks = [
  [join(root, "node_modules/eslint/bin/eslint.js"), "--max-warnings", "0", ...process.argv.slice(2), "."],
  [join(root, "node_modules/knip/bin/knip.js"), "--no-progress"],
];

for (const check of checks) {
  const { exitCode } = await execa(process.execPath, check, { cwd: root, stdio: "inherit", reject: false });
  if (exitCode !== 0) process.exitCode = 1;
}
