// Every callback of an environment fails or lies in turn; nothing leaks and the status says what happened.
#include <algorithm>
#include <thread>

#include "support.h"

using namespace gantry_test;

namespace {

using Fault = Recorder::Fault;

// An op that needs several blocks: a table of more chunks than are kept without scratch, and enough rows that the
// host's threads sort them first.
class Faults : public WithContext {
 protected:
  static constexpr int64_t kChunks = 12;
  static constexpr int64_t kRowsOfChunk = 1000;
  static constexpr int64_t kCount = 200000;

  void SetUp() override {
    gantry_open_options options{};
    options.struct_size = sizeof options;
    options.threads = 4;
    ASSERT_EQ(gantry_open(GANTRY_ABI_VERSION, &options, &context_), GANTRY_OK);
    rows_.assign(kChunks * kRowsOfChunk, 0.0f);
    for (int64_t i = 0; i < kChunks; ++i) {
      chunks_.push_back(View(rows_.data() + i * kRowsOfChunk, kFloat32, {0, 1}).tensor);
      chunks_.back().shape = shape_;
    }
    numbers_.resize(kCount);
    for (int64_t i = 0; i < kCount; ++i) numbers_[static_cast<size_t>(i)] = i * 7919 % (kChunks * kRowsOfChunk);
    source_.assign(kCount, 1.0f);
  }
  gantry_status scatter_add(const gantry_environment* environment, gantry_stats* stats = nullptr) {
    const gantry_table whole = table_of(chunks_.data(), kChunks);
    View indices(numbers_, {kCount});
    View source(source_, {kCount, 1});
    const gantry_options options = options_with(GANTRY_BOUNDS_ERROR, stats);
    return gantry_scatter_add(context_, &source, &indices, &whole, &options, environment, nullptr);
  }

  const int64_t shape_[2] = {kRowsOfChunk, 1};
  std::vector<float> rows_;
  std::vector<gantry_tensor> chunks_;
  std::vector<int64_t> numbers_;
  std::vector<float> source_;
};

struct Expected {
  Fault fault;
  gantry_status status;
  std::initializer_list<const char*> fragments;
};

const Expected kExpected[] = {
    {Fault::fail,
     GANTRY_ERROR_OUT_OF_MEMORY,
     {"the environment's allocate returned GANTRY_ERROR_OUT_OF_MEMORY", "bytes"}},
    {Fault::no_status, GANTRY_ERROR_ENVIRONMENT, {"the environment's allocate returned 4711", "no gantry_status"}},
    {Fault::null_block, GANTRY_ERROR_ENVIRONMENT, {"returned GANTRY_OK and a null block"}},
    {Fault::too_few_bytes, GANTRY_ERROR_ENVIRONMENT, {"returned a block of", "bytes when asked for"}},
    {Fault::misaligned, GANTRY_ERROR_ENVIRONMENT, {"returned a block at", "alignment of"}},
};

}  // namespace

TEST_F(Faults, WithoutAFaultEverythingComesBackInReverse) {
  Recorder recorder;
  gantry_stats stats = empty_stats();
  ASSERT_EQ(scatter_add(&recorder.environment, &stats), GANTRY_OK) << gantry_last_error();
  EXPECT_GE(recorder.calls, 2);
  EXPECT_EQ(recorder.given_back, recorder.calls);
  EXPECT_TRUE(recorder.held.empty());
  EXPECT_EQ(recorder.out_of_order, 0);
  EXPECT_EQ(stats.scratch_bytes, recorder.bytes);
  for (const gantry_allocation& request : recorder.requests) {
    EXPECT_EQ(request.struct_size, sizeof request);
    EXPECT_EQ(request.purpose, GANTRY_PURPOSE_SCRATCH);
    EXPECT_EQ(request.device.type, GANTRY_DEVICE_HOST);
    EXPECT_EQ(request.device.id, 0);
    EXPECT_EQ(request.stream, nullptr);
    EXPECT_GT(request.bytes, 0u);
  }
  std::vector<float> expected(rows_.size(), 0.0f);
  for (const int64_t number : numbers_) expected[static_cast<size_t>(number)] += 1.0f;
  EXPECT_EQ(rows_, expected);
}

