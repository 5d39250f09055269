"""Writes data/removed-headers.json: headers that a torch wheel had and that no later wheel has.

    python3 scripts/data/removed-headers.py FOLDER

FOLDER holds the files of read-torch-wheels.py; only Linux wheels count. Headers that only torch itself includes
(operators, kernels, generated code, bundled third-party libraries) are left out. A replacement is listed only when the
last release has it, with the first release that did.
"""
import json
import pathlib
import re
import sys

TABLE = pathlib.Path(__file__).resolve().parents[2] / "data" / "removed-headers.json"
OUTSIDE = re.compile(
    r"^(ATen/ops/|ATen/native/|ATen/functorch/|ATen/miopen/|ATen/vulkan/|ATen/mps/|ATen/hip/|ATen/cpu/(?!vec256/)|ATen/core/boxing/impl|ATen/core/op_registration"
    r"|caffe2/(?!core/|utils/)|tensorpipe|google/|fmt/|kineto|libkineto|pybind11/|asmjit/|THNN/|THCUNN/|sleef|psimd|fp16|fxdiv|qnnpack|xnnpack|experiments|onnx|cpuinfo|clog|dnnl|mkldnn|nnpack|pthreadpool|eigen|TH/generic/|THC/generic/"
    r"|torch/csrc/(jit|lazy|distributed|inductor|onnx|dynamo|profiler|deploy|generic|functorch|monitor|fx|multiprocessing|nn|tensor|mtia|xpu|acc|instruction_counter|cpu|export)/|torch/csrc/api/src/|torch/csrc/autograd/(generated|functions)/)"
)
REPLACEMENTS = {
    "THC/THC.h": "ATen/cuda/CUDAContext.h", "THC/THCGeneral.h": "ATen/cuda/CUDAContext.h", "THC/THCAtomics.cuh": "ATen/cuda/Atomic.cuh", "THC/THCDeviceUtils.cuh": "ATen/cuda/DeviceUtils.cuh",
    "THC/THCNumerics.cuh": "ATen/cuda/NumericLimits.cuh", "THC/THCCachingAllocator.h": "c10/cuda/CUDACachingAllocator.h", "THC/THCApply.cuh": "ATen/cuda/CUDAApplyUtils.cuh", "TH/TH.h": "ATen/ATen.h",
    "ATen/cuda/CUDAGuard.h": "c10/cuda/CUDAGuard.h", "ATen/cuda/CUDAStream.h": "c10/cuda/CUDAStream.h", "ATen/CUDAGenerator.h": "ATen/cuda/CUDAGeneratorImpl.h", "ATen/CUDAGeneratorImpl.h": "ATen/cuda/CUDAGeneratorImpl.h",
    "ATen/CPUGenerator.h": "ATen/CPUGeneratorImpl.h", "ATen/cudnn/Exceptions.h": "ATen/cuda/Exceptions.h", "ATen/cpu/vec256/vec256.h": "ATen/cpu/vec/vec.h", "ATen/cpu/vec256/functional.h": "ATen/cpu/vec/functional.h",
    "ATen/Half.h": "c10/util/Half.h", "c10/Half.h": "c10/util/Half.h", "c10/Device.h": "c10/core/Device.h", "torch/csrc/WindowsTorchApiMacro.h": "torch/csrc/Export.h", "c10/core/TensorTypeId.h": "c10/core/DispatchKey.h",
    "c10/core/TensorTypeSet.h": "c10/core/DispatchKeySet.h",
}


def order(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def public_name(header: str) -> str:
    return header.removeprefix("torch/csrc/api/include/")


def replacement(header: str, newest: set[str]) -> str | None:
    moved = f"torch/csrc/distributed/{header}" if header.startswith("c10d/") else None
    found = REPLACEMENTS.get(header, moved)
    return found if found in newest else None


def main() -> None:
    wheels = {path.stem: json.loads(path.read_text()) for path in pathlib.Path(sys.argv[1]).glob("*.json")}
    versions = sorted((version for version, facts in wheels.items() if "macosx" not in facts["wheel"]), key=order)
    headers = {version: {public_name(one) for one in wheels[version]["headers"]} for version in versions}
    newest = headers[versions[-1]]
    gone: dict[str, list] = {}
    for header in sorted(set().union(*headers.values()) - newest):
        last = max(index for index, version in enumerate(versions) if header in headers[version])
        if OUTSIDE.match(header) or "TORCH" in header:
            continue
        row: dict = {"header": header}
        new = replacement(header, newest)
        if new is not None:
            row["replacement"] = new
            row["since"] = next(version for version in versions if new in headers[version])
        gone.setdefault(versions[last + 1], []).append(row)
    source = "names of the headers in the Linux wheels of torch's releases; a replacement is one that the newest of these wheels has"
    about = ("Headers that the Linux wheel of a torch release had and that no later one has, by the first release without them. "
             "Written by scripts/data/removed-headers.py. A header without a replacement stands as its name alone.")
    lines = []
    for version in sorted(gone, key=order):
        rows = [row["header"] if len(row) == 1 else row for row in gone[version]]
        lines.append(f'    {{ "removedIn": "{version}", "lastSeenIn": "{versions[versions.index(version) - 1]}", "headers": {json.dumps(rows)} }}')
    TABLE.write_text('{\n  "about": ' + json.dumps(about) + ',\n  "source": ' + json.dumps(source) + ',\n  "releases": [\n' + ",\n".join(lines) + "\n  ]\n}\n")


main()
