import assert from "node:assert/strict";
import { describe, it } from "node:test";
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
