/**
 * Brings data/torch-symbols.br up to date: asks the package index which releases of torch there are, and reads of each that
 * the table lacks what its libraries export, as Abiding reads wheels on servers: by ranges, through the cache.
 *
 *     node scripts/data/torch-symbols.ts [--index URL] [--preview-index URL] [--folder FOLDER] [--table FILE] [--list] [VERSION ...]
 *
 * --index          default: what pip is configured to use, else PyPI
 * --preview-index  where nightlies or release candidates are; the newest above the newest release becomes a further column
 * --folder         what was read is kept there, so that a run that was stopped goes on; default: the user's cache
 * --table          default: data/torch-symbols.br; what is there is added to
 * --list           only says which releases are recorded and which are missing
 * VERSION          reads these, also where they are recorded
 *
 * What cannot be read is said, the table records it as missing, and the exit status is 1. The table is replaced when all is
 * read: a run that is stopped leaves the one before. A release costs some 50 MB of 500 to 900: names about 5,
 * the rest for what the two largest libraries load (DT_NEEDED), which lies before 80 MB of debugging symbols.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { readMangled } from "../../src/engine/binaries/mangling/index.ts";
import { chooseWheels, projectPage, RangeCache, readIndex, userCacheFolder, withUserOf } from "../../src/engine/binaries/remote/index.ts";
import type { IndexPage, RemoteOptions } from "../../src/engine/binaries/remote/index.ts";
import { isRecordedSymbol } from "../../src/engine/catalogue/recordedSymbols.ts";
import { compareVersions, parseRequirementText, parseVersion } from "../../src/engine/model/index.ts";
import { root } from "../../test/harness/locations.ts";
import { gapsOf, openTable, packTable } from "./torchSymbolsTable.ts";
import type { TableContent } from "./torchSymbolsTable.ts";
import { readWheelExports } from "./torchWheelExports.ts";
import type { WheelExports } from "./torchWheelExports.ts";

/** In older releases the libraries are cut otherwise: libcaffe2 has what libtorch has now. */
const oldest = "1.2.0";
const libraries = ["libc10.so", "libtorch_cpu.so", "libtorch_python.so", "libc10_cuda.so", "libtorch_cuda.so", "libtorch_cuda_cpp.so", "libtorch_cuda_cu.so", "libtorch.so"];
const nightlies = "https://download.pytorch.org/whl/nightly/cu130";
/** The wheel of one release. */
const budget = 4 * 1024 ** 3;

const { values, positionals } = given();
const tableFile = values.table ?? join(root, "data", "torch-symbols.br");
const cache = userCacheFolder(process.env);
const folder = values.folder ?? join(cache ?? "", "torch-symbols");
const remote: RemoteOptions = { budget, ...(cache === undefined ? {} : { cache: new RangeCache(cache) }) };

function given() {
  try {
    return parseArgs({ allowPositionals: true, options: { index: { type: "string" }, "preview-index": { type: "string" }, folder: { type: "string" }, table: { type: "string" }, list: { type: "boolean" } } });
  } catch (error) {
    process.stderr.write(`${reason(error)}\n`);
    process.exit(2);
  }
}

