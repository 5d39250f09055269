/** The rooms of the code and the direction in which they may import each other, as the design lays them out. */
import assert from "node:assert/strict";
import { builtinModules } from "node:module";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import test from "node:test";
import { root } from "../harness/locations.ts";
import { importsOf, sourceFiles, type Import } from "./imports.ts";

const engineFiles = sourceFiles("src/engine/**/*.ts");
const engineImports = importsOf(engineFiles);
const allImports = importsOf(sourceFiles("src/**/*.ts"));

/** Each room of the engine with the rooms that it may import beside itself. */
const engineRooms: Readonly<Record<string, readonly string[]>> = {
  model: [],
  catalogue: ["model"],
  files: ["model", "catalogue"],
  sources: ["model", "catalogue", "files"],
  binaries: ["model", "catalogue", "files"],
  // What an installed torch is shows in the symbols of its libraries.
  installed: ["model", "catalogue", "files", "binaries"],
  // Whether a built file loads is a question to both.
  fit: ["model", "catalogue", "files", "binaries", "installed"],
  rules: ["model", "catalogue", "files", "sources", "binaries", "installed", "fit"],
  diagnosis: ["model", "catalogue", "files", "sources", "binaries", "installed", "fit", "rules"],
};

/** Formats and patterns that are not this project's subject. */
const enginePackages = ["jsonc-parser", "picomatch", "toml-eslint-parser", "yaml"];
const engineBuiltins = ["node:crypto", "node:fs", "node:fs/promises", "node:os", "node:path", "node:url", "node:util", "node:zlib", "node:perf_hooks", "node:buffer"];
const builtins = new Set(builtinModules.flatMap((name) => [name, `node:${name}`]));
const networkModules = /^(?:node:)?(?:http|https|http2|net|tls|dgram|dns)$|^undici$/;
const processModules = /^(?:node:)?(?:child_process|cluster|worker_threads)$|^execa$/;

function listed(imports: readonly Import[]): string[] {
  return imports.map(({ from, to }) => `${from} imports ${to}`);
}

/** Imports of `src/<room>` that are neither its own files nor allowed. */
function strangers(room: string, allowed: (one: Import) => boolean): string[] {
  return listed(allImports.filter((one) => one.from.startsWith(`src/${room}/`) && !one.to.startsWith(`src/${room}/`) && !allowed(one)));
}

test("every file of the engine is in one of its rooms", () => {
  assert.deepEqual(engineFiles.filter((file) => engineRooms[file.split("/")[2] ?? ""] === undefined), []);
});

test("inside the engine imports point one way", () => {
  const wrong = engineImports.filter((one) => {
    if (!one.relative || !one.to.startsWith("src/engine/")) return false;
    const from = one.from.split("/")[2] ?? "";
    const to = one.to.split("/")[2] ?? "";
    return from !== to && !(engineRooms[from] ?? []).includes(to);
  });
  assert.deepEqual(listed(wrong), []);
});

test("the engine imports nothing but itself, data, parsers and what reads files", () => {
  const wrong = engineImports.filter((one) => {
    if (one.relative) return !one.to.startsWith("src/engine/") && !one.to.startsWith("data/");
    return !enginePackages.includes(one.to) && !engineBuiltins.includes(one.to);
  });
  assert.deepEqual(listed(wrong), []);
});

test("the model imports nothing outside its folder", () => {
  assert.deepEqual(listed(engineImports.filter((one) => one.from.startsWith("src/engine/model/") && !one.to.startsWith("src/engine/model/"))), []);
});

