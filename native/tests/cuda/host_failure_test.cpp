// Every call of the CUDA runtime fails once: the failure is reported with its name, nothing leaks, and what follows
// works. Over the stand-in for the runtime.
#include <functional>
#include <memory>
#include <vector>

#include "gpu_support.h"
#include "host_runtime.h"

namespace gantry::test {
namespace {

gantry_context* open_context() {
  prepare_process();
  gantry_context* context = nullptr;
  EXPECT_EQ(gantry_open(GANTRY_ABI_VERSION, nullptr, &context), GANTRY_OK);
  return context;
}

gantry_backend_info query(gantry_context* context) {
  gantry_backend_info info{};
  info.struct_size = sizeof info;
  EXPECT_EQ(gantry_backend_query(context, GANTRY_BACKEND_CUDA, &info), GANTRY_OK);
  return info;
}

TEST(SelfTest, EveryFailureIsNamed) {
  host_runtime() = HostRuntime{};
  int failures = 0;
  for (int k = 1;; ++k) {
    gantry_context* context = open_context();
    host_runtime().fail_at = k;
    const gantry_backend_info info = query(context);
    const bool failed = host_runtime().fail_at == 0;
    host_runtime().fail_at = 0;
    if (failed) {
      ++failures;
      EXPECT_EQ(info.reason, GANTRY_REASON_SELF_TEST_FAILED) << k;
      EXPECT_EQ(std::string(info.text).find(
                    "GPU 0 did not pass the self-test, a gather of 64 rows that is compared bit by bit: "
                    "cudaErrorUnknown (by the stand-in) when "),
                0u)
          << info.text;
    }
    EXPECT_EQ(gantry_close(context), GANTRY_OK);
    EXPECT_EQ(host_runtime_live(), 0) << k;
    if (failed) continue;
    EXPECT_EQ(info.reason, GANTRY_REASON_AVAILABLE) << info.text;
    break;
  }
  // Making the GPU current, two attributes, a stream, memory, two copies, the kernel, the wait.
  EXPECT_EQ(failures, 9);
}

TEST(SelfTest, AWrongBitIsSeen) {
  host_runtime() = HostRuntime{};
  host_runtime().corrupts = true;
  gantry_context* context = open_context();
  const gantry_backend_info info = query(context);
  host_runtime().corrupts = false;
  EXPECT_EQ(info.reason, GANTRY_REASON_SELF_TEST_FAILED);
  EXPECT_STREQ(info.text,
               "GPU 0 did not pass the self-test, a gather of 64 rows that is compared bit by bit: word 15 of row 63 "
               "is 0xa4a5a5a5 and "
               "should be 0xa5a5a5a5. Look at nvidia-smi and at the kernel's log.");
  EXPECT_EQ(gantry_close(context), GANTRY_OK);
}

TEST(SelfTest, AvailableSaysWhatIsThere) {
  host_runtime() = HostRuntime{};
  gantry_context* context = open_context();
  const gantry_backend_info info = query(context);
  EXPECT_EQ(info.reason, GANTRY_REASON_AVAILABLE);
  EXPECT_EQ(
      std::string(info.text).find("The CUDA backend is available: 1 GPU, a driver for CUDA 13.0, the runtime of CUDA "),
      0u);
  EXPECT_STREQ(info.devices, "0: Fake GPU 0, compute capability 9.0, 1073741824 bytes");
  EXPECT_STREQ(info.architectures, "90");
  EXPECT_EQ(info.device_count, 1);
  EXPECT_EQ(gantry_close(context), GANTRY_OK);
  EXPECT_EQ(host_runtime_live(), 0);
}

// Runs the op with the k-th call failing, for every k.
void fail_each(const std::function<gantry_status()>& op, const Arena& arena, int least_calls) {
  int failures = 0;
  for (int k = 1;; ++k) {
    host_runtime().fail_at = k;
    const gantry_status status = op();
    const bool failed = host_runtime().fail_at == 0;
    host_runtime().fail_at = 0;
    ASSERT_EQ(arena.live, 0) << k;
    ASSERT_TRUE(arena.last_in_first_out) << k;
    if (!failed) {
      ASSERT_EQ(status, GANTRY_OK) << gantry_last_error();
      break;
    }
    ++failures;
    ASSERT_TRUE(status == GANTRY_ERROR_DEVICE || status == GANTRY_ERROR_INVALID_ARGUMENT)
        << k << ": " << gantry_last_error();
    ASSERT_NE(std::string(gantry_last_error()).find("on GPU 0: cudaErrorUnknown (by the stand-in)"), std::string::npos)
        << gantry_last_error();
  }
  EXPECT_GE(failures, least_calls);
}

// What gives back cannot report: it is not made to fail.
void release(gantry_storage* storage) {
  const int left = host_runtime().fail_at;
  host_runtime().fail_at = 0;
  gantry_storage_release(storage);
  host_runtime().fail_at = left;
}

class Failures : public GpuTest {
 protected:
  void SetUp() override {
    host_runtime() = HostRuntime{};
    GpuTest::SetUp();
    arena_ = std::make_unique<Arena>();
    for (auto& table : tables_) {
      table = std::make_unique<Matrix>(50, 8, kSingle);
      table->fill_numbers(&random_);
      chunks_.push_back(table->on_device());
    }
    indices_ = std::make_unique<IndexList>(random_indices(300, 100, &random_), 64);
    rows_ = std::make_unique<Matrix>(300, 8, kSingle);
  }
  void TearDown() override {
    arena_.reset();
    for (auto& table : tables_) table.reset();
    indices_.reset();
    rows_.reset();
    GpuTest::TearDown();
    EXPECT_EQ(host_runtime_live(), 0);
  }
  gantry_status gather(const gantry_options& options) { return gather(options, stream()); }
  gantry_status gather(const gantry_options& options, gantry_stream stream) {
    const gantry_table table = table_of(chunks_.data(), 2);
    const gantry_tensor index = indices_->on_device();
    gantry_tensor output = rows_->on_device();
    return gantry_gather(context(), &table, &index, &output, &options, arena_->environment(), stream);
  }

