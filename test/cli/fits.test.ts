import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { after, describe, it } from "node:test";
import Ajv from "ajv";
import { execa } from "execa";
import fitsSchema from "../../docs/schema/fits.schema.json" with { type: "json" };
import inspectSchema from "../../docs/schema/inspect.schema.json" with { type: "json" };
import type { FitReport, InspectReport } from "../../src/engine/model/index.ts";
import { fitText } from "../../src/cli/reporters/fitText.ts";

const root = path.resolve(import.meta.dirname, "../..");
const scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "abiding-fits-")));
after(() => fs.rmSync(scratch, { recursive: true }));

async function abiding(...args: readonly string[]): Promise<{ readonly status: number | undefined; readonly out: string; readonly err: string }> {
  const result = await execa(process.execPath, [path.join(root, "src/cli/main.ts"), ...args], { cwd: scratch, reject: false, env: { VIRTUAL_ENV: undefined, CONDA_PREFIX: undefined, HOME: scratch } });
  return { status: result.exitCode, out: result.stdout, err: result.stderr };
}

async function compile(output: string, source: string, ...flags: readonly string[]): Promise<string> {
  const file = path.join(scratch, output);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  await execa("g++", ["-shared", "-fPIC", "-x", "c++", "-", "-o", file, ...flags], { input: source });
  return file;
}

/** A libtorch folder whose libc10 exports what the text defines. */
async function libtorch(name: string, text: string): Promise<string> {
  const folder = path.join(scratch, name);
  fs.mkdirSync(path.join(folder, "share/cmake/Torch"), { recursive: true });
  fs.mkdirSync(path.join(folder, "include/torch"), { recursive: true });
  fs.writeFileSync(path.join(folder, "build-version"), "2.14.1+cpu\n");
  fs.writeFileSync(path.join(folder, "share/cmake/Torch/TorchConfig.cmake"), "");
  await compile(`${name}/lib/libc10.so`, text, "-Wl,-soname,libc10.so");
  await compile(`${name}/lib/libtorch_cpu.so`, "", "-Wl,-soname,libtorch_cpu.so", `-L${folder}/lib`, "-Wl,--no-as-needed", "-lc10");
  await compile(`${name}/lib/libtorch.so`, "", "-Wl,-soname,libtorch.so", `-L${folder}/lib`, "-Wl,--no-as-needed", "-ltorch_cpu", "-lc10");
  return folder;
}

const declared = "namespace c10 { void probe(int); }\n";
const user = `${declared}void run() { c10::probe(1); }`;

describe("abiding fits", async () => {
  const here = await libtorch("here", `${declared}void c10::probe(int) {}`);
  const newer = await libtorch("newer", "namespace c10 { void probe(long); void probe(long) {} }");
  const extension = await compile("ops.so", user, `-L${here}/lib`, "-lc10");

  it("ends with 0 where nothing conflicts, and never calls it compatible", async () => {
    const { status, out } = await abiding("fits", extension, "--against", here);
    assert.equal(status, 0, out);
    assert.match(out, /^No conflict with torch 2\.14\.1\+cpu found in what was checked\.$/m);
    assert.match(out, /^Not checked$/m);
    assert.doesNotMatch(out, /compatible/i);
  });

  it("ends with 1 on a conflict: what the loader would say, of which kind it is, and the nearest name", async () => {
    const { status, out } = await abiding("fits", extension, "--against", newer);
    assert.equal(status, 1, out);
    assert.match(out, /undefined symbol: _ZN3c105probeEi\n\s+c10::probe\(int\)/);
    assert.match(out, /1 symbol, another torch version/);
    assert.match(out, /c10::probe\(long\)/);
    assert.match(out, /error torch-symbols: /);
  });

  it("knows torch's own library by a link to it", async () => {
    const link = path.join(scratch, "libtorch_cpu.so");
    fs.symlinkSync(path.join(here, "lib/libtorch_cpu.so"), link);
    const { status, out } = await abiding("fits", link, "--against", here);
    assert.equal(status, 0, out);
    fs.rmSync(link);
    fs.copyFileSync(path.join(here, "lib/libtorch_cpu.so"), link);
    assert.match((await abiding("fits", link, "--against", here)).out, /SIGABRT/);
  });

  it("gives JSON of the published schema", async () => {
    const { status, out } = await abiding("fits", extension, "--against", newer, "--format", "json");
    assert.equal(status, 1);
    const report = JSON.parse(out) as FitReport;
    const validate = new Ajv({ strict: true, allowUnionTypes: true }).compile(fitsSchema);
    assert.ok(validate(report), JSON.stringify(validate.errors));
    assert.equal(report.verdict, "conflict");
    assert.deepEqual(report.missing.map(({ symbol, kind, nearest }) => [symbol, kind, nearest?.demangled]), [["_ZN3c105probeEi", "drift", "c10::probe(long)"]]);
    assert.deepEqual(report.findings.map((one) => [one.rule, one.severity]), [["torch-symbols", "error"]]);
  });

  it("ends with 2 and one sentence when it cannot run", async () => {
    fs.writeFileSync(path.join(scratch, "text.so"), "INPUT(-lc10)\n");
    for (const [args, message] of [
      [["fits"], /fits takes one file/],
      [["fits", "a.so", "b.so"], /fits takes one file/],
      [["fits", "none.so", "--against", here], /none\.so does not exist/],
      [["fits", here, "--against", here], /here is a folder; name a shared library or a wheel/],
      [["fits", extension, "--against", here, "--rule", "stamp"], /--rule means nothing to fits/],
      [["inspect", extension, "--gpu", "9.0"], /--gpu means nothing to inspect/],
      [["environment", here, "--fail-on", "never"], /--fail-on means nothing to environment/],
      [["fits", "text.so", "--against", here], /text\.so/],
      [["fits", extension, "--against", here, "--against", newer], /compares with one torch, and got 2/],
      [["fits", extension, "--against", "torch==77.0"], /77\.0/],
      [["fits", extension, "--against", here, "--format", "sarif"], /--format must be one of text, json/],
      [["fits", extension, "--against", here, "--budget", "much"], /--budget must be a size such as 64MB; it is "much"/],
    ] as const) {
      const outcome = await abiding(...args);
      assert.equal(outcome.status, 2, args.join(" "));
      assert.equal(outcome.out, "");
      assert.match(outcome.err, message);
    }
  });
});

