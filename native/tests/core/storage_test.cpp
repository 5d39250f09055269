// Storage: memory with a lifetime.
#include <atomic>
#include <thread>

#include "support.h"

using namespace gantry_test;

namespace {
constexpr gantry_device kHost{GANTRY_DEVICE_HOST, 0};
}  // namespace

TEST(Storage, HoldsItsBlockUntilTheLastRelease) {
  Recorder recorder;
  gantry_storage* storage = nullptr;
  ASSERT_EQ(gantry_storage_create(&recorder.environment, 1000, 256, kHost, nullptr, 1, &storage), GANTRY_OK);
  ASSERT_EQ(recorder.requests.size(), 1u);
  EXPECT_EQ(recorder.requests[0].bytes, 1000u);
  EXPECT_EQ(recorder.requests[0].alignment, 256u);
  EXPECT_EQ(recorder.requests[0].purpose, GANTRY_PURPOSE_OUTPUT);
  EXPECT_EQ(gantry_storage_bytes(storage), 1000u);
  EXPECT_EQ(gantry_storage_device(storage).type, GANTRY_DEVICE_HOST);
  EXPECT_EQ(gantry_storage_read_only(storage), 0);
  const auto* const bytes = static_cast<const char*>(gantry_storage_data(storage));
  EXPECT_EQ(std::vector<char>(bytes, bytes + 1000), std::vector<char>(1000, 0));
  // The environment was copied: its struct may go.
  recorder.environment.deallocate = nullptr;
  gantry_storage_retain(storage);
  gantry_storage_release(storage);
  EXPECT_EQ(recorder.given_back, 0);
  gantry_storage_release(storage);
  EXPECT_EQ(recorder.given_back, 1);
  EXPECT_TRUE(recorder.held.empty());
}

TEST(Storage, OfMallocIsAlignedTo64Bytes) {
  gantry_storage* storage = nullptr;
  ASSERT_EQ(gantry_storage_create(nullptr, 1, 0, kHost, nullptr, 0, &storage), GANTRY_OK);
  EXPECT_EQ(reinterpret_cast<uint64_t>(gantry_storage_data(storage)) % 64, 0u);
  gantry_storage_release(storage);
  ASSERT_EQ(gantry_storage_create(nullptr, 1, 1 << 16, kHost, nullptr, 0, &storage), GANTRY_OK);
  EXPECT_EQ(reinterpret_cast<uint64_t>(gantry_storage_data(storage)) % (1 << 16), 0u);
  gantry_storage_release(storage);
}

TEST(Storage, WithoutBytesAsksForNone) {
  Recorder recorder;
  gantry_storage* storage = nullptr;
  ASSERT_EQ(gantry_storage_create(&recorder.environment, 0, 0, kHost, nullptr, 1, &storage), GANTRY_OK);
  EXPECT_EQ(recorder.calls, 0);
  EXPECT_EQ(gantry_storage_data(storage), nullptr);
  EXPECT_EQ(gantry_storage_bytes(storage), 0u);
  gantry_storage_release(storage);
}

TEST(Storage, IsRefused) {
  gantry_storage* const mark = reinterpret_cast<gantry_storage*>(8);
  gantry_storage* storage = mark;
  expect_failure(gantry_storage_create(nullptr, 8, 0, kHost, nullptr, 0, nullptr), GANTRY_ERROR_INVALID_ARGUMENT,
                 {"null"});
  expect_failure(gantry_storage_create(nullptr, 8, 24, kHost, nullptr, 0, &storage), GANTRY_ERROR_INVALID_ARGUMENT,
                 {"the alignment 24 is no power of two"});
  EXPECT_EQ(storage, nullptr);
  expect_failure(gantry_storage_create(nullptr, uint64_t{1} << 63, 0, kHost, nullptr, 0, &storage),
                 GANTRY_ERROR_OVERFLOW, {"9223372036854775808 bytes"});
  expect_failure(gantry_storage_create(nullptr, uint64_t{1} << 62, 0, kHost, nullptr, 0, &storage),
                 GANTRY_ERROR_OUT_OF_MEMORY, {"malloc has no 4611686018427387904 bytes"});
  expect_failure(gantry_storage_create(nullptr, 8, 0, {99, 0}, nullptr, 0, &storage), GANTRY_ERROR_UNSUPPORTED,
                 {"the device type of the storage is 99"});
  const gantry_device cuda{GANTRY_DEVICE_CUDA, 0};
  expect_failure(gantry_storage_create(nullptr, 8, 0, cuda, GANTRY_STREAM_LEGACY, 1, &storage),
                 GANTRY_ERROR_UNSUPPORTED, {"only host memory is zeroed"});
  expect_failure(gantry_storage_create(nullptr, 8, 0, cuda, nullptr, 0, &storage), GANTRY_ERROR_INVALID_ARGUMENT,
                 {"the stream is null"});
  expect_failure(gantry_storage_create(nullptr, 8, 0, cuda, GANTRY_STREAM_LEGACY, 0, &storage),
                 GANTRY_ERROR_UNSUPPORTED, {"the malloc environment has host memory only"});
  EXPECT_EQ(storage, nullptr);
}

