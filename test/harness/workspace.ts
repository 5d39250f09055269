import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./locations.ts";

export type SampleName = "skewed-extension" | "healthy-extension";

export interface ScratchWorkspace {
  /** Absolute path of the folder, or of the `.code-workspace` file. */
  readonly path: string;
  delete(): void;
}

function scratchFolder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), "abiding-workspace-")));
}

/** An empty folder with that name. */
export function scratchWorkspace(name: string): ScratchWorkspace {
  const folder = scratchFolder();
  const path = join(folder, name);
  mkdirSync(path);
  return { path, delete: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }) };
}

/** A copy of a folder of `samples/` that a test may edit. */
export function copySample(name: SampleName): ScratchWorkspace {
  const folder = scratchFolder();
  const path = join(folder, name);
  cpSync(join(root, "samples", name), path, { recursive: true });
  return { path, delete: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Copies of several samples in one multi-root workspace. */
export function multiRoot(...names: SampleName[]): ScratchWorkspace {
  const folder = scratchFolder();
  for (const name of names) cpSync(join(root, "samples", name), join(folder, name), { recursive: true });
  const path = join(folder, "samples.code-workspace");
  writeFileSync(path, JSON.stringify({ folders: names.map((name) => ({ path: name })) }));
  return { path, delete: () => rmSync(folder, { recursive: true, force: true }) };
}
