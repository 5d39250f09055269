from setuptools import find_packages, setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

cxx_flags = ["-O3", "-std=c++20"]
nvcc_flags = ["-O3", "--use_fast_math", "-std=c++20"]

setup(
    name="rowwise",
    version="0.4.0",
    packages=find_packages(include=["rowwise"]),
    ext_modules=[
        CUDAExtension(
            name="rowwise._C",
            sources=[
                "csrc/ops.cpp",
                "csrc/quantize.cpp",
                "csrc/quantize_kernel.cu",
            ],
            extra_compile_args={"cxx": cxx_flags, "nvcc": nvcc_flags},
        )
    ],
    cmdclass={"build_ext": BuildExtension},
)
