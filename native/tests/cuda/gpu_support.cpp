#include "gpu_support.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace gantry::test {

int64_t bytes_of(gantry_dtype dtype) { return dtype.bits * dtype.lanes / 8; }

void prepare_process() {
#if defined(CUDA_PLUGIN)
  setenv("GANTRY_CUDA_PLUGIN", CUDA_PLUGIN, 1);
#endif
#if defined(FAKE_DRIVER)
  setenv("FAKE_CU_COUNT", "1", 1);
  setenv("FAKE_CU_CAPABILITY", "9.0", 1);
  // As if it were current already: the stand-in has no contexts.
  if (dlopen(FAKE_DRIVER, RTLD_NOW | RTLD_GLOBAL) == nullptr) std::abort();
#endif
}

Matrix::Matrix(int64_t rows, int64_t columns, gantry_dtype dtype, int64_t gap_bytes, int64_t offset)
    : shape_{rows, columns},
      strides_{columns + gap_bytes / bytes_of(dtype), 1},
      dtype_(dtype),
      stride_bytes_(strides_[0] * bytes_of(dtype)),
      offset_(offset),
      host_(static_cast<size_t>(offset + std::max<int64_t>(rows * stride_bytes_, 1))) {
  EXPECT_EQ(cudaMalloc(&device_, host_.size()), cudaSuccess);
}

Matrix::~Matrix() { cudaFree(device_); }

void Matrix::fill_random(std::mt19937_64* random) {
  for (char& byte : host_) byte = static_cast<char>((*random)());
  upload();
}

void Matrix::fill_numbers(std::mt19937_64* random) {
  fill_random(random);
  const bool is_integer = dtype_.code == GANTRY_CODE_INT || dtype_.code == GANTRY_CODE_UINT;
  for (int64_t number = 0; !is_integer && number < shape_[0]; ++number) {
    for (int64_t column = 0; column < shape_[1]; ++column) {
      char* at = row(number) + column * bytes_of(dtype_);
      if (dtype_.bits == 16) {
        // An exponent near 0 and any fraction, in both formats.
        const uint16_t bits = static_cast<uint16_t>(
            dtype_.code == GANTRY_CODE_BFLOAT ? ((*random)() & 0x81ffu) | 0x3e00u : ((*random)() & 0x87ffu) | 0x3800u);
        std::memcpy(at, &bits, sizeof bits);
      } else if (dtype_.bits == 32) {
        const float value = std::uniform_real_distribution<float>(-4, 4)(*random);
        std::memcpy(at, &value, sizeof value);
      } else {
        const double value = std::uniform_real_distribution<double>(-4, 4)(*random);
        std::memcpy(at, &value, sizeof value);
      }
    }
  }
  upload();
}

void Matrix::upload() {
  EXPECT_EQ(cudaMemcpy(device_, host_.data(), host_.size(), cudaMemcpyHostToDevice), cudaSuccess);
}

std::vector<char> Matrix::download() const {
  std::vector<char> bytes(host_.size());
  EXPECT_EQ(cudaMemcpy(bytes.data(), device_, bytes.size(), cudaMemcpyDeviceToHost), cudaSuccess);
  return bytes;
}

gantry_tensor Matrix::tensor(void* data, gantry_device device) const {
  gantry_tensor result{};
  result.struct_size = sizeof result;
  result.data = data;
  result.byte_offset = static_cast<uint64_t>(offset_);
  result.shape = shape_;
  result.strides = strides_;
  result.ndim = 2;
  result.dtype = dtype_;
  result.device = device;
  return result;
}

IndexList::IndexList(const std::vector<int64_t>& values, int bits, bool is_unsigned)
    : bits_(bits), is_unsigned_(is_unsigned), shape_{static_cast<int64_t>(values.size())} {
  encode(values);
  EXPECT_EQ(cudaMalloc(&device_, std::max<size_t>(host_.size(), 1)), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(device_, host_.data(), host_.size(), cudaMemcpyHostToDevice), cudaSuccess);
}

void IndexList::encode(const std::vector<int64_t>& values) {
  const size_t bytes = static_cast<size_t>(bits_) / 8;
  host_.resize(values.size() * bytes);
  for (size_t i = 0; i < values.size(); ++i) std::memcpy(host_.data() + i * bytes, &values[i], bytes);
}

void IndexList::change(const std::vector<int64_t>& values, cudaStream_t stream) {
  encode(values);
  EXPECT_EQ(cudaMemcpyAsync(device_, host_.data(), host_.size(), cudaMemcpyHostToDevice, stream), cudaSuccess);
}

