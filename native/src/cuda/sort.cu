#include <cub/device/device_radix_sort.cuh>

#include "cuda/launch.cuh"

namespace gantry {
namespace cuda {
namespace {

__global__ void __launch_bounds__(kMaxThreads)
    make_keys_kernel(const __grid_constant__ MoveArguments arguments, uint64_t* keys) {
  make_keys(arguments, keys, this_place());
}

}  // namespace

cudaError_t launch_make_keys(const MoveArguments& arguments, uint64_t* keys, const Grid& grid) {
  make_keys_kernel<<<grid.blocks, grid.threads, 0, grid.stream>>>(arguments, keys);
  return cudaGetLastError();
}

cudaError_t sort_keys(void* temporary, size_t* temporary_bytes, uint64_t* keys, uint64_t* other, int64_t count,
                      int begin_bit, int end_bit, cudaStream_t stream, uint64_t** sorted) {
  cub::DoubleBuffer<uint64_t> buffers(keys, other);
  const cudaError_t error =
      cub::DeviceRadixSort::SortKeys(temporary, *temporary_bytes, buffers, count, begin_bit, end_bit, stream);
  *sorted = buffers.Current();
  return error;
}

}  // namespace cuda
}  // namespace gantry