describe("abiding inspect", async () => {
  const extension = await compile("inspect/ops.so", user, "-Wl,-rpath,$ORIGIN/../torch/lib", "-Wl,--enable-new-dtags");

  it("says what a library needs, as text and as JSON of the published schema", async () => {
    const text = await abiding("inspect", extension);
    assert.equal(text.status, 0, text.err);
    assert.match(text.out, /runpath\s+\$ORIGIN\/\.\.\/torch\/lib/);
    assert.match(text.out, /imports\s+.*1 of torch \(unstable C\+\+\)/);
    const { out } = await abiding("inspect", extension, "--format", "json");
    const report = JSON.parse(out) as InspectReport;
    const validate = new Ajv({ strict: true, allowUnionTypes: true }).compile(inspectSchema);
    assert.ok(validate(report), JSON.stringify(validate.errors));
    assert.equal(report.binaries[0]?.profile.imports.torch, 1);
    assert.deepEqual(report.binaries[0]?.profile.runpath, ["$ORIGIN/../torch/lib"]);
  });

  it("says what a file is that it does not read", async () => {
    fs.writeFileSync(path.join(scratch, "module.so"), Buffer.from("MZ\u0090\0\u0003\0\0\0", "latin1"));
    const outcome = await abiding("inspect", "module.so");
    assert.equal(outcome.status, 2);
    assert.match(outcome.err, /module\.so .*Windows/);
  });
});

describe("the text of fits", () => {
  const empty: FitReport = {
    schema: 1, file: "/w/ops.whl", against: { torch: "2.8.0", source: "catalogue", name: "torch 2.8.0" }, verdict: "no-conflict", missing: [], missingDependencies: [], missingVersions: [],
    traits: [], releasesThatWouldDo: null, loaded: [], notChecked: [], findings: [], members: [],
  };
  const quiet = { file: "/w/ops.whl/ops/_C.so", verdict: "no-conflict", missing: [], missingDependencies: [], missingVersions: [], traits: [], releasesThatWouldDo: null, loaded: [], notChecked: [] } as const;

  it("names the quiet libraries of a wheel in one line, below the wheel", () => {
    assert.match(fitText({ ...empty, members: [quiet, { ...quiet, file: "/w/ops.whl/ops.libs/libz.so" }] }, false), /^ {2}No conflict found in all 2 libraries: ops\/_C\.so, ops\.libs\/libz\.so\.$/m);
    const other = { trait: "glibc", built: "2.40", installed: "2.36", agrees: false, weight: "error", because: "Too old.", evidence: [] } as const;
    const mixed = fitText({ ...empty, members: [quiet, { ...quiet, file: "/w/ops.whl/ops/b.so", traits: [other] }] }, false);
    assert.match(mixed, /^ops\/b\.so$/m);
    assert.match(mixed, /^ {2}No conflict found in 1 of 2 libraries: ops\/_C\.so\.$/m);
    assert.match(mixed, /^Nothing was found that keeps it from loading with torch 2\.8\.0, but they disagree\.$/m);
  });

  it("gives a reason once: with the finding, or beside the value", () => {
    const trait = { trait: "glibc-version", built: "2.40", installed: "2.36", agrees: false, weight: "error", because: "Too old a glibc.", evidence: [] } as const;
    assert.match(fitText({ ...empty, members: [{ ...quiet, traits: [trait] }] }, false), /Too old a glibc\./);
    const finding = { rule: "glibc-version", severity: "error", message: "It needs another glibc.", docs: "" } as const;
    assert.doesNotMatch(fitText({ ...empty, findings: [finding], members: [{ ...quiet, traits: [trait] }] }, false), /Too old a glibc\./);
  });

  it("tells which releases would do only when something is missing", () => {
    const missing = { symbol: "_ZN3c101fEv", demangled: "c10::f()", binding: "global", kind: "drift", because: "Gone." } as const;
    const text = fitText({ ...empty, verdict: "conflict", members: [{ ...quiet, verdict: "conflict", missing: [missing], releasesThatWouldDo: ["2.1.0", "2.1.1"] }] }, false);
    assert.match(text, /Torch releases that export all that it needs: 2\.1\.0, 2\.1\.1\./);
    assert.match(fitText({ ...empty, verdict: "conflict", members: [{ ...quiet, verdict: "conflict", missing: [missing], releasesThatWouldDo: [] }] }, false), /No recorded torch release exports all that it needs\./);
  });
});
