// Every op on the GPU gives the bytes that the host gives.
#include <memory>

#include "../sanitizers.h"
#include "gpu_support.h"

namespace gantry::test {
namespace {

constexpr gantry_bounds kPolicies[] = {GANTRY_BOUNDS_ERROR, GANTRY_BOUNDS_SKIP,          GANTRY_BOUNDS_ZERO,
                                       GANTRY_BOUNDS_CLAMP, GANTRY_BOUNDS_WRAP_NEGATIVE, GANTRY_BOUNDS_TRUST};

class Ops : public GpuTest {
 protected:
  // The op on both sides: equal status, statistics and bytes of what is written.
  using Op = gantry_status (*)(gantry_context*, Matrix* table, Matrix* side, const IndexList& indices, bool on_device,
                               const gantry_options* options, const gantry_environment* environment,
                               gantry_stream stream);

  void compare(Op op, Matrix* table, Matrix* side, bool writes_table, const IndexList& indices, gantry_options options,
               const std::string& what) {
    gantry_stats on_gpu{};
    options.stats = &on_gpu;
    on_gpu.struct_size = sizeof on_gpu;
    const gantry_status status = op(context(), table, side, indices, true, &options, arena_->environment(), stream());
    ASSERT_TRUE(status == GANTRY_OK || status == GANTRY_ERROR_INDEX) << what << gantry_last_error();
    const std::string text = status == GANTRY_OK ? "" : gantry_last_error();
    wait();
    gantry_stats on_host{};
    options.stats = &on_host;
    on_host.struct_size = sizeof on_host;
    ASSERT_EQ(op(context(), table, side, indices, false, &options, nullptr, nullptr), status)
        << what << gantry_last_error();
    if (status != GANTRY_OK) {
      ASSERT_EQ(text, gantry_last_error()) << what;
    }
    const Matrix* written = writes_table ? table : side;
    ASSERT_EQ(written->download(), written->host()) << what;
    ASSERT_EQ(on_gpu.rows, on_host.rows) << what;
    ASSERT_EQ(on_gpu.bad_rows, on_host.bad_rows) << what;
    ASSERT_EQ(on_gpu.first_bad_position, on_host.first_bad_position) << what;
    ASSERT_EQ(on_gpu.first_bad_value, on_host.first_bad_value) << what;
    ASSERT_EQ(on_gpu.bytes_read, on_host.bytes_read) << what;
    ASSERT_EQ(on_gpu.bytes_written, on_host.bytes_written) << what;
    ASSERT_EQ(arena_->live, 0) << what;
    ASSERT_TRUE(arena_->last_in_first_out) << what;
  }

  static gantry_status gather(gantry_context* context, Matrix* table, Matrix* side, const IndexList& indices,
                              bool on_device, const gantry_options* options, const gantry_environment* environment,
                              gantry_stream stream) {
    const gantry_tensor chunk = on_device ? table->on_device() : table->on_host();
    const gantry_tensor index = on_device ? indices.on_device() : indices.on_host();
    gantry_tensor output = on_device ? side->on_device() : side->on_host();
    const gantry_table rows = table_of(&chunk);
    return gantry_gather(context, &rows, &index, &output, options, environment, stream);
  }

  static gantry_status scatter(gantry_context* context, Matrix* table, Matrix* side, const IndexList& indices,
                               bool on_device, const gantry_options* options, const gantry_environment* environment,
                               gantry_stream stream) {
    const gantry_tensor chunk = on_device ? table->on_device() : table->on_host();
    const gantry_tensor index = on_device ? indices.on_device() : indices.on_host();
    const gantry_tensor source = on_device ? side->on_device() : side->on_host();
    const gantry_table rows = table_of(&chunk);
    return gantry_scatter(context, &source, &index, &rows, options, environment, stream);
  }

  static gantry_status scatter_add(gantry_context* context, Matrix* table, Matrix* side, const IndexList& indices,
                                   bool on_device, const gantry_options* options, const gantry_environment* environment,
                                   gantry_stream stream) {
    const gantry_tensor chunk = on_device ? table->on_device() : table->on_host();
    const gantry_tensor index = on_device ? indices.on_device() : indices.on_host();
    const gantry_tensor source = on_device ? side->on_device() : side->on_host();
    const gantry_table rows = table_of(&chunk);
    return gantry_scatter_add(context, &source, &index, &rows, options, environment, stream);
  }

  void SetUp() override {
    GpuTest::SetUp();
    if (!IsSkipped() && !HasFatalFailure()) arena_ = std::make_unique<Arena>();
  }
  void TearDown() override {
    arena_.reset();
    GpuTest::TearDown();
  }
  Arena& arena() { return *arena_; }

