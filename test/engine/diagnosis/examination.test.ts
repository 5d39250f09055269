import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { describe, it } from "node:test";
import { examine, inspectReport, targetOf } from "../../../src/engine/diagnosis/examination.ts";
import { NodeFiles } from "../../../src/engine/files/index.ts";
import { build } from "../binaries/archive/build.ts";
import type { Part } from "../binaries/archive/build.ts";
import { compile, temporaryFolder } from "../binaries/elf/compile.ts";

const folder = temporaryFolder();
const module = compile(folder, "_C.so", 'extern "C" { void* PyModule_Create2(void*, int); void* PyType_GetName(void*); void* PyInit__C() { return PyType_GetName(PyModule_Create2(nullptr, 1013)); } }');
const program = compile(folder, "tool", "int main() { return 0; }", "-pie");

function wheel(name: string, parts: readonly Part[]): string {
  const listed = [...parts, { name: "ops-1.0.dist-info/METADATA", content: "Name: ops\nVersion: 1.0\n" }, { name: "ops-1.0.dist-info/WHEEL", content: `Wheel-Version: 1.0\nTag: ${name.split("-").slice(2).join("-").replace(".whl", "")}\n` }];
  const record = `${listed.map((one) => `${one.name},sha256=${createHash("sha256").update(one.content).digest("base64url")},${Buffer.byteLength(one.content as Uint8Array)}\n`).join("")}ops-1.0.dist-info/RECORD,,\n`;
  const file = path.join(folder, name);
  fs.writeFileSync(file, build([...listed, { name: "ops-1.0.dist-info/RECORD", content: record }]));
  return file;
}

describe("a wheel with real libraries", () => {
  it("is described, with its modules and programs", async () => {
    const file = wheel("ops-1.0-cp39-abi3-linux_x86_64.whl", [{ name: "ops/_C.abi3.so", content: fs.readFileSync(module) }, { name: "ops-1.0.data/scripts/tool", content: fs.readFileSync(program) }, { name: "ops-1.0.data/scripts/text", content: "#!/bin/sh\n".repeat(20) }]);
    const answer = await examine(file, { files: new NodeFiles(), root: folder, verify: true });
    assert.ok(answer.ok, answer.ok ? "" : answer.message);
    const { wheel: read, binaries, problems } = inspectReport(answer.examined);
    answer.examined.dispose();
    assert.deepEqual(problems, []);
    assert.deepEqual(binaries.map((one) => [path.basename(one.profile.path), one.profile.kind]), [["_C.abi3.so", "python-module"], ["tool", "executable"]]);
    assert.deepEqual(read?.disagreements.map((one) => one.message), ["The name says cp39-abi3, so that it installs on CPython 3.9. ops/_C.abi3.so needs PyType_GetName, and PyType_GetName is there from CPython 3.11 on."]);
    assert.deepEqual([read?.abi3Floor, read?.libraries.map((one) => one.isGrafted)], ["3.11", [false, false]]);
    assert.match(read?.platformTag ?? "", /^manylinux_2_\d+_x86_64$/);
  });

  it("is refused with the entry named when its archive is hostile", async () => {
    const message = async (parts: readonly Part[]): Promise<string> => {
      const answer = await examine(wheel("bad-1.0-py3-none-any.whl", parts), { files: new NodeFiles(), root: folder });
      return answer.ok ? "not refused" : answer.message;
    };
    assert.match(await message([{ name: "../evil.py", content: "" }]), /\.\.\/evil\.py.* leads out of the archive/);
    assert.match(await message([{ name: "a.py", content: "1" }, { name: "a.py", content: "2" }]), /a\.py.* occurs twice/);
    assert.match(await message([{ name: "ops/_C.so", content: new Uint8Array(2_000_000), says: { size: 4_000_000_000 } }]), /ops\/_C\.so/);
  });

  it("wants a torch for the Python that its modules or its name say, and any with the stable ABI", async () => {
    const target = async (name: string, member: string): Promise<string | undefined> => {
      const answer = await examine(wheel(name, [{ name: member, content: fs.readFileSync(module) }]), { files: new NodeFiles(), root: folder });
      assert.ok(answer.ok, answer.ok ? "" : answer.message);
      answer.examined.dispose();
      return targetOf(answer.examined).python;
    };
    assert.equal(await target("ops-1.0-cp311-cp311-linux_x86_64.whl", "ops/_C.so"), "3.11");
    assert.equal(await target("ops-1.1-cp313-cp313t-linux_x86_64.whl", "ops/_C.so"), "3.13t");
    assert.equal(await target("ops-1.2-cp39-abi3-linux_x86_64.whl", "ops/_C.abi3.so"), undefined);
    assert.equal(await target("ops-1.3-py3-none-linux_x86_64.whl", "ops/_C.cpython-312-x86_64-linux-gnu.so"), "3.12");
  });
});
