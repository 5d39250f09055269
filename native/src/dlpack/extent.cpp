#include "dlpack/extent.h"

#include <cinttypes>
#include <cstdint>

#include "core/error.h"

namespace gantry {
namespace {

// Devices that DLPack names and Gantry cannot read; for the text only.
const char* device_name(int32_t type) {
  switch (type) {
    case 4:
      return "OpenCL";
    case 7:
      return "Vulkan";
    case 8:
      return "Metal";
    case 10:
      return "ROCm";
    case 11:
      return "ROCm pinned host memory";
    case 14:
      return "oneAPI";
    case 15:
      return "WebGPU";
    case 16:
      return "Hexagon";
    case 17:
      return "MAIA";
    case 18:
      return "Trainium";
    default:
      return "a device without a name here";
  }
}

gantry_status check_device(gantry_device device) {
  switch (device.type) {
    case GANTRY_DEVICE_HOST:
    case GANTRY_DEVICE_CUDA_HOST:
      return GANTRY_OK;
    case GANTRY_DEVICE_CUDA:
    case GANTRY_DEVICE_CUDA_MANAGED:
      if (device.id < 0) {
        return fail(GANTRY_ERROR_INVALID_ARGUMENT, "the tensor is on CUDA device %d; numbers of devices begin at 0",
                    device.id);
      }
      return GANTRY_OK;
    default:
      return fail(GANTRY_ERROR_UNSUPPORTED,
                  "the tensor is on device type %d (%s); Gantry reads host (1), CUDA (2), pinned (3) "
                  "and managed (13) memory",
                  device.type, device_name(device.type));
  }
}

gantry_status check_shape(const gantry_tensor& tensor, int64_t* elements) {
  if (tensor.ndim < 0) {
    return fail(GANTRY_ERROR_INVALID_ARGUMENT, "the tensor has %d dimensions", tensor.ndim);
  }
  if (tensor.ndim > GANTRY_MAX_DIMENSIONS) {
    return fail(GANTRY_ERROR_UNSUPPORTED, "the tensor has %d dimensions; %d are the most that Gantry takes",
                tensor.ndim, GANTRY_MAX_DIMENSIONS);
  }
  if (tensor.ndim > 0 && tensor.shape == nullptr) {
    return fail(GANTRY_ERROR_INVALID_ARGUMENT, "the tensor has %d dimensions and a null shape", tensor.ndim);
  }
  bool empty = false;
  for (int32_t i = 0; i < tensor.ndim; ++i) {
    if (tensor.shape[i] < 0) {
      return fail(GANTRY_ERROR_INVALID_ARGUMENT, "dimension %d of the tensor has size %" PRId64, i, tensor.shape[i]);
    }
    empty = empty || tensor.shape[i] == 0;
  }
  *elements = empty ? 0 : 1;
  for (int32_t i = 0; i < tensor.ndim && !empty; ++i) {
    if (__builtin_mul_overflow(*elements, tensor.shape[i], elements)) {
      return fail(GANTRY_ERROR_OVERFLOW,
                  "the tensor's number of elements exceeds 63 bits at dimension %d of size %" PRId64, i,
                  tensor.shape[i]);
    }
  }
  return GANTRY_OK;
}

// Offsets in elements of the lowest and the highest element from the first one; no dimension is empty.
bool reach(const gantry_tensor& tensor, int64_t elements, int64_t* low, int64_t* high) {
  *low = 0;
  *high = tensor.strides == nullptr ? elements - 1 : 0;
  for (int32_t i = 0; i < tensor.ndim && tensor.strides != nullptr; ++i) {
    int64_t step = 0;
    if (__builtin_mul_overflow(tensor.shape[i] - 1, tensor.strides[i], &step)) {
      return false;
    }
    int64_t* side = step < 0 ? low : high;
    if (__builtin_add_overflow(*side, step, side)) {
      return false;
    }
  }
  return true;
}

}  // namespace

uint32_t element_bytes(gantry_dtype dtype, bool padded) {
  const uint32_t bits = uint32_t{dtype.bits} * dtype.lanes;
  if (bits % 8 != 0 || (padded && dtype.bits % 8 != 0)) {
    return 0;
  }
  return bits / 8;
}

gantry_status measure_extent(const gantry_tensor& tensor, bool padded, Extent* out) {
  const uint32_t width = element_bytes(tensor.dtype, padded);
  if (width == 0) {
    return fail(GANTRY_ERROR_UNSUPPORTED,
                "elements of dtype code %u have %u bits and %u lanes%s; Gantry takes elements that "
                "fill whole bytes",
                tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes, padded ? ", each padded to a byte" : "");
  }
  if (gantry_status status = check_device(tensor.device); status != GANTRY_OK) {
    return status;
  }
  int64_t elements = 0;
  if (gantry_status status = check_shape(tensor, &elements); status != GANTRY_OK) {
    return status;
  }
  const uintptr_t data = reinterpret_cast<uintptr_t>(tensor.data);
  uintptr_t first = 0;
  if (__builtin_add_overflow(data, tensor.byte_offset, &first)) {
    return fail(GANTRY_ERROR_OVERFLOW, "the tensor's byte offset %" PRIu64 " leads past the last address",
                tensor.byte_offset);
  }
  if (elements == 0) {
    *out = {0, first, first};
    return GANTRY_OK;
  }
  if (tensor.data == nullptr) {
    return fail(GANTRY_ERROR_INVALID_ARGUMENT, "the tensor has %" PRId64 " elements and null data", elements);
  }
  int64_t low = 0;
  int64_t high = 0;
  int64_t last = 0;
  if (!reach(tensor, elements, &low, &high) || __builtin_mul_overflow(low, int64_t{width}, &low) ||
      __builtin_add_overflow(high, 1, &last) || __builtin_mul_overflow(last, int64_t{width}, &last)) {
    return fail(GANTRY_ERROR_OVERFLOW,
                "the tensor's strides span more than 63 bits of bytes (%" PRId64 " elements of %u bytes)", elements,
                width);
  }
  const uint64_t below = uint64_t{0} - static_cast<uint64_t>(low);
  uintptr_t end = 0;
  if (below > first || __builtin_add_overflow(first, static_cast<uint64_t>(last), &end)) {
    return fail(GANTRY_ERROR_OVERFLOW,
                "the tensor's elements lie %" PRIu64 " bytes before and %" PRId64
                " bytes after its first one, which no address space holds",
                below, last);
  }
  *out = {elements, first - below, end};
  return GANTRY_OK;
}

}  // namespace gantry
