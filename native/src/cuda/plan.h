// From a request to a kernel's arguments and grid: plain arithmetic, without CUDA.
#ifndef GANTRY_CUDA_PLAN_H
#define GANTRY_CUDA_PLAN_H

#include "cuda/sorted.h"

namespace gantry {
namespace cuda {

enum class UnitKind : uint32_t { bytes, floats, any, add, add_ordered };

// Units of a row, of the kernel that moves them.
struct Unit {
  UnitKind kind;
  Kind from;  // of the elements; not for bytes
  Kind to;
  uint32_t elements;  // of a unit; for bytes: its size
};

struct Plan {
  Unit unit;
  MoveArguments arguments;
  bool is_gather;  // the table is read
  bool needs_sort;
};

// The greatest power of two, up to `limit`, that divides all addresses, strides and the width that `bits` is the union
// of.
uint32_t common_alignment(uint64_t bits, uint32_t limit);

// Sets units, pieces and lanes for rows of `units` units.
void set_geometry(int64_t units, MoveArguments* arguments);

// Blocks of `threads` that cover the move, at most `limit`; 0: there is nothing to do.
uint32_t grid_blocks(const MoveArguments& arguments, uint32_t rows_in_flight, uint32_t threads, uint32_t limit);

// Bytes of one side's elements.
uint64_t element_bytes(gantry_dtype dtype);

// The move of a whole request, but for what lies in device memory (chunks, record, keys). Reports dtypes that the
// kernels do not know.
gantry_status make_plan(const Request& request, Plan* plan);

// A copy or conversion between memory without gaps is one long row: its last units, which fill no whole unit, become
// `tail` (count 0: none).
void split_tail(const Request& request, Plan* plan, Plan* tail);

}  // namespace cuda
}  // namespace gantry

#endif
