/** What Abiding says of a file and a torch, without loading either. */
import { describeBinary } from "../../src/engine/binaries/profile/index.ts";
import { loadCatalogue, loadSymbolHistory } from "../../src/engine/catalogue/index.ts";
import { NodeFiles } from "../../src/engine/files/index.ts";
import { environmentOf, fit } from "../../src/engine/fit/index.ts";
import type { FitEnvironment, MissingKind } from "../../src/engine/fit/index.ts";
import { resolveAgainst } from "../../src/engine/installed/index.ts";
import { libraryPathOf, type Placed } from "./reality.ts";
import type { Torch } from "./torches.ts";

export interface Prediction {
  readonly verdict: "no-conflict" | "conflict" | "unknown";
  /** What the loader would stumble over first, by its own order: files, libraries, versions, symbols. */
  readonly first: "nothing" | "refused" | "library" | "version" | "symbol" | "other";
  readonly name?: string;
  readonly kind?: MissingKind;
  /** Traits that disagree. */
  readonly disagrees: readonly string[];
  /** Traits of which it says that it could not tell. */
  readonly doubts: readonly string[];
  readonly saysWhatItLeftOut: boolean;
  /** Its reason, in its own words. */
  readonly words: string;
}

const files = new NodeFiles();
const catalogue = loadCatalogue();
const environments = new Map<string, FitEnvironment>();

function environmentFor(torch: Torch, libraryPath: string | undefined): FitEnvironment {
  const key = `${torch.against} ${libraryPath ?? ""}`;
  const known = environments.get(key);
  if (known !== undefined) return known;
  const answer = resolveAgainst(torch.against, { root: torch.against, files, catalogue, environment: {} });
  if (!answer.ok) throw new Error(answer.message);
  const folders = [libraryPath, torch.env["LD_LIBRARY_PATH"]].filter((one) => one !== undefined).join(":");
  const made = environmentOf(answer.body, files, { environment: { ...torch.env, ...(folders === "" ? {} : { LD_LIBRARY_PATH: folders }) } });
  environments.set(key, made);
  return made;
}

export function predict(placed: Placed, torch: Torch, builtWith: Torch | undefined): Prediction {
  const { experiment, path } = placed;
  const described = describeBinary(path, files);
  if (!described.ok) return { verdict: "conflict", first: "refused", disagrees: [], doubts: [], saysWhatItLeftOut: true, words: described.message };
  const result = fit(described.body, described.image, environmentFor(torch, libraryPathOf(placed, torch)), {
    catalogue, history: loadSymbolHistory(), importTorchFirst: experiment.load.torchFirst ?? true,
    ...(builtWith === undefined ? {} : { builtWith: { version: builtWith.name, source: { kind: "file", path: builtWith.root, what: `the headers of torch ${builtWith.name}` } } }),
  });
  const traits = result.traits.filter((one) => one.agrees === false);
  const common = { verdict: result.verdict, disagrees: traits.map((one) => one.trait), doubts: result.traits.filter((one) => one.agrees === undefined).map((one) => one.trait), saysWhatItLeftOut: result.notChecked.length > 0 };
  const refusing = traits.find((one) => one.trait === "platform" || (one.trait === "python-suffix" && experiment.load.how === "import"));
  if (refusing !== undefined) return { ...common, first: "refused", words: refusing.because };
  const [dependency] = result.missingDependencies;
  if (dependency !== undefined) return { ...common, first: "library", name: dependency.name, words: dependency.because };
  const [version] = result.missingVersions;
  if (version !== undefined) return { ...common, first: "version", name: version.version, words: `${version.library} in ${version.foundIn} has ${version.highest ?? "nothing"}` };
  const symbol = result.missing.find((one) => one.binding === "global");
  if (symbol !== undefined) return { ...common, first: "symbol", name: symbol.symbol, kind: symbol.kind, words: symbol.because };
  return { ...common, first: result.verdict === "conflict" ? "other" : "nothing", words: [...traits.map((one) => one.because), ...(result.verdict === "unknown" ? result.notChecked : [])].join(" ") };
}
