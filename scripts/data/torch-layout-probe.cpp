// read-torch-layouts.py compiles this against the headers of each torch release, with its questions after it, each a line
// that the compiler complains of; the numbers are in the complaint. What a release lacks costs only its own line.
#include <cstddef>
#include <string>
#include <vector>
#if __has_include(<Python.h>)
#include <Python.h>
#endif
#include <torch/library.h>
#include <ATen/ATen.h>
#if __has_include(<ATen/TensorGeometry.h>)
#include <ATen/TensorGeometry.h>
#endif
#if __has_include(<ATen/TensorIterator.h>)
#include <ATen/TensorIterator.h>
#else
#include <ATen/native/TensorIterator.h>
#endif
#if __has_include(<ATen/CPUGeneratorImpl.h>)
#include <ATen/CPUGeneratorImpl.h>
#endif
#if __has_include(<ATen/detail/CUDAHooksInterface.h>)
#include <ATen/detail/CUDAHooksInterface.h>
#endif
#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/saved_variable.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>
#if __has_include(<Python.h>) && __has_include(<torch/csrc/autograd/python_variable.h>)
#include <torch/csrc/autograd/python_variable.h>
#endif
#if __has_include(<cuda_runtime_api.h>)
#include <c10/cuda/CUDAStream.h>
#include <c10/cuda/CUDACachingAllocator.h>
#endif
