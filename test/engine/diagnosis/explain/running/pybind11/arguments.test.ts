import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { release, says, verdictOf } from "../../loading/reading.ts";

/** As pybind11 2.6 to 3.1 and nanobind 2.2 to 3.1 print them. */
function refused(name: string, signature: string, invoked: string, kind = "function"): string {
  return `Traceback (most recent call last):\n  File "/w/run.py", line 4, in <module>\nTypeError: ${name}(): incompatible ${kind} arguments. The following argument types are supported:\n    1. ${signature}\n\n${invoked}\n`;
}

const graph = refused("n_inputs", "(arg0: torch::jit::Graph) -> int", "Invoked with: graph(%a : Tensor,\n      %b : Tensor):\n  return (%a)\n");

describe("arguments that bindings refuse", () => {
  it("are right and of another registry: a class of torch", async () => {
    const verdict = await says(graph, "pybind11-internals", "likely", /n_inputs\(\) refused an argument that is what it asks for: a Graph/);
    assert.equal(verdict.rule, "pybind11-internals");
    assert.deepEqual(verdict.lines, { first: 3, last: 8 });
    assert.ok(verdict.fixes[0]?.includes("torch/include"));
    assert.ok(verdict.needs.some((one) => one.includes("abiding fits FILE")));
    assert.ok(verdict.because.some((one) => /Tensors are not affected/.test(one)));
  });

  it("name the key of the environment's torch where one is given", async () => {
    const verdict = await says(graph, "pybind11-internals", "likely", /a Graph/, await release("torch==2.13.0"));
    assert.ok(verdict.because.some((one) => /torch 2\.13\.0\S* has the key v11_system_libstdcpp/.test(one)), verdict.because.join("\n"));
  });

  it("are right under other names of torch's classes", async () => {
    await says(refused("", "(arg0: c10d::Store, arg1: int, arg2: int, arg3: datetime.timedelta) -> c10d::Backend", "Invoked with: <torch.distributed.distributed_c10d.PrefixStore object at 0x7f2c>, 0, 1, datetime.timedelta(seconds=1800)"), "pybind11-internals", "likely", /a Store/);
    await says(refused("import_function", "(self: pkg._mlir.Importer, arg0: torch::jit::StrongFunctionPtr) -> None", "Invoked with: <pkg._mlir.Importer object at 0x7f>, <torch.jit.ScriptFunction object at 0x7e>"), "pybind11-internals", "likely", /a StrongFunctionPtr/);
  });

  it("are right although their text is a class's own", async () => {
    await says("TypeError: exportNone(): incompatible function arguments. The following argument types are supported:\n    1. (self: mlirtool._importer.Annotator, arg0: c10::ClassType) -> None\n\nInvoked with: Annotator {\n}\n, __torch__.vision.models.resnet.ResNet", "pybind11-internals", "likely", /^exportNone\(\) refused an argument that is what it asks for: a ClassType\.$/);
    await says("TypeError: run(): incompatible function arguments. The following argument types are supported:\n    1. (arg0: c10::Stream) -> None\n\nInvoked with: torch.Stream device_type=cuda", "pybind11-internals", "possible", /refused an object for c10::Stream/);
  });

  it("are right and of another module's registry", async () => {
    const verdict = await says(refused("use", "(arg0: Frame) -> int", "Invoked with: <owner.Frame object at 0x7f0269836d70>"), "pybind11-internals", "likely", /a Frame/);
    assert.ok(verdict.needs.includes("The keys of both modules' files: abiding inspect FILE"));
    assert.ok(!verdict.because.some((one) => /Tensors/.test(one)));
    const nano = await says(refused("use", "use(arg0: Grid, arg1: int, /) -> int", "Invoked with types: fluid.Grid, int"), "pybind11-internals", "likely", /a Grid/);
    assert.ok(nano.because.some((one) => /nanobind modules share types/.test(one)));
    assert.ok(!nano.fixes.some((one) => /pybind11/.test(one)));
  });

  it("may be right under a name that does not show", async () => {
    await says(refused("use", "(arg0: phys::FrameImpl) -> int", "Invoked with: <owner.Frame object at 0x7f02>"), "pybind11-internals", "possible", /phys::FrameImpl/);
  });

  it("are wrong: too few, too many, of other kinds", async () => {
    await says(refused("scale", "(arg0: float, arg1: int) -> float", "Invoked with: 1.5"), "wrong-arguments", "certain", /scale\(\) was called with the wrong number of arguments: a mistake of the call, not of the ABI/);
    await says(refused("__init__", "phys.Frame()", "Invoked with: 3", "constructor"), "wrong-arguments", "certain", /wrong number/);
    await says(refused("scale", "(arg0: float, arg1: int) -> float", "Invoked with: 'a', 3"), "wrong-arguments", "likely", /does not take/);
    await says(refused("use", "(arg0: phys.Frame) -> int", "Invoked with: None"), "wrong-arguments", "certain", /does not take/);
    await says(refused("use", "use(arg0: fluid.Grid, arg1: int, /) -> int", "Invoked with types: int"), "wrong-arguments", "certain", /wrong number/);
    await says(refused("_jit_pass_inline", "(arg0: torch::jit::Graph) -> None", "Invoked with: 3"), "wrong-arguments", "certain", /does not take/);
  });

  it("are wrong although the object itself is right", async () => {
    await says(refused("count", "(self: phys.Frame, arg0: typing.SupportsInt | typing.SupportsIndex) -> int", "Invoked with: <phys.Frame object at 0x7f8a>, 'x'"), "wrong-arguments", "likely", /count\(\)/);
    await says(refused("use", "use(arg0: fluid.Grid, arg1: int, /) -> int", "Invoked with types: fluid.Grid, str"), "wrong-arguments", "likely", /use\(\)/);
    await says(refused("conv", "(arg0: torch.Tensor, arg1: int) -> torch.Tensor", "Invoked with: tensor([[1., 2.],\n        [3., 4.]]), 'three'"), "wrong-arguments", "likely", /conv\(\)/);
  });

  it("count defaults and keywords", async () => {
    await says(refused("f", "(x: int, y: int = 3) -> int", "Invoked with: kwargs: z=1"), "wrong-arguments", "certain", /wrong number/);
    await says(refused("f", "(x: int, y: phys.Frame = None) -> int", "Invoked with: 1; kwargs: y='n'"), "wrong-arguments", "likely", /does not take/);
  });

  it("are tensors for a function that was compiled without torch's converter", async () => {
    const verdict = await says(refused("conv", "(arg0: at::Tensor, arg1: int) -> at::Tensor", "Invoked with: tensor([[1., 2.],\n        [3., 4.]]), 3"), "source-error", "likely", /without torch's converter/);
    assert.equal(verdict.copy, "#include <torch/extension.h>");
  });

  it("are a list of tensors for an ArrayRef, for which nobody has a converter", async () => {
    const verdict = await says(refused("run", "(arg0: c10::ArrayRef<at::Tensor>) -> bool", "Invoked with: [tensor([42]), tensor([43])]"), "source-error", "likely", /at::TensorList\), which nobody can convert/);
    assert.equal(verdict.copy, "const std::vector<at::Tensor>&");
    await says(refused("run", "(arg0: c10::ArrayRef<at::Tensor>) -> bool", "Invoked with: 3"), "wrong-arguments", "certain", /does not take/);
  });

  it("lack a converter of pybind11, which says so", async () => {
    const verdict = await says(refused("run", "(arg0: std::vector<float, std::allocator<float> >) -> None", "Invoked with: [1.0, 2.0]\n\nDid you forget to `#include <pybind11/stl.h>`? Or <pybind11/complex.h>,\n<pybind11/functional.h>, <pybind11/chrono.h>, etc."), "source-error", "likely", /without a converter/);
    assert.ok(verdict.fixes[0]?.includes("pybind11/stl.h"));
  });

  it("are not shown: only torch's classes leave the question open", async () => {
    const head = "TypeError: n_inputs(): incompatible function arguments. The following argument types are supported:\n    1. (arg0: torch::jit::Graph) -> int\n";
    await says(head, "pybind11-internals", "possible", /it takes torch::jit::Graph/);
    await says(head.replace("torch::jit::Graph", "str"), "wrong-arguments", "likely", /does not take/);
  });

  it("are read in pytest's margins, in one line, and not in its summary", async () => {
    const pytest = `>       ext.use(owner.Frame())\nE       TypeError: use(): incompatible function arguments. The following argument types are supported:\nE           1. (arg0: Frame) -> int\nE       \nE       Invoked with: <owner.Frame object at 0x7f17>\n\ntest_a.py:3: TypeError\nFAILED test_a.py::test_use - TypeError: use(): incompatible function arguments. The following argument types are supported:\n`;
    await says(pytest, "pybind11-internals", "likely", /a Frame/);
    await says(pytest.replace("E       \n", "E\n"), "pybind11-internals", "likely", /a Frame/);
    await says("TypeError: use(): incompatible function arguments. The following argument types are supported: 1. (arg0: Frame) -> int Invoked with: <owner.Frame object at 0x7f17>", "pybind11-internals", "likely", /a Frame/);
    await says("TypeError: use(): incompatible function arguments. The following argument types are supported:", "wrong-arguments", "possible", /the text does not show them/);
  });

  it("end where the message ends", async () => {
    const verdict = await verdictOf(`${refused("scale", "(arg0: float) -> float", "Invoked with: 'a'").trimEnd()}\nmake: *** [run] Error 1\n`);
    assert.deepEqual(verdict.lines, { first: 3, last: 6 });
  });
});
