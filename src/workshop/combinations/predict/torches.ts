import type { CombinationSettings, KnownWheel, WheelWanted } from "../types.ts";
import type { Subjects } from "./subjects.ts";

/** Where wheels may come from by what abiding.json says, and what they have to fit where it leaves no choice. */
export function wantedOf(settings: CombinationSettings | undefined): WheelWanted {
  const [variant, ...variants] = settings?.matrix?.cuda ?? [];
  const [python, ...pythons] = settings?.matrix?.python ?? [];
  return { indexes: settings?.indexes ?? [], ...(variant === undefined || variants.length > 0 ? {} : { variant }), ...(python === undefined || pythons.length > 0 ? {} : { python }) };
}

/** Where wheels may come from and what they have to fit, for the Python and the machine of the files. */
export function wantedFor(wanted: WheelWanted, { target }: Pick<Subjects, "target">): WheelWanted {
  return {
    ...wanted,
    ...(wanted.python === undefined && target.python !== undefined ? { python: target.python } : {}),
    ...(wanted.platform === undefined && target.platform !== undefined ? { platform: target.platform } : {}),
  };
}

/**
 * Of each torch one wheel: the first of the indexes' order, the build that the files could be for (with CUDA,
 * without). The order stays.
 */
export function oneForEachTorch(wheels: readonly KnownWheel[], wanted: WheelWanted, subjects: Pick<Subjects, "cudaMajor">): readonly KnownWheel[] {
  const chosen = new Map<string, KnownWheel>();
  for (const wheel of wheels) {
    const key = wheel.version.replace(/\+.*$/, "");
    const other = chosen.get(key);
    if (other === undefined || rank(wheel, wanted, subjects) > rank(other, wanted, subjects)) chosen.set(key, wheel);
  }
  return [...chosen.values()];
}

function rank(wheel: KnownWheel, wanted: WheelWanted, { cudaMajor }: Pick<Subjects, "cudaMajor">): number {
  const label = wheel.version.split("+")[1];
  const cuda = /^cu(\d+)\d$/.exec(label ?? "")?.[1];
  if (wanted.variant !== undefined || label === undefined) return 2;
  return cudaMajor === undefined ? (label === "cpu" ? 3 : 1) : Number(cuda) === cudaMajor ? 3 : 0;
}
