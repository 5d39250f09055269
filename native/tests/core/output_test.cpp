// Outputs whose memory the environment gives: the built-in ones, and callbacks that lie.
#include "support.h"

using namespace gantry_test;

namespace {

// Fills the output as the test says, and counts.
struct Giver {
  gantry_environment environment = *gantry_environment_malloc();
  gantry_tensor gives{};
  gantry_status status = GANTRY_OK;
  int calls = 0;
  gantry_allocation request{};
  void* slot = nullptr;
  gantry_tensor seen{};

  Giver() {
    environment.user = this;
    environment.allocate_output = [](void* user, const gantry_allocation* request, void* slot, gantry_tensor* output) {
      Giver& self = *static_cast<Giver*>(user);
      ++self.calls;
      self.request = *request;
      self.slot = slot;
      self.seen = *output;
      output->data = self.gives.data;
      output->byte_offset = self.gives.byte_offset;
      output->strides = self.gives.strides;
      output->flags = self.gives.flags;
      // None of these are the callee's to change.
      output->ndim = 0;
      output->shape = nullptr;
      output->dtype = {0, 0, 0};
      output->struct_size = 0;
      return self.status;
    };
  }
};

class Output : public WithContext {
 protected:
  gantry_status gather(const gantry_environment* environment, void* slot = nullptr) {
    const gantry_table whole = table_of(&table_);
    gantry_options options = options_with(GANTRY_BOUNDS_ERROR);
    options.slot = slot;
    return gantry_gather(context_, &whole, &indices_, &output_, &options, environment, nullptr);
  }
  void expect_untouched() {
    EXPECT_EQ(output_->data, nullptr);
    EXPECT_EQ(output_->strides, nullptr);
    EXPECT_EQ(output_->flags, 0u);
  }

