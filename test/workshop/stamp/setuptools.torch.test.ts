/** A small torch extension: stamped, built by pip from its source distribution without isolation, imported, and met by another torch. */
import assert from "node:assert/strict";
import { copyFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { execa } from "execa";
import { root } from "../../harness/locations.ts";
import { Project } from "./support.ts";

const prefix = process.env["ABIDING_TEST_TORCH"];
const options = { skip: prefix === undefined ? "ABIDING_TEST_TORCH names no environment" : false };
const python = join(prefix ?? "", "bin", "python");

const project = new Project({
  "work/pyproject.toml": '[build-system]\nrequires = ["setuptools", "torch"]\nbuild-backend = "setuptools.build_meta"\n',
  "work/setup.py": `from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CppExtension

extensions = [CppExtension(f"mine.{name}", [f"csrc/{name}.cpp"], extra_compile_args={"cxx": ["-O0", "-Wall", "-Werror"]}) for name in ["_C"]]


if __name__ == "__main__":
    setup(name="mine", version="1.5", packages=["mine"], ext_modules=extensions, cmdclass={"build_ext": BuildExtension})
`,
  "work/csrc/_C.cpp": `#include <c10/core/DeviceType.h>
#include <pybind11/pybind11.h>
PYBIND11_MODULE(_C, m) {
  m.def("device", [] { return c10::DeviceTypeName(c10::DeviceType::CPU); });
}
`,
  "work/mine/__init__.py": '"""Mine."""\nimport sys\n\nif "bare" not in sys.argv:\n    import torch\n\ntry:\n    from ._C import device\nexcept ImportError as failure:\n    raise RuntimeError("mine is broken") from failure\n',
  "fake/torch/__init__.py": "raise SystemExit('torch was imported')\n",
});
after(() => project[Symbol.dispose]());
const at = (...parts: readonly string[]): string => join(project.path, ...parts);

async function abiding(...args: readonly string[]) {
  const { exitCode, stdout, stderr } = await execa(process.execPath, [join(root, "src/cli/main.ts"), ...args], { cwd: project.path, reject: false, env: { VIRTUAL_ENV: undefined, CONDA_PREFIX: undefined } });
  return { status: exitCode, out: stdout, err: stderr };
}

describe("a stamped extension of setuptools", options, () => {
  it("carries what its own compile, its torch, its Python and its pybind11 were", async () => {
    const before = await abiding("check", "work", "--against", prefix ?? "", "--format", "json");
    const stamped = await abiding("stamp", "work");
    assert.equal(stamped.status, 0, stamped.err);
    const checked = await abiding("check", "work", "--against", prefix ?? "", "--format", "json");
    const findings = (text: string): readonly string[] => (JSON.parse(text) as { readonly findings: readonly { readonly rule: string }[] }).findings.map(({ rule }) => rule);
    assert.deepEqual(findings(checked.out), findings(before.out), "the stamp is no new finding");

    // Only what the archive holds takes part in the build; setup.py's folder is not on sys.path there.
    await execa(python, ["-c", "from setuptools.build_meta import build_sdist; print(build_sdist('../dist'))"], { cwd: at("work") });
    await execa(python, ["-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "--no-index", "--disable-pip-version-check", "--wheel-dir", at("wheels"), at("dist", "mine-1.5.tar.gz")], { cwd: at() });
    const [wheel = ""] = readdirSync(at("wheels"));
    await execa(python, ["-m", "zipfile", "--extract", at("wheels", wheel), at("installed")]);
    const [library = ""] = readdirSync(at("installed", "mine")).filter((name) => name.endsWith(".so"));
    copyFileSync(at("installed", "mine", library), at("_C.so"));

    const inspected = JSON.parse((await abiding("inspect", `installed/mine/${library}`, "--format", "json")).out) as { readonly binaries: readonly [{ readonly profile: { readonly stamp: Readonly<Record<string, string>>; readonly pybind11?: unknown } }] };
    const { stamp } = inspected.binaries[0].profile;
    const { stdout } = await execa(python, ["-c", `
import importlib.util, json, re, runpy, sys
version = runpy.run_path(importlib.util.find_spec("torch").submodule_search_locations[0] + "/version.py")
bytes = open(${JSON.stringify(at("_C.so"))}, "rb").read()
print(json.dumps({"version": version["__version__"], "git": version["git_version"], "python": "cpython-%d%d" % sys.version_info[:2],
  "ids": sorted({one.decode() for one in re.findall(rb"__pybind11_internals_v[0-9A-Za-z_]+__", bytes)})}))`]);
    const here = JSON.parse(stdout) as { readonly version: string; readonly git: string; readonly python: string; readonly ids: readonly string[] };
    assert.deepEqual(
      { name: stamp["name"], version: stamp["version"], git: stamp["git"], torch: stamp["torch.version"], commit: stamp["torch.git"], kind: stamp["torch.abi"], abi: stamp["torch.cxx11_abi"], python: stamp["python.abi"], ids: [stamp["pybind11.internals"]] },
      { name: "mine._C", version: "1.5", git: "unknown", torch: here.version, commit: here.git, kind: "classic", abi: "1", python: here.python, ids: here.ids },
    );
  });

  it("is imported beside the torch that it was built with, and refused before another is imported", async () => {
    const good = await execa(python, ["-c", "import mine; print(mine.device())"], { cwd: at("installed"), reject: false });
    assert.deepEqual([good.exitCode, good.stdout], [0, "CPU"], good.stderr);
    const own = readFileSync(at("installed", "mine", "__init__.py"), "utf8");
    assert.match(own, /\nfrom \. import _abiding_check\n_abiding_check\.check\("mine\._C"\)\ntry:\n/);
    const site = (await execa(python, ["-c", "import importlib.util as u; print(u.find_spec('torch').submodule_search_locations[0])"])).stdout;
    project.write("fake/torch/version.py", readFileSync(join(site, "version.py"), "utf8").replace(/^__version__ = .*$/m, "__version__ = '2.11.2+cu128'"));
    const bad = await execa(python, ["-c", "import mine", "bare"], { cwd: at("installed"), reject: false, env: { PYTHONPATH: at("fake") } });
    assert.equal(bad.exitCode, 1);
    const last = bad.stderr.split("\n").at(-1) ?? "";
    assert.ok(last.startsWith("ImportError: mine._C ("), bad.stderr);
    assert.match(last, /\) was built with torch 2\.13\.0\S* \(git [0-9a-f]{12}\), and torch 2\.11\.2\+cu128 \(git [0-9a-f]{12}\) of \S*\/fake\/torch would load it\. /);
  });

  it("is told by fits and by check what it was built with", async () => {
    const [library = ""] = readdirSync(at("installed", "mine")).filter((name) => name.endsWith(".so"));
    const fits = await abiding("fits", `installed/mine/${library}`, "--against", "torch==2.11.0+cpu", "--format", "json");
    assert.equal(fits.status, 1);
    const { traits } = JSON.parse(fits.out) as { readonly traits: readonly { readonly trait: string; readonly built: string; readonly installed: string; readonly agrees: boolean }[] };
    const [stamp] = traits.filter(({ trait }) => trait === "stamp");
    assert.deepEqual([stamp?.installed, stamp?.agrees], ["2.11.0+cpu", false]);
    assert.match(stamp?.built ?? "", /^2\.13\.0/);
    copyFileSync(at("_C.so"), at("work", "mine", library));
    assert.ok(existsSync(at("work", "mine", library)));
    const check = await abiding("check", "work", "--against", "torch==2.11.0+cpu", "--rule", "stamp", "--format", "json");
    const { findings } = JSON.parse(check.out) as { readonly findings: readonly { readonly rule: string; readonly message: string; readonly location: { readonly path: string } }[] };
    assert.deepEqual(findings.map(({ rule, location }) => [rule, location.path]), [["stamp", "setup.py"]]);
    assert.ok(findings[0]?.message.includes(`mine/${library} carries a stamp of its build that does not hold for torch 2.11.0+cpu`), findings[0]?.message);
  });
});
