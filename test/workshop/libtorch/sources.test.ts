import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isNeeded } from "../../../src/workshop/libtorch/checkout.ts";
import { proxyRemark } from "../../../src/workshop/libtorch/proxy.ts";
import { archiveNames } from "../../../src/workshop/libtorch/sources.ts";

describe("the names of archives", () => {
  it("are those of the release, the platform and the ABI", () => {
    const names = (version: string, platform: string, abi?: 0 | 1, variant = "cpu"): readonly string[] => archiveNames({ wanted: { version, variant, ...(abi === undefined ? {} : { abi }) } }, platform);
    assert.deepEqual(names("2.13.0", "linux-x86_64"), ["libtorch-shared-with-deps-2.13.0+cpu.zip"]);
    assert.deepEqual(names("2.13.0", "linux-x86_64", 0), []);
    assert.deepEqual(names("2.6.0", "linux-x86_64", 1, "cu126"), ["libtorch-cxx11-abi-shared-with-deps-2.6.0+cu126.zip"]);
    assert.deepEqual(names("2.6.0", "linux-x86_64", 0), ["libtorch-shared-with-deps-2.6.0+cpu.zip"]);
    assert.deepEqual(names("2.7.0", "linux-x86_64", 1), ["libtorch-cxx11-abi-shared-with-deps-2.7.0+cpu.zip", "libtorch-shared-with-deps-2.7.0+cpu.zip"]);
    assert.deepEqual(names("2.13.0", "macos-arm64"), ["libtorch-macos-arm64-2.13.0.zip"]);
    assert.deepEqual(names("2.2.2", "macos-x86_64"), ["libtorch-macos-x86_64-2.2.2.zip"]);
    assert.deepEqual(names("2.13.0", "linux-aarch64"), []);
  });
});

describe("submodules of PyTorch", () => {
  it("are needed by what is switched on, by default on some platforms only, and not where the system's are taken", () => {
    const needed = (submodule: string, platform: string, ...options: readonly string[]): boolean => isNeeded(`third_party/${submodule}`, new Map(options.map((one): [string, string] => [one.slice(1), one.startsWith("+") ? "ON" : "OFF"])), platform);
    const cases: readonly (readonly [boolean, string, string, ...string[]])[] = [
      [true, "ideep", "linux-x86_64"], [false, "ideep", "linux-aarch64"], [true, "ideep", "linux-aarch64", "+USE_MKLDNN"], [false, "ittapi", "macos-arm64"],
      [true, "kleidiai", "linux-aarch64"], [true, "kleidiai", "macos-arm64"], [false, "kleidiai", "linux-x86_64"],
      [true, "gloo", "linux-x86_64"], [false, "gloo", "macos-arm64"], [false, "gloo", "linux-x86_64", "-USE_DISTRIBUTED"], [false, "gloo", "linux-x86_64", "+USE_SYSTEM_GLOO"],
      [true, "cutlass", "linux-x86_64"], [false, "cutlass", "linux-x86_64", "-USE_CUDA"], [false, "flash-attention", "linux-x86_64", "-USE_FLASH_ATTENTION"],
      [false, "composable_kernel", "linux-x86_64"], [true, "composable_kernel", "linux-x86_64", "+USE_ROCM"], [false, "VulkanMemoryAllocator", "linux-x86_64"], [false, "mimalloc", "linux-x86_64"],
      [true, "XNNPACK", "linux-x86_64"], [false, "XNNPACK", "linux-x86_64", "+USE_SYSTEM_LIBS"], [true, "sleef", "linux-x86_64"], [false, "sleef", "linux-x86_64", "+USE_SYSTEM_SLEEF"],
      [true, "fmt", "linux-x86_64", "+USE_SYSTEM_LIBS"], [false, "benchmark", "linux-x86_64"], [true, "googletest", "linux-x86_64", "+BUILD_TEST"],
    ];
    assert.deepEqual(cases.filter(([is, ...rest]) => needed(...rest) !== is), []);
    assert.equal(isNeeded("android/libs/fbjni", new Map(), "linux-x86_64"), false);
  });
});

describe("a proxy that is set and not used", () => {
  const isTold = (index: string, environment: Readonly<Record<string, string>>): boolean => proxyRemark(index, environment) !== undefined;
  it("is told, unless the address is exempt or Node uses it", () => {
    const proxy = { HTTPS_PROXY: "http://proxy:3128" };
    assert.equal(isTold("https://mirror.example/x", proxy), true);
    assert.equal(isTold("http://mirror.example/x", proxy), false);
    assert.equal(isTold("https://mirror.example/x", { ...proxy, NODE_USE_ENV_PROXY: "1" }), false);
    for (const exempt of ["*", "mirror.example", ".example", "other, MIRROR.example", "mirror.example:443"]) {
      assert.equal(isTold("https://mirror.example/x", { ...proxy, NO_PROXY: exempt }), false, exempt);
    }
    assert.equal(isTold("https://mirror.example/x", { ...proxy, NO_PROXY: "or.example" }), true);
  });
});
