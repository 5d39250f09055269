import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { says, silent } from "../../loading/reading.ts";

describe("types that bindings register", () => {
  it("may stand once in a registry", async () => {
    const verdict = await says('ImportError: generic_type: type "QuantKind" is already registered!', "type-registered-twice", "likely", /"QuantKind" was registered with pybind11 twice/);
    assert.equal(verdict.rule, null);
    assert.equal(verdict.copy, 'py::class_<QuantKind>(m, "QuantKind", py::module_local())');
    assert.ok(verdict.because.some((one) => /opposite of an ABI conflict/.test(one)));
    await says('ImportError: pybind11::native_enum<...>("Mode") is already registered!\n'.replace(/.*/, 'ImportError: "Mode" is already registered as a pybind11::native_enum!'), "type-registered-twice", "likely", /"Mode"/);
  });

  it("warn with nanobind", async () => {
    await says("<frozen importlib._bootstrap>:241: RuntimeWarning: nanobind: type 'Grid2' was already registered!", "type-registered-twice", "certain", /the first registration counts/);
  });

  it("may be alive at the end: nanobind counts them", async () => {
    await says("nanobind: leaked 3 instances!\n - leaked instance 0x7f of type \"fluid.Grid\"", "harmless", "certain", /3 instances/);
  });

  it("need a free name", async () => {
    await says('ImportError: generic_type: cannot initialize type "Frame": an object with that name is already defined', "type-registered-twice", "certain", /already has something named "Frame"/);
  });

  it("need their base, default values and results registered", async () => {
    const own = await says('ImportError: generic_type: type "Derived" referenced unknown base type "Base"', "pybind11-internals", "possible", /"Derived" derives from "Base"/);
    assert.match(own.fixes[0] ?? "", /Import the module that registers it first/);
    const torch = await says('ImportError: generic_type: type "MyBackend" referenced unknown base type "c10d::Backend"', "pybind11-internals", "likely", /"c10d::Backend"/);
    assert.match(torch.because[0] ?? "", /torch registers that class when it is imported/);
    await says("ImportError: arg(): could not convert default argument 'h: Hidden' in function 'f' into a Python object (type not registered yet?)", "pybind11-internals", "possible", /of f\(\) is of a type that is not registered: Hidden/);
    await says("TypeError: Unregistered type : Hidden\n\nThe above exception was the direct cause of the following exception:\n\nTraceback (most recent call last):\n  File \"/w/r.py\", line 1, in <module>\nTypeError: Unable to convert function return value to a Python type! The signature was\n\t() -> Hidden", "pybind11-internals", "possible", /: Hidden/);
    await says("TypeError: Unable to convert function return value to a Python type! The signature was\n\t(self: m.Tracer) -> torch::jit::Graph", "pybind11-internals", "likely", /torch::jit::Graph/);
    await says("TypeError: Unable to convert function return value to a Python type! The signature was\n\t() -> std::shared_ptr<torch::jit::Graph>", "pybind11-internals", "likely", /: torch::jit::Graph/);
  });

  it("of tensors and of the standard library need a converter's header", async () => {
    assert.equal((await says("TypeError: Unable to convert function return value to a Python type! The signature was\n\t() -> at::Tensor", "source-error", "likely", /without torch's converter/)).copy, "#include <torch/extension.h>");
    assert.equal((await says("TypeError: Unable to convert function return value to a Python type! The signature was\n\t() -> std::vector<int, std::allocator<int> >", "source-error", "likely", /without pybind11's converter/)).copy, "#include <pybind11/stl.h>");
  });

  it("are silent in code and in prose", async () => {
    await silent('    throw std::runtime_error("generic_type: type \\"" + name + "\\" is already registered!");');
    await silent('with pytest.raises(ImportError, match="generic_type: type \\"Frame\\" is already registered!"):');
    await silent("If you see TypeError: f(): incompatible function arguments. The following argument types are supported: rebuild.");
  });
});