TEST(Storage, OfAnEnvironmentThatFailsOrLies) {
  using Fault = Recorder::Fault;
  for (const Fault fault :
       {Fault::fail, Fault::no_status, Fault::null_block, Fault::too_few_bytes, Fault::misaligned}) {
    Recorder recorder;
    recorder.fault_at = 0;
    recorder.fault = fault;
    gantry_storage* storage = nullptr;
    const gantry_status expected = fault == Fault::fail ? GANTRY_ERROR_OUT_OF_MEMORY : GANTRY_ERROR_ENVIRONMENT;
    EXPECT_EQ(gantry_storage_create(&recorder.environment, 100, 0, kHost, nullptr, 1, &storage), expected);
    EXPECT_EQ(storage, nullptr);
    EXPECT_TRUE(recorder.held.empty());
  }
}

TEST(Storage, WrapsMemoryAndReleasesItOnce) {
  int released = 0;
  char memory[16];
  gantry_storage* storage = nullptr;
  const auto release = [](void* user) { ++*static_cast<int*>(user); };
  ASSERT_EQ(gantry_storage_wrap(memory, 16, {GANTRY_DEVICE_CUDA, 1}, 1, &released, release, &storage), GANTRY_OK);
  EXPECT_EQ(gantry_storage_data(storage), memory);
  EXPECT_EQ(gantry_storage_bytes(storage), 16u);
  EXPECT_EQ(gantry_storage_device(storage).type, GANTRY_DEVICE_CUDA);
  EXPECT_EQ(gantry_storage_device(storage).id, 1);
  EXPECT_EQ(gantry_storage_read_only(storage), 1);
  gantry_storage_retain(storage);
  gantry_storage_release(storage);
  EXPECT_EQ(released, 0);
  gantry_storage_release(storage);
  EXPECT_EQ(released, 1);
  ASSERT_EQ(gantry_storage_wrap(memory, 16, kHost, 0, nullptr, nullptr, &storage), GANTRY_OK);
  gantry_storage_release(storage);
}

TEST(Storage, RefusesToWrapAndThenReleasesNothing) {
  int released = 0;
  char memory[16];
  gantry_storage* storage = nullptr;
  const auto release = [](void* user) { ++*static_cast<int*>(user); };
  expect_failure(gantry_storage_wrap(nullptr, 16, kHost, 0, &released, release, &storage),
                 GANTRY_ERROR_INVALID_ARGUMENT, {"the data of the storage is null with 16 bytes"});
  expect_failure(gantry_storage_wrap(memory, UINT64_MAX, kHost, 0, &released, release, &storage), GANTRY_ERROR_OVERFLOW,
                 {"18446744073709551615 bytes", "address space"});
  expect_failure(gantry_storage_wrap(memory, 16, {5, 0}, 0, &released, release, &storage), GANTRY_ERROR_UNSUPPORTED,
                 {"5"});
  expect_failure(gantry_storage_wrap(memory, 16, {GANTRY_DEVICE_CUDA, -2}, 0, &released, release, &storage),
                 GANTRY_ERROR_INVALID_ARGUMENT, {"the device id of the storage is -2"});
  EXPECT_EQ(storage, nullptr);
  EXPECT_EQ(released, 0);
}

TEST(Storage, NullIsAllowedEverywhere) {
  gantry_storage_retain(nullptr);
  gantry_storage_release(nullptr);
  EXPECT_EQ(gantry_storage_data(nullptr), nullptr);
  EXPECT_EQ(gantry_storage_bytes(nullptr), 0u);
  EXPECT_EQ(gantry_storage_device(nullptr).type, 0);
  EXPECT_EQ(gantry_storage_read_only(nullptr), 0);
}

TEST(Storage, IsCountedAcrossThreads) {
  std::atomic<int> released{0};
  char memory[16];
  gantry_storage* storage = nullptr;
  ASSERT_EQ(gantry_storage_wrap(
                memory, 16, kHost, 0, &released, [](void* user) { ++*static_cast<std::atomic<int>*>(user); }, &storage),
            GANTRY_OK);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    gantry_storage_retain(storage);
    threads.emplace_back([storage] {
      for (int i = 0; i < 10000; ++i) {
        gantry_storage_retain(storage);
        gantry_storage_release(storage);
      }
      gantry_storage_release(storage);
    });
  }
  gantry_storage_release(storage);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(released, 1);
}
