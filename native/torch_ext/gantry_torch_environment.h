// SPDX-License-Identifier: Apache-2.0
//
// The environment, written once over what a flavour provides:
//
//   using Tensor, ScalarType;
//   static int64_t dim(const Tensor&);
//   static const int64_t* sizes(const Tensor&);     borrowed from the tensor
//   static const int64_t* strides(const Tensor&);
//   static ScalarType scalar_type(const Tensor&);
//   static gantry_device device(const Tensor&);
//   static const void* data(const Tensor&);
//   static void* writable_data(const Tensor&);
//   static Tensor empty(const int64_t* sizes, int64_t dim, ScalarType, gantry_device);
//   static Tensor empty_meta(const int64_t* sizes, int64_t dim, ScalarType);
//   static gantry_status stream(gantry_device, gantry_stream*);    torch's native handle; null is the default stream
//   static void* release(Tensor);                                  an owned reference as a pointer ...
//   static Tensor acquire(void*);                                  ... and back
//   struct Scratch;
//   static Scratch* allocate(uint64_t bytes, gantry_device);
//   static void* address(Scratch*);                                null when torch does not tell it
//   static void free(Scratch*);
//   static void fail(gantry_status, const std::string&);           throws what torch turns into a Python exception
#ifndef GANTRY_TORCH_ENVIRONMENT_H
#define GANTRY_TORCH_ENVIRONMENT_H

#include <cstring>
#include <exception>
#include <utility>

#include "gantry_torch.h"
#include "gantry_torch_types.h"

namespace gantry_torch {

constexpr uint64_t kScratchAlignment = 64;  // of torch's CPU allocator; those of devices align further

// std::string would throw where no exception may pass: the text is cut instead.
inline char* error_text() {
  thread_local char text[512] = "";
  return text;
}

inline gantry_status set_error(gantry_status status, const char* text) noexcept {
  std::strncpy(error_text(), text, 511);
  error_text()[511] = '\0';
  return status;
}

// Runs a callback's body: what it throws becomes a status, for exceptions do not cross the C ABI.
template <class Body>
gantry_status guarded(Body&& body) noexcept {
  try {
    return body();
  } catch (const std::exception& error) {
    return set_error(GANTRY_ERROR_OUT_OF_MEMORY, error.what());
  } catch (...) {
    return set_error(GANTRY_ERROR_ENVIRONMENT, "torch threw something that is no std::exception");
  }
}

inline bool on_host(gantry_device device) {
  return device.type == GANTRY_DEVICE_HOST || device.type == GANTRY_DEVICE_CUDA_HOST;
}

// torch's stream as ops expect it.
template <class Flavour>
gantry_status current_stream(gantry_device device, gantry_stream* out) {
  *out = nullptr;
  if (on_host(device)) return GANTRY_OK;
  void* native = nullptr;
  gantry_status status = Flavour::stream(device, &native);
  if (status == GANTRY_OK) *out = native == nullptr ? GANTRY_STREAM_LEGACY : native;
  return status;
}

template <class Flavour>
class Environment {
 public:
  static const gantry_environment* get() {
    static const gantry_environment instance = [] {
      gantry_environment environment{};
      environment.struct_size = sizeof environment;
      environment.allocate = allocate;
      environment.deallocate = deallocate;
      environment.allocate_output = allocate_output;
      return environment;
    }();
    return &instance;
  }

 private:
  static gantry_status check(const gantry_allocation* request) {
    if (request->device.type != GANTRY_DEVICE_HOST && request->device.type != GANTRY_DEVICE_CUDA) {
      return set_error(GANTRY_ERROR_UNSUPPORTED, "torch's environment has host memory and memory of CUDA devices only");
    }
    gantry_stream current = nullptr;
    gantry_status status = current_stream<Flavour>(request->device, &current);
    if (status != GANTRY_OK || current == nullptr || current == request->stream) return status;
    return set_error(
        GANTRY_ERROR_ENVIRONMENT,
        "the op runs on another stream than torch's current one: torch's allocator would hand the block out again "
        "too early. Call the op with torch's current stream");
  }

  static gantry_status allocate(void*, const gantry_allocation* request, gantry_block* block) noexcept {
    return guarded([&] {
      gantry_status status = check(request);
      if (status != GANTRY_OK) return status;
      const uint64_t extra = request->alignment > kScratchAlignment ? request->alignment - kScratchAlignment : 0;
      if (request->bytes > INT64_MAX - extra) {
        return set_error(GANTRY_ERROR_OVERFLOW, "more bytes than an int64 counts");
      }
      auto* scratch = Flavour::allocate(request->bytes + extra, request->device);
      const auto address = reinterpret_cast<uintptr_t>(Flavour::address(scratch));
      if (address == 0) {
        Flavour::free(scratch);
        return set_error(GANTRY_ERROR_OUT_OF_MEMORY, "torch gave a block without an address");
      }
      block->data = reinterpret_cast<void*>((address + request->alignment - 1) & ~uintptr_t(request->alignment - 1));
      block->bytes = request->bytes;
      block->opaque = scratch;
      return gantry_status{GANTRY_OK};
    });
  }

  static void deallocate(void*, const gantry_allocation*, gantry_block* block) noexcept {
    Flavour::free(static_cast<typename Flavour::Scratch*>(block->opaque));
  }

  static gantry_status allocate_output(void*, const gantry_allocation* request, void* slot,
                                       gantry_tensor* output) noexcept {
    return guarded([&] {
      gantry_status status = check(request);
      if (status != GANTRY_OK) return status;
      auto* cell = static_cast<gantry_torch_output*>(slot);
      if (cell == nullptr) {
        return set_error(
            GANTRY_ERROR_INVALID_ARGUMENT,
            "torch's environment puts an output into the cell that options.slot points to, and there is none");
      }
      if (cell->tensor != nullptr) {
        return set_error(GANTRY_ERROR_INVALID_ARGUMENT, "the cell that options.slot points to has a tensor already");
      }
      typename Flavour::ScalarType type;
      if (!scalar_type_of(output->dtype, &type)) {
        return set_error(GANTRY_ERROR_UNSUPPORTED, "torch has no dtype of that code and width");
      }
      auto tensor = Flavour::empty(output->shape, output->ndim, type, request->device);
      output->data = Flavour::writable_data(tensor);
      output->byte_offset = 0;
      output->strides = nullptr;
      output->flags = 0;
      cell->tensor = Flavour::release(std::move(tensor));
      return gantry_status{GANTRY_OK};
    });
  }
};

// A tensor that shall not outlive a failed op.
template <class Flavour>
class OutputCell {
 public:
  OutputCell() = default;
  OutputCell(const OutputCell&) = delete;
  OutputCell& operator=(const OutputCell&) = delete;
  ~OutputCell() {
    if (cell_.tensor != nullptr) Flavour::acquire(cell_.tensor);
  }
  void* slot() { return &cell_; }
  bool empty() const { return cell_.tensor == nullptr; }
  typename Flavour::Tensor take() { return Flavour::acquire(std::exchange(cell_.tensor, nullptr)); }

 private:
  gantry_torch_output cell_{nullptr};
};

}  // namespace gantry_torch

#endif
