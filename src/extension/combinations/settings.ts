import type { CombinationSettings } from "../../workshop/combinations/types.ts";

/** What commands about combinations may be given: by the panel, by keys, by other extensions. */
export interface CombinationArgument {
  readonly root?: string;
  /** A version, with its local label. */
  readonly torch?: string;
  /** Ids of records that show what else belonged to it: index, packages, Python. */
  readonly like?: readonly string[];
}

export function argumentOf(given: unknown): CombinationArgument {
  if (typeof given !== "object" || given === null) {
    return {};
  }
  const { root, torch, like } = given as Readonly<Record<string, unknown>>;
  return {
    ...(typeof root === "string" ? { root } : {}), ...(typeof torch === "string" ? { torch } : {}),
    ...(Array.isArray(like) ? { like: like.filter((one): one is string => typeof one === "string") } : {}),
  };
}

/** The section "combinations" of abiding.json; undefined: it has none. What is wrong in the file is told by check. */
export async function settingsOf(root: string): Promise<CombinationSettings | undefined> {
  const { readSettings } = await import("../../workshop/combinations/index.ts");
  const { settings, isWritten } = readSettings(root);
  return isWritten ? settings : undefined;
}
