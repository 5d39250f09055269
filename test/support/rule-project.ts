import type { CompileArgument, Condition, DeclaredTarget, Fact, InstalledBody, Language, LinkedLibrary, Location, Observation, Requirement, SourceEvidence, ToolchainBody, Trait, TraitValues, WheelProfile } from "../../src/engine/model/index.ts";
import type { Catalogue } from "../../src/engine/catalogue/index.ts";
import { loadCatalogue } from "../../src/engine/catalogue/index.ts";
import type { Rule, RuleContext } from "../../src/engine/rules/index.ts";
import type { BuiltFile } from "../../src/engine/rules/rule.ts";
import { declaredBody } from "../../src/engine/sources/flags/index.ts";
import { namesOfInterest, scanSource } from "../../src/engine/sources/cpp/index.ts";
import type { Finding } from "../../src/engine/model/index.ts";
import { builtFile } from "./built-file.ts";
import type { BuiltChanges } from "./built-file.ts";
import { MemoryFiles } from "./memory-files.ts";

/** The place of the first occurrence of `text` in a file of the project, or the file's beginning. */
export function placeOf(files: MemoryFiles, path: string, text: string): Location {
  const read = files.readText(path);
  const offset = read.ok ? Math.max(0, read.text.indexOf(text)) : 0;
  const before = read.ok ? read.text.slice(0, offset).split("\n") : [""];
  const start = { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
  return { path, range: { start, end: { line: start.line, character: start.character + text.length } } };
}

/** A hand-made project of one or more targets under /p, for rules that look at sources. */
export class RuleProject {
  readonly files: MemoryFiles;
  readonly catalogue: Catalogue;
  readonly targets: DeclaredTarget[] = [];
  readonly observations: Observation[] = [];
  readonly requirements: Requirement[] = [];
  readonly toolchains: ToolchainBody[] = [];
  readonly built: BuiltFile[] = [];
  readonly wheels: WheelProfile[] = [];
  installed: InstalledBody | undefined;

  constructor(files: Readonly<Record<string, string | Uint8Array>>, changes: Partial<Catalogue> = {}) {
    this.files = new MemoryFiles(files);
    this.catalogue = { ...loadCatalogue(), ...changes };
  }

  evidence(path: string, text: string): SourceEvidence {
    return { kind: "source", location: placeOf(this.files, path, text), text, via: [] };
  }

  argument(path: string, text: string, changes: Partial<CompileArgument> = {}): CompileArgument {
    return { text, known: true, languages: ["CXX"], origin: "option", conditions: [], evidence: this.evidence(path, text), ...changes };
  }

  link(path: string, name: string, changes: Partial<LinkedLibrary> = {}): LinkedLibrary {
    return { name, isProjectTarget: false, conditions: [], evidence: this.evidence(path, name), ...changes };
  }

  condition(text: string, branch = 0): Condition {
    return { text, id: text, branch, location: placeOf(this.files, "/p", text) };
  }

  target(path: string, sources: readonly string[], changes: Partial<DeclaredTarget> = {}): this {
    const language = (source: string): Language => (source.endsWith(".cu") ? "CUDA" : "CXX");
    this.targets.push({
      name: "ops", builder: "cmake", kind: "module", location: placeOf(this.files, path, "ops"), languages: [...new Set(sources.map(language))],
      sources: sources.map((source) => ({ path: source, language: language(source), conditions: [], location: placeOf(this.files, path, source.split("/").at(-1) ?? source) })),
      arguments: [], links: [], includeDirectories: [], usesTorch: true, madeBy: "add_library", conditions: [], ...changes,
    });
    return this;
  }

  require(path: string, text: string, changes: Partial<Requirement> = {}): this {
    this.requirements.push({ name: "torch", extras: [], specifier: text.replace(/^torch/, ""), role: "install", indexUrls: [], nightly: false, known: true, conditions: [], location: placeOf(this.files, path, text), text, ...changes });
    return this;
  }

  torch(version: string, facts: Partial<TraitValues> = {}, changes: Partial<InstalledBody> = {}): this {
    const values: Partial<TraitValues> = { "torch-version": version, ...facts };
    this.installed = { role: "installed", name: ".venv", source: "environment", facts: factsFrom(values), distributions: [], shadowed: [], notKnown: [], ...changes };
    return this;
  }

  toolchain(path: string, facts: Partial<TraitValues>): this {
    this.toolchains.push({ role: "toolchain", name: path, path, facts: factsFrom(facts) });
    return this;
  }

  /** A file that the target last declared, or none, was built into. */
  build(path: string, changes: BuiltChanges = {}, fromTarget = true): this {
    const target = fromTarget ? this.targets.at(-1) : undefined;
    this.built.push(builtFile(path, this.installed, { ...changes, file: { ...(target === undefined ? {} : { target: declaredBody(target) }), ...changes.file } }));
    return this;
  }

  check(rule: Rule): readonly Finding[] {
    const names = namesOfInterest(this.catalogue);
    const bodies = this.targets.map(declaredBody);
    const context: RuleContext = {
      root: "/p", declared: bodies, observations: this.observations, requirements: this.requirements, built: this.built.map((one) => (one.target === undefined ? one : { ...one, target: bodies.find((body) => body.name === one.target?.name) ?? one.target })), wheels: this.wheels, installed: this.installed, toolchains: this.toolchains,
      catalogue: this.catalogue, files: this.files,
      scan: (path) => {
        const read = this.files.readText(path);
        return read.ok ? scanSource(path, read.text, names) : undefined;
      },
    };
    return rule.check(context);
  }
}

function factsFrom(values: Partial<TraitValues>): readonly Fact[] {
  return Object.entries(values).map(([trait, value]): Fact => ({ trait: trait as Trait, value, certainty: "observed", conditions: [], evidence: [{ kind: "file", path: "/venv/torch/version.py", what: trait }] }));
}

/** "path:line rule severity" of each finding, one-based. */
export function lines(findings: readonly Finding[]): readonly string[] {
  return findings.map((one) => `${one.location.path}:${one.location.range.start.line + 1} ${one.severity}`);
}
