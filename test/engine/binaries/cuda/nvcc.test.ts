/** Device code as nvcc really lays it out: what is read must be what it was told to make. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { after, describe, it } from "node:test";
import { NodeFiles } from "../../../../src/engine/files/index.ts";
import { describeBinary } from "../../../../src/engine/binaries/profile/index.ts";
import type { BinaryProfile, CudaArchitecture, Files } from "../../../../src/engine/model/index.ts";
import { MemoryFiles } from "../../../support/memory-files.ts";
import { withoutSections } from "./fatbin-builder.ts";

const version = /release (\d+\.\d+)/.exec(spawnSync("nvcc", ["--version"], { encoding: "utf8" }).stdout ?? "")?.[1];
const [major = 0, minor = 0] = (version ?? "").split(".").map(Number);
// sm_100f came with toolkit 12.9.
const isNew = major > 12 || (major === 12 && minor >= 9);
const options = { skip: version === undefined ? "nvcc is not installed: CUDA device code is checked with synthetic files only" : isNew ? false : `nvcc ${version} does not know sm_100f` };

const hasObjdump = spawnSync("cuobjdump", ["--version"]).status === 0;
const objdumpOptions = { skip: options.skip !== false ? options.skip : hasObjdump ? false : "cuobjdump is not installed: what nvcc was told to make is checked, not what cuobjdump lists" };

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "abiding-nvcc-"));
after(() => fs.rmSync(folder, { recursive: true }));

function kernel(name: string): string {
  const file = path.join(folder, `${name}.cu`);
  fs.writeFileSync(file, `__global__ void ${name}_kernel(float* a, int n) { int i = threadIdx.x + blockIdx.x * blockDim.x; if (i < n) a[i] *= 2; }\nextern "C" void ${name}(float* a, int n) { ${name}_kernel<<<(n + 255) / 256, 256>>>(a, n); }\n`);
  return file;
}

const four = ["-gencode", "arch=compute_80,code=sm_80", "-gencode", "arch=compute_90a,code=sm_90a", "-gencode", "arch=compute_100f,code=sm_100f", "-gencode", "arch=compute_120,code=[sm_120,compute_120]"];

function compile(name: string, ...flags: readonly string[]): string {
  const file = path.join(folder, name);
  execFileSync("nvcc", ["-shared", "-Xcompiler", "-fPIC", kernel("twice"), kernel("again"), "-o", file, ...flags], { stdio: "pipe" });
  return file;
}

function profileOf(file: string, files: Files = new NodeFiles()): BinaryProfile {
  const described = describeBinary(file, files);
  assert.ok(described.ok, described.ok ? "" : described.message);
  return described.body.profile;
}

const named = (list: readonly CudaArchitecture[] | undefined): string => (list ?? []).map((one) => `${one.real ? "sm" : ""}${one.ptx ? "+ptx" : ""}_${one.sm}${one.suffix}`).join(" ");

describe("device code of nvcc", () => {
  for (const [mode, compressed] of [["none", false], ["speed", true], ["size", true]] as const) {
    it(`is read with --compress-mode=${mode}, with and without section headers`, options, () => {
      const file = compile(`lib${mode}.so`, ...four, `--compress-mode=${mode}`);
      const read = [profileOf(file), profileOf("/x.so", new MemoryFiles({ "/x.so": withoutSections(file) }))];
      for (const profile of read) {
        assert.equal(named(profile.cuda?.architectures), "sm_80 sm_90a sm_100f sm+ptx_120");
        assert.deepEqual({ ...profile.cuda, architectures: [] }, { architectures: [], fatbins: 2, compressed, toolkit: version, notEverywhere: [] });
        assert.deepEqual([profile.cudaRuntime?.linked, profile.cudaRuntime?.major], ["static", major]);
      }
    });
  }

  it("is that of the device link under separate compilation", options, () => {
    const file = compile("librdc.so", ...four, "-rdc=true");
    for (const profile of [profileOf(file), profileOf("/x.so", new MemoryFiles({ "/x.so": withoutSections(file) }))]) {
      assert.equal(named(profile.cuda?.architectures), "sm_80 sm_90a sm_100f sm_120");
      assert.equal(profile.cuda?.fatbins, 1);
    }
  });

  it("counts as lacking what one of two objects was not compiled for, and the runtime as shared where it is", options, () => {
    const objects = [["twice", ["-gencode", "arch=compute_80,code=[sm_80,compute_80]", "-gencode", "arch=compute_90,code=sm_90"]], ["again", ["-gencode", "arch=compute_80,code=sm_80"]]] as const;
    const compiled = objects.map(([name, flags]) => {
      const object = path.join(folder, `${name}.o`);
      execFileSync("nvcc", ["-c", "-Xcompiler", "-fPIC", ...flags, kernel(name), "-o", object]);
      return object;
    });
    const file = path.join(folder, "libobjects.so");
    execFileSync("nvcc", ["-shared", "-cudart=shared", ...compiled, "-o", file]);
    const profile = profileOf(file);
    assert.equal(named(profile.cuda?.architectures), "sm+ptx_80 sm_90");
    assert.equal(named(profile.cuda?.notEverywhere), "+ptx_80 sm_90");
    assert.deepEqual([profile.cudaRuntime?.linked, profile.cudaRuntime?.major, profile.cudaRuntime?.library], ["shared", major, `libcudart.so.${major}`]);
    assert.equal(named(profileOf(compiled[0] ?? "").cuda?.architectures), "sm+ptx_80 sm_90");
  });

  it("is what cuobjdump lists", objdumpOptions, () => {
    const file = compile("liblisted.so", ...four);
    const listed = (flag: string): readonly string[] => [...new Set([...execFileSync("cuobjdump", [flag, file], { encoding: "utf8" }).matchAll(/\.sm_(\d+a?)f?\.(?:cubin|ptx)$/gm)].map((one) => one[1] ?? ""))].sort();
    const architectures = profileOf(file).cuda?.architectures ?? [];
    // It prints the code of a family by its number alone.
    const read = (form: "real" | "ptx"): readonly string[] => architectures.filter((one) => one[form]).map((one) => `${one.sm}${one.suffix === "a" ? "a" : ""}`).sort();
    assert.deepEqual([read("real"), read("ptx")], [listed("--list-elf"), listed("--list-ptx")]);
  });

  it("is PTX alone where only that was asked for", options, () => {
    const profile = profileOf(compile("libptx.so", "-gencode", "arch=compute_90,code=compute_90"));
    assert.equal(named(profile.cuda?.architectures), "+ptx_90");
    assert.equal(profile.cuda?.toolkit, version);
  });
});
