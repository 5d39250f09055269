/** CPython's side of a built file: the interpreter that its name and its symbols are for. */
import { valueOf } from "../../model/index.ts";
import type { BuiltFile, RuleContext } from "../rule.ts";
import type { Observed } from "./report.ts";
import { traitSaid } from "./traits.ts";
import { nameOf, suffixOf } from "./subjects.ts";
import { disagreements, loaderSays, missingFromOthers, symbolsPhrase } from "./words.ts";

export function otherPython(context: RuleContext, file: BuiltFile): Observed | undefined {
  if (file.fit === undefined || file.origin === "jit-cache") return undefined;
  return otherMachine(context, file) ?? limitedApiBroken(context, file) ?? otherInterpreter(context, file) ?? otherName(context, file) ?? missingPythonSymbols(context, file);
}

/** Builds for other machines may lie in a project; what is asked about or installed is meant for this one. */
function otherMachine(context: RuleContext, file: BuiltFile): Observed | undefined {
  return file.origin === "named" || file.origin === "wheel" || file.origin === "installed" ? traitSaid(context, file, "platform") : undefined;
}

/** A module of the limited API that needs names newer than the interpreter. */
function limitedApiBroken(context: RuleContext, file: BuiltFile): Observed | undefined {
  return traitSaid(context, file, "python-stable-abi", "python-limited-api");
}

/** Left-overs for another Python in build folders harm nobody: Python does not look at them. */
function otherInterpreter(context: RuleContext, file: BuiltFile): Observed | undefined {
  const [first] = disagreements(file, "python-suffix");
  if (first === undefined || file.fit === undefined || file.origin === "build-folder" || suffixOf(file) === undefined) return undefined;
  const version = valueOf(file.fit.against.facts, "python-version");
  return {
    message: `${nameOf(context, file)} is for ${suffixOf(file) ?? first.built}, and the Python beside the torch to check against${version === undefined ? "" : `, ${version},`} takes ${first.installed}: it does not look at a file of that name, and the import ends with "No module named".`,
    severity: file.origin === "installed" || file.origin === "beside-package" ? "warning" : first.weight,
    against: first.evidence,
  };
}

/** What lies in a build folder may get its name when it is installed. */
function otherName(context: RuleContext, file: BuiltFile): Observed | undefined {
  return file.origin === "build-folder" ? undefined : traitSaid(context, file, "python-module");
}

function missingPythonSymbols(context: RuleContext, file: BuiltFile): Observed | undefined {
  const missing = missingFromOthers(file, "python").filter((one) => (one.neededBy === undefined || one.neededBy === file.body.path));
  const [first] = missing;
  if (first === undefined || file.fit === undefined || file.body.profile.kind !== "python-module") return undefined;
  const version = valueOf(file.fit.against.facts, "python-version");
  return {
    message: `${nameOf(context, file)} needs ${symbolsPhrase(missing, "function")} of CPython, which Python${version === undefined ? "" : ` ${version}`} does not export: it was built for another Python. ${loaderSays(file, first.symbol)} Rebuild it with the Python that imports it.`,
  };
}