  std::unique_ptr<Arena> arena_;
  std::unique_ptr<Matrix> tables_[2];
  std::vector<gantry_tensor> chunks_;
  std::unique_ptr<IndexList> indices_;
  std::unique_ptr<Matrix> rows_;
};

TEST_F(Failures, OfOps) {
  fail_each([&] { return gather(options_with(GANTRY_BOUNDS_ERROR)); }, *arena_, 4);
  gantry_stats stats{};
  fail_each([&] { return gather(options_with(GANTRY_BOUNDS_ERROR, &stats)); }, *arena_, 6);
  gantry_options ordered = options_with(GANTRY_BOUNDS_SKIP);
  ordered.deterministic = GANTRY_ALWAYS;
  fail_each(
      [&] {
        const gantry_table table = table_of(chunks_.data(), 2);
        const gantry_tensor index = indices_->on_device();
        const gantry_tensor rows = rows_->on_device();
        return gantry_scatter_add(context(), &rows, &index, &table, &ordered, arena_->environment(), stream());
      },
      *arena_, 5);
  fail_each([&] { return gantry_check(context(), 0, stream(), nullptr); }, *arena_, 4);
}

// As gantry.h says at gantry_check: one block for 64 streams, and only for ops whose record will be read later.
TEST_F(Failures, OnlyRecordsAreAllocatedBesideTheEnvironment) {
  std::vector<cudaStream_t> streams(130);
  for (cudaStream_t& stream : streams) ASSERT_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const auto new_blocks = [&](cudaStream_t stream, const gantry_options& options) {
    const int before = host_runtime_live();
    EXPECT_EQ(gather(options, stream), GANTRY_OK) << gantry_last_error();
    return host_runtime_live() - before;
  };
  gantry_stats stats{};
  stats.struct_size = sizeof stats;
  EXPECT_EQ(new_blocks(streams[0], options_with(GANTRY_BOUNDS_SKIP)), 0);
  EXPECT_EQ(new_blocks(streams[0], options_with(GANTRY_BOUNDS_ERROR, &stats)), 0);
  for (size_t i = 0; i < streams.size(); ++i) {
    EXPECT_EQ(new_blocks(streams[i], options_with(GANTRY_BOUNDS_ERROR)), i % 64 == 0 ? 1 : 0) << i;
    EXPECT_EQ(new_blocks(streams[i], options_with(GANTRY_BOUNDS_WRAP_NEGATIVE)), 0) << i;
  }
  for (cudaStream_t stream : streams) ASSERT_CUDA(cudaStreamDestroy(stream));
}

TEST_F(Failures, OfPinnedMemory) {
  const gantry_environment* pinned = nullptr;
  ASSERT_OK(gantry_environment_pinned(context(), &pinned));
  fail_each(
      [&] {
        gantry_storage* storage = nullptr;
        const gantry_status status =
            gantry_storage_create(pinned, 100, 64, {GANTRY_DEVICE_CUDA_HOST, 0}, nullptr, 0, &storage);
        release(storage);
        return status;
      },
      *arena_, 2);
  fail_each(
      [&] {
        gantry_storage* storage = nullptr;
        EXPECT_EQ(gantry_storage_create(nullptr, 100, 64, {GANTRY_DEVICE_HOST, 0}, nullptr, 0, &storage), GANTRY_OK);
        const gantry_status status = gantry_storage_pin(context(), storage);
        release(storage);
        return status;
      },
      *arena_, 3);
}

TEST_F(Failures, AKernelThatFailedIsSaidToBeTheEnd) {
  host_runtime().failure = cudaErrorIllegalAddress;
  // The last call of an op without statistics is the launch.
  host_runtime().fail_at = 1;
  while (true) {
    const int at = host_runtime().fail_at;
    const gantry_status status = gather(options_with(GANTRY_BOUNDS_TRUST));
    if (status == GANTRY_OK) break;
    ASSERT_EQ(status, GANTRY_ERROR_DEVICE);
    ASSERT_NE(std::string(gantry_last_error())
                  .find("cudaErrorIllegalAddress (by the stand-in); a kernel of this process, Gantry's or another, has "
                        "failed, and the "
                        "process cannot use the GPU any more"),
              std::string::npos)
        << gantry_last_error();
    host_runtime().fail_at = at + 1;
  }
  host_runtime().failure = cudaErrorMemoryAllocation;
  host_runtime().fail_at = 1;
  EXPECT_EQ(gather(options_with(GANTRY_BOUNDS_TRUST)), GANTRY_ERROR_OUT_OF_MEMORY);
  host_runtime().fail_at = 0;
}

}  // namespace
}  // namespace gantry::test
