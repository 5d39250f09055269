import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileSource } from "../../../src/engine/binaries/archive/index.ts";
import { httpSource } from "../../../src/engine/binaries/remote/index.ts";
import type { LibraryImage } from "../../../src/engine/binaries/library.ts";
import { loadCatalogue } from "../../../src/engine/catalogue/index.ts";
import { describeTorchWheel } from "../../../src/engine/installed/index.ts";
import { valueOf } from "../../../src/engine/model/index.ts";
import type { Trait } from "../../../src/engine/model/index.ts";
import { RangeServer } from "../../support/rangeServer.ts";
import { withTablesAtEnd } from "../../support/patchedElf.ts";
import { MemorySource } from "../../support/memory-source.ts";
import { zip } from "../../support/zip.ts";

const catalogue = loadCatalogue();
const count = 2000;
let folder: string;
let wheel: Uint8Array;
let file: string;

/** A library that is mostly code that cannot be packed, with many names. */
function library(name: string, source: string): Uint8Array {
  const output = join(folder, name);
  execFileSync("g++", ["-shared", "-fPIC", "-x", "c++", "-", "-o", output, "-Wl,--hash-style=gnu"], { input: source, cwd: folder });
  return new Uint8Array(readFileSync(output));
}

const large = (part: string): string => `
asm(".section .rodata\\n.incbin \\"noise\\"\\n.previous");
extern "C" int puts(const char*);
${Array.from({ length: count }, (_, index) => `namespace at { int ${part}_function_number_${index}(int x) { return x + ${index}; } }`).join("\n")}
int shout() { return puts("x"); }
__attribute__((used)) static const char key[] = "__pybind11_internals_v11_system_libstdcpp_gxx_abi_1xxx_use_cxx11_abi_1__";`;

before(() => {
  folder = mkdtempSync(join(tmpdir(), "abiding-"));
  writeFileSync(join(folder, "noise"), randomBytes(2_000_000));
  wheel = zip({
    "torch/__init__.py": "",
    "torch/version.py": "__version__ = '2.8.0+cu128'\ndebug = False\ncuda: Optional[str] = '12.8'\n",
    "torch/_C.cpython-311-x86_64-linux-gnu.so": library("_C.so", "int x;"),
    "torch/lib/libc10.so": library("libc10.so", "#include <string>\nnamespace c10 { struct SourceLocation { const char* f; }; struct Error { Error(SourceLocation, std::string); }; Error::Error(SourceLocation, std::string) {} }"),
    "torch/lib/libtorch_cpu.so": library("libtorch_cpu.so", large("cpu")),
    "torch/lib/libtorch_cuda.so": withTablesAtEnd(library("libtorch_cuda.so", large("cuda"))),
    "torch/lib/libtorch_python.so": withTablesAtEnd(library("libtorch_python.so", large("python"))),
    "torch/lib/libother.so": library("libother.so", "int y;"),
    "torch/include/ATen/ATen.h": "#if __cplusplus < 201703L\n#error\n#endif\n",
    "torch-2.8.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: torch\nVersion: 2.8.0\nRequires-Dist: triton==3.4.0\n\nlong\n",
    "torch-2.8.0.dist-info/WHEEL": "Wheel-Version: 1.0\nTag: cp311-cp311-manylinux_2_28_x86_64\n",
  });
  file = join(folder, "torch-2.8.0-cp311-cp311-manylinux_2_28_x86_64.whl");
  writeFileSync(file, wheel);
});
after(() => { rmSync(folder, { recursive: true }); });

function named(libraries: readonly LibraryImage[], stem: string): LibraryImage {
  return libraries.find((one) => one.path.endsWith(`/torch/lib/${stem}.so`)) ?? assert.fail(`${stem} is missing`);
}

function checkTables(libraries: readonly LibraryImage[]): void {
  assert.deepEqual(libraries.map((one) => one.path.slice(one.path.indexOf(".whl") + 5)), ["torch/_C.cpython-311-x86_64-linux-gnu.so", "torch/lib/libc10.so", "torch/lib/libtorch_cpu.so", "torch/lib/libtorch_cuda.so", "torch/lib/libtorch_python.so"]);
  for (const part of ["cpu", "cuda", "python"]) {
    const image = named(libraries, `libtorch_${part}`);
    const functions = [...image.exportedNames()].filter((name) => /^_ZN2at/.test(name));
    assert.equal(functions.length, count, part);
    assert.equal(image.exportsKnownBy, "names");
    assert.equal(image.needed, undefined);
    assert.deepEqual(functions.map((name) => image.defines(name)).includes(false), false);
    assert.equal(image.defines(`_ZN2at${part.length + 19}${part}_function_number_${count}Ei`), false);
    assert.ok([...(image.imports() ?? [])].some((one) => one.name === "puts"));
  }
}

