/**
 * Wheels, as Abiding reads them and as the tools read them that a person would use: the platform tag against
 * `auditwheel show`, and what is said of the stable ABI against `abi3audit`; with the time of each.
 *
 *   npm run bench -- wheels --wheels FOLDER [--tools FOLDER]
 *
 * The tools are looked for in FOLDER (the bin folder of an environment into which auditwheel and abi3audit were installed),
 * else on the PATH. What is missing is left out, and said. Without --wheels nothing is compared.
 */
import { globSync } from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { execa } from "execa";
import { examine } from "../../src/engine/diagnosis/index.ts";
import { NodeFiles } from "../../src/engine/files/index.ts";
import type { WheelProfile } from "../../src/engine/model/index.ts";
import { printTable, report } from "./lib/report.ts";

const { values: options } = parseArgs({ options: { wheels: { type: "string" }, tools: { type: "string" } } });
const wheels = options.wheels === undefined ? [] : globSync(join(options.wheels, "*.whl")).sort();
if (wheels.length === 0) process.stdout.write("No wheels: --wheels names a folder of them.\n");

interface Answer {
  readonly text: string;
  readonly milliseconds: number;
}

/** What a tool prints; undefined when it is not there. */
async function ask(tool: string, ...given: readonly string[]): Promise<Answer | undefined> {
  const started = performance.now();
  const ran = await execa(options.tools === undefined ? tool : join(options.tools, tool), given, { reject: false, timeout: 600_000 });
  return ran.code === "ENOENT" ? undefined : { text: ran.stdout, milliseconds: performance.now() - started };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** auditwheel prints no JSON for a wheel that it refuses, or that holds no ELF file. */
function tagOf(answer: Answer): string | undefined {
  return (parsed(answer.text) as { readonly overall_tag?: string } | undefined)?.overall_tag;
}

interface AuditedObject {
  readonly name: string;
  readonly result: { readonly is_abi3: boolean; readonly is_abi3_baseline_compatible: boolean };
}

/** Whether abi3audit objects to a wheel. A module that is named for one CPython is not imported as abi3 at all: that is another complaint. */
function objects(answer: Answer): boolean | undefined {
  const specs = (parsed(answer.text) as { readonly specs?: Readonly<Record<string, { readonly wheel?: readonly AuditedObject[] }>> } | undefined)?.specs;
  return specs === undefined ? undefined : Object.values(specs).flatMap((one) => one.wheel ?? []).some((one) => !/\.cpython-3/.test(one.name) && !(one.result.is_abi3 && one.result.is_abi3_baseline_compatible));
}

const times = { abiding: [] as number[], auditwheel: [] as number[] };
const rows: string[][] = [];
const different = { platform: 0, abi3: 0 };
const compared = { platform: 0, abi3: 0 };
for (const file of wheels) {
  const started = performance.now();
  const answer = await examine(file, { files: new NodeFiles(), root: process.cwd() });
  const mine = performance.now() - started;
  const wheel: WheelProfile | undefined = answer.ok ? answer.examined.wheel : undefined;
  if (answer.ok) answer.examined.dispose();
  const shown = await ask("auditwheel", "show", "--json", file);
  const tag = shown === undefined ? undefined : tagOf(shown);
  if (shown !== undefined && tag !== undefined) {
    times.abiding.push(mine);
    times.auditwheel.push(shown.milliseconds);
    compared.platform += 1;
    if (tag !== wheel?.platformTag) different.platform += 1;
  }
  const audited = wheel?.tags.abis.includes("abi3") === true ? await ask("abi3audit", "--strict", "--report", file) : undefined;
  const theirs = audited === undefined ? undefined : objects(audited);
  const ours = wheel?.disagreements.some((one) => one.kind === "abi3") === true;
  if (theirs !== undefined) {
    compared.abi3 += 1;
    if (theirs !== ours) different.abi3 += 1;
  }
  rows.push([basename(file).slice(0, 60), wheel?.platformTag ?? "none", tag ?? "none", wheel?.platformTagBesideTorch ?? "none", theirs === undefined ? "" : ours ? "broken" : "kept", theirs === undefined ? "" : theirs ? "broken" : "kept"]);
}

if (wheels.length > 0) {
  printTable([["", "platform", "auditwheel", "beside torch", "abi3", "abi3audit"], ...rows]);
  process.stdout.write("\n");
  report("wheels", [
    { what: "wheels compared with auditwheel", unit: "count", values: [compared.platform] },
    { what: "another platform tag", unit: "count", values: [different.platform], atMost: 0, exact: true },
    { what: "wheels compared with abi3audit", unit: "count", values: [compared.abi3] },
    { what: "another answer on abi3", unit: "count", values: [different.abi3], atMost: 0, exact: true },
    ...(times.auditwheel.length === 0 ? [] : [
      { what: "a wheel, read here", unit: "ms" as const, values: times.abiding },
      { what: "auditwheel show (process)", unit: "ms" as const, values: times.auditwheel },
    ]),
  ]);
}
