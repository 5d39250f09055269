/** Prediction against reality, and both against what the experiment was built to show. */
import type { Expectation } from "./experiment.ts";
import type { Prediction } from "./prediction.ts";
import type { Reality } from "./reality.ts";

export const judgements = ["right", "beyond", "wrong outcome", "wrong name", "wrong kind", "unknown", "trait not seen", "experiment is wrong"] as const;
export type Judgement = (typeof judgements)[number];

/** What needs no one's attention. "beyond": reading cannot tell, and the prediction says that it left something out. */
export const isFine = (judgement: Judgement): boolean => judgement === "right" || judgement === "beyond";

export interface Comparison { readonly judgement: Judgement; readonly why: string }

/** Whether an experiment shows what it was built to show; undefined: it does. */
export function contradiction(expected: Expectation, reality: Reality): string | undefined {
  const agrees = ((): boolean => {
    switch (expected.is) {
      case "beyond":
      case "open": return true;
      case "loads": return reality.outcome === "loads" || (expected.disagrees !== undefined && reality.outcome === "raised");
      case "refused": return reality.outcome === "refused" || reality.outcome === "died";
      case "dies": return reality.outcome === "died";
      case "symbol": return reality.outcome === "symbol" && (expected.symbol === "*" || expected.symbol === reality.first);
      case "library": return reality.outcome === "library" && (expected.library === "*" || reality.first === expected.library);
      case "version": return reality.outcome === "version" && (expected.version === "*" || reality.first === expected.version) && reality.of === expected.library;
    }
  })();
  return agrees ? undefined : `built to show ${JSON.stringify(expected)}, and the loader says ${told(reality)}`;
}

export function compare(expected: Expectation, reality: Reality, prediction: Prediction): Comparison {
  const wrong = contradiction(expected, reality);
  const sides = `the loader says ${told(reality)}; predicted: ${foretold(prediction)}`;
  if (wrong !== undefined) return { judgement: "experiment is wrong", why: `${wrong}; predicted: ${foretold(prediction)}` };
  if (expected.is === "beyond") {
    return prediction.saysWhatItLeftOut ? { judgement: "beyond", why: "" } : { judgement: "wrong outcome", why: `${expected.why} The prediction does not say what it left out; ${sides}` };
  }
  if (prediction.verdict === "unknown") return { judgement: "unknown", why: sides };
  if (expected.is === "open") return withReality(reality, prediction, sides);
  const fails = expected.is !== "loads" || expected.verdict === "conflict";
  if (fails !== (prediction.verdict === "conflict")) return { judgement: "wrong outcome", why: sides };
  if (expected.is === "loads") {
    const seen = expected.disagrees === undefined || prediction.disagrees.includes(expected.disagrees);
    return seen ? { judgement: "right", why: "" } : { judgement: "trait not seen", why: `loads, and ${expected.disagrees ?? ""} disagrees; ${sides}` };
  }
  if (expected.is === "dies") return prediction.disagrees.includes(expected.trait) ? { judgement: "right", why: "" } : { judgement: "trait not seen", why: `${expected.trait} was meant; ${sides}` };
  if (prediction.first !== expected.is || (reality.first !== undefined && prediction.name !== reality.first)) return { judgement: "wrong name", why: sides };
  if (expected.is === "symbol") {
    const kinds = typeof expected.kind === "function" ? expected.kind(prediction.name ?? "") : [expected.kind].flat();
    if (prediction.kind === undefined || !kinds.includes(prediction.kind)) return { judgement: "wrong kind", why: `${kinds.join(" or ")} was meant; ${sides}` };
  }
  return { judgement: "right", why: "" };
}

/** Only what the loader says is known; of the kind nothing. */
function withReality(reality: Reality, prediction: Prediction, sides: string): Comparison {
  // The loader found everything, and the file's initialisers ended the process.
  if (reality.outcome === "died" && [...prediction.disagrees, ...prediction.doubts].includes("layout")) return { judgement: "right", why: "" };
  if ((reality.outcome === "loads") !== (prediction.verdict === "no-conflict")) return { judgement: "wrong outcome", why: sides };
  const isNamed = reality.outcome === "loads" || (reality.outcome === prediction.first && (reality.first === undefined || reality.first === prediction.name));
  return isNamed ? { judgement: "right", why: "" } : { judgement: "wrong name", why: sides };
}

function told(reality: Reality): string {
  return `${reality.outcome}${reality.first === undefined ? "" : ` ${reality.first}`}${reality.text === "" ? "" : ` (${reality.text.slice(0, 300)})`}`;
}

function foretold(prediction: Prediction): string {
  return `${prediction.verdict}, ${prediction.first}${prediction.name === undefined ? "" : ` ${prediction.name}`}${prediction.kind === undefined ? "" : ` of kind ${prediction.kind}`}${prediction.disagrees.length > 0 ? `, disagreeing in ${prediction.disagrees.join(", ")}` : ""}${prediction.words === "" ? "" : ` (${prediction.words.slice(0, 400)})`}`;
}
