import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { after, describe, it } from "node:test";
import { Ajv } from "ajv";
import { execa } from "execa";
import checkSchema from "../../docs/schema/check.schema.json" with { type: "json" };
import { writeFiles, writeTorch, writeVenv } from "../support/fake-torch.ts";
import { writeExtension } from "../support/small-extension.ts";

const root = path.resolve(import.meta.dirname, "../..");
const scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "abiding-cli-built-")));
after(() => fs.rmSync(scratch, { recursive: true }));

const venv = path.join(scratch, "venv");
const site = writeVenv(venv, "3.11.2");
const torchRoot = path.join(site, "torch");
writeTorch(torchRoot, { version: "2.13.0+cpu", cuda: null, abi: 1 });
writeExtension(path.join(site, "good", "_C.abi3.so"), { abi: 1, torchRoot, module: "_C" });
writeFiles(path.join(site, "good-2.0.dist-info"), { METADATA: "Name: good\n", RECORD: "good/_C.abi3.so,,\n" });

async function abiding(cwd: string, ...args: readonly string[]): Promise<{ readonly status: number | undefined; readonly out: string; readonly err: string }> {
  const result = await execa(process.execPath, [path.join(root, "src/cli/main.ts"), ...args], { cwd, reject: false, env: { VIRTUAL_ENV: undefined, CONDA_PREFIX: undefined } });
  return { status: result.exitCode, out: result.stdout, err: result.stderr };
}

interface Report {
  readonly bodies: readonly { readonly role: string; readonly name: string; readonly path?: string; readonly origin?: string; readonly target?: string; readonly distribution?: string; readonly verdict?: string }[];
  readonly findings: readonly { readonly rule: string; readonly location: { readonly path: string } }[];
}

function reported(out: string): Report {
  const report = JSON.parse(out) as Report;
  const validate = new Ajv({ allErrors: true }).compile(checkSchema);
  assert.ok(validate(report), JSON.stringify(validate.errors));
  return report;
}

const builtOf = (report: Report) => report.bodies.filter((one) => one.role === "built").map(({ name, path: file, origin, target, distribution, verdict }) => ({ name, file, origin, target, distribution, verdict }));

describe("abiding check --environment", () => {
  it("ends with 0 and says what it looked at when all fits", async () => {
    const outcome = await abiding(scratch, "check", "--environment", "venv", "--fail-on", "warning");
    assert.equal(outcome.status, 0, outcome.out);
    assert.match(outcome.out, /checked against torch 2\.13\.0\+cpu .*\n1 installed library uses torch\n/);
    assert.match(outcome.out, /No conflict found in what was checked\./);
    assert.equal(outcome.err, "");
  });

  it("ends with 1 and names distribution and file when something does not", async () => {
    writeExtension(path.join(site, "bad", "_C.so"), { abi: 0, torchRoot, module: "_C" });
    writeFiles(path.join(site, "bad-1.0.dist-info"), { METADATA: "Name: bad\n", RECORD: "bad/_C.so,,\n" });
    const text = await abiding(scratch, "check", "--environment", "venv");
    assert.equal(text.status, 1);
    assert.match(text.out, /\nbad 1\.0\n\nerror libstdcxx-abi {2}venv\/lib\/python3\.11\/site-packages\/bad\/_C\.so\n/);
    const report = reported((await abiding(venv, "check", "--environment", ".", "--format", "json")).out);
    assert.deepEqual(report.findings.map((one) => [one.rule, one.location.path]), [["libstdcxx-abi", "lib/python3.11/site-packages/bad/_C.so"]]);
    assert.deepEqual(builtOf(report), [
      { name: "_C.so", file: "lib/python3.11/site-packages/bad/_C.so", origin: "installed", target: undefined, distribution: "bad 1.0", verdict: "conflict" },
      { name: "_C.abi3.so", file: "lib/python3.11/site-packages/good/_C.abi3.so", origin: "installed", target: undefined, distribution: "good 2.0", verdict: "no-conflict" },
    ]);
    assert.equal((await abiding(scratch, "check", "--environment", "venv", "--rule", "torch-symbols")).status, 0);
  });

  it("ends with 2 where there is no environment or no torch", async () => {
    const empty = path.join(scratch, "empty");
    writeVenv(empty, "3.11.2");
    for (const [args, message] of [[["nowhere"], /nowhere/], [["empty"], /No torch is installed in /], [["torch==2.8.0+cu128"], /is no environment with installed packages/], [["a", "b"], /check --environment takes one environment, and got 2/]] as const) {
      const outcome = await abiding(scratch, "check", "--environment", ...args);
      assert.equal(outcome.status, 2, args.join(" "));
      assert.match(outcome.err, message);
    }
  });
});

describe("abiding check", () => {
  it("lists built files with their target and verdict, and names the wheels that it did not open", async () => {
    const folder = path.join(scratch, "project");
    writeFiles(folder, {
      "setup.py": 'from setuptools import setup\nfrom torch.utils.cpp_extension import BuildExtension, CppExtension\nsetup(name="ops", ext_modules=[CppExtension("ops._C", ["ops.cpp"])], cmdclass={"build_ext": BuildExtension})\n',
      "ops.cpp": "", "dist/ops-1.0-py3-none-any.whl": "",
    });
    writeExtension(path.join(folder, "ops", "_C.abi3.so"), { abi: 0, torchRoot, module: "_C" });
    const outcome = await abiding(folder, "check", "--against", venv, "--format", "json");
    assert.equal(outcome.status, 1);
    const report = reported(outcome.out);
    assert.deepEqual(builtOf(report), [{ name: "_C.abi3.so", file: "ops/_C.abi3.so", origin: "beside-package", target: "ops._C", distribution: undefined, verdict: "conflict" }]);
    assert.deepEqual(report.findings.map((one) => [one.rule, one.location.path]), [["libstdcxx-abi", "setup.py"]]);
    assert.match((await abiding(folder, "check", "--against", venv)).out, /A wheel was not opened: dist\/ops-1\.0-py3-none-any\.whl\. `abiding fits FILE` looks into one\./);
  });
});
