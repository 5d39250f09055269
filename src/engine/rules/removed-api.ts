import { compareVersions, valueOf } from "../model/index.ts";
import type { DeclaredBody, Finding, Fix, TextEdit } from "../model/index.ts";
import type { RemovedApi } from "../catalogue/index.ts";
import { hasHeaders, torchHeader } from "../installed/index.ts";
import { dispatchOnTensorType, isDispatchMacro, isVersionGuarded } from "../sources/cpp/index.ts";
import type { Rule, RuleContext } from "./rule.ts";
import { definedIn, includesOf, installedTorch, namesOf, releasesAdmitted, torchRequirements } from "./sources.ts";
import type { Use } from "./sources.ts";
import { finding, groupBy, locationKey, torchName } from "./support.ts";

/** A header or name that the torch to check against no longer has, and nothing around it keeps releases apart. */
export const removedApi: Rule = {
  name: "removed-api",
  severity: "error",
  summary: "A source includes or names something that the installed torch no longer has.",
  check(context) {
    const removed = new Map(context.catalogue.removedApis.map((api) => [api.what, api]));
    const folders = context.catalogue.removedApis.filter((api) => api.what.endsWith("/"));
    const uses = new Map<string, { readonly api: RemovedApi; readonly use: Use; readonly body: DeclaredBody }>();
    for (const body of context.declared) {
      if (body.target.usesTorch === false) continue;
      const own = definedIn(context, body);
      for (const use of [...includesOf(context, body), ...namesOf(context, body, (name) => removed.has(name))]) {
        const listed = removed.get(use.what) ?? folders.find((api) => use.what.startsWith(api.what));
        const api = listed === undefined ? absentHeader(context, body, use) : stillThere(context, body, listed, use) ? undefined : listed;
        if (api === undefined || isOwn(own, api) || isKeptApart(api, use) || !matters(context, api)) continue;
        // A header that several targets include is one place.
        uses.set(locationKey(use.location), { api, use, body });
      }
    }
    const groups = groupBy(uses.values(), ({ api, use }) => `${api.what} ${use.location.path}`);
    return [...groups.values()].flatMap((group): Finding[] => {
      const [first, ...others] = group;
      if (first === undefined) return [];
      const { api, use, body } = first;
      return [finding(this, {
        message: message(context, api, use),
        severity: installedTorch(context) === undefined ? "warning" : "error",
        location: use.location,
        target: body.name,
        related: others.slice(0, 20).map((one) => ({ message: `${api.what} is used here too.`, location: one.use.location })),
        against: [{ kind: "catalogue", table: "removed APIs", row: api.what, source: api.source }],
        fixes: [fixFor(context, api, group.map((one) => one.use))],
        tag: "deprecated",
      })];
    });
  },
};

/** The project defines the name, or dispatch macros of its own under torch's names. */
function isOwn(own: ReadonlySet<string>, api: RemovedApi): boolean {
  return own.has(api.what) || (api.what === dispatchOnTensorType && [...own].some(isDispatchMacro));
}

