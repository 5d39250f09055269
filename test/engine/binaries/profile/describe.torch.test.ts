/** The libraries of a real torch, against what binutils prints of them and what the torch is known to be. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { describe, it } from "node:test";
import { describeBinary } from "../../../../src/engine/binaries/profile/index.ts";
import { loadCatalogue } from "../../../../src/engine/catalogue/index.ts";
import { NodeFiles } from "../../../../src/engine/files/index.ts";
import { describeEnvironment } from "../../../../src/engine/installed/index.ts";
import { factsOf, valueOf } from "../../../../src/engine/model/index.ts";
import type { BuiltBody } from "../../../../src/engine/model/index.ts";

const prefix = process.env["ABIDING_TEST_TORCH"];
const options = { skip: prefix === undefined ? "ABIDING_TEST_TORCH names no environment" : false };
const files = new NodeFiles();

function installed(): NonNullable<ReturnType<typeof describeEnvironment>> {
  const body = describeEnvironment(prefix ?? "", files, loadCatalogue());
  assert.ok(body !== undefined);
  return body;
}

function libraries(): readonly BuiltBody[] {
  const torchRoot = installed().torchRoot ?? "";
  const found = [torchRoot, path.join(torchRoot, "lib")].flatMap((folder) => fs.readdirSync(folder).filter((name) => /\.so(?:\.|$)/.test(name)).map((name) => path.join(folder, name)));
  assert.ok(found.length >= 8, found.join(" "));
  return found.map((file) => {
    const described = describeBinary(file, files);
    assert.ok(described.ok, described.ok ? "" : described.message);
    return described.body;
  });
}

function readelf(flag: string, file: string): string {
  return execFileSync("readelf", [flag, "-W", file], { encoding: "utf8", maxBuffer: 256 * 1024 * 1024, stdio: ["ignore", "pipe", "ignore"] });
}

function highest(text: string, prefixOfName: string): string | undefined {
  return [...text.matchAll(new RegExp(`Name: ${prefixOfName}_([0-9.]+) `, "g"))].map((one) => one[1] ?? "").sort((a, b) => a.localeCompare(b, "en", { numeric: true })).at(-1);
}

describe("the libraries of a real torch", () => {
  it("are what readelf says", options, () => {
    for (const { path: file, profile, facts } of libraries()) {
      const needs = readelf("-V", file).split("Version needs section")[1] ?? "";
      assert.equal(valueOf(facts, "glibc"), highest(needs, "GLIBC"), file);
      assert.equal(valueOf(facts, "libstdcxx-version"), highest(needs, "GLIBCXX"), file);
      assert.equal(profile.buildId, /Build ID: ([0-9a-f]+)/.exec(readelf("-n", file))?.[1], file);
      assert.deepEqual(profile.needed, [...readelf("-d", file).matchAll(/\(NEEDED\).*\[(.*)\]/g)].map((one) => one[1]), file);
    }
  });

  it("are of the string ABI that the torch is known by, and hold nothing that they should not", options, () => {
    const abi = valueOf(installed().facts, "libstdcxx-abi");
    for (const { path: file, profile, facts } of libraries()) {
      assert.ok(factsOf(facts, "libstdcxx-abi").every((one) => one.value === abi), file);
      assert.deepEqual(profile.signs.map((one) => one.what).filter((one) => one !== "grafted-library"), [], file);
    }
  });

  it("are a Python module, and the one that holds the pybind11 key", options, () => {
    const all = libraries();
    const module = all.find((one) => one.name.startsWith("_C."));
    assert.equal(module?.profile.kind, "python-module");
    assert.equal(valueOf(module?.facts ?? [], "python-suffix"), valueOf(installed().facts, "python-suffix"));
    const python = all.find((one) => one.name === "libtorch_python.so");
    assert.equal(valueOf(python?.facts ?? [], "pybind11-internals"), valueOf(installed().facts, "pybind11-internals"));
    assert.equal(valueOf(python?.facts ?? [], "libstdcxx-abi"), valueOf(installed().facts, "libstdcxx-abi"));
  });
});
