/** Type-checks every TypeScript project of the repository. */
import { join } from "node:path";
import { execa } from "execa";
import { root } from "../test/harness/locations.ts";

for (const project of [root, join(root, "webview")]) {
  const { exitCode } = await execa(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "--noEmit", "-p", project], { cwd: root, stdio: "inherit", reject: false });
  if (exitCode !== 0) process.exitCode = exitCode ?? 1;
}
