// What core hands to the CUDA backend, over a plug-in that records it: no GPU is needed.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recording_plugin.h"
#include "support.h"

using namespace gantry_test;

namespace {

class Dispatch : public ::testing::Test {
 protected:
  void SetUp() override {
    open();
    gantry_backend_info info{};
    info.struct_size = sizeof info;
    ASSERT_EQ(gantry_backend_query(context_, GANTRY_BACKEND_CUDA, &info), GANTRY_OK);
    ASSERT_EQ(info.reason, GANTRY_REASON_AVAILABLE) << info.text;
    EXPECT_EQ(info.device_count, 2);
    void* const library = dlopen(RECORDING_PLUGIN, RTLD_NOW | RTLD_NOLOAD);
    ASSERT_NE(library, nullptr);
    auto* const get = reinterpret_cast<Recording* (*)()>(dlsym(library, "gantry_test_recording"));
    ASSERT_NE(get, nullptr);
    recording_ = get();
    *recording_ = Recording{};
    dlclose(library);
  }
  void TearDown() override { EXPECT_EQ(gantry_close(context_), GANTRY_OK); }
  void open() {
    gantry_open_options options{};
    options.struct_size = sizeof options;
    options.threads = 1;
    options.cuda_plugin = RECORDING_PLUGIN;
    ASSERT_EQ(gantry_open(GANTRY_ABI_VERSION, &options, &context_), GANTRY_OK);
  }

  gantry_context* context_ = nullptr;
  Recording* recording_ = nullptr;
};

// Memory is only pointed at, so the host's does.
class DispatchOfOps : public Dispatch {
 protected:
  void SetUp() override {
    Dispatch::SetUp();
    table_->device = {GANTRY_DEVICE_CUDA_HOST, 0};
    indices_->device = {GANTRY_DEVICE_CUDA, 1};
    output_->device = {GANTRY_DEVICE_CUDA_MANAGED, 1};
  }
  gantry_status gather(gantry_stats* stats = nullptr) {
    gantry_options options = options_with(GANTRY_BOUNDS_CLAMP, stats);
    options.deterministic = GANTRY_ALWAYS;
    options.streaming = GANTRY_NEVER;
    options.sorted = GANTRY_ALWAYS;
    options.multiprocessors = 7;
    const gantry_table whole = table_of(&table_);
    return gantry_gather(context_, &whole, &indices_, &output_, &options, &recorder_.environment, stream_);
  }

  const gantry_stream stream_ = reinterpret_cast<gantry_stream>(0x1000);
  std::vector<float> rows_ = std::vector<float>(12);
  std::vector<uint32_t> numbers_{2, 0, 1};
  std::vector<double> out_ = std::vector<double>(9);
  View table_{rows_, {4, 2}, {3, 1}};
  View indices_{numbers_.data(), kUint32, {2}, {2}};
  View output_{out_, {2, 2}, {4, 1}};
  Recorder recorder_;
};

}  // namespace

TEST_F(DispatchOfOps, TheRequestIsWhole) {
  gantry_stats stats = empty_stats();
  ASSERT_EQ(gather(&stats), GANTRY_OK) << gantry_last_error();
  EXPECT_EQ(recording_->executed, 1);
  const gantry::Request& request = recording_->request;
  EXPECT_EQ(request.op, gantry::Op::gather);
  EXPECT_EQ(request.bounds, static_cast<gantry_bounds>(GANTRY_BOUNDS_CLAMP));
  EXPECT_EQ(request.chunk_count, 1u);
  EXPECT_EQ(recording_->chunk.data, reinterpret_cast<char*>(rows_.data()));
  EXPECT_EQ(recording_->chunk.rows, 4);
  EXPECT_EQ(recording_->chunk.row_stride_bytes, 12);
  EXPECT_EQ(request.table_dtype.bits, 32);
  EXPECT_EQ(request.table_rows, 4);
  EXPECT_EQ(request.columns, 2);
  EXPECT_EQ(request.side, reinterpret_cast<char*>(out_.data()));
  EXPECT_EQ(request.side_dtype.bits, 64);
  EXPECT_EQ(request.side_row_stride_bytes, 32);
  EXPECT_EQ(request.indices, reinterpret_cast<const char*>(numbers_.data()));
  EXPECT_EQ(request.index_count, 2);
  EXPECT_EQ(request.index_stride_bytes, 8);
  EXPECT_EQ(request.index_bytes, 4u);
  EXPECT_EQ(request.index_unsigned, 1u);
  EXPECT_EQ(request.deterministic, static_cast<gantry_choice>(GANTRY_ALWAYS));
  EXPECT_EQ(request.streaming, static_cast<gantry_choice>(GANTRY_NEVER));
  EXPECT_EQ(request.sorted, static_cast<gantry_choice>(GANTRY_ALWAYS));
  EXPECT_EQ(request.multiprocessors, 7u);
  EXPECT_EQ(request.device.type, GANTRY_DEVICE_CUDA);
  EXPECT_EQ(request.device.id, 1);
  EXPECT_EQ(request.stream, stream_);
  EXPECT_TRUE(request.wants_stats);
  EXPECT_EQ(stats.rows, 2);
  EXPECT_EQ(stats.scratch_bytes, 128u);
}

