/**
 * Runs benchmarks: `npm run bench` all of them, `npm run bench -- NAME ...` some. Each is a program of its own,
 * `scripts/bench/<name>.ts`, that prints a table and ends with a code other than 0 when a target is missed.
 */
import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { execa } from "execa";
import { root } from "../test/harness/locations.ts";

const folder = join(root, "scripts", "bench");
const known = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith(".ts")).map((file) => basename(file, ".ts")).sort() : [];
// Names come first; whatever follows the first option is passed on.
const given = process.argv.slice(2);
const firstOption = given.findIndex((argument) => argument.startsWith("-"));
const asked = firstOption < 0 ? given : given.slice(0, firstOption);
const options = firstOption < 0 ? [] : given.slice(firstOption);

for (const name of asked.length > 0 ? asked : known) {
  if (!known.includes(name)) {
    process.stderr.write(`There is no benchmark "${name}"; there are: ${known.join(", ")}.\n`);
    process.exitCode = 2;
    continue;
  }
  const { exitCode } = await execa(process.execPath, [join(folder, `${name}.ts`), ...options], { cwd: root, stdio: "inherit", reject: false });
  if (exitCode !== 0) process.exitCode = 1;
}
