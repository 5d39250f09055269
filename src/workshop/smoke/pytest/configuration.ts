import * as fs from "node:fs";
import * as path from "node:path";

/** What pytest takes for tests: https://docs.pytest.org/en/stable/reference/reference.html#configuration-options. */
export interface PytestConfiguration {
  readonly files: readonly string[];
  readonly classes: readonly string[];
  readonly functions: readonly string[];
  readonly testPaths: readonly string[];
  readonly skippedFolders: readonly string[];
}

const defaults: PytestConfiguration = {
  files: ["test_*.py", "*_test.py"],
  classes: ["Test"],
  functions: ["test"],
  testPaths: [],
  // "norecursedirs" of pytest 8, with the folder names of environments.
  skippedFolders: ["*.egg", ".*", "_darcs", "build", "CVS", "dist", "node_modules", "venv", "{arch}", "__pycache__"],
};

/** In the order in which pytest looks for them: https://docs.pytest.org/en/stable/reference/customize.html. */
const sources: readonly { readonly name: string; readonly section: string }[] = [
  { name: "pytest.ini", section: "pytest" },
  { name: ".pytest.ini", section: "pytest" },
  { name: "pyproject.toml", section: "tool.pytest.ini_options" },
  { name: "tox.ini", section: "pytest" },
  { name: "setup.cfg", section: "tool:pytest" },
];

/** Reads pytest's settings of a folder, or of one above it up to `root`. Only what the search for tests needs. */
export function readPytestConfiguration(folder: string, root: string): PytestConfiguration {
  for (let current = folder; ; current = path.dirname(current)) {
    for (const { name, section } of sources) {
      const values = sectionOf(path.join(current, name), section);
      if (values !== undefined) {
        return {
          files: values.get("python_files") ?? defaults.files,
          classes: values.get("python_classes") ?? defaults.classes,
          functions: values.get("python_functions") ?? defaults.functions,
          testPaths: current === folder ? (values.get("testpaths") ?? []) : [],
          skippedFolders: values.get("norecursedirs") ?? defaults.skippedFolders,
        };
      }
    }
    if (current === root || path.dirname(current) === current) return defaults;
  }
}

/** The words of each key of one section, of an INI or a TOML file; strings, lists and lines alike are words. */
function sectionOf(file: string, section: string): ReadonlyMap<string, readonly string[]> | undefined {
  let text: string;
  try {
    text = fs.readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
  const lines = text.split(/\r?\n/);
  const start = lines.findIndex((line) => line.replace(/[#;].*$/, "").trim() === `[${section}]`);
  if (start === -1) return undefined;
  const values = new Map<string, string[]>();
  let words: string[] = [];
  for (const line of lines.slice(start + 1)) {
    if (/^\[[^\]"'*?]+\]\s*$/.test(line)) break;
    if (/^\s*[#;]/.test(line)) continue;
    const [, key, first] = /^([A-Za-z_][\w-]*)\s*[=:](.*)$/.exec(line) ?? [];
    if (key !== undefined) {
      words = [];
      values.set(key, words);
    }
    const rest = first ?? line;
    const quoted = [...rest.matchAll(/"([^"]*)"|'([^']*)'/g)].flatMap(([, double, single]) => (double ?? single ?? "").split(/\s+/));
    words.push(...(quoted.length > 0 ? quoted : rest.replace(/\s#.*$/, "").split(/[\s,]+/)).filter((word) => word !== "" && !/^[[\],]+$/.test(word)));
  }
  return values;
}