TEST_F(Faults, AtEveryCallback) {
  Recorder plain;
  ASSERT_EQ(scatter_add(&plain.environment), GANTRY_OK);
  for (const Expected& expected : kExpected) {
    for (int k = 0; k < plain.calls; ++k) {
      std::fill(rows_.begin(), rows_.end(), 0.0f);
      Recorder recorder;
      recorder.fault = expected.fault;
      recorder.fault_at = k;
      expect_failure(scatter_add(&recorder.environment), expected.status, expected.fragments);
      EXPECT_EQ(recorder.calls, k + 1);
      EXPECT_TRUE(recorder.held.empty()) << k;
      EXPECT_EQ(recorder.out_of_order, 0) << k;
      // A block that came with GANTRY_OK is given back, however wrong it is.
      const bool came = expected.fault == Fault::null_block || expected.fault == Fault::too_few_bytes ||
                        expected.fault == Fault::misaligned;
      EXPECT_EQ(recorder.given_back, k + (came ? 1 : 0)) << k;
      EXPECT_EQ(rows_, std::vector<float>(rows_.size(), 0.0f)) << "a row was written before all memory was there";
    }
  }
}

TEST_F(Faults, TheStatusAndTheTextOfACallbackAreTheOps) {
  Recorder recorder;
  recorder.environment.allocate = [](void*, const gantry_allocation*, gantry_block*) -> gantry_status {
    gantry_storage_wrap(nullptr, 5, {GANTRY_DEVICE_HOST, 0}, 0, nullptr, nullptr, nullptr);  // sets a text
    return GANTRY_ERROR_SYSTEM;
  };
  expect_failure(scatter_add(&recorder.environment), GANTRY_ERROR_SYSTEM, {"the place for the storage is null"});
  // An older text is not taken for the callback's.
  recorder.environment.allocate = [](void*, const gantry_allocation*, gantry_block*) -> gantry_status {
    return GANTRY_ERROR_DEVICE;
  };
  expect_failure(scatter_add(&recorder.environment), GANTRY_ERROR_DEVICE,
                 {"the environment's allocate returned GANTRY_ERROR_DEVICE when asked for"});
  for (const gantry_status status : {-1, GANTRY_ERROR_INTERNAL + 1, INT32_MIN, INT32_MAX}) {
    recorder.environment.user = reinterpret_cast<void*>(static_cast<intptr_t>(status));
    recorder.environment.allocate = [](void* user, const gantry_allocation*, gantry_block*) -> gantry_status {
      return static_cast<gantry_status>(reinterpret_cast<intptr_t>(user));
    };
    expect_failure(scatter_add(&recorder.environment), GANTRY_ERROR_ENVIRONMENT, {std::to_string(status).c_str()});
  }
}

TEST_F(Faults, ABadIndexIsNotACallbacksToReport) {
  Recorder recorder;
  recorder.environment.allocate = [](void*, const gantry_allocation*, gantry_block*) -> gantry_status {
    return GANTRY_ERROR_INDEX;
  };
  gantry_stats stats = empty_stats();
  expect_failure(scatter_add(&recorder.environment, &stats), GANTRY_ERROR_ENVIRONMENT,
                 {"the environment's allocate returned GANTRY_ERROR_INDEX when asked for"});
}

TEST_F(Faults, ASuccessLeavesTheTextOfTheLastFailure) {
  expect_failure(gantry_open(0, nullptr, nullptr), GANTRY_ERROR_INVALID_ARGUMENT,
                 {"the place for the context is null"});
  const std::string text = gantry_last_error();
  Recorder recorder;
  ASSERT_EQ(scatter_add(&recorder.environment), GANTRY_OK);
  ASSERT_GT(recorder.calls, 0);
  EXPECT_EQ(gantry_last_error(), text);
  gantry_storage* storage = nullptr;
  ASSERT_EQ(gantry_storage_create(nullptr, 8, 0, {GANTRY_DEVICE_HOST, 0}, nullptr, 0, &storage), GANTRY_OK);
  EXPECT_EQ(gantry_last_error(), text);
  gantry_storage_release(storage);
}

