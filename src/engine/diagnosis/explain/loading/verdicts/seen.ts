import type { FitReport } from "../../../../model/index.ts";
import { baseName } from "../../orderMatters.ts";
import type { Explanation, Knowledge } from "../../types.ts";

/**
 * An explanation with what reading the file that failed shows: certain where the file lacks there what the text says;
 * unchanged where it could not be read. `seen`: the sentence, undefined where the file lacks nothing of the kind.
 */
export function withFit(explanation: Explanation, file: string | undefined, knowledge: Knowledge, seen: (fit: FitReport) => string | undefined): Explanation {
  const fit = file === undefined ? undefined : knowledge.fitOf(file);
  if (fit === undefined || file === undefined || fit.verdict === "unknown") return explanation;
  const sentence = seen(fit);
  return sentence === undefined
    ? { ...explanation, fit, because: [...explanation.because, `${baseName(file)} was read and compared with ${fit.against.name}, where it lacks nothing of the kind: it failed in another environment, or was built again since.`] }
    : { ...explanation, fit, confidence: "certain", because: [sentence, ...explanation.because], needs: [] };
}

export function seenLibrary(name: string): (fit: FitReport) => string | undefined {
  return (fit) => fit.missingDependencies.find((one) => one.name === name)?.because;
}

export function seenVersion(version: string): (fit: FitReport) => string | undefined {
  return (fit) => {
    const found = fit.missingVersions.find((one) => one.version === version);
    return found === undefined ? undefined : `${found.foundIn}, which would be loaded, ${found.highest === null ? `has no ${version}` : `goes up to ${found.highest}`}.`;
  };
}
