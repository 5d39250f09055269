/** Environments on disk, as they are laid out: NVIDIA's wheels beside torch, Debian's shared folder, another machine's files. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { openElf } from "../../../src/engine/binaries/elf/index.ts";
import { NodeFiles } from "../../../src/engine/files/index.ts";
import { environmentOf, fit } from "../../../src/engine/fit/index.ts";
import type { FitEnvironment, FitResult, SymbolHistory } from "../../../src/engine/fit/index.ts";
import { built, fact, installed, options } from "./fakes.ts";

const files = new NodeFiles();
let root = "";

before(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "abiding-environment-")));
});

after(() => rmSync(root, { recursive: true, force: true }));

function compile(output: string, source: string, soname: string | undefined, ...flags: readonly string[]): string {
  mkdirSync(dirname(output), { recursive: true });
  writeFileSync(join(root, "source.c"), source);
  execFileSync("g++", ["-x", "c", join(root, "source.c"), "-x", "none", "-shared", "-fPIC", "-o", output, ...(soname === undefined ? [] : [`-Wl,-soname,${soname}`]), "-Wl,--no-as-needed,--allow-shlib-undefined", ...flags], { stdio: "pipe" });
  return output;
}

function load(file: string, environment: FitEnvironment, history?: SymbolHistory): FitResult {
  const opened = openElf(file, files);
  assert.ok(opened.ok);
  return fit(built({ path: file }), opened.elf, environment, { ...options, ...(history === undefined ? {} : { history }) });
}

test("torch opens NVIDIA's libraries by path; others of them lie where the loader does not look", () => {
  const site = join(root, "venv", "lib", "python3.11", "site-packages");
  const cudart = compile(join(site, "nvidia", "cu13", "lib", "libcudart.so.13"), "void cudaMalloc(void) {}", "libcudart.so.13");
  const jpeg = compile(join(site, "nvidia", "cu13", "lib", "libnvjpeg.so.13"), "void nvjpegCreate(void) {}", "libnvjpeg.so.13");
  compile(join(site, "torch", "lib", "libtorch_cuda.so"), "", "libtorch_cuda.so");
  const body = installed([], { torchRoot: join(site, "torch"), facts: [fact("torch-version", "2.14.1+cu130"), fact("cuda-version", "13.0")] });
  const environment = environmentOf(body, files, { environment: {} });
  assert.deepEqual(environment.preloaded?.map((one) => one.path), [cudart]);
  assert.ok(environment.notKnown.includes(`No interpreter lies beside the torch in ${join(site, "torch")}: names of CPython's C API are not checked.`));
  const whole: FitEnvironment = { ...environment, body: { ...body, source: "libtorch" } };
  const ops = load(compile(join(root, "ops.so"), "void cudaMalloc(void); void nvjpegCreate(void); void run(void) { cudaMalloc(); nvjpegCreate(); }", undefined, cudart, jpeg), whole);
  assert.deepEqual(ops.missingDependencies.map((one) => [one.name, one.providedBy]), [["libnvjpeg.so.13", "nvidia-nvjpeg"]]);
  assert.match(ops.missingDependencies[0]?.because ?? "", new RegExp(`It lies in ${dirname(jpeg)}, where the loader does not look for it`));
  assert.equal(ops.loaded.find((one) => one.name === "libcudart.so.13")?.how, "loaded by import torch");
});

test("Debian's torch: links in torch/lib, libraries with versions in a shared folder, below any root", () => {
  const shared = join(root, "debian", "usr", "lib", "x86_64-linux-gnu");
  const torchRoot = join(root, "debian", "usr", "lib", "python3", "dist-packages", "torch");
  const c10 = compile(join(shared, "libc10.so.1.13.0"), "void c10_function(void) {}", "libc10.so.1.13");
  symlinkSync("libc10.so.1.13.0", join(shared, "libc10.so.1.13"));
  symlinkSync("libc10.so.1.13", join(shared, "libc10.so"));
  mkdirSync(join(torchRoot, "lib"), { recursive: true });
  symlinkSync(join(shared, "libc10.so.1.13"), join(torchRoot, "lib", "libc10.so"));
  const body = installed([], { torchRoot, facts: [fact("torch-version", "1.13.1"), fact("torch-channel", "debian")] });
  const environment = environmentOf(body, files, { environment: {} });
  assert.deepEqual(environment.torchLibraries.map((one) => [one.path, one.soname]), [[c10, "libc10.so.1.13"]]);
  const history: SymbolHistory = { releases: ["1.13.1"], source: "test", releasesExporting: () => ["1.13.1"] };
  const extension = compile(join(root, "debian-ops.so"), "void c10_function(void); void _ZN3c101fEv(void); void run(void) { c10_function(); _ZN3c101fEv(); }", undefined, c10);
  const result = load(extension, environment, history);
  assert.deepEqual(result.traits.filter((one) => one.trait === "two-libtorch"), []);
  assert.deepEqual(result.missing.map((one) => one.symbol), ["_ZN3c101fEv"]);
  // No official wheel has a libc10.so.1.13, whatever it exports.
  assert.deepEqual(result.releasesThatWouldDo, []);
});

test("a torch for another machine is known by its own libraries alone", () => {
  const foreign = process.arch === "arm64" ? "linux-x86_64" : "linux-aarch64";
  const environment = environmentOf(installed([], { torchRoot: join(root, "nowhere"), facts: [fact("platform", foreign)] }), files, { environment: {} });
  assert.equal(environment.machine, undefined);
  assert.match(environment.notKnown[0] ?? "", new RegExp(`is for ${foreign}, which this machine is not`));
});

test("LD_LIBRARY_PATH that leads import torch to another torch, and LD_PRELOAD, are said", () => {
  const site = join(root, "variables", "site-packages");
  compile(join(site, "torch", "lib", "libc10.so"), "", "libc10.so");
  compile(join(site, "torch", "lib", "libtorch_python.so"), "", "libtorch_python.so", join(site, "torch", "lib", "libc10.so"), "-Wl,--enable-new-dtags,-rpath,$ORIGIN");
  const other = compile(join(root, "other", "libc10.so"), "", "libc10.so");
  const environment = environmentOf(installed([], { torchRoot: join(site, "torch") }), files, { environment: { LD_LIBRARY_PATH: join(root, "other"), LD_PRELOAD: "/x.so" } });
  const result = load(compile(join(root, "plain.so"), "", undefined), environment);
  assert.ok(result.notChecked.includes("LD_PRELOAD is set to /x.so; what it brings is not part of the model."));
  assert.ok(result.notChecked.some((one) => one.startsWith(`import torch itself would load ${other} (LD_LIBRARY_PATH) in the place of its own`)));
});
