#include "host_launch.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "cuda/kernels.h"
#include "cuda/units.h"
#include "host_runtime.h"

namespace gantry::test {

HostGrid& host_grid() {
  thread_local HostGrid grid;
  return grid;
}

}  // namespace gantry::test

namespace gantry::cuda {
namespace {

using test::host_grid;
using test::host_runtime_submit;

template <class Body>
void run_places(uint32_t blocks, uint32_t threads, const Body& body) {
  std::vector<uint64_t> order(static_cast<size_t>(blocks) * threads);
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  if (host_grid().seed != 0) std::shuffle(order.begin(), order.end(), std::mt19937_64(host_grid().seed));
  for (const uint64_t at : order) {
    body(Place{static_cast<uint32_t>(at / threads), blocks, static_cast<uint32_t>(at % threads), threads});
  }
}

// The grid that the test wants, with as many blocks as it needs then, at most those that were planned.
Grid chosen(MoveArguments* arguments, uint32_t rows, const Grid& grid) {
  Grid result = grid;
  if (host_grid().lanes_log2 >= 0) arguments->lanes_log2 = static_cast<uint32_t>(host_grid().lanes_log2);
  if (host_grid().threads != 0) result.threads = host_grid().threads;
  result.blocks = std::max(1u, grid_blocks(*arguments, rows, result.threads, grid.blocks));
  host_grid().used_blocks = result.blocks;
  host_grid().used_threads = result.threads;
  host_grid().used_streaming = arguments->streaming;
  return result;
}

// CUDA refuses an empty grid.
cudaError_t check(const Grid& grid) {
  return grid.blocks == 0 || grid.threads == 0 || grid.threads > kMaxThreads || grid.threads % 32 != 0
             ? cudaErrorInvalidConfiguration
             : cudaSuccess;
}

struct HostLauncher {
  MoveArguments arguments;
  Grid grid;
  cudaError_t* error;

  template <class UnitType>
  void operator()(const UnitType& unit) const {
    const MoveArguments own = arguments;
    const Grid shape = grid;
    *error = host_runtime_submit(shape.stream, [own, shape, unit] {
      run_places(shape.blocks, shape.threads, [&](const Place& place) { move_rows(own, unit, place); });
    });
  }
};

HostLauncher launcher(const Unit& unit, const MoveArguments& arguments, const Grid& grid, cudaError_t* error) {
  HostLauncher result{arguments, grid, error};
  result.grid = chosen(&result.arguments, rows_in_flight(unit), grid);
  host_grid().used_unit_bytes = unit.kind == UnitKind::bytes ? unit.elements : 0;
  return result;
}

}  // namespace

cudaError_t launch_move(const Unit& unit, const MoveArguments& arguments, const Grid& grid) {
  cudaError_t error = check(grid);
  if (error != cudaSuccess) return error;
  return with_byte_unit(unit, launcher(unit, arguments, grid, &error)) ? error : cudaErrorInvalidValue;
}

cudaError_t launch_conversion(const Unit& unit, const MoveArguments& arguments, const Grid& grid) {
  cudaError_t error = check(grid);
  if (error != cudaSuccess) return error;
  return with_conversion_unit(unit, launcher(unit, arguments, grid, &error)) ? error : cudaErrorInvalidValue;
}

cudaError_t launch_add(const Unit& unit, const MoveArguments& arguments, const Grid& grid) {
  cudaError_t error = check(grid);
  if (error != cudaSuccess) return error;
  return with_add_unit(unit, launcher(unit, arguments, grid, &error)) ? error : cudaErrorInvalidValue;
}

cudaError_t launch_add_in_order(const Unit& unit, const MoveArguments& arguments, const Grid& grid) {
  if (const cudaError_t error = check(grid)) return error;
  MoveArguments own = arguments;
  const Grid shape = chosen(&own, 1, grid);
  const Kind kind = unit.to;
  return host_runtime_submit(shape.stream, [own, shape, kind] {
    run_places(shape.blocks, shape.threads, [&](const Place& place) {
      switch (kind) {
        case Kind::f16:
          return add_in_order<Kind::f16>(own, place);
        case Kind::bf16:
          return add_in_order<Kind::bf16>(own, place);
        case Kind::f32:
          return add_in_order<Kind::f32>(own, place);
        default:
          return add_in_order<Kind::f64>(own, place);
      }
    });
  });
}

cudaError_t launch_make_keys(const MoveArguments& arguments, uint64_t* keys, const Grid& grid) {
  if (const cudaError_t error = check(grid)) return error;
  return host_runtime_submit(grid.stream, [arguments, keys, grid] {
    run_places(grid.blocks, grid.threads, [&](const Place& place) { make_keys(arguments, keys, place); });
  });
}

// The result lies in the other buffer, as it does after an odd number of passes of a radix sort.
cudaError_t sort_keys(void* temporary, size_t* temporary_bytes, uint64_t* keys, uint64_t* other, int64_t count,
                      int begin_bit, int end_bit, cudaStream_t stream, uint64_t** sorted) {
  *sorted = other;
  if (temporary == nullptr) {
    *temporary_bytes = 1000;
    return cudaSuccess;
  }
  const size_t bytes = *temporary_bytes;
  return host_runtime_submit(stream, [=] {
    std::memset(temporary, 0xee, bytes);
    std::copy(keys, keys + count, other);
    const auto part = [=](uint64_t key) {
      return end_bit == begin_bit ? 0 : key << (64 - end_bit) >> (64 - end_bit + begin_bit);
    };
    std::stable_sort(other, other + count, [&](uint64_t a, uint64_t b) { return part(a) < part(b); });
    std::fill(keys, keys + count, ~uint64_t{0});
  });
}

cudaError_t launch_put_chunks(const Chunk* chunks, uint32_t count, Chunk* to, cudaStream_t stream) {
  const std::vector<Chunk> own(chunks, chunks + count);
  return host_runtime_submit(stream, [own, to] { std::copy(own.begin(), own.end(), to); });
}

}  // namespace gantry::cuda