test("only the room for remote files, and the workshop, reach the network", () => {
  const mayReach = /^src\/(?:engine\/binaries\/remote|workshop)\//;
  const importing = allImports.filter((one) => networkModules.test(one.to)).map((one) => one.from);
  const calling = sourceFiles("src/**/*.ts").filter((file) => /(?<![.#\w])(?:fetch|new (?:WebSocket|EventSource))\s*\(/.test(readFileSync(join(root, file), "utf8")));
  assert.deepEqual([...importing, ...calling].filter((file) => !mayReach.test(file)), []);
});

/** Each room of the workshop with the rooms that it may import beside itself and the engine. */
const workshopRooms: Readonly<Record<string, readonly string[]>> = {
  process: [],
  project: ["process"],
  build: ["process", "project"],
  libtorch: ["process", "project"],
  stamp: ["process", "project"],
  smoke: ["process", "project"],
  benchmark: ["process", "project"],
  combinations: ["process", "project", "build", "libtorch", "smoke", "benchmark"],
};
const contract = "src/workshop/workshop.ts";

test("inside the workshop imports point one way", () => {
  const wrong = allImports.filter(({ from, to, relative: isRelative }) => {
    if (!from.startsWith("src/workshop/") || from === contract) return false;
    if (!isRelative) return false;
    const room = from.split("/")[2] ?? "";
    const other = to.split("/")[2] ?? "";
    return to !== contract && !/^(?:src\/(?:engine|protocol|views)|data)\//.test(to) && room !== other && !(workshopRooms[room] ?? []).includes(other);
  });
  assert.deepEqual(listed(wrong), []);
});

test("in the workshop only the runner starts processes", () => {
  assert.deepEqual(listed(allImports.filter((one) => processModules.test(one.to) && !one.from.startsWith("src/workshop/process/"))), []);
});

test("only the extension imports vscode", () => {
  assert.deepEqual(listed(allImports.filter((one) => one.to === "vscode" && !one.from.startsWith("src/extension/"))), []);
});

test("the protocol is types between rooms and imports only types of the model and of the workshop", () => {
  assert.deepEqual(strangers("protocol", (one) => one.to.startsWith("src/engine/model/") || /^src\/workshop\/\w+\/types\.ts$/.test(one.to)), []);
});

test("the views are pure: they import the protocol, the model and types of the workshop", () => {
  assert.deepEqual(strangers("views", (one) => /^src\/(?:protocol|engine\/model)\/|^src\/workshop\/\w+\/types\.ts$/.test(one.to)), []);
});

test("the tools for agents see the engine and the workshop", () => {
  assert.deepEqual(strangers("tools", (one) => /^src\/(?:engine|workshop)\//.test(one.to) || builtins.has(one.to)), []);
});

test("the server sees the engine, the workshop, the tools for agents and the protocol", () => {
  const allowed = /^(?:src\/(?:engine|workshop|tools|protocol)\/|vscode-languageserver)/;
  assert.deepEqual(strangers("server", (one) => allowed.test(one.to) || builtins.has(one.to)), []);
});

test("the extension leaves the thinking to the server, and has processes run by the workshop", () => {
  const allowed = /^(?:src\/(?:protocol|views|workshop)\/|src\/tools\/index\.ts$|vscode$|vscode-languageclient(?:\/|$))/;
  assert.deepEqual(strangers("extension", (one) => allowed.test(one.to) || builtins.has(one.to)), []);
});

test("the command line reaches the server only to start it", () => {
  const wrong = strangers("cli", (one) => /^src\/(?:engine|protocol|tools|views|workshop)\//.test(one.to) || one.to === "src/server/stdio.ts" || one.to === "package.json" || builtins.has(one.to));
  assert.deepEqual(wrong, []);
});

/** What pages are made with. */
const pagePackages = ["preact", "preact/hooks"];

test("the webview imports only the protocol, the views and itself", () => {
  const wrong = importsOf(sourceFiles("webview/**/*.{ts,tsx}")).filter((one) => !/^(?:webview|src\/(?:protocol|views))\//.test(one.to) && !pagePackages.includes(one.to));
  assert.deepEqual(listed(wrong), []);
});

test("the index of a room opens with what the room is for", () => {
  const silent = sourceFiles("src/**/*.ts").filter((file) => basename(file) === "index.ts" && !readFileSync(join(root, file), "utf8").startsWith("/**"));
  assert.deepEqual(silent, []);
});
