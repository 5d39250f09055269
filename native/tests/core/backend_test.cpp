// What is asked of the CUDA backend where it is not to be had, and what the host says of itself.
#include <cstdlib>
#include <cstring>

#include "support.h"

using namespace gantry_test;

namespace {

class BackendTest : public ::testing::Test {
 protected:
  void SetUp() override {
    gantry_open_options options{};
    options.struct_size = sizeof options;
    options.threads = 1;
    options.cuda_plugin = "/nowhere/libgantry_cuda.so";
    options.log_user = &log_;
    options.log = [](void* user, const char* line) { *static_cast<std::string*>(user) = line; };
    ASSERT_EQ(gantry_open(GANTRY_ABI_VERSION, &options, &context_), GANTRY_OK);
  }
  void TearDown() override { EXPECT_EQ(gantry_close(context_), GANTRY_OK); }

  gantry_context* context_ = nullptr;
  std::string log_;  // its last line
};

}  // namespace

TEST(Log, NamesVariablesThatAreNotInForce) {
  const auto lines_of = [](const char* threads, const char* isa, uint32_t asked) {
    setenv("GANTRY_NUM_THREADS", threads, 1);
    setenv("GANTRY_ISA", isa, 1);
    std::vector<std::string> lines;
    gantry_open_options options{};
    options.struct_size = sizeof options;
    options.threads = asked;
    options.log_user = &lines;
    options.log = [](void* user, const char* line) { static_cast<std::vector<std::string>*>(user)->push_back(line); };
    gantry_context* context = nullptr;
    EXPECT_EQ(gantry_open(GANTRY_ABI_VERSION, &options, &context), GANTRY_OK) << gantry_last_error();
    lines.push_back(std::to_string(gantry_threads(context)));
    lines.push_back(gantry_isa(context));
    EXPECT_EQ(gantry_close(context), GANTRY_OK);
    unsetenv("GANTRY_NUM_THREADS");
    unsetenv("GANTRY_ISA");
    return lines;
  };
  const std::vector<std::string> plain = lines_of("", "", 0);
  ASSERT_EQ(plain.size(), 3u);
  const std::string& threads = plain[1];
  const std::string& isa = plain[2];
  const std::vector<std::string> seen = lines_of("many", "avx2", 0);
  ASSERT_EQ(seen.size(), 5u);
  EXPECT_EQ(seen[0], "gantry 0.1.0: GANTRY_NUM_THREADS is \"many\", which is no number from 1 to 256; " + threads +
                         " threads are used instead");
  EXPECT_EQ(seen[1],
            "gantry 0.1.0: GANTRY_ISA is \"avx2\", which is no level that the library has and the processor can run; " +
                isa + " is used instead");
  const std::vector<std::string> cut = lines_of("1000", isa.c_str(), 0);
  ASSERT_EQ(cut.size(), 4u);
  EXPECT_EQ(
      cut[0],
      "gantry 0.1.0: GANTRY_NUM_THREADS is \"1000\", which is more than the 256 that are possible; 256 threads are "
      "used instead");
  EXPECT_EQ(cut[2], "256");
  // What the caller asks for counts; the variable is not looked at.
  EXPECT_EQ(lines_of("many", isa.c_str(), 2).size(), 3u);
  EXPECT_EQ(lines_of("3", isa.c_str(), 0)[1], "3");
}

TEST_F(BackendTest, QueryOfTheHost) {
  gantry_backend_info info{};
  info.struct_size = sizeof info;
  info.device_count = 77;
  ASSERT_EQ(gantry_backend_query(context_, GANTRY_BACKEND_HOST, &info), GANTRY_OK);
  EXPECT_EQ(info.device_count, 0);
  EXPECT_EQ(info.reason, GANTRY_REASON_AVAILABLE);
  EXPECT_STREQ(info.architectures, gantry_isa(context_));
  EXPECT_EQ(std::string(info.text),
            std::string("The host backend is available: ") + gantry_isa(context_) + " kernels on 1 threads.");
}

TEST_F(BackendTest, QueryOfAPluginThatIsAbsent) {
  gantry_backend_info info{};
  info.struct_size = sizeof info;
  info.device_count = 77;
  ASSERT_EQ(gantry_backend_query(context_, GANTRY_BACKEND_CUDA, &info), GANTRY_OK);
  EXPECT_STREQ(gantry_reason_name(info.reason), "GANTRY_REASON_PLUGIN_ABSENT");
  EXPECT_NE(std::strstr(info.text, "/nowhere/libgantry_cuda.so"), nullptr) << info.text;
  EXPECT_EQ(info.device_count, 0);
  EXPECT_EQ(log_, std::string("gantry 0.1.0: CUDA backend, GANTRY_REASON_PLUGIN_ABSENT: ") + info.text);
}

TEST_F(BackendTest, QueriesThatAreRefused) {
  gantry_backend_info info{};
  info.struct_size = sizeof info - 1;
  expect_failure(gantry_backend_query(context_, GANTRY_BACKEND_HOST, &info), GANTRY_ERROR_ABI, {"1175", "1176"});
  info.struct_size = sizeof info;
  expect_failure(gantry_backend_query(context_, 2, &info), GANTRY_ERROR_INVALID_ARGUMENT, {"the backend 2"});
  expect_failure(gantry_backend_query(nullptr, 0, &info), GANTRY_ERROR_INVALID_ARGUMENT, {"the context is null"});
  expect_failure(gantry_backend_query(context_, 0, nullptr), GANTRY_ERROR_INVALID_ARGUMENT, {"null"});
}

