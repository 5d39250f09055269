// Reserving shared memory, so that no write into it can fail later.
#ifndef GANTRY_SEGMENT_SPACE_H
#define GANTRY_SEGMENT_SPACE_H

#include <cstdint>

#include "gantry/gantry.h"

namespace gantry {

// Gives the file this size with all of its pages. GANTRY_ERROR_SEGMENT_SPACE, with what is needed and what is left,
// when they are not to be had.
gantry_status reserve(int fd, uint64_t bytes);

}  // namespace gantry

#endif
