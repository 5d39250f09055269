import { canHoldTogether, compareVersions, factsOf, observationsOf, valueOf } from "../model/index.ts";
import type { DeclaredBody, DeclaredTarget, Finding, WheelTag } from "../model/index.ts";
import { parseFlags } from "../sources/flags/index.ts";
import { otherPython } from "./binaries/python-abi.ts";
import { withBuilt } from "./binaries/report.ts";
import { once, onceForSources } from "./once.ts";
import type { Rule, RuleContext } from "./rule.ts";
import { includesOf, installedTorch, isTorchPythonHeader, isUnstableTorchHeader, namesOf } from "./sources.ts";
import type { Use } from "./sources.ts";
import { capital, finding, locationKey, place, shortPath, targetsPhrase } from "./support.ts";

/** What a wheel's tag or a file's suffix promises about CPython, against what the sources and flags do. */
export const pythonAbi: Rule = {
  name: "python-abi",
  severity: "error",
  summary: "The limited-API promise of an extension or a wheel is not what its sources and flags do, or a built file is for another Python or machine.",
  check(context) {
    const tags = observationsOf(context.observations, "wheel-tag");
    const found = context.declared.flatMap((body) => [
      ...fullApiUnderLimited(context, body),
      ...undefinedAgain(context, body),
      ...appendedLevel(context, body, tags),
      ...levelAbovePython(context, body),
      ...onlyPythonIsStable(context, body, tags),
    ]);
    const distinct = new Map<string, Finding>();
    for (const one of [...found, ...tags.flatMap((tag) => tagLies(context, tag))]) {
      const key = `${locationKey(one.location)} ${one.severity}`;
      if (!distinct.has(key)) distinct.set(key, one);
    }
    return withBuilt(pythonAbi, context, [...distinct.values()], otherPython);
  },
};

/** pybind11 and torch's Python binding reach into CPython structures that the limited API hides. */
function fullApiUnderLimited(context: RuleContext, body: DeclaredBody): Finding[] {
  const { pyLimitedApi } = body.target;
  if (pyLimitedApi?.value !== true || undefinesLimitedApi(body.target) !== undefined) return [];
  const use = fullApiUses(context, body)[0];
  if (use === undefined) return [];
  return [finding(pythonAbi, {
    message: `${capital(targetsPhrase([body.name]))} asks for the limited API (${pyLimitedApi.evidence.text}), and ${use.what} at ${place(use.location, context.root)} needs the full one: pybind11 and torch's Python binding use CPython structures that the limited API hides. Drop the limited API, or register with TORCH_LIBRARY (without torch/extension.h) and a hand-written PyInit function.`,
    location: pyLimitedApi.evidence.location,
    target: body.name,
    related: [{ message: `${use.what} needs the full Python API.`, location: use.location }],
  })];
}

const fullApiUses = onceForSources((context, body): readonly Use[] => {
  const uses = [...includesOf(context, body, (header) => isTorchPythonHeader(header) || header.startsWith("pybind11/")), ...namesOf(context, body, (name) => name === "PYBIND11_MODULE")];
  return uses.filter((use) => !use.guards.some((guard) => /LIMITED_API|USE_PYTHON|PYBIND/.test(guard)));
});

/** The flags that define or undefine the limited API. */
const limitedApiFlags = once((target: DeclaredTarget) => parseFlags(target.arguments).filter((flag) => (flag.kind === "define" || flag.kind === "undefine") && flag.name === "Py_LIMITED_API"));

function undefinesLimitedApi(target: DeclaredTarget) {
  return limitedApiFlags(target).find((flag) => flag.kind === "undefine");
}

