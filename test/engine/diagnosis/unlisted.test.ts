import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { after, describe, it } from "node:test";
import { loadCatalogue } from "../../../src/engine/catalogue/index.ts";
import { scanEnvironment } from "../../../src/engine/diagnosis/built/environmentScan.ts";
import type { Diagnosis } from "../../../src/engine/diagnosis/index.ts";
import { NodeFiles } from "../../../src/engine/files/index.ts";
import { describeEnvironment } from "../../../src/engine/installed/index.ts";
import { writeFiles, writeTorch, writeVenv } from "../../support/fake-torch.ts";
import { writeExtension } from "../../support/small-extension.ts";

const scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "abiding-unlisted-")));
after(() => fs.rmSync(scratch, { recursive: true }));

const catalogue = loadCatalogue();
const files = new NodeFiles();
const model = path.join(scratch, "torch");
writeTorch(model, { version: "2.13.0+cpu", cuda: null, abi: 1, configuredAbi: 1, pybind11Key: "v11_system_libstdcpp_gxx_abi_1xxx_use_cxx11_abi_1" });
const bad = path.join(scratch, "bad.so");
writeExtension(bad, { abi: 0, torchRoot: model, module: "_C" });
const good = path.join(scratch, "good.so");
writeExtension(good, { abi: 1, torchRoot: model, module: "_C" });
// Their RUNPATH leads to nothing from here on: they take the torch of their environment.
const template = path.join(scratch, "template");
fs.renameSync(model, template);

/** A venv with that torch in it, and a folder for projects beside it. */
class Place {
  readonly root = fs.mkdtempSync(path.join(scratch, "place-"));
  readonly venv = path.join(this.root, "venv");
  readonly site = writeVenv(this.venv, "3.11.2");

  constructor() {
    fs.cpSync(template, path.join(this.site, "torch"), { recursive: true });
    writeFiles(this.site, { "torch/_C.cpython-311-x86_64-linux-gnu.so": "", "torch-2.13.0+cpu.dist-info/METADATA": "Name: torch\nVersion: 2.13.0+cpu\n", "torch-2.13.0+cpu.dist-info/RECORD": "" });
  }

  put(library: string, ...names: readonly string[]): this {
    for (const name of names) {
      fs.mkdirSync(path.dirname(path.join(this.root, name)), { recursive: true });
      fs.copyFileSync(library, path.join(this.root, name));
    }
    return this;
  }

  editable(name: string, source: string): this {
    writeFiles(this.site, { [`${name}-0.1.dist-info/METADATA`]: `Name: ${name}\nVersion: 0.1\n`, [`${name}-0.1.dist-info/RECORD`]: `${name}-0.1.dist-info/METADATA,,\n`, [`${name}-0.1.dist-info/direct_url.json`]: JSON.stringify({ url: `file://${path.join(this.root, source)}`, dir_info: { editable: true } }) });
    return this;
  }

  scan(): Diagnosis {
    const body = describeEnvironment(this.venv, files, catalogue);
    assert.ok(body);
    const steps = scanEnvironment(body, { files, catalogue, environment: {} });
    for (;;) {
      const step = steps.next();
      if (step.done === true) {
        return step.value;
      }
    }
  }

  /** Errors as "rule file distribution". */
  errors(): readonly string[] {
    const { built, findings } = this.scan();
    return findings.filter((one) => one.severity === "error").map((one) => {
      const { distribution } = built.find(({ body }) => body.path === one.location.path) ?? {};
      return `${one.rule} ${path.relative(this.root, one.location.path).replace("venv/lib/python3.11/site-packages", "site")} ${distribution?.name ?? "-"}`;
    });
  }
}

const site = "venv/lib/python3.11/site-packages";
const suffix = "cpython-311-x86_64-linux-gnu.so";

