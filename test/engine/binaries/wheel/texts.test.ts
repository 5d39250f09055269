import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { expandTags, readFileName } from "../../../../src/engine/binaries/wheel/fileName.ts";
import { readHeaders } from "../../../../src/engine/binaries/wheel/metadata.ts";
import { parseRecord } from "../../../../src/engine/binaries/wheel/record.ts";
import { described, library, said } from "./made.ts";

describe("the name of a wheel", () => {
  it("has five parts, or six with a build number; tags may be several", () => {
    const read = readFileName("Torch_Ops-2.8.0+cu128-1gabc-cp310.cp311-abi3-manylinux2014_x86_64.manylinux_2_17_x86_64.whl");
    assert.deepEqual({ ...read, tags: undefined }, { fileName: read.fileName, distribution: "Torch_Ops", version: "2.8.0+cu128", build: "1gabc", tags: undefined, problems: [] });
    assert.deepEqual(read.tags, { pythons: ["cp310", "cp311"], abis: ["abi3"], platforms: ["manylinux2014_x86_64", "manylinux_2_17_x86_64"] });
    assert.equal(expandTags(read.tags).join(" "), "cp310-abi3-manylinux2014_x86_64 cp310-abi3-manylinux_2_17_x86_64 cp311-abi3-manylinux2014_x86_64 cp311-abi3-manylinux_2_17_x86_64");
  });

  it("is refused with a reason", () => {
    const problems = (name: string) => readFileName(name).problems;
    assert.deepEqual(problems("ops-1.0.whl"), ['The name ops-1.0.whl is not that of a wheel: it should have five or six parts that "-" separates (name, version, build number if there is one, Python, ABI, platform), and has 2.']);
    assert.deepEqual(problems("ops-one-cp311-cp311-linux_x86_64.whl"), ['"one" in the name of the wheel is no version after PEP 440.']);
    assert.deepEqual(problems("ops-1.0-x-cp311-cp311-linux_x86_64.whl"), ['"x" in the name of the wheel stands where a build number does, and those begin with a digit.']);
    assert.deepEqual(problems("ops-1.0+cu12.torch2.8-py3-none-any.whl"), []);
    assert.deepEqual(problems("ops-1.0-py3.9-none-any.whl"), ['"9" in the name of the wheel is no tag.']);
    assert.equal(problems(`${"a-".repeat(1000)}.whl`).length, 1);
  });
});

describe("headers", () => {
  it("end at an empty line, go on where a line begins with a space, and may repeat", () => {
    const read = readHeaders("Name: ops\r\nRequires-Dist: torch>=2\r\nRequires-Dist: numpy\r\nLicense: one\r\n  two\r\nno colon\r\n\r\nVersion: 3\r\n");
    assert.deepEqual([...read], [["name", ["ops"]], ["requires-dist", ["torch>=2", "numpy"]], ["license", ["one two"]]]);
  });
});

describe("RECORD", () => {
  it("is CSV, with quotes around what holds a comma", () => {
    const { rows, problems } = parseRecord('"a, ""b"".py",sha256=x,1\r\nc\\d.py,,\nops/__init__.py,sha256=y,0\n');
    assert.deepEqual([...rows.values()], [{ path: 'a, "b".py', hash: "sha256=x", size: 1 }, { path: "c/d.py", hash: "", size: undefined }, { path: "ops/__init__.py", hash: "sha256=y", size: 0 }]);
    assert.deepEqual(problems, []);
  });

  it("names the lines that cannot be read", () => {
    assert.deepEqual(parseRecord('a,b\n"open,sha256=x,1\na.py,sha256=x,1\na.py,sha256=z,1\nb.py,sha256=x,-1\n').problems, [
      'line 1: not a path, a hash and a size ("a,b").',
      'line 2: not a path, a hash and a size (""open,sha256=x,1").',
      "line 4: a.py is listed a second time with another content.",
      'line 5: not a path, a hash and a size ("b.py,sha256=x,-1").',
    ]);
  });

  const record = "ops-1.0.dist-info/RECORD";
  const made = { libraries: [library("ops/_C.cpython-311-x86_64-linux-gnu.so")], members: { "ops/__init__.py": "", "ops/a.py": "a = 1\n" } };

  it("agrees with the wheel, whether all is read or not; signatures are not in it", async () => {
    assert.deepEqual(await said(made), []);
    assert.deepEqual(await said(made, { verify: true }), []);
    const signed = (right: string) => right.replace(/^.*RECORD\.jws.*\n/m, "");
    assert.deepEqual(await said({ ...made, members: { "ops-1.0.dist-info/RECORD.jws": "{}" }, record: signed }, { verify: true }), []);
  });

  it("lists what is not there, misses what is, and differs in size", async () => {
    assert.deepEqual(await said({ ...made, record: (right) => `${right.replace(/^ops\/a\.py.*\n/m, "").replace(/,0\n/, ",7\n")}ops/gone.py,sha256=x,1\n` }), [
      `warning record: ${record} lists ops/gone.py, which is not in the wheel.`,
      `warning record: ops/a.py is in the wheel and not listed in ${record}: installers know no hash of it, and PyPI refuses a wheel whose RECORD is not complete.`,
      `warning record: ops/__init__.py has another content than ${record} says (7 bytes listed, 0 there).`,
    ]);
  });

  it("has the hash of another library: seen when all is read", async () => {
    const swapped = { ...made, record: (right: string) => right.replace(/(_C\.cpython-311-x86_64-linux-gnu\.so,sha256=)[\w-]+/, "$1AAAA") };
    assert.deepEqual(await said(swapped), []);
    const [first = ""] = await said(swapped, { verify: true });
    assert.match(first, /^error record: ops\/_C\.cpython-311-x86_64-linux-gnu\.so has another content than ops-1\.0\.dist-info\/RECORD says \(sha256=AAAA listed, sha256=[\w-]{43} there\)\.$/);
  });

  it("takes no weak hashes, and says where it has none", async () => {
    assert.deepEqual(await said({ ...made, record: (right) => right.replace(/^(ops\/a\.py,)[^,]*/m, "$1md5=abc").replace(/^(ops\/__init__\.py,)[^,]*/m, "$1") }, { verify: true }), [
      `warning record: ${record} gives no hash of ops/__init__.py.`,
      `warning record: ${record} gives a hash of ops/a.py that installers do not take ("md5=abc"): SHA-256 or stronger is asked for.`,
    ]);
  });
});

