// The bodies of the kernels are functions of a thread's place in its grid. They use no shared memory and exchange
// nothing between threads, so that a loop on the host, over all places, does what a launch does: that is how they are
// tested where there is no GPU.
#ifndef GANTRY_CUDA_GRID_H
#define GANTRY_CUDA_GRID_H

#include <stdint.h>

#if defined(__CUDACC__)
#define GANTRY_HD __host__ __device__ __forceinline__
#else
#define GANTRY_HD inline
#endif

#if defined(__CUDA_ARCH__)
#define GANTRY_UNROLL _Pragma("unroll")
#else
#define GANTRY_UNROLL
#endif

namespace gantry {
namespace cuda {

struct Place {
  uint32_t block;
  uint32_t blocks;
  uint32_t thread;
  uint32_t threads;  // of a block: a multiple of 32
};

}  // namespace cuda
}  // namespace gantry

#endif
