// Whether many sets of rows, such as the chunks of a table that is written, share a byte.
#ifndef GANTRY_CORE_DISJOINT_H
#define GANTRY_CORE_DISJOINT_H

#include "core/overlap.h"
#include "core/scratch.h"

namespace gantry {

struct SharedBytes {
  bool found = false;
  Span first;
  Span second;
};

// Looks for two spans that share a byte; sorts them by their begin. None of them overlaps itself, none is empty.
// Takes n log n steps, also for slices of one matrix, whose address ranges all overlap; but n^2 for spans of different
// strides that lie among each other.
gantry_status find_shared_bytes(Span* spans, uint32_t count, ScratchBlocks* scratch, SharedBytes* out);

}  // namespace gantry

#endif
