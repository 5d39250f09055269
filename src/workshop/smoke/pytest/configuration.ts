import * as path from "node:path";
import { NodeFiles } from "../../../engine/files/index.ts";
import { readPytestSettings } from "../../project/index.ts";

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

/** Reads pytest's settings of a folder, or of one above it up to `root`. Only what the search for tests needs. */
export function readPytestConfiguration(folder: string, root: string): PytestConfiguration {
  const files = new NodeFiles();
  for (let current = folder; ; current = path.dirname(current)) {
    const settings = readPytestSettings(current, files);
    if (settings !== undefined) {
      return {
        files: settings.words("python_files") ?? defaults.files,
        classes: settings.words("python_classes") ?? defaults.classes,
        functions: settings.words("python_functions") ?? defaults.functions,
        testPaths: current === folder ? settings.paths : [],
        skippedFolders: settings.words("norecursedirs") ?? defaults.skippedFolders,
      };
    }
    if (current === root || path.dirname(current) === current) return defaults;
  }
}
