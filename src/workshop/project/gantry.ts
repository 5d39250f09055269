import { createHash } from "node:crypto";
import { chmod, copyFile, mkdtemp, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import * as path from "node:path";
import { codeOf, makeFolder, sentenceOf, writeWhole } from "../process/index.ts";
import { CannotDo } from "../workshop.ts";

/**
 * What of Gantry comes with Abiding: what its presets build and its smoke tests need. The rest of its tests stays in the
 * repository. The package's allow-list says the same.
 */
const parts = ["CMakeLists.txt", "CMakePresets.json", "README.md", "pyproject.toml", "bench", "cmake", "include", "python", "src", "torch_ext", "tests/CMakeLists.txt", "tests/smoke"];
/** Sources only: an interpreter or a build may have left other files beside them. */
const sourceFile = /\.(?:c|cmake|cpp|cu|cuh|h|in|json|md|py|sh|toml|txt|typed)$/;

/** Where the sources lie, and the folder that copies of them are kept in, one for each version of them. */
export interface GantryPlaces {
  readonly from: string;
  readonly to: string;
}

/**
 * The folder of a copy of Gantry that can be built. Made when it is not there, whole or not at all; a file that was lost or
 * altered is put back, and builds in the folder stay. Another version of the sources has another folder.
 */
export async function gantry({ from, to }: GantryPlaces): Promise<string> {
  const sources = await readSources(from);
  const whole = createHash("sha256");
  for (const [name, { digest }] of sources) whole.update(`${name}\0${digest}\n`);
  const folder = path.join(to, `gantry-${versionOf(sources)}-${whole.digest("hex").slice(0, 12)}`);
  try {
    if (await isFolder(folder)) await restore(folder, sources);
    else await copy(folder, sources);
  } catch (error) {
    throw new CannotDo(sentenceOf(error, `put the sources of Gantry into ${folder}`), { cause: error });
  }
  return folder;
}

interface Source {
  readonly file: string;
  readonly content: Uint8Array;
  readonly digest: string;
}

type Sources = ReadonlyMap<string, Source>;

async function readSources(from: string): Promise<Sources> {
  const sources = new Map<string, Source>();
  const visit = async (name: string): Promise<void> => {
    const file = path.join(from, name);
    const found = await stat(file);
    if (!found.isDirectory()) {
      const content = await readFile(file);
      sources.set(name, { file, content, digest: digestOf(content) });
      return;
    }
    for (const entry of (await readdir(file, { withFileTypes: true })).toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      if (entry.isDirectory() || sourceFile.test(entry.name)) await visit(`${name}/${entry.name}`);
    }
  };
  try {
    for (const part of parts) await visit(part);
  } catch (error) {
    throw new CannotDo(`The sources of Gantry that come with Abiding are not whole. ${sentenceOf(error, `read ${from}`)} Installing Abiding again puts them back.`, { cause: error });
  }
  return sources;
}

function versionOf(sources: Sources): string {
  const text = Buffer.from(sources.get("CMakeLists.txt")?.content ?? []).toString("utf8");
  return /\bproject\s*\(\s*gantry\s+VERSION\s+([\d.]+)/i.exec(text)?.[1] ?? "0";
}

function digestOf(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

async function isFolder(folder: string): Promise<boolean> {
  return stat(folder).then((found) => found.isDirectory(), () => false);
}

/** Beside its place first: whoever comes in between sees nothing of it. */
async function copy(folder: string, sources: Sources): Promise<void> {
  await makeFolder(path.dirname(folder));
  const beside = await mkdtemp(`${folder}.new-`);
  try {
    for (const [name, { file }] of sources) {
      const target = path.join(beside, name);
      await makeFolder(path.dirname(target));
      await copyFile(file, target);
      await makeWritable(target);
    }
    // mkdtemp makes a folder for its owner alone.
    await chmod(beside, 0o755);
    await rename(beside, folder);
  } catch (error) {
    await rm(beside, { recursive: true, force: true });
    // Another window was quicker with the same copy.
    if (["ENOTEMPTY", "EEXIST", "EPERM"].includes(codeOf(error) ?? "") && await isFolder(folder)) return restore(folder, sources);
    throw error;
  }
}

async function restore(folder: string, sources: Sources): Promise<void> {
  for (const [name, { content, digest, file }] of sources) {
    const target = path.join(folder, name);
    const present = await readFile(target).then(digestOf, () => undefined);
    if (present === digest) continue;
    await writeWhole(target, content);
    await chmod(target, (await stat(file)).mode | 0o200);
  }
}

/** A package can be installed for reading only. */
async function makeWritable(file: string): Promise<void> {
  await chmod(file, (await stat(file)).mode | 0o200);
}