describe("name, metadata and WHEEL of one wheel", () => {
  it("are read", async () => {
    const read = await described({ metadata: "Requires-Python: >=3.9\nRequires-Dist: torch>=2.7\nRequires-Dist: numpy ; extra == 'test'\n", libraries: [library("ops/_C.cpython-311-x86_64-linux-gnu.so")] });
    assert.deepEqual({ ...read, size: 0 }, {
      path: "/w/ops-1.0-cp311-cp311-manylinux_2_28_x86_64.whl", fileName: "ops-1.0-cp311-cp311-manylinux_2_28_x86_64.whl", size: 0, name: "ops", version: "1.0",
      tags: { pythons: ["cp311"], abis: ["cp311"], platforms: ["manylinux_2_28_x86_64"] }, wheelTags: ["cp311-cp311-manylinux_2_28_x86_64"], generator: "test 1", isPurelib: false,
      requiresPython: ">=3.9", requires: ["torch>=2.7", "numpy ; extra == 'test'"], libraries: [{ member: "ops/_C.cpython-311-x86_64-linux-gnu.so", size: 1000, isGrafted: false, isRead: true }],
      platformTag: "manylinux_2_5_x86_64", platformTagBesideTorch: "manylinux_2_5_x86_64", abi3Floor: "3.2", disagreements: [], notKnown: [],
    });
  });

  it("speak of different packages", async () => {
    assert.deepEqual(await said({ fileName: "opz-1.1-cp311-cp311-linux_x86_64.whl" }), [
      "error name: The file is named for the package opz, its METADATA for ops: installers refuse it.",
      "error name: The file is named for version 1.1, its METADATA for 1.0: pip refuses it from an index, and uv altogether.",
      "error name: The file is named for the package opz, and its folder ops-1.0.dist-info for ops: installers refuse it.",
    ]);
    assert.deepEqual(await said({ fileName: "ops-1.0+cu12-cp311-cp311-linux_x86_64.whl" }), ["info name: The file is named for version 1.0+cu12, its METADATA for 1.0: pip takes it by its path or address, and refuses it from an index."]);
    assert.deepEqual(await said({ members: { "ops-1.0.dist-info/METADATA": "Name: ops\nVersion: 1.0\n", "ops-1.0.dist-info/a": "" }, fileName: "ops-1-cp311-cp311-linux_x86_64.whl" }), []);
    assert.deepEqual(await said({ fileName: "OPS-1.0.0-cp311-cp311-linux_x86_64.whl" }), []);
  });

  it("have other tags", async () => {
    assert.deepEqual(await said({ wheel: "Root-Is-Purelib: false\nTag: cp310-cp310-manylinux_2_28_x86_64\n" }), [
      "warning python-tag: The name says cp311-cp311-manylinux_2_28_x86_64, and WHEEL says cp310-cp310-manylinux_2_28_x86_64: the wheel was renamed after it was made, or one of the two was not updated.",
    ]);
    assert.deepEqual(await said({ wheel: "Tag: cp311-cp311-linux_x86_64\n" }), [
      "info python-tag: The name says cp311-cp311-manylinux_2_28_x86_64, and WHEEL says cp311-cp311-linux_x86_64: the wheel was renamed after it was made, or one of the two was not updated.",
    ]);
  });

  it("are missing, or of a format that is not known", async () => {
    assert.deepEqual(await said({ members: { "ops-1.0.dist-info/WHEEL": undefined } }), ["error record: ops-1.0.dist-info/WHEEL is missing: installers refuse the wheel."]);
    assert.deepEqual(await said({ members: { "ops-1.0.dist-info/WHEEL": "Wheel-Version: 2.0\n" } }), ["error record: WHEEL says Wheel-Version 2.0; installers know version 1 and refuse a newer one."]);
    assert.deepEqual(await said({ members: { "opt-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\n" } }), ["error record: It has 2 .dist-info folders (ops-1.0.dist-info, opt-1.0.dist-info), where a wheel has one: installers refuse it."]);
  });
});
