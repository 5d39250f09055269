/** Environments: of a Python, of a terminal, compared, and as a command line that can be copied. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { commandLine, environmentDifference, pythonEnvironment, runProcess, shown, terminalEnvironment } from "../../../src/workshop/process/index.ts";
import type { Command, Variables } from "../../../src/workshop/process/types.ts";
import { environment, scratch } from "./support.ts";

test("differences are told by variable, lists by entry, secrets not at all", () => {
  const before = { SAME: "1", GONE: "x", PATH: "/a:/b:/c", PYTHONPATH: "/p", GITHUB_TOKEN: "abc", NAME: "1", MYLIB_DIRS: "/x:/y" };
  const after = { SAME: "1", NEW: "y", PATH: "/v/bin:/a:/c", PYTHONPATH: "/p", GITHUB_TOKEN: "def", AWS_SECRET_ACCESS_KEY: "s", NAME: "2", MYLIB_DIRS: "/y:/x", PIP_INDEX_URL: "https://me:pass@host/simple" };
  assert.deepEqual(environmentDifference(before, after), [
    { name: "AWS_SECRET_ACCESS_KEY", kind: "set", after: "(not shown)" },
    { name: "GITHUB_TOKEN", kind: "changed", before: "(not shown)", after: "(not shown)" },
    { name: "GONE", kind: "unset", before: "x" },
    { name: "MYLIB_DIRS", kind: "changed", before: "/x:/y", after: "/y:/x", added: [], removed: [] },
    { name: "NAME", kind: "changed", before: "1", after: "2" },
    { name: "NEW", kind: "set", after: "y" },
    { name: "PATH", kind: "changed", before: "/a:/b:/c", after: "/v/bin:/a:/c", added: ["/v/bin"], removed: ["/b"] },
    { name: "PIP_INDEX_URL", kind: "set", after: "https://(not shown)@host/simple" },
  ]);
  assert.deepEqual(environmentDifference(after, after), []);
  for (const name of ["token", "DB_PASSWORD", "SSH_KEY", "MY_CREDENTIALS"]) assert.equal(shown(name, "x"), "(not shown)");
});

test("a venv's environment is the one that its own activate makes", () => {
  using folder = scratch();
  execFileSync("python3", ["-m", "venv", "--without-pip", join(folder.path, "venv")]);
  const base: Variables = { PATH: "/usr/bin:/bin", PYTHONHOME: "/somewhere", OTHER: "1" };
  const script = `. ${folder.path}/venv/bin/activate; env -0`;
  const activated = Object.fromEntries(execFileSync("/bin/bash", ["--norc", "-c", script], { env: base, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).split("\0").filter((entry) => entry !== "").map((entry) => [entry.slice(0, entry.indexOf("=")), entry.slice(entry.indexOf("=") + 1)]));
  const ours = pythonEnvironment(base, join(folder.path, "venv/bin/python"));
  for (const name of ["PATH", "VIRTUAL_ENV", "PYTHONHOME", "OTHER"]) assert.equal(ours[name], activated[name], name);
  assert.deepEqual(Object.keys(ours).sort(), ["OTHER", "PATH", "VIRTUAL_ENV", "VIRTUAL_ENV_PROMPT"]);
  assert.deepEqual(pythonEnvironment(ours, join(folder.path, "venv/bin/python")), ours, "twice is once");
});

test("a conda prefix's environment takes the place of what was active; a system Python changes nothing", () => {
  using folder = scratch();
  const prefix = join(folder.path, "envs/torch");
  mkdirSync(join(prefix, "conda-meta"), { recursive: true });
  const base = { PATH: "/old/bin:/v/bin:/usr/bin", VIRTUAL_ENV: "/v", CONDA_PREFIX: "/old", CONDA_DEFAULT_ENV: "old", CONDA_EXE: "/c/bin/conda" };
  assert.deepEqual(pythonEnvironment(base, join(prefix, "bin/python")), { PATH: `${prefix}/bin:/usr/bin`, CONDA_PREFIX: prefix, CONDA_DEFAULT_ENV: "torch", CONDA_EXE: "/c/bin/conda" });
  mkdirSync(join(folder.path, "usr/bin"), { recursive: true });
  assert.equal(pythonEnvironment(base, join(folder.path, "usr/bin/python3")), base);
});

test("the command line, parsed by a shell, is the command again", () => {
  using folder = scratch();
  const odd = ["plain", "", " ", "a'b", "\"", "$HOME `id` \\", "*?[x]~", "é\nnew line\t", "-DX=\"y z\"", "A=1", "#x", "!", "a;b|c&d<e>(f){g}"];
  const asked: Command = { file: "/usr/bin/printf", arguments: ["%s\\0", ...odd], folder: folder.path, environment };
  for (const parse of ["/bin/sh", "/bin/bash"]) assert.deepEqual(execFileSync(parse, ["-c", commandLine(asked, { shell: "sh" })], { encoding: "utf8" }).split("\0").slice(0, -1), odd);
  assert.equal(commandLine({ ...asked, file: "cmake", arguments: ["--build", "/a b", "-DX=1"] }, { shell: "sh" }), "cmake --build '/a b' -DX=1");
  const assignment = join(folder.path, "A=1");
  symlinkSync("/bin/echo", assignment);
  assert.equal(execFileSync("/bin/sh", ["-c", commandLine({ ...asked, file: "A=1", arguments: ["x"] }, { shell: "sh" })], { encoding: "utf8", env: { PATH: folder.path } }), "x\n");
});

test("with folder and environment, pasted into the terminal it does the same; secrets are asked for", () => {
  using folder = scratch();
  mkdirSync(join(folder.path, "it's here"));
  const terminal = { PATH: "/usr/bin:/bin", GONE: "1", SAME: "s" };
  const wanted = { PATH: "/v/bin:/usr/bin:/bin", SAME: "s", NEW: "it's\nnew", "BASH_FUNC_x%%": "() { :; }" };
  const asked: Command = { file: "env", arguments: ["-0"], folder: join(folder.path, "it's here"), environment: wanted };
  const line = commandLine(asked, { shell: "sh", folder: true, environment: terminal });
  assert.equal(line, `cd '${folder.path}/it'\\''s here' && unset GONE && export NEW='it'\\''s\nnew' && export PATH=/v/bin:"$PATH" && env -0`);
  const entries = execFileSync("/bin/sh", ["-c", line], { encoding: "utf8", env: terminal }).split("\0").filter((entry) => entry !== "" && !/^(?:PWD|OLDPWD|_|SHLVL)=/.test(entry)).sort();
  assert.deepEqual(entries, ["NEW=it's\nnew", "PATH=/v/bin:/usr/bin:/bin", "SAME=s"]);

  const secret = commandLine({ ...asked, environment: { ...terminal, MY_TOKEN: "abc" } }, { shell: "sh", environment: terminal });
  assert.equal(secret, ": \"${MY_TOKEN:?has a value that is not shown here: set it first}\" && env -0");
  const index = commandLine({ ...asked, environment: { ...terminal, PIP_INDEX_URL: "https://me:pass@host/simple" } }, { shell: "sh", environment: terminal });
  assert.equal(index, ": \"${PIP_INDEX_URL:?has a value that is not shown here: set it first}\" && env -0");
  assert.throws(() => execFileSync("/bin/sh", ["-c", secret], { env: terminal, stdio: "pipe" }), /MY_TOKEN: has a value that is not shown here: set it first/);
});

test("a command line for PowerShell", () => {
  const asked: Command = { file: "C:\\Program Files\\CMake\\bin\\cmake.exe", arguments: ["--build", "C:\\a b", "-DX=1", "it's", "$x", "-x y", "", "@a", "‘"], folder: "C:\\w", environment: { A: "1" } };
  assert.equal(commandLine(asked, { shell: "powershell", folder: true, environment: { B: "2" } }), "Set-Location -LiteralPath C:\\w; ${env:A} = '1'; Remove-Item -LiteralPath 'Env:B'; & 'C:\\Program Files\\CMake\\bin\\cmake.exe' --build 'C:\\a b' -DX=1 'it''s' '$x' '-x y' '' '@a' '‘‘'");
  assert.equal(commandLine({ ...asked, file: "cmake", arguments: [] }, { shell: "powershell" }), "cmake");
});

test("a terminal's environment is what the login shell makes of it", async () => {
  using folder = scratch();
  folder.file(".profile", "echo hello from the profile\nexport FROM_PROFILE='two\nlines'\nPATH=/profile/bin:$PATH\n");
  const told = await terminalEnvironment({ HOME: folder.path, PATH: "/usr/bin:/bin", SHELL: "/bin/sh", KEPT: "1" });
  assert.equal("environment" in told, true);
  const variables = "environment" in told ? told.environment : {};
  assert.deepEqual([variables["FROM_PROFILE"], variables["KEPT"], variables["ABIDING_RUN"], variables["TERM"]], ["two\nlines", "1", undefined, undefined]);
  // What /etc/profile makes of PATH is the system's affair.
  assert.match(variables["PATH"] ?? "", /^\/profile\/bin:/);
});

test("a login shell that does not work is told, not thrown", async () => {
  using folder = scratch();
  const shellFile = folder.file("shell", "#!/bin/sh\nexit 3\n", 0o755);
  assert.deepEqual(await terminalEnvironment({ HOME: folder.path, PATH: "/usr/bin:/bin", SHELL: shellFile }), { problem: `The login shell ${shellFile} ended with exit code 3 and printed no environment.` });
  const text = folder.file("text", "x");
  const told = await terminalEnvironment({ HOME: folder.path, SHELL: text });
  assert.match("problem" in told ? told.problem : "", new RegExp(`^The login shell ${text} could not be started: ${text} may not be executed`));
});

test("what is run for a Python finds that Python", async () => {
  using folder = scratch();
  execFileSync("python3", ["-m", "venv", "--without-pip", join(folder.path, "venv")]);
  const result = await runProcess({ file: "python", arguments: ["-c", "import sys; print(sys.prefix)"], folder: folder.path, environment: pythonEnvironment(environment, join(folder.path, "venv/bin/python")) });
  assert.equal(result.stdout.text, `${folder.path}/venv\n`);
});
