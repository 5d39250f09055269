import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { says, silent, verdictsOf } from "../loading/reading.ts";

const error = (...lines: readonly string[]): string => ["CMake Error at CMakeLists.txt:3 (find_package):", ...lines.map((one) => (one === "" ? "" : `  ${one}`)), "Call Stack (most recent call first):", "  CMakeLists.txt:2 (project)", "", "", "-- Configuring incomplete, errors occurred!"].join("\n");

describe("CMake around Torch", () => {
  it("torch is not found: one verdict for both sentences, or for one that was pasted", async () => {
    const both = await says(error('By not providing "FindTorch.cmake" in CMAKE_MODULE_PATH this project has', 'asked CMake to find a package configuration file provided by "Torch", but', "CMake did not find one.", "", 'Could not find a package configuration file provided by "Torch" with any of', "the following names:", "", "  TorchConfig.cmake"), "torch-not-found", "certain", /no TorchConfig\.cmake lies where it looks/);
    assert.match(both.copy ?? "", /^-DCMAKE_PREFIX_PATH=/);
    assert.deepEqual(both.consequences.map((one) => one.words), ["-- Configuring incomplete, errors occurred!"]);
    await says('Could not find a package configuration file provided by "Torch" with any of the following names:', "torch-not-found", "certain", /TorchConfig/);
    await silent(error('Could not find a package configuration file provided by "Eigen3" with any of'));
  });

  it("a torch for CUDA, and no toolkit", async () => {
    const verdict = await says(["-- Could NOT find CUDA (missing: CUDA_INCLUDE_DIRS CUDA_CUDART_LIBRARY) (found version \"13.0\")", "CMake Warning at /srv/t/share/cmake/Caffe2/public/cuda.cmake:40 (message):", "  PyTorch: CUDA cannot be found.  Depending on whether you are building", "  PyTorch or a PyTorch dependent library, the next warning / error will give", "  you more info.", "Call Stack (most recent call first):", "  CMakeLists.txt:3 (find_package)", "", "", "CMake Error at /srv/t/share/cmake/Caffe2/Caffe2Config.cmake:88 (message):", "  Your installed Caffe2 version uses CUDA but I cannot find the CUDA", "  libraries.  Please set the proper CUDA prefixes and / or install CUDA."].join("\n"), "cuda-not-found", "certain", /^This torch is built with CUDA, and CMake finds no whole CUDA toolkit\.$/);
    assert.match(verdict.because[0] ?? "", /nvcc was found, its headers and libraries were not/);
    await says("CMake Error at CMakeLists.txt:2 (project):\n  No CMAKE_CUDA_COMPILER could be found.\n\n  Tell CMake where to find the compiler by setting either the environment", "cuda-not-found", "likely", /no CUDA compiler that works/);
    await silent('-- Could NOT find CUDAToolkit (missing: CUDAToolkit_INCLUDE_DIR)');
  });

  it("two toolkits, in the words of every torch", async () => {
    const two = await says(error("Found two conflicting CUDA versions:", "", "V12.3.103 in '/usr/local/cuda-12.3/include' and", "", "V12.4.99 in '/srv/conda/include'").replace("CMakeLists.txt:3 (find_package)", "/srv/t/share/cmake/Caffe2/public/cuda.cmake:65 (message)"), "toolkit-mismatch", "certain", /nvcc is 12\.3\.103, the headers are 12\.4\.99/);
    assert.ok(two.because.includes("The compiler's is 12.3.103 (/usr/local/cuda-12.3/include), and find_package(CUDAToolkit) found 12.4.99 (/srv/conda/include)."));
    assert.match(two.fixes[0] ?? "", /-DCMAKE_CUDA_COMPILER=.* -DCUDAToolkit_ROOT=/);
    await says(error("Found two conflicting CUDA installs:", "", "V11.8.89 in '/usr/local/cuda-11.8/include' and", "", "V11.8.89 in '/usr/local/cuda/include'"), "toolkit-mismatch", "certain", /one CUDA toolkit under two paths/);
    await says(error("FindCUDA says CUDA version is 11.5 (usually determined by nvcc), but the CUDA", "headers say the version is 11.7.  This often occurs when you set both"), "toolkit-mismatch", "certain", /nvcc is 11\.5, the headers are 11\.7/);
    await says(error("FindCUDA says CUDA version is (usually determined by nvcc), but the CUDA", "headers say the version is 9.0.  This often occurs when you set both"), "toolkit-mismatch", "certain", /does not know which CUDA nvcc is of.* of CUDA 9\.0/);
  });

  it("two toolkits, of which only the first line was pasted", async () => {
    await says("CMake Error at cmake/public/cuda.cmake:65 (message):\n  Found two conflicting CUDA versions:", "toolkit-mismatch", "certain", /nvcc is of one, the headers are of another/);
  });

  it("ROCm's packages are not found: one verdict for both sentences", async () => {
    const hip = await says(error('By not providing "Findhip.cmake" in CMAKE_MODULE_PATH this project has', 'asked CMake to find a package configuration file provided by "hip", but', "CMake did not find one.", "", 'Could not find a package configuration file provided by "hip" with any of', "the following names:", "", "  hipConfig.cmake"), "headers-missing", "certain", /ROCm's package hip/);
    assert.match(hip.fixes[0] ?? "", /-DCMAKE_PREFIX_PATH=\/opt\/rocm/);
    await says(error("No GPU arch specified for ROCm build.  Please use PYTORCH_ROCM_ARCH", "environment variable to specify GPU archs to build for."), "gpu-architecture-unknown", "certain", /build for ROCm/);
    await silent(error('Could not find a package configuration file provided by "hiplot" with any of'));
  });

  it("behind what Visual Studio puts before CMake's lines", async () => {
    await says(error('The link interface of target "torch::nvtoolsext" contains:', "", "  CUDA::nvToolsExt", "", "but the target was not found.").replace(/^/gm, "1> [CMake] "), "cuda-not-found", "certain", /nvToolsExt/);
  });

  it("architectures", async () => {
    await says(error("CMAKE_CUDA_ARCHITECTURES must be non-empty if set."), "gpu-architecture-unknown", "certain", /the list of architectures is empty/);
    await says('CMake Error in CMakeLists.txt:\n  CUDA_ARCHITECTURES is empty for target "ops".', "gpu-architecture-unknown", "certain", /is empty/);
    await says(error("CMAKE_CUDA_ARCHITECTURES:", "", "  9.0", "", "is not one of the following:"), "gpu-architecture-unknown", "certain", /does not take "9\.0"/);
    const inner = await verdictsOf(error("The CUDA compiler", "", '  "/usr/local/bin/nvcc"', "", "is not able to compile a simple test program.", "", "It fails with the following output:", "", "  nvcc fatal   : Unsupported gpu architecture 'compute_70'", ""));
    assert.deepEqual(inner.map((one) => [one.cause, one.headline.includes("CUDA 12.9 is the last")]), [["gpu-architecture-unknown", true]]);
  });

  it("libraries of another toolkit, of a moved torch, and warnings that mean nothing", async () => {
    await says(error('The link interface of target "torch::nvtoolsext" contains:', "", "  CUDA::nvToolsExt", "", "but the target was not found.  Possible reasons include:"), "cuda-not-found", "certain", /nvToolsExt, which this CUDA toolkit does not have/);
    const moved = await says(error('The imported target "torch" references the file', "", '  "/old/torch/lib/libtorch.so"', "", "but this file does not exist.  Possible reasons include:"), "torch-not-found", "certain", /name \/old\/torch\/lib\/libtorch\.so, which is not there/);
    assert.equal(moved.file, "/old/torch/lib/libtorch.so");
    await says("CMake Warning at /srv/t/share/cmake/Torch/TorchConfig.cmake:22 (message):\n  static library kineto_LIBRARY-NOTFOUND not found.\nCall Stack (most recent call first):", "harmless", "certain", /^Nothing is wrong/);
    await says("CMake Warning at /srv/t/share/cmake/Caffe2/public/cuda.cmake:141 (message):\n  Failed to compute shorthash for libnvrtc.so", "harmless", "certain", /^Nothing is wrong/);
  });

  it("Python, standards and CMake itself", async () => {
    await says(error("Could NOT find Python3 (missing: Python3_INCLUDE_DIRS Development", "Development.Module) (found version \"3.11.2\")").replace("CMakeLists.txt:3 (find_package)", "/usr/share/cmake/Modules/FindPackageHandleStandardArgs.cmake:230 (message)"), "headers-missing", "certain", /headers and library/);
    await silent('-- Could NOT find Python3 (missing: Development)');
    await says(error('Target "ops" requires the language dialect "CUDA20" (with compiler', "extensions).  But the current compiler \"NVIDIA\" does not support this, or", "CMake does not know the flags to enable it."), "host-compiler", "likely", /C\+\+20 is asked for, and nvcc/);
    await says(error("Compatibility with CMake < 3.5 has been removed from CMake."), "source-error", "certain", /CMake 4 refuses/);
    await says("CMake Error at CMakeLists.txt:9 (message):\n  PyTorch CXX11 ABI mismatch: torch was built with 1, this project with 0", "cmake-abi", "likely", /own check says that its libstdc\+\+ ABI is not torch's/);
  });
});
