import type { CudaArchitecture, Evidence, Fact, InstalledBody, InstalledDistribution, Trait } from "../model/index.ts";

/** A saved description of an environment: what `environment --format json` prints and `--against FILE.json` takes. */
export interface Profile {
  readonly schema: 1;
  readonly kind: "abiding-environment";
  readonly name: string;
  /** What the description was made from. */
  readonly source: InstalledBody["source"];
  readonly torchRoot?: string;
  readonly prefix?: string;
  readonly facts: readonly ProfileFact[];
  readonly distributions: readonly { readonly name: string; readonly version: string; readonly requires: readonly string[] }[];
  readonly shadowed: InstalledBody["shadowed"];
  readonly notKnown: readonly string[];
}

interface ProfileFact {
  readonly trait: Trait;
  readonly value: Fact["value"];
  readonly certainty: Fact["certainty"];
  readonly evidence: readonly Evidence[];
}

type Check = (value: unknown) => boolean;

const isString: Check = (value) => typeof value === "string";
const isNumber: Check = (value) => typeof value === "number" && Number.isFinite(value);
const isTextOrNull: Check = (value) => value === null || typeof value === "string";

/** The shape of each trait's value, as in `TraitValues`. */
const shapes: Readonly<Record<Trait, Check>> = {
  "libstdcxx-abi": (value) => value === 0 || value === 1,
  "gxx-abi-version": isNumber,
  "pybind11-internals": isString,
  "pybind11-version": isString,
  "torch-version": isString,
  "torch-git-version": isString,
  "torch-channel": (value) => typeof value === "string" && ["pip", "conda-forge", "conda-pytorch", "ngc", "debian", "source", "libtorch", "unknown"].includes(value),
  "torch-debug": (value) => typeof value === "boolean",
  "cxx-standard": isNumber,
  "cxx-standard-floor": isNumber,
  "cxx-standard-default": isNumber,
  "cuda-version": isTextOrNull,
  "rocm-version": isTextOrNull,
  "cuda-architectures": (value) => Array.isArray(value) && value.every(isArchitecture),
  "python-version": isString,
  "python-suffix": isString,
  "python-limited-api": isString,
  "stable-abi-target": isString,
  compiler: isString,
  "host-compiler-bounds": isObject,
  glibc: isString,
  "libstdcxx-version": isString,
  platform: isString,
  "platform-tag": isString,
};

/** The profile of an installed body. */
export function profileOf(body: InstalledBody): Profile {
  return {
    schema: 1,
    kind: "abiding-environment",
    name: body.name,
    source: body.source,
    ...(body.torchRoot === undefined ? {} : { torchRoot: body.torchRoot }),
    ...(body.prefix === undefined ? {} : { prefix: body.prefix }),
    facts: body.facts.filter((fact) => fact.value !== undefined).map(({ trait, value, certainty, evidence }) => ({ trait, value, certainty, evidence })),
    distributions: body.distributions.map(({ name, version, requires }) => ({ name, version, requires })),
    shadowed: body.shadowed,
    notKnown: body.notKnown,
  };
}

/** Reads a saved profile. Paths in it are of the machine where it was made, so none of them is kept as a place to read from. */
export function bodyOfProfile(text: string, file: string): { readonly ok: true; readonly body: InstalledBody } | { readonly ok: false; readonly message: string } {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    return { ok: false, message: `${file} is not valid JSON.` };
  }
  if (!isObject(data) || data["kind"] !== "abiding-environment") {
    return { ok: false, message: `${file} is not a profile of an environment: write one with "abiding environment --format json".` };
  }
  if (data["schema"] !== 1) {
    return { ok: false, message: `${file} has schema ${JSON.stringify(data["schema"])}; this version of Abiding reads schema 1.` };
  }
  const { name, facts, distributions } = data;
  if (typeof name !== "string" || !Array.isArray(facts)) {
    return { ok: false, message: `${file} is a damaged profile: "name" must be a text and "facts" a list.` };
  }
  const read: Fact[] = [];
  for (const [index, fact] of (facts as readonly unknown[]).entries()) {
    const answer = readFact(fact, file);
    if (typeof answer === "string") {
      return { ok: false, message: `${file} is a damaged profile: fact ${index + 1} ${answer}.` };
    }
    read.push(answer);
  }
  const body: InstalledBody = {
    role: "installed",
    name,
    source: "profile",
    facts: read,
    distributions: Array.isArray(distributions) ? (distributions as readonly unknown[]).flatMap((one) => readDistribution(one, file)) : [],
    shadowed: [],
    notKnown: texts(data["notKnown"]),
  };
  return { ok: true, body };
}

function readFact(data: unknown, file: string): Fact | string {
  if (!isObject(data) || typeof data["trait"] !== "string" || !Object.hasOwn(shapes, data["trait"])) {
    return "names no known trait";
  }
  const trait = data["trait"] as Trait;
  const value = data["value"];
  if (!shapes[trait](value)) {
    return `has a value that "${trait}" cannot have: ${JSON.stringify(value)}`;
  }
  const certainty = data["certainty"] === "inferred" || data["certainty"] === "declared" ? data["certainty"] : "observed";
  const evidence = (Array.isArray(data["evidence"]) ? (data["evidence"] as readonly unknown[]) : []).filter(isEvidence);
  const [first = { kind: "file", path: file, what: "saved profile" } satisfies Evidence, ...rest] = evidence;
  return { trait, value: value as Fact["value"], certainty, conditions: [], evidence: [first, ...rest] };
}

function readDistribution(data: unknown, file: string): readonly InstalledDistribution[] {
  if (!isObject(data) || typeof data["name"] !== "string" || typeof data["version"] !== "string") {
    return [];
  }
  return [{ name: data["name"], version: data["version"], requires: texts(data["requires"]), evidence: { kind: "file", path: file, what: `saved profile: ${data["name"]} ${data["version"]}` } }];
}

function isEvidence(data: unknown): data is Evidence {
  if (!isObject(data)) {
    return false;
  }
  return (data["kind"] === "file" && isString(data["path"]) && isString(data["what"]))
    || (data["kind"] === "catalogue" && isString(data["table"]) && isString(data["row"]) && isString(data["source"]));
}

function isArchitecture(data: unknown): data is CudaArchitecture {
  return isObject(data) && isNumber(data["sm"]) && ["", "a", "f"].includes(String(data["suffix"])) && typeof data["real"] === "boolean" && typeof data["ptx"] === "boolean";
}

function isObject(data: unknown): data is Readonly<Record<string, unknown>> {
  return typeof data === "object" && data !== null && !Array.isArray(data);
}

function texts(data: unknown): readonly string[] {
  return Array.isArray(data) ? (data as readonly unknown[]).filter((one) => typeof one === "string") : [];
}
