/** Built files as rules see them: one subject a module, however many copies of it lie about. */
import { basename, dirname, join } from "node:path";
import type { Location } from "../../model/index.ts";
import { valueOf } from "../../model/index.ts";
import { once } from "../once.ts";
import type { BuiltFile, RuleContext } from "../rule.ts";
import { groupBy, shortPath } from "../support.ts";

/** The copy of a module that counts, and the others that Python could load instead. */
export interface Subject {
  readonly file: BuiltFile;
  readonly copies: readonly BuiltFile[];
}

/**
 * What is judged: of several copies of one module (build/lib.*, in place, other build folders) the newest that the
 * interpreter would look at. A file for another CPython is left alone while one for this CPython is there.
 */
export const subjectsOf: (context: RuleContext) => readonly Subject[] = once((context) => {
  const suffix = context.installed === undefined ? undefined : valueOf(context.installed.facts, "python-suffix");
  return [...groupBy(context.built, moduleKey).values()].flatMap((group) => {
    const forHere = group.filter((one) => isFor(one, suffix));
    const [file, ...copies] = [...(forHere.length > 0 ? forHere : group)].sort((a, b) => b.modified - a.modified);
    return file === undefined ? [] : [{ file, copies }];
  });
});

/** Copies go by their target; without one, by folder and module name, so that a package's own variants stay apart. */
function moduleKey(file: BuiltFile): string {
  const module = moduleName(file);
  if (file.target !== undefined) return `target ${file.target.target.builder} ${file.target.name} ${module}`;
  return `file ${join(dirname(file.body.path), module)}`;
}

/** "_C" for "_C.cpython-311-x86_64-linux-gnu.so" and "_C.abi3.so"; "libops" for "libops.so". */
export function moduleName(file: BuiltFile): string {
  const name = basename(file.body.path);
  return name.slice(0, name.indexOf(".") < 0 ? undefined : name.indexOf("."));
}

/** Whether this interpreter looks at the file at all: PEP 3149 suffixes, abi3, or none. */
function isFor(file: BuiltFile, suffix: string | undefined): boolean {
  const own = suffixOf(file);
  return suffix === undefined || own === undefined || own === suffix || own.startsWith("abi3");
}

/** The tag of an extension module in its file name: "cpython-311-x86_64-linux-gnu", "abi3". */
export function suffixOf(file: BuiltFile): string | undefined {
  return file.body.profile.modules[0]?.suffix ?? /\.((?:cpython-|abi3|pypy)[^.]*)\.so$/.exec(basename(file.body.path))?.[1];
}

/** "build/ops/_C.so", "torchvision/_C.so of torchvision 0.28.0": what is installed counts from its site-packages. */
export function nameOf(context: RuleContext, file: BuiltFile): string {
  if (file.distribution === undefined) return shortPath(file.body.path, context.root);
  const path = /.*[\\/](?:site|dist)-packages[\\/](.+)$/.exec(file.body.path)?.[1] ?? shortPath(file.body.path, context.root);
  return `${path} of ${file.distribution.name} ${file.distribution.version}`;
}

/** The beginning of the file: a binary has no lines. */
export function placeOfFile(file: BuiltFile): Location {
  return { path: file.body.path, range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } } };
}
