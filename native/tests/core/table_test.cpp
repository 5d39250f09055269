// What a backend gets of a table: only chunks with rows, numbered through.
#include "core/table.h"

#include "support.h"

using namespace gantry_test;

namespace {

class TableTest : public ::testing::Test {
 protected:
  gantry_status read(const std::vector<gantry_tensor>& chunks) {
    const gantry_table whole = table_of(chunks.data(), static_cast<uint32_t>(chunks.size()));
    return gantry::read_table(&whole, &placement_, &scratch_, &table_);
  }

  std::vector<float> rows_ = std::vector<float>(100);
  gantry::Placement placement_;
  gantry::ScratchBlocks scratch_{*gantry_environment_malloc(), nullptr};
  gantry::Table table_{};
};

}  // namespace

TEST_F(TableTest, ChunksWithoutRowsAreLeftOut) {
  View empty(nullptr, kFloat32, {0, 2});
  View first(rows_.data(), kFloat32, {3, 2});
  View second(rows_.data() + 10, kFloat32, {4, 2}, {5, 1});
  ASSERT_EQ(read({empty.tensor, first.tensor, empty.tensor, second.tensor, empty.tensor}), GANTRY_OK)
      << gantry_last_error();
  EXPECT_EQ(table_.rows, 7);
  EXPECT_EQ(table_.columns, 2);
  EXPECT_EQ(table_.element_bytes, 4u);
  ASSERT_EQ(table_.chunk_count, 2u);
  EXPECT_EQ(table_.chunks[0].data, reinterpret_cast<char*>(rows_.data()));
  EXPECT_EQ(table_.chunks[0].first_row, 0);
  EXPECT_EQ(table_.chunks[0].rows, 3);
  EXPECT_EQ(table_.chunks[0].row_stride_bytes, 8);
  EXPECT_EQ(table_.chunks[1].data, reinterpret_cast<char*>(rows_.data() + 10));
  EXPECT_EQ(table_.chunks[1].first_row, 3);
  EXPECT_EQ(table_.chunks[1].rows, 4);
  EXPECT_EQ(table_.chunks[1].row_stride_bytes, 20);
}

TEST_F(TableTest, WithoutAnyRowsOneChunkRemains) {
  View empty(nullptr, kFloat32, {0, 2});
  ASSERT_EQ(read({empty.tensor, empty.tensor}), GANTRY_OK) << gantry_last_error();
  EXPECT_EQ(table_.rows, 0);
  EXPECT_EQ(table_.chunk_count, 1u);
}

TEST_F(TableTest, OneRowHasItsWidthAsStride) {
  View row(rows_.data(), kFloat32, {1, 3}, {0, 1});
  ASSERT_EQ(read({row.tensor}), GANTRY_OK) << gantry_last_error();
  EXPECT_EQ(table_.chunks[0].row_stride_bytes, 12);
}
