// Tensors that an op cannot take: each with its status and the values that were seen.
#include "support.h"

using namespace gantry_test;

namespace {

class BadTensor : public WithContext {
 protected:
  gantry_status gather() {
    const gantry_table whole = table_of(&table_);
    return gantry_gather(context_, &whole, &indices_, &output_, nullptr, nullptr, nullptr);
  }
  void TearDown() override {
    // Whatever was refused has written nothing.
    EXPECT_EQ(out_, std::vector<float>(6, -1.0f));
    WithContext::TearDown();
  }

  std::vector<float> rows_{1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<int64_t> numbers_{3, 0, 1};
  std::vector<float> out_ = std::vector<float>(6, -1.0f);
  View table_{rows_, {4, 2}};
  View indices_{numbers_, {3}};
  View output_{out_, {3, 2}};
};

}  // namespace

TEST_F(BadTensor, TheGoodOneIsGood) {
  ASSERT_EQ(gather(), GANTRY_OK) << gantry_last_error();
  EXPECT_EQ(out_, (std::vector<float>{7, 8, 1, 2, 3, 4}));
  out_.assign(6, -1.0f);
}

TEST_F(BadTensor, NullPointers) {
  const gantry_table whole = table_of(&table_);
  expect_failure(gantry_gather(nullptr, &whole, &indices_, &output_, nullptr, nullptr, nullptr),
                 GANTRY_ERROR_INVALID_ARGUMENT, {"the context is null"});
  expect_failure(gantry_gather(context_, nullptr, &indices_, &output_, nullptr, nullptr, nullptr),
                 GANTRY_ERROR_INVALID_ARGUMENT, {"the table is null"});
  expect_failure(gantry_gather(context_, &whole, nullptr, &output_, nullptr, nullptr, nullptr),
                 GANTRY_ERROR_INVALID_ARGUMENT, {"the gantry_tensor of the indices is null"});
  expect_failure(gantry_gather(context_, &whole, &indices_, nullptr, nullptr, nullptr, nullptr),
                 GANTRY_ERROR_INVALID_ARGUMENT, {"the gantry_tensor of the output is null"});
  expect_failure(gantry_scatter(context_, nullptr, &indices_, &whole, nullptr, nullptr, nullptr),
                 GANTRY_ERROR_INVALID_ARGUMENT, {"the gantry_tensor of the source is null"});
  expect_failure(gantry_convert(context_, nullptr, &output_, nullptr, nullptr, nullptr), GANTRY_ERROR_INVALID_ARGUMENT,
                 {"the gantry_tensor of the source is null"});
  expect_failure(gantry_copy(context_, &table_, nullptr, nullptr, nullptr, nullptr), GANTRY_ERROR_INVALID_ARGUMENT,
                 {"the gantry_tensor of the destination is null"});
}

TEST_F(BadTensor, NullData) {
  table_->data = nullptr;
  expect_failure(gather(), GANTRY_ERROR_INVALID_ARGUMENT, {"the data of the table is null", "8 elements"});
  table_->data = rows_.data();
  indices_->data = nullptr;
  expect_failure(gather(), GANTRY_ERROR_INVALID_ARGUMENT, {"the data of the indices is null", "3 elements"});
}

TEST_F(BadTensor, NullOutputNeedsASlotOfTheDefaultEnvironment) {
  output_->data = nullptr;
  expect_failure(gather(), GANTRY_ERROR_INVALID_ARGUMENT, {"options.slot is null"});
}

TEST_F(BadTensor, UnknownFlags) {
  output_->flags = 6;
  expect_failure(gather(), GANTRY_ERROR_INVALID_ARGUMENT, {"the flags of the output are 0x6", "(0x1)"});
}

TEST_F(BadTensor, Dimensions) {
  table_->ndim = -1;
  expect_failure(gather(), GANTRY_ERROR_INVALID_ARGUMENT, {"the shape of the table has -1 dimensions", "0 to 8"});
  table_->ndim = 9;
  expect_failure(gather(), GANTRY_ERROR_INVALID_ARGUMENT, {"the shape of the table has 9 dimensions", "0 to 8"});
  const int64_t cube[] = {2, 2, 2};
  table_->ndim = 3;
  table_->shape = cube;
  expect_failure(gather(), GANTRY_ERROR_INVALID_ARGUMENT, {"the table has 3 dimensions", "2 (rows, columns)"});
  table_->ndim = 0;
  expect_failure(gather(), GANTRY_ERROR_INVALID_ARGUMENT, {"the table has 0 dimensions"});
  table_->ndim = 2;
  table_->shape = nullptr;
  expect_failure(gather(), GANTRY_ERROR_INVALID_ARGUMENT, {"the shape of the table is null with 2 dimensions"});
}

TEST_F(BadTensor, NegativeSizes) {
  table_.shape[1] = -2;
  expect_failure(gather(), GANTRY_ERROR_INVALID_ARGUMENT, {"dimension 1 of the table", "negative size -2"});
  table_.shape[1] = 2;
  indices_.shape[0] = -3;
  expect_failure(gather(), GANTRY_ERROR_INVALID_ARGUMENT, {"dimension 0 of the indices", "negative size -3"});
  indices_.shape[0] = 3;
  output_.shape[0] = INT64_MIN;
  expect_failure(gather(), GANTRY_ERROR_INVALID_ARGUMENT,
                 {"dimension 0 of the output", "negative size -9223372036854775808"});
}

TEST_F(BadTensor, SizesBeyond63Bits) {
  table_.shape = {INT64_MAX, INT64_MAX};
  table_->shape = table_.shape.data();
  expect_failure(gather(), GANTRY_ERROR_OVERFLOW, {"the sizes of the table", "9223372036854775807"});
  table_.shape[0] = INT64_MAX / 4;
  table_.shape[1] = 2;
  expect_failure(gather(), GANTRY_ERROR_OVERFLOW, {"the sizes of the table", "2305843009213693951", "4 bytes"});
  // The elements fit, their bytes do not.
  table_.shape[1] = 1;
  table_.shape[0] = INT64_MAX / 4 + 1;
  expect_failure(gather(), GANTRY_ERROR_OVERFLOW, {"the sizes of the table", "4 bytes"});
  indices_.shape = {INT64_MAX / 4, 8, 0};
  indices_->shape = indices_.shape.data();
  indices_->ndim = 3;
  expect_failure(gather(), GANTRY_ERROR_OVERFLOW, {"the sizes of the"});
  // A dimension without elements does not excuse a row beyond 63 bits.
  table_.shape = {0, INT64_MAX};
  table_->shape = table_.shape.data();
  expect_failure(gather(), GANTRY_ERROR_OVERFLOW, {"a row of the table", "9223372036854775807 elements of 4 bytes"});
}

TEST_F(BadTensor, StridesBeyondTheAddressSpace) {
  const int64_t strides[] = {INT64_MAX / 4, 1};
  table_->strides = strides;
  expect_failure(gather(), GANTRY_ERROR_OVERFLOW, {"the memory of the table is not addressable", "4 rows"});
  // The rows begin within 63 bits, and the last one ends beyond them.
  table_.shape[0] = 2;
  expect_failure(gather(), GANTRY_ERROR_OVERFLOW,
                 {"the memory of the table is not addressable", "2 rows with a stride of 9223372036854775804 bytes"});
  table_.shape[0] = 4;
  const int64_t wider[] = {INT64_MAX / 2, 1};
  table_->strides = wider;
  expect_failure(gather(), GANTRY_ERROR_OVERFLOW, {"the stride of the table", "4611686018427387903 elements"});
  const int64_t downwards[] = {-(INT64_MAX / 16), 1};
  table_->strides = downwards;
  expect_failure(gather(), GANTRY_ERROR_OVERFLOW, {"the memory of the table is not addressable"});
  const int64_t least[] = {INT64_MIN, 1};
  table_->strides = least;
  expect_failure(gather(), GANTRY_ERROR_OVERFLOW, {"the stride of the table"});
}

TEST_F(BadTensor, OffsetsBeyondTheAddressSpace) {
  table_->byte_offset = UINT64_MAX - 3;
  expect_failure(gather(), GANTRY_ERROR_OVERFLOW, {"byte_offset 18446744073709551612", "address space"});
  table_->byte_offset = UINT64_MAX / 4 * 4 - reinterpret_cast<uint64_t>(rows_.data());
  expect_failure(gather(), GANTRY_ERROR_OVERFLOW, {"the memory of the table is not addressable", "byte_offset"});
}

TEST_F(BadTensor, Dtypes) {
  table_->dtype.bits = 0;
  expect_failure(gather(), GANTRY_ERROR_INVALID_ARGUMENT, {"the dtype of the table has 0 bits and 1 lanes"});
  table_->dtype = {GANTRY_CODE_FLOAT, 32, 0};
  expect_failure(gather(), GANTRY_ERROR_INVALID_ARGUMENT, {"the dtype of the table has 32 bits and 0 lanes"});
  table_->dtype = {GANTRY_CODE_INT, 4, 1};
  expect_failure(gather(), GANTRY_ERROR_UNSUPPORTED, {"int4", "elements of 4 bits", "multiple of 8"});
  table_->dtype = kInt32;
  expect_failure(gather(), GANTRY_ERROR_UNSUPPORTED, {"the table is of int32", "the output of float32"});
}

TEST_F(BadTensor, DtypesOfIndices) {
  for (const gantry_dtype dtype : {gantry_dtype{GANTRY_CODE_INT, 16, 1}, gantry_dtype{GANTRY_CODE_INT, 8, 1},
                                   gantry_dtype{GANTRY_CODE_FLOAT, 64, 1}, gantry_dtype{GANTRY_CODE_INT, 64, 2},
                                   gantry_dtype{GANTRY_CODE_BOOL, 32, 1}}) {
    indices_->dtype = dtype;
    expect_failure(gather(), GANTRY_ERROR_UNSUPPORTED, {"the indices are of", "int32, int64, uint32 and uint64"});
  }
}

TEST_F(BadTensor, Devices) {
  table_->device = {7, 0};  // Vulkan
  expect_failure(gather(), GANTRY_ERROR_UNSUPPORTED, {"the device type of the table is 7"});
  table_->device = {GANTRY_DEVICE_HOST, -1};
  expect_failure(gather(), GANTRY_ERROR_INVALID_ARGUMENT, {"the device id of the table is -1"});
  table_->device = {GANTRY_DEVICE_CUDA, 0};
  expect_failure(gather(), GANTRY_ERROR_UNSUPPORTED, {"pageable host memory and on CUDA device 0", "the indices"});
  indices_->device = {GANTRY_DEVICE_CUDA_HOST, 0};
  output_->device = {GANTRY_DEVICE_CUDA, 1};
  expect_failure(gather(), GANTRY_ERROR_UNSUPPORTED, {"the memory of the output is on CUDA device 1", "CUDA device 0"});
  output_->device = {GANTRY_DEVICE_CUDA_MANAGED, 0};
  expect_failure(gather(), GANTRY_ERROR_INVALID_ARGUMENT,
                 {"the stream is null", "CUDA device 0", "GANTRY_STREAM_LEGACY"});
}

TEST_F(BadTensor, Misaligned) {
  table_->data = reinterpret_cast<char*>(rows_.data()) + 2;
  table_.shape[0] = 3;
  expect_failure(gather(), GANTRY_ERROR_MISALIGNED, {"the data of the table", "no multiple of 4", "float32"});
  table_->data = rows_.data();
  indices_->data = reinterpret_cast<char*>(numbers_.data()) + 4;
  indices_.shape[0] = 2;
  output_.shape[0] = 2;
  expect_failure(gather(), GANTRY_ERROR_MISALIGNED, {"the data of the indices", "no multiple of 8", "int64"});
  indices_->data = numbers_.data();
  output_->byte_offset = 1;
  expect_failure(gather(), GANTRY_ERROR_MISALIGNED, {"the data of the output", "no multiple of 4"});
}

TEST_F(BadTensor, Layouts) {
  const int64_t gaps[] = {2, 2};
  table_->strides = gaps;
  table_.shape[0] = 2;
  expect_failure(gather(), GANTRY_ERROR_UNSUPPORTED, {"the columns of the table do not lie side by side", "stride 2"});
  table_->strides = nullptr;
  table_.shape[0] = 4;
  // Indices of two dimensions that no single step leads through.
  std::vector<int64_t> many(16, 0);
  View spread(many, {2, 1, 3}, {4, 9, 1});
  View wide(out_, {6, 2});
  const gantry_table whole = table_of(&table_);
  expect_failure(gantry_gather(context_, &whole, &spread, &wide, nullptr, nullptr, nullptr), GANTRY_ERROR_UNSUPPORTED,
                 {"the indices are not evenly spaced", "stride 4", "stride 1"});
}

TEST_F(BadTensor, ShapesOfTheOutput) {
  output_.shape[0] = 2;
  expect_failure(
      gather(), GANTRY_ERROR_INVALID_ARGUMENT,
      {"the shape of the output does not belong to 3 indices", "2 columns", "the first of 2, the last of 2"});
  output_.shape = {3, 1};
  output_->shape = output_.shape.data();
  expect_failure(gather(), GANTRY_ERROR_INVALID_ARGUMENT, {"the shape of the output", "the last of 1"});
  output_->ndim = 1;
  expect_failure(gather(), GANTRY_ERROR_INVALID_ARGUMENT, {"the shape of the output", "1 dimensions"});
  output_->ndim = 0;
  expect_failure(gather(), GANTRY_ERROR_INVALID_ARGUMENT, {"the shape of the output", "0 dimensions"});
  const int64_t deep[] = {1, 3, 2};
  output_->ndim = 3;
  output_->shape = deep;
  expect_failure(gather(), GANTRY_ERROR_INVALID_ARGUMENT, {"the shape of the output", "3 dimensions"});
}

TEST_F(BadTensor, ReadOnlyOutput) {
  output_->flags = GANTRY_TENSOR_READ_ONLY;
  expect_failure(gather(), GANTRY_ERROR_READ_ONLY, {"the output was declared read-only"});
}

TEST_F(BadTensor, RowsOfTheOutputThatOverlap) {
  const int64_t same_row[] = {0, 1};
  output_->strides = same_row;
  expect_failure(gather(), GANTRY_ERROR_OVERLAP, {"rows of the output", "8 bytes and a stride of 0"});
  const int64_t shared[] = {1, 1};
  output_->strides = shared;
  expect_failure(gather(), GANTRY_ERROR_OVERLAP, {"rows of the output", "8 bytes and a stride of 4"});
}

TEST_F(BadTensor, Options) {
  const gantry_table whole = table_of(&table_);
  gantry_options options = options_with(6);
  const auto call = [&] { return gantry_gather(context_, &whole, &indices_, &output_, &options, nullptr, nullptr); };
  expect_failure(call(), GANTRY_ERROR_INVALID_ARGUMENT, {"options.bounds is 6", "5 (TRUST)"});
  options = options_with(GANTRY_BOUNDS_ERROR);
  options.deterministic = 3;
  expect_failure(call(), GANTRY_ERROR_INVALID_ARGUMENT, {"options.deterministic is 3"});
  options.deterministic = GANTRY_AUTO;
  options.streaming = 4;
  expect_failure(call(), GANTRY_ERROR_INVALID_ARGUMENT, {"options.streaming is 4"});
  options.streaming = GANTRY_AUTO;
  options.sorted = 5;
  expect_failure(call(), GANTRY_ERROR_INVALID_ARGUMENT, {"options.sorted is 5"});
}

TEST_F(BadTensor, Chunks) {
  gantry_table whole = table_of(&table_);
  const auto call = [&] { return gantry_gather(context_, &whole, &indices_, &output_, nullptr, nullptr, nullptr); };
  whole.chunk_count = 0;
  expect_failure(call(), GANTRY_ERROR_INVALID_ARGUMENT, {"the table has 0 chunks"});
  whole.chunk_count = 2;
  whole.chunks = nullptr;
  expect_failure(call(), GANTRY_ERROR_INVALID_ARGUMENT, {"the table has 2 chunks", "null"});
  View narrow(rows_, {4, 1});
  gantry_tensor chunks[] = {table_.tensor, narrow.tensor};
  whole.chunks = chunks;
  expect_failure(call(), GANTRY_ERROR_INVALID_ARGUMENT, {"chunk 1 of the table has 1 columns", "have 2"});
  chunks[1] = table_.tensor;
  chunks[1].dtype = kInt32;
  expect_failure(call(), GANTRY_ERROR_INVALID_ARGUMENT, {"chunk 1 of the table is of int32", "of float32"});
  const int64_t most[] = {INT64_MAX, 0};
  chunks[0].shape = chunks[1].shape = most;
  chunks[1].dtype = kFloat32;
  output_.shape[1] = 0;
  expect_failure(call(), GANTRY_ERROR_OVERFLOW, {"9223372036854775807", "chunk 1 of the table"});
}
