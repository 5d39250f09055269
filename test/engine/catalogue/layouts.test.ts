import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { layoutChanges, layoutsOf, silentChanges } from "../../../src/engine/catalogue/index.ts";

function sizes(version: string): Readonly<Record<string, number>> {
  return Object.fromEntries(layoutsOf(version)?.classes.map((one) => [one.class, one.size]) ?? []);
}

describe("the layouts of torch's public classes", () => {
  it("are those that were measured by hand", () => {
    const measured = {
      "1.13.1": { "c10::TensorImpl": 192, "c10::StorageImpl": 80, "torch::Library": 96, "torch::CppFunction": 96, "c10::KernelFunction": 32, "torch::autograd::Node": 392, "at::TensorIteratorBase": 816 },
      "2.13.0": { "c10::TensorImpl": 176, "c10::StorageImpl": 96, "torch::Library": 120, "torch::CppFunction": 104, "c10::KernelFunction": 40, "torch::autograd::Node": 464, "at::TensorIteratorBase": 760, "c10::SymbolicShapeMeta": 272 },
      "2.14.1": { "c10::TensorImpl": 176, "c10::StorageImpl": 96, "torch::Library": 120, "torch::CppFunction": 104, "c10::KernelFunction": 40, "torch::autograd::Node": 464, "at::TensorIteratorBase": 760, "c10::SymbolicShapeMeta": 392 },
    };
    for (const [version, expected] of Object.entries(measured)) {
      const found = sizes(version);
      assert.deepEqual(Object.fromEntries(Object.keys(expected).map((name) => [name, found[name]])), expected, version);
    }
    const numbers = ["1.13.1", "2.13.0", "2.14.1"].map((version) => layoutsOf(version)?.constants);
    assert.deepEqual(numbers.map((one) => one?.["c10::ScalarType::NumOptions"]), [19, 47, 48]);
    assert.deepEqual(numbers.map((one) => one?.["c10::DispatchKey::AutogradCPU"]), [103, 134, 134]);
  });

  it("differ between releases by class and bytes", () => {
    const changed = layoutChanges("2.13.0+cpu", "2.14.1");
    const { source, ...grown } = changed?.find((one) => one.class === "c10::SymbolicShapeMeta") ?? { source: "" };
    assert.deepEqual(grown, { class: "c10::SymbolicShapeMeta", from: 272, to: 392 });
    assert.match(source, /compiling a probe/);
    assert.equal(changed?.some((one) => one.class === "c10::TensorImpl"), false);
    assert.deepEqual(layoutChanges("2.13.0", "2.13.0"), []);
  });

  it("of a development build or an unknown release are not known", () => {
    assert.equal(layoutsOf("2.14.0.dev20260701"), undefined);
    assert.equal(layoutsOf("2.9.0a0+git1234"), undefined);
    assert.equal(layoutChanges("2.13.0", "99.0.0"), undefined);
    assert.equal(silentChanges("0.4.0", "2.13.0"), undefined);
  });
});

describe("changes that neither symbols nor sizes show", () => {
  it("are constants that moved", () => {
    const moved = silentChanges("1.13.1", "2.13.0")?.find((one) => one.name === "c10::DispatchKey::AutogradCPU");
    assert.equal(moved?.kind, "constant");
    assert.deepEqual([moved?.from, moved?.to], [103, 134]);
  });

  it("are none between two patch releases that only fixed code", () => {
    assert.deepEqual(silentChanges("2.14.0", "2.14.1"), []);
  });
});
