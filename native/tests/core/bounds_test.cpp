// The six bounds policies, the dtypes and the statistics of every op, through the interface.
#include <cmath>

#include "support.h"

using namespace gantry_test;

namespace {

constexpr float kKept = -1.0f;

class Bounds : public WithContext {
 protected:
  // Rows 0, 1, 2, 3 are (0, 1), (10, 11), (20, 21), (30, 31).
  gantry_status gather(std::vector<int64_t> numbers, gantry_bounds bounds) {
    out_.assign(2 * numbers.size(), kKept);
    View indices(numbers, {static_cast<int64_t>(numbers.size())});
    View output(out_, {static_cast<int64_t>(numbers.size()), 2});
    const gantry_table whole = table_of(&table_);
    stats_ = empty_stats();
    const gantry_options options = options_with(bounds, &stats_);
    return gantry_gather(context_, &whole, &indices, &output, &options, nullptr, nullptr);
  }
  gantry_status scatter(bool add, std::vector<int64_t> numbers, gantry_bounds bounds) {
    rows_ = {0, 1, 10, 11, 20, 21, 30, 31};
    std::vector<float> source;
    for (size_t i = 0; i < numbers.size(); ++i) source.insert(source.end(), {100.0f * (i + 1), 100.0f * (i + 1) + 1});
    View indices(numbers, {static_cast<int64_t>(numbers.size())});
    View rows(source, {static_cast<int64_t>(numbers.size()), 2});
    const gantry_table whole = table_of(&table_);
    stats_ = empty_stats();
    const gantry_options options = options_with(bounds, &stats_);
    return (add ? gantry_scatter_add : gantry_scatter)(context_, &rows, &indices, &whole, &options, nullptr, nullptr);
  }
  void expect_stats(int64_t rows, int64_t bad_rows, int64_t position, int64_t value) {
    EXPECT_EQ(stats_.rows, rows);
    EXPECT_EQ(stats_.bad_rows, bad_rows);
    EXPECT_EQ(stats_.first_bad_position, position);
    if (position >= 0) {
      EXPECT_EQ(stats_.first_bad_value, value);
    }
  }

  std::vector<float> rows_{0, 1, 10, 11, 20, 21, 30, 31};
  View table_{rows_, {4, 2}};
  std::vector<float> out_;
  gantry_stats stats_{};
};

}  // namespace

TEST_F(Bounds, ErrorFinishesTheGoodRows) {
  expect_failure(gather({3, 4, 0, -1}, GANTRY_BOUNDS_ERROR), GANTRY_ERROR_INDEX,
                 {"index 4 at position 1", "table of 4 rows", "2 of 4"});
  EXPECT_EQ(out_[0], 30.0f);
  EXPECT_EQ(out_[1], 31.0f);
  EXPECT_EQ(out_[4], 0.0f);
  EXPECT_EQ(out_[5], 1.0f);
  expect_stats(2, 2, 1, 4);
  EXPECT_EQ(gather({3, 0}, GANTRY_BOUNDS_ERROR), GANTRY_OK);
  expect_stats(2, 0, -1, 0);
}

TEST_F(Bounds, SkipKeepsTheOutputsRow) {
  ASSERT_EQ(gather({3, -1, 0, 4}, GANTRY_BOUNDS_SKIP), GANTRY_OK) << gantry_last_error();
  EXPECT_EQ(out_, (std::vector<float>{30, 31, kKept, kKept, 0, 1, kKept, kKept}));
  expect_stats(2, 2, 1, -1);
}

TEST_F(Bounds, ZeroClearsTheOutputsRow) {
  ASSERT_EQ(gather({3, 1000000, 0, INT64_MIN}, GANTRY_BOUNDS_ZERO), GANTRY_OK) << gantry_last_error();
  EXPECT_EQ(out_, (std::vector<float>{30, 31, 0, 0, 0, 1, 0, 0}));
  expect_stats(2, 2, 1, 1000000);
}

TEST_F(Bounds, ClampTakesTheNearestRow) {
  ASSERT_EQ(gather({1, -5, 4, INT64_MAX}, GANTRY_BOUNDS_CLAMP), GANTRY_OK) << gantry_last_error();
  EXPECT_EQ(out_, (std::vector<float>{10, 11, 0, 1, 30, 31, 30, 31}));
  expect_stats(4, 3, 1, -5);
  table_.shape[0] = 0;
  expect_failure(gather({0}, GANTRY_BOUNDS_CLAMP), GANTRY_ERROR_INDEX, {"index 0 at position 0", "table of 0 rows"});
}

