import tseslint from "typescript-eslint";

const processes = ["child_process", "node:child_process", "execa", "cluster", "node:cluster"];
const editor = ["vscode", "vscode-languageserver*", "vscode-languageclient*", "vscode-jsonrpc*"];

/** Forbids imports by pattern; each pattern says why in the message. */
function forbid(files, ...patterns) {
  return { files, rules: { "no-restricted-imports": ["error", { patterns }] } };
}

/** Rooms of the engine that `files` may not look into, because imports point the other way. */
function above(...rooms) {
  return { group: rooms.flatMap((room) => [`**/${room}`, `**/${room}/**`]), message: "Inside the engine imports point one way: model, catalogue, sources / binaries / installed, rules, diagnosis." };
}

const engineReads = [
  { group: processes, message: "The engine reads and never starts a process; what runs belongs into src/workshop." },
  { group: editor, message: "The engine knows no editor; src/server and src/extension translate for them." },
  { group: ["**/workshop/**", "**/server/**", "**/extension/**", "**/cli/**", "**/protocol/**"], message: "The engine is at the bottom and imports nothing from those that use it." },
];

export default tseslint.config(
  { ignores: ["dist/**", "node_modules/**", "test/results/**", "test/fixtures/**", "test/**/fixtures/**", "samples/**", "**/*.cjs"] },
  {
    files: ["**/*.{ts,tsx}"],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/no-floating-promises": ["error", { allowForKnownSafeCalls: [{ from: "package", package: "node:test", name: ["test", "it", "describe", "suite", "before", "after", "beforeEach", "afterEach"] }] }],
      "@typescript-eslint/no-misused-promises": "error",
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", ignoreRestSiblings: true }],
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true, allowBoolean: true }],
      "no-console": "error",
      "max-lines": ["error", { max: 400, skipBlankLines: true, skipComments: true }],
      eqeqeq: "error",
    },
  },
  forbid(["src/engine/**"], ...engineReads),
  forbid(["src/engine/model/**"], ...engineReads, above("catalogue", "files", "sources", "binaries", "installed", "rules", "diagnosis")),
  forbid(["src/engine/catalogue/**"], ...engineReads, above("sources", "binaries", "installed", "rules", "diagnosis")),
  forbid(["src/engine/{files,sources,binaries,installed}/**"], ...engineReads, above("rules", "diagnosis")),
  forbid(["src/engine/rules/**"], ...engineReads, above("diagnosis")),
  forbid(["src/{server,cli,workshop}/**"], { group: ["vscode"], message: "Only src/extension and the tests that run inside VS Code may import it." }),
  forbid(["src/{server,extension,cli,protocol}/**"], { group: processes, message: "Every child process of the product starts in src/workshop." }),
);
