import * as fs from "node:fs";
import * as path from "node:path";
import { walkModule } from "../../engine/sources/python/walk.ts";
import { openBuildFile } from "./buildFile.ts";
import type { Plan, Planned } from "./plan.ts";
import type { PythonText } from "./pythonText.ts";
import { callsIn, importedNames, lineBefore, parsePythonText, statementsAround } from "./pythonText.ts";
import type { Candidate } from "./targets.ts";
import { templateText } from "./templates.ts";

const helper = "_abiding_stamp.py";
const source = "abiding_stamp.cpp";

/**
 * One line before setup() is called. setup.py's folder is not on sys.path when pip builds through `setuptools.build_meta`, so
 * the helper is run by its path. The line binds no name: inside a function `import os` would make a local variable of an
 * `os` that is used above it. The helper's name begins with an underscore, because setuptools' discovery of a flat layout takes
 * other modules beside setup.py for a part of the package (setuptools/discovery.py, FlatLayoutModuleFinder).
 */
export function planSetuptools(root: string, candidate: Candidate): Planned {
  const { file } = candidate;
  const shown = path.relative(root, file);
  const opened = openBuildFile(file);
  if (typeof opened === "string") {
    return { refused: opened };
  }
  const python = parsePythonText(file, opened.text);
  const name = candidate.isNameKnown ? JSON.stringify(candidate.name) : "";
  const line = `__import__("runpy").run_path(str(__import__("pathlib").Path(__file__).with_name("${helper}")))["stamp"](${name})  # noqa`;
  const written: Plan["written"] = [
    { path: path.join(candidate.folder, helper), text: templateText(helper), mark: "def stamp(" },
    { path: path.join(candidate.folder, source), text: templateText(source), mark: "ABIDING_STAMP_FUNCTION" },
  ];
  const manifest = planManifest(candidate.folder);
  if (typeof manifest === "string") {
    return { refused: manifest };
  }
  const plan = { edits: manifest.edits, written: [...written, ...manifest.written], next: [] };
  if (stampedNames(python).some((names) => names.length === 0 || names.includes(candidate.name))) {
    return plan;
  }
  const imported = importedNames(python);
  const calls = callsIn(python).flatMap(({ callee, node }) => {
    const [head = "", ...rest] = callee.split(".");
    const full = [imported.get(head) ?? head, ...rest].join(".");
    return /^(?:setup|(?:setuptools|skbuild|distutils\.core|numpy\.distutils\.core)\.setup)$/.test(full) ? [{ full, node }] : [];
  });
  const [first] = calls;
  if (first === undefined) {
    return { refused: `No call of setup() was found in ${shown}, so there is no place before it. Put this line where it runs before: ${line}` };
  }
  const foreign = calls.find(({ full }) => /^(?:distutils|numpy\.distutils)\./.test(full));
  if (foreign !== undefined) {
    return { refused: `${shown} calls ${foreign.full}(), which does not build with setuptools' build_ext. Use setuptools.setup().` };
  }
  const ways = calls.map(({ node }) => statementsAround(python.body, node.start));
  // Of several calls, in branches, all come behind the outermost statement's begin.
  const statement = ways.length === 1 ? ways[0]?.at(-1) : ways[0]?.[0];
  const place = statement === undefined ? undefined : lineBefore(python, statement);
  if (place === undefined) {
    return { refused: `setup() shares its line with other code in ${shown}. Put this line before it: ${line}` };
  }
  return { ...plan, edits: [{ path: file, line: place.line, lines: [place.indentation + line] }, ...plan.edits] };
}

/** The names in each line of ours, however a formatter has laid it out. */
function stampedNames(python: PythonText): readonly (readonly string[])[] {
  const found: string[][] = [];
  walkModule(python.body, {
    expression(node) {
      if (node.type === "call" && node.callee.type === "subscript" && python.text.slice(node.callee.start, node.callee.end).includes(helper)) {
        found.push(node.arguments.flatMap(({ value }) => (value.type === "string" ? [value.value] : [])));
      }
    },
  });
  return found;
}

/** Without that line a source distribution lacks the files, and what is built from it fails. */
function planManifest(folder: string): Pick<Plan, "edits" | "written"> | string {
  const file = path.join(folder, "MANIFEST.in");
  const line = `include ${helper} ${source}`;
  if (!fs.existsSync(file)) {
    return { edits: [], written: [{ path: file, text: `${line}\n`, mark: "" }] };
  }
  const opened = openBuildFile(file);
  if (typeof opened === "string") {
    return opened;
  }
  const lines = opened.text.split(/\r\n|\r|\n/);
  if (lines.some((one) => one.trim() === line)) {
    return { edits: [], written: [] };
  }
  const isEnded = lines.at(-1) === "";
  return { edits: [{ path: file, line: isEnded ? lines.length - 1 : lines.length, lines: [line] }], written: [] };
}
