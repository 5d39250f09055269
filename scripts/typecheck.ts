/** Type-checks every TypeScript project of the repository. */
import { join } from "node:path";
import { execa } from "execa";
import { root } from "../test/harness/locations.ts";

const { exitCode } = await execa(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "--noEmit", "-p", root], { cwd: root, stdio: "inherit", reject: false });
process.exitCode = exitCode ?? 1;
