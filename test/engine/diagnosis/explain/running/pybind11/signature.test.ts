import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isCxxName, isOfClass, parseOverload, splitList } from "../../../../../../src/engine/diagnosis/explain/running/pybind11/signature.ts";

describe("signatures of bindings", () => {
  it("are split outside brackets, quotes and arrows", () => {
    assert.deepEqual(splitList("[1, 2], 'a, b', {'k': (1, 2)}, <m.F object at 0x7f>"), ["[1, 2]", "'a, b'", "{'k': (1, 2)}", "<m.F object at 0x7f>"]);
    assert.deepEqual(splitList("f: Callable[[int], str], g: std::map<int, float>"), ["f: Callable[[int], str]", "g: std::map<int, float>"]);
    assert.deepEqual(splitList("graph(%a : Tensor,\n  %b : Tensor):\n  return (%a)\n, 3"), ["graph(%a : Tensor,\n  %b : Tensor):\n  return (%a)", "3"]);
    assert.equal(splitList("tensor([[1., 2."), undefined);
    assert.deepEqual(splitList(""), []);
  });

  it("have parameters with types and defaults", () => {
    assert.deepEqual(parseOverload("    2. (self: m.A, n: int = 3, *args) -> Callable[[int], None]"), {
      isOpen: true, parameters: [{ name: "self", type: "m.A", hasDefault: false }, { name: "n", type: "int", hasDefault: true }],
    });
    assert.deepEqual(parseOverload("1. use(arg0: Grid, /) -> int")?.parameters.map((one) => one.type), ["Grid"]);
    assert.deepEqual(parseOverload("1. m.Frame()"), { isOpen: false, parameters: [] });
    assert.equal(parseOverload("1. (arg0: torch::jit::Gra"), undefined);
  });

  it("print by its C++ name what the registry does not know", () => {
    for (const one of ["torch::jit::Graph", "Frame", "ns::Box<int>", "at::Tensor"]) assert.ok(isCxxName(one), one);
    for (const one of ["int", "str", "m.Frame", "torch.Tensor", "list[int]", "List[int]", "Optional[m.A]", "typing.SupportsInt | typing.SupportsIndex", "numpy.ndarray[numpy.float64]", "None", "object"]) assert.ok(!isCxxName(one), one);
  });

  it("name classes that values show", () => {
    assert.ok(isOfClass("torch::jit::Graph", "graph(%a : Tensor):\n  return (%a)"));
    assert.ok(isOfClass("QuantType", "<QuantType.per_token: 1>"));
    assert.ok(isOfClass("c10d::ProcessGroup", "<torch.distributed.ProcessGroupNCCL object at 0x1>"));
    assert.ok(!isOfClass("torch::jit::Graph", "'graph'"));
    assert.ok(!isOfClass("Frame", "<m.FrameList object at 0x1>"));
  });
});
