import { basename, dirname, isAbsolute, join } from "node:path";
import { valueOf } from "../model/index.ts";
import { missingSymbols } from "./binaries/failures.ts";
import { onBuilt } from "./binaries/report.ts";
import type { Observed } from "./binaries/report.ts";
import { nameOf } from "./binaries/subjects.ts";
import { traitSaid } from "./binaries/traits.ts";
import { disagreements, listed, missesSymbols, symbolsPhrase, torchOfFit } from "./binaries/words.ts";
import type { BuiltFile, Rule, RuleContext } from "./rule.ts";
import { shortPath } from "./support.ts";

/** A file that was built before what it meets, or what it is made from, changed. */
export const staleBuild: Rule = {
  name: "stale-build",
  severity: "warning",
  summary: "A built file is older than the torch it meets or the sources it was made from.",
  check: (context) => onBuilt(staleBuild, context, outdated),
};

function outdated(context: RuleContext, file: BuiltFile): Observed | undefined {
  if (file.origin === "jit-cache") return cachedForAnother(context, file);
  return otherLayout(context, file) ?? olderThanSources(context, file);
}

/** Every symbol may be there and an object of torch's have another size. Missing symbols and the stamp say more. */
function otherLayout(context: RuleContext, file: BuiltFile): Observed | undefined {
  if (missesSymbols(file) || disagreements(file, "stamp").length > 0) return undefined;
  const said = traitSaid(context, file, "layout", "torch-version");
  return said === undefined ? undefined : { ...said, message: `${said.message}${disagreements(file, "pybind11-internals").length > 0 ? " Its pybind11 key is not torch's either: types that torch registers with pybind11 are not recognised." : ""} Rebuild it against this torch.` };
}

/**
 * load() calls ninja the first time that a process asks for a name (torch/utils/cpp_extension.py, _jit_compile: its versioner
 * hashes sources and flags, and forgets them with the process). ninja takes an output of its log whose command is the same
 * and whose inputs are not newer; torch's headers are no inputs, for -MMD leaves system headers out.
 */
const unnoticed = "load() passes torch's headers as system headers, which ninja does not watch, so it takes the old file when only torch has changed.";

function cachedForAnother(context: RuleContext, file: BuiltFile): Observed | undefined {
  if (file.fit === undefined) return undefined;
  const folder = dirname(file.body.path);
  const root = file.fit.against.torchRoot;
  const ninja = context.files.readText(join(folder, "build.ninja"));
  const log = context.files.readText(join(folder, ".ninja_log"));
  // With another torch in its flags, or an output that ninja did not make here, the next load() builds anew by itself.
  if (root === undefined || !ninja.ok || !ninja.text.includes(join(root, "include")) || !log.ok || !log.text.includes(`\t${basename(file.body.path)}\t`)) return undefined;
  const missing = missingSymbols(file).filter((one) => one.kind !== "other-library");
  const torch = torchOfFit(file.fit);
  const name = `The cached build ${shortPath(file.body.path, context.root)}`;
  const [first] = missing;
  if (first !== undefined) {
    const isTwin = first.kind === "abi-twin";
    const what = `${name} does not load with ${torch}: it needs ${symbolsPhrase(missing)}, which ${isTwin ? "torch exports with the other std::string only" : "nothing there exports"}.`;
    const has = valueOf(file.fit.against.facts, "libstdcxx-abi");
    const asked = /-D\s*_GLIBCXX_USE_CXX11_ABI=([01])/.exec(ninja.text)?.[1];
    // The same flags would make the same file again.
    const isAsked = isTwin && asked !== undefined && has !== undefined && Number(asked) !== has;
    return { message: isAsked ? `${what} Its flags in build.ninja say _GLIBCXX_USE_CXX11_ABI=${asked}, and torch has ${has}: drop them from the call.` : `${what} ${unnoticed} Delete ${folder}.` };
  }
  const installed = context.files.status(join(root, "version.py"))?.modified ?? 0;
  if (file.modified === 0 || installed <= file.modified + tolerance || (file.body.profile.imports.torch ?? 0) === 0) return undefined;
  return {
    message: `${name} was made before ${torch} was installed, and uses torch's C++ interface, which changes with every minor release. ${unnoticed} Delete ${folder} unless the same torch was there before.`,
    against: [{ kind: "file", path: join(root, "version.py"), what: `written ${day(installed)}, the cached build ${day(file.modified)}` }],
  };
}

/** Clocks of file systems and copies of whole trees differ by less. */
const tolerance = 2000;

function day(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 16).replace("T", " ");
}

/** Times alone prove little after a checkout, and whoever edits knows, so this is a hint; it is said of files that a build left where it was made. */
function olderThanSources(context: RuleContext, file: BuiltFile): Observed | undefined {
  const { target } = file;
  if (target === undefined || file.modified === 0 || (file.origin !== "build-folder" && file.origin !== "beside-package" && file.origin !== "editable-install")) return undefined;
  const newer = target.target.sources.filter((source) => isAbsolute(source.path) && source.conditions.length === 0 && (context.files.status(source.path)?.modified ?? 0) > file.modified + tolerance);
  if (newer.length === 0) return undefined;
  return {
    message: `${nameOf(context, file)} (${day(file.modified)} UTC) is older than ${newer.length === 1 ? "a source" : `${newer.length} sources`} of target ${target.name}: ${listed(newer.map((source) => basename(source.path)))} changed since. What was found in the file may no longer be true of the sources; rebuild to see.`,
    severity: "hint",
    related: newer.slice(0, 5).map((source) => ({ message: `${shortPath(source.path, context.root)} is newer than the file.`, location: source.location })),
  };
}
