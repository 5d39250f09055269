import * as path from "node:path";
import { LineIndex, observationsOf } from "../../engine/model/index.ts";
import type { Files, Location, Reading } from "../../engine/model/index.ts";
import { readPythonBuild } from "../../engine/sources/python/index.ts";
import { readRequirements } from "../../engine/sources/python/requirements/index.ts";
import { textOf } from "./survey.ts";
import type { Survey } from "./survey.ts";
import type { PythonBackend } from "./types.ts";

/** A folder that pip could install from. */
export interface PythonPackage {
  readonly folder: string;
  readonly backend: PythonBackend;
  /** There is something to compile. */
  readonly native: boolean;
  /** It calls CMake: the CMake files of its folder are its own. */
  readonly drivesCMake: boolean;
  /** What is compiled, for people: "2 extensions". */
  readonly compiles: string;
  readonly location: Location;
  /** Where its modules lie, when not in its folder itself: `src`. */
  readonly modules: string | undefined;
}

/** Backends that compile, and what they are called by. Sources: the documentation of each. */
const backends: readonly { readonly pattern: RegExp; readonly backend: PythonBackend; readonly drivesCMake: boolean; readonly compiles: string }[] = [
  { pattern: /^scikit_build_core\b/, backend: "scikit-build-core", drivesCMake: true, compiles: "CMake by scikit-build-core" },
  { pattern: /^py_build_cmake\b/, backend: "other", drivesCMake: true, compiles: "CMake by py-build-cmake" },
  { pattern: /^mesonpy\b/, backend: "meson-python", drivesCMake: false, compiles: "Meson" },
  { pattern: /^maturin\b/, backend: "other", drivesCMake: false, compiles: "Rust by maturin" },
];

/** The distributions in `build-system.requires` that a backend of the project's own works with. */
const helpers: Readonly<Record<string, string>> = { "scikit-build-core": "scikit_build_core", "py-build-cmake": "py_build_cmake", "meson-python": "mesonpy", maturin: "maturin", setuptools: "setuptools" };

/** Reads the Python packages of a project. */
export function readPythonPackages({ layout }: Survey, files: Files): readonly PythonPackage[] {
  const folders = new Set([...layout.pythonBuilds, ...layout.requirements].filter((file) => /^(?:setup\.py|pyproject\.toml)$/.test(path.basename(file))).map((file) => path.dirname(file)));
  return [...folders].flatMap((folder) => readPackage(folder, files) ?? []);
}

function readPackage(folder: string, files: Files): PythonPackage | undefined {
  const setupFile = path.join(folder, "setup.py");
  const projectFile = path.join(folder, "pyproject.toml");
  const setup = textOf(files, setupFile);
  const project = textOf(files, projectFile);
  const system = project === "" ? undefined : buildSystemOf(projectFile, files);
  const named = backends.find(({ pattern }) => system?.backend !== undefined && pattern.test(system.backend));
  const modules = /(?:package_dir\s*=\s*\{\s*["']{2}\s*:|find_packages\(\s*(?:where\s*=)?|["']{2}\s*=|where\s*=\s*\[?)\s*["'](src|python|lib)["']/.exec(setup === "" ? project : `${setup}\n${project}`)?.[1];
  const shared = { folder, modules };
  if (named !== undefined) {
    const { backend, drivesCMake, compiles } = named;
    return { ...shared, backend, drivesCMake, compiles, native: true, location: system?.location ?? startOf(projectFile) };
  }
  // Without a [build-system] table installers take setuptools (PEP 517); another backend has nothing to compile that is known here.
  if (system?.backend !== undefined && !system.backend.startsWith("setuptools")) {
    return { ...shared, backend: "other", drivesCMake: false, compiles: "", native: false, location: system.location };
  }
  if (setup !== "" && /\bsetup\s*\(/.test(setup)) {
    const found = extensionsOf(setupFile, setup, files);
    return { ...shared, backend: "setuptools", ...found, location: callOf(setupFile, setup) };
  }
  if (project === "" || (system === undefined && !/^\[project\]/m.test(project))) return undefined;
  const table = /^\[\[tool\.setuptools\.ext-modules\]\]|^ext-modules\s*=/m.exec(project);
  return {
    ...shared, backend: "setuptools", drivesCMake: false, native: table !== null, compiles: table === null ? "" : "extensions",
    location: table === null ? (system?.location ?? startOf(projectFile)) : new LineIndex(project).locate(projectFile, table.index, table[0].length),
  };
}

/** The backend of a pyproject.toml; a project's own backend counts as the one that it is made of. */
function buildSystemOf(file: string, files: Files): { readonly backend: string | undefined; readonly location: Location } | undefined {
  const reading = readRequirements(file, files);
  const system = observationsOf(reading.observations, "build-system")[0];
  if (system === undefined) return undefined;
  const known = backends.some(({ pattern }) => pattern.test(system.backend ?? "")) || system.backend?.startsWith("setuptools") === true;
  const helper = known ? undefined : reading.requirements.find((one) => one.role === "build" && helpers[one.name] !== undefined);
  return { backend: helper === undefined ? system.backend : helpers[helper.name], location: system.evidence.location };
}

interface Extensions {
  readonly native: boolean;
  readonly drivesCMake: boolean;
  readonly compiles: string;
}

function extensionsOf(file: string, text: string, files: Files): Extensions {
  if (!/Extension|ext_modules|cmake|skbuild|cffi_modules|rust_extensions|build_ext/i.test(text)) return { native: false, drivesCMake: false, compiles: "" };
  const reading: Reading = readPythonBuild(file, files, { platform: undefined });
  const extensions = new Set(reading.targets.filter((target) => target.builder === "setuptools").map((target) => target.name));
  const drivesCMake = /\bCMakeExtension\b|["'](?:[\w/.-]*\/)?cmake3?["']|["']cmake |\bcmake_args\b|\bfrom skbuild\b|\bimport skbuild\b/.test(text)
    || observationsOf(reading.observations, "cmake-arguments").length > 0;
  const keyword = /\b(?:ext_modules|cffi_modules|rust_extensions)\s*["']?\s*[=:\]]|["']build_ext["']\s*:/.test(text);
  const native = extensions.size > 0 || drivesCMake || keyword;
  // A name that is computed is not known here, nor how many there are of it.
  const names = [...extensions].filter((name) => !/[{$]/.test(name));
  const named = names.length === extensions.size && names.length > 0 ? (names.length === 1 ? `the extension ${names.join("")}` : `${names.length} extensions`) : "extensions";
  const compiles = drivesCMake ? "CMake by setup.py" : named;
  return { native, drivesCMake, compiles: native ? compiles : "" };
}

/** The last call of setup() in the text: those before it stand in branches. */
function callOf(file: string, text: string): Location {
  const [start, end] = [...text.matchAll(/^[ \t]*(?:setuptools\.|skbuild\.)?(setup)[ \t]*\(/dgm)].at(-1)?.indices?.[1] ?? [0, 0];
  return new LineIndex(text).locate(file, start, end - start);
}

export function startOf(file: string): Location {
  return { path: file, range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } } };
}
