// Which bytes a tensor's elements occupy.
#ifndef GANTRY_DLPACK_EXTENT_H
#define GANTRY_DLPACK_EXTENT_H

#include "gantry/gantry.h"

namespace gantry {

// Elements span the addresses begin..end; both are the first element's address when there are none.
struct Extent {
  int64_t elements;
  uintptr_t begin;
  uintptr_t end;
};

// Bytes of an element, 0 when its bits do not fill whole bytes. `padded`: elements of less than 8 bits take a byte
// each, a layout that Gantry does not do.
uint32_t element_bytes(gantry_dtype dtype, bool padded = false);

// Checks all that can be checked of a tensor without touching its elements: dimensions, dtype, device, data, and that
// no address or product overflows.
gantry_status measure_extent(const gantry_tensor& tensor, bool padded, Extent* out);

}  // namespace gantry

#endif