TEST_F(Faults, CallbacksThatAreMissing) {
  gantry_environment environment = *gantry_environment_malloc();
  environment.allocate = nullptr;
  expect_failure(scatter_add(&environment), GANTRY_ERROR_INVALID_ARGUMENT, {"the environment's allocate is null"});
  environment = *gantry_environment_malloc();
  environment.deallocate = nullptr;
  expect_failure(scatter_add(&environment), GANTRY_ERROR_INVALID_ARGUMENT, {"the environment's deallocate is null"});
}

TEST_F(Faults, WhatCallbacksWriteIntoTheirArgumentsIsTheirOwn) {
  // A callee that scribbles over the request and the block while it gives it back.
  struct Scribbler {
    Recorder recorder;
    gantry_environment environment{};
  } scribbler;
  scribbler.environment = scribbler.recorder.environment;
  scribbler.environment.user = &scribbler;
  scribbler.environment.allocate = [](void* user, const gantry_allocation* request, gantry_block* block) {
    auto& self = *static_cast<Scribbler*>(user);
    const gantry_status status = self.recorder.environment.allocate(&self.recorder, request, block);
    const_cast<gantry_allocation*>(request)->bytes = 0;
    block->struct_size = 0;
    return status;
  };
  scribbler.environment.deallocate = [](void* user, const gantry_allocation* request, gantry_block* block) {
    auto& self = *static_cast<Scribbler*>(user);
    EXPECT_GT(request->bytes, 0u);
    self.recorder.environment.deallocate(&self.recorder, request, block);
    *block = gantry_block{};
    *const_cast<gantry_allocation*>(request) = gantry_allocation{};
  };
  ASSERT_EQ(scatter_add(&scribbler.environment), GANTRY_OK) << gantry_last_error();
  EXPECT_EQ(scribbler.recorder.given_back, scribbler.recorder.calls);
  EXPECT_EQ(scribbler.recorder.out_of_order, 0);
}

namespace {

struct Nested {
  gantry_context* context;
  gantry_status seen = GANTRY_OK;
  std::string text;

  gantry_status gather() {
    std::vector<float> rows{1, 2};
    std::vector<int64_t> numbers{1};
    std::vector<float> out{0};
    View table(rows, {2, 1});
    View indices(numbers, {1});
    View output(out, {1, 1});
    const gantry_table whole = table_of(&table);
    seen = gantry_gather(context, &whole, &indices, &output, nullptr, nullptr, nullptr);
    text = gantry_last_error();
    if (seen == GANTRY_OK) {
      EXPECT_EQ(out[0], 2.0f);
    }
    return seen;
  }
  static gantry_status allocate(void* user, const gantry_allocation*, gantry_block*) {
    return static_cast<Nested*>(user)->gather();
  }
};

}  // namespace

TEST_F(Faults, ACallbackThatCallsAnOpOnTheSameContext) {
  Nested nested{context_};
  gantry_environment environment = *gantry_environment_malloc();
  environment.user = &nested;
  environment.allocate = &Nested::allocate;
  expect_failure(scatter_add(&environment), GANTRY_ERROR_REENTRANT, {"a callback called an op on the context"});
  EXPECT_EQ(nested.seen, GANTRY_ERROR_REENTRANT);
  // Afterwards the context works as before.
  EXPECT_EQ(nested.gather(), GANTRY_OK);

  environment.allocate = [](void* user, const gantry_allocation*, gantry_block*) {
    return gantry_close(static_cast<Nested*>(user)->context);
  };
  expect_failure(scatter_add(&environment), GANTRY_ERROR_REENTRANT, {"a callback called an op on the context"});
  EXPECT_EQ(nested.gather(), GANTRY_OK);
}

TEST_F(Faults, ACallbackThatCallsAnOpOnAnotherContext) {
  gantry_context* other = nullptr;
  ASSERT_EQ(gantry_open(GANTRY_ABI_VERSION, nullptr, &other), GANTRY_OK);
  Nested nested{other};
  gantry_environment environment = *gantry_environment_malloc();
  environment.user = &nested;
  environment.allocate = [](void* user, const gantry_allocation* request, gantry_block* block) {
    const gantry_status status = static_cast<Nested*>(user)->gather();
    return status != GANTRY_OK ? status : gantry_environment_malloc()->allocate(nullptr, request, block);
  };
  EXPECT_EQ(scatter_add(&environment), GANTRY_OK) << gantry_last_error();
  EXPECT_EQ(nested.seen, GANTRY_OK);

  EXPECT_EQ(gantry_close(other), GANTRY_OK);
}

