import type { Workshop } from "../../workshop.ts";
import { torchTrier } from "../run/torchTrier.ts";
import type { CellEvent, CombinationSettings } from "../types.ts";
import type { MakeTrier } from "./types.ts";

/** Tries torches on this machine, as `combinations run` tries its cells. */
export function triesOf(root: string, settings: CombinationSettings | undefined, workshop: Workshop, tell?: (event: CellEvent) => void): MakeTrier {
  return (known) => torchTrier({ root, settings: settings ?? {}, ...known }, workshop, tell);
}
