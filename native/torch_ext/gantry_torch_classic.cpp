// SPDX-License-Identifier: Apache-2.0
//
// Flavour "classic": C10 and ATen, torch's C++ ABI. Valid for the torch that it was compiled with and no other.
#include <ATen/ATen.h>
#include <c10/core/Allocator.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/library.h>
#include <torch/version.h>

#include <memory>
#include <type_traits>
#include <utility>

#if TORCH_VERSION_MAJOR < 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR < 3)
#define GANTRY_TORCH_WITHOUT_WIDE_UNSIGNED
#endif

#include "gantry_torch_ops.h"

namespace {

// Stream::native_handle came in the course of torch 2; before it the handle is to be had from libc10_cuda only, whose
// headers want the CUDA toolkit.
template <class Stream, class = void>
struct NativeHandle {
  static gantry_status get(const Stream&, void**) {
    return gantry_torch::set_error(
        GANTRY_ERROR_UNSUPPORTED,
        "this torch does not tell the handle of its current stream: tensors on a GPU need a newer one");
  }
};
template <class Stream>
struct NativeHandle<Stream, std::void_t<decltype(std::declval<const Stream&>().native_handle())>> {
  static gantry_status get(const Stream& stream, void** out) {
    *out = stream.native_handle();
    return GANTRY_OK;
  }
};

struct Classic {
  using Tensor = at::Tensor;
  using ScalarType = at::ScalarType;
  using Scratch = c10::DataPtr;

  static int64_t dim(const Tensor& tensor) { return tensor.dim(); }
  static const int64_t* sizes(const Tensor& tensor) { return tensor.sizes().data(); }
  static const int64_t* strides(const Tensor& tensor) { return tensor.strides().data(); }
  static ScalarType scalar_type(const Tensor& tensor) { return tensor.scalar_type(); }

  static gantry_device device(const Tensor& tensor) {
    if (tensor.is_cpu()) return {GANTRY_DEVICE_HOST, 0};
    return {GANTRY_DEVICE_CUDA, static_cast<int32_t>(tensor.get_device())};
  }

  // Reading must not end a copy-on-write, which torch has since 2.1.
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 1)
  static const void* data(const Tensor& tensor) { return tensor.const_data_ptr(); }
  static void* writable_data(const Tensor& tensor) { return tensor.mutable_data_ptr(); }
#else
  static const void* data(const Tensor& tensor) { return tensor.data_ptr(); }
  static void* writable_data(const Tensor& tensor) { return tensor.data_ptr(); }
#endif

  static c10::Device torch_device(gantry_device device) {
    if (device.type == GANTRY_DEVICE_CUDA) return {c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(device.id)};
    return {c10::DeviceType::CPU};
  }

  static Tensor empty(const int64_t* sizes, int64_t dim, ScalarType type, gantry_device device) {
    return at::empty(at::IntArrayRef(sizes, static_cast<size_t>(dim)),
                     at::TensorOptions(type).device(torch_device(device)));
  }
  static Tensor empty_meta(const int64_t* sizes, int64_t dim, ScalarType type) {
    return at::empty(at::IntArrayRef(sizes, static_cast<size_t>(dim)),
                     at::TensorOptions(type).device(c10::DeviceType::Meta));
  }

  static gantry_status stream(gantry_device device, void** out) {
    const c10::impl::VirtualGuardImpl guard(c10::DeviceType::CUDA);
    return NativeHandle<c10::Stream>::get(guard.getStream(torch_device(device)), out);
  }

  static void* release(Tensor tensor) { return tensor.unsafeReleaseTensorImpl(); }
  static Tensor acquire(void* tensor) {
    return Tensor(
        c10::intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>::reclaim(static_cast<c10::TensorImpl*>(tensor)));
  }

  static Scratch* allocate(uint64_t bytes, gantry_device device) {
    const c10::Device where = torch_device(device);
    const c10::OptionalDeviceGuard guard(where.is_cuda() ? c10::optional<c10::Device>(where) : c10::nullopt);
    return new Scratch(c10::GetAllocator(where.type())->allocate(bytes));
  }
  static void* address(Scratch* scratch) { return scratch->get(); }
  static void free(Scratch* scratch) { delete scratch; }

  [[noreturn]] static void fail(gantry_status status, const std::string& text) {
    TORCH_CHECK_INDEX(status != GANTRY_ERROR_INDEX, text);
    TORCH_CHECK(false, text);
  }
};

using Ops = gantry_torch::Ops<Classic>;

void define(torch::Library& library) {
  for (const char* schema : gantry_torch::kSchemas) library.def(schema);
}

void implement(torch::Library& library) {
  library.impl("gather", Ops::gather);
  library.impl("gather_out", Ops::gather_out);
  library.impl("scatter", Ops::scatter);
  library.impl("scatter_add", Ops::scatter_add);
  library.impl("convert", Ops::convert);
  library.impl("nop", Ops::nop);
}

void implement_meta(torch::Library& library) {
  library.impl("gather", Ops::gather_meta);
  library.impl("gather_out", Ops::gather_out_meta);
  library.impl("scatter", Ops::write_meta);
  library.impl("scatter_add", Ops::write_meta);
  library.impl("convert", Ops::convert_meta);
  library.impl("nop", Ops::nop);
}

}  // namespace

// The macros of torch put their argument into names, so that it has to be expanded before.
#define GANTRY_LIBRARY(space, library) TORCH_LIBRARY(space, library)
#define GANTRY_LIBRARY_IMPL(space, key, library) TORCH_LIBRARY_IMPL(space, key, library)

GANTRY_LIBRARY(GANTRY_TORCH_NAMESPACE, library) { define(library); }
GANTRY_LIBRARY_IMPL(GANTRY_TORCH_NAMESPACE, CPU, library) { implement(library); }
GANTRY_LIBRARY_IMPL(GANTRY_TORCH_NAMESPACE, CUDA, library) { implement(library); }
GANTRY_LIBRARY_IMPL(GANTRY_TORCH_NAMESPACE, Meta, library) { implement_meta(library); }
#if TORCH_VERSION_MAJOR < 2
// torch 1 has no fallback for Meta's autograd key: without a kernel there the call does not get to Meta's.
GANTRY_LIBRARY_IMPL(GANTRY_TORCH_NAMESPACE, AutogradMeta, library) {
  for (const char* name : {"gather", "gather_out", "scatter", "scatter_add", "convert", "nop"}) {
    library.impl(name, torch::CppFunction::makeFallthrough());
  }
}
#endif
GANTRY_LIBRARY_IMPL(GANTRY_TORCH_NAMESPACE, CompositeExplicitAutograd, library) {
  library.impl("take_output", Ops::take_output);
}

GANTRY_TORCH_EXPORTS(Classic)
