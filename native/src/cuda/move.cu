#include "cuda/launch.cuh"

namespace gantry {
namespace cuda {

cudaError_t launch_move(const Unit& unit, const MoveArguments& arguments, const Grid& grid) {
  switch (unit.elements) {
    case 16:
      return launch_unit(arguments, ByteUnit<16>{}, grid);
    case 8:
      return launch_unit(arguments, ByteUnit<8>{}, grid);
    case 4:
      return launch_unit(arguments, ByteUnit<4>{}, grid);
    case 2:
      return launch_unit(arguments, ByteUnit<2>{}, grid);
    case 1:
      return launch_unit(arguments, ByteUnit<1>{}, grid);
    default:
      return cudaErrorInvalidValue;
  }
}

namespace {

constexpr uint32_t kChunksPerLaunch = 64;

struct ChunkList {
  Chunk chunk[kChunksPerLaunch];
};

__global__ void __launch_bounds__(kChunksPerLaunch)
    put_chunks_kernel(const __grid_constant__ ChunkList list, Chunk* to, uint32_t count) {
  if (threadIdx.x < count) to[threadIdx.x] = list.chunk[threadIdx.x];
}

}  // namespace

cudaError_t launch_put_chunks(const Chunk* chunks, uint32_t count, Chunk* to, cudaStream_t stream) {
  for (uint32_t done = 0; done < count; done += kChunksPerLaunch) {
    const uint32_t now = count - done < kChunksPerLaunch ? count - done : kChunksPerLaunch;
    ChunkList list{};
    for (uint32_t i = 0; i < now; ++i) list.chunk[i] = chunks[done + i];
    put_chunks_kernel<<<1, kChunksPerLaunch, 0, stream>>>(list, to + done, now);
    const cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

}  // namespace cuda
}  // namespace gantry
