// Whether two sets of rows share a byte.
#ifndef GANTRY_CORE_OVERLAP_H
#define GANTRY_CORE_OVERLAP_H

#include <cstdint>

#include "gantry/gantry.h"

namespace gantry {

// The bytes [begin + i * stride, begin + i * stride + width) for 0 <= i < rows. All inside the address space; no stride
// is negative.
struct Span {
  uint64_t begin = 0;
  uint64_t rows = 0;
  uint64_t stride = 0;
  uint64_t width = 0;

  // Of rows that may also run downwards.
  static Span of(const void* first_row, int64_t rows, int64_t stride, uint64_t width);
  bool empty() const { return rows == 0 || width == 0; }
  uint64_t end() const { return begin + (rows - 1) * stride + width; }
};

// One row where that covers the same bytes.
Span merged(Span span);

// Exact: the slices [:, 0:4] and [:, 4:8] of one matrix do not overlap although their address ranges do.
bool overlaps_exactly(const Span& a, const Span& b);

inline bool overlaps(const Span& a, const Span& b) {
  if (a.empty() || b.empty() || a.end() <= b.begin || b.end() <= a.begin) return false;
  return overlaps_exactly(a, b);
}

// GANTRY_ERROR_OVERLAP, with both ranges.
gantry_status fail_overlap(const char* written_name, const Span& written, const char* read_name, const Span& read);

// Whether two rows of one span share a byte.
inline bool overlaps_itself(const Span& span) { return span.rows > 1 && span.width > span.stride; }

}  // namespace gantry

#endif
