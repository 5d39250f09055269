import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Project } from "./support.ts";

const setup = (name: string): string => `from setuptools import setup\nfrom torch.utils.cpp_extension import CppExtension\nsetup(ext_modules=[CppExtension("${name}", ["a.cpp"])])\n`;
const lines = (argument: string, indentation = ""): string => `${indentation}from . import _abiding_check\n${indentation}_abiding_check.check(${argument})\n`;

describe("the comparison at import", () => {
  const places: readonly (readonly [string, string, string, string])[] = [
    ["before a relative import", "p._C", "import torch\nfrom . import _C, ops\n", `import torch\n${lines('"p._C"')}from . import _C, ops\n`],
    ["before names of the extension", "p._C", "from ._C import add\n", `${lines('"p._C"')}from ._C import add\n`],
    ["before an import by its full name", "p._C", "import p._C as c\n", `${lines('"p._C"')}import p._C as c\n`],
    ["before an import of a module at the top", "p_cuda", "import torch\n\nimport p_cuda\n", `import torch\n\n${lines('"p_cuda"')}import p_cuda\n`],
    ["outside a try that would swallow it", "p._C", "import torch\ntry:\n    from . import _C\nexcept ImportError:\n    _C = None\n", `import torch\n${lines('"p._C"')}try:\n    from . import _C\nexcept ImportError:\n    _C = None\n`],
    ["inside the function that imports it", "p._C", "def load():\n    from . import _C\n    return _C\n", `def load():\n${lines('"p._C"', "    ")}    from . import _C\n    return _C\n`],
    ["before load_library, of the same file", "p._C", 'import torch\nfor file in find("_C"):\n    torch.ops.load_library(file)\n', `import torch\nfor file in find("_C"):\n${lines("file", "    ")}    torch.ops.load_library(file)\n`],
    ["not before an import for type checkers", "p._C", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from . import _C\nfrom ._C import add\n", `from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from . import _C\n${lines('"p._C"')}from ._C import add\n`],
  ];
  for (const [where, name, before, after] of places) {
    it(`goes ${where}`, async () => {
      using project = new Project({ "setup.py": setup(name), "p/__init__.py": before });
      assert.equal((await project.stamp()).outcome, "stamped");
      assert.equal(project.read("p/__init__.py"), after);
      assert.equal((await project.stamp()).outcome, "already");
    });
  }

  it("goes into the module of a package that loads it, where __init__.py does not", async () => {
    using project = new Project({ "setup.py": setup("p_cuda"), "p/__init__.py": "from .ops import add\n", "p/ops.py": "import p_cuda\nadd = p_cuda.add\n", "tests/__init__.py": "import p_cuda\n" });
    await project.stamp();
    assert.equal(project.read("p/ops.py"), `${lines('"p_cuda"')}import p_cuda\nadd = p_cuda.add\n`);
    assert.equal(project.read("tests/__init__.py"), "import p_cuda\n");
  });

  it("goes into a package before its modules and sub-packages", async () => {
    using project = new Project({ "setup.py": setup("p._C"), "p/__init__.py": "from . import _C\n", "p/sub/__init__.py": "from .. import _C\n", "p/ops.py": "from p import _C\n" });
    await project.stamp();
    assert.equal(project.read("p/__init__.py"), `${lines('"p._C"')}from . import _C\n`);
    assert.equal(project.read("p/ops.py"), "from p import _C\n");
  });

  it("is left to the user where several files load it, and where none does", async () => {
    using several = new Project({ "setup.py": setup("p._C"), "p/__init__.py": "", "p/a.py": "from . import _C\n", "p/b.py": "from . import _C\n" });
    const report = await several.stamp();
    assert.equal(report.next[0], 'Several files load p._C: p/a.py, p/b.py. For the comparison at import, name the package that loads it with --package: _abiding_check.py is written into it. Then put before the import: from . import _abiding_check; _abiding_check.check("p._C")');
    assert.equal(several.read("p/a.py"), "from . import _C\n");
    using none = new Project({ "setup.py": setup("p._C"), "p/__init__.py": "" });
    const named = await none.stamp({ package: "p" });
    assert.deepEqual(named.files.map(({ path }) => path).filter((path) => path.startsWith("p/")), ["p/_abiding_check.py"]);
    assert.equal(named.next[0], 'No file of p was seen to load p._C. For the comparison at import, put before that: from . import _abiding_check; _abiding_check.check("p._C")');
    assert.equal((await none.stamp({ package: "q" })).reason, `${none.path}/q is no Python package: it has no __init__.py.`);
  });

  it("goes nowhere near a module beside setup.py, which is in no package", async () => {
    using project = new Project({ "setup.py": setup("p_cuda"), "__init__.py": "", "ops.py": "import p_cuda\n" });
    await project.stamp();
    assert.equal(project.read("ops.py"), "import p_cuda\n");
  });

  it("takes only a module of CMake for something that Python imports", async () => {
    const cmake = "cmake_minimum_required(VERSION 3.22)\nproject(mine CXX)\n";
    using library = new Project({ "CMakeLists.txt": `${cmake}add_library(fsa SHARED a.cpp)\n`, "p/__init__.py": "from .fsa import Fsa\n" });
    const report = await library.stamp();
    assert.equal(library.read("p/__init__.py"), "from .fsa import Fsa\n");
    assert.equal(report.next.length, 1);
    using module = new Project({ "CMakeLists.txt": `${cmake}add_library(_ops MODULE a.cpp)\n`, "python/p/__init__.py": "from . import _ops\n" });
    await module.stamp();
    assert.equal(module.read("python/p/__init__.py"), `${lines('"p._ops"')}from . import _ops\n`);
  });
});
