// The kernel around move_rows.
#ifndef GANTRY_CUDA_LAUNCH_CUH
#define GANTRY_CUDA_LAUNCH_CUH

#include "cuda/kernels.h"

namespace gantry {
namespace cuda {

__device__ __forceinline__ Place this_place() { return Place{blockIdx.x, gridDim.x, threadIdx.x, blockDim.x}; }

template <class Unit>
__global__ void __launch_bounds__(kMaxThreads)
    move_kernel(const __grid_constant__ MoveArguments arguments, const __grid_constant__ Unit unit) {
  move_rows(arguments, unit, this_place());
}

template <class Unit>
cudaError_t launch_unit(const MoveArguments& arguments, const Unit& unit, const Grid& grid) {
  move_kernel<Unit><<<grid.blocks, grid.threads, 0, grid.stream>>>(arguments, unit);
  return cudaGetLastError();
}

}  // namespace cuda
}  // namespace gantry

#endif