/** A header that the installed torch does not have, though its version alone would not tell. */
function absentHeader(context: RuleContext, body: DeclaredBody, use: Use): RemovedApi | undefined {
  const { installed, files } = context;
  const version = installedTorch(context);
  if (installed === undefined || version === undefined || body.target.usesTorch !== true || use.guards.some((guard) => !/CUDA|GPU/i.test(guard))) return undefined;
  if (!/^(?:ATen|c10|THC?|caffe2|torch\/csrc)\/[\w/.]+\.(?:h|cuh|hpp)$/.test(use.what) || isOfDevice(context, use.what)) return undefined;
  if (!hasHeaders(installed, files) || torchHeader(installed, use.what, files) !== undefined) return undefined;
  if (body.target.includeDirectories.some((folder) => /[$<{]/.test(folder)) || isInProject(context, body, use)) return undefined;
  return { kind: "header", what: use.what, removedIn: version, source: `${installed.torchRoot ?? installed.name} has no such header` };
}

/** Headers of a device are only in builds for it (THC of today holds CUDA headers); some are made in the build of ROCm. */
function isOfDevice(context: RuleContext, header: string): boolean {
  const device = /(?:^|\/)(?:THC|cuda|cudnn|hip|miopen|xpu|mps|mtia|metal|vulkan|mkldnn|nccl)(?:\/|$)|\.cuh$/.exec(header)?.[0];
  const cuda = context.installed === undefined ? undefined : valueOf(context.installed.facts, "cuda-version");
  return device !== undefined && !(/THC|cud|cuh/.test(device) && typeof cuda === "string");
}

/**
 * A listed header that the compiler finds all the same: torch or the project has it. Libraries that torch's wheels
 * carry along (pybind11, fmt, cpuinfo) come from anywhere.
 */
function stillThere(context: RuleContext, body: DeclaredBody, api: RemovedApi, use: Use): boolean {
  if (api.kind !== "header") return false;
  const { installed, files } = context;
  if (!/^(?:ATen|c10|caffe2|THC?|torch)\//.test(use.what)) return true;
  if (installed !== undefined && torchHeader(installed, use.what, files) !== undefined) return true;
  return isInProject(context, body, use);
}

/** The project holds a header of that name: in an include directory, beside a folder of the includer, or as its copy of c10 or ATen. */
function isInProject(context: RuleContext, body: DeclaredBody, use: Use): boolean {
  const folders = [...body.target.includeDirectories, context.root];
  const inside = use.location.path.slice(context.root.length);
  for (let end = inside.lastIndexOf("/"); end > 0; end = inside.lastIndexOf("/", end - 1)) folders.push(context.root + inside.slice(0, end));
  return /\/(?:c10|ATen|caffe2)\//.test(inside) || folders.some((folder) => context.files.status(`${folder}/${use.what}`) !== undefined);
}

/** The author asks for the version, for the thing itself, or for its successor (`#ifndef TORCH_CHECK`) before using it. */
function isKeptApart(api: RemovedApi, use: Use): boolean {
  return isVersionGuarded(use.guards) || use.guards.some((guard) => guard.includes(use.what) || (api.replacement !== undefined && guard.includes(api.replacement)));
}

/** With a torch to check against, its version decides; without one, whether the project admits a release that lacks it. */
function matters(context: RuleContext, api: RemovedApi): boolean {
  const version = installedTorch(context);
  if (version !== undefined) return compareVersions(version, api.removedIn) >= 0;
  return torchRequirements(context).every((one) => {
    const admitted = releasesAdmitted(context, one.specifier);
    return admitted.length === 0 || admitted.some((release) => compareVersions(release, api.removedIn) >= 0);
  });
}

function message(context: RuleContext, api: RemovedApi, use: Use): string {
  const kind = api.kind === "header" ? "The header" : api.kind === "macro" ? "The macro" : "The name";
  if (context.installed !== undefined && !context.catalogue.removedApis.includes(api)) {
    return `The header ${use.what} is not among the headers of ${torchName(context.installed)} nor in the target's include directories: the compiler stops with "${use.what}: No such file or directory".`;
  }
  const lacks = api.kind === "argument" ? `${api.what} is refused since torch ${api.removedIn}` : `${kind} ${use.what} is gone since torch ${api.removedIn}`;
  const against = context.installed === undefined ? "; the project's requirements admit such releases, and no torch was found to check against." : `, and ${torchName(context.installed)} is checked against.`;
  const instead = api.replacement === undefined ? "" : ` Use ${api.replacement}${api.replacementSince === undefined ? "" : `, which works since torch ${api.replacementSince}`}.`;
  return lacks + against + instead;
}

function fixFor(context: RuleContext, api: RemovedApi, uses: readonly Use[]): Fix | undefined {
  const { replacement } = api;
  const version = installedTorch(context);
  // Prose is no edit, and a folder has no single successor.
  if (replacement === undefined || api.what.endsWith("/") || !/^[\w:./]+$/.test(replacement)) return undefined;
  if (version !== undefined && api.replacementSince !== undefined && compareVersions(version, api.replacementSince) < 0) return undefined;
  const edits = uses.map((use): TextEdit => ({ location: use.location, newText: replacement }));
  const places = uses.length > 1 ? ` (${uses.length} places)` : "";
  return { title: `${api.kind === "argument" ? `Call ${replacement} instead` : `Replace ${api.what} by ${replacement}`}${places}`, edits, preferred: true };
}
