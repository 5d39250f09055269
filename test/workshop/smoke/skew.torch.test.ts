/** A failure that is skew is explained by the rule that finds it in the file, and only then. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { writeExtension } from "../../support/small-extension.ts";
import { byLabel, has, Project, testFile } from "./support.ts";
import type { TestResult } from "../../../src/workshop/smoke/types.ts";

const prefix = process.env["ABIDING_TEST_TORCH"];
const options = { skip: prefix === undefined ? "ABIDING_TEST_TORCH names no environment" : false };
const python = join(prefix ?? "", "bin", "python");

describe("skew in tests", options, () => {
  const project = new Project();
  let results: Readonly<Record<string, TestResult>>;
  after(() => project[Symbol.dispose]());
  before(async () => {
    const torchRoot = execFileSync(python, ["-c", "import importlib.util as u; print(u.find_spec('torch').submodule_search_locations[0])"], { encoding: "utf8" }).trim();
    writeExtension(join(project.root, "mine.so"), { abi: 0, torchRoot, module: "mine" });
    writeExtension(join(project.root, "lacking.so"), { abi: 1, torchRoot, module: "lacking", code: "void elsewhere(); void (*used)() = elsewhere;" });
    project.file("build/CTestTestfile.cmake", testFile([
      { name: "another libstdc++ ABI", command: [python, "-c", "import torch, mine"], properties: { WORKING_DIRECTORY: project.root, TIMEOUT: "120" } },
      { name: "a source that was left out", command: [python, "-c", "import torch, lacking"], properties: { WORKING_DIRECTORY: project.root, TIMEOUT: "120" } },
      { name: "a library that is nowhere", command: [python, "-c", "import ctypes; ctypes.CDLL('libnowhere_at_all.so')"] },
      { name: "words only", command: ["/bin/sh", "-c", "echo 'ImportError: /no/such/file.so: undefined symbol: f'; exit 1"] },
    ]));
    results = byLabel(await project.run([project.ctest()], { interpreter: python, against: [prefix ?? ""], timeLimit: 120_000 }));
  });

  it("another ABI of the C++ library", () => {
    const result = results["another libstdc++ ABI"];
    assert.equal(result?.outcome, "failed");
    assert.equal(result.explanation?.rule, "libstdcxx-abi", result.output);
    assert.match(result.explanation.message, /_ZN3c105ErrorC[12]ENS_14SourceLocationESs/);
    assert.match(result.reason ?? "", /^It ended with the exit status 1\. It said: ImportError: .*mine\.so: undefined symbol: _ZN3c105ErrorC[12]ENS_14SourceLocationESs$/);
  });

  it("a symbol that is nobody's", () => {
    assert.equal(results["a source that was left out"]?.explanation?.rule, "own-symbol", results["a source that was left out"]?.output);
  });

  it("a library that is nowhere, which no file shows", () => {
    const result = results["a library that is nowhere"];
    assert.deepEqual([result?.outcome, result?.explanation?.cause, result?.explanation?.rule], ["failed", "library-missing", "missing-library"]);
    assert.match(result?.reason ?? "", /It said: OSError: libnowhere_at_all\.so: cannot open shared object file/);
  });

  it("the loader's words alone, where several causes would explain them: the first of them, as a guess", () => {
    const result = results["words only"];
    assert.deepEqual([result?.outcome, result?.explanation?.cause, result?.explanation?.confidence], ["failed", "own-symbol", "possible"]);
    assert.match(result?.explanation?.message ?? "", /^Possible \(others explain it as well\): file\.so needs `f`/);
    assert.match(result?.reason ?? "", /It said: ImportError: \/no\/such\/file\.so: undefined symbol: f$/);
  });

  it("is explained for pytest too, by the file that a failed import names", { skip: has("python3", "-m", "pytest", "--version") ? false : "pytest is not installed for python3" }, async () => {
    project.file("test_mine.py", "import mine\n\ndef test_a():\n    pass\n");
    // The system's pytest has no torch: the extension's library is found by its run path, and the symbol is not.
    const report = await project.run([project.pytest(["test_mine.py"])], { interpreter: "python3", against: [prefix ?? ""] });
    const file = byLabel(report)["test_mine.py"];
    assert.equal(file?.outcome, "failed", JSON.stringify(report.problems));
    assert.equal(file.explanation?.rule, "libstdcxx-abi", file.output);
  });
});
