// The cached environment: size classes, what is kept and for how long, many threads, fork.
#include "core/cache.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <random>
#include <thread>

#include "support.h"

using namespace gantry_test;
using gantry::SizeClass;

TEST(SizeClasses, AreTheLeastThatHoldTheBytes) {
  EXPECT_EQ(SizeClass::bytes_of(0), 256u);
  EXPECT_EQ(SizeClass::bytes_of(1), 320u);
  EXPECT_EQ(SizeClass::bytes_of(4), 512u);
  EXPECT_EQ(SizeClass::bytes_of(SizeClass::kCount - 1), SizeClass::kMost);
  for (uint32_t i = 0; i < SizeClass::kCount; ++i) {
    const uint64_t bytes = SizeClass::bytes_of(i);
    EXPECT_EQ(SizeClass::index_of(bytes), i);
    EXPECT_EQ(bytes % 64, 0u);
    if (i + 1 < SizeClass::kCount) {
      EXPECT_EQ(SizeClass::index_of(bytes + 1), i + 1);
      EXPECT_GT(SizeClass::bytes_of(i + 1), bytes);
    }
  }
  EXPECT_EQ(SizeClass::index_of(1), 0u);
}

namespace {

class CacheTest : public ::testing::Test {
 protected:
  void make(uint64_t limit_bytes) {
    gantry_cache_options options{};
    options.struct_size = sizeof options;
    options.limit_bytes = limit_bytes;
    ASSERT_EQ(gantry_environment_cached_create(&options, &environment_), GANTRY_OK) << gantry_last_error();
  }
  void TearDown() override {
    EXPECT_EQ(gantry_environment_cached_destroy(environment_), GANTRY_OK) << gantry_last_error();
  }
  gantry_block allocate(uint64_t bytes, uint64_t alignment = 64, gantry_status expected = GANTRY_OK) {
    const gantry_allocation request = request_for(bytes, alignment);
    gantry_block block{};
    block.struct_size = sizeof block;
    EXPECT_EQ(environment_->allocate(environment_->user, &request, &block), expected) << gantry_last_error();
    if (expected == GANTRY_OK) {
      EXPECT_EQ(reinterpret_cast<uint64_t>(block.data) % alignment, 0u);
      EXPECT_GE(block.bytes, bytes);
      // Every byte is there.
      std::memset(block.data, 0x5a, bytes);
    }
    return block;
  }
  void deallocate(gantry_block block) {
    const gantry_allocation request = request_for(block.bytes, 64);
    environment_->deallocate(environment_->user, &request, &block);
  }
  gantry_cache_statistics statistics() {
    gantry_cache_statistics result{};
    result.struct_size = sizeof result;
    EXPECT_EQ(gantry_environment_cached_statistics(environment_, &result), GANTRY_OK);
    return result;
  }
  static gantry_allocation request_for(uint64_t bytes, uint64_t alignment) {
    gantry_allocation request{};
    request.struct_size = sizeof request;
    request.bytes = bytes;
    request.alignment = alignment;
    request.device = {GANTRY_DEVICE_HOST, 0};
    return request;
  }

  gantry_environment* environment_ = nullptr;
};

}  // namespace

TEST_F(CacheTest, ABlockComesBackForItsClass) {
  make(1 << 20);
  const gantry_block first = allocate(1000);
  EXPECT_EQ(first.bytes, 1024u);
  deallocate(first);
  EXPECT_EQ(statistics().bytes_kept, 1024u);
  const gantry_block other_class = allocate(1025);
  EXPECT_NE(other_class.data, first.data);
  const gantry_block again = allocate(900);
  EXPECT_EQ(again.data, first.data);
  const gantry_cache_statistics seen = statistics();
  EXPECT_EQ(seen.bytes_in_use, 1024u + 1280u);
  EXPECT_EQ(seen.bytes_in_use_peak, 1024u + 1280u);
  EXPECT_EQ(seen.bytes_kept, 0u);
  EXPECT_EQ(seen.allocations, 3u);
  EXPECT_EQ(seen.reused, 1u);
  deallocate(again);
  deallocate(other_class);
  EXPECT_EQ(statistics().bytes_in_use, 0u);
  EXPECT_EQ(statistics().bytes_in_use_peak, 2304u);
}

TEST_F(CacheTest, TheOldestLeaveWhenTheLimitIsReached) {
  make(4096);
  gantry_block blocks[5];
  for (gantry_block& block : blocks) block = allocate(1024);
  for (const gantry_block& block : blocks) deallocate(block);
  EXPECT_EQ(statistics().bytes_kept, 4096u);
  // The last one is the first to come back.
  for (int i = 4; i >= 1; --i) EXPECT_EQ(allocate(1024).data, blocks[i].data);
  EXPECT_EQ(statistics().reused, 4u);
  for (int i = 1; i <= 4; ++i) deallocate(blocks[i]);
  // A block that is larger than the limit is not kept, and takes the others' place no longer than it lasts.
  deallocate(allocate(100000));
  EXPECT_EQ(statistics().bytes_kept, 0u);
}