/** A run that is stopped leaves the file before, or none. */
function write(file: string, content: Buffer | string): void {
  mkdirSync(dirname(file), { recursive: true });
  const beside = `${file}.${process.pid}`;
  try {
    writeFileSync(beside, content);
    renameSync(beside, file);
  } finally {
    rmSync(beside, { force: true });
  }
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function pipIndex(): string {
  const fromEnvironment = process.env["PIP_INDEX_URL"];
  if (fromEnvironment !== undefined) return fromEnvironment;
  try {
    return execFileSync("python3", ["-m", "pip", "config", "get", "global.index-url"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return "https://pypi.org/simple";
  }
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function isRelease(version: string): boolean {
  const parsed = parseVersion(version);
  return parsed !== undefined && parsed.pre === undefined && parsed.dev === undefined && parsed.local.length === 0;
}

/** Versions for which a page has a wheel for Linux x86_64, oldest first. */
function versionsOn(page: IndexPage): readonly string[] {
  const versions = page.files.flatMap(({ name }) => /^torch-([^-]+)-.*linux.*_x86_64\.whl$/.exec(decodeURIComponent(name))?.[1] ?? []);
  return [...new Set(versions)].sort(compareVersions);
}

/** The wheel for Python 3.11, as most of the table was read; where there is none the one for the newest Python. */
async function read(page: IndexPage, index: string, version: string): Promise<WheelExports> {
  const kept = join(folder, version, "wheel.json");
  if (existsSync(kept)) return JSON.parse(readFileSync(kept, "utf8")) as WheelExports;
  const requirement = parseRequirementText(`torch==${version}`);
  if (requirement === undefined) throw new Error(`${version} is no version.`);
  const choices = [{ python: "3.11" }, {}].map((python) => chooseWheels(page, requirement, { platform: "linux-x86_64", ...python }));
  const wheel = choices.flatMap((one) => (one.ok ? one.wheels.slice(0, 1) : []))[0];
  if (wheel === undefined) throw new Error(choices[1]?.ok === false ? choices[1].message : "It has no wheel.");
  const started = performance.now();
  const exports = await readWheelExports(withUserOf(index, wheel.url), wheel.file.name, remote);
  write(kept, JSON.stringify(exports));
  say(`${version}: ${wheel.file.name}, ${(exports.read / 1e6).toFixed(1)} MB of ${((wheel.file.size ?? 0) / 1e6).toFixed(0)} MB read in ${((performance.now() - started) / 1000).toFixed(0)} s`);
  return exports;
}

/** By the names of libc10, or of the library that held it all: which std::string most of them speak of. */
function libstdcxxAbiOf({ libraries: read }: WheelExports): 0 | 1 {
  const names = Object.values(read).flatMap((one) => one.exports).filter((name) => name.startsWith("_ZN3c10"));
  const abis = names.map((name) => readMangled(name)?.stringAbi);
  return abis.filter((one) => one === 1).length > abis.filter((one) => one === 0).length ? 1 : 0;
}

/** The table with a column more, or with another one in its place. */
function withRelease(table: TableContent, version: string, wheel: WheelExports, isPreview: boolean): TableContent {
  const kept = table.releases.map((one, column) => ({ one, column })).filter(({ one }) => one.version !== version && !(isPreview && one.isPreview === true));
  const release = { version, ...(isPreview ? { isPreview: true as const } : {}), libstdcxxAbi: libstdcxxAbiOf(wheel), needed: Object.fromEntries(Object.entries(wheel.libraries).map(([name, { needed }]) => [name, needed])) };
  const releases = [...kept.map(({ one }) => one), release].sort((one, other) => Number(one.isPreview ?? false) - Number(other.isPreview ?? false) || compareVersions(one.version, other.version));
  const place = new Map(releases.map((one, column) => [one.version, column]));
  const masks = new Map<string, Uint8Array>();
  const rowOf = (name: string): Uint8Array => {
    const row = masks.get(name) ?? new Uint8Array(releases.length);
    masks.set(name, row);
    return row;
  };
  for (const [name, row] of table.masks) {
    for (const { one, column } of kept) {
      if (row[column] !== 0) rowOf(name)[place.get(one.version) ?? 0] = row[column] ?? 0;
    }
  }
  for (const [library, { exports }] of Object.entries(wheel.libraries)) {
    const bit = table.libraries.indexOf(library);
    for (const name of bit < 0 ? [] : exports.filter(isRecordedSymbol)) {
      const row = rowOf(name);
      const column = place.get(version) ?? 0;
      row[column] = (row[column] ?? 0) | (1 << bit);
    }
  }
  return { ...table, releases, masks };
}

async function pageOf(index: string, missing: Map<string, string>, what: string): Promise<IndexPage | undefined> {
  try {
    const page = await readIndex(projectPage(index, "torch"), remote);
    if (versionsOn(page).length === 0) throw new Error("It has no wheel of torch for Linux on x86-64.");
    return page;
  } catch (error) {
    missing.set(what, `The index could not be read: ${reason(error)}`);
    return undefined;
  }
}

const opened = existsSync(tableFile) ? openTable(readFileSync(tableFile)) : undefined;
let table: TableContent = { source: "the dynamic symbol tables of the torch wheels that PyPI serves for Linux x86_64", libraries, releases: [], missing: [], masks: new Map(), ...opened };
// What is recorded may have become less since the table was made.
table = { ...table, masks: new Map([...table.masks].filter(([name]) => isRecordedSymbol(name))) };
const missing = new Map<string, string>();
const index = values.index ?? pipIndex();
const page = await pageOf(index, missing, "newer");
const recorded = (): readonly string[] => table.releases.filter((one) => one.isPreview !== true).map((one) => one.version);
const served = page === undefined ? [] : versionsOn(page);
const releases = served.filter(isRelease);
for (const version of releases.filter((one) => compareVersions(one, oldest) < 0)) missing.set(version, `Its libraries are others: the table begins with torch ${oldest}.`);
const wanted = positionals.length > 0 ? positionals : releases.filter((one) => !recorded().includes(one) && !missing.has(one));
const newest = releases.at(-1) ?? recorded().at(-1) ?? "0";

/** The newest build above the newest release, of the index itself or of that for nightlies. */
async function newestPreview(): Promise<{ readonly page: IndexPage; readonly index: string; readonly version: string } | undefined> {
  const places = [...(page === undefined ? [] : [{ page, index }])];
  const other = values["preview-index"] ?? nightlies;
  const found = await pageOf(other, missing, "nightly");
  if (found !== undefined) places.push({ page: found, index: other });
  const all = places.flatMap((place) => versionsOn(place.page).filter((one) => compareVersions(one, newest) > 0 && !isRelease(one)).map((version) => ({ ...place, version })));
  return all.sort((one, other) => compareVersions(one.version, other.version)).at(-1);
}

const preview = await newestPreview();
say(`recorded: ${recorded().join(" ") || "nothing"}`);
say(`to read: ${[...wanted, ...(preview === undefined ? [] : [preview.version])].join(" ") || "nothing"}`);
if (values.list !== true) {
  for (const version of wanted) {
    try {
      if (page === undefined) throw new Error("The index could not be read.");
      table = withRelease(table, version, await read(page, index, version), false);
    } catch (error) {
      missing.set(version, `Its wheel could not be read: ${reason(error)}`);
    }
  }
  if (preview !== undefined) {
    try {
      table = withRelease(table, preview.version, await read(preview.page, preview.index, preview.version), true);
    } catch (error) {
      missing.set(preview.version, `Its wheel could not be read: ${reason(error)}`);
    }
  }
  table = { ...table, missing: gapsOf(table.missing, missing, recorded()) };
  const packed = packTable(table);
  write(tableFile, packed);
  say(`${recorded().length} releases, ${table.masks.size} symbols, ${packed.length} bytes`);
}
for (const [version, why] of missing) say(`${recorded().includes(version) ? "not read again" : "missing"}: ${version}: ${why}`);
if (page === undefined || wanted.some((one) => missing.has(one))) process.exitCode = 1;
