// Overlap of the memory that ops read and write, through the interface.
#include <numeric>

#include "support.h"

using namespace gantry_test;

namespace {

class OverlapOfOps : public WithContext {
 protected:
  void SetUp() override {
    WithContext::SetUp();
    std::iota(memory_.begin(), memory_.end(), 0.0f);
  }
  gantry_status gather(View& table, View& indices, View& output) {
    const gantry_table whole = table_of(&table);
    return gantry_gather(context_, &whole, &indices, &output, nullptr, nullptr, nullptr);
  }
  gantry_status scatter(View& source, View& indices, View& table) {
    const gantry_table whole = table_of(&table);
    return gantry_scatter(context_, &source, &indices, &whole, nullptr, nullptr, nullptr);
  }

  std::vector<float> memory_ = std::vector<float>(64);
  std::vector<int64_t> numbers_{3, 0, 2, 1};
  View indices_{numbers_, {4}};
};

}  // namespace

TEST_F(OverlapOfOps, InterleavedColumnsOfOneBuffer) {
  View left(memory_.data(), kFloat32, {4, 3}, {8, 1});
  View right(memory_.data() + 3, kFloat32, {4, 3}, {8, 1});
  ASSERT_EQ(gather(left, indices_, right), GANTRY_OK) << gantry_last_error();
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(memory_[8 * i + 3], 8.0f * numbers_[i]);
    EXPECT_EQ(memory_[8 * i + 6], 8.0f * i + 6);
  }
  ASSERT_EQ(scatter(left, indices_, right), GANTRY_OK) << gantry_last_error();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(memory_[8 * numbers_[i] + 4], 8.0f * i + 1);
  ASSERT_EQ(gantry_copy(context_, &left, &right, nullptr, nullptr, nullptr), GANTRY_OK) << gantry_last_error();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(memory_[8 * i + 5], 8.0f * i + 2);

  View one_more(memory_.data() + 2, kFloat32, {4, 3}, {8, 1});
  expect_failure(gather(left, indices_, one_more), GANTRY_ERROR_OVERLAP,
                 {"the output, which is written, overlaps the table"});
  expect_failure(scatter(left, indices_, one_more), GANTRY_ERROR_OVERLAP,
                 {"the table, which is written, overlaps the source"});
  expect_failure(gantry_copy(context_, &left, &one_more, nullptr, nullptr, nullptr), GANTRY_ERROR_OVERLAP,
                 {"the destination, which is written, overlaps the source"});
  expect_failure(gantry_convert(context_, &left, &left, nullptr, nullptr, nullptr), GANTRY_ERROR_OVERLAP,
                 {"the destination, which is written, overlaps the source"});
}

TEST_F(OverlapOfOps, IndicesBesideTheRows) {
  // Rows of 8 floats, of which the last two are an index: what a record with its own links looks like.
  for (int i = 0; i < 4; ++i) *reinterpret_cast<int64_t*>(&memory_[8 * i + 6]) = 3 - i;
  View table(memory_.data(), kFloat32, {4, 3}, {8, 1});
  View output(memory_.data() + 3, kFloat32, {4, 3}, {8, 1});
  View links(memory_.data() + 6, kInt64, {4}, {4});
  ASSERT_EQ(gather(table, links, output), GANTRY_OK) << gantry_last_error();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(memory_[8 * i + 3], 8.0f * (3 - i));
  View wider(memory_.data() + 4, kFloat32, {4, 3}, {8, 1});
  expect_failure(gather(table, links, wider), GANTRY_ERROR_OVERLAP,
                 {"the output, which is written, overlaps the indices"});
  expect_failure(scatter(output, links, wider), GANTRY_ERROR_OVERLAP, {"the table, which is written, overlaps the"});
  View apart(memory_.data() + 40, kFloat32, {4, 3}, {6, 1});
  expect_failure(scatter(apart, links, wider), GANTRY_ERROR_OVERLAP,
                 {"the table, which is written, overlaps the indices"});
}

TEST_F(OverlapOfOps, RowsBetweenRowsOfOtherSteps) {
  // Every second row of a matrix, and every third: they meet in every sixth.
  View table(memory_.data(), kFloat32, {4, 2}, {8, 1});
  View output(memory_.data() + 4, kFloat32, {4, 2}, {12, 1});
  expect_failure(gather(table, indices_, output), GANTRY_ERROR_OVERLAP, {"overlaps the table"});
  View between(memory_.data() + 2, kFloat32, {4, 2}, {12, 1});
  ASSERT_EQ(gather(table, indices_, between), GANTRY_OK) << gantry_last_error();
}

