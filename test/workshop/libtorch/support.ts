import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { after } from "node:test";
import { runProcess } from "../../../src/workshop/process/index.ts";
import type { Command, Variables } from "../../../src/workshop/process/types.ts";
import type { Workshop } from "../../../src/workshop/workshop.ts";

/** A folder that goes away after the tests of a file. */
export function scratchFolder(name: string): string {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), `abiding-libtorch-${name}-`)));
  after(() => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface Told {
  readonly notes: string[];
  readonly steps: string[];
  readonly started: Command[];
  readonly stop: AbortController;
  onProgress: (fraction: number) => void;
}

/** A workshop with the real runner, that remembers what it was told. The environment holds nothing that names a torch. */
export function workshopOf(home: string, variables: Variables = {}): { readonly workshop: Workshop; readonly told: Told } {
  const told: Told = { notes: [], steps: [], started: [], stop: new AbortController(), onProgress: () => undefined };
  const workshop: Workshop = {
    run: async (command, options) => {
      told.started.push(command);
      return runProcess(command, options);
    },
    diagnostician: { check: async () => Promise.reject(new Error("not asked")), examine: async () => Promise.reject(new Error("not asked")), explain: async () => Promise.reject(new Error("not asked")) },
    activity: {
      signal: told.stop.signal,
      step: (title) => { told.steps.push(title); },
      progress: (fraction) => { told.onProgress(fraction); },
      output: () => undefined,
      note: (sentence) => { told.notes.push(sentence); },
    },
    environment: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: home, ...variables },
    version: "1.2.3",
    now: () => new Date("2026-11-30T12:00:00Z"),
  };
  return { workshop, told };
}

/** Names, modes and contents of all files of a folder: what must not change. */
export function treeOf(folder: string): Readonly<Record<string, string>> {
  const files = fs.readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => !one.isDirectory()).map((one): readonly [string, string] => {
    const file = path.join(one.parentPath, one.name);
    return [path.relative(folder, file), `${fs.lstatSync(file).mode} ${one.isSymbolicLink() ? fs.readlinkSync(file) : fs.readFileSync(file, "latin1")}`];
  });
  return Object.fromEntries(files.sort(([a], [b]) => (a < b ? -1 : 1)));
}
