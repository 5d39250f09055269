// What tensors may look like: each with the values that come out.
#include <cstring>
#include <numeric>

#include "support.h"

using namespace gantry_test;

namespace {

class Shape : public WithContext {
 protected:
  gantry_status gather(View& table, View& indices, View& output) {
    const gantry_table whole = table_of(&table);
    return gantry_gather(context_, &whole, &indices, &output, nullptr, nullptr, nullptr);
  }
  // Row r has the values 10 r, 10 r + 1, ...
  static std::vector<float> numbered(int64_t rows, int64_t columns) {
    std::vector<float> values;
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < columns; ++c) values.push_back(static_cast<float>(10 * r + c));
    }
    return values;
  }
};

}  // namespace

template <class T>
class ShapeOfIndices : public Shape {};
using IndexTypes = ::testing::Types<int32_t, int64_t, uint32_t, uint64_t>;
TYPED_TEST_SUITE(ShapeOfIndices, IndexTypes);

TYPED_TEST(ShapeOfIndices, StridesUpDownAndZero) {
  auto rows = Shape::numbered(4, 2);
  View table(rows, {4, 2});
  std::vector<TypeParam> numbers{0, 3, 1, 3, 2, 3};
  std::vector<float> out(6, -1);
  View output(out, {3, 2});
  View plain(numbers, {3});
  ASSERT_EQ(this->gather(table, plain, output), GANTRY_OK) << gantry_last_error();
  EXPECT_EQ(out, (std::vector<float>{0, 1, 30, 31, 10, 11}));
  View spread(numbers, {3}, {2});
  ASSERT_EQ(this->gather(table, spread, output), GANTRY_OK) << gantry_last_error();
  EXPECT_EQ(out, (std::vector<float>{0, 1, 10, 11, 20, 21}));
  View downwards(numbers.data() + 4, DtypeOf<TypeParam>::value, {3}, {-2});
  ASSERT_EQ(this->gather(table, downwards, output), GANTRY_OK) << gantry_last_error();
  EXPECT_EQ(out, (std::vector<float>{20, 21, 10, 11, 0, 1}));
  View repeated(numbers.data() + 1, DtypeOf<TypeParam>::value, {3}, {0});
  ASSERT_EQ(this->gather(table, repeated, output), GANTRY_OK) << gantry_last_error();
  EXPECT_EQ(out, (std::vector<float>{30, 31, 30, 31, 30, 31}));
}

TEST_F(Shape, IndicesOfManyDimensions) {
  auto rows = numbered(4, 2);
  View table(rows, {4, 2});
  std::vector<int64_t> numbers{0, 1, 2, 3, 2, 1};
  const std::vector<float> expected{0, 1, 10, 11, 20, 21, 30, 31, 20, 21, 10, 11};
  for (const auto& shape : std::vector<std::vector<int64_t>>{{2, 3}, {1, 6, 1}, {3, 1, 2}, {1, 1, 1, 1, 1, 2, 3}}) {
    View indices(numbers, shape);
    std::vector<float> out(12, -1);
    auto whole_shape = shape;
    whole_shape.push_back(2);
    View whole(out, whole_shape);
    ASSERT_EQ(gather(table, indices, whole), GANTRY_OK) << gantry_last_error();
    EXPECT_EQ(out, expected);
    out.assign(12, -1);
    View flat(out, {6, 2});
    ASSERT_EQ(gather(table, indices, flat), GANTRY_OK) << gantry_last_error();
    EXPECT_EQ(out, expected);
  }
}

TEST_F(Shape, OneIndexWithoutDimensions) {
  auto rows = numbered(4, 3);
  View table(rows, {4, 3});
  std::vector<int64_t> number{2};
  View index(number, {});
  std::vector<float> out(3, -1);
  View row(out, {3});
  ASSERT_EQ(gather(table, index, row), GANTRY_OK) << gantry_last_error();
  EXPECT_EQ(out, (std::vector<float>{20, 21, 22}));
}

