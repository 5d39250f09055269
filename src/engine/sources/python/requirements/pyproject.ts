import { dirname, resolve } from "node:path";
import { normaliseName, parseVersion } from "../../../model/index.ts";
import type { Observation } from "../../../model/index.ts";
import { isLibrary } from "../libraries.ts";
import { readCibuildwheel } from "./cibuildwheel.ts";
import type { Collector, RequirementSetting, SourceText } from "./collector.ts";
import { readToml, tomlArray, tomlAt, tomlString, tomlTable } from "./tomlText.ts";
import type { TomlNode, TomlTable } from "./tomlText.ts";

/** Reads pyproject.toml and its variants (pyproject_cpu.toml), and uv.toml. */
export function readPyproject(source: SourceText, collector: Collector): void {
  const root = readToml(source, collector);
  if (!root) return;
  const indexUrls = uvIndexUrls(root);
  const add = (node: TomlNode, setting: RequirementSetting) => addNode(source, collector, node, { indexUrls, ...setting });

  const requires = tomlAt(root, "build-system", "requires");
  if (requires) {
    collector.observations.push({ kind: "build-system", backend: tomlString(root, "build-system", "build-backend"), evidence: source.evidence(requires.start, requires.end), conditions: [] });
  }
  for (const node of tomlArray(requires)) add(node, { role: "build" });
  for (const node of tomlArray(root, "project", "dependencies")) add(node, { role: "install" });
  for (const [extra, list] of tomlTable(root, "project", "optional-dependencies")) {
    for (const node of tomlArray(list)) add(node, { role: "optional", group: extra });
  }
  readDependencyGroups(root, add);
  readDynamicFiles(source, root, collector);
  readPoetry(source, root, collector);
  readUv(source, root, collector, add);
  readPythonRange(source, root, collector);
  readCibuildwheel(source, root, collector, add);
  readScikitBuild(source, root, collector);
  for (const list of tomlTable(root, "tool", "setuptools", "package-data").values()) {
    for (const node of tomlArray(list)) {
      if (node.kind === "string" && isLibrary(node.value)) collector.observations.push({ kind: "packaged-file", pattern: node.value, evidence: source.evidence(node.start, node.end), conditions: [] });
    }
  }
  const bdist = tomlAt(root, "tool", "distutils", "bdist_wheel", "py-limited-api") ?? tomlAt(root, "tool", "distutils", "bdist_wheel", "py_limited_api");
  if (bdist) pushWheelTag(source, collector, bdist);
}

function addNode(source: SourceText, collector: Collector, node: TomlNode, setting: RequirementSetting): void {
  if (node.kind !== "string") return;
  const added = collector.add(source, node.content ?? node.start, node.value, setting);
  if (!added && node.value.trim() !== "") collector.gap(source, node.start, node.end, `"${node.value}" in ${source.path} is not a requirement that could be read.`);
}

/** PEP 735: a group may include other groups; their requirements keep their own group's name. */
function readDependencyGroups(root: TomlTable, add: (node: TomlNode, setting: RequirementSetting) => void): void {
  for (const [group, list] of [...tomlTable(root, "dependency-groups"), ...tomlTable(root, "tool", "pdm", "dev-dependencies")]) {
    for (const node of tomlArray(list)) add(node, { role: "development", group });
  }
}

/** setuptools: `dynamic.dependencies = {file = [...]}` names requirements files that are install requirements. */
function readDynamicFiles(source: SourceText, root: TomlTable, collector: Collector): void {
  const named = tomlAt(root, "tool", "setuptools", "dynamic", "dependencies", "file");
  for (const node of named?.kind === "array" ? named.elements : named ? [named] : []) {
    if (node.kind !== "string") continue;
    collector.observations.push({ kind: "requirement-include", path: resolve(dirname(source.path), node.value), constraint: false, evidence: source.evidence(node.start, node.end), conditions: [] });
  }
}