  std::vector<float> rows_{1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<int64_t> numbers_{3, 0};
  View table_{rows_, {4, 2}};
  View indices_{numbers_, {2}};
  View output_{nullptr, kFloat32, {2, 2}};
  alignas(64) float memory_[32] = {};
};

}  // namespace

TEST_F(Output, IsFilledWhereTheCallbackSays) {
  Giver giver;
  const int64_t strides[] = {4, 1};
  giver.gives.data = memory_;
  giver.gives.byte_offset = 16;
  giver.gives.strides = strides;
  int slot = 0;
  ASSERT_EQ(gather(&giver.environment, &slot), GANTRY_OK) << gantry_last_error();
  EXPECT_EQ(giver.calls, 1);
  EXPECT_EQ(giver.slot, &slot);
  EXPECT_EQ(giver.request.struct_size, sizeof giver.request);
  EXPECT_EQ(giver.request.purpose, GANTRY_PURPOSE_OUTPUT);
  EXPECT_EQ(giver.request.bytes, 16u);
  EXPECT_EQ(giver.request.alignment, 16u);
  EXPECT_EQ(giver.request.device.type, GANTRY_DEVICE_HOST);
  EXPECT_EQ(giver.seen.ndim, 2);
  EXPECT_EQ(giver.seen.shape, output_.shape.data());
  EXPECT_EQ(giver.seen.dtype.bits, 32);
  EXPECT_EQ(output_->data, memory_);
  EXPECT_EQ(output_->byte_offset, 16u);
  EXPECT_EQ(output_->strides, strides);
  EXPECT_EQ(output_->ndim, 2);
  EXPECT_EQ(output_->shape, output_.shape.data());
  EXPECT_EQ(output_->struct_size, sizeof(gantry_tensor));
  const float expected[] = {0, 0, 0, 0, 7, 8, 0, 0, 1, 2, 0};
  EXPECT_EQ(std::vector<float>(memory_, memory_ + 11), std::vector<float>(expected, expected + 11));
}

TEST_F(Output, OfTheMallocEnvironmentIsAStorage) {
  gantry_storage* storage = nullptr;
  ASSERT_EQ(gather(nullptr, &storage), GANTRY_OK) << gantry_last_error();
  ASSERT_NE(storage, nullptr);
  EXPECT_EQ(gantry_storage_data(storage), output_->data);
  EXPECT_EQ(gantry_storage_bytes(storage), 16u);
  EXPECT_EQ(reinterpret_cast<uint64_t>(output_->data) % 64, 0u);
  const float* const values = static_cast<float*>(output_->data);
  EXPECT_EQ(std::vector<float>(values, values + 4), (std::vector<float>{7, 8, 1, 2}));
  gantry_storage_release(storage);
}

TEST_F(Output, OfTheCachedEnvironmentIsReused) {
  gantry_environment* cached = nullptr;
  ASSERT_EQ(gantry_environment_cached_create(nullptr, &cached), GANTRY_OK);
  void* first = nullptr;
  for (int round = 0; round < 3; ++round) {
    gantry_storage* storage = nullptr;
    output_->data = nullptr;
    ASSERT_EQ(gather(cached, &storage), GANTRY_OK) << gantry_last_error();
    if (round == 0) first = output_->data;
    EXPECT_EQ(output_->data, first);
    expect_failure(gantry_environment_cached_destroy(cached), GANTRY_ERROR_INVALID_ARGUMENT, {"256 bytes in use"});
    gantry_storage_release(storage);
  }
  gantry_cache_statistics statistics{};
  statistics.struct_size = sizeof statistics;
  ASSERT_EQ(gantry_environment_cached_statistics(cached, &statistics), GANTRY_OK);
  EXPECT_EQ(statistics.allocations, 3u);
  EXPECT_EQ(statistics.reused, 2u);
  EXPECT_EQ(gantry_environment_cached_destroy(cached), GANTRY_OK) << gantry_last_error();
}

TEST_F(Output, IsNotAskedForWhenItHasMemoryOrNoElements) {
  Giver giver;
  output_->data = memory_;
  ASSERT_EQ(gather(&giver.environment), GANTRY_OK) << gantry_last_error();
  EXPECT_EQ(giver.calls, 0);
  output_->data = nullptr;
  indices_.shape[0] = 0;
  output_.shape[0] = 0;
  ASSERT_EQ(gather(&giver.environment), GANTRY_OK) << gantry_last_error();
  EXPECT_EQ(giver.calls, 0);
}

TEST_F(Output, IsNotAskedForAnOpThatIsRefused) {
  Giver giver;
  output_.shape[0] = 3;
  expect_failure(gather(&giver.environment), GANTRY_ERROR_INVALID_ARGUMENT, {"the shape of the output"});
  output_.shape[0] = 2;
  output_->dtype = kInt32;
  expect_failure(gather(&giver.environment), GANTRY_ERROR_UNSUPPORTED, {"int32"});
  EXPECT_EQ(giver.calls, 0);
}

TEST_F(Output, Missing) {
  Giver giver;
  giver.environment.allocate_output = nullptr;
  expect_failure(gather(&giver.environment), GANTRY_ERROR_INVALID_ARGUMENT,
                 {"the data of the output is null", "no allocate_output"});
  expect_untouched();
}

TEST_F(Output, FailuresOfTheCallback) {
  Giver giver;
  giver.status = GANTRY_ERROR_OUT_OF_MEMORY;
  expect_failure(gather(&giver.environment), GANTRY_ERROR_OUT_OF_MEMORY,
                 {"the environment's allocate_output returned GANTRY_ERROR_OUT_OF_MEMORY when asked for 16 bytes"});
  giver.status = GANTRY_ERROR_INDEX;
  expect_failure(gather(&giver.environment), GANTRY_ERROR_ENVIRONMENT,
                 {"the environment's allocate_output returned GANTRY_ERROR_INDEX"});
  giver.status = 99;
  expect_failure(gather(&giver.environment), GANTRY_ERROR_ENVIRONMENT, {"allocate_output returned 99"});
  expect_untouched();
}

TEST_F(Output, LiesOfTheCallback) {
  Giver giver;
  expect_failure(gather(&giver.environment), GANTRY_ERROR_ENVIRONMENT, {"left data null", "16 bytes"});
  giver.gives.data = memory_ + 1;
  expect_failure(gather(&giver.environment), GANTRY_ERROR_ENVIRONMENT,
                 {"allocate_output gave data at", "alignment of 16"});
  giver.gives.data = memory_;
  const int64_t gaps[] = {4, 2};
  giver.gives.strides = gaps;
  expect_failure(gather(&giver.environment), GANTRY_ERROR_ENVIRONMENT, {"allocate_output gave strides"});
  const int64_t same_row[] = {0, 1};
  giver.gives.strides = same_row;
  expect_failure(gather(&giver.environment), GANTRY_ERROR_OVERLAP, {"rows of the output", "stride of 0"});
  const int64_t far[] = {INT64_MAX / 2, 1};
  giver.gives.strides = far;
  expect_failure(gather(&giver.environment), GANTRY_ERROR_OVERFLOW, {"the stride of the output"});
  giver.gives.strides = nullptr;
  giver.gives.flags = GANTRY_TENSOR_READ_ONLY;
  expect_failure(gather(&giver.environment), GANTRY_ERROR_READ_ONLY, {"the output was declared read-only"});
  giver.gives.flags = 0;
  table_->data = memory_ + 4;
  giver.gives.byte_offset = 16;
  expect_failure(gather(&giver.environment), GANTRY_ERROR_OVERLAP,
                 {"the output, which is written, overlaps the table"});
  table_->data = rows_.data();
  indices_->data = memory_;
  giver.gives.byte_offset = 0;
  expect_failure(gather(&giver.environment), GANTRY_ERROR_OVERLAP,
                 {"the output, which is written, overlaps the indices"});
  expect_untouched();
}

TEST_F(Output, MemoryOfADeviceIsNotTheHostsToGive) {
  gantry_storage* storage = nullptr;
  output_->device = {GANTRY_DEVICE_CUDA_HOST, 0};
  expect_failure(gather(nullptr, &storage), GANTRY_ERROR_UNSUPPORTED,
                 {"the malloc environment has host memory only", "device type 3"});
  EXPECT_EQ(storage, nullptr);
  expect_untouched();
}

TEST_F(Output, OnADeviceIsNotAskedForWithoutAStream) {
  Giver giver;
  output_->device = table_->device = indices_->device = {GANTRY_DEVICE_CUDA, 0};
  expect_failure(gather(&giver.environment), GANTRY_ERROR_INVALID_ARGUMENT, {"the stream is null"});
  EXPECT_EQ(giver.calls, 0);
}
