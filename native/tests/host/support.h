// Requests as core makes them, over memory with guards, and the ops once more: one element at a time, in other words
// than the library's.
#ifndef GANTRY_TESTS_HOST_SUPPORT_H
#define GANTRY_TESTS_HOST_SUPPORT_H

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "../sanitizers.h"
#include "core/backend.h"
#include "host/backend.h"

namespace gantry::test {

constexpr gantry_dtype kU8{GANTRY_CODE_UINT, 8, 1};
constexpr gantry_dtype kF16Type{GANTRY_CODE_FLOAT, 16, 1};
constexpr gantry_dtype kBF16Type{GANTRY_CODE_BFLOAT, 16, 1};
constexpr gantry_dtype kF32Type{GANTRY_CODE_FLOAT, 32, 1};
constexpr gantry_dtype kF64Type{GANTRY_CODE_FLOAT, 64, 1};
constexpr gantry_dtype kFloatTypes[] = {kF16Type, kBF16Type, kF32Type, kF64Type};
constexpr gantry_dtype kIntegerTypes[] = {
    {GANTRY_CODE_INT, 8, 1},  {GANTRY_CODE_UINT, 8, 1},  {GANTRY_CODE_INT, 16, 1}, {GANTRY_CODE_UINT, 16, 1},
    {GANTRY_CODE_INT, 32, 1}, {GANTRY_CODE_UINT, 32, 1}, {GANTRY_CODE_INT, 64, 1}, {GANTRY_CODE_UINT, 64, 1}};

int64_t bytes_of(gantry_dtype dtype);
std::string name_of(gantry_dtype dtype);

// Rows with `gap` bytes between them that begin `offset` bytes behind a multiple of 64, between guards. Random bytes.
class Rows {
 public:
  Rows(int64_t rows, int64_t columns, gantry_dtype dtype, int64_t gap, int64_t offset, std::mt19937_64* random);
  char* data() { return bytes_.data() + start_; }
  char* row(int64_t number) { return data() + number * stride_; }
  int64_t stride() const { return stride_; }
  int64_t count() const { return rows_; }
  gantry_dtype dtype() const { return dtype_; }
  // Everything, guards and gaps too.
  const std::vector<char>& all() const { return bytes_; }
  void set_all(const std::vector<char>& bytes);
  // Elements become finite numbers of different sizes, whose sums depend on the order.
  void make_finite(int64_t columns, std::mt19937_64* random);

 private:
  int64_t rows_;
  int64_t stride_;
  gantry_dtype dtype_;
  std::vector<char> bytes_;
  int64_t start_;
};

// Indices of one of the four types, with a stride in elements.
class Indices {
 public:
  Indices(const std::vector<int64_t>& values, int bits, bool is_unsigned, int64_t stride = 1);
  void put_into(Request* request) const;

 private:
  std::vector<char> bytes_;
  int64_t count_;
  int64_t stride_;
  int bits_;
  bool is_unsigned_;
};

std::vector<int64_t> random_indices(int64_t count, int64_t rows, std::mt19937_64* random);

// Cuts a table into `count` chunks, of which one has no rows when there are more than two. In memory the last one comes
// first.
std::vector<Chunk> chunks_of(Rows* table, int64_t count);

// A request on host memory, with errors kept in last_report() and scratch from malloc.
class Call {
 public:
  explicit Call(Op op);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  Request request = {};
  gantry_stats stats = {};
  std::vector<Chunk> chunks;
  int64_t scratch_limit = -1;  // allocations beyond this many fail
  std::vector<void*> scratch;
  uint64_t scratch_bytes = 0;

  void set(Rows* table, int64_t columns, Rows* side, int64_t chunk_count = 1);
  gantry_status run(HostBackend* backend);  // with fresh stats
};

std::string last_report();

// The op by its definition, into the same memory. Fills stats.
gantry_status reference(const Request& request, gantry_stats* stats);

// One element, by the definition of the formats. NaN keeps its sign and the upper bits of its payload and becomes
// quiet.
void convert_element(char* to, gantry_dtype to_dtype, const char* from, gantry_dtype from_dtype);

// The levels that can run here, the lowest first.
std::vector<std::string> levels();

// Every piece of work is shared, however small; `cache_bytes` as in HostSettings.
std::unique_ptr<HostBackend> backend(const std::string& level, uint32_t threads,
                                     uint64_t cache_bytes = uint64_t{1} << 40);

void expect_equal_stats(const gantry_stats& seen, const gantry_stats& wanted);

}  // namespace gantry::test

#endif
