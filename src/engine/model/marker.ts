import { compareVersions, parseVersion } from "./version.ts";
import { satisfies } from "./specifier.ts";

/** A PEP 508 environment marker. Source: packaging.python.org, "Dependency specifiers". */
export type Marker =
  | { readonly kind: "and" | "or"; readonly left: Marker; readonly right: Marker }
  | { readonly kind: "compare"; readonly operator: string; readonly left: MarkerOperand; readonly right: MarkerOperand };

interface MarkerOperand {
  readonly variable: boolean;
  readonly text: string;
}

/** Values of marker variables by name; a missing variable is unknown. */
export type MarkerEnvironment = Readonly<Record<string, string>>;

const token = /\s*(?:(\()|(\))|("[^"]*"|'[^']*')|(===|~=|==|!=|<=|>=|<|>)|([A-Za-z_][\w.]*))/y;

/** Deeper nesting than this is no marker that a person wrote. */
const deepest = 50;

/** Legacy spellings that installers still accept. */
const legacyNames: Readonly<Record<string, string>> = {
  "os.name": "os_name", "sys.platform": "sys_platform", "platform.version": "platform_version", "platform.machine": "platform_machine",
  "platform.python_implementation": "platform_python_implementation", python_implementation: "platform_python_implementation",
};

/** Parses a marker; undefined when it is malformed. */
export function parseMarker(text: string): Marker | undefined {
  const tokens: string[] = [];
  token.lastIndex = 0;
  let end = 0;
  for (let match = token.exec(text); match; match = token.exec(text)) {
    tokens.push(match[0].trim());
    end = token.lastIndex;
  }
  if (text.slice(end).trim() !== "" || tokens.length === 0) return undefined;
  let at = 0;

  function operand(): MarkerOperand | undefined {
    const next = tokens[at];
    if (next === undefined || !/^["'A-Za-z_]/.test(next)) return undefined;
    at += 1;
    if (next.startsWith('"') || next.startsWith("'")) return { variable: false, text: next.slice(1, -1) };
    return { variable: true, text: legacyNames[next] ?? next };
  }

  function comparison(depth: number): Marker | undefined {
    if (depth > deepest) return undefined;
    if (tokens[at] === "(") {
      at += 1;
      const inner = disjunction(depth + 1);
      if (!inner || tokens[at] !== ")") return undefined;
      at += 1;
      return inner;
    }
    const left = operand();
    let operator = tokens[at];
    at += 1;
    if (operator === "not") {
      if (tokens[at] !== "in") return undefined;
      at += 1;
      operator = "not in";
    }
    if (operator === undefined || !/^([=!<>~]+|in|not in)$/.test(operator)) return undefined;
    const right = operand();
    return left && right ? { kind: "compare", operator, left, right } : undefined;
  }

  function chain(word: "and" | "or", next: (depth: number) => Marker | undefined, depth: number): Marker | undefined {
    let left = next(depth);
    while (left && tokens[at] === word) {
      at += 1;
      const right = next(depth);
      left = right && { kind: word, left, right };
    }
    return left;
  }

  const conjunction = (depth: number) => chain("and", comparison, depth);
  const disjunction = (depth: number): Marker | undefined => chain("or", conjunction, depth);

  const result = disjunction(0);
  return at === tokens.length ? result : undefined;
}

const versionVariables = new Set(["python_version", "python_full_version", "implementation_version", "platform_release"]);

/** Evaluates a marker: undefined when it depends on a variable that the environment leaves open. */
export function evaluateMarker(marker: Marker, environment: MarkerEnvironment): boolean | undefined {
  if (marker.kind === "compare") return compare(marker, environment);
  const left = evaluateMarker(marker.left, environment);
  const right = evaluateMarker(marker.right, environment);
  const decisive = marker.kind === "or";
  if (left === decisive || right === decisive) return decisive;
  return left === undefined || right === undefined ? undefined : !decisive;
}

function compare(marker: Marker & { kind: "compare" }, environment: MarkerEnvironment): boolean | undefined {
  const { operator } = marker;
  const value = (operand: MarkerOperand) => (operand.variable ? environment[operand.text] : operand.text);
  const left = value(marker.left);
  const right = value(marker.right);
  if (left === undefined || right === undefined) return undefined;
  const isVersion = [marker.left, marker.right].some((one) => one.variable && versionVariables.has(one.text));
  if (isVersion && operator !== "in" && operator !== "not in") {
    // A wildcard may only stand on the right of a specifier, so a reversed comparison is turned around.
    const reversed = !marker.left.variable && marker.right.variable;
    const turned: Readonly<Record<string, string>> = { "<": ">", ">": "<", "<=": ">=", ">=": "<=" };
    const answer = reversed ? satisfies(right, `${turned[operator] ?? operator}${left}`) : satisfies(left, operator + right);
    if (answer !== undefined) return answer;
  }
  switch (operator) {
    case "==":
    case "===":
      return left === right;
    case "!=":
      return left !== right;
    case "in":
      return right.includes(left);
    case "not in":
      return !right.includes(left);
    case "<":
      return left < right;
    case ">":
      return left > right;
    case "<=":
      return left <= right;
    case ">=":
      return left >= right;
    default:
      return undefined;
  }
}

const platforms: readonly MarkerEnvironment[] = [
  { sys_platform: "linux", platform_system: "Linux", os_name: "posix" },
  { sys_platform: "darwin", platform_system: "Darwin", os_name: "posix" },
  { sys_platform: "win32", platform_system: "Windows", os_name: "nt" },
  { sys_platform: "freebsd", platform_system: "FreeBSD", os_name: "posix" },
];

const implementations: readonly MarkerEnvironment[] = [
  { implementation_name: "cpython", platform_python_implementation: "CPython" },
  { implementation_name: "pypy", platform_python_implementation: "PyPy" },
];

/** At most this many interpreter versions and machines are tried; markers name a handful. */
const mostWitnesses = 40;

/**
 * Whether no environment can meet both markers: they are tried on every mix of platform, machine, implementation and
 * interpreter version that they tell apart. Extras never exclude each other. An absent or malformed marker holds everywhere.
 */
export function markersExclude(a: string | undefined, b: string | undefined): boolean {
  const first = a === undefined ? undefined : parseMarker(a);
  const second = b === undefined ? undefined : parseMarker(b);
  if (!first || !second) {
    const only = first ?? second;
    return only !== undefined && !worldsOf([only]).some((world) => evaluateMarker(only, world) !== false);
  }
  return !worldsOf([first, second]).some((world) => evaluateMarker(first, world) !== false && evaluateMarker(second, world) !== false);
}

function worldsOf(markers: readonly Marker[]): readonly MarkerEnvironment[] {
  const literals = new Map<string, Set<string>>();
  for (const marker of markers) collectLiterals(marker, literals);
  const machines = [...new Set(["x86_64", "aarch64", "arm64", "AMD64", "other", ...(literals.get("platform_machine") ?? [])])].slice(0, mostWitnesses);
  const named = [...(literals.get("python_version") ?? []), ...(literals.get("python_full_version") ?? [])];
  const pythons = named.length === 0 ? [undefined] : interpreterVersions(named);
  const worlds: MarkerEnvironment[] = [];
  for (const platform of platforms) {
    for (const implementation of implementations) {
      for (const machine of machines) {
        for (const python of pythons) {
          const version: MarkerEnvironment = python === undefined ? {} : { python_full_version: python, python_version: python.split(".").slice(0, 2).join(".") };
          worlds.push({ ...platform, ...implementation, platform_machine: machine, ...version });
        }
      }
    }
  }
  return worlds;
}

/** Interpreter versions that tell the named ones apart: each, its neighbours, and one beyond either end. */
function interpreterVersions(named: readonly string[]): readonly string[] {
  const result = new Set(["2.7.18", "3.99.0"]);
  for (const text of named.flatMap((one) => one.split(/[\s,]+/))) {
    const [major, minor = 0, patch = 0] = parseVersion(text.replace(/\.\*$/, ""))?.release ?? [];
    if (major === undefined) continue;
    result.add(`${major}.${minor}.${patch}`).add(`${major}.${minor}.${patch + 1}`).add(`${major}.${minor + 1}.0`);
    if (patch > 0) result.add(`${major}.${minor}.${patch - 1}`);
    if (minor > 0) result.add(`${major}.${minor - 1}.99`);
  }
  return [...result].sort(compareVersions).slice(0, mostWitnesses);
}

function collectLiterals(marker: Marker, into: Map<string, Set<string>>): void {
  if (marker.kind !== "compare") {
    collectLiterals(marker.left, into);
    collectLiterals(marker.right, into);
    return;
  }
  const variable = [marker.left, marker.right].find((one) => one.variable);
  const literal = [marker.left, marker.right].find((one) => !one.variable);
  if (!variable || !literal) return;
  const values = into.get(variable.text) ?? new Set();
  into.set(variable.text, values);
  for (const value of [literal.text, ...literal.text.split(/[\s,]+/)]) values.add(value);
}
