#include "dlpack/extent.h"

#include <cinttypes>

#include "core/device.h"
#include "core/error.h"
#include "core/tensor.h"

namespace gantry {
namespace {

// Offsets in bytes, from the first element's begin, of the lowest byte and of the one after the highest. There are
// elements.
bool reach(const Tensor& tensor, int64_t* low, int64_t* high) {
  *low = 0;
  *high = 0;
  for (int32_t i = 0; i < tensor.given.ndim; ++i) {
    int64_t step = 0;
    if (__builtin_mul_overflow(tensor.given.shape[i] - 1, tensor.strides[i], &step)) {
      return false;
    }
    int64_t* side = step < 0 ? low : high;
    if (__builtin_add_overflow(*side, step, side)) {
      return false;
    }
  }
  const int64_t width = tensor.element_bytes;
  return !__builtin_mul_overflow(*low, width, low) && !__builtin_add_overflow(*high, 1, high) &&
         !__builtin_mul_overflow(*high, width, high);
}

}  // namespace

gantry_status measure_extent(const gantry_tensor& given, const char* name, Extent* out) {
  Tensor tensor;
  if (gantry_status status = read_tensor(&given, Name(name), &tensor); status != GANTRY_OK) {
    return status;
  }
  if (gantry_status status = check_device(given.device, name); status != GANTRY_OK) {
    return status;
  }
  uintptr_t first = 0;
  if (__builtin_add_overflow(reinterpret_cast<uintptr_t>(given.data), given.byte_offset, &first)) {
    return fail(GANTRY_ERROR_OVERFLOW, "%s at %p has byte offset %" PRIu64 ", which leads past the last address", name,
                given.data, given.byte_offset);
  }
  if (tensor.count == 0) {
    *out = {0, first, first};
    return GANTRY_OK;
  }
  if (given.data == nullptr) {
    return fail(GANTRY_ERROR_INVALID_ARGUMENT, "%s has %" PRId64 " elements and null data", name, tensor.count);
  }
  int64_t low = 0;
  int64_t high = 0;
  if (!reach(tensor, &low, &high)) {
    return fail(GANTRY_ERROR_OVERFLOW,
                "the strides of %s span more than 63 bits of bytes (%" PRId64 " elements of %u bytes)", name,
                tensor.count, tensor.element_bytes);
  }
  const uint64_t below = uint64_t{0} - static_cast<uint64_t>(low);
  uintptr_t end = 0;
  if (below > first || __builtin_add_overflow(first, static_cast<uint64_t>(high), &end)) {
    return fail(GANTRY_ERROR_OVERFLOW,
                "%s has elements from %" PRIu64 " bytes before to %" PRId64 " bytes after address 0x%" PRIxPTR
                ", which no address space holds",
                name, below, high, first);
  }
  *out = {tensor.count, first - below, end};
  return GANTRY_OK;
}

}  // namespace gantry
