import * as vscode from "vscode";

/** Files that alone say that something native is built here. */
const certain = ["CMakeLists.txt", "abiding.json"];

/** Files that may say so, and how they do. */
const possible: readonly (readonly [string, RegExp])[] = [
  ["setup.py", /Extension\s*\(|cpp_extension|pybind11|CMakeExtension/],
  ["pyproject.toml", /scikit[-_]build|mesonpy|pybind11|nanobind|ext-modules|\btorch\b/],
];

/** Whether a folder is worth a look, as far as a glance at its top tells. */
export async function looksNative(folders: readonly vscode.WorkspaceFolder[]): Promise<boolean> {
  const looks = folders.filter(({ uri }) => uri.scheme === "file").map(async ({ uri }) => {
    const names = new Set((await vscode.workspace.fs.readDirectory(uri)).map(([name]) => name));
    if (certain.some((name) => names.has(name))) {
      return true;
    }
    for (const [name, sign] of possible) {
      if (names.has(name) && sign.test(Buffer.from(await vscode.workspace.fs.readFile(vscode.Uri.joinPath(uri, name))).toString("utf8"))) {
        return true;
      }
    }
    return false;
  });
  // A folder that cannot be read shows nothing.
  return (await Promise.all(looks.map((one) => one.catch(() => false)))).includes(true);
}