TEST_F(Bounds, WrapNegativeCountsFromTheEnd) {
  ASSERT_EQ(gather({-1, -4, 2}, GANTRY_BOUNDS_WRAP_NEGATIVE), GANTRY_OK) << gantry_last_error();
  EXPECT_EQ(out_, (std::vector<float>{30, 31, 0, 1, 20, 21}));
  expect_stats(3, 0, -1, 0);
  expect_failure(gather({-1, -5, 4}, GANTRY_BOUNDS_WRAP_NEGATIVE), GANTRY_ERROR_INDEX,
                 {"index -5 at position 1", "table of 4 rows", "2 of 3"});
  expect_stats(1, 2, 1, -5);
}

TEST_F(Bounds, TrustCountsNothing) {
  ASSERT_EQ(gather({3, 0}, GANTRY_BOUNDS_TRUST), GANTRY_OK) << gantry_last_error();
  EXPECT_EQ(out_, (std::vector<float>{30, 31, 0, 1}));
  expect_stats(2, 0, -1, 0);
}

TEST_F(Bounds, UnsignedIndicesBeyondTheSignedMaximum) {
  std::vector<uint64_t> numbers{1, UINT64_MAX, 2};
  out_.assign(6, kKept);
  View indices(numbers, {3});
  View output(out_, {3, 2});
  const gantry_table whole = table_of(&table_);
  gantry_options options = options_with(GANTRY_BOUNDS_WRAP_NEGATIVE);
  expect_failure(gantry_gather(context_, &whole, &indices, &output, &options, nullptr, nullptr), GANTRY_ERROR_INDEX,
                 {"index 18446744073709551615 at position 1"});
  options.bounds = GANTRY_BOUNDS_CLAMP;
  ASSERT_EQ(gantry_gather(context_, &whole, &indices, &output, &options, nullptr, nullptr), GANTRY_OK);
  EXPECT_EQ(out_, (std::vector<float>{10, 11, 30, 31, 20, 21}));
}

TEST_F(Bounds, ScatterLeavesBadRowsOut) {
  for (const gantry_bounds bounds : {GANTRY_BOUNDS_ERROR, GANTRY_BOUNDS_SKIP, GANTRY_BOUNDS_ZERO}) {
    const gantry_status status = scatter(false, {2, 4, -1, 0}, bounds);
    if (bounds == GANTRY_BOUNDS_ERROR) {
      expect_failure(status, GANTRY_ERROR_INDEX, {"index 4 at position 1", "2 of 4"});
    } else {
      EXPECT_EQ(status, GANTRY_OK) << gantry_last_error();
    }
    EXPECT_EQ(rows_, (std::vector<float>{400, 401, 10, 11, 100, 101, 30, 31})) << bounds;
    expect_stats(2, 2, 1, 4);
  }
}

TEST_F(Bounds, ScatterClampsAndWraps) {
  ASSERT_EQ(scatter(false, {-7, 9}, GANTRY_BOUNDS_CLAMP), GANTRY_OK) << gantry_last_error();
  EXPECT_EQ(rows_, (std::vector<float>{100, 101, 10, 11, 20, 21, 200, 201}));
  expect_stats(2, 2, 0, -7);
  ASSERT_EQ(scatter(false, {-1, 1}, GANTRY_BOUNDS_WRAP_NEGATIVE), GANTRY_OK) << gantry_last_error();
  EXPECT_EQ(rows_, (std::vector<float>{0, 1, 200, 201, 20, 21, 100, 101}));
  ASSERT_EQ(scatter(false, {1, 3}, GANTRY_BOUNDS_TRUST), GANTRY_OK) << gantry_last_error();
  EXPECT_EQ(rows_, (std::vector<float>{0, 1, 100, 101, 20, 21, 200, 201}));
  expect_failure(scatter(false, {-5}, GANTRY_BOUNDS_WRAP_NEGATIVE), GANTRY_ERROR_INDEX, {"index -5 at position 0"});
  EXPECT_EQ(rows_, (std::vector<float>{0, 1, 10, 11, 20, 21, 30, 31}));
}

