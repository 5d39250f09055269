/** A version of the Python packaging world, parsed. Source: packaging.python.org, "Version specifiers" (PEP 440). */
export interface Version {
  readonly epoch: number;
  readonly release: readonly number[];
  readonly pre?: { readonly phase: "a" | "b" | "rc"; readonly number: number };
  readonly post?: number;
  readonly dev?: number;
  /** Segments of the local label: "cu128" in "2.8.0+cu128". */
  readonly local: readonly (string | number)[];
  /** As written, trimmed. */
  readonly text: string;
}

const grammar =
  /^v?(?:(\d+)!)?(\d+(?:\.\d+)*)(?:[-_.]?(alpha|beta|preview|pre|rc|a|b|c)[-_.]?(\d*))?(?:-(\d+)|[-_.]?(post|rev|r)[-_.]?(\d*))?(?:[-_.]?(dev)[-_.]?(\d*))?(?:\+([a-z0-9]+(?:[-_.][a-z0-9]+)*))?$/;

const phases: Readonly<Record<string, "a" | "b" | "rc">> = { a: "a", alpha: "a", b: "b", beta: "b", c: "rc", rc: "rc", pre: "rc", preview: "rc" };

/** Longer text is never a version; the limit keeps the expression above cheap on hostile input. */
const longestVersion = 200;

/** Parses a version with all spellings that PEP 440 normalises; undefined when it is none. */
export function parseVersion(text: string): Version | undefined {
  const trimmed = text.trim();
  if (trimmed.length > longestVersion) return undefined;
  const match = grammar.exec(trimmed.toLowerCase());
  if (!match) return undefined;
  const [, epoch, release = "", phase, preNumber, implicitPost, post, postNumber, dev, devNumber, local] = match;
  const pre = phase === undefined ? undefined : phases[phase];
  return {
    epoch: Number(epoch ?? 0),
    release: release.split(".").map(Number),
    ...(pre === undefined ? {} : { pre: { phase: pre, number: Number(preNumber || 0) } }),
    ...(implicitPost !== undefined ? { post: Number(implicitPost) } : post !== undefined ? { post: Number(postNumber || 0) } : {}),
    ...(dev === undefined ? {} : { dev: Number(devNumber || 0) }),
    local: local === undefined ? [] : local.split(/[-_.]/).map((part) => (/^\d+$/.test(part) ? Number(part) : part)),
    text: trimmed,
  };
}

/**
 * The place of a version in the total order, with room for the ends of families of versions ("2.8 with any local
 * label"). Infinities stand for absent parts as PEP 440 orders them.
 */
export interface VersionKey {
  readonly epoch: number;
  readonly release: readonly number[];
  readonly pre: readonly [phase: number, number: number];
  readonly post: number;
  readonly dev: number;
  /** "last": after every local label of this public version. */
  readonly local: readonly (string | number)[] | "last";
}

const phaseOrder = { a: 0, b: 1, rc: 2 };

export function versionKey(version: Version): VersionKey {
  const bareDev = version.pre === undefined && version.post === undefined && version.dev !== undefined;
  return {
    epoch: version.epoch,
    release: withoutTrailingZeros(version.release),
    pre: version.pre ? [phaseOrder[version.pre.phase], version.pre.number] : [bareDev ? -Infinity : Infinity, 0],
    post: version.post ?? -Infinity,
    dev: version.dev ?? Infinity,
    local: version.local,
  };
}

function withoutTrailingZeros(release: readonly number[]): readonly number[] {
  let length = release.length;
  while (length > 0 && release[length - 1] === 0) length -= 1;
  return release.slice(0, length);
}

function compareNumbers(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function compareLocals(a: VersionKey["local"], b: VersionKey["local"]): number {
  if (a === "last" || b === "last") return Number(a === "last") - Number(b === "last");
  for (let i = 0; i < Math.max(a.length, b.length); i += 1) {
    const x = a[i];
    const y = b[i];
    if (x === undefined || y === undefined) return compareNumbers(a.length, b.length);
    if (typeof x === "number" && typeof y === "number") {
      if (x !== y) return compareNumbers(x, y);
    } else if (typeof x !== typeof y) {
      return typeof x === "number" ? 1 : -1;
    } else if (x !== y) {
      return x < y ? -1 : 1;
    }
  }
  return 0;
}

export function compareKeys(a: VersionKey, b: VersionKey): number {
  if (a.epoch !== b.epoch) return compareNumbers(a.epoch, b.epoch);
  for (let i = 0; i < Math.max(a.release.length, b.release.length); i += 1) {
    const difference = compareNumbers(a.release[i] ?? 0, b.release[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return (
    compareNumbers(a.pre[0], b.pre[0]) ||
    compareNumbers(a.pre[1], b.pre[1]) ||
    compareNumbers(a.post, b.post) ||
    compareNumbers(a.dev, b.dev) ||
    compareLocals(a.local, b.local)
  );
}

/** Order of two versions; a text that is no version sorts before all versions, and by text among its like. */
export function compareVersions(a: string | Version, b: string | Version): number {
  const x = typeof a === "string" ? parseVersion(a) : a;
  const y = typeof b === "string" ? parseVersion(b) : b;
  if (x && y) return compareKeys(versionKey(x), versionKey(y));
  if (x || y) return x ? 1 : -1;
  const [left, right] = [a, b].map((one) => (typeof one === "string" ? one : one.text));
  return (left ?? "") < (right ?? "") ? -1 : left === right ? 0 : 1;
}

/** True for alpha, beta, candidate and development versions. NGC's "2.8.0a0+git.nv25.06" is one. */
export function isPrerelease(version: Version): boolean {
  return version.pre !== undefined || version.dev !== undefined;
}

/** The version without its local label, normalised: "2.8.0" for "v2.8.0+cu128". Undefined when it is no version. */
export function publicVersion(version: string | Version): string | undefined {
  const parsed = typeof version === "string" ? parseVersion(version) : version;
  if (!parsed) return undefined;
  const epoch = parsed.epoch > 0 ? `${parsed.epoch}!` : "";
  const pre = parsed.pre ? `${parsed.pre.phase}${parsed.pre.number}` : "";
  const post = parsed.post === undefined ? "" : `.post${parsed.post}`;
  const dev = parsed.dev === undefined ? "" : `.dev${parsed.dev}`;
  return `${epoch}${parsed.release.join(".")}${pre}${post}${dev}`;
}

/** The local label, normalised: "cu128" for "2.8.0+cu128"; undefined when there is none. */
export function localLabel(version: string | Version): string | undefined {
  const parsed = typeof version === "string" ? parseVersion(version) : version;
  return parsed && parsed.local.length > 0 ? parsed.local.join(".") : undefined;
}