TEST_F(BackendTest, NamesOfReasons) {
  for (gantry_reason reason = 0; reason <= GANTRY_REASON_SELF_TEST_FAILED; ++reason) {
    EXPECT_EQ(std::strncmp(gantry_reason_name(reason), "GANTRY_REASON_", 14), 0) << reason;
  }
  EXPECT_STREQ(gantry_reason_name(GANTRY_REASON_SELF_TEST_FAILED + 1), "unknown reason");
}

TEST_F(BackendTest, OpsOnADeviceAreRefusedBeforeMemoryIsAskedFor) {
  std::vector<float> rows{1, 2};
  std::vector<int64_t> numbers{1};
  View table(rows, {2, 1});
  View indices(numbers, {1});
  View output(nullptr, kFloat32, {1, 1});
  table->device = {GANTRY_DEVICE_CUDA_HOST, 0};
  indices->device = output->device = {GANTRY_DEVICE_CUDA, 0};
  const gantry_table whole = table_of(&table);
  gantry_environment environment = *gantry_environment_malloc();
  environment.allocate_output = [](void*, const gantry_allocation*, void*, gantry_tensor*) -> gantry_status {
    ADD_FAILURE() << "the op could not run";
    return GANTRY_ERROR_INTERNAL;
  };
  expect_failure(gantry_gather(context_, &whole, &indices, &output, nullptr, &environment, GANTRY_STREAM_LEGACY),
                 GANTRY_ERROR_BACKEND_UNAVAILABLE, {"/nowhere/libgantry_cuda.so"});
}

TEST_F(BackendTest, WhatOnlyCudaHasIsUnavailable) {
  const gantry_environment* environment = gantry_environment_malloc();
  expect_failure(gantry_environment_pinned(context_, &environment), GANTRY_ERROR_BACKEND_UNAVAILABLE, {"/nowhere/"});
  EXPECT_EQ(environment, nullptr);
  expect_failure(gantry_environment_pinned(nullptr, &environment), GANTRY_ERROR_INVALID_ARGUMENT,
                 {"the context is null"});
  expect_failure(gantry_environment_pinned(context_, nullptr), GANTRY_ERROR_INVALID_ARGUMENT, {"null"});

  gantry_stats stats = empty_stats();
  expect_failure(gantry_check(context_, 0, GANTRY_STREAM_LEGACY, &stats), GANTRY_ERROR_BACKEND_UNAVAILABLE,
                 {"/nowhere/"});
  expect_failure(gantry_check(context_, 0, nullptr, &stats), GANTRY_ERROR_INVALID_ARGUMENT, {"the stream is null"});
  expect_failure(gantry_check(context_, -1, GANTRY_STREAM_LEGACY, &stats), GANTRY_ERROR_INVALID_ARGUMENT, {"-1"});
  stats.struct_size = 8;
  expect_failure(gantry_check(context_, 0, GANTRY_STREAM_LEGACY, &stats), GANTRY_ERROR_ABI, {"struct_size 8", "72"});
}

TEST_F(BackendTest, StorageIsPinnedByCudaOnly) {
  gantry_storage* storage = nullptr;
  ASSERT_EQ(gantry_storage_create(nullptr, 64, 0, {GANTRY_DEVICE_HOST, 0}, nullptr, 0, &storage), GANTRY_OK);
  expect_failure(gantry_storage_pin(context_, storage), GANTRY_ERROR_BACKEND_UNAVAILABLE, {"/nowhere/"});
  expect_failure(gantry_storage_pin(nullptr, storage), GANTRY_ERROR_INVALID_ARGUMENT, {"the context is null"});
  expect_failure(gantry_storage_pin(context_, nullptr), GANTRY_ERROR_INVALID_ARGUMENT, {"the storage is null"});
  gantry_storage_release(storage);
  char memory[8];
  ASSERT_EQ(gantry_storage_wrap(memory, 8, {GANTRY_DEVICE_CUDA, 0}, 0, nullptr, nullptr, &storage), GANTRY_OK);
  expect_failure(gantry_storage_pin(context_, storage), GANTRY_ERROR_INVALID_ARGUMENT,
                 {"the storage is on device type 2"});
  gantry_storage_release(storage);
  ASSERT_EQ(gantry_storage_wrap(memory, 8, {GANTRY_DEVICE_CUDA_HOST, 0}, 0, nullptr, nullptr, &storage), GANTRY_OK);
  EXPECT_EQ(gantry_storage_pin(context_, storage), GANTRY_OK);
  gantry_storage_release(storage);
  ASSERT_EQ(gantry_storage_wrap(nullptr, 0, {GANTRY_DEVICE_HOST, 0}, 0, nullptr, nullptr, &storage), GANTRY_OK);
  expect_failure(gantry_storage_pin(context_, storage), GANTRY_ERROR_INVALID_ARGUMENT, {"no bytes"});
  gantry_storage_release(storage);
}
