#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "support.h"

namespace gantry::test {
namespace {

constexpr int64_t kColumns[] = {0, 1, 2, 3, 4, 11, 12, 16, 31, 32, 33, 64, 127, 128, 129, 513};
constexpr gantry_bounds kPolicies[] = {GANTRY_BOUNDS_ERROR, GANTRY_BOUNDS_SKIP, GANTRY_BOUNDS_ZERO, GANTRY_BOUNDS_CLAMP,
                                       GANTRY_BOUNDS_WRAP_NEGATIVE};

HostBackend* kept_backend(const std::string& level, uint32_t threads) {
  static std::vector<std::pair<std::string, std::unique_ptr<HostBackend>>> kept;
  const std::string key = level + "/" + std::to_string(threads);
  for (const auto& [name, made] : kept) {
    if (name == key) return made.get();
  }
  return kept.emplace_back(key, backend(level, threads)).second.get();
}

// The table has to end as by one loop over the indices, at every level and for every number of threads: 16 sort the
// positions.
void check_all(Call* call, Rows* table, const std::string& what) {
  const std::vector<char> before = table->all();
  gantry_stats wanted;
  const gantry_status wanted_status = reference(call->request, &wanted);
  const std::vector<char> after = table->all();
  for (const std::string& level : levels()) {
    for (const uint32_t threads : {1u, 2u, 7u, 16u}) {
      table->set_all(before);
      ASSERT_EQ(call->run(kept_backend(level, threads)), wanted_status) << what << level << " threads " << threads;
      ASSERT_EQ(table->all(), after) << what << level << " threads " << threads;
      expect_equal_stats(call->stats, wanted);
      ASSERT_FALSE(testing::Test::HasFailure()) << what << level << " threads " << threads;
    }
  }
}

// Most indices name few rows: the same row is written by many positions, far from each other.
std::vector<int64_t> skewed_indices(int64_t count, int64_t rows, std::mt19937_64* random) {
  std::vector<int64_t> indices = random_indices(count, rows, random);
  for (int64_t& index : indices) {
    if ((*random)() % 4 != 0) index %= 3;
  }
  return indices;
}

void check_op(Op op, gantry_dtype dtype, int64_t columns) {
  std::mt19937_64 random(static_cast<uint64_t>(columns) * 31 + dtype.bits);
  for (const int64_t gap : {0, 8}) {
    if (kThreadSanitizer && gap != 0) break;
    for (const gantry_bounds bounds : kPolicies) {
      Rows table(113, columns, dtype, gap, 0, &random);
      Rows side(600, columns, dtype, gap, 0, &random);
      if (op == Op::scatter_add && dtype.code != GANTRY_CODE_INT && dtype.code != GANTRY_CODE_UINT) {
        table.make_finite(columns, &random);
        side.make_finite(columns, &random);
      }
      std::vector<int64_t> values = skewed_indices(600, 113, &random);
      values[77] = -1;
      values[300] = 113;
      values[599] = INT32_MIN;
      const Indices indices(values, gap == 0 ? 64 : 32, false, 1 + gap / 8);
      Call call(op);
      call.set(&table, columns, &side, gap == 0 ? 1 : 3);
      call.request.bounds = bounds;
      indices.put_into(&call.request);
      check_all(&call, &table,
                name_of(dtype) + " columns " + std::to_string(columns) + " bounds " + std::to_string(bounds) + " ");
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(Scatter, TheLastRowWins) {
  for (const int64_t columns : kColumns) check_op(Op::scatter, kU8, columns);
  for (const int64_t columns : {1, 16, 48}) check_op(Op::scatter, kF64Type, columns);
}

class ScatterAddFloats : public testing::TestWithParam<gantry_dtype> {};

TEST_P(ScatterAddFloats, EqualALoop) {
  for (const int64_t columns : kColumns) check_op(Op::scatter_add, GetParam(), columns);
}

INSTANTIATE_TEST_SUITE_P(Dtypes, ScatterAddFloats, testing::ValuesIn(kFloatTypes),
                         [](const auto& tested) { return name_of(tested.param); });

TEST(ScatterAdd, IntegersWrap) {
  for (const gantry_dtype dtype : kIntegerTypes) {
    for (const int64_t columns : {1, 3, 33, 129}) check_op(Op::scatter_add, dtype, columns);
  }
}

TEST(ScatterAdd, AddsLanesOneByOne) { check_op(Op::scatter_add, gantry_dtype{GANTRY_CODE_INT, 16, 3}, 24); }

// Sums of float16 that overflow, vanish or have no value on the way, by every level's own instructions.
TEST(ScatterAdd, InfinitiesAndSubnormals) {
  const float infinity = INFINITY;
  for (const std::string& level : levels()) {
    std::mt19937_64 random(1);
    constexpr int64_t kCount = 21;
    Rows table(1, kCount, kF16Type, 0, 0, &random);
    Rows side(3, kCount, kF16Type, 0, 0, &random);
    const float starts[] = {65504.0f, infinity, 0x1p-24f, -0.0f, 1.0f};
    const float added[3][5] = {{16.0f, infinity, 0x1p-24f, -0.0f, 0x1p-11f},
                               {-65504.0f, -infinity, -0x1p-23f, 0.0f, 0x1p-11f},
                               {0.0f, 1.0f, 0x1p-15f, -0.0f, 0x1.8p-11f}};
    const auto put = [](Rows* rows, int64_t row, int64_t column, float value) {
      convert_element(rows->row(row) + column * 2, kF16Type, reinterpret_cast<const char*>(&value), kF32Type);
    };
    for (int64_t column = 0; column < kCount; ++column) {
      put(&table, 0, column, starts[column % 5]);
      for (int64_t row = 0; row < 3; ++row) put(&side, row, column, added[row][column % 5]);
    }
    const Indices indices({0, 0, 0}, 64, false);
    Call call(Op::scatter_add);
    call.set(&table, kCount, &side);
    indices.put_into(&call.request);
    ASSERT_EQ(call.run(kept_backend(level, 1)), GANTRY_OK);
    for (int64_t column = 0; column < kCount; ++column) {
      uint16_t bits;
      std::memcpy(&bits, table.row(0) + column * 2, 2);
      switch (column % 5) {
        case 0:  // 65504 + 16 alone would be infinity
          EXPECT_EQ(bits, 0x4c00) << level << column;
          break;
        case 1:  // infinity - infinity
          EXPECT_EQ(bits & 0x7e00, 0x7e00) << level << column;
          break;
        case 2:  // 2^-24 + 2^-24 - 2^-23 + 2^-15
          EXPECT_EQ(bits, 0x0200) << level << column;
          break;
        case 3:  // -0 + -0 + 0 + -0
          EXPECT_EQ(bits, 0x0000) << level << column;
          break;
        default:  // 1 + 1.75 steps: rounded one by one, two ties and three quarters of a step would be one step
          EXPECT_EQ(bits, 0x3c02) << level << column;
      }
    }
  }
}

// A single row is rounded too, and the sum of two 16-bit floats is exact before.
TEST(ScatterAdd, RoundsASingleRow) {
  for (const std::string& level : levels()) {
    uint16_t table[3] = {0x7bff, 0x3c00, 0x3c01};       // 65504, 1, 1 + 2^-10
    const uint16_t side[3] = {0x4c00, 0x1000, 0x1000};  // 16, 2^-11: to even
    Chunk chunk = {reinterpret_cast<char*>(table), 0, 1, 6};
    Call call(Op::scatter_add);
    call.request.chunks = &chunk;
    call.request.chunk_count = 1;
    call.request.table_dtype = call.request.side_dtype = kF16Type;
    call.request.table_rows = 1;
    call.request.columns = 3;
    call.request.side = const_cast<char*>(reinterpret_cast<const char*>(side));
    const Indices indices({0}, 32, true);
    indices.put_into(&call.request);
    ASSERT_EQ(call.run(kept_backend(level, 1)), GANTRY_OK);
    EXPECT_EQ(table[0], 0x7c00) << level;
    EXPECT_EQ(table[1], 0x3c00) << level;
    EXPECT_EQ(table[2], 0x3c02) << level;
  }
}

// Enough entries to be sorted by digits, rows wider than a block of sums, and few indices, which take no scratch.
TEST(ScatterAdd, Float16InManySizes) {
  struct Size {
    int64_t rows, columns, count;
  };
  for (const Size size : {Size{5000, 4, 9000}, Size{3, 2500, 40}, Size{1, 1, 3000}, Size{4000, 1, 100}}) {
    for (const gantry_dtype dtype : {kF16Type, kBF16Type}) {
      std::mt19937_64 random(8);
      Rows table(size.rows, size.columns, dtype, 0, 0, &random);
      Rows side(size.count, size.columns, dtype, 0, 0, &random);
      table.make_finite(size.columns, &random);
      side.make_finite(size.columns, &random);
      const Indices indices(skewed_indices(size.count, size.rows, &random), 64, false);
      Call call(Op::scatter_add);
      call.set(&table, size.columns, &side);
      indices.put_into(&call.request);
      check_all(&call, &table, name_of(dtype) + " rows " + std::to_string(size.rows) + " ");
      EXPECT_EQ(call.scratch.empty(), size.count <= 100) << size.count;
    }
  }
}

// What a row gets is 2^15, -2^15 and 2^-10, in this order: any other loses the last. Other rows are many, or none.
TEST(ScatterAdd, Float16IsSummedInTheOrderOfTheIndices) {
  for (const int64_t others : {0, 5000}) {
    std::mt19937_64 random(9);
    Rows table(3000, 1, kF16Type, 0, 0, &random);
    Rows side(others + 3, 1, kF16Type, 0, 0, &random);
    table.make_finite(1, &random);
    side.make_finite(1, &random);
    const auto put = [](Rows* rows, int64_t row, uint16_t bits) { std::memcpy(rows->row(row), &bits, sizeof(bits)); };
    std::vector<int64_t> values = random_indices(others + 3, 2000, &random);
    const int64_t positions[] = {0, others / 2 + 1, others + 2};
    const uint16_t added[] = {0x7800, 0xf800, 0x1400};
    for (int k = 0; k < 3; ++k) {
      values[static_cast<size_t>(positions[k])] = 2999;
      put(&side, positions[k], added[k]);
    }
    put(&table, 2999, 0);
    const Indices indices(values, 64, false);
    for (const uint32_t threads : {1u, 2u, 16u}) {
      put(&table, 2999, 0);
      Call call(Op::scatter_add);
      call.set(&table, 1, &side);
      indices.put_into(&call.request);
      ASSERT_EQ(call.run(kept_backend(levels().back(), threads)), GANTRY_OK);
      uint16_t sum;
      std::memcpy(&sum, table.row(2999), sizeof(sum));
      EXPECT_EQ(sum, 0x1400) << others << " " << threads;
    }
  }
}

TEST(ScatterAdd, OneRowTakesAll) {
  std::mt19937_64 random(5);
  Rows table(1000, 16, kF32Type, 0, 0, &random);
  Rows side(20000, 16, kF32Type, 0, 0, &random);
  table.make_finite(16, &random);
  side.make_finite(16, &random);
  const Indices indices(std::vector<int64_t>(20000, 777), 64, false);
  Call call(Op::scatter_add);
  call.set(&table, 16, &side);
  indices.put_into(&call.request);
  check_all(&call, &table, "one row ");
}

TEST(ScatterAdd, ManyThreadsSortInTheCallersMemory) {
  std::mt19937_64 random(6);
  Rows table(1000, 16, kF32Type, 0, 0, &random);
  Rows side(5000, 16, kF32Type, 0, 0, &random);
  table.make_finite(16, &random);
  side.make_finite(16, &random);
  const std::vector<char> before = table.all();
  const Indices indices(random_indices(5000, 1000, &random), 64, false);
  Call call(Op::scatter_add);
  call.set(&table, 16, &side);
  indices.put_into(&call.request);
  ASSERT_EQ(call.run(kept_backend(levels().back(), 16)), GANTRY_OK);
  EXPECT_EQ(call.scratch.size(), 1u);
  EXPECT_GE(call.scratch_bytes, 5000u * 8);

  // Fewer threads need none: the op's own limit counts.
  Call few(Op::scatter_add);
  few.set(&table, 16, &side);
  few.request.threads = 8;
  few.scratch_limit = 0;
  indices.put_into(&few.request);
  EXPECT_EQ(few.run(kept_backend(levels().back(), 16)), GANTRY_OK);

  // A failure is the op's, and nothing has been added.
  table.set_all(before);
  Call failing(Op::scatter_add);
  failing.set(&table, 16, &side);
  failing.scratch_limit = 0;
  indices.put_into(&failing.request);
  EXPECT_EQ(failing.run(kept_backend(levels().back(), 16)), GANTRY_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(last_report(), "no scratch left");
  EXPECT_EQ(table.all(), before);
}

TEST(ScatterAdd, RefusesWhatHasNoSum) {
  std::mt19937_64 random(7);
  for (const gantry_dtype dtype : {gantry_dtype{GANTRY_CODE_BOOL, 8, 1}, gantry_dtype{GANTRY_CODE_RAW, 32, 1},
                                   gantry_dtype{GANTRY_CODE_COMPLEX, 64, 1}, gantry_dtype{GANTRY_CODE_FLOAT, 8, 1}}) {
    Rows table(3, 2, dtype, 0, 0, &random);
    Rows side(1, 2, dtype, 0, 0, &random);
    const Indices indices({1}, 64, false);
    Call call(Op::scatter_add);
    call.set(&table, 2, &side);
    indices.put_into(&call.request);
    EXPECT_EQ(call.run(kept_backend(levels().front(), 1)), GANTRY_ERROR_UNSUPPORTED) << name_of(dtype);
  }
}

}  // namespace
}  // namespace gantry::test
