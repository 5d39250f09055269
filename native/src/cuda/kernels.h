// Launches. Everything is queued on the stream, nothing waits and nothing is allocated: all of it may be captured in a
// graph.
#ifndef GANTRY_CUDA_KERNELS_H
#define GANTRY_CUDA_KERNELS_H

#include <cuda_runtime_api.h>

#include "cuda/plan.h"

namespace gantry {
namespace cuda {

struct Grid {
  uint32_t blocks;
  uint32_t threads;
  cudaStream_t stream;
};

// A block of any kernel may have as many.
constexpr uint32_t kMaxThreads = 1024;

// How many rows each lane of the kernel for `unit` works on at a time.
uint32_t rows_in_flight(const Unit& unit);

cudaError_t launch_move(const Unit& unit, const MoveArguments& arguments, const Grid& grid);
cudaError_t launch_conversion(const Unit& unit, const MoveArguments& arguments, const Grid& grid);
cudaError_t launch_add(const Unit& unit, const MoveArguments& arguments, const Grid& grid);
cudaError_t launch_add_in_order(const Unit& unit, const MoveArguments& arguments, const Grid& grid);

cudaError_t launch_make_keys(const MoveArguments& arguments, uint64_t* keys, const Grid& grid);

// Sorts by the bits from `begin_bit` to before `end_bit`, equal ones in their order. temporary == nullptr: only asks
// how many bytes it needs.
cudaError_t sort_keys(void* temporary, size_t* temporary_bytes, uint64_t* keys, uint64_t* other, int64_t count,
                      int begin_bit, int end_bit, cudaStream_t stream, uint64_t** sorted);

// Writes chunks to device memory as arguments of kernels, because a copy that a graph captures would read the host's
// memory later.
cudaError_t launch_put_chunks(const Chunk* chunks, uint32_t count, Chunk* to, cudaStream_t stream);

}  // namespace cuda
}  // namespace gantry

#endif