TEST_F(Bounds, OfEqualIndicesTheLastRowWins) {
  ASSERT_EQ(scatter(false, {1, 2, 1}, GANTRY_BOUNDS_ERROR), GANTRY_OK) << gantry_last_error();
  EXPECT_EQ(rows_, (std::vector<float>{0, 1, 300, 301, 200, 201, 30, 31}));
}

TEST_F(Bounds, ScatterAddAdds) {
  ASSERT_EQ(scatter(true, {1, 2, 1}, GANTRY_BOUNDS_ERROR), GANTRY_OK) << gantry_last_error();
  EXPECT_EQ(rows_, (std::vector<float>{0, 1, 410, 413, 220, 222, 30, 31}));
  expect_stats(3, 0, -1, 0);
  expect_failure(scatter(true, {3, -1}, GANTRY_BOUNDS_ERROR), GANTRY_ERROR_INDEX, {"index -1 at position 1", "1 of 2"});
  EXPECT_EQ(rows_, (std::vector<float>{0, 1, 10, 11, 20, 21, 130, 132}));
  ASSERT_EQ(scatter(true, {3, -1}, GANTRY_BOUNDS_SKIP), GANTRY_OK);
  expect_stats(1, 1, 1, -1);
  ASSERT_EQ(scatter(true, {-1, -9}, GANTRY_BOUNDS_CLAMP), GANTRY_OK);
  EXPECT_EQ(rows_, (std::vector<float>{300, 303, 10, 11, 20, 21, 30, 31}));
}

TEST_F(Bounds, StatisticsCountBytes) {
  ASSERT_EQ(gather({3, 0, 9}, GANTRY_BOUNDS_ZERO), GANTRY_OK);
  EXPECT_EQ(stats_.bytes_read, 3 * 8 + 2 * 8u);
  EXPECT_EQ(stats_.bytes_written, 3 * 8u);
  EXPECT_EQ(stats_.scratch_bytes, 0u);
  EXPECT_GT(stats_.nanoseconds, 0u);
}

TEST_F(Bounds, FloatsAreConvertedAmongEachOtherAndIntegersToo) {
  std::vector<double> out(4, kKept);
  std::vector<int64_t> numbers{3, 1};
  View indices(numbers, {2});
  View output(out, {2, 2});
  const gantry_table whole = table_of(&table_);
  ASSERT_EQ(gantry_gather(context_, &whole, &indices, &output, nullptr, nullptr, nullptr), GANTRY_OK)
      << gantry_last_error();
  EXPECT_EQ(out, (std::vector<double>{30, 31, 10, 11}));
  ASSERT_EQ(gantry_scatter(context_, &output, &indices, &whole, nullptr, nullptr, nullptr), GANTRY_OK)
      << gantry_last_error();
  std::vector<int64_t> wide{1, -1, 257, 65536};
  std::vector<uint8_t> narrow(4, 9);
  View from(wide, {2, 2});
  View to(narrow, {2, 2});
  ASSERT_EQ(gantry_convert(context_, &from, &to, nullptr, nullptr, nullptr), GANTRY_OK) << gantry_last_error();
  EXPECT_EQ(narrow, (std::vector<uint8_t>{1, 255, 1, 0}));
}

TEST_F(Bounds, PairsOfDtypesThatAreRefused) {
  std::vector<double> wide(8, 1.0);
  std::vector<int32_t> integers(8, 1);
  std::vector<int64_t> numbers{0, 1, 2, 3};
  View doubles(wide, {4, 2});
  View whole_numbers(integers, {4, 2});
  View indices(numbers, {4});
  const gantry_table whole = table_of(&table_);
  expect_failure(gantry_scatter_add(context_, &doubles, &indices, &whole, nullptr, nullptr, nullptr),
                 GANTRY_ERROR_UNSUPPORTED,
                 {"the source is of float64", "the table of float32", "scatter_add needs one dtype"});
  expect_failure(gantry_scatter(context_, &whole_numbers, &indices, &whole, nullptr, nullptr, nullptr),
                 GANTRY_ERROR_UNSUPPORTED, {"the source is of int32", "the table of float32"});
  expect_failure(gantry_copy(context_, &doubles, &table_, nullptr, nullptr, nullptr), GANTRY_ERROR_UNSUPPORTED,
                 {"the source is of float64", "the destination of float32", "copy needs one dtype"});
  expect_failure(gantry_convert(context_, &whole_numbers, &table_, nullptr, nullptr, nullptr), GANTRY_ERROR_UNSUPPORTED,
                 {"the source is of int32", "the destination of float32"});
  std::vector<uint8_t> bytes(8, 1);
  std::vector<uint8_t> other(8, 1);
  View raw(bytes.data(), {GANTRY_CODE_BOOL, 8, 1}, {4, 2});
  View raw_table(other.data(), {GANTRY_CODE_BOOL, 8, 1}, {4, 2});
  const gantry_table flags = table_of(&raw_table);
  expect_failure(gantry_scatter_add(context_, &raw, &indices, &flags, nullptr, nullptr, nullptr),
                 GANTRY_ERROR_UNSUPPORTED, {"scatter_add does not add bool8"});
  EXPECT_EQ(rows_, (std::vector<float>{0, 1, 10, 11, 20, 21, 30, 31}));
}

