#include "core/tensor.h"

#include <cinttypes>
#include <cstdio>

#include "core/dtype.h"
#include "core/first_release.h"
#include "core/struct_size.h"

namespace gantry {
namespace {

// The dimensions [first, last) as one: how many elements, and the step from each to the next, in elements. False when
// no single step does it. Dimensions of size 1 do not count.
bool fuse(const Tensor& tensor, int first, int last, int64_t* size, int64_t* step) {
  *size = 1;
  *step = 0;
  int64_t next = 0;
  bool is_innermost = true;
  bool next_exists = false;
  for (int d = last - 1; d >= first; --d) {
    const int64_t extent = tensor.given.shape[d];
    if (extent == 1) continue;
    const int64_t stride = tensor.strides[d];
    if (is_innermost) {
      *step = stride;
      is_innermost = false;
    } else if (!next_exists || stride != next) {
      return false;
    }
    next_exists = !__builtin_mul_overflow(stride, extent, &next);
    *size *= extent;
  }
  return true;
}

// Where the rows end relative to their begin, as far as 63 bits and the address space allow.
gantry_status check_reach(const Rows& rows, const Tensor& tensor, const Name& name) {
  int64_t reach = 0;
  const bool too_far = __builtin_mul_overflow(rows.rows - 1, rows.stride_bytes, &reach);
  const uint64_t begin = reinterpret_cast<uint64_t>(rows.data);
  const uint64_t down = reach < 0 ? 0 - static_cast<uint64_t>(reach) : 0;
  uint64_t end = reach > 0 ? static_cast<uint64_t>(reach) : 0;
  if (too_far || __builtin_add_overflow(end, rows.row_bytes, &end) || end > INT64_MAX ||
      __builtin_add_overflow(begin, end, &end) || down > begin) {
    return fail(GANTRY_ERROR_OVERFLOW,
                "the memory of %s is not addressable: %" PRId64 " rows with a stride of %" PRId64
                " bytes from address %p and byte_offset %" PRIu64,
                name.text(), rows.rows, rows.stride_bytes, tensor.given.data, tensor.given.byte_offset);
  }
  return GANTRY_OK;
}

}  // namespace

const char* Name::text() const {
  if (!numbered_) return text_;
  std::snprintf(buffer_, sizeof buffer_, "chunk %u of %s", number_, text_);
  return buffer_;
}

void Tensor::adopt_strides() {
  if (given.strides != nullptr) {
    strides = given.strides;
    return;
  }
  int64_t step = 1;
  for (int d = given.ndim - 1; d >= 0; --d) {
    row_major[d] = step;
    step *= given.shape[d];
  }
  strides = row_major;
}

gantry_status read_tensor(const gantry_tensor* from, const Name& name, Tensor* to) {
  gantry_tensor& tensor = to->given;
  if (from == nullptr || from->struct_size < kFirstTensor) {
    char text[64];
    std::snprintf(text, sizeof text, "the gantry_tensor of %s", name.text());
    return read_struct(from, &tensor, kFirstTensor, text);
  }
  if (const gantry_status status = read_struct(from, &tensor, kFirstTensor, "")) return status;
  if ((tensor.flags & ~static_cast<uint32_t>(GANTRY_TENSOR_READ_ONLY)) != 0) {
    return fail(GANTRY_ERROR_INVALID_ARGUMENT, "the flags of %s are 0x%x; only GANTRY_TENSOR_READ_ONLY (0x%x) is known",
                name.text(), tensor.flags, GANTRY_TENSOR_READ_ONLY);
  }
  if (tensor.ndim < 0 || tensor.ndim > GANTRY_MAX_DIMENSIONS) {
    return fail(GANTRY_ERROR_INVALID_ARGUMENT, "the shape of %s has %d dimensions; 0 to %d are possible", name.text(),
                tensor.ndim, GANTRY_MAX_DIMENSIONS);
  }
  if (tensor.ndim > 0 && tensor.shape == nullptr) {
    return fail(GANTRY_ERROR_INVALID_ARGUMENT, "the shape of %s is null with %d dimensions", name.text(), tensor.ndim);
  }
  const uint32_t bits = dtype_bits(tensor.dtype);
  if (bits == 0) {
    return fail(GANTRY_ERROR_INVALID_ARGUMENT, "the dtype of %s has %u bits and %u lanes; neither may be zero",
                name.text(), tensor.dtype.bits, tensor.dtype.lanes);
  }
  if (bits % 8 != 0) {
    return fail(GANTRY_ERROR_UNSUPPORTED, "the dtype of %s, %s, has elements of %u bits, which is no multiple of 8",
                name.text(), DtypeText(tensor.dtype).text, bits);
  }
  to->element_bytes = bits / 8;
  to->count = 1;
  bool too_many = false;
  for (int d = 0; d < tensor.ndim; ++d) {
    if (tensor.shape[d] < 0) {
      return fail(GANTRY_ERROR_INVALID_ARGUMENT, "dimension %d of %s has the negative size %" PRId64, d, name.text(),
                  tensor.shape[d]);
    }
    too_many |= __builtin_mul_overflow(to->count, tensor.shape[d], &to->count);
  }
  int64_t bytes = 0;
  if (too_many || __builtin_mul_overflow(to->count, static_cast<int64_t>(to->element_bytes), &bytes)) {
    return fail(GANTRY_ERROR_OVERFLOW,
                "the sizes of %s multiply to more bytes than 63 bits hold: its first dimension is %" PRId64
                ", its last %" PRId64 ", of %d, and an element has %u bytes",
                name.text(), tensor.shape[0], tensor.shape[tensor.ndim - 1], tensor.ndim, to->element_bytes);
  }
  if (to->count == 0) {
    to->strides = nullptr;
  } else {
    to->adopt_strides();
  }
  return GANTRY_OK;
}

gantry_status lay_out(const Tensor& tensor, const Name& name, int outer, Rows* to) {
  const int ndim = tensor.given.ndim;
  const int64_t element_bytes = tensor.element_bytes;
  if (tensor.count == 0) {
    // Each part by itself may be too large when the other is zero; nothing is there to be reached then.
    to->data = static_cast<char*>(tensor.given.data);
    to->rows = 1;
    to->columns = 1;
    for (int d = 0; d < ndim; ++d) {
      int64_t& part = d < outer ? to->rows : to->columns;
      if (__builtin_mul_overflow(part, tensor.given.shape[d], &part)) {
        return fail(GANTRY_ERROR_OVERFLOW, "the sizes of %s multiply to more than 63 bits hold", name.text());
      }
    }
    int64_t row_bytes = 0;
    if (__builtin_mul_overflow(to->columns, element_bytes, &row_bytes)) {
      return fail(GANTRY_ERROR_OVERFLOW,
                  "a row of %s has more bytes than 63 bits hold: %" PRId64 " elements of %u bytes", name.text(),
                  to->columns, tensor.element_bytes);
    }
    to->row_bytes = static_cast<uint64_t>(row_bytes);
    to->stride_bytes = row_bytes;
    return GANTRY_OK;
  }
  int64_t row_step = 0;
  int64_t column_step = 0;
  if (!fuse(tensor, outer, ndim, &to->columns, &column_step) || (to->columns > 1 && column_step != 1)) {
    return fail(GANTRY_ERROR_UNSUPPORTED,
                "the columns of %s do not lie side by side: its last dimension has the stride %" PRId64 " and not 1",
                name.text(), tensor.strides[ndim - 1]);
  }
  if (!fuse(tensor, 0, outer, &to->rows, &row_step)) {
    return fail(GANTRY_ERROR_UNSUPPORTED,
                "the rows of %s are not evenly spaced: dimension 0 has the stride %" PRId64
                ", dimension %d the stride %" PRId64,
                name.text(), tensor.strides[0], outer - 1, tensor.strides[outer - 1]);
  }
  if (to->rows == 1) row_step = to->columns;
  to->row_bytes = static_cast<uint64_t>(to->columns * element_bytes);
  if (__builtin_mul_overflow(row_step, element_bytes, &to->stride_bytes)) {
    return fail(GANTRY_ERROR_OVERFLOW, "the stride of %s, %" PRId64 " elements of %u bytes, exceeds 63 bits",
                name.text(), row_step, tensor.element_bytes);
  }
  if (tensor.given.data == nullptr) {
    return fail(GANTRY_ERROR_INVALID_ARGUMENT, "the data of %s is null with %" PRId64 " elements", name.text(),
                tensor.count);
  }
  uint64_t begin = 0;
  if (__builtin_add_overflow(reinterpret_cast<uint64_t>(tensor.given.data), tensor.given.byte_offset, &begin)) {
    return fail(GANTRY_ERROR_OVERFLOW,
                "the data of %s at %p with byte_offset %" PRIu64 " is outside of the address space", name.text(),
                tensor.given.data, tensor.given.byte_offset);
  }
  to->data = reinterpret_cast<char*>(begin);
  const uint32_t alignment = dtype_alignment(tensor.given.dtype);
  if ((begin & (alignment - 1)) != 0) {
    return fail(GANTRY_ERROR_MISALIGNED, "the data of %s at %p is no multiple of %u, the alignment of %s", name.text(),
                static_cast<void*>(to->data), alignment, DtypeText(tensor.given.dtype).text);
  }
  return check_reach(*to, tensor, name);
}

}  // namespace gantry
