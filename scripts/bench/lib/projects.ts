/** CMake projects in a folder, configured by the real cmake with a real torch in scratch copies. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { execa } from "execa";
import { cacheFolder, root } from "../../../test/harness/locations.ts";
import type { EvaluationContext } from "../../../src/engine/model/index.ts";

/** Projects of our own that do what real ones do. */
export const ownProjects = join(root, "scripts", "bench", "fixtures");

/** How a project is configured: `truth.json` in its folder; all members may be left out. */
interface Recipe {
  /** Folder with the top-level CMakeLists.txt. */
  readonly source?: string;
  /** Given to cmake as `-DNAME=VALUE`, and to the static reading as cache variables. */
  readonly variables?: Readonly<Record<string, string>>;
}

export interface Project {
  readonly name: string;
  readonly folder: string;
  readonly recipe: Recipe;
}

export interface Configured {
  readonly source: string;
  readonly build: string;
  readonly variables: ReadonlyMap<string, string>;
  readonly milliseconds: number;
}

export function projectsIn(folder: string, only?: string): readonly Project[] {
  return readdirSync(folder).sort().flatMap((name): Project[] => {
    const path = join(folder, name);
    const file = join(path, "truth.json");
    const recipe = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Recipe) : {};
    return existsSync(join(path, recipe.source ?? ".", "CMakeLists.txt")) && (only === undefined || name.includes(only)) ? [{ name, folder: path, recipe }] : [];
  });
}

/** The torch package of `--torch VENV`, of ABIDING_TEST_TORCH, or of the environment that the tests keep. */
export function torchFolder(given: string | undefined): string {
  const environment = given ?? process.env.ABIDING_TEST_TORCH ?? join(cacheFolder(), "torch-2.13.0");
  const library = join(environment, "lib");
  const python = existsSync(library) ? readdirSync(library).find((name) => /^python3\.\d+$/.test(name)) : undefined;
  const torch = join(library, python ?? "", "site-packages", "torch");
  if (!existsSync(join(torch, "version.py"))) throw new Error(`There is no torch in ${environment}; name a virtual environment that has one with --torch VENV.`);
  return torch;
}

/** The circumstances of a static reading beside that torch. */
export function contextOf(torch: string, variables: ReadonlyMap<string, string>): EvaluationContext {
  const text = readFileSync(join(torch, "version.py"), "utf8");
  const cuda = /^cuda[^=]*= '([^']+)'/m.exec(text)?.[1] ?? null;
  const version = /^__version__ = '([^']+)'/m.exec(text)?.[1];
  const python = /python(3\.\d+)/.exec(torch)?.[1];
  return { platform: "linux", torchCudaVersion: cuda, torchLibstdcxxAbi: 1, cacheVariables: variables, ...(version === undefined ? {} : { torchVersion: version }), ...(python === undefined ? {} : { pythonVersion: python }) };
}

/** A folder that is deleted in the end. */
export function scratchFolder(): { readonly path: string; remove(): void } {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "abiding-cmake-")));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Configures a copy of the project below `scratch`; the text of cmake's error when it fails. */
export async function configure(project: Project, torch: string, scratch: string): Promise<Configured | { readonly failure: string }> {
  const copy = join(scratch, project.name);
  if (!existsSync(copy)) cpSync(project.folder, copy, { recursive: true, filter: (path) => basename(path) !== ".git" });
  const source = join(copy, project.recipe.source ?? ".");
  const build = mkdtempSync(join(scratch, `${project.name}-build-`));
  const query = join(build, ".cmake", "api", "v1", "query");
  mkdirSync(query, { recursive: true });
  for (const kind of ["codemodel-v2", "cache-v2", "cmakeFiles-v1", "toolchains-v1"]) writeFileSync(join(query, kind), "");
  const python = join(torch, "..", "..", "..", "..", "bin", "python");
  const variables = new Map(Object.entries({
    CMAKE_PREFIX_PATH: torch, Python_EXECUTABLE: python, Python3_EXECUTABLE: python, PYTHON_EXECUTABLE: python, ...project.recipe.variables,
  }).map(([name, value]) => [name, value.replaceAll("{source}", source).replaceAll("{torch}", torch)] as const));
  const started = performance.now();
  const { exitCode, stderr } = await execa("cmake", ["-S", source, "-B", build, ...[...variables].map(([name, value]) => `-D${name}=${value}`)], { reject: false, timeout: 300_000 });
  if (exitCode !== 0) return { failure: stderr.slice(-2000) };
  return { source, build, variables, milliseconds: performance.now() - started };
}
