import * as fs from "node:fs";
import * as path from "node:path";
import type { ProjectFiles } from "../../engine/diagnosis/discover.ts";
import type { Files } from "../../engine/model/index.ts";
import type { Statement } from "../../engine/sources/python/syntax.ts";
import { walkModule } from "../../engine/sources/python/walk.ts";
import { openBuildFile } from "./buildFile.ts";
import type { Plan, Planned } from "./plan.ts";
import { nothing } from "./plan.ts";
import type { PythonText } from "./pythonText.ts";
import { callsIn, lineBefore, parsePythonText, statementsAround } from "./pythonText.ts";
import type { Candidate } from "./targets.ts";
import { calledName } from "./targets.ts";
import { templateText } from "./templates.ts";

const helper = "_abiding_check.py";

/** A place of a Python file that brings the extension in. */
interface Loading {
  readonly offset: number;
  /** What `check` is told: a module's name in quotes, or the expression that a file is loaded from. */
  readonly argument: string;
  /** `argument` is made of variables, which are there only just before. */
  readonly isExpression: boolean;
}

/** The comparison at import, before the one place where a package (that of the user, when he names one) loads the extension. */
export function planImportCheck(root: string, candidate: Candidate, given: string | undefined, layout: ProjectFiles, files: Files): Planned {
  if (candidate.sites[0].kind === "executable") {
    return nothing;
  }
  const asked = given === undefined ? undefined : path.resolve(root, given);
  if (asked !== undefined && !fs.existsSync(path.join(asked, "__init__.py"))) {
    return { refused: `${asked} is no Python package: it has no __init__.py.` };
  }
  const named = asked === undefined ? undefined : fs.realpathSync(asked);
  if (named !== undefined && path.relative(root, named).startsWith("..")) {
    return { refused: `${named} does not lie in ${root}.` };
  }
  const loading = loadingFiles(root, named, candidate, layout, files);
  const [first] = loading;
  if (first === undefined || loading.length > 1) {
    return byHand(root, candidate, named, loading.map((one) => one.file));
  }
  const { file, python } = first;
  const lines = linesFor(first.argument);
  const written: Plan["written"] = [{ path: path.join(path.dirname(file), helper), text: templateText(helper), mark: "def check(" }];
  if (callsIn(python).some(({ callee, node }) => callee === "_abiding_check.check" && node.arguments[0] !== undefined && python.text.slice(node.arguments[0].start, node.arguments[0].end) === first.argument)) {
    return { edits: [], written, next: [] };
  }
  const way = statementsAround(python.body, first.offset);
  // An `except ImportError` around the import would swallow the error, and the other branch would go without it.
  const outermost = way[way.findLastIndex((one) => one.type === "function" || one.type === "class") + 1];
  const isSwallowed = way.some((one) => one.type === "try" && one.handlers.length > 0);
  const statement = first.isExpression ? (isSwallowed ? undefined : way.at(-1)) : (outermost ?? way.at(-1));
  const place = statement === undefined ? undefined : lineBefore(python, statement);
  if (place === undefined) {
    return { edits: [], written, next: [`Put before the import of ${calledName(candidate)} in ${path.relative(root, file)}: ${lines.join("; ")}`] };
  }
  return { edits: [{ path: file, line: place.line, lines: lines.map((line) => place.indentation + line) }], written, next: [] };
}

function linesFor(argument: string): readonly string[] {
  return ["from . import _abiding_check", `_abiding_check.check(${argument})`];
}

