/** Constants, version comparison and regular expressions as CMake understands them. */

export function isTrue(text: string): boolean {
  return /^(1|ON|YES|TRUE|Y|[1-9]\d*(\.\d*)?|-[1-9]\d*)$/i.test(text);
}

export function isFalse(text: string): boolean {
  return /^(0|OFF|NO|FALSE|N|IGNORE|NOTFOUND|)$/i.test(text) || /-NOTFOUND$/.test(text);
}

/** Compares component by component as numbers; what is not a number ends the comparison (cmake_language, VERSION_LESS). */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [components(a), components(b)];
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function components(version: string): number[] {
  const out: number[] = [];
  for (const part of version.split(".")) {
    const digits = /^\d+/.exec(part.trim())?.[0];
    if (digits === undefined) break;
    out.push(Number(digits));
    if (digits.length !== part.trim().length) break;
  }
  return out;
}

const compiled = new Map<string, RegExp | undefined>();

/**
 * CMake's regular expressions are a small subset of those of JavaScript; undefined when it is not one, or when a
 * repetition inside a repetition could make matching explode.
 */
export function toRegExp(pattern: string): RegExp | undefined {
  const kept = compiled.get(pattern);
  if (kept !== undefined || compiled.has(pattern)) return kept;
  let made: RegExp | undefined;
  try {
    if (pattern.length < 500 && !mayExplode(pattern)) made = new RegExp(pattern.replace(/\[([^\]]*)\]/g, (whole) => whole.replace(/\\(?![\\\]^-])/g, "\\\\")));
  } catch {
    made = undefined;
  }
  if (compiled.size > 2000) compiled.clear();
  compiled.set(pattern, made);
  return made;
}

/** A repeated group with a repetition or a choice inside can take exponential time on a text that does not match. */
function mayExplode(pattern: string): boolean {
  let rest = pattern.replace(/\\./g, "x").replace(/\[\]?[^\]]*\]/g, "x");
  for (let round = 0; round < 50; round++) {
    const group = /\(([^()]*)\)([*+?]?)/.exec(rest);
    if (group === null) return false;
    const varies = /[*+|]/.test(group[1] ?? "");
    if (varies && (group[2] === "*" || group[2] === "+")) return true;
    rest = rest.slice(0, group.index) + (varies ? "x+" : "x") + (group[2] ?? "") + rest.slice(group.index + group[0].length);
  }
  return true;
}
