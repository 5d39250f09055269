import * as path from "node:path";
import { isInside } from "../../engine/files/index.ts";
import type { Finding } from "../../engine/model/index.ts";
import type { PythonPackage } from "./pythonPackages.ts";
import { isSecondary } from "./survey.ts";
import type { Survey } from "./survey.ts";
import type { BuildPlan, Project, ProjectPart } from "./types.ts";

/** What of a project is built by itself: each folder that `cmake` is started in, each Python package. */
export function partsOf(found: Survey, packages: readonly PythonPackage[]): readonly ProjectPart[] {
  return [
    ...found.cmake.map(({ folder, reading }): ProjectPart => ({ builder: "cmake", folder, cmakeFiles: new Set(reading.files) })),
    ...packages.map(({ folder, drivesCMake }): ProjectPart => ({ builder: "python", folder, drivesCMake })),
  ];
}

const cmakeFile = /(?:^|[\\/])(?:CMakeLists\.txt|CMakeCache\.txt|CMake(?:User)?Presets\.json|[^\\/]+\.cmake)$/;
const setupFile = /(?:^|[\\/])setup\.(?:py|cfg)$/;
/** `setup_rocm.py` beside `setup.py`: another build of the same. */
const otherSetupFile = /^setup_[^\\/]*\.py$/;
/** What describes environments and images, which a build does not read. */
const environmentFile = /(?:^|[\\/])(?:(?:[^\\/]*\.)?(?:docker|container)file[^\\/]*|[^\\/]*\.(?:ya?ml|lock)|(?!CMakeLists)[^\\/]*\.txt)$/i;

/** Whose a finding is, seen from one build: its own, that of something else in the same folders, or that of another part of the project. */
export type Belonging = "own" | "beside" | "elsewhere";

/** Tells which findings of a project are about what `plan` builds, in `buildFolder` where it is CMake's. */
export function belongingTo(plan: BuildPlan, { root, parts }: Pick<Project, "root" | "parts">, buildFolder?: string): (finding: Finding) => Belonging {
  if (plan.kind === "command") {
    // What a command builds is not known, but hardly the examples and the tests that are projects of their own.
    const examples = parts.map(({ folder }) => folder).filter((folder) => !isInside(plan.folder, folder) && isSecondary(path.relative(root, folder).split(path.sep)));
    return ({ location }) => (examples.some((one) => isInside(location.path, one)) ? "elsewhere" : "own");
  }
  const { source } = plan;
  const cmake = parts.filter((one) => one.builder === "cmake");
  const viaCMake = plan.kind === "cmake" || parts.some((one) => one.builder === "python" && one.folder === source && one.drivesCMake);
  // A setup.py in `python/` may have CMake build the folder above.
  const own = cmake.find((one) => one.folder === source) ?? cmake.find((one) => plan.kind === "python" && viaCMake && one.folder === path.dirname(source));
  const isRead = (file: string): boolean => own?.cmakeFiles.has(file) === true;
  const isReadElsewhere = (file: string): boolean => cmake.some((one) => one !== own && one.cmakeFiles.has(file));
  const mine = [source, ...(own === undefined ? [] : [own.folder])];
  const others = parts.filter((one) => !mine.includes(one.folder) && !isRead(path.join(one.folder, "CMakeLists.txt")) && !(plan.kind === "python" && buildsTheSame(one, source))).map(({ folder }) => folder);
  const built = plan.kind === "cmake" ? buildFolder ?? plan.folder : undefined;

  function isWithin(file: string): boolean {
    const nearest = (folders: readonly string[]): number => Math.max(-1, ...folders.filter((one) => isInside(file, one)).map((one) => one.length));
    const [near, far] = [nearest(mine), nearest(others)];
    // A file that no part holds speaks for all that lies below it, and one outside of the project for the machine.
    return near >= 0 ? near >= far : far < 0 && (isInside(source, path.dirname(file)) || !isInside(file, root));
  }

  function ofCMake(places: readonly string[], file: string): Belonging {
    const isOthers = (one: string): boolean => isReadElsewhere(one) && !isRead(one);
    if (isOthers(file)) {
      return "elsewhere";
    }
    const read = places.filter(isRead);
    const isForeign = places.some(isOthers);
    // A file that several parts include is of those whose targets the finding names.
    if (read.length > 0 ? read.some((one) => !isReadElsewhere(one)) || !isForeign : !isForeign && isWithin(file)) {
      return viaCMake ? "own" : "beside";
    }
    return "elsewhere";
  }

  return ({ location, related }) => {
    const file = location.path;
    if (built !== undefined && isInside(file, built)) {
      return "own";
    }
    if (cmakeFile.test(file)) {
      return ofCMake([file, ...related.map((one) => one.location.path).filter((one) => cmakeFile.test(one))], file);
    }
    if (!isWithin(file)) {
      return "elsewhere";
    }
    return environmentFile.test(file) || (plan.kind === "cmake" && setupFile.test(file)) || (path.dirname(file) === source && otherSetupFile.test(path.basename(file))) ? "beside" : "own";
  };
}

/** Beside the sources of a Python package often lies a CMakeLists.txt that builds them too. */
function buildsTheSame({ builder, folder }: ProjectPart, source: string): boolean {
  return builder === "cmake" && isInside(folder, source) && !isSecondary(path.relative(source, folder).split(path.sep));
}

