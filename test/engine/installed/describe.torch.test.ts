/** What reading files tells of a real torch, against what that torch says of itself when imported. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as path from "node:path";
import { describe, it } from "node:test";
import { loadCatalogue } from "../../../src/engine/catalogue/index.ts";
import { NodeFiles } from "../../../src/engine/files/index.ts";
import { describeEnvironment, isRefusedUnderStableAbi, torchHeader } from "../../../src/engine/installed/index.ts";
import { valueOf } from "../../../src/engine/model/index.ts";
import type { Trait } from "../../../src/engine/model/index.ts";
import { processorTime } from "../../support/processorTime.ts";

const prefix = process.env["ABIDING_TEST_TORCH"];
const files = new NodeFiles();
const catalogue = loadCatalogue();

const question = `
import json, os, platform, sysconfig, torch
print(json.dumps({
  "torch-version": torch.__version__,
  "cuda-version": torch.version.cuda,
  "torch-git-version": torch.version.git_version,
  "torch-debug": torch.version.debug,
  "libstdcxx-abi": int(torch._C._GLIBCXX_USE_CXX11_ABI),
  "python-version": platform.python_version(),
  "python-suffix": sysconfig.get_config_var("EXT_SUFFIX")[1:-3],
  "root": os.path.dirname(torch.__file__),
}))`;

const options = { skip: prefix === undefined ? "ABIDING_TEST_TORCH names no environment" : false };

describe("a real torch", () => {
  const environment = prefix ?? "";

  it("is described as it describes itself", options, () => {
    const answer = execFileSync(path.join(environment, "bin", "python"), ["-c", question], { encoding: "utf8" });
    const said = JSON.parse(answer) as Readonly<Record<string, unknown>>;
    const body = describeEnvironment(environment, files, catalogue);
    const read = Object.fromEntries(Object.keys(said).map((trait) => [trait, trait === "root" ? body?.torchRoot : valueOf(body?.facts ?? [], trait as Trait)]));
    assert.deepEqual(read, said);
    assert.deepEqual(body?.notKnown, []);
  });

  it("agrees with the catalogue", options, () => {
    const body = describeEnvironment(environment, files, catalogue);
    const facts = body?.facts ?? [];
    const release = catalogue.torchRelease(valueOf(facts, "torch-version") ?? "");
    assert.ok(release !== undefined);
    assert.equal(valueOf(facts, "cxx-standard-floor"), release.cxxStandardFloor);
    assert.equal(valueOf(facts, "cxx-standard-default"), release.cxxStandardDefault);
    assert.equal(valueOf(facts, "pybind11-version"), release.pybind11Version);
    assert.match(valueOf(facts, "pybind11-internals") ?? "", /^v\d+_/);
  });

  it("tells which headers the stable ABI refuses", options, () => {
    const body = describeEnvironment(environment, files, catalogue);
    assert.ok(body !== undefined);
    assert.equal(isRefusedUnderStableAbi(body, "torch/extension.h", files), true);
    assert.equal(isRefusedUnderStableAbi(body, "torch/csrc/stable/tensor.h", files), false);
    assert.notEqual(torchHeader(body, "torch/torch.h", files), undefined);
  });

  it("is described within 30 ms", options, () => {
    const times = Array.from({ length: 9 }, () => {
      const started = processorTime();
      describeEnvironment(environment, new NodeFiles(), catalogue);
      return processorTime() - started;
    }).sort((a, b) => a - b);
    assert.ok((times[4] ?? Infinity) < 30, times.map((one) => one.toFixed(1)).join(" "));
  });
});