TEST_F(Shape, TablesOfOneDimension) {
  auto rows = numbered(4, 3);
  View column(rows.data() + 1, kFloat32, {4}, {3});
  std::vector<int64_t> numbers{3, 0};
  View indices(numbers, {2});
  std::vector<float> out(2, -1);
  for (const auto& shape : std::vector<std::vector<int64_t>>{{2}, {2, 1}}) {
    out.assign(2, -1);
    View output(out, shape);
    ASSERT_EQ(gather(column, indices, output), GANTRY_OK) << gantry_last_error();
    EXPECT_EQ(out, (std::vector<float>{31, 1}));
  }
}

TEST_F(Shape, RowsWithGapsAndDownwards) {
  auto rows = numbered(4, 4);
  View table(rows.data() + 3 * 4 + 1, kFloat32, {4, 2}, {-4, 1});
  std::vector<int64_t> numbers{0, 3};
  View indices(numbers, {2});
  std::vector<float> out(8, -1);
  View output(out.data() + 4, kFloat32, {2, 2}, {-3, 1});
  ASSERT_EQ(gather(table, indices, output), GANTRY_OK) << gantry_last_error();
  EXPECT_EQ(out, (std::vector<float>{-1, 1, 2, -1, 31, 32, -1, -1}));
}

TEST_F(Shape, StridesOfDimensionsOfOneElementDoNotCount) {
  auto rows = numbered(4, 2);
  View column(rows, {4, 1}, {2, 77});
  std::vector<int64_t> numbers{3, -1, 0, -1};
  View indices(numbers, {1, 2, 1}, {-5, 2, 99});
  std::vector<float> out(6, -1);
  View output(out, {1, 2, 1, 1}, {0, 3, INT64_MAX, INT64_MIN});
  ASSERT_EQ(gather(column, indices, output), GANTRY_OK) << gantry_last_error();
  EXPECT_EQ(out, (std::vector<float>{30, -1, -1, 0, -1, -1}));
  // One row has no next one.
  View one(numbers, {1});
  View row(out, {1, 2}, {INT64_MAX, 1});
  View table(rows, {4, 2});
  ASSERT_EQ(gather(table, one, row), GANTRY_OK) << gantry_last_error();
  EXPECT_EQ(out, (std::vector<float>{30, 31, -1, 0, -1, -1}));
}

TEST_F(Shape, ATableWhoseRowsAreOneRow) {
  auto rows = numbered(1, 2);
  View table(rows, {1000, 2}, {0, 1});
  std::vector<int64_t> numbers{999, 5};
  View indices(numbers, {2});
  std::vector<float> out(4, -1);
  View output(out, {2, 2});
  ASSERT_EQ(gather(table, indices, output), GANTRY_OK) << gantry_last_error();
  EXPECT_EQ(out, (std::vector<float>{0, 1, 0, 1}));
}

TEST_F(Shape, ManyChunks) {
  // More than are kept without scratch, of several sizes, some without rows.
  const int64_t kRows = 100;
  auto rows = numbered(kRows, 2);
  std::vector<std::vector<int64_t>> shapes;
  for (int64_t taken = 0; taken < kRows;) {
    const int64_t count = std::min<int64_t>(static_cast<int64_t>(shapes.size()) % 5, kRows - taken);
    shapes.push_back({count, 2});
    taken += count;
  }
  std::vector<gantry_tensor> chunks;
  int64_t begin = 0;
  for (auto& shape : shapes) {
    chunks.push_back(View(rows.data() + 2 * begin, kFloat32, {0, 2}).tensor);
    chunks.back().shape = shape.data();
    begin += shape[0];
  }
  ASSERT_GT(chunks.size(), 40u);
  const gantry_table whole = table_of(chunks.data(), static_cast<uint32_t>(chunks.size()));
  std::vector<int64_t> numbers(kRows);
  std::iota(numbers.rbegin(), numbers.rend(), 0);
  View indices(numbers, {kRows});
  std::vector<float> out(2 * kRows, -1);
  View output(out, {kRows, 2});
  Recorder recorder;
  gantry_stats stats = empty_stats();
  const gantry_options options = options_with(GANTRY_BOUNDS_ERROR, &stats);
  ASSERT_EQ(gantry_gather(context_, &whole, &indices, &output, &options, &recorder.environment, nullptr), GANTRY_OK)
      << gantry_last_error();
  for (int64_t i = 0; i < kRows; ++i) EXPECT_EQ(out[2 * i], static_cast<float>(10 * (kRows - 1 - i)));
  EXPECT_EQ(stats.rows, kRows);
  EXPECT_GE(recorder.calls, 1);
  EXPECT_EQ(stats.scratch_bytes, recorder.bytes);
  EXPECT_TRUE(recorder.held.empty());
}

