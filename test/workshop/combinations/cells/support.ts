/** What the tests of cells share: a project that builds against the tiny torches of a local index, in a git repository, with nothing that needs another network. */
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { writeCellFile } from "../../../../src/workshop/combinations/index.ts";
import type { CellFile } from "../../../../src/workshop/combinations/index.ts";
import { cellOf } from "../../../../src/workshop/combinations/cells/identity.ts";
import type { CellTask, CellWanted } from "../../../../src/workshop/combinations/types.ts";
import type { Variables } from "../../../../src/workshop/process/types.ts";
import { NightlyIndex } from "../../../support/nightlyIndex.ts";
import type { NightlyIndexOptions } from "../../../support/nightlyIndex.ts";
import { writeNightlyProject } from "../../../support/nightlyTorch.ts";

/** Of the Python that the tests' environments are made with: "3.11". */
export const python = execFileSync("python3", ["-c", "import sys; print('%d.%d' % sys.version_info[:2])"], { encoding: "utf8" }).trim();

export const index = (options: NightlyIndexOptions = {}): Promise<NightlyIndex> => NightlyIndex.start({ days: 4, variants: ["cpu"], pythons: [`cp${python.replace(".", "")}`], ...options });

/** pip, also where uv is on PATH, asks nobody but the test's index, and keeps what it fetches in the test's folder. */
export function onlyIndex(served: NightlyIndex, folder: string): Variables {
  return { ...withoutUv(folder), PIP_CONFIG_FILE: os.devNull, PIP_INDEX_URL: served.nightly(), PIP_FIND_LINKS: "", PIP_CACHE_DIR: path.join(folder, "pip-cache"), PIP_RETRIES: "0", XDG_CACHE_HOME: path.join(folder, "cache") };
}

/** The folder of uv may be that of much else: links stand for the rest. */
function withoutUv(folder: string): Variables {
  const folders = (process.env["PATH"] ?? "").split(path.delimiter);
  if (!folders.some((one) => fs.existsSync(path.join(one, "uv")))) return {};
  return { PATH: folders.map((one, at) => {
    if (!fs.existsSync(path.join(one, "uv"))) return one;
    const links = path.join(folder, `path-${at}`);
    if (!fs.existsSync(links)) {
      fs.mkdirSync(links);
      for (const name of fs.readdirSync(one).filter((found) => found !== "uv")) fs.symlinkSync(path.join(one, name), path.join(links, name));
    }
    return links;
  }).join(path.delimiter) };
}

/** Builds the extension as setuptools would; environments of newer Pythons have none, and nothing but torch is to be had here. */
const buildScript = `import os, subprocess, sysconfig, torch
folder = os.path.dirname(torch.__file__)
target = "nightly_ops/_C" + sysconfig.get_config_var("EXT_SUFFIX")
compiler = os.environ.get("CXX", "g++")
subprocess.run([compiler, "-std=c++17", "-shared", "-fPIC", "-I" + sysconfig.get_paths()["include"], "-I" + folder + "/include", "csrc/ops.cpp", "-o", target, "-L" + folder + "/lib", "-l:libc10.so", "-l:libtorch_cpu.so"], check=True)
`;

/** A project with an extension, and a smoke test that needs no pytest. */
export function project(folder: string, indexUrl: string, combinations: object = {}): string {
  writeNightlyProject(folder, ["removed"]);
  for (const one of ["tests", "setup.py", "pyproject.toml"]) fs.rmSync(path.join(folder, one), { recursive: true });
  fs.writeFileSync(path.join(folder, "build_ext.py"), buildScript);
  fs.writeFileSync(path.join(folder, "abiding.json"), JSON.stringify({
    build: { name: "ext", command: ["python", "build_ext.py"] },
    smoke: { name: "ops", command: ["python", "-c", "import nightly_ops; assert nightly_ops.materialize() == 1"] },
    combinations: { indexes: indexUrl, ...combinations },
  }, undefined, 2));
  fs.writeFileSync(path.join(folder, ".gitignore"), "ignored.txt\n");
  git(folder, "init", "--quiet", "--initial-branch=main");
  git(folder, "add", ".");
  git(folder, "commit", "--quiet", "--message=first");
  return folder;
}

export function git(folder: string, ...words: readonly string[]): string {
  return execFileSync("git", ["-C", folder, "-c", "user.name=test", "-c", "user.email=test@example.invalid", ...words], { encoding: "utf8" }).trim();
}

/** The folder of a cell, as a run prepares it. */
export async function cellFolder(folder: string, root: string, wanted: Partial<CellWanted>, changes: Partial<CellFile> = {}): Promise<CellTask> {
  const cell = cellOf({ torch: "2.16.0.dev20261001+cpu", packages: {}, python, ...wanted });
  await writeCellFile(folder, { schema: 1, cell, root, source: root, run: "2026-11-30T10-00-00Z", steps: ["build", "load", "smoke", "benchmark"], install: [], indexes: [], repetitions: 3, keep: "never", space: 1e6, ...changes });
  return { cell, folder };
}

/** All files below a folder, with their contents: to see that nobody changed them. */
export function contents(folder: string): Readonly<Record<string, string>> {
  const files = fs.readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  return Object.fromEntries(files.map((one) => path.join(one.parentPath, one.name)).filter((one) => !/\/\.git\/|\/\.abiding\//.test(one)).toSorted().map((one) => [path.relative(folder, one), fs.readFileSync(one, "latin1")]));
}
