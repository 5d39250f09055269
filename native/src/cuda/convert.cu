#include "cuda/launch.cuh"

namespace gantry {
namespace cuda {

cudaError_t launch_conversion(const Unit& unit, const MoveArguments& arguments, const Grid& grid) {
  return with_conversion_unit(unit, Launcher{arguments, grid}) ? cudaGetLastError() : cudaErrorInvalidValue;
}

}  // namespace cuda
}  // namespace gantry
