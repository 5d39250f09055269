#include "cuda/launch.cuh"

namespace gantry {
namespace cuda {

cudaError_t launch_add(const Unit& unit, const MoveArguments& arguments, const Grid& grid) {
  switch (unit.to) {
    case Kind::f32:
      if (unit.elements == 4) return launch_unit(arguments, AddUnit<Kind::f32, 4>{}, grid);
      return launch_unit(arguments, AddUnit<Kind::f32, 1>{}, grid);
    case Kind::f16:
      if (unit.elements == 8) return launch_unit(arguments, AddUnit<Kind::f16, 8>{}, grid);
      if (unit.elements == 2) return launch_unit(arguments, AddUnit<Kind::f16, 2>{}, grid);
      return launch_unit(arguments, AddUnit<Kind::f16, 1>{}, grid);
    case Kind::bf16:
      if (unit.elements == 8) return launch_unit(arguments, AddUnit<Kind::bf16, 8>{}, grid);
      if (unit.elements == 2) return launch_unit(arguments, AddUnit<Kind::bf16, 2>{}, grid);
      return launch_unit(arguments, AddUnit<Kind::bf16, 1>{}, grid);
    case Kind::f64:
      return launch_unit(arguments, AddUnit<Kind::f64, 1>{}, grid);
    case Kind::i64:
      return launch_unit(arguments, AddUnit<Kind::i64, 1>{}, grid);
    case Kind::u32:
      return launch_unit(arguments, AddUnit<Kind::u32, 1>{}, grid);
    case Kind::u16:
      return launch_unit(arguments, AddUnit<Kind::u16, 1>{}, grid);
    case Kind::u8:
      return launch_unit(arguments, AddUnit<Kind::u8, 1>{}, grid);
    default:
      return cudaErrorInvalidValue;
  }
}

namespace {

template <Kind kKind>
__global__ void __launch_bounds__(kMaxThreads) add_in_order_kernel(const __grid_constant__ MoveArguments arguments) {
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
