#include <cstdio>
#include <cstring>

#include "cuda/backend.h"

namespace gantry {
namespace cuda {
namespace {

constexpr int64_t kRows = 64;
constexpr int64_t kWords = 12;  // of a row: 48 bytes, three loads of 16
constexpr int64_t kSideWords = 16;

struct Memory {
  uint32_t table[kRows * kWords];
  int64_t indices[kRows];
  uint32_t side[kRows * kSideWords];
};

// Every row once, in another order.
int64_t row_of(int64_t position) { return position * 37 % kRows; }

std::string named(cudaError_t error, const char* what) {
  return std::string(cudaGetErrorName(error)) + " (" + cudaGetErrorString(error) + ") " + what;
}

std::string compare(const Memory& before, const Memory& after) {
  for (int64_t position = 0; position < kRows; ++position) {
    for (int64_t word = 0; word < kSideWords; ++word) {
      const int64_t at = position * kSideWords + word;
      // Between the rows nothing may have changed.
      const uint32_t expected = word < kWords ? before.table[row_of(position) * kWords + word] : before.side[at];
      if (after.side[at] == expected) continue;
      char text[160];
      std::snprintf(text, sizeof text, "word %lld of row %lld is 0x%08x and should be 0x%08x",
                    static_cast<long long>(word), static_cast<long long>(position), after.side[at], expected);
      return text;
    }
  }
  return std::string();
}

std::string run(Memory* device_memory, cudaStream_t stream) {
  auto before = std::make_unique<Memory>();
  auto after = std::make_unique<Memory>();
  for (int64_t i = 0; i < kRows * kWords; ++i) before->table[i] = 0x9e3779b9u * static_cast<uint32_t>(i + 1);
  for (int64_t i = 0; i < kRows * kSideWords; ++i) before->side[i] = 0xa5a5a5a5u;
  for (int64_t i = 0; i < kRows; ++i) before->indices[i] = row_of(i);

  Chunk chunk{reinterpret_cast<char*>(device_memory->table), 0, kRows, kWords * 4};
  Request request{};
  request.op = Op::gather;
  request.bounds = GANTRY_BOUNDS_TRUST;
  request.chunks = &chunk;
  request.chunk_count = 1;
  request.table_dtype = request.side_dtype = gantry_dtype{GANTRY_CODE_FLOAT, 32, 1};
  request.table_rows = kRows;
  request.columns = kWords;
  request.side = reinterpret_cast<char*>(device_memory->side);
  request.side_row_stride_bytes = kSideWords * 4;
  request.indices = reinterpret_cast<const char*>(device_memory->indices);
  request.index_count = kRows;
  request.index_stride_bytes = 8;
  request.index_bytes = 8;
  Plan plan;
  make_plan(request, &plan);

  cudaError_t error = cudaMemcpyAsync(device_memory, before.get(), sizeof(Memory), cudaMemcpyHostToDevice, stream);
  if (error != cudaSuccess) return named(error, "when memory was copied to the GPU");
  error = launch_move(plan.unit, plan.arguments,
                      Grid{grid_blocks(plan.arguments, rows_in_flight(plan.unit), 256, 1), 256, stream});
  if (error != cudaSuccess) return named(error, "when the kernel was launched");
  error = cudaMemcpyAsync(after.get(), device_memory, sizeof(Memory), cudaMemcpyDeviceToHost, stream);
  if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
  if (error != cudaSuccess) return named(error, "when the kernel's result was read");
  return compare(*before, *after);
}

}  // namespace

std::string self_test(Device* device) {
  UncapturedScope uncaptured;
  int id = 0;
  cudaError_t error = cudaGetDevice(&id);
  if (error == cudaSuccess) error = device->prepare(id);
  if (error != cudaSuccess) return named(error, "when the GPU was asked for its properties");
  cudaStream_t stream = nullptr;
  error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  if (error != cudaSuccess) return named(error, "when a stream was made");
  void* memory = nullptr;
  error = cudaMalloc(&memory, sizeof(Memory));
  const std::string wrong =
      error != cudaSuccess ? named(error, "when memory was allocated") : run(static_cast<Memory*>(memory), stream);
  cudaFree(memory);
  cudaStreamDestroy(stream);
  cudaGetLastError();
  return wrong;
}

}  // namespace cuda
}  // namespace gantry
