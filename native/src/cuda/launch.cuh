// The kernel around move_rows.
#ifndef GANTRY_CUDA_LAUNCH_CUH
#define GANTRY_CUDA_LAUNCH_CUH

#include "cuda/kernels.h"
#include "cuda/units.h"

namespace gantry {
namespace cuda {

__device__ __forceinline__ Place this_place() { return Place{blockIdx.x, gridDim.x, threadIdx.x, blockDim.x}; }

template <class UnitType>
__global__ void __launch_bounds__(kMaxThreads)
    move_kernel(const __grid_constant__ MoveArguments arguments, const __grid_constant__ UnitType unit) {
  move_rows(arguments, unit, this_place());
}

// Launches the kernel of the unit that it is called with.
struct Launcher {
  const MoveArguments& arguments;
  const Grid& grid;

  template <class UnitType>
  void operator()(const UnitType& unit) const {
    move_kernel<UnitType><<<grid.blocks, grid.threads, 0, grid.stream>>>(arguments, unit);
  }
};

}  // namespace cuda
}  // namespace gantry

#endif
