import { readdirSync, statSync } from "node:fs";
import * as path from "node:path";
import { Workspace } from "../../../engine/diagnosis/index.ts";
import type { Surroundings } from "../../../engine/installed/index.ts";
import { inSlices, stateFolder } from "../../process/index.ts";

export interface FoundFiles {
  readonly files: readonly string[];
  /** What was left out, in sentences. */
  readonly said: readonly string[];
}

interface Dated {
  readonly file: string;
  readonly modified: number;
}

const ownBuilds = new Set(["build-folder", "beside-package", "editable-install"]);

/**
 * What is built of a project: its libraries that concern torch, as `check` finds them, or its wheels where those are newer.
 * Of several builds of one library, and of several wheels of one name, the newest: the others are history.
 */
export async function builtFiles(where: Surroundings, signal: AbortSignal): Promise<FoundFiles> {
  // What is built is wanted, and no rule.
  const workspace = new Workspace(where.root, where.files, { catalogue: where.catalogue, environment: where.environment, only: [], ...(where.interpreter === undefined ? {} : { interpreter: where.interpreter }) });
  const { built } = await inSlices(workspace.diagnoseInSteps(), signal);
  const all = built.filter((one) => ownBuilds.has(one.origin)).map((one): Dated => ({ file: one.body.path, modified: one.modified }));
  const libraries = newest(all, libraryKey);
  const wheels = newest(await wheelsOf(where.root), (file) => path.basename(file).replace(/^([^-]+)-[^-]+-(.*)$/, "$1-$2"));
  const isByWheel = wheels.length > 0 && latest(wheels) > latest(libraries);
  const chosen = isByWheel ? wheels : libraries;
  const older = all.length - libraries.length;
  const relative = (one: Dated): string => path.relative(where.root, one.file);
  return {
    files: chosen.map((one) => one.file),
    said: [
      ...(isByWheel && libraries.length > 0 ? [`${wheels.map(relative).join(", ")} ${wheels.length === 1 ? "is" : "are"} newer than the libraries in the project, which were left out.`] : []),
      ...(!isByWheel && wheels.length > 0 ? [`The libraries in the project are newer than ${wheels.map(relative).join(", ")}, which ${wheels.length === 1 ? "was" : "were"} left out.`] : []),
      ...(!isByWheel && older > 0 ? [`${older} older ${older === 1 ? "build of a library was" : "builds of libraries were"} left out.`] : []),
    ],
  };
}

/** Folders that builds make, whose names say nothing of what is in them. */
const buildMade = /^(?:build|out|bin|lib|_skbuild|Release|Debug|RelWithDebInfo|MinSizeRel|(?:cmake-)?build[-_.].*|lib\..*|bdist\..*)$/;

/** What two builds of one library have in common: its name, and its package where it lies in one. */
function libraryKey(file: string): string {
  const folder = path.basename(path.dirname(file));
  return buildMade.test(folder) ? path.basename(file) : path.join(folder, path.basename(file));
}

function latest(files: readonly Dated[]): number {
  return Math.max(0, ...files.map((one) => one.modified));
}

function newest(files: readonly Dated[], keyOf: (file: string) => string): readonly Dated[] {
  const found = new Map<string, Dated>();
  for (const one of files) {
    const other = found.get(keyOf(one.file));
    if (other === undefined || other.modified < one.modified) found.set(keyOf(one.file), one);
  }
  return [...found.values()];
}

/** Where builds leave wheels: PEP 517 front ends, cibuildwheel, and `abiding build --wheel`. */
async function wheelsOf(root: string): Promise<readonly Dated[]> {
  const own = path.join(await stateFolder(root), "wheels");
  return [path.join(root, "dist"), path.join(root, "wheelhouse"), own].flatMap((folder) => {
    try {
      return readdirSync(folder).filter((name) => name.endsWith(".whl") && !/^torch-\d/.test(name)).map((name) => path.join(folder, name)).map((file): Dated => ({ file, modified: statSync(file).mtimeMs }));
    } catch {
      return [];
    }
  });
}
