import type { Observation, Requirement } from "../../model/index.ts";
import { parseRequirementText } from "../../model/index.ts";
import type { ExternalCall } from "./evaluation/call-types.ts";
import type { Conditions, Value } from "./evaluation/values.ts";
import { followed } from "./evaluation/values.ts";
import { isLibrary } from "./libraries.ts";
import type { Leaf } from "./leaves.ts";
import { evidenceOf, leavesOf } from "./leaves.ts";
import type { Place } from "./source-file.ts";
import { locationOf } from "./source-file.ts";

/** Whether a call is `setup(...)` of setuptools or of a library that wraps it. */
export function isSetupCall(name: string): boolean {
  return /^(?:setuptools|distutils\.core|skbuild|scikit_build|numpy\.distutils\.core)\.setup$/.test(name);
}

/** What the keywords of `setup` ask to be installed. */
export function setupRequirements(call: ExternalCall): Requirement[] {
  const requirements: Requirement[] = [];
  const read = (name: string): Value | undefined => call.arguments.keywords.get(name)?.value;
  for (const leaf of leavesOf(read("install_requires"), call.conditions)) add(leaf, "install", undefined, call.place, requirements);
  for (const leaf of leavesOf(read("setup_requires"), call.conditions)) add(leaf, "setup-requires", undefined, call.place, requirements);
  const extras = read("extras_require");
  if (extras?.kind === "dict") {
    for (const entry of extras.entries) {
      const group = entry.key.kind === "text" ? entry.key.value : undefined;
      for (const leaf of leavesOf(entry.value, entry.conditions)) add(leaf, "optional", group, call.place, requirements);
    }
  }
  return requirements;
}

/** A string is taken line by line, as setuptools does. */
function add(leaf: Leaf, role: Requirement["role"], group: string | undefined, fallback: Place, into: Requirement[]): void {
  if (leaf.value.kind !== "text") return;
  const { value, place, known } = leaf.value;
  const follows = followed(leaf.value);
  for (const line of value.split("\n")) {
    const parsed = parseRequirementText(known ? line : line.replace(/\{[^{}]*\}(?:\.\*)?/g, "0"));
    if (parsed === undefined) continue;
    const specifierStart = place.file.text.slice(place.start, place.end).indexOf(parsed.specifier);
    const specifier = known ? parsed.specifier : /[=!<>~].*$/.exec(line.split(";")[0] ?? "")?.[0].trim() ?? "";
    const where = place.file.text.length === 0 ? fallback : place;
    into.push({
      name: parsed.name,
      extras: parsed.extras,
      specifier,
      ...(parsed.marker === undefined ? {} : { marker: parsed.marker }),
      ...(parsed.url === undefined ? {} : { url: parsed.url }),
      role,
      ...(group === undefined ? {} : { group }),
      ...(follows === "torch" || follows === "environment" ? { follows } : {}),
      indexUrls: [],
      nightly: /\bdev\d{8}\b/.test(specifier),
      known: known && follows === undefined,
      conditions: leaf.conditions,
      location: locationOf(where),
      text: line.trim(),
      ...(known && parsed.specifier !== "" && specifierStart >= 0 ? { specifierLocation: locationOf({ file: place.file, start: place.start + specifierStart, end: place.start + specifierStart + parsed.specifier.length }) } : {}),
    });
  }
}

/** Libraries among the files that go into the wheel; nobody asks for others. */
function collectFiles(value: Value | undefined, conditions: Conditions, into: Observation[]): void {
  for (const leaf of leavesOf(value, conditions)) {
    if (leaf.value.kind === "dict") {
      for (const entry of leaf.value.entries) collectFiles(entry.value, [...leaf.conditions, ...entry.conditions], into);
    } else if (leaf.value.kind === "text" && leaf.value.known && isLibrary(leaf.value.value)) {
      into.push({ kind: "packaged-file", pattern: leaf.value.value, conditions: leaf.conditions, evidence: evidenceOf(leaf.value.place, leaf.steps) });
    }
  }
}