TEST_F(DispatchOfOps, ScratchIsAskedForOnTheDeviceAndItsStream) {
  ASSERT_EQ(gather(), GANTRY_OK) << gantry_last_error();
  ASSERT_EQ(recorder_.requests.size(), 1u);
  EXPECT_EQ(recorder_.requests[0].bytes, 128u);
  EXPECT_EQ(recorder_.requests[0].alignment, 256u);
  EXPECT_EQ(recorder_.requests[0].purpose, GANTRY_PURPOSE_DIAGNOSTICS);
  EXPECT_EQ(recorder_.requests[0].device.type, GANTRY_DEVICE_CUDA);
  EXPECT_EQ(recorder_.requests[0].device.id, 1);
  EXPECT_EQ(recorder_.requests[0].stream, stream_);
  EXPECT_EQ(recorder_.given_back, 1);
}

TEST_F(DispatchOfOps, AnObserverCostsNoStatistics) {
  uint64_t heard = 0;
  recorder_.environment.observe = [](void* user, const char*, uint64_t bytes_moved, uint64_t) {
    static_cast<Recorder*>(user)->bytes = bytes_moved;
  };
  ASSERT_EQ(gather(), GANTRY_OK) << gantry_last_error();
  heard = recorder_.bytes;
  EXPECT_FALSE(recording_->request.wants_stats);
  EXPECT_EQ(heard, 1000u);
}

TEST_F(DispatchOfOps, FailuresAreTheBackends) {
  recording_->answer = GANTRY_ERROR_DEVICE;
  expect_failure(gather(), GANTRY_ERROR_DEVICE, {"the answer of the test, 12"});
  EXPECT_EQ(recorder_.given_back, 1);
  recorder_.fault_at = 1;
  recorder_.fault = Recorder::Fault::fail;
  expect_failure(gather(), GANTRY_ERROR_OUT_OF_MEMORY, {"when asked for 128 bytes"});
}

TEST_F(DispatchOfOps, AnOutputIsAskedForOnItsDevice) {
  static std::vector<double>* memory = &out_;
  memory = &out_;
  static gantry_allocation seen{};
  output_->data = nullptr;
  recorder_.environment.allocate_output = [](void*, const gantry_allocation* request, void*,
                                             gantry_tensor* output) -> gantry_status {
    seen = *request;
    const uint64_t misfit = reinterpret_cast<uint64_t>(memory->data()) % 16;
    output->data = memory->data();
    output->byte_offset = misfit != 0 ? 16 - misfit : 0;
    return GANTRY_OK;
  };
  ASSERT_EQ(gather(), GANTRY_OK) << gantry_last_error();
  EXPECT_EQ(seen.device.type, GANTRY_DEVICE_CUDA_MANAGED);
  EXPECT_EQ(seen.device.id, 1);
  EXPECT_EQ(seen.stream, stream_);
  EXPECT_EQ(seen.bytes, 32u);
}

TEST_F(Dispatch, CheckGivesWhatTheBackendFound) {
  gantry_stats stats = empty_stats();
  ASSERT_EQ(gantry_check(context_, 1, GANTRY_STREAM_PER_THREAD, &stats), GANTRY_OK);
  EXPECT_EQ(recording_->checked_device, 1);
  EXPECT_EQ(recording_->checked_stream, GANTRY_STREAM_PER_THREAD);
  EXPECT_EQ(stats.first_bad_position, 3);
  recording_->answer = GANTRY_ERROR_INDEX;
  stats = empty_stats();
  expect_failure(gantry_check(context_, 1, GANTRY_STREAM_LEGACY, &stats), GANTRY_ERROR_INDEX,
                 {"the answer of the test"});
  EXPECT_EQ(stats.bad_rows, 5);
  recording_->answer = GANTRY_ERROR_DEVICE;
  stats = empty_stats();
  EXPECT_EQ(gantry_check(context_, 1, GANTRY_STREAM_LEGACY, &stats), GANTRY_ERROR_DEVICE);
  EXPECT_EQ(stats.bad_rows, 0);
  EXPECT_EQ(gantry_check(context_, 1, GANTRY_STREAM_LEGACY, nullptr), GANTRY_ERROR_DEVICE);
  EXPECT_EQ(recording_->checked, 4);
}

