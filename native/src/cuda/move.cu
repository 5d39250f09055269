#include "cuda/launch.cuh"

namespace gantry {
namespace cuda {

cudaError_t launch_move(const Unit& unit, const MoveArguments& arguments, const Grid& grid) {
  return with_byte_unit(unit, Launcher{arguments, grid}) ? cudaGetLastError() : cudaErrorInvalidValue;
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
