import type { Finding } from "../model/index.ts";
import { leakedPath } from "./binaries/paths.ts";
import { onBuilt } from "./binaries/report.ts";
import type { Rule, RuleContext } from "./rule.ts";
import { finding } from "./support.ts";

/** Paths into the environment of one machine: a Python of one version, a conda environment, somebody's home. */
const foreignPaths: readonly { readonly pattern: RegExp; readonly what: string }[] = [
  { pattern: /^\/(?:[\w.+-]+\/)*lib(?:64)?\/python\d\.\d+(?:\/|$)/, what: "the packages of one Python version on one machine" },
  { pattern: /^\/(?:[\w.+-]+\/)*envs\/[\w.-]+\/(?:lib|include)(?:\/|$)/, what: "one conda environment on one machine" },
  { pattern: /^\/(?:home|Users)\/[\w.-]+\/(?:[\w.+-]+\/)*(?:libtorch|torch|cuda|\w*conda\d?|\.local)(?:[-\d.]*)(?:\/|$)/i, what: "somebody's home directory" },
];

/** A path to libraries or headers that exists on one machine only, or belongs to another environment on the others. */
export const hardCodedPath: Rule = {
  name: "hard-coded-path",
  severity: "warning",
  summary: "A build file, or a library in a wheel, names a library or include folder of one machine's Python or conda environment.",
  check(context) {
    return [...buildFiles(context).flatMap((path) => findingsIn(context, path)), ...onBuilt(hardCodedPath, context, leakedPath)];
  },
};

function buildFiles(context: RuleContext): readonly string[] {
  const places = [...context.declared.map((body) => body.target.location), ...context.observations.map((one) => one.evidence.location)];
  return [...new Set(places.map((one) => one.path))].filter((path) => /(?:\.py|\.cmake|CMakeLists\.txt)$/.test(path));
}

function findingsIn(context: RuleContext, path: string): readonly Finding[] {
  return foreignIn(context, path).map(({ found, what, line, start }) => finding(hardCodedPath, {
    message: `${found} is a path into ${what}: elsewhere it does not exist, or holds the libraries of another torch or Python than the build uses. Ask the interpreter or CMake for the folder (sysconfig, torch.utils.cpp_extension.library_paths(), find_package).`,
    location: { path, range: { start: { line, character: start }, end: { line, character: start + found.length } } },
  }));
}

interface ForeignPath {
  readonly found: string;
  readonly what: string;
  readonly line: number;
  readonly start: number;
}

function foreignIn(context: RuleContext, path: string): readonly ForeignPath[] {
  if (context.ofText !== undefined) return context.ofText(path, foreignPathsOf) ?? none;
  const read = context.files.readText(path);
  return read.ok ? foreignPathsOf(read.text) : none;
}

const none: readonly ForeignPath[] = [];

function foreignPathsOf(whole: string): readonly ForeignPath[] {
  if (!/python\d|envs\/|\/home\/|\/Users\//.test(whole)) return none;
  const paths: ForeignPath[] = [];
  for (const [line, text] of whole.split("\n").entries()) {
    if (text.length > 2000) continue;
    for (const { path: found, start } of pathsIn(text)) {
      const foreign = foreignPaths.find((one) => one.pattern.test(found));
      if (foreign !== undefined && paths.length < 50) paths.push({ found, what: foreign.what, line, start });
    }
  }
  return paths;
}

/** Absolute paths on a line, comments left out: after a quote, a flag such as -L, or white space. */
function pathsIn(text: string): { readonly path: string; readonly start: number }[] {
  const comment = /(?:^|\s)#/.exec(text);
  const code = comment === null ? text : text.slice(0, comment.index);
  return [...code.matchAll(/(?<=^|["'\s(=;]|-[LI]|-isystem\s?|rpath,)\/[\w.+/-]+/g)].map((match) => ({ path: match[0], start: match.index }));
}