TEST_F(Dispatch, PinnedMemoryComesFromTheBackend) {
  const gantry_environment* pinned = nullptr;
  ASSERT_EQ(gantry_environment_pinned(context_, &pinned), GANTRY_OK);
  gantry_storage* storage = nullptr;
  ASSERT_EQ(gantry_storage_create(pinned, 100, 4096, {GANTRY_DEVICE_CUDA_HOST, 0}, nullptr, 1, &storage), GANTRY_OK)
      << gantry_last_error();
  EXPECT_EQ(recording_->pinned_blocks, 1);
  EXPECT_EQ(static_cast<char*>(gantry_storage_data(storage))[99], 0);
  gantry_storage_release(storage);
  EXPECT_EQ(recording_->pinned_blocks, 0);
  expect_failure(gantry_storage_create(pinned, 100, 8192, {GANTRY_DEVICE_HOST, 0}, nullptr, 0, &storage),
                 GANTRY_ERROR_UNSUPPORTED, {"aligned to 4096 bytes", "8192"});
  expect_failure(gantry_storage_create(pinned, 100, 0, {GANTRY_DEVICE_CUDA, 0}, GANTRY_STREAM_LEGACY, 0, &storage),
                 GANTRY_ERROR_UNSUPPORTED, {"page-locked host memory only", "device type 2"});
  expect_failure(gantry_storage_create(pinned, 2 << 20, 0, {GANTRY_DEVICE_HOST, 0}, nullptr, 0, &storage),
                 GANTRY_ERROR_OUT_OF_MEMORY, {"no 2097152 pinned bytes"});
  // An output of its own: a storage.
  std::vector<float> rows{1, 2};
  std::vector<int64_t> numbers{1};
  View table(rows, {2, 1});
  View indices(numbers, {1});
  View output(nullptr, kFloat32, {1, 1});
  output->device = {GANTRY_DEVICE_CUDA_HOST, 0};
  const gantry_table whole = table_of(&table);
  gantry_options options = options_with(GANTRY_BOUNDS_ERROR);
  options.slot = &storage;
  ASSERT_EQ(gantry_gather(context_, &whole, &indices, &output, &options, pinned, nullptr), GANTRY_OK)
      << gantry_last_error();
  EXPECT_EQ(*static_cast<float*>(output->data), 2.0f);
  EXPECT_EQ(gantry_storage_device(storage).type, GANTRY_DEVICE_CUDA_HOST);
  EXPECT_EQ(recording_->pinned_blocks, 1);
  gantry_storage_release(storage);
  EXPECT_EQ(recording_->pinned_blocks, 0);
}

TEST_F(Dispatch, StorageStaysPinnedUntilItsLastReleaseAlsoWithoutTheContext) {
  static bool was_pinned_at_release = true;
  alignas(64) static char memory[4096];
  gantry_storage* storage = nullptr;
  ASSERT_EQ(gantry_storage_wrap(
                memory, sizeof memory, {GANTRY_DEVICE_HOST, 0}, 1, recording_,
                [](void* user) { was_pinned_at_release = static_cast<Recording*>(user)->pins != 0; }, &storage),
            GANTRY_OK);
  recording_->answer = GANTRY_ERROR_DEVICE;
  expect_failure(gantry_storage_pin(context_, storage), GANTRY_ERROR_DEVICE, {"the answer of the test"});
  recording_->answer = GANTRY_OK;
  ASSERT_EQ(gantry_storage_pin(context_, storage), GANTRY_OK) << gantry_last_error();
  ASSERT_EQ(gantry_storage_pin(context_, storage), GANTRY_OK);
  EXPECT_EQ(recording_->pins, 1);
  EXPECT_EQ(recording_->pinned_data, memory);
  EXPECT_EQ(recording_->pinned_bytes, sizeof memory);
  EXPECT_TRUE(recording_->pinned_read_only);
  gantry_storage_retain(storage);
  gantry_storage_release(storage);
  EXPECT_EQ(gantry_close(context_), GANTRY_OK);
  context_ = nullptr;
  EXPECT_EQ(recording_->pins, 1);
  EXPECT_EQ(recording_->closed, 0);
  gantry_storage_release(storage);
  EXPECT_EQ(recording_->pins, 0);
  EXPECT_FALSE(was_pinned_at_release);
  EXPECT_EQ(recording_->closed, 1);
}

TEST_F(Dispatch, AForkedChildDoesNotTouchTheBackend) {
  char memory[64];
  gantry_storage* storage = nullptr;
  ASSERT_EQ(gantry_storage_wrap(memory, sizeof memory, {GANTRY_DEVICE_HOST, 0}, 0, nullptr, nullptr, &storage),
            GANTRY_OK);
  ASSERT_EQ(gantry_storage_pin(context_, storage), GANTRY_OK);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    gantry_storage_release(storage);
    const gantry_status check = gantry_check(context_, 0, GANTRY_STREAM_LEGACY, nullptr);
    const gantry_status close = gantry_close(context_);
    const bool is_untouched = recording_->pins == 1 && recording_->checked == 0 && recording_->closed == 0;
    _exit(check == GANTRY_ERROR_BACKEND_UNAVAILABLE && close == GANTRY_OK && is_untouched ? 0 : 1);
  }
  int outcome = -1;
  ASSERT_EQ(waitpid(child, &outcome, 0), child);
  EXPECT_TRUE(WIFEXITED(outcome) && WEXITSTATUS(outcome) == 0) << outcome;
  gantry_storage_release(storage);
  EXPECT_EQ(recording_->pins, 0);
}