TEST_F(Shape, NothingToDo) {
  auto rows = numbered(4, 2);
  std::vector<int64_t> numbers{0, 9};
  std::vector<float> out(4, -1);
  View table(rows, {4, 2});
  View none(nullptr, kInt64, {0});
  View no_rows(nullptr, kFloat32, {0, 2});
  gantry_stats stats = empty_stats();
  const gantry_options options = options_with(GANTRY_BOUNDS_ERROR, &stats);
  gantry_table whole = table_of(&table);
  ASSERT_EQ(gantry_gather(context_, &whole, &none, &no_rows, &options, nullptr, nullptr), GANTRY_OK)
      << gantry_last_error();
  EXPECT_EQ(stats.rows, 0);
  EXPECT_EQ(stats.first_bad_position, -1);
  EXPECT_EQ(stats.bytes_read + stats.bytes_written, 0u);
  EXPECT_EQ(gantry_scatter(context_, &no_rows, &none, &whole, nullptr, nullptr, nullptr), GANTRY_OK);
  EXPECT_EQ(gantry_scatter_add(context_, &no_rows, &none, &whole, nullptr, nullptr, nullptr), GANTRY_OK);
  EXPECT_EQ(gantry_copy(context_, &no_rows, &no_rows, nullptr, nullptr, nullptr), GANTRY_OK);

  // No columns: indices are still looked at.
  View no_columns(nullptr, kFloat32, {4, 0});
  View nothing(nullptr, kFloat32, {2, 0});
  View indices(numbers, {2});
  expect_failure(gather(no_columns, indices, nothing), GANTRY_ERROR_INDEX, {"index 9 at position 1"});
  numbers[1] = 3;
  EXPECT_EQ(gather(no_columns, indices, nothing), GANTRY_OK) << gantry_last_error();

  // No rows: every index is outside.
  View output(out, {2, 2});
  expect_failure(gather(no_rows, indices, output), GANTRY_ERROR_INDEX, {"index 0 at position 0", "table of 0 rows"});
}

TEST_F(Shape, BytesWithoutAlignment) {
  // Raw rows and bytes may begin anywhere, also elements that are as large as a number.
  std::vector<uint8_t> memory(64);
  std::iota(memory.begin(), memory.end(), uint8_t{0});
  std::vector<int64_t> numbers{2, 0};
  View indices(numbers, {2});
  for (const gantry_dtype dtype : {kUint8, gantry_dtype{GANTRY_CODE_RAW, 8, 1}, gantry_dtype{GANTRY_CODE_BOOL, 8, 1}}) {
    std::vector<uint8_t> out(8, 255);
    View table(memory.data() + 1, dtype, {4, 3});
    View output(out.data() + 1, dtype, {2, 3});
    ASSERT_EQ(gather(table, indices, output), GANTRY_OK) << gantry_last_error();
    EXPECT_EQ(out, (std::vector<uint8_t>{255, 7, 8, 9, 1, 2, 3, 255}));
  }
  for (const gantry_dtype dtype : {gantry_dtype{GANTRY_CODE_RAW, 64, 1}, gantry_dtype{GANTRY_CODE_RAW, 8, 8},
                                   gantry_dtype{GANTRY_CODE_UINT, 8, 8}}) {
    std::vector<uint8_t> out(18, 255);
    View table(memory.data() + 3, dtype, {4, 1});
    View output(out.data() + 1, dtype, {2, 1});
    ASSERT_EQ(gather(table, indices, output), GANTRY_OK) << gantry_last_error();
    EXPECT_EQ(out, (std::vector<uint8_t>{255, 19, 20, 21, 22, 23, 24, 25, 26, 3, 4, 5, 6, 7, 8, 9, 10, 255}));
  }
}