gantry_tensor IndexList::tensor(void* data, gantry_device device) const {
  gantry_tensor result{};
  result.struct_size = sizeof result;
  result.data = data;
  result.shape = shape_;
  result.ndim = 1;
  result.dtype = {static_cast<uint8_t>(is_unsigned_ ? GANTRY_CODE_UINT : GANTRY_CODE_INT), static_cast<uint8_t>(bits_),
                  1};
  result.device = device;
  return result;
}

std::vector<int64_t> random_indices(int64_t count, int64_t rows, std::mt19937_64* random) {
  std::vector<int64_t> values(static_cast<size_t>(count));
  for (int64_t& value : values) value = static_cast<int64_t>((*random)() % static_cast<uint64_t>(rows));
  return values;
}

std::vector<int64_t> shuffled(int64_t count, std::mt19937_64* random) {
  std::vector<int64_t> values(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) values[static_cast<size_t>(i)] = i;
  std::shuffle(values.begin(), values.end(), *random);
  return values;
}

Arena::Arena(size_t bytes) : bytes_(bytes) {
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, bytes), cudaSuccess);
  memory_ = static_cast<char*>(memory);
  environment_.struct_size = sizeof environment_;
  environment_.user = this;
  environment_.allocate = &allocate;
  environment_.deallocate = &deallocate;
  environment_.allocate_output = &allocate_output;
}

Arena::~Arena() { cudaFree(memory_); }

gantry_status Arena::allocate(void* user, const gantry_allocation* request, gantry_block* block) {
  Arena& arena = *static_cast<Arena*>(user);
  if (++arena.allocations == arena.fail_at) return GANTRY_ERROR_OUT_OF_MEMORY;
  if (request->device.type != GANTRY_DEVICE_CUDA) {
    if (posix_memalign(&block->data, std::max<size_t>(request->alignment, sizeof(void*)), request->bytes) != 0) {
      return GANTRY_ERROR_OUT_OF_MEMORY;
    }
  } else {
    const size_t begin = (arena.used_ + request->alignment - 1) / request->alignment * request->alignment;
    if (begin + request->bytes > arena.bytes_) return GANTRY_ERROR_OUT_OF_MEMORY;
    block->data = arena.memory_ + begin;
    // Where the next block begins; found again when this one is given back.
    block->opaque = reinterpret_cast<void*>(arena.used_);
    arena.used_ = begin + request->bytes;
  }
  (request->purpose == GANTRY_PURPOSE_DIAGNOSTICS ? arena.diagnostic_bytes : arena.scratch_bytes) += request->bytes;
  block->bytes = request->bytes;
  ++arena.live;
  arena.blocks_.push_back(block->data);
  return GANTRY_OK;
}

void Arena::deallocate(void* user, const gantry_allocation* request, gantry_block* block) {
  Arena& arena = *static_cast<Arena*>(user);
  arena.last_in_first_out = arena.last_in_first_out && !arena.blocks_.empty() && arena.blocks_.back() == block->data;
  if (!arena.blocks_.empty()) arena.blocks_.pop_back();
  --arena.live;
  if (request->device.type != GANTRY_DEVICE_CUDA) {
    std::free(block->data);
  } else {
    arena.used_ = reinterpret_cast<size_t>(block->opaque);
  }
}

gantry_status Arena::allocate_output(void*, const gantry_allocation*, void*, gantry_tensor*) {
  return GANTRY_ERROR_UNSUPPORTED;
}

void GpuTest::SetUp() {
  prepare_process();
  ASSERT_OK(gantry_open(GANTRY_ABI_VERSION, nullptr, &context_));
  gantry_backend_info info{};
  info.struct_size = sizeof info;
  ASSERT_OK(gantry_backend_query(context_, GANTRY_BACKEND_CUDA, &info));
  if (info.reason != GANTRY_REASON_AVAILABLE) {
    GTEST_SKIP() << gantry_reason_name(info.reason) << ": " << info.text;
  }
  ASSERT_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
}

void GpuTest::TearDown() {
  if (stream_ != nullptr) cudaStreamDestroy(stream_);
  EXPECT_EQ(gantry_close(context_), GANTRY_OK);
}

gantry_options options_with(gantry_bounds bounds, gantry_stats* stats) {
  gantry_options options{};
  options.struct_size = sizeof options;
  options.bounds = bounds;
  options.stats = stats;
  if (stats != nullptr) stats->struct_size = sizeof *stats;
  return options;
}

gantry_table table_of(const gantry_tensor* chunks, uint32_t count) {
  return gantry_table{sizeof(gantry_table), count, chunks};
}

}  // namespace gantry::test