TEST_F(Bounds, CopyAndConvertNeedOneShape) {
  std::vector<float> out(8, kKept);
  View flat(out, {8});
  expect_failure(gantry_copy(context_, &table_, &flat, nullptr, nullptr, nullptr), GANTRY_ERROR_INVALID_ARGUMENT,
                 {"the source has 2 dimensions and the destination 1"});
  View wide(out, {2, 4});
  expect_failure(gantry_convert(context_, &table_, &wide, nullptr, nullptr, nullptr), GANTRY_ERROR_INVALID_ARGUMENT,
                 {"dimension 0 of the source has the size 4", "destination 2"});
  View cube(rows_, {2, 2, 2});
  View other(out, {2, 2, 2});
  ASSERT_EQ(gantry_copy(context_, &cube, &other, nullptr, nullptr, nullptr), GANTRY_OK) << gantry_last_error();
  EXPECT_EQ(out, rows_);
  out.assign(8, kKept);
  View every_second(rows_, {4}, {2});
  View dense(out, {4});
  ASSERT_EQ(gantry_copy(context_, &every_second, &dense, nullptr, nullptr, nullptr), GANTRY_OK) << gantry_last_error();
  EXPECT_EQ(out, (std::vector<float>{0, 10, 20, 30, kKept, kKept, kKept, kKept}));
}

// Nothing is moved, and there is one index: 2^40 rows are no reason to look at it as often.
TEST_F(Bounds, RowsWithoutColumnsAndOneIndexForAllOfThem) {
  constexpr int64_t kCount = int64_t{1} << 40;
  int64_t number = 2;
  View indices(&number, kInt64, {kCount}, {0});
  View table(nullptr, kFloat32, {4, 0});
  View side(nullptr, kFloat32, {kCount, 0});
  const gantry_table whole = table_of(&table);
  const auto run = [&](gantry_bounds bounds) {
    stats_ = empty_stats();
    const gantry_options options = options_with(bounds, &stats_);
    const gantry_status gathered = gantry_gather(context_, &whole, &indices, &side, &options, nullptr, nullptr);
    const gantry_stats of_gather = stats_;
    stats_ = empty_stats();
    EXPECT_EQ(gantry_scatter_add(context_, &side, &indices, &whole, &options, nullptr, nullptr), gathered);
    EXPECT_EQ(stats_.rows, of_gather.rows);
    EXPECT_EQ(stats_.bad_rows, of_gather.bad_rows);
    return gathered;
  };
  EXPECT_EQ(run(GANTRY_BOUNDS_ERROR), GANTRY_OK) << gantry_last_error();
  expect_stats(kCount, 0, -1, 0);
  EXPECT_EQ(stats_.bytes_read, uint64_t{8} * kCount);
  EXPECT_EQ(stats_.bytes_written, 0u);
  number = 4;
  expect_failure(run(GANTRY_BOUNDS_ERROR), GANTRY_ERROR_INDEX,
                 {"index 4 at position 0", "1099511627776 of 1099511627776 indices are outside"});
  expect_stats(0, kCount, 0, 4);
  EXPECT_EQ(run(GANTRY_BOUNDS_ZERO), GANTRY_OK) << gantry_last_error();
  expect_stats(0, kCount, 0, 4);
  EXPECT_EQ(run(GANTRY_BOUNDS_CLAMP), GANTRY_OK) << gantry_last_error();
  expect_stats(kCount, kCount, 0, 4);
}
