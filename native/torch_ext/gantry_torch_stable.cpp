// SPDX-License-Identifier: Apache-2.0
//
// Flavour "stable": torch's stable ABI only. Compiled with TORCH_TARGET_VERSION = 2.10 it is valid for every torch
// from 2.10 on.
#include <dlfcn.h>
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>

#include <utility>
#include <vector>

#include "gantry_torch_ops.h"

#ifndef TORCH_TARGET_VERSION
#error "TORCH_TARGET_VERSION: without it the extension needs the symbols of the torch that compiles it"
#endif

namespace {

struct Stable {
  using Tensor = torch::stable::Tensor;
  using ScalarType = torch::headeronly::ScalarType;
  using Scratch = AtenTensorOpaque;

  static int64_t dim(const Tensor& tensor) { return tensor.dim(); }
  static const int64_t* sizes(const Tensor& tensor) { return tensor.sizes().data(); }
  static const int64_t* strides(const Tensor& tensor) { return tensor.strides().data(); }
  static ScalarType scalar_type(const Tensor& tensor) { return tensor.scalar_type(); }
  static const void* data(const Tensor& tensor) { return tensor.const_data_ptr(); }
  static void* writable_data(const Tensor& tensor) { return tensor.mutable_data_ptr(); }

  static gantry_device device(const Tensor& tensor) {
    if (tensor.is_cpu()) return {GANTRY_DEVICE_HOST, 0};
    return {GANTRY_DEVICE_CUDA, tensor.get_device_index()};
  }

  static int32_t code_of(ScalarType type) {
    return torch::stable::detail::to<int32_t>(torch::stable::detail::from(type));
  }

  // torch::stable::empty goes through the dispatcher with a boxed stack and costs four times as much.
  static AtenTensorHandle make(const int64_t* sizes, int64_t dim, int32_t dtype, int32_t device_type, int32_t index) {
    int64_t strides[GANTRY_MAX_DIMENSIONS];
    std::vector<int64_t> more;
    int64_t* at = strides;
    if (dim > GANTRY_MAX_DIMENSIONS) {
      more.resize(static_cast<size_t>(dim));
      at = more.data();
    }
    int64_t step = 1;
    for (int64_t i = dim; i-- > 0;) {
      at[i] = step;
      step *= sizes[i] > 0 ? sizes[i] : 1;
    }
    AtenTensorHandle handle = nullptr;
    TORCH_ERROR_CODE_CHECK(aoti_torch_empty_strided(dim, sizes, at, dtype, device_type, index, &handle));
    return handle;
  }

  static AtenTensorHandle make_on(const int64_t* sizes, int64_t dim, int32_t dtype, gantry_device device) {
    if (device.type == GANTRY_DEVICE_CUDA) return make(sizes, dim, dtype, aoti_torch_device_type_cuda(), device.id);
    return make(sizes, dim, dtype, aoti_torch_device_type_cpu(), 0);
  }

  static Tensor empty(const int64_t* sizes, int64_t dim, ScalarType type, gantry_device device) {
    return Tensor(make_on(sizes, dim, code_of(type), device));
  }
  static Tensor empty_meta(const int64_t* sizes, int64_t dim, ScalarType type) {
    return Tensor(make(sizes, dim, code_of(type), aoti_torch_device_type_meta(), 0));
  }

