"""Reads what torch's own wheels say of themselves and writes one JSON object per release.

    python3 scripts/data/read-torch-wheels.py FOLDER VERSION [VERSION ...]

Downloads the wheel that the package index serves for Linux x86_64 (`VERSION@macos` takes the much smaller
macOS one, whose headers are the same; `VERSION@aarch64` that for Linux aarch64, into a folder of its own), reads it
without unpacking, deletes it, and leaves FOLDER/VERSION.json. `merge-torch-wheels.py` makes data/torch-wheels.json of
these files.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

NAMES = [
    "AT_CHECK", "AT_ASSERT", "AT_ASSERTM", "AT_ERROR", "AT_WARN", "TORCH_CHECK", "TORCH_INTERNAL_ASSERT", "AT_DISPATCH_FLOATING_TYPES_AND_HALF",
    "THCState_getCurrentStream", "THCudaCheck", "THCCeilDiv", "C10_CUDA_CHECK", "AT_CUDA_CHECK", "THCudaMalloc", "TH_API", "THArgCheck",
    "AT_CUDA_API", "TORCH_CUDA_API", "TORCH_CUDA_CPP_API", "TORCH_LIBRARY", "C10_STATIC_ASSERT_MESSAGE", "STD_TORCH_CHECK", "AT_FORALL_SCALAR_TYPES_WITH_COMPLEX",
]
TYPES = {
    "c10::optional": r"\b(?:class|struct|using)\s+optional\b|using std::optional",
    "c10::nullopt": r"using std::nullopt|nullopt_t const nullopt|constexpr nullopt_t nullopt|nullopt\{",
    "c10::variant": r"namespace c10[^}]*?class variant\b|\bclass variant\b",
    "c10::string_view": r"using string_view\b|class basic_string_view\b",
    "c10::guts::conjunction": r"\b(?:using|struct) conjunction\b|using std::conjunction",
    "c10::make_optional": r"using std::make_optional|constexpr optional<[^;{]*make_optional",
    "c10::in_place": r"using std::in_place\b|in_place_t in_place\b",
    "c10::either": r"class either\b",
    "at::DeprecatedTypeProperties": r"class [A-Z_ ]*DeprecatedTypeProperties\b",
    "Tensor::type": r"DeprecatedTypeProperties\s*&\s*type\(\)",
    "Tensor::data<T>": r"\bT\s*\*\s*data\(\) const",
    "Tensor::data_ptr<T>": r"\bT\s*\*\s*data_ptr\(\) const",
    "torch::jit::RegisterOperators": r"RegisterOperators\b",
    "c10::cuda::SetDevice": r"\bSetDevice\(",
    "at::cuda::getCurrentCUDAStream": r"getCurrentCUDAStream\(",
    "torch::Tensor::is_cuda": r"bool is_cuda\(\)",
    "c10::ScalarType::Float8_e4m3fn": r"Float8_e4m3fn\b",
    "at::cuda::Atomic gpuAtomicAdd": r"gpuAtomicAdd\(",
}
WATCHED_FILES = ["TorchConfig.cmake", "cpp_extension.py"]


def download(version: str, folder: str) -> pathlib.Path:
    number, _, system = version.partition("@")
    major, minor = (int(part) for part in number.split(".")[:2])
    if system == "macos":
        python, abi = ("3.11", "cp311") if major >= 2 else ("3.8", "cp38") if (major, minor) >= (1, 4) else ("3.7", "cp37m")
        platforms = ["macosx_14_0_arm64", "macosx_11_0_arm64", "macosx_10_9_x86_64", "macosx_10_7_x86_64", "macosx_10_6_x86_64"]
    else:
        python, abi = ("3.11", "cp311") if major >= 2 else ("3.10", "cp310") if minor >= 11 else ("3.7", "cp37m")
        machine = "aarch64" if system == "aarch64" else "x86_64"
        platforms = [f"{policy}_{machine}" for policy in ["manylinux_2_28", "manylinux_2_27", "manylinux_2_17", "manylinux2014", "manylinux1", "linux"]]
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:", "--no-cache-dir", "-d", folder,
               "--implementation", "cp", "--python-version", python, "--abi", abi]
    for platform in platforms:
        command += ["--platform", platform]
    # "===" keeps local builds out: only what the index serves under the bare version is meant.
    subprocess.run([*command, f"torch==={number}"], check=True, stderr=subprocess.DEVNULL)
    return next(pathlib.Path(folder).glob("torch-*.whl"))


def texts(archive: zipfile.ZipFile, names):
    for name in names:
        yield name, archive.read(name).decode("utf-8", "replace")


def read(wheel: pathlib.Path) -> dict:
    archive = zipfile.ZipFile(wheel)
    names = archive.namelist()
    sizes = {info.filename: info.file_size for info in archive.infolist()}
    headers = [name for name in names if re.match(r"torch/(lib/)?include/.*\.(h|hpp|cuh)$", name)]
    facts: dict = {"wheel": wheel.name, "headers": [re.sub(r"^torch/(lib/)?include/", "", name) for name in headers]}
    metadata = next(text for name, text in texts(archive, [n for n in names if n.endswith(".dist-info/METADATA")]))
    facts["requires"] = re.findall(r"^Requires-Dist: (.*)$", metadata, re.M)
    facts["requiresPython"] = re.findall(r"^Requires-Python: (.*)$", metadata, re.M)
    facts["versionPy"] = archive.read("torch/version.py").decode()
    guards, seen, types, stable = {}, {}, {}, 0
    for name, text in texts(archive, headers):
        for match in re.finditer(r"#\s*error\s+(.*C\+\+\d\d.*)", text):
            before = text[:match.start()].rsplit("#", 2)
            guards.setdefault(match.group(1).strip(), []).append([name, "#" + before[-1].strip()[:160]])
        for macro in NAMES:
            if macro not in seen and re.search(rf"#\s*define\s+{macro}\b", text):
                seen[macro] = name
        for what, pattern in TYPES.items():
            if re.search(pattern, text):
                types.setdefault(what, []).append(name)
        stable += "TORCH_STABLE_ONLY" in text
        if name.endswith("pybind11/detail/common.h"):
            facts["pybind11Header"] = re.findall(r"#\s*define\s+(PYBIND11_VERSION_(?:MAJOR|MINOR|PATCH|MICRO)|PYBIND11_INTERNALS_VERSION)\s+(\S+)", text)
        if name.endswith("pybind11/detail/internals.h"):
            facts["pybind11InternalsHeader"] = re.findall(r"#\s*define\s+PYBIND11_INTERNALS_VERSION\s+(\S+)", text)
    facts.update(guards=guards, macros=seen, types={key: value[:3] for key, value in types.items()}, stableOnlyHeaders=stable)
    for name, text in texts(archive, [n for n in names if n.rsplit("/", 1)[-1] in WATCHED_FILES]):
        facts.setdefault("watched", {})[name] = [line.strip() for line in text.splitlines() if re.search(r"GLIBCXX_USE_CXX11_ABI|-std=|fabi-version|PYBIND11_(BUILD_ABI|COMPILER_TYPE)|CXX_STANDARD|MINIMUM_(GCC|CLANG|MSVC)|\[\(?'[0-9]", line)]
    for name in names:
        base = name.rsplit("/", 1)[-1]
        if re.match(r"(libtorch_python|libc10|libtorch|libtorch_cuda|libtorch_cuda_cpp|libtorch_cuda_cu|libcaffe2_gpu)\.(so|dylib)$", base) and sizes[name] > 0:
            data = archive.read(name)
            entry = {"size": len(data)}
            if "python" in base:
                entry["pybind11"] = sorted({m.decode() for m in re.findall(rb"__pybind11_internals_v[0-9a-z_]+", data)})
                entry["cxxabi"] = sorted({m.decode() for m in re.findall(rb"_cxxabi1\d\d\d", data)})
                entry["pythonBuildAbi"] = b"_PYBIND11_BUILD_ABI" in data or b"_PYBIND11_" in data
            if base.startswith("libc10"):
                entry["error"] = sorted({m.decode() for m in re.findall(rb"_ZN3c10\d+(?:Index)?ErrorC[12]ENS_14SourceLocationE(?:RK)?(?:Ss|NSt7__cxx11)", data)})
            if "cuda" in base or "gpu" in base or base.startswith("libtorch."):
                entry["arch"] = sorted({m.decode() for m in re.findall(rb"(?:sm_\d+[af]? ?){2,}(?:compute_\d+[af]?)?", data)})
            facts.setdefault("libraries", {})[base] = entry
    return facts


def main() -> None:
    out = pathlib.Path(sys.argv[1])
    for version in sys.argv[2:]:
        target = out / f"{version.partition('@')[0]}.json"
        if target.exists():
            continue
        try:
            with tempfile.TemporaryDirectory(dir=out) as folder:
                target.write_text(json.dumps(read(download(version, folder)), indent=1))
            print(version, "ok", flush=True)
        except Exception as error:  # one wheel that cannot be had must not stop the others
            print(version, error, flush=True)


main()
