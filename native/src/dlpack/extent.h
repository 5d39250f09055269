// Which bytes a tensor's elements occupy.
#ifndef GANTRY_DLPACK_EXTENT_H
#define GANTRY_DLPACK_EXTENT_H

#include <cstdint>

#include "gantry/gantry.h"

namespace gantry {

// Elements occupy the addresses begin..end; both are the first element's address when there are none.
struct Extent {
  int64_t elements;
  uintptr_t begin;
  uintptr_t end;
};

// Checks all that can be checked of a tensor without touching its elements: dimensions, dtype, device, data, and that
// no address or product overflows. Strides may be of either sign.
gantry_status measure_extent(const gantry_tensor& tensor, const char* name, Extent* out);

}  // namespace gantry

#endif