/** `USE_SABI` names the file .abi3.so; `-UPy_LIMITED_API` compiles it against the full API. */
function undefinedAgain(context: RuleContext, body: DeclaredBody): Finding[] {
  const { pyLimitedApi } = body.target;
  const undefine = undefinesLimitedApi(body.target);
  if (undefine === undefined || pyLimitedApi === undefined || pyLimitedApi.value === false) return [];
  const { location } = undefine.argument.evidence;
  return [finding(pythonAbi, {
    message: `${capital(targetsPhrase([body.name]))} is declared for the limited API at ${place(pyLimitedApi.evidence.location, context.root)}, which names its file .abi3.so, and -UPy_LIMITED_API compiles it against the full API: the file loads only on the CPython minor version that it was built for, and its name says otherwise. Drop one of the two.`,
    location,
    target: body.name,
    related: [{ message: "The limited API is asked for here.", location: pyLimitedApi.evidence.location }],
  })];
}

/** A wheel tagged abi3 whose extension is built for one CPython minor version. */
function tagLies(context: RuleContext, tag: WheelTag): Finding[] {
  const level = /^cp3\d*$/.test(tag.tag ?? "") || tag.tag?.includes("abi3") === true;
  if (!level) return [];
  for (const body of context.declared) {
    const { target } = body;
    if (target.builder !== "setuptools" || target.location.path !== tag.evidence.location.path || !canHoldTogether(target.conditions, tag.conditions)) continue;
    const given = target.pyLimitedApi;
    const says = given?.value === false ? given.evidence : undefined;
    if (says === undefined && (given !== undefined || fullApiUses(context, body).length === 0)) continue;
    if (says !== undefined && declaredConditionally(tag)) continue;
    const built = says === undefined ? "is built without py_limited_api and uses pybind11 or torch's Python binding" : `is built with ${says.text} at ${place(says.location, context.root)}`;
    return [finding(pythonAbi, {
      message: `The wheel is tagged ${tag.tag ?? ""}-abi3, which promises every later CPython, and extension ${target.name} ${built}: it is importable only on the CPython minor version that it was built for. Drop the tag, or build the extension with py_limited_api=True.`,
      location: says?.location ?? tag.evidence.location,
      target: target.name,
      related: [{ message: `The wheel's tag is set to ${tag.tag ?? ""} here.`, location: tag.evidence.location }, { message: `${target.name} is made here.`, location: target.location }],
    })];
  }
  return [];
}

/** The tag hangs on the same choice as the extension's py_limited_api. */
function declaredConditionally(tag: WheelTag): boolean {
  return tag.conditions.some((condition) => /limited_api/i.test(condition.text));
}

/** BuildExtension defines Py_LIMITED_API itself, for the oldest Python of its torch, after the flags of the extension. */
function appendedLevel(context: RuleContext, body: DeclaredBody, tags: readonly WheelTag[]): Finding[] {
  const { target } = body;
  const levels = limitedApiFlags(target).filter((flag) => flag.kind === "define");
  const own = levels.find((flag) => flag.argument.origin !== "builder-default");
  const builders = levels.find((flag) => flag.argument.origin === "builder-default");
  const torch = installedTorch(context);
  const declared = own && limitedApiLevel(own.value);
  const appended = builders && limitedApiLevel(builders.value);
  if (own === undefined || torch === undefined || declared === undefined || appended === undefined || compareVersions(declared, appended) >= 0) return [];
  // A tag that promises no more than what comes out leaves nobody misled.
  if (tags.some((one) => one.evidence.location.path === target.location.path && one.tag === `cp${appended.replace(".", "")}`)) return [];
  const tag = tags.find((one) => one.tag === `cp${declared.replace(".", "")}`);
  const promised = tag === undefined ? "" : ` and the wheel's tag ${tag.tag ?? ""} at ${place(tag.evidence.location, context.root)} promises Python ${declared}`;
  return [finding(pythonAbi, {
    message: `${own.argument.evidence.text} asks for the limited API of Python ${declared}${promised}, but BuildExtension of torch ${torch} appends its own -DPy_LIMITED_API for Python ${appended}: the extension is compiled for ${appended} and may not load below. Delete the define and tag the wheel cp${appended.replace(".", "")}.`,
    severity: "warning",
    location: own.argument.evidence.location,
    target: target.name,
    related: tag === undefined ? [] : [{ message: "The wheel's tag promises an older Python.", location: tag.evidence.location }],
  })];
}