describe("describeTorchWheel", () => {
  it("describes a wheel on this machine from parts of it", async () => {
    const source = await fileSource(file);
    const { body, libraries, notKnown, torchRoot, files } = await describeTorchWheel(source, file, { catalogue, allow: () => false });
    const values = Object.fromEntries((["torch-version", "cuda-version", "libstdcxx-abi", "platform-tag", "platform", "python-version", "python-suffix", "cxx-standard-floor", "pybind11-internals"] satisfies Trait[]).map((trait) => [trait, valueOf(body.facts, trait)]));
    assert.deepEqual(values, { "torch-version": "2.8.0+cu128", "cuda-version": "12.8", "libstdcxx-abi": 1, "platform-tag": "manylinux_2_28_x86_64", platform: "linux-x86_64", "python-version": "3.11", "python-suffix": "cpython-311-x86_64-linux-gnu", "cxx-standard-floor": 17, "pybind11-internals": valueOf(body.facts, "pybind11-internals") });
    assert.equal(body.facts.find((fact) => fact.trait === "pybind11-internals")?.certainty, "inferred");
    assert.deepEqual(body.distributions.map((one) => [one.name, one.version, one.requires]), [["torch", "2.8.0", ["triton==3.4.0"]]]);
    assert.deepEqual([body.source, body.name], ["wheel", "torch-2.8.0-cp311-cp311-manylinux_2_28_x86_64.whl"]);
    assert.deepEqual(notKnown.filter((one) => /pybind11/.test(one)), ["The pybind11 key was taken from the catalogue for torch 2.8.0+cu128; it stands deep inside libtorch_python, which was not read."]);
    assert.ok(files.readText(join(torchRoot, "version.py")).ok);
    checkTables(libraries);
    assert.ok(source.bytesRead < wheel.length / 3, `${source.bytesRead} of ${wheel.length}`);
  });

  it("reads libtorch_python as a whole when that is allowed, after saying what it costs", async () => {
    const asked: (readonly [number, string])[] = [];
    const { body } = await describeTorchWheel(new MemorySource(wheel), file, { catalogue, allow: (bytes, what) => { asked.push([bytes, what]); return true; } });
    assert.deepEqual(asked.map(([, what]) => what), ["torch/lib/libtorch_python.so"]);
    assert.ok((asked[0]?.[0] ?? 0) > 2_000_000);
    const fact = body.facts.find((one) => one.trait === "pybind11-internals");
    assert.deepEqual([fact?.value, fact?.certainty], ["v11_system_libstdcpp_gxx_abi_1xxx_use_cxx11_abi_1", "observed"]);
  });

  it("reads the same from a server, and shows no password", async () => {
    const server = await RangeServer.start();
    try {
      const url = server.serve("/whl/torch.whl", { content: wheel, etag: '"one"' });
      const source = await httpSource(`${url.replace("//", "//me:secret@")}#sha256=${"0".repeat(64)}`);
      const { body, libraries, notKnown } = await describeTorchWheel(source, url.replace("//", "//me:secret@"), { catalogue });
      checkTables(libraries);
      const [evidence] = body.facts.find((fact) => fact.trait === "torch-version")?.evidence ?? [];
      assert.deepEqual([body.name, evidence?.kind === "file" ? evidence.path : undefined], ["torch.whl", `${url}/torch/version.py`]);
      assert.equal(JSON.stringify([body, notKnown]).includes("secret"), false);
      assert.ok(server.bytesSent < wheel.length / 3);
      assert.ok(server.mostAtOnce <= 4);
    } finally {
      await server.stop();
    }
  });

  it("goes on without what would cost too much, and says so", async () => {
    const server = await RangeServer.start();
    try {
      const url = server.serve("/torch.whl", { content: wheel, etag: '"one"' });
      const { libraries, notKnown, body } = await describeTorchWheel(await httpSource(url, { budget: 350_000 }), url, { catalogue });
      assert.equal(valueOf(body.facts, "torch-version"), "2.8.0+cu128");
      assert.ok(libraries.length < 5);
      assert.ok(notKnown.some((one) => /the next step would fetch \d+ bytes, and \d+ of the 350000 bytes that may be fetched are spent\./.test(one)), notKnown.join("\n"));
    } finally {
      await server.stop();
    }
  });

  it("refuses a wheel that holds no torch", async () => {
    await assert.rejects(describeTorchWheel(new MemorySource(zip({ "numpy/__init__.py": "" })), "/w/numpy.whl", { catalogue }), { name: "ArchiveError", message: "/w/test.whl holds no torch package." });
  });
});
