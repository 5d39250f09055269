#include "cuda/launch.cuh"

namespace gantry {
namespace cuda {

cudaError_t launch_add(const Unit& unit, const MoveArguments& arguments, const Grid& grid) {
  return with_add_unit(unit, Launcher{arguments, grid}) ? cudaGetLastError() : cudaErrorInvalidValue;
}

namespace {

template <Kind kKind>
__global__ void __launch_bounds__(kMaxThreads, 1) add_in_order_kernel(const __grid_constant__ MoveArguments arguments) {
  add_in_order<kKind>(arguments, this_place());
}

}  // namespace

cudaError_t launch_add_in_order(const Unit& unit, const MoveArguments& arguments, const Grid& grid) {
  switch (unit.to) {
    case Kind::f16:
      add_in_order_kernel<Kind::f16><<<grid.blocks, grid.threads, 0, grid.stream>>>(arguments);
      break;
    case Kind::bf16:
      add_in_order_kernel<Kind::bf16><<<grid.blocks, grid.threads, 0, grid.stream>>>(arguments);
      break;
    case Kind::f32:
      add_in_order_kernel<Kind::f32><<<grid.blocks, grid.threads, 0, grid.stream>>>(arguments);
      break;
    case Kind::f64:
      add_in_order_kernel<Kind::f64><<<grid.blocks, grid.threads, 0, grid.stream>>>(arguments);
      break;
    default:
      return cudaErrorInvalidValue;
  }
  return cudaGetLastError();
}

}  // namespace cuda
}  // namespace gantry
