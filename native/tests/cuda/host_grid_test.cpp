// The bodies of the kernels and everything that leads to their launch, against the definition of the ops: every thread
// of every grid is run on the host, by the stand-in for the CUDA runtime. No kernel is run by this.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>

#include "../host/support.h"
#include "cuda/backend.h"
#include "host_launch.h"
#include "host_runtime.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace gantry::test {
namespace {

using cuda::Device;
using cuda::Record;

// Rows that end where their memory ends. With AddressSanitizer neither the gaps between them nor what is before and
// behind them may be touched; without it, they may not be changed.
class ExactRows {
 public:
  ExactRows(int64_t rows, int64_t columns, gantry_dtype dtype, int64_t gap, int64_t offset, std::mt19937_64* random)
      : rows_(rows), width_(columns * bytes_of(dtype)), stride_(width_ + gap), offset_(offset), dtype_(dtype) {
    bytes_ = static_cast<size_t>(offset + (rows > 0 ? (rows - 1) * stride_ + width_ : 0));
    void* block = nullptr;
    if (posix_memalign(&block, 64, std::max<size_t>(bytes_, 1)) != 0) std::abort();
    block_ = static_cast<char*>(block);
    for (size_t i = 0; i < bytes_; ++i) block_[i] = static_cast<char>((*random)());
    guard(true);
  }
  ~ExactRows() {
    guard(false);
    std::free(block_);
  }
  ExactRows(const ExactRows&) = delete;
  ExactRows& operator=(const ExactRows&) = delete;

  char* row(int64_t number) { return block_ + offset_ + number * stride_; }
  int64_t rows() const { return rows_; }
  int64_t stride() const { return stride_; }
  gantry_dtype dtype() const { return dtype_; }
  std::vector<char> all() {
    guard(false);
    const std::vector<char> bytes(block_, block_ + bytes_);
    guard(true);
    return bytes;
  }
  void set_all(const std::vector<char>& bytes) {
    guard(false);
    if (bytes_ != 0) std::memcpy(block_, bytes.data(), bytes_);
    guard(true);
  }
  // Multiples of 1/32 up to 62.5.
  void make_small(std::mt19937_64* random) {
    for (int64_t number = 0; number < rows_; ++number) {
      for (int64_t at = 0; at < width_; at += bytes_of(dtype_)) {
        const double value = static_cast<double>(static_cast<int64_t>((*random)() % 4001) - 2000) / 32;
        char bits[8];
        std::memcpy(bits, &value, sizeof value);
        convert_element(row(number) + at, dtype_, bits, kF64Type);
      }
    }
  }

 private:
  void guard(bool on) const {
#if defined(__SANITIZE_ADDRESS__)
    if (!on) {
      ASAN_UNPOISON_MEMORY_REGION(block_, bytes_);
      return;
    }
    for (int64_t number = 0; number + 1 < rows_; ++number) {
      ASAN_POISON_MEMORY_REGION(block_ + offset_ + number * stride_ + width_, static_cast<size_t>(stride_ - width_));
    }
#else
    (void)on;
#endif
  }

