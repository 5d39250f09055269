#include "support.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "host/isa.h"

namespace gantry::test {
namespace {

constexpr int64_t kGuard = 128;

thread_local char report_text[1024];

[[gnu::format(printf, 2, 3)]] gantry_status report(gantry_status status, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(report_text, sizeof(report_text), format, arguments);
  va_end(arguments);
  return status;
}

gantry_status allocate(void* self, uint64_t bytes, uint64_t alignment, gantry_device, gantry_purpose, void** out) {
  Call& call = *static_cast<Call*>(self);
  if (call.scratch_limit >= 0 && static_cast<int64_t>(call.scratch.size()) >= call.scratch_limit) {
    return report(GANTRY_ERROR_OUT_OF_MEMORY, "no scratch left");
  }
  void* block = nullptr;
  if (posix_memalign(&block, alignment, bytes) != 0) return report(GANTRY_ERROR_OUT_OF_MEMORY, "no memory");
  call.scratch.push_back(block);
  call.scratch_bytes += bytes;
  *out = block;
  return GANTRY_OK;
}

}  // namespace

int64_t bytes_of(gantry_dtype dtype) { return dtype.bits * dtype.lanes / 8; }

std::string name_of(gantry_dtype dtype) {
  static const char* const kNames[] = {"int", "uint", "float", "raw", "bfloat", "complex", "bool"};
  return std::string(kNames[dtype.code]) + std::to_string(dtype.bits) +
         (dtype.lanes > 1 ? "x" + std::to_string(dtype.lanes) : "");
}

Rows::Rows(int64_t rows, int64_t columns, gantry_dtype dtype, int64_t gap, int64_t offset, std::mt19937_64* random)
    : rows_(rows), stride_(columns * bytes_of(dtype) + gap), dtype_(dtype) {
  bytes_.resize(static_cast<size_t>(rows * stride_ + 2 * kGuard + 64 + offset));
  for (char& byte : bytes_) byte = static_cast<char>((*random)());
  const int64_t past = static_cast<int64_t>(reinterpret_cast<uintptr_t>(bytes_.data()) % 64);
  start_ = kGuard + (64 - past) % 64 + offset;
}

void Rows::set_all(const std::vector<char>& bytes) { std::memcpy(bytes_.data(), bytes.data(), bytes_.size()); }

void Rows::make_finite(int64_t columns, std::mt19937_64* random) {
  for (int64_t number = 0; number < rows_; ++number) {
    for (int64_t column = 0; column < columns; ++column) {
      const int64_t significand = static_cast<int64_t>((*random)() >> 11) - (int64_t{1} << 52);
      const double value = std::ldexp(static_cast<double>(significand), static_cast<int>((*random)() % 12) - 54);
      char bits[8];
      std::memcpy(bits, &value, sizeof(value));
      convert_element(row(number) + column * bytes_of(dtype_), dtype_, bits, kF64Type);
    }
  }
}

Indices::Indices(const std::vector<int64_t>& values, int bits, bool is_unsigned, int64_t stride)
    : bytes_(values.size() * static_cast<size_t>(bits / 8) * static_cast<size_t>(stride)),
      count_(static_cast<int64_t>(values.size())),
      stride_(stride * bits / 8),
      bits_(bits),
      is_unsigned_(is_unsigned) {
  for (size_t k = 0; k < values.size(); ++k) {
    // The low bytes come first on every machine that this runs on.
    std::memcpy(bytes_.data() + static_cast<int64_t>(k) * stride_, &values[k], static_cast<size_t>(bits / 8));
  }
}

void Indices::put_into(Request* request) const {
  request->indices = bytes_.data();
  request->index_count = count_;
  request->index_stride_bytes = stride_;
  request->index_bytes = static_cast<uint32_t>(bits_ / 8);
  request->index_unsigned = is_unsigned_ ? 1 : 0;
}

std::vector<int64_t> random_indices(int64_t count, int64_t rows, std::mt19937_64* random) {
  std::vector<int64_t> indices(static_cast<size_t>(count));
  for (int64_t& index : indices) index = static_cast<int64_t>((*random)() % static_cast<uint64_t>(rows));
  return indices;
}

std::vector<Chunk> chunks_of(Rows* table, int64_t count) {
  std::vector<Chunk> chunks;
  int64_t first = 0;
  for (int64_t k = 0; k < count; ++k) {
    const int64_t left = table->count() - first;
    const int64_t rows = k + 1 == count ? left : (count > 2 && k == 1) ? 0 : left / 3;
    chunks.push_back(Chunk{table->row(left - rows), first, rows, table->stride()});
    first += rows;
  }
  return chunks;
}

Call::Call(Op op) {
  request.op = op;
  request.device = gantry_device{GANTRY_DEVICE_HOST, 0};
  request.scratch = Scratch{this, allocate};
  request.report = report;
}

Call::~Call() {
  for (void* block : scratch) std::free(block);
}

void Call::set(Rows* table, int64_t columns, Rows* side, int64_t chunk_count) {
  chunks = chunks_of(table, chunk_count);
  request.chunks = chunks.data();
  request.chunk_count = static_cast<uint32_t>(chunks.size());
  request.table_dtype = table->dtype();
  request.table_rows = table->count();
  request.columns = columns;
  request.side = side->data();
  request.side_dtype = side->dtype();
  request.side_row_stride_bytes = side->stride();
}

gantry_status Call::run(HostBackend* backend) {
  stats = gantry_stats{};
  stats.first_bad_position = -1;
  request.stats = &stats;
  return backend->execute(request);
}

std::string last_report() { return report_text; }

std::vector<std::string> levels() {
  const Kernels* kernels[kMaxLevels];
  std::vector<std::string> names;
  const int count = runnable_kernels(kernels);
  for (int k = 0; k < count; ++k) names.emplace_back(kernels[k]->name);
  return names;
}

std::unique_ptr<HostBackend> backend(const std::string& level, uint32_t threads, uint64_t cache_bytes) {
  return make_host_backend(HostSettings{threads, level.c_str(), cache_bytes, 1});
}

void expect_equal_stats(const gantry_stats& seen, const gantry_stats& wanted) {
  EXPECT_EQ(seen.rows, wanted.rows);
  EXPECT_EQ(seen.bytes_read, wanted.bytes_read);
  EXPECT_EQ(seen.bytes_written, wanted.bytes_written);
  EXPECT_EQ(seen.bad_rows, wanted.bad_rows);
  EXPECT_EQ(seen.first_bad_position, wanted.first_bad_position);
  EXPECT_EQ(seen.first_bad_value, wanted.first_bad_value);
}

}  // namespace gantry::test