TEST_F(Shape, ComplexNumbersAreAlignedAsTheirParts) {
  std::vector<float> memory{0, 1, 2, 3, 4, 5, 6};
  std::vector<float> out(3, -1);
  std::vector<int64_t> numbers{1};
  const gantry_dtype complex64{GANTRY_CODE_COMPLEX, 64, 1};
  float* const odd = reinterpret_cast<uint64_t>(memory.data()) % 8 == 0 ? memory.data() + 1 : memory.data();
  View table(odd, complex64, {3, 1});
  View indices(numbers, {1});
  View output(out.data() + 1, complex64, {1, 1});
  ASSERT_EQ(gather(table, indices, output), GANTRY_OK) << gantry_last_error();
  EXPECT_EQ(out, (std::vector<float>{-1, odd[2], odd[3]}));
}

TEST_F(Shape, ElementsBeyond8BytesAreAlignedTo8) {
  alignas(16) uint64_t memory[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  alignas(16) uint64_t out[4] = {9, 9, 9, 9};
  std::vector<int64_t> numbers{2};
  const gantry_dtype quad{GANTRY_CODE_FLOAT, 128, 1};
  View table(memory + 1, quad, {3, 1});
  View indices(numbers, {1});
  View output(out + 1, quad, {1, 1});
  ASSERT_EQ(gather(table, indices, output), GANTRY_OK) << gantry_last_error();
  EXPECT_EQ(std::vector<uint64_t>(out, out + 4), (std::vector<uint64_t>{9, 5, 6, 9}));
}

TEST_F(Shape, ByteOffsetsCount) {
  auto rows = numbered(4, 2);
  View table(rows, {3, 2});
  table->byte_offset = 8;
  std::vector<int64_t> numbers{7, 2, 0};
  View indices(numbers, {2});
  indices->byte_offset = 8;
  std::vector<float> out(6, -1);
  View output(out, {2, 2});
  output->byte_offset = 4;
  ASSERT_EQ(gather(table, indices, output), GANTRY_OK) << gantry_last_error();
  EXPECT_EQ(out, (std::vector<float>{-1, 30, 31, 10, 11, -1}));
}

TEST_F(Shape, PinnedMemoryIsHostMemoryToAHostOp) {
  auto rows = numbered(4, 2);
  std::vector<int64_t> numbers{1};
  std::vector<float> out(2, -1);
  View table(rows, {4, 2});
  View indices(numbers, {1});
  View output(out, {1, 2});
  table->device = {GANTRY_DEVICE_CUDA_HOST, 0};
  ASSERT_EQ(gather(table, indices, output), GANTRY_OK) << gantry_last_error();
  EXPECT_EQ(out, (std::vector<float>{10, 11}));
}

TEST_F(Shape, ReadOnlyMemoryIsRead) {
  auto rows = numbered(4, 2);
  std::vector<int64_t> numbers{1};
  std::vector<float> out(2, -1);
  View table(rows, {4, 2});
  View indices(numbers, {1});
  View output(out, {1, 2});
  table->flags = indices->flags = GANTRY_TENSOR_READ_ONLY;
  ASSERT_EQ(gather(table, indices, output), GANTRY_OK) << gantry_last_error();
  EXPECT_EQ(out, (std::vector<float>{10, 11}));
}
