import * as fs from "node:fs";
import * as path from "node:path";
import table from "../../../data/libtorch-build-options.json" with { type: "json" };
import { isInside } from "../../engine/files/index.ts";
import type { Workshop } from "../workshop.ts";
import { CannotDo } from "../workshop.ts";
import { isOn } from "./carry.ts";
import { thisPlatform } from "./platform.ts";
import type { BuildLibtorchRequest } from "./types.ts";

/** Throws CannotDo unless the folders of a build lie apart and the source is one. */
export function requireFolders(request: BuildLibtorchRequest): void {
  const { source, buildFolder, prefix } = request;
  if (!fs.existsSync(path.join(source, "CMakeLists.txt"))) {
    throw new CannotDo(`${source} is no source of PyTorch: it has no CMakeLists.txt.`);
  }
  for (const [what, folder] of [["build folder", buildFolder], ["prefix", prefix]] as const) {
    if (isReallyInside(folder, source)) {
      throw new CannotDo(`The ${what} ${folder} lies inside the source ${source}. Nothing is written there; name a folder outside of it.`);
    }
    if (isReallyInside(source, folder)) {
      throw new CannotDo(`The source ${source} lies inside the ${what} ${folder}; name another ${what}.`);
    }
  }
  if (isReallyInside(buildFolder, prefix) || isReallyInside(prefix, buildFolder)) {
    throw new CannotDo(`The build folder ${buildFolder} and the prefix ${prefix} lie in each other; name two folders apart.`);
  }
  const strange = fs.existsSync(buildFolder) ? (fs.statSync(buildFolder).isDirectory() ? fs.readdirSync(buildFolder).filter((name) => !name.startsWith(".abiding")) : ["."]) : [];
  if (strange.length > 0 && !strange.includes("CMakeCache.txt") && !strange.includes("CMakeFiles")) {
    throw new CannotDo(`${buildFolder} is not empty and no build folder of CMake; name another one.`);
  }
}

function isReallyInside(folder: string, parent: string): boolean {
  return isInside(real(folder), real(parent));
}

/** Links resolved as far as the path exists. */
function real(folder: string): string {
  try {
    return fs.realpathSync(folder);
  } catch {
    const parent = path.dirname(folder);
    return parent === folder ? folder : path.join(real(parent), path.basename(folder));
  }
}

/** Throws CannotDo when submodules are not checked out that the build needs with these options. */
export function requireSubmodules(source: string, definitions: ReadonlyMap<string, string>): void {
  const file = path.join(source, ".gitmodules");
  const text = fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "";
  const paths = [...text.matchAll(/^\s*path\s*=\s*(.+?)\s*$/gm)].map((match) => match[1] ?? "");
  const missing = paths.filter((one) => isNeeded(one, definitions) && isEmpty(path.join(source, one)));
  if (missing.length > 0) {
    const shown = missing.length > 8 ? `${missing.slice(0, 8).join(", ")} and ${missing.length - 8} more` : missing.join(", ");
    const [one, are] = missing.length === 1 ? ["A submodule", "is"] : [`${missing.length} submodules`, "are"];
    const run = `git -C ${source} submodule update --init --recursive -- ${missing.length > 8 ? "" : missing.join(" ")}`.trimEnd();
    throw new CannotDo(`${one} of ${source} ${are} not checked out: ${shown}. ${dispensable(missing)}Run: ${run}`);
  }
}

/** Which of them a build without something does not need; whoever builds for the CPU alone may not want to fetch them. */
function dispensable(missing: readonly string[]): string {
  const names = new Set(missing.flatMap((one) => rowOf(one)?.switches.at(-1) ?? []));
  return [...names].map((name) => `Not needed with -D${name}=OFF: ${missing.filter((one) => rowOf(one)?.switches.at(-1) === name).join(", ")}. `).join("");
}

interface SubmoduleRow {
  readonly path: string;
  readonly switches: readonly string[];
  readonly onByDefault?: string;
  readonly system?: string;
}

const submodules: readonly SubmoduleRow[] = table.submodules;

function rowOf(submodule: string): SubmoduleRow | undefined {
  return submodules.find((one) => one.path === submodule);
}

/** Whether a build for a platform needs a submodule with these options. */
export function isNeeded(submodule: string, definitions: ReadonlyMap<string, string>, platform: string = thisPlatform()): boolean {
  if (!submodule.startsWith("third_party/")) {
    // Those of android/ are for builds of that alone.
    return false;
  }
  const row = rowOf(submodule);
  if (row === undefined) {
    return true;
  }
  const { switches, onByDefault, system } = row;
  const isOfSystem = system !== undefined && isOn(definitions, system, isOn(definitions, "USE_SYSTEM_LIBS", false));
  return !isOfSystem && switches.every((name) => isOn(definitions, name, onByDefault !== undefined && new RegExp(onByDefault).test(platform)));
}

function isEmpty(folder: string): boolean {
  return !fs.existsSync(folder) || fs.readdirSync(folder).filter((name) => name !== ".git").length === 0;
}

export interface CheckoutState {
  readonly commit?: string;
  /** Lines of `git status --porcelain`. */
  readonly changes?: readonly string[];
}

/** The commit of a source and what is changed in it; nothing for one that is no checkout, or without git. */
export async function checkoutState(source: string, workshop: Workshop): Promise<CheckoutState> {
  // Reading the state must not refresh the index of somebody else's checkout.
  const environment = { ...workshop.environment, GIT_OPTIONAL_LOCKS: "0" };
  const git = async (...args: readonly string[]): Promise<string | undefined> => {
    const result = await workshop.run({ file: "git", arguments: ["-C", source, ...args], folder: source, environment }, { signal: workshop.activity.signal, timeLimit: 120_000, keep: 4 * 1024 * 1024 });
    return result.ending.kind === "exited" && result.ending.code === 0 ? result.stdout.text : undefined;
  };
  const top = (await git("rev-parse", "--show-toplevel"))?.trim();
  if (top === undefined || real(top) !== real(source)) {
    return {};
  }
  const commit = (await git("rev-parse", "HEAD"))?.trim();
  const changes = await git("status", "--porcelain", "--untracked-files=normal");
  return { ...(commit === undefined || commit === "" ? {} : { commit }), ...(changes === undefined ? {} : { changes: changes.split("\n").filter((line) => line !== "") }) };
}
