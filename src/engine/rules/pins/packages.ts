/** The packages of a project with the requirements that belong to each, as the rules on pins see them. */
import { basename, dirname, join, relative, sep } from "node:path";
import type { TorchRelease } from "../../catalogue/index.ts";
import { canHoldTogether, exactVersion, isPrerelease, markersExclude, observationsOf, parseVersion, selectVersions } from "../../model/index.ts";
import type { DeclaredBody, Fix, Observation, ObservationOf, Requirement } from "../../model/index.ts";
import type { RuleContext } from "../rule.ts";
import { isComputedName, place, targetsPhrase } from "../support.ts";
import { exchangesObjects } from "../torch.ts";

/** A folder that is built and installed as one distribution. */
export interface Package {
  readonly directory: string;
  readonly build: readonly Requirement[];
  /** `setup_requires`, which setuptools adds to what the build requires. */
  readonly setup: readonly Requirement[];
  /** What installers of the built package are told to install with it. */
  readonly install: readonly Requirement[];
  /** The extras: each is installed together with what the package requires. */
  readonly extras: readonly Requirement[];
  /** What cibuildwheel installs beside it, by the list that names it. */
  readonly wheelBuilds: readonly Requirement[];
  /** Requirements files at hand that stand for the package itself, not for a variant, its tests or its documentation. */
  readonly files: readonly Requirement[];
  /** Compiled targets that exchange C++ objects with torch, so that they fit one torch only. */
  readonly natives: readonly DeclaredBody[];
  readonly imports: readonly ObservationOf<"torch-import">[];
  readonly buildSystem: ObservationOf<"build-system"> | undefined;
  /** Where the package says that it is built without isolation. */
  readonly isolationOff: Observation | undefined;
}

const built = new WeakMap<RuleContext, readonly Package[]>();

/** The packages of a project. Folders of other people's code and of examples are packages of their own. */
export function packagesOf(context: RuleContext): readonly Package[] {
  const known = built.get(context);
  if (known) return known;
  const result = findPackages(context);
  built.set(context, result);
  return result;
}

const metadataFile = /^(pyproject\.toml|setup\.(py|cfg))$/;

function findPackages(context: RuleContext): readonly Package[] {
  const directories = new Set<string>();
  const consider = (path: string) => {
    if (metadataFile.test(basename(path))) directories.add(dirname(path));
  };
  for (const one of context.requirements) consider(one.location.path);
  for (const one of context.observations) consider(one.evidence.location.path);
  for (const one of context.declared) if (one.target.builder === "setuptools") consider(one.target.location.path);
  const ordered = [...directories].sort((a, b) => b.length - a.length);
  const ownerOf = (path: string) => ordered.find((directory) => isInside(path, directory));
  const isolation = observationsOf(context.observations, "build-isolation");
  return ordered.map((directory) => {
    const own = (path: string) => dirname(path) === directory && metadataFile.test(basename(path));
    const metadata = (role: Requirement["role"]) => context.requirements.filter((one) => one.role === role && ownerOf(one.location.path) === directory && !isVariantPyproject(one.location.path));
    return {
      directory,
      build: context.requirements.filter((one) => one.role === "build" && own(one.location.path)),
      setup: metadata("setup-requires"),
      install: metadata("install"),
      extras: metadata("optional"),
      wheelBuilds: metadata("development").filter((one) => one.group?.startsWith("cibuildwheel ")),
      files: context.requirements.filter((one) => one.role === "requirements-file" && isMainFile(one.location.path, directory)),
      natives: context.declared.filter((one) => isNative(context, one) && ownerOf(one.target.location.path) === directory),
      imports: observationsOf(context.observations, "torch-import").filter((one) => ownerOf(one.evidence.location.path) === directory),
      buildSystem: observationsOf(context.observations, "build-system").find((one) => own(one.evidence.location.path)),
      isolationOff: isolation.find((one) => !one.isolated && own(one.evidence.location.path)),
    };
  });
}

function isVariantPyproject(path: string): boolean {
  return path.endsWith(".toml") && basename(path) !== "pyproject.toml";
}

/** requirements.txt beside the metadata, or in a folder `requirements`. */
function isMainFile(path: string, directory: string): boolean {
  const inside = relative(directory, path).split(sep).join("/");
  return /^(requirements\/)?(requirements|base|common|core|install)\.(txt|in)$/.test(inside) && (inside.startsWith("requirements") || inside.includes("/"));
}

