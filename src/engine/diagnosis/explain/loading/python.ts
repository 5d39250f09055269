/** What Python and its extension modules say of names, versions and suffixes. */
import { baseName } from "../orderMatters.ts";
import { clue, isCode } from "../reading.ts";
import type { Log, Recogniser } from "../types.ts";
import { explainMissingInit, explainNotImported, explainOtherPythonDll, explainPythonVersions, explainWheelTag, suffixOf } from "./verdicts/python.ts";
import { around, lastWord } from "./words.ts";

/** pybind11's own check of the interpreter's version, in its old and new words; nanobind and Cython have the like. */
const versions: Recogniser = {
  hint: /Python version mismatch: |compiled for Python \d|compiletime version \d/,
  read(log, at) {
    const line = (log.lines[at]?.text ?? "").slice(0, 4096);
    const match = /compiled for Python (\d+\.\d+).{0,120}?(?:interpreter version is incompatible: |interpreter is |running )?(\d+\.\d+)/.exec(line) ?? /compiletime version (\d+\.\d+) of module .{0,200} does not match runtime version (\d+\.\d+)/.exec(line);
    const [, built, running] = match ?? [];
    if (match === null || built === undefined || running === undefined || isCode(line)) return undefined;
    const weight = /Warning: compiletime/.test(line) ? "warning" as const : "cause" as const;
    return clue(at, line, {}, () => explainPythonVersions(built, running), { weight });
  },
};

/** CPython for Windows, of a module that loads another python3XX.dll. */
const otherDll: Recogniser = {
  hint: /conflicts with this version of Python/,
  read(log, at) {
    const match = /Module use of python(\d)(\d+)t?\.dll conflicts with this version of Python/.exec((log.lines[at]?.text ?? "").slice(0, 4096));
    return match === null ? undefined : clue(at, match[0], {}, () => explainOtherPythonDll(`${match[1]}.${match[2]}`));
  },
};

const init: Recogniser = {
  hint: /does not define module export function/,
  read(log, at) {
    const line = (log.lines[at]?.text ?? "").slice(0, 4096);
    const name = /dynamic module does not define module export function \((?:PyInit|PyModExport)_(\w+)\)/.exec(line)?.[1];
    return name === undefined || isCode(line) ? undefined : clue(at, line, { module: name }, () => explainMissingInit(name));
  },
};

/** "No module named 'pkg._C'" where the text shows a file of that module with another Python's suffix. */
const notImported: Recogniser = {
  hint: /No module named '/,
  read(log, at) {
    const line = (log.lines[at]?.text ?? "").slice(0, 4096);
    const module = /ModuleNotFoundError: No module named '([\w.]+)'/.exec(line)?.[1];
    const last = module?.split(".").at(-1);
    if (module === undefined || last === undefined || isCode(line)) return undefined;
    const other = fileOfModule(log, last);
    return other === undefined ? undefined : clue(at, line, { module, file: other.file }, (knowledge) => explainNotImported(module, other.file, other.python, knowledge));
  },
};

/** pip and uv of a wheel whose tags do not fit. */
const wheel: Recogniser = {
  hint: /is not a supported wheel on this platform|dependency is incompatible with the current platform: /,
  read(log, at) {
    const line = (log.lines[at]?.text ?? "").slice(0, 4096);
    const named = /dependency is incompatible with the current platform: (\S{1,2000})/.exec(line)?.[1] ?? lastWord(around(line, " is not a supported wheel on this platform")?.before ?? "");
    const file = baseName(named.replaceAll(/^['"`]|['"`]$|[?#].*$/g, ""));
    return !file.endsWith(".whl") || isCode(line) ? undefined : clue(at, line, { package: file.split("-")[0], file }, (knowledge) => explainWheelTag(file, knowledge));
  },
};

export const pythonRecognisers: readonly Recogniser[] = [versions, otherDll, init, notImported, wheel];

/** A file of a module that the text names, with the Python of its suffix. */
function fileOfModule(log: Log, module: string): { readonly file: string; readonly python: string } | undefined {
  const pattern = new RegExp(`([^\\s'"]*\\b${module}\\.(?:cpython-\\d+[\\w-]*\\.so|cp\\d+-win\\w+\\.pyd))`);
  for (const { text } of log.lines.slice(0, 5000)) {
    const file = text.includes(`${module}.cp`) ? pattern.exec(text.slice(0, 8192))?.[1] : undefined;
    const suffix = file === undefined ? undefined : suffixOf(baseName(file));
    if (file !== undefined && suffix?.module === module) return { file, python: suffix.python };
  }
  return undefined;
}
