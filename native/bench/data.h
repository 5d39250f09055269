// Tables and indices of the benchmarks.
#ifndef GANTRY_BENCH_DATA_H
#define GANTRY_BENCH_DATA_H

#include <cstdint>
#include <memory>
#include <vector>

namespace gantry_bench {

struct Unmap {
  uint64_t bytes;
  void operator()(char* data) const;
};
using Memory = std::unique_ptr<char, Unmap>;

enum class Pages { small, huge };

// Mapped, touched and aligned to a page (2 MiB for huge ones, where the kernel grants them). Null when there is too little memory.
Memory map_memory(uint64_t bytes, Pages pages);

enum class Distribution { uniform, zipf, sequential };

const char* name_of(Distribution distribution);

// `count` row numbers in [0, rows), the same for the same arguments. Zipf: exponent 1.05, ranks spread over the table so that
// popular rows are no neighbours.
std::vector<int64_t> make_indices(Distribution distribution, int64_t rows, int64_t count);

}  // namespace gantry_bench

#endif