 private:
  std::unique_ptr<Arena> arena_;
};

TEST_F(Ops, GatherOfEveryWidthPlaceAndPolicy) {
  for (const int64_t width : {1, 2, 4, 8, 12, 16, 44, 64, 100, 128, 256, 513, 1024, 2052, 4096, 10000}) {
    const int64_t count = width > 1000 ? 130 : 400;
    for (const int64_t offset : {0, 1, 2, 4, 8, 16}) {
      // Where there is no GPU its threads are run one after the other.
      if (kThreadSanitizer && (offset > 0 || width > 1024)) break;
      Matrix table(101, width, kByte, offset % 3 == 0 ? 0 : 16, offset);
      table.fill_random(&random_);
      for (const gantry_bounds bounds : kPolicies) {
        std::vector<int64_t> values = random_indices(count, 101, &random_);
        if (bounds != GANTRY_BOUNDS_TRUST) values[7] = -1, values[50] = 101, values[129] = -101, values[128] = -102;
        for (const int bits : {32, 64}) {
          const IndexList indices(values, bits, bounds == GANTRY_BOUNDS_SKIP && bits == 64);
          Matrix output(count, width, kByte, 0, offset);
          output.fill_random(&random_);
          compare(&gather, &table, &output, false, indices, options_with(bounds),
                  "width " + std::to_string(width) + " offset " + std::to_string(offset) + " bounds " +
                      std::to_string(bounds) + " ");
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST_F(Ops, GatherSortedStreamingAndOnFewMultiprocessors) {
  Matrix table(5000, 96, kByte);
  table.fill_random(&random_);
  const IndexList indices(random_indices(20000, 5000, &random_), 64);
  for (const gantry_choice sorted : {GANTRY_NEVER, GANTRY_ALWAYS}) {
    for (const gantry_choice streaming : {GANTRY_NEVER, GANTRY_ALWAYS}) {
      for (const uint32_t multiprocessors : {0u, 1u, 2u, 100000u}) {
        Matrix output(20000, 96, kByte);
        output.fill_random(&random_);
        gantry_options options = options_with(GANTRY_BOUNDS_ERROR);
        options.sorted = sorted;
        options.streaming = streaming;
        options.multiprocessors = multiprocessors;
        compare(&gather, &table, &output, false, indices, options,
                "multiprocessors " + std::to_string(multiprocessors) + " ");
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_F(Ops, GatherOfAChunkedTable) {
  // More chunks than fit beside the arguments, one of them without rows.
  std::vector<std::unique_ptr<Matrix>> parts;
  std::vector<gantry_tensor> on_host;
  std::vector<gantry_tensor> on_device;
  int64_t rows = 0;
  for (int64_t i = 0; i < 150; ++i) {
    parts.push_back(std::make_unique<Matrix>(i == 7 ? 0 : 1 + i % 5, 20, kSingle, i % 2 * 16));
    parts.back()->fill_random(&random_);
    rows += parts.back()->rows();
    on_host.push_back(parts.back()->on_host());
    on_device.push_back(parts.back()->on_device());
  }
  const IndexList indices(random_indices(999, rows, &random_), 32);
  Matrix output(999, 20, kSingle);
  const gantry_table host_table = table_of(on_host.data(), 150);
  const gantry_table device_table = table_of(on_device.data(), 150);
  gantry_tensor host_output = output.on_host();
  gantry_tensor device_output = output.on_device();
  const gantry_tensor host_index = indices.on_host();
  const gantry_tensor device_index = indices.on_device();
  ASSERT_OK(
      gantry_gather(context(), &device_table, &device_index, &device_output, nullptr, arena().environment(), stream()));
  wait();
  ASSERT_OK(gantry_gather(context(), &host_table, &host_index, &host_output, nullptr, nullptr, nullptr));
  ASSERT_EQ(output.download(), output.host());
}

TEST_F(Ops, Conversions) {
  const gantry_dtype floats[] = {kHalf, kBrain, kSingle, kDouble};
  const gantry_dtype integers[] = {kInt8, kByte, kInt16, kInt32, kInt64};
  const auto check = [&](gantry_dtype from, gantry_dtype to, int64_t columns) {
    Matrix table(200, columns, from);
    table.fill_numbers(&random_);
    Matrix output(700, columns, to);
    output.fill_random(&random_);
    const IndexList indices(random_indices(700, 200, &random_), 64);
    compare(&gather, &table, &output, false, indices, options_with(GANTRY_BOUNDS_ERROR), "convert ");
  };
  for (const int64_t columns : {1, 7, 64, 1000}) {
    if (kThreadSanitizer && columns > 64) break;
    for (const gantry_dtype from : floats) {
      for (const gantry_dtype to : floats) check(from, to, columns);
    }
    for (const gantry_dtype from : integers) {
      for (const gantry_dtype to : integers) check(from, to, columns);
    }
    if (HasFatalFailure()) return;
  }
}

TEST_F(Ops, CopyAndConvert) {
  for (const int64_t columns : {1, 3, 100, 4099}) {
    for (const int64_t gap : {0, 8}) {
      Matrix from(37, columns, kSingle, gap);
      from.fill_numbers(&random_);
      Matrix same(37, columns, kSingle, gap);
      Matrix half(37, columns, kHalf, gap);
      same.fill_random(&random_);
      half.fill_random(&random_);
      const gantry_tensor source = from.on_device();
      const gantry_tensor host_source = from.on_host();
      gantry_tensor to = same.on_device();
      ASSERT_OK(gantry_copy(context(), &source, &to, nullptr, arena().environment(), stream()));
      to = half.on_device();
      ASSERT_OK(gantry_convert(context(), &source, &to, nullptr, arena().environment(), stream()));
      wait();
      to = same.on_host();
      ASSERT_OK(gantry_copy(context(), &host_source, &to, nullptr, nullptr, nullptr));
      to = half.on_host();
      ASSERT_OK(gantry_convert(context(), &host_source, &to, nullptr, nullptr, nullptr));
      ASSERT_EQ(same.download(), same.host()) << columns;
      ASSERT_EQ(half.download(), half.host()) << columns;
    }
  }
}

TEST_F(Ops, Scatter) {
  for (const int64_t width : {1, 8, 100, 128, 4096}) {
    Matrix table(2000, width, kByte);
    table.fill_random(&random_);
    Matrix rows(1500, width, kByte);
    rows.fill_random(&random_);
    std::vector<int64_t> once = shuffled(2000, &random_);
    once.resize(1500);
    compare(&scatter, &table, &rows, true, IndexList(once, 64), options_with(GANTRY_BOUNDS_ERROR), "once ");
    gantry_options options = options_with(GANTRY_BOUNDS_CLAMP);
    options.deterministic = GANTRY_ALWAYS;
    std::vector<int64_t> often = random_indices(1500, 50, &random_);
    often[3] = -7;
    compare(&scatter, &table, &rows, true, IndexList(often, 64), options, "often ");
    if (HasFatalFailure()) return;
  }
}

TEST_F(Ops, ScatterAddOfIntegersAndInOrder) {
  for (const gantry_dtype dtype : {kInt8, kInt16, kInt32, kInt64, kHalf, kBrain, kSingle, kDouble}) {
    for (const int64_t columns : {1, 2, 7, 64, 513}) {
      if (kThreadSanitizer && columns > 2) break;
      Matrix table(100, columns, dtype);
      table.fill_numbers(&random_);
      Matrix rows(3000, columns, dtype);
      rows.fill_numbers(&random_);
      gantry_options options = options_with(GANTRY_BOUNDS_SKIP);
      options.deterministic = GANTRY_ALWAYS;
      std::vector<int64_t> values = random_indices(3000, 100, &random_);
      values[10] = -1;
      compare(&scatter_add, &table, &rows, true, IndexList(values, 32), options,
              "columns " + std::to_string(columns) + " ");
      if (HasFatalFailure()) return;
    }
  }
}

// In any order: a sum of n terms is off by at most n roundings of the largest partial sum.
TEST_F(Ops, ScatterAddInAnyOrder) {
  Matrix table(50, 68, kSingle);
  Matrix rows(2000, 68, kSingle);
  table.fill_numbers(&random_);
  rows.fill_numbers(&random_);
  const IndexList indices(random_indices(2000, 50, &random_), 64);
  const gantry_options options = options_with(GANTRY_BOUNDS_ERROR);
  ASSERT_OK(scatter_add(context(), &table, &rows, indices, true, &options, arena().environment(), stream()));
  wait();
  ASSERT_OK(scatter_add(context(), &table, &rows, indices, false, &options, nullptr, nullptr));
  const std::vector<char> bytes = table.download();
  const float* seen = reinterpret_cast<const float*>(bytes.data());
  const float* wanted = reinterpret_cast<const float*>(table.host().data());
  for (int i = 0; i < 50 * 68; ++i) ASSERT_NEAR(seen[i], wanted[i], 100 * 400 * 0x1p-24) << i;
}

TEST_F(Ops, FailureOfEveryAllocation) {
  Matrix table(100, 16, kSingle);
  Matrix rows(500, 16, kSingle);
  table.fill_numbers(&random_);
  rows.fill_numbers(&random_);
  const IndexList indices(random_indices(500, 100, &random_), 64);
  gantry_stats stats{};
  gantry_options options = options_with(GANTRY_BOUNDS_ERROR, &stats);
  options.deterministic = GANTRY_ALWAYS;
  ASSERT_OK(scatter_add(context(), &table, &rows, indices, true, &options, arena().environment(), stream()));
  const int needed = arena().allocations;
  // The record of bad indices, two buffers of keys and the sort's own memory.
  ASSERT_EQ(needed, 4);
  EXPECT_EQ(stats.scratch_bytes, arena().scratch_bytes + arena().diagnostic_bytes);
  for (int k = 1; k <= needed; ++k) {
    arena().allocations = 0;
    arena().fail_at = k;
    ASSERT_EQ(scatter_add(context(), &table, &rows, indices, true, &options, arena().environment(), stream()),
              GANTRY_ERROR_OUT_OF_MEMORY);
    ASSERT_EQ(arena().live, 0);
    ASSERT_TRUE(arena().last_in_first_out);
  }
  wait();
}

}  // namespace
}  // namespace gantry::test
