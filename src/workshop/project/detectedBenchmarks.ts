import * as path from "node:path";
import type { DeclaredTarget, Files } from "../../engine/model/index.ts";
import { LineIndex } from "../../engine/model/index.ts";
import { readRequirements } from "../../engine/sources/python/requirements/index.ts";
import type { Place } from "./detectedBuilds.ts";
import { programOf } from "./programs.ts";
import { compareFolders, shortPath, textOf } from "./survey.ts";
import type { Surroundings, Survey } from "./survey.ts";
import type { BenchmarkFormat, BenchmarkPlan, CMakeBuild } from "./types.ts";

/** What a program of each kind links and includes. Sources: the user guides of Google Benchmark and of nvbench. */
const kinds: readonly { readonly format: BenchmarkFormat; readonly title: string; readonly links: RegExp; readonly includes: RegExp }[] = [
  { format: "google-benchmark", title: "Google Benchmark", links: /^(?:benchmark::)?benchmark(?:_main)?$/, includes: /^[ \t]*#[ \t]*include[ \t]*[<"]benchmark\/benchmark\.h[>"]/m },
  { format: "nvbench", title: "nvbench", links: /^nvbench::(?:main|nvbench)$|^nvbench$/, includes: /^[ \t]*#[ \t]*include[ \t]*[<"]nvbench\/nvbench\.cuh[>"]/m },
];

export function detectBenchmarks(found: Survey, places: readonly Place[], surroundings: Surroundings): readonly BenchmarkPlan[] {
  const usual = places.find(({ builds }) => builds.length > 0);
  // Programs of what nobody builds here are not there to be measured.
  const built = places.filter((place) => place === usual || place.builds.some(({ plan }) => plan.kind === "cmake" && surroundings.files.status(path.join(plan.folder, "CMakeCache.txt")) !== undefined));
  return [...built.flatMap((place) => cmakeBenchmarks(place, surroundings)), ...pytestBenchmarks(found, surroundings)];
}

function cmakeBenchmarks({ cmake, builds }: Place, { root, files }: Surroundings): readonly BenchmarkPlan[] {
  const build = builds.find(({ plan }) => plan.kind === "cmake")?.plan as CMakeBuild | undefined;
  if (cmake === undefined || build === undefined) return [];
  const seen = new Set<string>();
  return cmake.reading.targets.flatMap((target): readonly BenchmarkPlan[] => {
    const kind = target.kind === "executable" && !seen.has(target.name) ? kinds.find((one) => isMadeWith(target, one, files)) : undefined;
    if (kind === undefined || /[${]/.test(target.name)) return [];
    seen.add(target.name);
    const program = programOf(target, cmake, build, files);
    return [{
      kind: "benchmark", id: `${kind.format}:${target.name}`, label: `${kind.title} program ${target.name} of ${shortPath(root, build.folder)}`, origin: "detected", shownBy: target.location, variables: {},
      format: kind.format, folder: build.folder, command: [program], printsJson: false,
    }];
  });
}

function isMadeWith(target: DeclaredTarget, kind: (typeof kinds)[number], files: Files): boolean {
  return target.links.some(({ name }) => kind.links.test(name)) || target.sources.some((source) => path.isAbsolute(source.path) && kind.includes.test(textOf(files, source.path)));
}

const usesFixture = /^[ \t]*(?:async )?def test\w*\([^)]*\bbenchmark\b/m;

function pytestBenchmarks({ layout }: Survey, { root, files, interpreter, platform }: Surroundings): readonly BenchmarkPlan[] {
  const asksFor = layout.requirements.some((file) => textOf(files, file).includes("pytest-benchmark") && readRequirements(file, files).requirements.some(({ name }) => name === "pytest-benchmark"))
    || layout.pythonBuilds.some((file) => textOf(files, file).includes("pytest-benchmark"));
  if (!asksFor) return [];
  const using = layout.pythonSources.filter((file) => /test|bench/i.test(path.basename(file)) && usesFixture.test(textOf(files, file)));
  const folders = [...new Set(using.map((file) => path.dirname(file)))].toSorted((a, b) => a.length - b.length || compareFolders(root, a, b));
  const outermost = folders.filter((folder, index) => !folders.slice(0, index).some((other) => folder.startsWith(other + path.sep)));
  return outermost.map((folder) => {
    const inside = using.filter((file) => path.dirname(file) === folder || file.startsWith(folder + path.sep)).sort();
    const [first = folder] = inside;
    const text = textOf(files, first);
    const call = usesFixture.exec(text);
    const paths = folder === root ? inside.map((file) => shortPath(root, file)) : [shortPath(root, folder)];
    return {
      kind: "benchmark", id: `pytest-benchmark:${shortPath(root, folder)}`, label: `pytest-benchmark of ${paths.join(", ")}`, origin: "detected", variables: {},
      shownBy: new LineIndex(text).locate(first, call?.index ?? 0, call?.[0].length ?? 0), format: "pytest-benchmark", folder: root, printsJson: false,
      command: [pythonOf(interpreter, platform), "-m", "pytest", ...paths],
    };
  });
}

/** What the Python of an environment is called there. */
export function pythonOf(interpreter: string | undefined, platform: NodeJS.Platform): string {
  return interpreter ?? (platform === "win32" ? "python" : "python3");
}