TEST_F(OverlapOfOps, TheLastBytesCount) {
  View table(memory_, {4, 2});
  View touching(memory_.data() + 8, kFloat32, {4, 2});
  ASSERT_EQ(gather(table, indices_, touching), GANTRY_OK) << gantry_last_error();
  View overlapping(memory_.data() + 7, kFloat32, {4, 2});
  expect_failure(gather(table, indices_, overlapping), GANTRY_ERROR_OVERLAP, {"overlaps the table"});
}

TEST_F(OverlapOfOps, ATableThatIsWrittenHasRowsOfItsOwn) {
  std::vector<float> source(8, 1.0f);
  View rows(source, {4, 2});
  View one_row(memory_.data(), kFloat32, {4, 2}, {0, 1});
  expect_failure(scatter(rows, indices_, one_row), GANTRY_ERROR_OVERLAP,
                 {"rows of the table, which is written, overlap each other", "8 bytes and a stride of 0"});
  View sliding(memory_.data(), kFloat32, {4, 2}, {1, 1});
  expect_failure(scatter(rows, indices_, sliding), GANTRY_ERROR_OVERLAP, {"8 bytes and a stride of 4"});
  View read_only(memory_, {4, 2});
  read_only->flags = GANTRY_TENSOR_READ_ONLY;
  expect_failure(scatter(rows, indices_, read_only), GANTRY_ERROR_READ_ONLY, {"the table was declared read-only"});
  read_only->flags = 0;
  expect_failure(gantry_copy(context_, &rows, &one_row, nullptr, nullptr, nullptr), GANTRY_ERROR_OVERLAP,
                 {"rows of the destination", "stride of 0"});
  read_only->flags = GANTRY_TENSOR_READ_ONLY;
  expect_failure(gantry_copy(context_, &rows, &read_only, nullptr, nullptr, nullptr), GANTRY_ERROR_READ_ONLY,
                 {"the destination was declared read-only"});
}

TEST_F(OverlapOfOps, ChunksOfATableThatIsWritten) {
  std::vector<float> source(8, 1.0f);
  View rows(source, {4, 2});
  for (const size_t count : {size_t{2}, size_t{12}}) {
    // Two columns of every row each, side by side; then the last chunk is moved by one column.
    std::vector<float> wide(2 * count * 4, 0.0f);
    const int64_t shape[] = {4, 2};
    const int64_t strides[] = {static_cast<int64_t>(2 * count), 1};
    std::vector<gantry_tensor> chunks;
    for (size_t i = 0; i < count; ++i) {
      chunks.push_back(View(wide.data() + 2 * i, kFloat32, {4, 2}).tensor);
      chunks.back().shape = shape;
      chunks.back().strides = strides;
    }
    const gantry_table whole = table_of(chunks.data(), static_cast<uint32_t>(count));
    const auto call = [&] { return gantry_scatter(context_, &rows, &indices_, &whole, nullptr, nullptr, nullptr); };
    ASSERT_EQ(call(), GANTRY_OK) << gantry_last_error();
    EXPECT_EQ(wide[0], 1.0f);
    EXPECT_EQ(wide[2], 0.0f);
    chunks.back().data = static_cast<float*>(chunks.back().data) - 1;
    expect_failure(call(), GANTRY_ERROR_OVERLAP, {"chunks of the table, which is written, overlap each other"});
    chunks.back().flags = GANTRY_TENSOR_READ_ONLY;
    expect_failure(call(), GANTRY_ERROR_READ_ONLY, {"the table was declared read-only"});
  }
}

TEST_F(OverlapOfOps, WhatIsOnlyReadMayOverlap) {
  std::vector<float> out(8, -1.0f);
  View table(memory_.data(), kFloat32, {4, 2}, {1, 1});
  View output(out, {4, 2});
  ASSERT_EQ(gather(table, indices_, output), GANTRY_OK) << gantry_last_error();
  EXPECT_EQ(out, (std::vector<float>{3, 4, 0, 1, 2, 3, 1, 2}));
  // One row for all indices.
  View one_row(memory_.data() + 10, kFloat32, {4, 2}, {0, 1});
  ASSERT_EQ(scatter(one_row, indices_, output), GANTRY_OK) << gantry_last_error();
  EXPECT_EQ(out, (std::vector<float>{10, 11, 10, 11, 10, 11, 10, 11}));
}
