import * as path from "node:path";
import { isInside } from "../../engine/files/index.ts";
import type { Files } from "../../engine/model/index.ts";
import { readTestFiles, readTestSources } from "./ctestFiles.ts";
import type { Place } from "./detectedBuilds.ts";
import { startOf } from "./pythonPackages.ts";
import type { PythonPackage } from "./pythonPackages.ts";
import { readPytestSettings } from "./pytestSettings.ts";
import { compareFolders, isSecondary, shortPath, textOf } from "./survey.ts";
import type { Surroundings, Survey } from "./survey.ts";
import type { BuildPlan, CTestPlan, PytestPlan, SmokePlan } from "./types.ts";

/** The label and the marker by which projects name the tests that say whether a build works at all. */
const smokeName = "smoke";

/** The tests of a project, in the order of its builds: what one builds first is tested first. */
export function detectSmoke(found: Survey, places: readonly Place[], surroundings: Surroundings): readonly SmokePlan[] {
  const { files } = surroundings;
  const usual = places.find(({ builds }) => builds.length > 0)?.builds[0]?.plan;
  let pytest = detectPytest(found, places, surroundings);
  const plans: SmokePlan[] = [];
  for (const place of places) {
    const ctest = detectCTest(place, usual, surroundings);
    const isOwn = (plan: PytestPlan): boolean => plan.folder === place.folder || plan.folder === place.python?.folder;
    // Without a word about pytest, Python files among the tests of a CMake project are run by CTest, with what they need around them.
    if (ctest.length > 0 && place.builds[0]?.plan.kind === "cmake") pytest = pytest.filter((plan) => !isOwn(plan) || readPytestSettings(plan.folder, files) !== undefined);
    const own = pytest.filter(isOwn);
    plans.push(...(place.builds[0]?.plan.kind === "python" ? [...own, ...ctest] : [...ctest, ...own]));
  }
  return [...plans, ...pytest.filter((plan) => !plans.includes(plan))];
}

/** Tests of the folders that are configured, and of the one that is built when nobody says anything else. */
function detectCTest({ cmake, builds }: Place, usual: BuildPlan | undefined, { root, files }: Surroundings): readonly CTestPlan[] {
  if (cmake === undefined) return [];
  const inSources = readTestSources(cmake.reading.files, files);
  const folders = new Set<string>();
  return builds.flatMap(({ plan, tests }): readonly CTestPlan[] => {
    if (plan.kind !== "cmake" || folders.has(plan.folder)) return [];
    folders.add(plan.folder);
    const isConfigured = files.status(path.join(plan.folder, "CMakeCache.txt")) !== undefined;
    const configured = isConfigured ? readTestFiles(plan.folder, files) : undefined;
    const known = configured?.any === true ? configured : inSources;
    if (!known.any || (!isConfigured && plan !== usual)) return [];
    const hasSmoke = known.labels.has(smokeName) || inSources.labels.has(smokeName);
    const name = shortPath(root, plan.folder);
    const configuration = plan.configuration ?? tests[0]?.configuration;
    const preset = tests.find((one) => one.label === smokeName) ?? tests[0];
    return [{
      kind: "ctest", id: `ctest:${name}`, label: hasSmoke ? `CTest, label ${smokeName}, in ${name}` : `CTest in ${name}`, origin: "detected", shownBy: plan.shownBy,
      variables: preset?.variables ?? {}, folder: plan.folder, labels: hasSmoke ? [smokeName] : [], ...(configuration !== undefined && { configuration }),
    }];
  });
}

const testFile = /^(?:test_.*|.*_test)\.py$/;
const testFolder = /^(?:\w+_)?(?:unit)?tests?$/i;
/** Scripts are called test_*.py too. */
const holdsTests = /^[ \t]*(?:async[ \t]+)?def test|^class Test|\bunittest\b/m;

