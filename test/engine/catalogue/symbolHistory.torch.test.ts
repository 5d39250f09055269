/** The table of torch's exports against real libraries, both ways: what they export is recorded, and what is recorded they export. */
import assert from "node:assert/strict";
import { existsSync, globSync } from "node:fs";
import * as path from "node:path";
import { describe, it } from "node:test";
import { openElf } from "../../../src/engine/binaries/elf/index.ts";
import { loadSymbolHistory } from "../../../src/engine/catalogue/index.ts";
import { isRecordedSymbol } from "../../../src/engine/catalogue/recordedSymbols.ts";
import { NodeFiles } from "../../../src/engine/files/index.ts";

const history = loadSymbolHistory();

/** The folder torch/lib below an environment, or below a folder into which a wheel was unpacked. */
function librariesBelow(prefix: string): string | undefined {
  const [found] = [...globSync(path.join(prefix, "lib", "python3*", "site-packages", "torch", "lib")), path.join(prefix, "torch", "lib")];
  return found !== undefined && existsSync(found) ? found : undefined;
}

function exportsOf(file: string): ReadonlySet<string> {
  const opened = openElf(file, new NodeFiles());
  assert.ok(opened.ok, opened.ok ? "" : opened.message);
  return new Set([...opened.elf.exportedNames()].filter(isRecordedSymbol));
}

interface Difference {
  readonly library: string;
  /** Exported, and the table does not have them. */
  readonly unrecorded: readonly string[];
  /** In the table, and not exported. */
  readonly absent: readonly string[];
  readonly exported: number;
}

function differences(folder: string, release: string): readonly Difference[] {
  return history.librariesOfRelease(release).filter((one) => existsSync(path.join(folder, one.name))).map((library) => {
    const exported = exportsOf(path.join(folder, library.name));
    const recorded = new Set(library.exportedNames());
    return { library: library.name, exported: exported.size, unrecorded: [...exported].filter((one) => !recorded.has(one)), absent: [...recorded].filter((one) => !exported.has(one)) };
  });
}

const cpu = librariesBelow(process.env["ABIDING_TEST_TORCH"] ?? "/nowhere");
const cuda = librariesBelow(process.env["ABIDING_TEST_TORCH_2_14"] ?? "/nowhere");

describe("the table against torch 2.13.0+cpu", { skip: cpu === undefined ? "ABIDING_TEST_TORCH names no environment" : false }, () => {
  it("is the same both ways, but for what libtorch_python instantiates of CUDA's classes in builds with CUDA", () => {
    const found = differences(cpu ?? "", "2.13.0+cpu");
    assert.ok(["libc10.so", "libtorch_cpu.so", "libtorch_python.so"].every((name) => (found.find((one) => one.library === name)?.exported ?? 0) >= 400));
    assert.deepEqual(found.filter((one) => one.library !== "libtorch_python.so").flatMap((one) => [...one.unrecorded, ...one.absent]), []);
    const python = found.find((one) => one.library === "libtorch_python.so");
    assert.deepEqual(python?.unrecorded, []);
    assert.deepEqual(python.absent.filter((one) => !/^_ZT[IV]N(?:2at4cuda|4c10d16ProcessGroupNCCL|3c1028ErrorAlwaysShowCppStacktraceE)/.test(one)), []);
    assert.equal(python.absent.length, 7);
  });
});

describe("the table against torch 2.14.1+cu130", { skip: cuda === undefined ? "ABIDING_TEST_TORCH_2_14 names no folder with the wheel of torch 2.14.1 for CUDA 13.0, unpacked" : false }, () => {
  it("is the same both ways, for every library", () => {
    const found = differences(cuda ?? "", "2.14.1");
    assert.ok(["libc10.so", "libtorch_cpu.so", "libtorch_python.so", "libc10_cuda.so", "libtorch_cuda.so"].every((name) => (found.find((one) => one.library === name)?.exported ?? 0) > 60));
    assert.deepEqual(found.flatMap((one) => [...one.unrecorded, ...one.absent]), []);
  });

  it("does not say that nobody exports what libtorch_cuda_linalg does, which is loaded when it is needed", () => {
    const said = [...exportsOf(path.join(cuda ?? "", "libtorch_cuda_linalg.so"))].filter((one) => history.librariesOf(one, "2.14.1")?.length === 0);
    assert.deepEqual(said, []);
  });
});
