"""Measures the layout of torch's public classes in the headers of each release, by compiling a probe.

    python3 scripts/data/read-torch-layouts.py FOLDER [VERSION ...] [--index URL] [--include DIR]

Fetches torch/include of the wheel that the index serves for Linux x86_64 by HTTP ranges (about 10 MB), compiles
torch-layout-probe.cpp with g++ against it, and leaves FOLDER/VERSION.json: sizes, alignments, offsets of members, tables
of virtual functions, and constants. `--include` adds a folder (Python's or CUDA's headers). Access checks are off, so
that private members can be asked for; std::string is the new one (_GLIBCXX_USE_CXX11_ABI=1) for every release.
`build-torch-layouts.py` makes data/torch-layouts.json of these files.
"""
import argparse
import json
import pathlib
import re
import subprocess
import tempfile

from remote_wheel import RemoteWheel, files_of, torch_wheels

PROBE = pathlib.Path(__file__).with_name("torch-layout-probe.cpp")
WHEELS = pathlib.Path(__file__).resolve().parents[2] / "data" / "torch-wheels.json"

# Class: members whose offset matters because inline code reads or writes them.
CLASSES = {
    "c10::TensorImpl": "storage_ autograd_meta_ extra_meta_ version_counter_ pyobj_slot_ pyobj_ sizes_and_strides_ storage_offset_ numel_ data_type_ device_opt_ key_set_",
    "c10::StorageImpl": "data_ptr_ size_bytes_ allocator_ pyobj_slot_ extra_meta_",
    "c10::intrusive_ptr_target": "refcount_ weakcount_ combined_refcount_",
    "c10::ExtraMeta": "symbolic_shape_meta_ named_tensor_meta_ backend_meta_ custom_data_ptr_error_msg_",
    "c10::SymbolicShapeMeta": "sizes_ strides_ storage_offset_ strides_valid_ available_ numel_ is_contiguous_",
    "c10::AutogradMetaInterface": "",
    "c10::NamedTensorMetaInterface": "",
    "c10::Storage": "", "c10::DataPtr": "ptr_ device_", "c10::Allocator": "", "c10::Device": "type_ index_", "c10::Stream": "device_ id_", "c10::Event": "",
    "c10::IValue": "payload tag", "c10::Scalar": "tag v", "c10::SymInt": "", "c10::SymBool": "", "c10::SymFloat": "", "c10::SymNodeImpl": "",
    "c10::TensorOptions": "dtype_ device_ layout_", "c10::DispatchKeySet": "", "c10::Error": "msg_ context_ backtrace_ caller_", "c10::Warning": "", "c10::SourceLocation": "",
    "c10::MessageLogger": "", "c10::GeneratorImpl": "mutex_ device_ key_set_", "c10::QualifiedName": "", "c10::Type": "", "c10::TensorType": "", "c10::ClassType": "",
    "c10::FunctionSchema": "name_ arguments_ returns_ is_vararg_ alias_kind_", "c10::Argument": "name_ type_ real_type_ N_ default_value_ alias_info_ kwarg_only_", "c10::OperatorName": "",
    "c10::OperatorHandle": "operatorDef_ operatorIterator_", "c10::KernelFunction": "boxed_kernel_func_ functor_ unboxed_kernel_func_ sym_unboxed_kernel_func_", "c10::BoxedKernel": "",
    "c10::Dispatcher": "", "c10::impl::OperatorEntry": "", "c10::RegistrationHandleRAII": "", "c10::impl::DeviceGuardImplInterface": "", "c10::impl::PyInterpreter": "", "c10::impl::PyInterpreterVTable": "",
    "c10::impl::PyObjectSlot": "", "c10::impl::SizesAndStrides": "", "c10::impl::VirtualGuardImpl": "", "c10::impl::LocalDispatchKeySet": "",
    "c10::ivalue::Object": "", "c10::ivalue::Future": "", "c10::ivalue::Tuple": "", "c10::detail::ListImpl": "",
    "at::Tensor": "", "at::TensorBase": "", "at::TensorGeometry": "sizes_ strides_ storage_offset_ numel_", "at::TensorArg": "",
    "at::TensorIteratorBase": "operands_ shape_ perm_ strides_ num_outputs_", "at::TensorIterator": "", "at::TensorIteratorConfig": "tensors_", "at::OperandInfo": "stride_bytes tensor_base_ original_tensor_base_ data",
    "at::Generator": "", "at::CPUGeneratorImpl": "", "at::Context": "", "at::CUDAHooksInterface": "", "at::RecordFunction": "",
    "torch::Library": "kind_ ns_ dispatch_key_ file_ line_ registrars_", "torch::CppFunction": "dispatch_key_ func_ cpp_signature_ schema_ debug_",
    "torch::autograd::Node": "sequence_nr_ topological_nr_ next_edges_ input_metadata_ retains_grad_hooks_ pre_hooks_ post_hooks_", "torch::autograd::Edge": "", "torch::autograd::AutogradContext": "",
    "torch::autograd::AutogradMeta": "grad_ grad_fn_ grad_accumulator_ hooks_ requires_grad_ output_nr_ mutex_", "torch::autograd::DifferentiableViewMeta": "", "torch::autograd::VariableInfo": "",
    "torch::autograd::SavedVariable": "", "torch::autograd::InputMetadata": "",
    "torch::jit::Module": "", "torch::jit::Object": "", "torch::jit::Method": "", "torch::jit::Graph": "", "torch::jit::Node": "", "torch::jit::Value": "", "torch::jit::Block": "",
    "torch::jit::Operator": "", "torch::jit::CompilationUnit": "", "THPVariable": "cdata", "c10::cuda::CUDAStream": "", "c10::cuda::CUDACachingAllocator::CUDAAllocator": "",
}
# What enumerators count: extensions have these numbers compiled in.
CONSTANTS = [
    *(f"c10::ScalarType::{one}" for one in "Byte Float Half BFloat16 Bool QUInt8 Bits8 Float8_e5m2 Float8_e4m3fn UInt16 UInt64 Float8_e8m0fnu Float4_e2m1fn_x2 Undefined NumOptions".split()),
    *(f"c10::DispatchKey::{one}" for one in "Undefined CPU CUDA Meta PrivateUse1 BackendSelect Python ADInplaceOrView AutogradOther AutogradCPU AutogradCUDA AutogradPrivateUse1 AutocastCPU AutocastCUDA CompositeImplicitAutograd CompositeExplicitAutograd EndOfFunctionalityKeys EndOfRuntimeBackendKeys".split()),
    *(f"c10::DeviceType::{one}" for one in "CPU CUDA HIP XLA MPS Meta HPU PrivateUse1 COMPILE_TIME_MAX_DEVICE_TYPES".split()),
    *(f"c10::Layout::{one}" for one in "Strided Sparse SparseCsr Mkldnn Jagged NumOptions".split()),
    *(f"c10::MemoryFormat::{one}" for one in "Contiguous ChannelsLast NumOptions".split()),
    *(f"c10::TypeKind::{one}" for one in "AnyType TensorType OptionalType ClassType SymIntType".split()),
    "c10::num_runtime_entries", "c10::impl::PyInterpreterStatus::TAGGED_BY_US",
    *(f"at::Tag::{one}" for one in "core data_dependent_output inplace_view nondeterministic_seeded pointwise pt2_compliant_tag view_copy".split()),
]