function readPoetry(source: SourceText, root: TomlTable, collector: Collector): void {
  const lists: [ReadonlyMap<string, TomlNode>, RequirementSetting][] = [
    [tomlTable(root, "tool", "poetry", "dependencies"), { role: "install" }],
    [tomlTable(root, "tool", "poetry", "dev-dependencies"), { role: "development", group: "dev" }],
  ];
  for (const [group, table] of tomlTable(root, "tool", "poetry", "group")) {
    lists.push([tomlTable(table, "dependencies"), { role: "development", group }]);
  }
  for (const [table, setting] of lists) {
    for (const [name, node] of table) {
      if (name === "python") continue;
      const alternatives = node.kind === "array" ? node.elements : [node];
      for (const [branch, one] of alternatives.entries()) {
        const version = one.kind === "string" ? one : tomlAt(one, "version");
        if (version?.kind !== "string") continue;
        const specifier = poetrySpecifier(version.value);
        const marker = tomlString(one, "markers");
        collector.push({
          name: normaliseName(name), specifier: specifier ?? version.value, known: specifier !== undefined, marker,
          setting: {
            ...setting,
            ...(tomlAt(one, "optional") === undefined ? {} : { role: "optional", group: setting.group ?? "extras" }),
            // Poetry takes one entry of a list: they are alternatives, told apart by their markers.
            ...(alternatives.length < 2 ? {} : { conditions: [{ text: `one of the entries of ${name}`, id: `${source.path}:${node.start}`, branch, location: source.location(node.start, node.end) }] }),
          },
          location: source.location(one.start, one.end), text: source.text.slice(one.start, one.end),
        });
      }
    }
  }
}

/** Poetry's caret, tilde and bare versions as PEP 440. Source: python-poetry.org, "Dependency specification". Undefined for unions. */
export function poetrySpecifier(text: string): string | undefined {
  if (text.includes("|")) return undefined;
  const clauses: string[] = [];
  for (const part of text.split(",").map((one) => one.trim())) {
    if (part === "*" || part === "") continue;
    const match = /^(\^|~(?!=)|)\s*(\d.*)$/.exec(part);
    const version = match ? parseVersion((match[2] ?? "").replace(/\.\*$/, "")) : undefined;
    if (!match || !version) {
      clauses.push(part.replace(/^=(?!=)/, "=="));
      continue;
    }
    const written = match[2] ?? "";
    if (match[1] === "") {
      clauses.push(`==${written}`);
      continue;
    }
    const significant = match[1] === "^" ? version.release.findIndex((one) => one > 0) : Math.min(1, version.release.length - 1);
    const at = significant < 0 ? version.release.length - 1 : significant;
    const next = version.release.slice(0, at + 1).map((one, index) => (index === at ? one + 1 : one));
    clauses.push(`>=${written}`, `<${next.join(".")}`);
  }
  return clauses.join(",");
}

function uvIndexUrls(root: TomlTable): readonly string[] {
  const urls: string[] = [];
  for (const prefix of [["tool", "uv"], []]) {
    for (const index of tomlArray(root, ...prefix, "index")) {
      // An explicit index serves only packages that `sources` assigns to it.
      const explicit = tomlAt(index, "explicit");
      const url = tomlString(index, "url");
      if (url !== undefined && !(explicit?.kind === "other" && explicit.value === true)) urls.push(url);
    }
    for (const key of ["index-url", "extra-index-url", "find-links"]) {
      const single = tomlString(root, ...prefix, key);
      if (single !== undefined) urls.push(single);
      for (const node of tomlArray(root, ...prefix, key)) if (node.kind === "string") urls.push(node.value);
    }
  }
  return urls;
}

/** Source: docs.astral.sh/uv, settings. */
function readUv(source: SourceText, root: TomlTable, collector: Collector, add: (node: TomlNode, setting: RequirementSetting) => void): void {
  const uv = source.path.endsWith("uv.toml") ? root : tomlAt(root, "tool", "uv");
  for (const node of tomlArray(uv, "dev-dependencies")) add(node, { role: "development", group: "dev" });
  for (const node of tomlArray(uv, "constraint-dependencies")) add(node, { role: "constraint" });
  for (const node of tomlArray(uv, "override-dependencies")) add(node, { role: "constraint", group: "override" });
  for (const node of tomlArray(uv, "build-constraint-dependencies")) add(node, { role: "constraint", group: "build" });
  for (const [name, list] of tomlTable(uv, "extra-build-dependencies")) {
    for (const node of tomlArray(list)) {
      const requirement = node.kind === "string" ? node : tomlAt(node, "requirement");
      if (requirement) add(requirement, { role: "uv-build", group: normaliseName(name) });
    }
  }
  const packages = tomlArray(uv, "no-build-isolation-package");
  const named = packages.flatMap((node) => (node.kind === "string" ? [normaliseName(node.value)] : []));
  const first = packages[0];
  const last = packages.at(-1);
  if (first && last) {
    collector.observations.push({ kind: "build-isolation", isolated: false, packages: named, evidence: source.evidence(first.start, last.end), conditions: [] });
  }
  const all = tomlAt(uv, "no-build-isolation");
  if (all?.kind === "other" && all.value === true) {
    collector.observations.push({ kind: "build-isolation", isolated: false, packages: [], evidence: source.evidence(all.start, all.end), conditions: [] });
  }
}