TEST_F(CacheTest, TrimKeepsAsMuchAsItIsTold) {
  make(1 << 20);
  gantry_block small = allocate(300);
  gantry_block large = allocate(5000);
  deallocate(large);
  deallocate(small);
  EXPECT_EQ(statistics().bytes_kept, 320u + 5120u);
  ASSERT_EQ(gantry_environment_cached_trim(environment_, 5440), GANTRY_OK);
  EXPECT_EQ(statistics().bytes_kept, 5440u);
  ASSERT_EQ(gantry_environment_cached_trim(environment_, 5439), GANTRY_OK);
  EXPECT_EQ(statistics().bytes_kept, 320u);
  ASSERT_EQ(gantry_environment_cached_trim(environment_, 0), GANTRY_OK);
  EXPECT_EQ(statistics().bytes_kept, 0u);
}

TEST_F(CacheTest, LargeBlocksBeginAtAHugePage) {
  make(uint64_t{1} << 30);
  gantry_block block = allocate(uint64_t{4} << 20, uint64_t{2} << 20);
  EXPECT_EQ(block.bytes, uint64_t{4} << 20);
  void* const data = block.data;
  deallocate(block);
  block = allocate((uint64_t{4} << 20) - 1000);
  EXPECT_EQ(block.data, data);
  deallocate(block);
  block = allocate((uint64_t{5} << 20) + 1);
  EXPECT_EQ(block.bytes, uint64_t{6} << 20);
  EXPECT_EQ(reinterpret_cast<uint64_t>(block.data) % (uint64_t{2} << 20), 0u);
  deallocate(block);
}

TEST_F(CacheTest, StricterAlignmentsAreServedAndNotKept) {
  make(1 << 20);
  const uint64_t cases[][2] = {{100, 128}, {100, 4096}, {100, 1 << 22}, {5 << 20, 1 << 22}};
  for (const auto& [bytes, alignment] : cases) {
    const gantry_block block = allocate(bytes, alignment);
    EXPECT_EQ(statistics().bytes_in_use, block.bytes);
    deallocate(block);
    EXPECT_EQ(statistics().bytes_in_use, 0u);
    EXPECT_EQ(statistics().bytes_kept, 0u);
  }
}

TEST_F(CacheTest, BlocksBeyondTheLargestClassGoBackAtOnce) {
  make(uint64_t{1} << 40);
  const gantry_allocation request = request_for(SizeClass::kMost + 1, 64);
  gantry_block block{};
  block.struct_size = sizeof block;
  ASSERT_EQ(environment_->allocate(environment_->user, &request, &block), GANTRY_OK) << gantry_last_error();
  EXPECT_EQ(reinterpret_cast<uint64_t>(block.data) % (uint64_t{2} << 20), 0u);
  EXPECT_EQ(block.bytes, SizeClass::kMost + (64 << 10));
  static_cast<char*>(block.data)[block.bytes - 1] = 1;
  EXPECT_EQ(statistics().bytes_in_use, block.bytes);
  deallocate(block);
  EXPECT_EQ(statistics().bytes_in_use, 0u);
  EXPECT_EQ(statistics().bytes_kept, 0u);
}

TEST_F(CacheTest, WhatCannotBeHadIsRefused) {
  make(1 << 20);
  deallocate(allocate(1000));
  allocate(uint64_t{1} << 62, 64, GANTRY_ERROR_OUT_OF_MEMORY);
  expect_failure(GANTRY_ERROR_OUT_OF_MEMORY, GANTRY_ERROR_OUT_OF_MEMORY,
                 {"could not get 4611686018427387904 bytes", "0 are in use"});
  // What was kept was given up first.
  EXPECT_EQ(statistics().bytes_kept, 0u);
  EXPECT_EQ(statistics().bytes_in_use, 0u);
  EXPECT_EQ(statistics().allocations, 1u);
  allocate(0, 64, GANTRY_ERROR_INVALID_ARGUMENT);
  allocate(UINT64_MAX, 64, GANTRY_ERROR_INVALID_ARGUMENT);
  allocate(16, 48, GANTRY_ERROR_INVALID_ARGUMENT);
  gantry_allocation request = request_for(16, 64);
  request.device = {GANTRY_DEVICE_CUDA, 2};
  gantry_block block{};
  expect_failure(environment_->allocate(environment_->user, &request, &block), GANTRY_ERROR_UNSUPPORTED,
                 {"host memory only", "16 bytes", "device type 2, id 2"});
}