TEST_F(Faults, ACallbackThatComesBackByWayOfAnotherContext) {
  gantry_context* other = nullptr;
  ASSERT_EQ(gantry_open(GANTRY_ABI_VERSION, nullptr, &other), GANTRY_OK);
  // An op on `other`, out of whose environment an op on the first context is called.
  struct Detour {
    gantry_context* other;
    Nested back;
  } detour{other, {context_}};
  gantry_environment environment = *gantry_environment_malloc();
  environment.user = &detour;
  environment.allocate = [](void* user, const gantry_allocation*, gantry_block*) -> gantry_status {
    auto& self = *static_cast<Detour*>(user);
    std::vector<float> rows{1, 2};
    std::vector<int64_t> numbers{1};
    View table(rows, {2, 1});
    View indices(numbers, {1});
    View output(nullptr, kFloat32, {1, 1});
    const gantry_table whole = table_of(&table);
    gantry_environment inner = *gantry_environment_malloc();
    inner.user = &self.back;
    inner.allocate_output = [](void* nested, const gantry_allocation*, void*, gantry_tensor*) {
      return static_cast<Nested*>(nested)->gather();
    };
    return gantry_gather(self.other, &whole, &indices, &output, nullptr, &inner, nullptr);
  };
  expect_failure(scatter_add(&environment), GANTRY_ERROR_REENTRANT, {"a callback called an op on the context"});
  EXPECT_EQ(detour.back.seen, GANTRY_ERROR_REENTRANT);
  EXPECT_EQ(gantry_close(other), GANTRY_OK);
}

TEST_F(Faults, OtherThreadsMayUseTheContextMeanwhile) {
  gantry_environment environment = *gantry_environment_malloc();
  Nested nested{context_};
  environment.user = &nested;
  environment.allocate = [](void* user, const gantry_allocation* request, gantry_block* block) {
    std::thread([user] { static_cast<Nested*>(user)->gather(); }).join();
    return gantry_environment_malloc()->allocate(nullptr, request, block);
  };
  EXPECT_EQ(scatter_add(&environment), GANTRY_OK) << gantry_last_error();
  EXPECT_EQ(nested.seen, GANTRY_OK) << nested.text;
}

TEST_F(Faults, ObserveHearsOfEveryOpThatRan) {
  struct Heard {
    std::string ops;
    uint64_t bytes = 0;
  } heard;
  gantry_environment environment = *gantry_environment_malloc();
  environment.user = &heard;
  environment.observe = [](void* user, const char* op, uint64_t bytes_moved, uint64_t nanoseconds) {
    auto& self = *static_cast<Heard*>(user);
    self.ops += std::string(op) + " ";
    self.bytes += bytes_moved;
    EXPECT_GT(nanoseconds, 0u);
  };
  std::vector<float> rows{1, 2, 3, 4};
  std::vector<int64_t> numbers{1, 9};
  std::vector<float> out(4);
  View table(rows, {2, 2});
  View indices(numbers, {2});
  View output(out, {2, 2});
  const gantry_table whole = table_of(&table);
  expect_failure(gantry_gather(context_, &whole, &indices, &output, nullptr, &environment, nullptr), GANTRY_ERROR_INDEX,
                 {"index 9"});
  EXPECT_EQ(heard.ops, "gather ");
  EXPECT_EQ(heard.bytes, 2 * 8 + 2 * 8u);
  ASSERT_EQ(gantry_copy(context_, &table, &output, nullptr, &environment, nullptr), GANTRY_OK) << gantry_last_error();
  EXPECT_EQ(heard.ops, "gather copy ");
  EXPECT_EQ(heard.bytes, 2 * 8 + 2 * 8 + 2 * 16u);
  expect_failure(gantry_copy(context_, &table, &table, nullptr, &environment, nullptr), GANTRY_ERROR_OVERLAP, {});
  EXPECT_EQ(heard.ops, "gather copy ");
}
