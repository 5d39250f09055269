/** What rules ask about the C++ sources of a target, and about the torch releases that a project admits. */
import { selectVersions, valueOf } from "../model/index.ts";
import type { DeclaredBody, Location, Requirement } from "../model/index.ts";
import { isDead, reachableSources } from "../sources/cpp/index.ts";
import type { ReachedSource } from "../sources/cpp/index.ts";
import type { SourceScan } from "../sources/cpp/types.ts";
import { onceForSources } from "./once.ts";
import type { RuleContext } from "./rule.ts";

/** The sources of a target and the project headers that they include. */
export const sourcesOf: (context: RuleContext, body: DeclaredBody) => readonly ReachedSource[] = onceForSources((context, body) =>
  reachableSources(body.target, context.root, context.files, (path) => context.scan(path), context.reach));

/** A use of a header or a name that a compiler may see. */
export interface Use {
  readonly what: string;
  readonly location: Location;
  readonly guards: readonly string[];
  readonly reached: ReachedSource;
}

/** Includes of the headers that `wanted` admits (default: all) that are compiled under some condition, those under `#if 0` left out. */
export function includesOf(context: RuleContext, body: DeclaredBody, wanted: (header: string) => boolean = () => true): readonly Use[] {
  return sourcesOf(context, body).flatMap((reached) =>
    reached.scan.includes.filter((one) => wanted(one.header) && !isDead(one.guards)).map((one) => ({ what: one.header, location: one.location, guards: one.guards, reached })),
  );
}

/** Uses of the names and macros that `wanted` admits, those under `#if 0` left out. */
export function namesOf(context: RuleContext, body: DeclaredBody, wanted: (name: string) => boolean): readonly Use[] {
  return sourcesOf(context, body).flatMap((reached) =>
    reached.scan.namesWhere(wanted).filter((one) => !isDead(one.guards)).map((one) => ({ what: one.name, location: one.location, guards: one.guards, reached })),
  );
}

/** Macros that the sources define themselves. */
export const definedIn: (context: RuleContext, body: DeclaredBody) => ReadonlySet<string> = onceForSources((context, body) =>
  new Set(sourcesOf(context, body).flatMap((reached) => reached.scan.defines.map((one) => one.name))));

/** The macros by which a source claims torch's stable ABI, where it defines them. */
export const stableAbiDefines: (context: RuleContext, body: DeclaredBody) => readonly SourceScan["defines"][number][] = onceForSources((context, body) =>
  sourcesOf(context, body).flatMap(({ scan }) => scan.defines.filter((one) => stableAbiMacros.has(one.name) && !isDead(one.guards))));

export const stableAbiMacros: ReadonlySet<string> = new Set(["TORCH_STABLE_ONLY", "TORCH_TARGET_VERSION"]);

/** True for a header of torch whose interface changes between releases: everything in C++ but the stable ABI. */
export function isUnstableTorchHeader(header: string): boolean {
  return /^(?:ATen|c10|caffe2|torch)\//.test(header) && !/^torch\/(?:headeronly|csrc\/stable|csrc\/inductor\/aoti_torch\/(?:c|generated))\//.test(header);
}

/** True for a header that brings in torch's Python binding: libtorch_python and the full Python API. */
export function isTorchPythonHeader(header: string): boolean {
  return /^torch\/(?:extension\.h|python\.h|csrc\/api\/include\/torch\/python\.h|csrc\/(?:autograd\/)?python_\w+\.h|csrc\/Exceptions\.h|csrc\/THP\.h|csrc\/utils\/pybind\.h)$/.test(header);
}

/** Version of the torch to check against. */
export function installedTorch(context: RuleContext): string | undefined {
  return context.installed === undefined ? undefined : valueOf(context.installed.facts, "torch-version");
}

/** Requirements on torch that bind whoever installs or builds the project; examples, docs and images left out. */
export function torchRequirements(context: RuleContext): readonly Requirement[] {
  return context.requirements.filter((one) => one.name === "torch" && one.known && ["build", "install", "setup-requires", "requirements-file", "conda"].includes(one.role));
}

/** Releases of the catalogue that a specifier admits, oldest first. */
export function releasesAdmitted(context: RuleContext, specifier: string): readonly string[] {
  return selectVersions(specifier, context.catalogue.torchReleases.map((one) => one.version));
}