describe("libraries of an environment that no RECORD lists", () => {
  it("are the modules of an editable project whose folder a .pth file adds", () => {
    const place = new Place().editable("ops", "src/ops").put(bad, `src/ops/ops/_C.${suffix}`);
    writeFiles(place.site, { "__editable__.ops-0.1.pth": `${place.root}/src/ops\n` });
    assert.deepEqual(place.errors(), [`libstdcxx-abi src/ops/ops/_C.${suffix} ops`]);
    assert.deepEqual(place.scan().built.map((one) => one.origin), ["editable-install"]);
    assert.match(place.scan().notChecked.join(" "), /1 installed library was looked at, 1 of which uses torch/);
  });

  it("are the modules of an editable project that a finder maps", () => {
    const place = new Place().editable("my-ops", "src").put(bad, `src/python/my_ops/_C.${suffix}`);
    writeFiles(place.site, {
      "__editable__.my_ops-0.1.pth": "import __editable___my_ops_0_1_finder; __editable___my_ops_0_1_finder.install()",
      "__editable___my_ops_0_1_finder.py": `MAPPING: dict[str, str] = {'my_ops': '${place.root}/src/python/my_ops'}\nNAMESPACES: dict[str, list[str]] = {}\n`,
    });
    assert.deepEqual(place.errors(), [`libstdcxx-abi src/python/my_ops/_C.${suffix} my-ops`]);
  });

  it("are those of `setup.py develop`, which leaves no distribution", () => {
    const place = new Place().put(bad, "src/ops/_C.so");
    writeFiles(place.site, { "easy-install.pth": `${place.root}/src\n`, "ops.egg-link": `${place.root}/src\n.\n` });
    assert.deepEqual(place.errors(), ["libstdcxx-abi src/ops/_C.so -"]);
  });

  it("lie in folders of site-packages, in linked ones, and beside them", () => {
    assert.deepEqual(new Place().put(bad, `${site}/foo/bar/_C.so`).errors(), ["libstdcxx-abi site/foo/bar/_C.so -"]);
    assert.deepEqual(new Place().put(bad, `${site}/_C.abi3.so`).errors(), ["libstdcxx-abi site/_C.abi3.so -"]);
    const linked = new Place().put(bad, "elsewhere/foo/_C.so");
    fs.symlinkSync(path.join(linked.root, "elsewhere/foo"), path.join(linked.site, "foo"));
    assert.deepEqual(linked.errors(), ["libstdcxx-abi site/foo/_C.so -"]);
  });

  it("are what was copied into a package later, and what a distribution without a RECORD brought", () => {
    const place = new Place().put(good, `${site}/foo/_C.so`).put(bad, `${site}/foo/later/_C.so`);
    writeFiles(place.site, { "foo-1.0.dist-info/METADATA": "Name: foo\nVersion: 1.0\n", "foo-1.0.dist-info/RECORD": "foo/_C.so,,\n" });
    assert.deepEqual(place.errors(), ["libstdcxx-abi site/foo/later/_C.so -"]);
    const without = new Place().put(bad, `${site}/foo/_C.so`);
    writeFiles(without.site, { "foo-1.0.egg-info/PKG-INFO": "Name: foo\nVersion: 1.0\n" });
    assert.deepEqual(without.errors(), ["libstdcxx-abi site/foo/_C.so -"]);
  });

  it("are not what Python does not import: leftovers, builds, other Pythons, other environments, torch's own", () => {
    const place = new Place().editable("ops", "src").put(bad,
      `${site}/~oo/_C.so`, `${site}/foo.libs/libx.so`, `${site}/torch/lib/libmine.so`, `${site}/nvidia/x/lib/liby.so`, `${site}/triton/_C/libtriton.so`, `${site}/foo/__pycache__/_C.so`,
      `src/build/lib.linux-x86_64-cpython-311/ops/_C.${suffix}`, "src/ops/_C.cpython-310-x86_64-linux-gnu.so", "src/.venv/lib/x.so", "src/env/lib/python3.11/site-packages/z/_C.so", "src/third-party/_C.so", "src/ops/csrc/build/_C.so");
    writeExtension(path.join(place.root, `src/ops/_C.${suffix}`), { abi: 1, torchRoot: path.join(place.site, "torch"), module: "_C" });
    writeFiles(place.root, { "src/env/pyvenv.cfg": "home = /usr/bin\n" });
    writeFiles(place.site, { "__editable__.ops-0.1.pth": `# comment\n${place.root}/src\n${place.root}/gone\nimport sys\n` });
    const diagnosis = place.scan();
    assert.deepEqual(diagnosis.findings, []);
    assert.deepEqual(diagnosis.built.map((one) => path.relative(place.root, one.body.path)), [`src/ops/_C.${suffix}`]);
    assert.match(diagnosis.notChecked.join(" "), /1 module is for another Python than this one and was left out: _C\.cpython-310-x86_64-linux-gnu\.so\./);
  });

  it("are said to be out of sight where it is not told from which folder an editable project is imported", () => {
    const place = new Place().editable("ops", "src").put(bad, "src/ops/_C.so");
    assert.deepEqual(place.errors(), []);
    assert.match(place.scan().notChecked.join(" "), /ops 0\.1 is installed editable, and no \.pth file or finder tells from which folder it is imported/);
  });

  it("are known to be none where a finder names the single files of a project", () => {
    const place = new Place().editable("ops", "src");
    writeFiles(place.root, { "src/ops/__init__.py": "" });
    writeFiles(place.site, { "_ops_editable.pth": "import _ops_editable\n", "_ops_editable.py": `install({'ops': '${place.root}/src/ops/__init__.py'}, {}, None)\n` });
    assert.deepEqual(place.scan().notChecked.filter((one) => one.includes("editable")), []);
  });

  it("do not make the search endless", () => {
    const place = new Place();
    fs.mkdirSync(path.join(place.root, "deep"));
    fs.symlinkSync(place.root, path.join(place.root, "deep", "again"));
    fs.symlinkSync(place.site, path.join(place.site, "again"));
    writeFiles(place.site, { "loop.pth": `${place.root}/deep\n/\n` });
    const started = process.cpuUsage();
    assert.deepEqual(place.errors(), []);
    assert.ok(process.cpuUsage(started).user < 5_000_000);
  });
});
