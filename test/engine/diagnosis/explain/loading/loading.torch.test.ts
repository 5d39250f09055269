/** What a real torch's process says of files that it cannot load, and what is made of it with that environment. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { describe, it } from "node:test";
import { fitReader } from "../../../../../src/engine/diagnosis/explain/fitReader.ts";
import { explain } from "../../../../../src/engine/diagnosis/explain/index.ts";
import { openEnvironment } from "../../../../../src/engine/diagnosis/index.ts";
import { NodeFiles } from "../../../../../src/engine/files/index.ts";
import type { ExplainVerdict } from "../../../../../src/engine/model/index.ts";
import { compile, temporaryFolder } from "../../../binaries/elf/compile.ts";
import { catalogue } from "./reading.ts";

const prefix = process.env["ABIDING_TEST_TORCH"] ?? "";
const enabled = { skip: prefix === "" ? "ABIDING_TEST_TORCH names no environment" : false };
const folder = temporaryFolder();
const files = new NodeFiles();

function python(code: string, environment: NodeJS.ProcessEnv = {}): string {
  const { stderr } = spawnSync(path.join(prefix, "bin", "python"), ["-W", "ignore", "-c", code], { cwd: folder, encoding: "utf8", env: { ...process.env, LD_LIBRARY_PATH: "", ...environment } });
  return stderr;
}

async function explained(text: string): Promise<ExplainVerdict> {
  const opened = await openEnvironment(prefix, { root: folder, files, catalogue, environment: {} });
  assert.ok(opened.ok);
  const { environment } = opened;
  const { verdicts } = await explain(text, { catalogue, environment, fit: fitReader({ environment, catalogue, files, roots: [folder] }) });
  const [first] = verdicts;
  assert.ok(first !== undefined, text);
  return first;
}

describe("a real process", enabled, () => {
  it("libraries of torch before torch", async () => {
    const file = compile(folder, "early.so", 'extern "C" int early() { return 1; }', "-Wl,--no-as-needed", "-L" + path.join(torchFolder(), "lib"), "-lc10");
    const verdict = await explained(python(`import ctypes; ctypes.CDLL("${file}")`));
    assert.deepEqual([verdict.cause, verdict.confidence], ["torch-library-missing", "certain"]);
    assert.ok(verdict.because.some((one) => one.includes(path.join(torchFolder(), "lib"))));
  });

  it("a library that torch.ops.load_library does not find is told with the file that needs it", async () => {
    const needed = compile(folder, "libown_needed.so.3", "int own_needed() { return 1; }", "-Wl,-soname,libown_needed.so.3");
    const file = compile(folder, "late.so", "int own_needed(); int late() { return own_needed(); }", needed);
    fs.rmSync(needed);
    const verdict = await explained(python(`import torch; torch.ops.load_library("${file}")`));
    assert.deepEqual([verdict.cause, verdict.confidence, verdict.file], ["library-missing", "certain", file]);
    assert.equal(verdict.fit?.missingDependencies[0]?.name, "libown_needed.so.3");
  });

  it("a file for another processor", async () => {
    const file = compile(folder, "foreign.so", "int foreign() { return 1; }");
    const bytes = fs.readFileSync(file);
    bytes.writeUInt16LE(183, 18);
    fs.writeFileSync(file, bytes);
    const text = python(`import ctypes; ctypes.CDLL("${file}")`);
    assert.match(text, /cannot open shared object file: No such file or directory/);
    const verdict = await explained(text);
    assert.deepEqual([verdict.cause, verdict.confidence], ["wrong-architecture", "certain"]);
  });
});

function torchFolder(): string {
  const lib = path.join(prefix, "lib");
  const [version = ""] = fs.readdirSync(lib).filter((name) => /^python3\.\d+$/.test(name));
  return path.join(lib, version, "site-packages", "torch");
}