function isNative(context: RuleContext, body: DeclaredBody): boolean {
  const { target } = body;
  // A function that makes extensions for whoever calls it, with names of their own: most often builds at run time.
  if (isComputedName(target.name)) return false;
  const isProduct = target.kind === "module" || target.kind === "shared" || target.kind === "extension";
  return isProduct && target.usesTorch === true && target.builder !== "torch-jit" && !isAside(target.location.path, context.root) && exchangesObjects(context, body);
}

/** Whether a path lies in a folder. */
export function isInside(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}

const asideFolders = /(^|\/)(docs?|examples?|tutorials?|samples?|demos?|benchmarks?|tests?|testing|third[-_]?party|3rd[-_]?party|external|extern|submodules|vendor|legacy|projects|applications)(\/|$)/i;

/** Folders that serve something else than the package itself. */
export function isAside(path: string, root: string): boolean {
  return asideFolders.test(relative(root, dirname(path)).split(sep).join("/"));
}

/** The package whose folder is nearest above a file. */
export function packageOf(context: RuleContext, path: string): Package | undefined {
  return packagesOf(context).find((one) => isInside(path, one.directory));
}

/** The torch requirements of the built package: its metadata, and the requirements files that setup.py turns into metadata. */
export function torchOf(context: RuleContext, one: Package): readonly Requirement[] {
  return [...one.install, ...one.files.filter((requirement) => becomesMetadata(context, one, requirement))].filter((requirement) => requirement.name === "torch");
}

/** The torch that users of the package install: what its metadata names, else its requirements file. */
export function wantedTorch(context: RuleContext, one: Package): readonly Requirement[] {
  const declared = torchOf(context, one);
  return declared.length > 0 ? declared : one.files.filter((requirement) => requirement.name === "torch");
}

function becomesMetadata(context: RuleContext, one: Package, requirement: Requirement): boolean {
  const { path } = requirement.location;
  const included = observationsOf(context.observations, "requirement-include").some((include) => include.path === path && dirname(include.evidence.location.path) === one.directory && include.evidence.location.path.endsWith(".toml"));
  if (included) return true;
  const script = context.files.readText(join(one.directory, "setup.py"));
  return script.ok && script.text.includes(basename(path));
}

/** "target ops", "targets a, b and 2 more". */
export function nativesPhrase(one: Package): string {
  return targetsPhrase(one.natives.map((body) => body.name));
}

/** Whether two requirements can be in force in one environment, as far as can be told. */
export function actTogether(a: Requirement, b: Requirement): boolean {
  return canHoldTogether(a.conditions, b.conditions) && !markersExclude(a.marker, b.marker);
}

/** Releases that the requirements allow together, oldest first; undefined when a part of them is not known or names a pre-release. */
export function releasesAllowed(context: RuleContext, requirements: readonly Requirement[]): readonly TorchRelease[] | undefined {
  if (requirements.some((one) => !one.known || one.nightly)) return undefined;
  const pin = requirements.map((one) => exactVersion(one.specifier)).find((one) => one !== undefined);
  const parsed = pin === undefined ? undefined : parseVersion(pin);
  if (parsed && isPrerelease(parsed)) return undefined;
  // A local label asks for one of the builds of a release, and the catalogue lists releases.
  const specifier = requirements.map((one) => one.specifier.replace(/\+[A-Za-z0-9._-]+/g, "")).join(",");
  const allowed = new Set(selectVersions(specifier, context.catalogue.torchReleases.map((release) => release.version)));
  return context.catalogue.torchReleases.filter((release) => allowed.has(release.version));
}

/** "2.8" for "2.8.0": what a C++ extension of torch is bound to. */
export function minorOf(version: string): string {
  return version.split(".").slice(0, 2).join(".");
}

/** "`torch>=1.10` (pyproject.toml:7)". */
export function requirementWords(context: RuleContext, one: Requirement): string {
  return `\`${one.name}${one.specifier.replace(/\s+/g, "")}\` (${place(one.location, context.root)})`;
}

/** Writes another version part; undefined where the requirement has no place for one. */
export function pinFix(one: Requirement, specifier: string, title: string, preferred: boolean): Fix | undefined {
  if (one.specifierLocation) return { title, preferred, edits: [{ location: one.specifierLocation, newText: specifier }] };
  if (one.specifier !== "" || !/^[A-Za-z0-9._-]+$/.test(one.text)) return undefined;
  const at = one.location.range.end;
  return { title, preferred, edits: [{ location: { path: one.location.path, range: { start: at, end: at } }, newText: specifier }] };
}
