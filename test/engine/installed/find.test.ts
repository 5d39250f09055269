import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { loadCatalogue } from "../../../src/engine/catalogue/index.ts";
import { describeDefault, findEnvironments } from "../../../src/engine/installed/index.ts";
import type { Surroundings } from "../../../src/engine/installed/index.ts";
import { MemoryFiles } from "../../support/memory-files.ts";

const catalogue = loadCatalogue();

function venv(prefix: string, torch?: string): Record<string, string> {
  const site = `${prefix}/lib/python3.11/site-packages`;
  return {
    [`${prefix}/pyvenv.cfg`]: "home = /py/3.11.7/bin\nversion = 3.11.7\n",
    [`${prefix}/bin/python`]: "",
    ...(torch === undefined ? {} : { [`${site}/torch/__init__.py`]: "", [`${site}/torch/version.py`]: `__version__ = '${torch}'\n` }),
  };
}

function installation(prefix: string, torch?: string): Record<string, string> {
  const site = `${prefix}/lib/python3.11/site-packages`;
  return {
    [`${prefix}/lib/python3.11/os.py`]: "",
    [`${prefix}/bin/python3.11`]: "",
    ...(torch === undefined ? {} : { [`${site}/torch/__init__.py`]: "", [`${site}/torch/version.py`]: `__version__ = '${torch}'\n` }),
  };
}

function surroundings(contents: Record<string, string>, environment: Record<string, string>, more: Partial<Surroundings> = {}, links: Record<string, string> = {}): Surroundings {
  return { root: "/w", files: new MemoryFiles(contents, links), catalogue, environment, ...more };
}

describe("findEnvironments", () => {
  it("lists the chosen, the active, the workspace's, those on PATH and others, each once", () => {
    const where = surroundings(
      { ...venv("/w/.venv"), ...venv("/w/build-env"), ...venv("/active"), ...venv("/chosen"), ...installation("/opt/py"), ...installation("/home/me/.pyenv/versions/3.11.9"), "/home/me/.conda/environments.txt": "/conda/envs/x\nrelative\n", "/conda/envs/x/conda-meta/history": "", "/conda/envs/x/lib/python3.10/os.py": "" },
      { VIRTUAL_ENV: "/active", PATH: "/active/bin:/opt/py/bin:relative", HOME: "/home/me" },
      { interpreter: "/chosen/bin/python" },
      { "/opt/py/bin/python3": "python3.11" },
    );
    assert.deepEqual(findEnvironments(where).map((one) => [one.path, one.origin, one.kind, one.pythonVersion]), [
      ["/chosen", "interpreter", "venv", "3.11"],
      ["/active", "VIRTUAL_ENV", "venv", "3.11"],
      ["/w/.venv", "workspace", "venv", "3.11"],
      ["/w/build-env", "workspace", "venv", "3.11"],
      ["/opt/py", "PATH", "installation", "3.11"],
      ["/conda/envs/x", "other", "conda", "3.10"],
      ["/home/me/.pyenv/versions/3.11.9", "other", "installation", "3.11"],
    ]);
  });

  it("resolves a shim of pyenv by the workspace's .python-version", () => {
    const where = surroundings(
      { ...installation("/home/me/.pyenv/versions/3.11.4"), ...installation("/home/me/.pyenv/versions/3.11.12"), "/home/me/.pyenv/shims/python3": "#!/bin/sh\n", "/home/me/.pyenv/version": "system\n", "/w/.python-version": "3.11\n" },
      { PATH: "/home/me/.pyenv/shims" },
    );
    assert.deepEqual(findEnvironments(where).map((one) => [one.path, one.origin]), [["/home/me/.pyenv/versions/3.11.12", "PATH"]]);
  });
});

describe("describeDefault", () => {
  it("takes the interpreter that the folder's editor settings name", () => {
    const contents = { ...venv("/w/.venv", "2.8.0"), ...venv("/w/tools/env", "2.9.0") };
    const named = (interpreter: string): string | undefined => describeDefault(surroundings({ ...contents, "/w/.vscode/settings.json": `{ // mine\n "python.defaultInterpreterPath": "${interpreter}", }` }, {}))?.name;
    assert.equal(named("${workspaceFolder}/tools/env/bin/python"), "/w/tools/env");
    assert.equal(named("tools/env"), "/w/tools/env");
    assert.equal(named("python3"), "/w/.venv");
    assert.equal(named("${env:HOME}/x/bin/python"), "/w/.venv");
  });

  it("asks the chosen interpreter alone", () => {
    const contents = { ...venv("/w/.venv", "2.8.0"), ...venv("/chosen") };
    assert.equal(describeDefault(surroundings(contents, {}, { interpreter: "/chosen/bin/python" })), undefined);
    assert.equal(describeDefault(surroundings({ ...contents, ...venv("/chosen", "2.9.0") }, {}, { interpreter: "/chosen/bin/python" }))?.name, "/chosen");
  });

  it("takes the first environment with torch, and none that only lies about", () => {
    const contents = { ...venv("/active"), ...venv("/w/.venv", "2.8.0"), ...installation("/home/me/.pyenv/versions/3.11.9", "2.1.0") };
    assert.equal(describeDefault(surroundings(contents, { VIRTUAL_ENV: "/active", HOME: "/home/me" }))?.name, "/w/.venv");
    assert.equal(describeDefault(surroundings(installation("/home/me/.pyenv/versions/3.11.9", "2.1.0"), { HOME: "/home/me" })), undefined);
  });

  it("finds Debian's torch", () => {
    const where = surroundings({ ...installation("/usr"), "/usr/lib/python3/dist-packages/torch/__init__.py": "", "/usr/lib/python3/dist-packages/torch/version.py": "__version__ = '1.13.0a0'\n" }, {});
    assert.equal(describeDefault(where)?.torchRoot, "/usr/lib/python3/dist-packages/torch");
  });
});
