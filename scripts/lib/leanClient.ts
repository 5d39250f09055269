/**
 * Leaves out of the language client what this server does not offer: a third of it. The client makes an object of every
 * feature it knows before it asks the server; these say that they do nothing.
 */
import { readFileSync } from "node:fs";
import type { Plugin } from "esbuild";

/** Files of vscode-languageclient/lib/common, each a feature that src/server/server.ts does not announce. That of notebooks is asked by the one of diagnostics. */
const unoffered = [
  "callHierarchy", "colorProvider", "completion", "declaration", "documentHighlight", "fileOperations", "foldingRange", "formatting", "implementation", "inlineCompletion", "inlineValue",
  "linkedEditingRange", "reference", "rename", "selectionRange", "semanticTokens", "signatureHelp", "textDocumentContent", "typeDefinition", "typeHierarchy", "workspaceSymbol",
];

export function leanClient(): Plugin {
  return {
    name: "lean-client",
    setup(bundler) {
      bundler.onLoad({ filter: new RegExp(`vscode-languageclient[\\\\/]lib[\\\\/]common[\\\\/](?:${unoffered.join("|")})\\.js$`) }, ({ path }) => {
        const names = new Set([...readFileSync(path, "utf8").matchAll(/^exports\.(\w+) = /gm)].map((one) => one[1]));
        const nothing = 'class Nothing { fillClientCapabilities() {} initialize() {} getState() { return { kind: "static" }; } clear() {} }';
        return { contents: `"use strict";\n${nothing}\n${[...names].map((name) => `exports.${name} = Nothing;`).join("\n")}\n`, loader: "js" };
      });
    },
  };
}