/** "3.9" of 0x03090000. */
function limitedApiLevel(value: string | undefined): string | undefined {
  const minor = /^0x03([0-9a-f]{2})0000$/i.exec(value ?? "")?.[1];
  return minor === undefined ? undefined : `3.${Number.parseInt(minor, 16)}`;
}

/** A level above the oldest Python that the package may be installed for. */
function levelAbovePython(context: RuleContext, body: DeclaredBody): Finding[] {
  const fact = factsOf(body.facts, "python-limited-api").find((one) => one.value !== undefined && one.value !== "none");
  const sabi = /(?:^|\b(?:USE_SABI|Py_LIMITED_API|py_limited_api)\b)\W*(3\.\d+|cp3\d+)\b/.exec(body.target.pyLimitedApi?.evidence.text ?? "")?.[1];
  const level = sabi?.replace(/^cp3/, "3.") ?? fact?.value;
  const evidence = sabi === undefined ? fact?.evidence[0] : body.target.pyLimitedApi?.evidence;
  if (level === undefined || evidence?.kind !== "source") return [];
  return observationsOf(context.observations, "python-range").flatMap((range) => {
    if (!isBeside(range.evidence.location.path, evidence.location.path)) return [];
    const floor = /(?:>=|==|~=)\s*(3\.\d+)/.exec(range.specifier)?.[1];
    if (floor === undefined || compareVersions(level, floor) <= 0) return [];
    return [finding(pythonAbi, {
      message: `${capital(targetsPhrase([body.name]))} is compiled for the limited API of Python ${level}, and requires-python at ${place(range.evidence.location, context.root)} (${range.specifier}) admits Python ${floor}: the wheel can be installed there, and the module may need functions that Python ${floor} does not have. Lower the level to ${floor} or raise requires-python.`,
      severity: "warning",
      location: evidence.location,
      target: body.name,
      related: [{ message: `requires-python admits Python ${floor}.`, location: range.evidence.location }],
    })];
  });
}

/** True when `project` (a pyproject.toml) is in a folder that holds `file`. */
function isBeside(project: string, file: string): boolean {
  return file.startsWith(project.slice(0, Math.max(project.lastIndexOf("/"), project.lastIndexOf("\\")) + 1));
}

/** abi3 says nothing about torch: a wheel so tagged still binds to one torch minor when it uses its C++. */
function onlyPythonIsStable(context: RuleContext, body: DeclaredBody, tags: readonly WheelTag[]): Finding[] {
  const { pyLimitedApi } = body.target;
  if (pyLimitedApi?.value !== true || fullApiUses(context, body).length > 0) return [];
  const tag = tags.find((one) => one.evidence.location.path === body.target.location.path);
  const pinned = context.requirements.some((one) => one.name === "torch" && one.role === "install" && /==|~=/.test(one.specifier));
  const unstable = includesOf(context, body, isUnstableTorchHeader)[0];
  if (tag === undefined || pinned || unstable === undefined) return [];
  const version = context.installed === undefined ? undefined : valueOf(context.installed.facts, "torch-version");
  return [finding(pythonAbi, {
    message: `The wheel's abi3 tag covers CPython only. ${shortPath(unstable.location.path, context.root)} includes ${unstable.what}, whose C++ interface changes with every torch minor version, so the wheel binds to the torch that it is built with${version === undefined ? "" : ` (here ${version})`}, and no requirement says so. Pin torch in the requirements, or use torch's stable ABI.`,
    severity: "info",
    location: tag.evidence.location,
    target: body.name,
    related: [{ message: `${unstable.what} is not part of torch's stable ABI.`, location: unstable.location }],
  })];
}