TEST_F(CacheTest, OthersAreNoCachedEnvironment) {
  make(0);
  gantry_environment copy = *gantry_environment_malloc();
  expect_failure(gantry_environment_cached_trim(&copy, 0), GANTRY_ERROR_INVALID_ARGUMENT,
                 {"the environment is another"});
  expect_failure(gantry_environment_cached_destroy(&copy), GANTRY_ERROR_INVALID_ARGUMENT,
                 {"the environment is another"});
  expect_failure(gantry_environment_cached_trim(nullptr, 0), GANTRY_ERROR_INVALID_ARGUMENT,
                 {"the environment is null"});
  gantry_cache_statistics statistics{};
  statistics.struct_size = sizeof statistics;
  expect_failure(gantry_environment_cached_statistics(&copy, &statistics), GANTRY_ERROR_INVALID_ARGUMENT, {"another"});
  expect_failure(gantry_environment_cached_statistics(environment_, nullptr), GANTRY_ERROR_INVALID_ARGUMENT, {"null"});
  expect_failure(gantry_environment_cached_create(nullptr, nullptr), GANTRY_ERROR_INVALID_ARGUMENT, {"null"});
  EXPECT_EQ(gantry_environment_cached_destroy(nullptr), GANTRY_OK);
}

TEST_F(CacheTest, DestroyIsRefusedWhileBlocksAreInUse) {
  make(0);
  const gantry_block block = allocate(5000);
  expect_failure(gantry_environment_cached_destroy(environment_), GANTRY_ERROR_INVALID_ARGUMENT, {"5120 bytes in use"});
  deallocate(block);
}

TEST_F(CacheTest, ManyThreadsNeverShareABlock) {
  make(1 << 16);
  constexpr int kThreads = 4;
  constexpr int kRounds = 3000;
  std::atomic<int> broken{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937 random(static_cast<uint32_t>(t));
      std::vector<gantry_block> held;
      for (int round = 0; round < kRounds; ++round) {
        if (held.size() < 8 && random() % 3 != 0) {
          const gantry_allocation request = request_for(1 + random() % 4000, 64);
          gantry_block block{};
          block.struct_size = sizeof block;
          if (environment_->allocate(environment_->user, &request, &block) != GANTRY_OK) ++broken;
          std::memset(block.data, t, block.bytes);
          held.push_back(block);
        } else if (!held.empty()) {
          gantry_block block = held.back();
          held.pop_back();
          const auto* const bytes = static_cast<unsigned char*>(block.data);
          for (uint64_t i = 0; i < block.bytes; i += 61) broken += bytes[i] != t ? 1 : 0;
          const gantry_allocation request = request_for(block.bytes, 64);
          environment_->deallocate(environment_->user, &request, &block);
        }
        if (round % 500 == 0) gantry_environment_cached_trim(environment_, 1000);
      }
      for (gantry_block& block : held) {
        const gantry_allocation request = request_for(block.bytes, 64);
        environment_->deallocate(environment_->user, &request, &block);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(broken, 0);
  EXPECT_EQ(statistics().bytes_in_use, 0u);
  EXPECT_LE(statistics().bytes_kept, uint64_t{1} << 16);
  EXPECT_GT(statistics().reused, 0u);
}

TEST_F(CacheTest, AForkedChildIsNeverLeftWaiting) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "AddressSanitizer's allocator may be locked in a child of several threads";
#endif
  make(1 << 20);
  std::atomic<bool> ends{false};
  std::vector<std::thread> busy;
  for (int t = 0; t < 3; ++t) {
    busy.emplace_back([&] {
      while (!ends) {
        const gantry_allocation request = request_for(512, 64);
        gantry_block block{};
        environment_->allocate(environment_->user, &request, &block);
        environment_->deallocate(environment_->user, &request, &block);
      }
    });
  }
  for (int round = 0; round < 100; ++round) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      alarm(10);  // a child that waits for ever is ended by it
      const gantry_allocation request = request_for(512, 64);
      gantry_block block{};
      const gantry_status status = environment_->allocate(environment_->user, &request, &block);
      environment_->deallocate(environment_->user, &request, &block);
      _exit(status == GANTRY_OK ? 0 : 1);
    }
    int outcome = -1;
    ASSERT_EQ(waitpid(child, &outcome, 0), child);
    EXPECT_TRUE(WIFEXITED(outcome) && WEXITSTATUS(outcome) == 0) << outcome;
  }
  ends = true;
  for (std::thread& thread : busy) thread.join();
}
