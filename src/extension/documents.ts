import type * as vscode from "vscode";

/** Build files: opening one of these starts the server. */
const buildFileNames = /(?:^|\/)(?:CMakeLists\.txt|[^/]*\.cmake|CMake(?:User)?Presets\.json|setup(?:[_-]\w+)?\.py|setup\.cfg|pyproject\.toml|abiding\.json|[^/]*requirements[^/]*\.(?:txt|in)|[^/]*constraints[^/]*\.txt|environment[^/]*\.ya?ml|meta\.yaml|recipe\.yaml|(?:Dockerfile|Containerfile)[^/]*|[^/]*\.(?:Dockerfile|Containerfile))$/i;

export function startsServer(document: vscode.TextDocument): boolean {
  return document.uri.scheme === "file" && (document.languageId === "cmake" || buildFileNames.test(document.uri.path));
}

/** What the server sees as it is typed, once it runs: build files, and the sources whose includes and macros count. */
export const documentSelector = [
  ...["cmake", "python", "toml", "c", "cpp", "cuda", "cuda-cpp", "dockerfile", "pip-requirements"].map((language) => ({ scheme: "file", language })),
  ...[
    "**/CMakeLists.txt", "**/*.cmake", "**/CMake{,User}Presets.json", "**/abiding.json", "**/pyproject.toml", "**/setup.cfg",
    "**/*requirements*.{txt,in}", "**/requirements/*.{txt,in}", "**/*constraints*.txt", "**/environment*.{yml,yaml}", "**/{meta,recipe,dependencies}.yaml",
    "**/*{Dockerfile,Containerfile}*", "**/*.{cu,cuh}",
  ].map((pattern) => ({ scheme: "file", pattern })),
];