  int64_t rows_;
  int64_t width_;
  int64_t stride_;
  int64_t offset_;
  gantry_dtype dtype_;
  size_t bytes_;
  char* block_;
};

// The chunks lie in memory in the reverse order of their rows: a row that is looked for in the wrong one is not found
// by chance.
void set_rows(Call* call, ExactRows* table, int64_t columns, ExactRows* side, int64_t chunk_count) {
  int64_t first = 0;
  for (int64_t k = 0; k < chunk_count; ++k) {
    const int64_t left = table->rows() - first;
    // One of several has no rows.
    const int64_t rows = k + 1 == chunk_count ? left : (chunk_count > 2 && k == 1) ? 0 : left / 3;
    call->chunks.push_back(Chunk{table->row(left - rows), first, rows, table->stride()});
    first += rows;
  }
  Request& request = call->request;
  request.chunks = call->chunks.data();
  request.chunk_count = static_cast<uint32_t>(call->chunks.size());
  request.table_dtype = table->dtype();
  request.table_rows = table->rows();
  request.columns = columns;
  request.side = side->row(0);
  request.side_dtype = side->dtype();
  request.side_row_stride_bytes = side->stride();
  request.device = {GANTRY_DEVICE_CUDA, 0};
  request.stream = GANTRY_STREAM_PER_THREAD;
}

gantry_status run(Call* call, Device* device) {
  for (void* block : call->scratch) std::free(block);
  call->scratch.clear();
  call->stats = gantry_stats{};
  call->stats.first_bad_position = -1;
  call->request.stats = &call->stats;
  return cuda::run_request(call->request, device);
}

bool is_writing_table(Op op) { return op != Op::gather; }

// The call against the definition: the same status, statistics and bytes, those between the rows too.
void check(Call* call, Device* device, ExactRows* table, ExactRows* side, const std::string& what) {
  ExactRows* written = is_writing_table(call->request.op) ? table : side;
  ExactRows* read = is_writing_table(call->request.op) ? side : table;
  const std::vector<char> before = written->all();
  const std::vector<char> source = read->all();
  gantry_stats wanted;
  const gantry_status wanted_status = reference(call->request, &wanted);
  const std::vector<char> after = written->all();
  written->set_all(before);
  call->request.wants_stats = true;
  ASSERT_EQ(run(call, device), wanted_status) << what << last_report();
  ASSERT_EQ(written->all(), after) << what;
  ASSERT_EQ(read->all(), source) << what;
  if (wanted.bad_rows != 0 && call->request.bounds == GANTRY_BOUNDS_CLAMP && call->request.table_rows == 0) return;
  expect_equal_stats(call->stats, wanted);
  if (call->request.op == Op::scatter_add) return;
  // Without statistics the same, and what an error would have been is recorded for the stream.
  written->set_all(before);
  call->request.wants_stats = false;
  ASSERT_EQ(run(call, device), GANTRY_OK) << what << last_report();
  ASSERT_EQ(written->all(), after) << what;
  const bool records =
      call->request.bounds == GANTRY_BOUNDS_ERROR || call->request.bounds == GANTRY_BOUNDS_WRAP_NEGATIVE;
  Record* record = device->known_record(cudaStreamPerThread);
  if (record == nullptr) return;
  ASSERT_EQ(record->count, records ? static_cast<uint64_t>(wanted.bad_rows) : 0u) << what;
  if (record->count != 0) {
    ASSERT_EQ(static_cast<int64_t>(~record->position_complement), wanted.first_bad_position) << what;
    ASSERT_EQ(record->value, wanted.first_bad_value) << what;
  }
  ASSERT_EQ(record->lock, 0u);
  *record = Record{};
}

struct IndexType {
  int bits;
  bool is_unsigned;
};
constexpr IndexType kIndexTypes[] = {{32, false}, {32, true}, {64, false}, {64, true}};
constexpr gantry_bounds kPolicies[] = {GANTRY_BOUNDS_ERROR, GANTRY_BOUNDS_SKIP,          GANTRY_BOUNDS_ZERO,
                                       GANTRY_BOUNDS_CLAMP, GANTRY_BOUNDS_WRAP_NEGATIVE, GANTRY_BOUNDS_TRUST};

class HostGridTest : public testing::Test {
 protected:
  void SetUp() override {
    host_grid() = HostGrid{};
    host_runtime() = HostRuntime{};
    ASSERT_EQ(device_.prepare(0), cudaSuccess);
  }
  void TearDown() override {
    device_.release();
    EXPECT_EQ(host_runtime_live(), 0);
  }
  Device device_;
};

// Every vector width is used where it may be, with every number of lanes.
TEST_F(HostGridTest, EveryVectorWidthAndNumberOfLanes) {
  std::mt19937_64 random(1);
  for (const int64_t unit : {16, 8, 4, 2, 1}) {
    for (const int64_t units : {1, 2, 3, 5, 8, 31, 32, 33, 127, 128, 129, 300}) {
      const int64_t width = unit * units;
      // The width itself must not be a multiple of more.
      if (unit < 16 && units % 2 == 0) continue;
      for (int lanes_log2 = -1; lanes_log2 <= 5; ++lanes_log2) {
        ExactRows table(23, width, kU8, 0, unit, &random);
        ExactRows side(41, width, kU8, 0, unit, &random);
        const Indices indices(random_indices(41, 23, &random), 64, false);
        Call call(Op::gather);
        set_rows(&call, &table, width, &side, 1);
        indices.put_into(&call.request);
        host_grid().lanes_log2 = lanes_log2;
        check(&call, &device_, &table, &side,
              "width " + std::to_string(width) + " lanes " + std::to_string(lanes_log2));
        ASSERT_EQ(host_grid().used_unit_bytes, unit) << width;
        if (HasFatalFailure()) return;
      }
    }
  }
}

// One thing that lies unaligned narrows the vectors of all rows: base, stride and width of both sides.
TEST_F(HostGridTest, AlignmentOfEveryPart) {
  std::mt19937_64 random(2);
  for (int part = 0; part < 5; ++part) {
    for (const int64_t off : {0, 1, 2, 4, 8}) {
      const int64_t width = 64 + (part == 4 ? off : 0);
      const int64_t gap = part == 4 ? 64 - off : 0;
      ExactRows table(9, width, kU8, gap + (part == 0 ? off : 0), part == 1 ? off : 0, &random);
      ExactRows side(9, width, kU8, gap + (part == 2 ? off : 0), part == 3 ? off : 0, &random);
      const Indices indices(random_indices(9, 9, &random), 32, false);
      Call call(Op::gather);
      set_rows(&call, &table, width, &side, 1);
      indices.put_into(&call.request);
      check(&call, &device_, &table, &side, "part " + std::to_string(part) + " off " + std::to_string(off));
      ASSERT_EQ(host_grid().used_unit_bytes, off == 0 ? 16 : off) << part;
      if (HasFatalFailure()) return;
    }
  }
}

std::string describe(const Request& request, uint64_t seed) {
  return "seed " + std::to_string(seed) + " op " + std::to_string(static_cast<int>(request.op)) + " bounds " +
         std::to_string(request.bounds) + " " + name_of(request.table_dtype) + " " + name_of(request.side_dtype) +
         " columns " + std::to_string(request.columns) + " rows " + std::to_string(request.table_rows) + " count " +
         std::to_string(request.index_count) + " chunks " + std::to_string(request.chunk_count) + ": ";
}

template <class T, size_t kCount>
T pick(const T (&values)[kCount], std::mt19937_64* random) {
  return values[(*random)() % kCount];
}

gantry_dtype pick_dtype(Op op, std::mt19937_64* random) {
  constexpr gantry_dtype kOther[] = {{GANTRY_CODE_RAW, 8, 1},
                                     {GANTRY_CODE_BOOL, 8, 1},
                                     {GANTRY_CODE_COMPLEX, 64, 1},
                                     {GANTRY_CODE_RAW, 8, 3},
                                     {GANTRY_CODE_FLOAT, 32, 4}};
  switch ((*random)() % (op == Op::scatter_add ? 2 : 3)) {
    case 0:
      return pick(kFloatTypes, random);
    case 1:
      return pick(kIntegerTypes, random);
    default:
      return pick(kOther, random);
  }
}

void fuzz(uint64_t seed, Device* device) {
  constexpr Op kOps[] = {Op::gather, Op::gather, Op::scatter, Op::scatter_add, Op::convert, Op::copy};
  constexpr int64_t kColumns[] = {0,  1,  2,  3,  4,   5,   7,   8,   11,  12,   16,
                                  31, 32, 33, 64, 100, 127, 128, 129, 513, 1024, 3001};
  constexpr uint32_t kThreads[] = {0, 32, 64, 256, 1024};
  std::mt19937_64 random(seed);
  const Op op = pick(kOps, &random);
  const bool is_linear = op == Op::convert || op == Op::copy;
  const gantry_dtype table_dtype = pick_dtype(op, &random);
  gantry_dtype side_dtype = table_dtype;
  if (op != Op::copy && op != Op::scatter_add && random() % 2 == 0) {
    if (cuda::is_float(table_dtype)) side_dtype = pick(kFloatTypes, &random);
    if (cuda::is_integer(table_dtype)) side_dtype = pick(kIntegerTypes, &random);
  }
  const int64_t columns = pick(kColumns, &random);
  const int64_t rows = random() % 8 == 0 ? static_cast<int64_t>(random() % 2) : 1 + static_cast<int64_t>(random() % 60);
  const int64_t count = is_linear ? rows : static_cast<int64_t>(random() % (columns > 600 ? 9 : 90));
  if (count == 0) return;  // core's
  const auto gap_of = [&](gantry_dtype dtype) {
    return random() % 2 == 0 ? 0 : static_cast<int64_t>(random() % 17) * bytes_of(dtype);
  };
  // Elements are aligned to their size, as core sees to.
  const auto offset_of = [&](gantry_dtype dtype) {
    const int64_t alignment = dtype.bits / 8;
    return random() % 2 == 0 ? 0 : static_cast<int64_t>(random() % 17) * alignment;
  };
  ExactRows table(rows, columns, table_dtype, gap_of(table_dtype), offset_of(table_dtype), &random);
  ExactRows side(count, columns, side_dtype, gap_of(side_dtype), offset_of(side_dtype), &random);
  Call call(op);
  const bool may_chunk = op != Op::convert && op != Op::copy;
  set_rows(&call, &table, columns, &side, may_chunk && random() % 3 == 0 ? 1 + static_cast<int64_t>(random() % 70) : 1);
  Request& request = call.request;
  request.bounds = pick(kPolicies, &random);
  if (is_linear) request.bounds = GANTRY_BOUNDS_ERROR;
  if (rows == 0 && request.bounds == GANTRY_BOUNDS_TRUST) request.bounds = GANTRY_BOUNDS_ERROR;
  request.streaming = static_cast<gantry_choice>(random() % 3);
  request.sorted = static_cast<gantry_choice>(random() % 3);
  request.deterministic = static_cast<gantry_choice>(random() % 3);
  request.multiprocessors = static_cast<uint32_t>(random() % 4);
  request.table_on_host = random() % 4 == 0;

  const IndexType type = pick(kIndexTypes, &random);
  std::vector<int64_t> values =
      rows > 0 ? random_indices(count, rows, &random) : std::vector<int64_t>(static_cast<size_t>(count), 0);
  const bool ordered = request.deterministic == GANTRY_ALWAYS;
  const bool exact_sums = cuda::is_integer(table_dtype) || table_dtype.bits >= 32;
  if ((op == Op::scatter && !ordered) || (op == Op::scatter_add && !ordered && !exact_sums)) {
    // Where the order counts and none is promised, no row may come twice, by whatever policy.
    if (rows < count || request.bounds == GANTRY_BOUNDS_CLAMP || request.bounds == GANTRY_BOUNDS_WRAP_NEGATIVE) return;
    for (int64_t i = 0; i < count; ++i) values[static_cast<size_t>(i)] = i;
    std::shuffle(values.begin(), values.end(), random);
  }
  if (request.bounds != GANTRY_BOUNDS_TRUST && random() % 2 == 0) {
    const int64_t lowest = type.bits == 32 ? INT32_MIN : INT64_MIN;
    const int64_t highest = type.bits == 32 ? INT32_MAX : INT64_MAX;
    const int64_t outside[] = {-1, -rows, -rows - 1, rows, highest, lowest};
    for (int k = static_cast<int>(random() % 6); k >= 0; --k) values[random() % values.size()] = pick(outside, &random);
  }
  const Indices indices(values, type.bits, type.is_unsigned, 1 + static_cast<int64_t>(random() % 2));
  if (!is_linear) indices.put_into(&request);
  if (op == Op::scatter_add) {
    table.make_small(&random);
    side.make_small(&random);
  }
  host_grid().lanes_log2 = static_cast<int>(random() % 7) - 1;
  host_grid().threads = pick(kThreads, &random);
  host_grid().seed = random();
  check(&call, device, &table, &side, describe(request, seed));
}

TEST_F(HostGridTest, RandomRequests) {
  // The stand-in runs one thread after the other.
  for (uint64_t seed = 0; seed < (kThreadSanitizer ? 500 : 6000); ++seed) {
    fuzz(seed, &device_);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace gantry::test