  // Looked up when a tensor is on a GPU: a torch without CUDA, or before 2.13, lacks some of these, and the extension
  // has to load there.
  static gantry_status stream(gantry_device device, void** out) {
    using CurrentStream = AOTITorchError (*)(int32_t, StreamHandle*);
    using NativeHandle = AOTITorchError (*)(StreamHandle, void**);
    using CudaStream = AOTITorchError (*)(int32_t, void**);
    static const auto current = reinterpret_cast<CurrentStream>(dlsym(RTLD_DEFAULT, "aoti_torch_get_current_stream"));
    static const auto native = reinterpret_cast<NativeHandle>(dlsym(RTLD_DEFAULT, "torch_stream_native_handle"));
    if (current != nullptr && native != nullptr) {
      StreamHandle handle = nullptr;
      TORCH_ERROR_CODE_CHECK(current(device.id, &handle));
      const AOTITorchError failed = native(handle, out);
      aoti_torch_delete_stream(handle);
      TORCH_ERROR_CODE_CHECK(failed);
      return GANTRY_OK;
    }
    static const auto cuda_stream = [] {
      void* loaded = dlopen("libtorch_cuda.so", RTLD_LAZY | RTLD_NOLOAD);
      return reinterpret_cast<CudaStream>(loaded == nullptr ? nullptr
                                                            : dlsym(loaded, "aoti_torch_get_current_cuda_stream"));
    }();
    if (cuda_stream == nullptr) {
      return gantry_torch::set_error(GANTRY_ERROR_UNSUPPORTED,
                                     "this torch does not tell the handle of its current stream");
    }
    TORCH_ERROR_CODE_CHECK(cuda_stream(device.id, out));
    return GANTRY_OK;
  }

  static void* release(Tensor tensor) {
    AtenTensorHandle owned = nullptr;
    TORCH_ERROR_CODE_CHECK(aoti_torch_new_tensor_handle(tensor.get(), &owned));
    return owned;
  }
  static Tensor acquire(void* tensor) { return Tensor(static_cast<AtenTensorHandle>(tensor)); }

  static Scratch* allocate(uint64_t bytes, gantry_device device) {
    const auto size = static_cast<int64_t>(bytes);
    static const int32_t byte = aoti_torch_dtype_uint8();
    return make_on(&size, 1, byte, device);
  }
  static void* address(Scratch* scratch) {
    void* data = nullptr;
    return torch_get_mutable_data_ptr(scratch, &data) == TORCH_SUCCESS ? data : nullptr;
  }
  static void free(Scratch* scratch) { aoti_torch_delete_tensor_object(scratch); }

  [[noreturn]] static void fail(gantry_status, const std::string& text) { throw std::runtime_error(text); }
};

using Ops = gantry_torch::Ops<Stable>;
using torch::stable::detail::StableLibrary;

void define(StableLibrary& library) {
  for (const char* schema : gantry_torch::kSchemas) library.def(schema);
}

void implement(StableLibrary& library) {
  library.impl("gather", TORCH_BOX(&Ops::gather));
  library.impl("gather_out", TORCH_BOX(&Ops::gather_out));
  library.impl("scatter", TORCH_BOX(&Ops::scatter));
  library.impl("scatter_add", TORCH_BOX(&Ops::scatter_add));
  library.impl("convert", TORCH_BOX(&Ops::convert));
  library.impl("nop", TORCH_BOX(&Ops::nop));
}

void implement_meta(StableLibrary& library) {
  library.impl("gather", TORCH_BOX(&Ops::gather_meta));
  library.impl("gather_out", TORCH_BOX(&Ops::gather_out_meta));
  library.impl("scatter", TORCH_BOX(&Ops::write_meta));
  library.impl("scatter_add", TORCH_BOX(&Ops::write_meta));
  library.impl("convert", TORCH_BOX(&Ops::convert_meta));
  library.impl("nop", TORCH_BOX(&Ops::nop));
}

}  // namespace

// The macros of torch put their argument into names, so that it has to be expanded before.
#define GANTRY_LIBRARY(space, library) STABLE_TORCH_LIBRARY(space, library)
#define GANTRY_LIBRARY_IMPL(space, key, library) STABLE_TORCH_LIBRARY_IMPL(space, key, library)

GANTRY_LIBRARY(GANTRY_TORCH_NAMESPACE, library) { define(library); }
GANTRY_LIBRARY_IMPL(GANTRY_TORCH_NAMESPACE, CPU, library) { implement(library); }
GANTRY_LIBRARY_IMPL(GANTRY_TORCH_NAMESPACE, CUDA, library) { implement(library); }
GANTRY_LIBRARY_IMPL(GANTRY_TORCH_NAMESPACE, Meta, library) { implement_meta(library); }
GANTRY_LIBRARY_IMPL(GANTRY_TORCH_NAMESPACE, CompositeExplicitAutograd, library) {
  library.impl("take_output", TORCH_BOX(&Ops::take_output));
}

GANTRY_TORCH_EXPORTS(Stable)
