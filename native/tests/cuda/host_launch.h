// Kernels as loops over all places of their grid, in a random order of the places.
#ifndef GANTRY_TESTS_CUDA_HOST_LAUNCH_H
#define GANTRY_TESTS_CUDA_HOST_LAUNCH_H

#include <cstdint>

namespace gantry::test {

// What a test puts in place of the plan's choice.
struct HostGrid {
  int lanes_log2 = -1;   // -1: as planned
  uint32_t threads = 0;  // of a block; 0: as planned
  uint64_t seed = 1;     // of the order; 0: as they are numbered
  // The last launch of a move.
  uint32_t used_blocks = 0;
  uint32_t used_threads = 0;
  uint32_t used_unit_bytes = 0;
  uint32_t used_streaming = 0;
};

// The calling thread's.
HostGrid& host_grid();

}  // namespace gantry::test

#endif