function detectPytest({ layout }: Survey, places: readonly Place[], { root, files, environment }: Surroundings): readonly PytestPlan[] {
  const packages = places.flatMap(({ python }) => python ?? []);
  const owners = [...new Set([root, ...packages.map(({ folder }) => folder)])].toSorted((a, b) => b.length - a.length);
  const byOwner = new Map<string, string[]>();
  for (const file of layout.pythonSources) {
    const isHidden = path.relative(root, file).split(path.sep).some((part) => part.startsWith("."));
    if (isHidden || (!testFile.test(path.basename(file)) && path.basename(file) !== "conftest.py")) continue;
    const owner = owners.find((folder) => file.startsWith(folder + path.sep)) ?? root;
    byOwner.set(owner, [...(byOwner.get(owner) ?? []), file]);
  }
  const folders = owners.filter((folder) => byOwner.has(folder) || readPytestSettings(folder, files) !== undefined).toSorted((a, b) => compareFolders(root, a, b));
  return folders.flatMap((folder) => {
    const all = (byOwner.get(folder) ?? []).filter((file) => testFile.test(path.basename(file)));
    const settings = readPytestSettings(folder, files);
    const hasPaths = (settings?.paths.length ?? 0) > 0;
    const paths = hasPaths ? [] : testPaths(folder, all).filter((one) => all.some((file) => isInside(file, path.join(folder, one)) && holdsTests.test(textOf(files, file))));
    const tests = all.filter((file) => paths.length === 0 || paths.some((one) => isInside(file, path.join(folder, one)))).sort();
    const [first] = tests;
    if (first === undefined || (!hasPaths && !all.some((file) => holdsTests.test(textOf(files, file))))) return [];
    const hasSmoke = settings?.markers.has(smokeName) === true || (byOwner.get(folder) ?? []).some((file) => path.basename(file) === "conftest.py" && declaresMarker(file, files));
    const where = shortPath(root, folder);
    const named = packages.find((one) => one.folder === folder);
    const what = paths.length === 0 ? (where === "" ? "" : ` in ${where}`) : ` of ${paths.map((one) => (where === "" ? one : `${where}/${one}`)).join(", ")}`;
    return [{
      kind: "pytest", id: where === "" ? "pytest" : `pytest:${where}`, label: `pytest${what}${hasSmoke ? `, marker ${smokeName}` : ""}`, origin: "detected",
      shownBy: settings?.location ?? startOf(first), variables: settings?.hasPythonPath === true ? {} : modulePath(named, environment), folder, paths, arguments: [], ...(hasSmoke && { marker: smokeName }),
    }];
  });
}

function declaresMarker(file: string, files: Files): boolean {
  return new RegExp(`addinivalue_line\\(\\s*["']markers["']\\s*,\\s*["']${smokeName}\\b`).test(textOf(files, file));
}

/** The folders that hold the tests, without those inside another of them. When some are called tests, the others are something else. */
function testPaths(folder: string, tests: readonly string[]): readonly string[] {
  const folders = new Set(tests.map((file) => {
    const parts = path.relative(folder, path.dirname(file)).split(path.sep);
    const index = parts.findIndex((part) => testFolder.test(part));
    return (index === -1 ? parts : parts.slice(0, index + 1)).join("/");
  }));
  const named = [...folders].filter((one) => one.split("/").some((part) => testFolder.test(part)));
  const candidates = named.length > 0 ? named : [...folders];
  // Tests of examples are not those of the project, unless there are no others.
  const own = candidates.filter((one) => !isSecondary(one.split("/").filter((part) => !testFolder.test(part))));
  const chosen = own.length > 0 ? own : candidates;
  if (chosen.includes("")) return [];
  return chosen.filter((one) => !chosen.some((other) => other !== one && one.startsWith(`${other}/`))).sort((a, b) => a.split("/").length - b.split("/").length || (a < b ? -1 : 1));
}

/** A package that is built in place lies where its modules do; a `src` folder is on nobody's path. */
function modulePath(found: PythonPackage | undefined, environment: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  if (found?.native !== true || found.modules === undefined) return {};
  const before = environment["PYTHONPATH"];
  const own = path.join(found.folder, found.modules);
  return { PYTHONPATH: before === undefined || before === "" ? own : `${own}${path.delimiter}${before}` };
}