def probe(include: pathlib.Path, standard: int, extra: list[str]) -> dict:
    questions: list[tuple] = []
    lines = [PROBE.read_text(), "template <unsigned long First, unsigned long Second, int Question> struct Answer;"]
    ask = lambda question, first, second: (questions.append(question), lines.append(f"Answer<(unsigned long)({first}), {second}, {len(questions) - 1}> answer{len(questions) - 1};"))
    for name, members in CLASSES.items():
        ask(("size", name), f"sizeof({name})", f"alignof({name})")
        for member in members.split():
            ask(("offset", name, member), f"__builtin_offsetof({name}, {member})", "0")
    for name in CONSTANTS:
        ask(("constant", name), name, "0")
    facts: dict = {"classes": {}, "constants": {}}
    with tempfile.TemporaryDirectory() as folder:
        source, dump = pathlib.Path(folder, "probe.cpp"), pathlib.Path(folder, "classes.txt")
        source.write_text("\n".join(lines) + "\n")
        includes = [f"-I{one}" for one in [include, include / "torch/csrc/api/include", include / "TH", *extra]]
        command = ["g++", f"-std=c++{standard}", "-fsyntax-only", "-fno-access-control", "-fmax-errors=0", "-w", "-D_GLIBCXX_USE_CXX11_ABI=1", f"-fdump-lang-class={dump}", *includes, str(source)]
        said = subprocess.run(command, capture_output=True, text=True, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"}).stderr
        for first, second, number in re.findall(r"aggregate 'Answer<(\d+), (\d+), (\d+)> answer\d+' has incomplete type", said):
            question = questions[int(number)]
            if question[0] == "constant":
                facts["constants"][question[1]] = int(first)
            elif question[0] == "size":
                facts["classes"].setdefault(question[1], {}).update(size=int(first), align=int(second))
            else:
                facts["classes"].setdefault(question[1], {}).setdefault("members", {})[question[2]] = int(first)
        others = re.findall(r"^(.*?(?:fatal )?error: .*)$", said, re.M)
        facts["headerErrors"] = [one for one in others if not one.startswith(str(source)) or "fatal" in one][:5]
        for name, table in virtual_tables(dump.read_text() if dump.exists() else "").items():
            if name in facts["classes"]:
                facts["classes"][name]["virtual"] = table
    return facts


def virtual_tables(dump: str) -> dict[str, list[str]]:
    """The slots of each class's primary table of virtual functions, without the class's name, in order."""
    tables = {}
    for name, body in re.findall(r"^Vtable for (\S+)\n\S+: \d+ entries\n((?:\d+ .*\n)+)", dump, re.M):
        slots = []
        for entry in body.splitlines():
            text = re.sub(r"^\d+\s+", "", entry)
            # A second table of a class with several bases begins with its offset.
            if slots and re.fullmatch(r"\(int \(\*\)\(\.\.\.\)\)-\d+", text):
                break
            if text == "(int (*)(...))__cxa_pure_virtual" or text == "0":
                slots.append("=0")
            elif (function := re.fullmatch(r"\(int \(\*\)\(\.\.\.\)\)([A-Za-z_~][\w:~<>, ]*)", text)) is not None:
                slots.append(function[1].rpartition("::")[2])
        tables[name] = slots
    return tables


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("folder", type=pathlib.Path)
    options.add_argument("--index", default="https://pypi.org/simple")
    options.add_argument("--include", action="append", default=[])
    options.add_argument("versions", nargs="*")
    given = options.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    served = torch_wheels(files_of("torch", given.index))
    standards = {one["version"]: one.get("cxxStandardDefault") for one in json.loads(WHEELS.read_text())["wheels"]}
    for version in given.versions or sorted(served, key=lambda one: tuple(map(int, one.split("."))), reverse=True):
        target = given.folder / f"{version}.json"
        if target.exists() or tuple(map(int, version.split("."))) < (1, 13, 0):
            continue
        with tempfile.TemporaryDirectory() as folder:
            wheel = RemoteWheel(served[version]["url"])
            for name, content in wheel.read_many([one for one in wheel.members if one.startswith("torch/include/") and not one.endswith("/")]):
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            facts = probe(pathlib.Path(folder, "torch/include"), max(standards.get(version) or 14, 14), given.include)
        target.write_text(json.dumps({"wheel": served[version]["filename"], **facts}, indent=1))
        print(version, len(facts["classes"]), "classes", len(facts["constants"]), "constants", facts["headerErrors"], flush=True)


main()
