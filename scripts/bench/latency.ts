/**
 * Key strokes to diagnostics, over LSP on stdio against the bundled server: edits inside a flag string of the root
 * CMakeLists.txt and of setup.py, each followed by a pull of that document's diagnostics, in a workspace as large as
 * pytorch's own tree and in an ordinary extension project; then hovers, the server's memory, and how long it takes to start.
 *
 *   npm run bench -- latency [--edits N] [--profile]    (--profile writes a CPU profile of the server to dist/bench/)
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { execa } from "execa";
import { root } from "../../test/harness/locations.ts";
import { LspClient, folderOf } from "../../test/server/support/client.ts";
import { exampleSetup } from "./lib/pythonTexts.ts";
import { report } from "./lib/report.ts";
import type { Measurement } from "./lib/report.ts";
import { writeLargeWorkspace } from "./lib/workspace.ts";

const { values: options } = parseArgs({ options: { edits: { type: "string", default: "100" }, profile: { type: "boolean", default: false } } });
const edits = Number(options.edits);
const against = "torch==2.8.0+cu128";

await execa(process.execPath, [join(root, "scripts", "build.ts")], { stdio: ["ignore", "inherit", "inherit"] });
const server = join(root, "dist", "server.js");
/** As in src/extension/client.ts. */
const memoryArguments = ["--max-old-space-size=1024", "--max-semi-space-size=4"];
if (options.profile) process.env.NODE_OPTIONS = `--cpu-prof --cpu-prof-dir=${join(root, "dist", "bench")}`;

const measurements: Measurement[] = [];
const large = writeLargeWorkspace();
try {
  await measure("pytorch-sized", large.root, { most: 20, memory: 200 });
} finally {
  large.remove();
}
const small = folderOf({
  "CMakeLists.txt": 'cmake_minimum_required(VERSION 3.18)\nproject(ops LANGUAGES CXX)\nset(CMAKE_CXX_STANDARD 17)\nset(CMAKE_CXX_FLAGS "${CMAKE_CXX_FLAGS} -D_GLIBCXX_USE_CXX11_ABI=1")\nfind_package(Torch REQUIRED)\nadd_library(ops SHARED ops.cpp)\ntarget_link_libraries(ops PRIVATE ${TORCH_LIBRARIES})\n',
  "setup.py": exampleSetup,
  "ops.cpp": "#include <torch/extension.h>\n",
});
try {
  await measure("extension", small.root, { most: 20, memory: 200 });
} finally {
  small.remove();
}
report("latency", measurements, { workspace: { files: large.files, cmakeFiles: large.cmakeFiles, pythonFiles: large.pythonFiles, sources: large.sources }, against });

async function measure(name: string, folder: string, target: { readonly most: number; readonly memory: number }): Promise<void> {
  const started = performance.now();
  const client = await LspClient.start({ folders: [folder], settings: () => ({ environment: against }), command: [...memoryArguments, server, "--stdio"] });
  measurements.push({ what: `${name}: initialize`, unit: "ms", values: [performance.now() - started] });
  for (const [file, language] of [["CMakeLists.txt", "cmake"], ["setup.py", "python"]] as const) {
    const path = join(folder, file);
    const text = readFileSync(path, "utf8");
    const opened = performance.now();
    await client.open(path, text, language);
    await client.pull(path);
    measurements.push({ what: `${name}: open ${file} to diagnostics`, unit: "ms", values: [performance.now() - opened] });
    const offset = text.indexOf("_GLIBCXX_USE_CXX11_ABI=1") + "_GLIBCXX_USE_CXX11_ABI=".length;
    const line = text.slice(0, offset).split("\n").length - 1;
    const character = offset - (text.lastIndexOf("\n", offset) + 1);
    const times: number[] = [];
    for (let index = 0; index < edits; index++) {
      const from = performance.now();
      await client.change(path, { range: { start: { line, character }, end: { line, character: character + 1 } }, text: String(index % 2) });
      const answer = await client.pull(path);
      times.push(performance.now() - from);
      if (answer.kind !== "full") throw new Error(`${file}: the answer to a changed text was "${answer.kind}".`);
    }
    measurements.push({ what: `${name}: key stroke in ${file} to diagnostics`, unit: "ms", values: times, quantile: 0.95, atMost: target.most });
    const hovers: number[] = [];
    for (let index = 0; index < edits; index++) {
      const from = performance.now();
      await client.hover(path, { line, character: character - (index % 10) - 2 });
      hovers.push(performance.now() - from);
    }
    measurements.push({ what: `${name}: hover in ${file}`, unit: "ms", values: hovers, quantile: 0.95, atMost: 5 });
  }
  measurements.push({ what: `${name}: memory of the server`, unit: "MB", values: [residentMegabytes(client.process.pid)], atMost: target.memory });
  await client.stop();
}

/** Resident set of a process; Linux only. */
function residentMegabytes(pid: number | undefined): number {
  const status = readFileSync(`/proc/${String(pid)}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? Number.NaN) / 1024;
}
