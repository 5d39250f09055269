// For tests that run ops of the C interface on a GPU. Where the backend is unavailable they are skipped with its own
// reason.
#ifndef GANTRY_TESTS_CUDA_GPU_SUPPORT_H
#define GANTRY_TESTS_CUDA_GPU_SUPPORT_H

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "gantry/gantry.h"

namespace gantry::test {

#define ASSERT_CUDA(call)                                                 \
  do {                                                                    \
    const cudaError_t cuda_result = (call);                               \
    ASSERT_EQ(cuda_result, cudaSuccess) << cudaGetErrorName(cuda_result); \
  } while (false)

#define ASSERT_OK(call) ASSERT_EQ((call), GANTRY_OK) << gantry_last_error()

// Sees to it that the process finds the driver and the plug-in that the program is built for; before the first context.
void prepare_process();

int64_t bytes_of(gantry_dtype dtype);

// Rows with gaps, on the host and, as a copy, on the device; `offset` bytes before the first.
class Matrix {
 public:
  Matrix(int64_t rows, int64_t columns, gantry_dtype dtype, int64_t gap_bytes = 0, int64_t offset = 0);
  ~Matrix();
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;

  void fill_random(std::mt19937_64* random);
  // Finite numbers of moderate size.
  void fill_numbers(std::mt19937_64* random);
  char* row(int64_t number) { return host_.data() + offset_ + number * stride_bytes_; }
  int64_t rows() const { return shape_[0]; }
  void upload();
  // Everything on the device, gaps and all.
  std::vector<char> download() const;
  const std::vector<char>& host() const { return host_; }

  gantry_tensor on_host() const { return tensor(const_cast<char*>(host_.data()), {GANTRY_DEVICE_HOST, 0}); }
  gantry_tensor on_device() const { return tensor(device_, {GANTRY_DEVICE_CUDA, 0}); }

 private:
  gantry_tensor tensor(void* data, gantry_device device) const;

  int64_t shape_[2];
  int64_t strides_[2];
  gantry_dtype dtype_;
  int64_t stride_bytes_;
  int64_t offset_;
  std::vector<char> host_;
  void* device_ = nullptr;
};

// Indices of 32 or 64 bits on both sides.
class IndexList {
 public:
  IndexList(const std::vector<int64_t>& values, int bits, bool is_unsigned = false);
  ~IndexList() { cudaFree(device_); }
  IndexList(const IndexList&) = delete;
  IndexList& operator=(const IndexList&) = delete;
  gantry_tensor on_host() const { return tensor(const_cast<char*>(host_.data()), {GANTRY_DEVICE_HOST, 0}); }
  gantry_tensor on_device() const { return tensor(device_, {GANTRY_DEVICE_CUDA, 0}); }
  // Other values of the same number, written in the order of the stream.
  void change(const std::vector<int64_t>& values, cudaStream_t stream);

 private:
  void encode(const std::vector<int64_t>& values);
  gantry_tensor tensor(void* data, gantry_device device) const;

  int bits_;
  bool is_unsigned_;
  int64_t shape_[1];
  std::vector<char> host_;
  void* device_ = nullptr;
};

std::vector<int64_t> random_indices(int64_t count, int64_t rows, std::mt19937_64* random);
std::vector<int64_t> shuffled(int64_t count, std::mt19937_64* random);

// Device memory from one block, so that nothing is allocated during an op; host memory from malloc. Counts.
class Arena {
 public:
  explicit Arena(size_t bytes = size_t{64} << 20);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  const gantry_environment* environment() const { return &environment_; }

  int fail_at = 0;  // the n-th allocation fails; 0: none
  int allocations = 0;
  int live = 0;
  uint64_t scratch_bytes = 0;
  uint64_t diagnostic_bytes = 0;
  bool last_in_first_out = true;

 private:
  static gantry_status allocate(void* user, const gantry_allocation* request, gantry_block* block);
  static void deallocate(void* user, const gantry_allocation* request, gantry_block* block);
  static gantry_status allocate_output(void* user, const gantry_allocation* request, void* slot, gantry_tensor* output);

  gantry_environment environment_{};
  char* memory_ = nullptr;
  size_t bytes_;
  size_t used_ = 0;
  std::vector<void*> blocks_;
};

class GpuTest : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;
  gantry_context* context() const { return context_; }
  gantry_stream stream() const { return stream_; }
  void wait() const { ASSERT_CUDA(cudaStreamSynchronize(stream_)); }

  std::mt19937_64 random_{20261130};

 private:
  gantry_context* context_ = nullptr;
  cudaStream_t stream_ = nullptr;
};

gantry_options options_with(gantry_bounds bounds, gantry_stats* stats = nullptr);
gantry_table table_of(const gantry_tensor* chunks, uint32_t count = 1);

constexpr gantry_dtype kByte{GANTRY_CODE_UINT, 8, 1};
constexpr gantry_dtype kHalf{GANTRY_CODE_FLOAT, 16, 1};
constexpr gantry_dtype kBrain{GANTRY_CODE_BFLOAT, 16, 1};
constexpr gantry_dtype kSingle{GANTRY_CODE_FLOAT, 32, 1};
constexpr gantry_dtype kDouble{GANTRY_CODE_FLOAT, 64, 1};
constexpr gantry_dtype kInt8{GANTRY_CODE_INT, 8, 1};
constexpr gantry_dtype kInt16{GANTRY_CODE_INT, 16, 1};
constexpr gantry_dtype kInt32{GANTRY_CODE_INT, 32, 1};
constexpr gantry_dtype kInt64{GANTRY_CODE_INT, 64, 1};

}  // namespace gantry::test

#endif