function readPythonRange(source: SourceText, root: TomlTable, collector: Collector): void {
  const declared = tomlAt(root, "project", "requires-python");
  if (declared?.kind === "string") {
    collector.observations.push({ kind: "python-range", specifier: declared.value, evidence: source.evidence(declared.start, declared.end), conditions: [] });
    return;
  }
  const poetry = tomlAt(root, "tool", "poetry", "dependencies", "python");
  const specifier = poetry?.kind === "string" ? poetrySpecifier(poetry.value) : undefined;
  if (poetry && specifier !== undefined) {
    collector.observations.push({ kind: "python-range", specifier, evidence: source.evidence(poetry.start, poetry.end), conditions: [] });
  }
}

type Definition = (Observation & { kind: "cmake-arguments" })["definitions"][number];

/** Source: scikit-build-core.readthedocs.io, configuration. */
function readScikitBuild(source: SourceText, root: TomlTable, collector: Collector): void {
  const settings = tomlAt(root, "tool", "scikit-build");
  if (!settings) return;
  const sourceDirectory = resolve(dirname(source.path), tomlString(settings, "cmake", "source-dir") ?? ".");
  pushScikit(source, settings, sourceDirectory, undefined, collector);
  tomlArray(settings, "overrides").forEach((override, index) => {
    const condition = tomlAt(override, "if");
    if (condition) pushScikit(source, override, sourceDirectory, { node: condition, index }, collector);
  });
}

function pushScikit(source: SourceText, settings: TomlNode, sourceDirectory: string, override: { readonly node: TomlNode; readonly index: number } | undefined, collector: Collector): void {
  const conditions = override === undefined ? [] : [{
    text: source.text.slice(override.node.start, override.node.end), id: `${source.path}#override${override.index}`, branch: 0, location: source.location(override.node.start, override.node.end),
  }];
  const definitions: Definition[] = [];
  for (const [name, node] of tomlTable(settings, "cmake", "define")) {
    const plain = node.kind === "table" ? tomlAt(node, "default") : node;
    const value = plain?.kind === "string" ? plain.value : plain?.kind === "other" && typeof plain.value === "boolean" ? (plain.value ? "ON" : "OFF") : plain?.kind === "other" ? String(plain.value) : undefined;
    definitions.push({ name, value: node.kind === "table" && tomlAt(node, "env") && value === undefined ? undefined : value, evidence: source.evidence(node.start, node.end) });
  }
  for (const node of tomlArray(settings, "cmake", "args")) {
    const match = node.kind === "string" ? /^-D([^:=]+)(?::[A-Z]+)?=(.*)$/s.exec(node.value) : null;
    if (match) definitions.push({ name: match[1] ?? "", value: match[2], evidence: source.evidence(node.start, node.end) });
  }
  const [first] = definitions;
  if (first) collector.observations.push({ kind: "cmake-arguments", sourceDirectory, definitions, evidence: first.evidence, conditions });
  const tag = tomlAt(settings, "wheel", "py-api");
  if (tag) pushWheelTag(source, collector, tag, conditions);
}

function pushWheelTag(source: SourceText, collector: Collector, node: TomlNode, conditions: Observation["conditions"] = []): void {
  if (node.kind !== "string" || node.value === "") return;
  collector.observations.push({ kind: "wheel-tag", tag: node.value, evidence: source.evidence(node.start, node.end), conditions });
}
