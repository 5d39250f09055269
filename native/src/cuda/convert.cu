#include "cuda/launch.cuh"

namespace gantry {
namespace cuda {
namespace {

template <Kind kFrom>
cudaError_t launch_from(Kind to, const MoveArguments& arguments, const Grid& grid) {
  switch (to) {
    case Kind::f16:
      if constexpr (kFrom != Kind::f16) return launch_unit(arguments, FloatUnit<kFrom, Kind::f16>{}, grid);
      break;
    case Kind::bf16:
      if constexpr (kFrom != Kind::bf16) return launch_unit(arguments, FloatUnit<kFrom, Kind::bf16>{}, grid);
      break;
    case Kind::f32:
      if constexpr (kFrom != Kind::f32) return launch_unit(arguments, FloatUnit<kFrom, Kind::f32>{}, grid);
      break;
    case Kind::f64:
      if constexpr (kFrom != Kind::f64) return launch_unit(arguments, FloatUnit<kFrom, Kind::f64>{}, grid);
      break;
    default:
      break;
  }
  return cudaErrorInvalidValue;
}

}  // namespace

cudaError_t launch_conversion(const Unit& unit, const MoveArguments& arguments, const Grid& grid) {
  if (unit.kind == UnitKind::any) return launch_unit(arguments, AnyUnit{unit.from, unit.to}, grid);
  switch (unit.from) {
    case Kind::f16:
      return launch_from<Kind::f16>(unit.to, arguments, grid);
    case Kind::bf16:
      return launch_from<Kind::bf16>(unit.to, arguments, grid);
    case Kind::f32:
      return launch_from<Kind::f32>(unit.to, arguments, grid);
    case Kind::f64:
      return launch_from<Kind::f64>(unit.to, arguments, grid);
    default:
      return cudaErrorInvalidValue;
  }
}

}  // namespace cuda
}  // namespace gantry
