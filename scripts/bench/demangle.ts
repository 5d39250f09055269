/**
 * Every mangled name of a torch's libraries: printed as `c++filt` prints it, written back as it was, and the time that it
 * takes, beside that of `c++filt`.
 *
 *   npm run bench -- demangle [--torch VENV|TORCH_FOLDER]
 */
import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { execa } from "execa";
import { openElf } from "../../src/engine/binaries/elf/index.ts";
import { parseSymbol } from "../../src/engine/binaries/mangling/demangle.ts";
import { distinctNodes, encodeSymbol } from "../../src/engine/binaries/mangling/encode.ts";
import { demangle, entityKey, familyOf, readMangled } from "../../src/engine/binaries/mangling/index.ts";
import { NodeFiles } from "../../src/engine/files/index.ts";
import { torchFolder } from "./lib/projects.ts";
import { report } from "./lib/report.ts";

const { values: options } = parseArgs({ options: { torch: { type: "string" } } });
const files = new NodeFiles();
const all = new Set<string>();
let largest: readonly string[] = [];
// A torch that was only unpacked has no environment around it.
const folder = options.torch !== undefined && existsSync(join(options.torch, "version.py")) ? options.torch : torchFolder(options.torch);
for (const file of globSync(join(folder, "**", "*.so*"))) {
  const opened = openElf(file, files);
  if (!opened.ok) continue;
  const exported = [...opened.elf.exportedNames()];
  if (file.endsWith("libtorch_cpu.so")) largest = exported;
  for (const name of exported) all.add(name);
  for (const symbol of opened.elf.imports()) all.add(symbol.name);
}
const names = [...all].filter((name) => name.startsWith("_Z"));

/** Milliseconds for one round over the names, five times. */
function timed(over: readonly string[], ask: (name: string) => unknown): readonly number[] {
  return Array.from({ length: 5 }, () => {
    const started = performance.now();
    for (const name of over) ask(name);
    return performance.now() - started;
  });
}

const filter: number[] = [];
let texts: readonly string[] = [];
for (let run = 0; run < 5; run++) {
  const started = performance.now();
  const { stdout } = await execa("c++filt", ["--no-recurse-limit"], { input: names.join("\n"), maxBuffer: 2 ** 30 });
  filter.push(performance.now() - started);
  texts = stdout.split("\n");
}
const ours = timed(names, demangle);
const different = names.filter((name, index) => (demangle(name) ?? name) !== texts[index]);
const changed = names.filter((name) => {
  const parsed = parseSymbol(name);
  return parsed !== undefined && encodeSymbol(parsed, distinctNodes(parsed)) !== name;
});
for (const name of [...different.slice(0, 10), ...changed.slice(0, 10)]) process.stdout.write(`${name}\n`);
const each = (values: readonly number[], count: number): readonly number[] => values.map((value) => value / Math.max(1, count / 1000));

report("demangle", [
  { what: "names", unit: "count", values: [names.length] },
  { what: "printed otherwise than by c++filt", unit: "count", values: [different.length], atMost: 0 },
  { what: "not written back as they were", unit: "count", values: [changed.length], atMost: 0 },
  { what: "demangle, 1,000 names", unit: "ms", values: each(ours, names.length) },
  { what: "c++filt (process), 1,000 names", unit: "ms", values: each(filter, names.length) },
  { what: "demangle, all of libtorch_cpu", unit: "ms", values: timed(largest, demangle), atMost: 1500 },
  { what: "familyOf, 1,000 names", unit: "ms", values: each(timed(largest, familyOf), largest.length), atMost: 2 },
  { what: "entityKey, all of libtorch_cpu", unit: "ms", values: timed(largest, entityKey), atMost: 300 },
  { what: "readMangled, 1,000 names", unit: "ms", values: each(timed(largest, readMangled), largest.length) },
], { different: different.slice(0, 100), changed: changed.slice(0, 100) });