/** Nothing loads it, or several files do. */
function byHand(root: string, candidate: Candidate, named: string | undefined, several: readonly string[]): Plan {
  const lines = linesFor(candidate.isNameKnown && candidate.builder === "setuptools" ? JSON.stringify(candidate.name) : "THE_MODULE_OR_ITS_FILE").join("; ");
  const shown = several.map((file) => path.relative(root, file)).join(", ");
  if (named !== undefined) {
    const written: Plan["written"] = [{ path: path.join(named, helper), text: templateText(helper), mark: "def check(" }];
    const init = openBuildFile(path.join(named, "__init__.py"));
    const isThere = typeof init !== "string" && /^\s*_abiding_check\.check\(/m.test(init.text);
    const where = several.length > 1 ? `Several files load ${calledName(candidate)}: ${shown}.` : `No file of ${path.relative(root, named)} was seen to load ${calledName(candidate)}.`;
    return { edits: [], written, next: isThere ? [] : [`${where} For the comparison at import, put before that: ${lines}`] };
  }
  const isForPython = candidate.builder === "setuptools" || candidate.sites.some((site) => site.kind === "module");
  if (several.length === 0 && !isForPython) {
    return nothing;
  }
  const where = several.length > 1 ? `Several files load ${calledName(candidate)}: ${shown}.` : `No file of a Python package here was seen to load ${calledName(candidate)}.`;
  return { ...nothing, next: [`${where} For the comparison at import, name the package that loads it with --package: ${helper} is written into it. Then put before the import: ${lines}`] };
}

/** Not what users import. */
const asides = /(?:^|[/\\])(?:tests?|testing|examples?|scripts?|tools|benchmarks?|docs?)[/\\]|(?:^|[/\\])(?:test_|bench|conftest|setup)[^/\\]*$/;

/** Files of packages that load it; where a package's `__init__.py` does, the files of that package do not count: it comes before them. */
function loadingFiles(root: string, named: string | undefined, candidate: Candidate, layout: ProjectFiles, files: Files): readonly (Loading & { readonly file: string; readonly python: PythonText })[] {
  const found = layout.pythonSources.filter((file) => {
    const folder = path.dirname(file);
    // Modules beside setup.py are no package, whatever lies there.
    return named === undefined ? !asides.test(path.relative(root, file)) && folder !== candidate.folder && files.status(path.join(folder, "__init__.py")) !== undefined : folder === named;
  }).flatMap((file) => {
    const loading = firstLoading(file, candidate, files);
    return loading === undefined ? [] : [{ file, python: loading.python, ...loading.loading }];
  });
  const folders = found.filter(({ file }) => path.basename(file) === "__init__.py").map(({ file }) => path.dirname(file));
  const isBehind = (file: string): boolean => folders.some((folder) => file !== path.join(folder, "__init__.py") && !path.relative(folder, file).startsWith(".."));
  return found.filter(({ file }) => !isBehind(file));
}

function firstLoading(file: string, candidate: Candidate, files: Files): { readonly python: PythonText; readonly loading: Loading } | undefined {
  const last = candidate.name.split(".").at(-1) ?? candidate.name;
  const read = files.readText(file);
  const word = candidate.isNameKnown ? last : "load_library";
  if (!read.ok || !(read.text.includes(word) || read.text.includes("load_library"))) {
    return undefined;
  }
  const python = parsePythonText(file, read.text);
  const loadings = loadingsIn(python, packageName(file, files), candidate, last);
  const [loading] = loadings.sort((a, b) => a.offset - b.offset);
  return loading === undefined ? undefined : { python, loading };
}

function loadingsIn(python: PythonText, within: string, candidate: Candidate, last: string): Loading[] {
  const loadings: Loading[] = [];
  // A CMake target says nothing of the package that it ends up in; one that is no module is not imported.
  const isIt = (full: string): boolean => candidate.isNameKnown && (candidate.builder === "cmake" ? candidate.sites[0].kind === "module" && full.split(".").at(-1) === last : full === candidate.name);
  const add = (node: Statement, full: string): void => { loadings.push({ offset: node.start, argument: JSON.stringify(full), isExpression: false }); };
  walkModule(python.body, {
    statement(node, around) {
      if (around.tests.some(({ test, holds }) => holds && /TYPE_CHECKING/.test(python.text.slice(test.start, test.end)))) return;
      if (node.type === "import") for (const one of node.names) if (isIt(one.name)) add(node, one.name);
      if (node.type !== "import-from") return;
      const base = node.level === 0 ? node.module : [...within.split(".").slice(0, within.split(".").length - node.level + 1), ...(node.module === "" ? [] : [node.module])].join(".");
      if (isIt(base)) add(node, base);
      else for (const one of node.names) if (isIt(base === "" ? one.name : `${base}.${one.name}`)) add(node, `${base}.${one.name}`);
    },
  });
  for (const { callee, node } of callsIn(python)) {
    const [argument] = node.arguments;
    if (callee !== "torch.ops.load_library" && callee !== "torch.classes.load_library") continue;
    const text = argument === undefined ? "" : python.text.slice(argument.value.start, argument.value.end);
    // The file's name is often put together on the way; where the target's own name is in reach it is that one.
    if (text !== "" && !/[\r\n]/.test(text) && !/:=|\bawait\b|\byield\b/.test(text) && (!candidate.isNameKnown || python.text.includes(last))) loadings.push({ offset: node.start, argument: text, isExpression: true });
  }
  return loadings;
}

/** The dotted name of the package that a file belongs to. */
function packageName(file: string, files: Files): string {
  const parts: string[] = [];
  for (let folder = path.dirname(file); files.status(path.join(folder, "__init__.py")) !== undefined && path.dirname(folder) !== folder; folder = path.dirname(folder)) {
    parts.unshift(path.basename(folder));
  }
  return parts.join(".");
}
