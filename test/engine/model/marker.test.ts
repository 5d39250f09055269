import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { evaluateMarker, markersExclude, parseMarker } from "../../../src/engine/model/marker.ts";
import { parseRequirementText } from "../../../src/engine/model/requirementText.ts";

describe("markers", () => {
  const linux = { sys_platform: "linux", platform_system: "Linux", os_name: "posix", python_version: "3.11", python_full_version: "3.11.4" };
  const evaluate = (text: string) => evaluateMarker(parseMarker(text)!, linux);

  it("evaluates with three values", () => {
    assert.equal(evaluate("python_version >= '3.9'"), true);
    assert.equal(evaluate("python_version < '3.9' and platform_machine == 'x86_64'"), false);
    assert.equal(evaluate("platform_machine == 'x86_64'"), undefined);
    assert.equal(evaluate("platform_machine == 'x86_64' or os_name == 'posix'"), true);
    assert.equal(evaluate("extra == 'cuda'"), undefined);
    assert.equal(evaluate("python_version ~= '3.9'"), true);
    assert.equal(evaluate("python_version == '3.*'"), true);
    assert.equal(evaluate("'3.9' < python_version"), true);
    assert.equal(evaluate("python_version in '3.10 3.11'"), true);
    assert.equal(evaluate("sys.platform != 'win32' and (os.name == \"nt\" or python_full_version >= '3.11.3')"), true);
    assert.equal(evaluate("sys_platform not in 'darwin linux'"), false);
  });

  it("refuses malformed markers", () => {
    for (const text of ["", "python_version", "python_version >", "(os_name == 'nt'", "os_name == nt'", "os_name = 'nt'", "(".repeat(500)]) assert.equal(parseMarker(text), undefined, text);
  });

  it("knows markers that exclude each other", () => {
    const exclusive: readonly [string, string][] = [
      ["sys_platform == 'darwin'", "sys_platform != 'darwin'"],
      ["sys_platform == 'darwin'", "platform_system == 'Linux'"],
      ["os_name == 'nt'", "sys_platform == 'linux'"],
      ["python_version < '3.10'", "python_version >= '3.10'"],
      ["python_version == '3.9'", "python_full_version >= '3.10.2'"],
      ["platform_machine == 'x86_64'", "platform_machine == 'aarch64'"],
      ["platform_machine == 'ppc64le'", "platform_machine != 'ppc64le'"],
      ["sys_platform == 'linux' and platform_machine == 'x86_64'", "sys_platform == 'win32' or platform_machine == 'aarch64'"],
    ];
    for (const [a, b] of exclusive) assert.ok(markersExclude(a, b) && markersExclude(b, a), `${a} | ${b}`);
    const together: readonly [string | undefined, string | undefined][] = [
      [undefined, undefined], [undefined, "sys_platform == 'linux'"], ["sys_platform == 'linux'", "platform_machine == 'x86_64'"],
      ["python_version < '3.12'", "python_version > '3.9'"], ["extra == 'cpu'", "extra == 'gpu'"], ["python_full_version > '3.10.2'", "python_version == '3.10'"],
      ["not a marker", "sys_platform == 'linux'"],
    ];
    for (const [a, b] of together) assert.ok(!markersExclude(a, b), `${a} | ${b}`);
  });
});

describe("dependency specifiers", () => {
  it("takes them apart", () => {
    const text = "  Torch_Vision[a, B.c] (>=0.15,<0.24) ; python_version > '3.8'";
    const parsed = parseRequirementText(text)!;
    assert.deepEqual(parsed.extras, ["a", "b-c"]);
    assert.equal(parsed.name, "torch-vision");
    assert.equal(text.slice(parsed.specifierStart, parsed.specifierEnd), ">=0.15,<0.24");
    assert.equal(parsed.marker, "python_version > '3.8'");
    assert.equal(parsed.start, 2);
  });

  it("reads direct links", () => {
    const parsed = parseRequirementText("torch @ https://example.org/torch-2.8.0%2Bcpu-cp311-cp311-linux_x86_64.whl ; os_name=='posix'")!;
    assert.equal(parsed.url, "https://example.org/torch-2.8.0%2Bcpu-cp311-cp311-linux_x86_64.whl");
    assert.equal(parsed.specifier, "");
    assert.equal(parsed.marker, "os_name=='posix'");
  });

  it("places the version part behind the name when there is none", () => {
    const parsed = parseRequirementText("torch")!;
    assert.deepEqual([parsed.specifier, parsed.specifierStart, parsed.specifierEnd], ["", 5, 5]);
  });

  it("refuses what is none", () => {
    for (const text of ["", "-r other.txt", "./folder", "https://example.org/x.whl", "torch 2.0", "torch @"]) assert.equal(parseRequirementText(text), undefined, text);
  });

  it("keeps a version part that is not PEP 440 as written", () => {
    assert.equal(parseRequirementText("torch=>2")?.specifier, "=>2");
  });
});
