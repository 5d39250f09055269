// A caller's tensor, read and checked.
#ifndef GANTRY_CORE_TENSOR_H
#define GANTRY_CORE_TENSOR_H

#include <cstdint>

#include "core/error.h"
#include "core/overlap.h"

namespace gantry {

// What a tensor is called in error texts: "the output", "chunk 3 of the table". Formatted when it is needed.
class Name {
 public:
  explicit Name(const char* text) : text_(text) {}
  Name(const char* text, uint32_t number) : text_(text), number_(number), numbered_(true) {}
  const char* text() const;

 private:
  const char* text_;
  uint32_t number_ = 0;
  bool numbered_ = false;
  mutable char buffer_[40];
};

// Shape, dtype and device of a tensor have been checked; its layout has not, because the op decides what it has to be.
struct Tensor {
  gantry_tensor given;
  const int64_t* strides;  // never null when there are dimensions and elements
  int64_t count;           // of elements
  uint32_t element_bytes;
  int64_t row_major[GANTRY_MAX_DIMENSIONS];

  Tensor() = default;
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;

  // Uses given.strides, and row-major strides when that is null.
  void adopt_strides();
};

gantry_status read_tensor(const gantry_tensor* from, const Name& name, Tensor* to);

// Evenly spaced rows in memory.
struct Rows {
  char* data;
  int64_t rows;
  int64_t columns;  // side by side
  int64_t stride_bytes;
  uint64_t row_bytes;

  Span span() const { return Span::of(data, rows, stride_bytes, row_bytes); }
  bool empty() const { return rows == 0 || row_bytes == 0; }
};

// Sees the first `outer` dimensions of the tensor as rows and the others as columns: GANTRY_ERROR_UNSUPPORTED when one
// step does not lead from each row to the next or columns do not lie side by side. With elements to reach, data may not
// be null and has to be aligned.
gantry_status lay_out(const Tensor& tensor, const Name& name, int outer, Rows* to);

}  // namespace gantry

#endif
