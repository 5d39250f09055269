import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { after, describe, it } from "node:test";
import { execa } from "execa";

const root = path.resolve(import.meta.dirname, "../..");
const scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "abiding-cli-")));
after(() => fs.rmSync(scratch, { recursive: true }));

interface Outcome {
  readonly status: number | undefined;
  readonly out: string;
  readonly err: string;
}

async function abiding(cwd: string, ...args: readonly string[]): Promise<Outcome> {
  const result = await execa(process.execPath, [path.join(root, "src/cli/main.ts"), ...args], { cwd, reject: false, env: { VIRTUAL_ENV: undefined, CONDA_PREFIX: undefined } });
  return { status: result.exitCode, out: result.stdout, err: result.stderr };
}

function project(name: string, files: Readonly<Record<string, string>>): string {
  const folder = path.join(scratch, name);
  for (const [file, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    fs.writeFileSync(path.join(folder, file), text);
  }
  return folder;
}

const setup = (standard: number): string => `from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CppExtension
setup(name="ops", ext_modules=[CppExtension("ops", ["ops.cpp"], extra_compile_args=["-std=c++${standard}"])], cmdclass={"build_ext": BuildExtension}, install_requires=["torch==2.14.1"])
`;
const against = ["--against", "torch==2.14.1+cu130"];

describe("abiding check", () => {
  const skewed = project("skewed", { "setup.py": setup(17), "ops.cpp": "#include <torch/extension.h>\n" });
  const healthy = project("healthy", { "setup.py": setup(20), "ops.cpp": "#include <torch/extension.h>\n" });

  it("ends with 1 when a finding reaches the level, else with 0", async () => {
    assert.equal((await abiding(skewed, "check", ...against)).status, 1);
    assert.equal((await abiding(skewed, "check", ...against, "--fail-on", "never")).status, 0);
    assert.equal((await abiding(healthy, "check", ...against, "--fail-on", "warning")).status, 0);
  });

  it("takes a folder or a file, and shows the findings of that file only", async () => {
    const whole = JSON.parse((await abiding(scratch, "check", "skewed", ...against, "--format", "json")).out) as { root: string; findings: { rule: string; location: object }[] };
    assert.equal(whole.root, skewed);
    assert.deepEqual(whole.findings.map((one) => [one.rule, one.location]), [["cxx-standard", { path: "setup.py", line: 3, column: 85, endLine: 3, endColumn: 97 }]]);
    const other = JSON.parse((await abiding(skewed, "check", "ops.cpp", ...against, "--format", "json")).out) as { findings: object[] };
    assert.deepEqual(other.findings, []);
  });

  it("runs one rule alone", async () => {
    assert.equal((await abiding(skewed, "check", ...against, "--rule", "native-arch")).status, 0);
  });

  it("writes the report to a file, without escape sequences", async () => {
    const file = path.join(scratch, "report.txt");
    assert.equal((await abiding(skewed, "check", ...against, "-o", file)).out, "");
    assert.match(fs.readFileSync(file, "utf8"), /error cxx-standard {2}setup\.py:3:85/);
  });

  it("ends with 2 and one sentence when it cannot run", async () => {
    for (const [args, message] of [
      [["check", "nowhere"], /nowhere does not exist/],
      [["check", "--format", "xml"], /--format must be one of text, json, sarif, github; it is "xml"/],
      [["check", "--rule", "cxx-standart"], /there is no such rule/],
      [["check", "--against", "torch==99.1"], /99\.1/],
      [["check", "--against", "torch==2"], /"torch==2" does not name one release/],
      [["check", "--against", "no/such/venv"], /no\/such\/venv/],
      [["check", "--colour"], /--colour/],
      [["chekc"], /There is no command "chekc"/],
    ] as const) {
      const outcome = await abiding(skewed, ...args);
      assert.equal(outcome.status, 2, args.join(" "));
      assert.equal(outcome.out, "", args.join(" "));
      assert.match(outcome.err, message);
      assert.doesNotMatch(outcome.err, /\n\s+at /);
    }
  });

  it("does not call it a success when abiding.json names a torch that nobody can read", async () => {
    const folder = project("unresolved", { "setup.py": setup(20), "ops.cpp": "#include <torch/extension.h>\n", "abiding.json": '{ "against": ["/nowhere"] }' });
    const outcome = await abiding(folder, "check");
    assert.equal(outcome.status, 2);
    assert.match(outcome.out, /\/nowhere does not exist/);
  });

  it("reads what it can of broken files and names them", async () => {
    const broken = project("broken", { "setup.py": setup(17), "ops.cpp": "#include <torch/extension.h>\n", "requirements.txt": "torch==2.14.1\n-r requirements.txt\n", "sub/CMakeLists.txt": "project(x)\n\0\0\0", "abiding.json": "{ oops" });
    fs.symlinkSync("..", path.join(broken, "sub", "loop"));
    const outcome = await abiding(broken, "check", ...against);
    assert.equal(outcome.status, 1);
    assert.match(outcome.out, /cxx-standard/);
    assert.match(outcome.out, /sub\/CMakeLists\.txt.*(?:NUL|binary)/s);
    assert.match(outcome.out, /abiding\.json.*not valid JSON/s);
  });
});

describe("abiding environment", () => {
  it("describes a release, and its profile serves as --against", async () => {
    const profile = path.join(scratch, "cluster.json");
    assert.equal((await abiding(scratch, "environment", "torch==2.8.0+cu128", "--format", "json", "-o", profile)).status, 0);
    const skewed = path.join(scratch, "skewed");
    const report = JSON.parse((await abiding(skewed, "check", "--against", profile, "--format", "json")).out) as { against: { torch: string; source: string } };
    assert.equal(report.against.torch, "2.8.0+cu128");
    assert.equal(report.against.source, "profile");
    const relative = JSON.parse((await abiding(scratch, "check", "skewed", "--against", "cluster.json", "--format", "json")).out) as { against: { torch: string } };
    assert.equal(relative.against.torch, "2.8.0+cu128");
  });

  it("ends with 2 when there is no torch", async () => {
    const outcome = await execa(process.execPath, [path.join(root, "src/cli/main.ts"), "environment"], { cwd: scratch, reject: false, env: { PATH: "", HOME: scratch }, extendEnv: false });
    assert.equal(outcome.exitCode, 2);
    assert.match(outcome.stderr, /No torch was found/);
  });
});

describe("abiding", () => {
  it("helps, tells its version, and fails without a command", async () => {
    assert.match((await abiding(scratch, "--help")).out, /^abiding: finds ABI and version skew/);
    assert.equal((await abiding(scratch, "--version")).out, (JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8")) as { version: string }).version);
    assert.equal((await abiding(scratch)).status, 2);
  });
});
