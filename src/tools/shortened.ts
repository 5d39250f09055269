/** Of JSON that a model reads at once, in characters: hosts cut or refuse what is much longer. */
const longest = 60_000;

/** The most that lists keep, tried in this order. */
const steps = [200, 100, 50, 25, 12, 6, 3, 1] as const;
const longestText = 4000;

/**
 * A report that fits into a model's context. Where it would not, long lists keep their first members, which are the
 * important ones, and `leftOut` says of which lists how many are missing; the command with `--format json` has all.
 */
export function shortened(report: object): object {
  if (sizeOf(report) <= longest) {
    return report;
  }
  let short: object = report;
  for (const most of steps) {
    const leftOut = new Map<string, number>();
    short = cut(report, most, "", leftOut) as object;
    const said = { ...short, ...(leftOut.size === 0 ? {} : { leftOut: Object.fromEntries(leftOut) }) };
    if (sizeOf(said) <= longest) {
      return said;
    }
    short = said;
  }
  return short;
}

function sizeOf(value: object): number {
  return JSON.stringify(value).length;
}

function cut(value: unknown, most: number, place: string, leftOut: Map<string, number>): unknown {
  if (typeof value === "string") {
    return value.length > longestText ? `${value.slice(0, longestText)} …` : value;
  }
  if (Array.isArray(value)) {
    const rest = value.length - most;
    if (rest > 0) {
      leftOut.set(place, (leftOut.get(place) ?? 0) + rest);
    }
    return value.slice(0, most).map((one) => cut(one, most, place, leftOut));
  }
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, cut(one, most, place === "" ? key : `${place}.${key}`, leftOut)]));
  }
  return value;
}
