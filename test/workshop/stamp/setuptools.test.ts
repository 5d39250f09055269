import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { changes, Project, setupLine } from "./support.ts";

const simple = `from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CppExtension

setup(
    name="mine",
    ext_modules=[CppExtension("mine._C", ["mine.cpp"])],
    cmdclass={"build_ext": BuildExtension},
)
`;

describe("abiding stamp on setup.py", () => {
  it("writes one line before setup(), two files beside it and the line of MANIFEST.in, and does nothing the second time", async () => {
    using project = new Project({ "setup.py": simple, "mine/__init__.py": "import torch\nfrom . import _C\n" });
    const report = await project.stamp();
    assert.equal(report.outcome, "stamped");
    assert.equal(report.target, "mine._C");
    assert.deepEqual(changes(report), ["edited setup.py:4", "edited mine/__init__.py:2", "created _abiding_stamp.py", "created abiding_stamp.cpp", "created MANIFEST.in", "created mine/_abiding_check.py"]);
    assert.equal(project.read("setup.py"), simple.replace("setup(\n", `${setupLine("mine._C")}\nsetup(\n`));
    assert.equal(project.read("mine/__init__.py"), 'import torch\nfrom . import _abiding_check\n_abiding_check.check("mine._C")\nfrom . import _C\n');
    assert.equal(project.read("MANIFEST.in"), "include _abiding_stamp.py abiding_stamp.cpp\n");
    for (const file of report.files) assert.equal(file.text, project.read(file.path), file.path);
    const state = project.state();
    const again = await project.stamp();
    assert.equal(again.outcome, "already");
    assert.deepEqual(again.next, []);
    assert.deepEqual(project.state(), state);
  });

  it("says what it would do, and writes nothing", async () => {
    using project = new Project({ "setup.py": simple });
    const before = project.state();
    const report = await project.stamp({ dryRun: true });
    assert.equal(report.outcome, "stamped");
    assert.deepEqual(project.state(), before);
    assert.equal(report.files[0]?.text, simple.replace("setup(\n", `${setupLine("mine._C")}\nsetup(\n`));
  });

  it("knows its line when a formatter has laid it out otherwise", async () => {
    using project = new Project({ "setup.py": simple });
    await project.stamp();
    const text = project.read("setup.py").replace(setupLine("mine._C"), `__import__("runpy").run_path(\n    str(__import__("pathlib").Path(__file__).with_name('_abiding_stamp.py'))\n)["stamp"]('mine._C')`);
    project.write("setup.py", text);
    assert.equal((await project.stamp()).outcome, "already");
    assert.equal(project.read("setup.py"), text);
  });

  it("takes no quoted line in a comment for its own", async () => {
    using project = new Project({ "setup.py": `# ${setupLine("mine._C")}\n${simple}` });
    assert.equal((await project.stamp()).outcome, "stamped");
    assert.equal(project.lines("setup.py")[4], setupLine("mine._C"));
  });

  it("keeps a byte order mark, CRLF and letters that are no UTF-8", async () => {
    const text = simple.replace("setup(\n", "# gr\u00fc\u00dfe\nsetup(\n").replaceAll("\n", "\r\n");
    using project = new Project({ "setup.py": Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text, "latin1")]), "MANIFEST.in": "include a.h\r\nprune b" });
    const report = await project.stamp();
    assert.equal(report.outcome, "stamped", report.reason);
    const state = project.state();
    assert.equal(state["setup.py"], `\u00ef\u00bb\u00bf${text.replace("# gr", `${setupLine("mine._C")}\r\n# gr`)}`);
    assert.equal(state["MANIFEST.in"], "include a.h\r\nprune b\r\ninclude _abiding_stamp.py abiding_stamp.cpp\r\n");
  });

  it("finds the place in functions, branches and behind comments", async () => {
    const call = 'setup(name="x", ext_modules=[CppExtension("x", ["x.cpp"])])';
    const head = "from setuptools import setup\nfrom torch.utils.cpp_extension import CppExtension\n";
    const places: readonly (readonly [string, string])[] = [
      [`${head}def main():\n    # The package.\n    ${call}\nmain()\n`, `${head}def main():\n    ${setupLine("x")}\n    # The package.\n    ${call}\nmain()\n`],
      [`${head}if __name__ == "__main__":\n\t${call}`, `${head}if __name__ == "__main__":\n\t${setupLine("x")}\n\t${call}`],
      [`import setuptools\nfrom torch.utils.cpp_extension import CppExtension\nsetuptools.${call}\n`, `import setuptools\nfrom torch.utils.cpp_extension import CppExtension\n${setupLine("x")}\nsetuptools.${call}\n`],
      [`${head}import os\nif os.environ.get("A"):\n    ${call}\nelse:\n    ${call}\n`, `${head}import os\n${setupLine("x")}\nif os.environ.get("A"):\n    ${call}\nelse:\n    ${call}\n`],
    ];
    for (const [before, after] of places) {
      using project = new Project({ "setup.py": before });
      const report = await project.stamp();
      assert.equal(report.outcome, "stamped", report.reason);
      assert.equal(project.read("setup.py"), after);
    }
  });

  it("refuses what has no place for a line, and says which line it is", async () => {
    using shared = new Project({ "setup.py": 'from setuptools import setup, Extension\nx = 1; setup(ext_modules=[Extension("x", ["x.c"])])\n' });
    assert.equal((await shared.stamp()).reason, `setup() shares its line with other code in setup.py. Put this line before it: ${setupLine("x")}`);
    using none = new Project({ "setup.py": 'from setuptools import Extension\nfrom tools import run\nrun(ext_modules=[Extension("x", ["x.c"])])\n' });
    assert.match((await none.stamp()).reason ?? "", /^No call of setup\(\) was found in setup\.py/);
    using old = new Project({ "setup.py": 'from distutils.core import setup, Extension\nsetup(ext_modules=[Extension("x", ["x.c"])])\n' });
    assert.equal((await old.stamp()).reason, "setup.py calls distutils.core.setup(), which does not build with setuptools' build_ext. Use setuptools.setup().");
    using either = new Project({ "setup.py": 'try:\n    from setuptools import setup, Extension\nexcept ImportError:\n    from distutils.core import setup, Extension\nsetup(ext_modules=[Extension("x", ["x.c"])])\n' });
    assert.equal((await either.stamp()).outcome, "stamped");
  });

  it("refuses to choose among several extensions, and takes one or the whole file", async () => {
    const text = 'from setuptools import setup, Extension\nsetup(ext_modules=[Extension("a", ["a.c"]), Extension("b", ["b.c"])])\n';
    using project = new Project({ "setup.py": text });
    const refused = await project.stamp();
    assert.equal(refused.outcome, "refused");
    assert.equal(refused.reason, `There are 2 targets in ${project.path}. Name one with --target: a, b.`);
    assert.deepEqual(refused.choices, ["a", "b"]);
    assert.equal(project.read("setup.py"), text);
    assert.equal((await project.stamp({ target: "c" })).reason, `There is no target c in ${project.path}. There are: a, b.`);
    assert.equal((await project.stamp({ target: "b" })).outcome, "stamped");
    assert.equal((await project.stamp({ target: "a" })).outcome, "stamped");
    assert.deepEqual(project.lines("setup.py").slice(1, 3), [setupLine("b"), setupLine("a")]);
    using whole = new Project({ "setup.py": text });
    assert.equal((await whole.stamp({ target: "setup.py" })).outcome, "stamped");
    assert.equal(whole.lines("setup.py")[1], setupLine());
    assert.equal((await whole.stamp({ target: "a" })).outcome, "already");
  });

  it("stamps all extensions where their names are made while setup.py runs", async () => {
    using project = new Project({ "setup.py": 'import glob\nfrom setuptools import setup, Extension\nexts = [Extension(f"m._{f[:-2]}", [f]) for f in glob.glob("*.c")]\nsetup(ext_modules=exts)\n' });
    const report = await project.stamp();
    assert.equal(report.target, "setup.py");
    assert.equal(project.lines("setup.py")[3], setupLine());
  });

  it("leaves files alone that are not its own or that somebody changed", async () => {
    using foreign = new Project({ "setup.py": simple, "abiding_stamp.cpp": "int mine;\n" });
    const before = foreign.state();
    const refused = await foreign.stamp();
    assert.equal(refused.reason, "abiding_stamp.cpp is there already, and it is not a file of the stamp: it was left as it is, and nothing was changed. Rename it, and stamp again.");
    assert.deepEqual(foreign.state(), before);
    using changed = new Project({ "setup.py": simple });
    await changed.stamp();
    changed.write("_abiding_stamp.py", `${changed.read("_abiding_stamp.py")}# mine\n`);
    const again = await changed.stamp();
    assert.equal(again.outcome, "already");
    assert.deepEqual(again.next.slice(0, 1), ["_abiding_stamp.py differs from the one that this version of Abiding writes, so it was left as it is; delete it and stamp again to get that one."]);
    assert.match(changed.read("_abiding_stamp.py"), /# mine\n$/);
  });
});
