import { shortNames } from "../../engine/binaries/mangling/index.ts";
import type { FailureExplanation } from "../../engine/model/index.ts";
import { docsOf } from "../../tools/places.ts";
import { wrap } from "./layout.ts";
import { printable } from "./printable.ts";

/** What a failure comes from, below the failure: the cause with its rule, what to do, and what to paste. */
export function explanationLines({ rule, message, fix, copy }: FailureExplanation): string[] {
  return [
    ...wrap(printable(`${shortNames(message)}${rule === undefined ? "" : ` [${rule}, ${docsOf(rule)}]`}`), "    ", "  because: "),
    ...(fix === undefined ? [] : wrap(printable(shortNames(fix)), "    ", "  to do: ")),
    ...(copy === undefined ? [] : copy.split("\n").map((line) => `    ${printable(line)}`)),
  ];
}