/** The wheel tag in `options={"bdist_wheel": {"py_limited_api": "cp39"}}`, and keywords that setup does not read. */
export function setupObservations(call: ExternalCall): Observation[] {
  const observations: Observation[] = [];
  collectTags(call.arguments.keywords.get("options")?.value, call.conditions, observations);
  collectFiles(call.arguments.keywords.get("package_data")?.value, call.conditions, observations);
  collectFiles(call.arguments.keywords.get("data_files")?.value, call.conditions, observations);
  for (const [name, { place }] of call.arguments.keywords) {
    const meant = misspelt[name];
    if (meant === undefined) continue;
    observations.push({
      kind: "ineffective-setting", reason: "misspelt", related: [], conditions: call.conditions, evidence: evidenceOf(place, []),
      message: `setup() reads no keyword ${name}, so what is given there has no effect; ${meant}.`,
    });
  }
  return observations;
}

/** Keywords that belong to extensions and JIT builds, or that are nearly right. */
const misspelt: Readonly<Record<string, string | undefined>> = {
  extra_compile_args: "compile arguments belong to each extension",
  extra_cflags: "it belongs to torch.utils.cpp_extension.load",
  extra_cuda_cflags: "it belongs to torch.utils.cpp_extension.load",
  extra_link_args: "link arguments belong to each extension",
  define_macros: "macros belong to each extension",
  install_require: "install_requires is meant",
  installs_requires: "install_requires is meant",
  install_requirements: "install_requires is meant",
  extra_requires: "extras_require is meant",
  extra_require: "extras_require is meant",
  extras_requires: "extras_require is meant",
  ext_module: "ext_modules is meant",
  python_require: "python_requires is meant",
};

function collectTags(value: Value | undefined, conditions: Conditions, into: Observation[]): void {
  if (value === undefined) return;
  if (value.kind === "choice") {
    for (const one of value.alternatives) collectTags(one.value, [...conditions, ...one.conditions], into);
    return;
  }
  if (value.kind !== "dict") return;
  for (const entry of value.entries) {
    if (entry.key.kind !== "text" || entry.key.value !== "bdist_wheel") continue;
    collectLimitedApi(entry.value, [...conditions, ...entry.conditions], into);
  }
}

function collectLimitedApi(value: Value, conditions: Conditions, into: Observation[]): void {
  if (value.kind === "choice") {
    for (const one of value.alternatives) collectLimitedApi(one.value, [...conditions, ...one.conditions], into);
  } else if (value.kind === "dict") {
    for (const inner of value.entries) {
      if (inner.key.kind !== "text" || inner.key.value !== "py_limited_api") continue;
      for (const leaf of leavesOf(inner.value, [...conditions, ...inner.conditions])) {
        const place = leaf.value.kind === "text" ? leaf.value.place : inner.keyPlace;
        const steps = leaf.value.kind === "text" ? leaf.value.steps : [];
        into.push({ kind: "wheel-tag", tag: leaf.value.kind === "text" && leaf.value.known ? leaf.value.value : undefined, conditions: leaf.conditions, evidence: evidenceOf(place, steps) });
      }
    }
  }
}

/** The classes that `cmdclass` names for building extensions. */
export function buildClasses(call: ExternalCall): readonly Value[] {
  const classes = call.arguments.keywords.get("cmdclass")?.value;
  const dicts = classes?.kind === "choice" ? classes.alternatives.map((one) => one.value) : classes === undefined ? [] : [classes];
  return dicts.flatMap((dict) => dict.kind !== "dict" ? [] : dict.entries.flatMap((entry) => {
    if (entry.key.kind !== "text" || entry.key.value !== "build_ext") return [];
    return entry.value.kind === "choice" ? entry.value.alternatives.map((one) => one.value) : [entry.value];
  }));
}
