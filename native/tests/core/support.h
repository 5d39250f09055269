// What the tests of the core share: tensors that own their shape, a context, and environments that count and misbehave.
#ifndef GANTRY_TESTS_CORE_SUPPORT_H
#define GANTRY_TESTS_CORE_SUPPORT_H

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

#include "gantry/gantry.h"

namespace gantry_test {

constexpr gantry_dtype kFloat32{GANTRY_CODE_FLOAT, 32, 1};
constexpr gantry_dtype kFloat64{GANTRY_CODE_FLOAT, 64, 1};
constexpr gantry_dtype kFloat16{GANTRY_CODE_FLOAT, 16, 1};
constexpr gantry_dtype kInt64{GANTRY_CODE_INT, 64, 1};
constexpr gantry_dtype kInt32{GANTRY_CODE_INT, 32, 1};
constexpr gantry_dtype kUint64{GANTRY_CODE_UINT, 64, 1};
constexpr gantry_dtype kUint32{GANTRY_CODE_UINT, 32, 1};
constexpr gantry_dtype kUint8{GANTRY_CODE_UINT, 8, 1};

template <class T>
struct DtypeOf;
template <>
struct DtypeOf<float> {
  static constexpr gantry_dtype value = kFloat32;
};
template <>
struct DtypeOf<double> {
  static constexpr gantry_dtype value = kFloat64;
};
template <>
struct DtypeOf<int64_t> {
  static constexpr gantry_dtype value = kInt64;
};
template <>
struct DtypeOf<int32_t> {
  static constexpr gantry_dtype value = kInt32;
};
template <>
struct DtypeOf<uint64_t> {
  static constexpr gantry_dtype value = kUint64;
};
template <>
struct DtypeOf<uint32_t> {
  static constexpr gantry_dtype value = kUint32;
};
template <>
struct DtypeOf<uint8_t> {
  static constexpr gantry_dtype value = kUint8;
};

// A gantry_tensor with its own shape and strides; the memory is somebody else's.
struct View {
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
  gantry_tensor tensor{};

  View(void* data, gantry_dtype dtype, std::vector<int64_t> sizes, std::vector<int64_t> steps = {})
      : shape(std::move(sizes)), strides(std::move(steps)) {
    tensor.struct_size = sizeof tensor;
    tensor.data = data;
    tensor.shape = shape.data();
    tensor.strides = strides.empty() ? nullptr : strides.data();
    tensor.ndim = static_cast<int32_t>(shape.size());
    tensor.dtype = dtype;
    tensor.device = {GANTRY_DEVICE_HOST, 0};
  }
  template <class T>
  View(std::vector<T>& data, std::vector<int64_t> sizes, std::vector<int64_t> steps = {})
      : View(data.data(), DtypeOf<T>::value, std::move(sizes), std::move(steps)) {}
  View(const View&) = delete;
  View& operator=(const View&) = delete;

  gantry_tensor* operator&() { return &tensor; }
  gantry_tensor* operator->() { return &tensor; }
};

inline gantry_table table_of(const gantry_tensor* chunks, uint32_t count = 1) {
  return {sizeof(gantry_table), count, chunks};
}

inline gantry_options options_with(gantry_bounds bounds, gantry_stats* stats = nullptr) {
  gantry_options options{};
  options.struct_size = sizeof options;
  options.bounds = bounds;
  options.stats = stats;
  return options;
}

inline gantry_stats empty_stats() {
  gantry_stats stats{};
  stats.struct_size = sizeof stats;
  return stats;
}

class WithContext : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(gantry_open(GANTRY_ABI_VERSION, nullptr, &context_), GANTRY_OK); }
  void TearDown() override { EXPECT_EQ(gantry_close(context_), GANTRY_OK); }

  gantry_context* context_ = nullptr;
};

// The status, and that the text has every fragment.
inline void expect_failure(gantry_status seen, gantry_status wanted, std::initializer_list<const char*> fragments) {
  EXPECT_STREQ(gantry_status_name(seen), gantry_status_name(wanted)) << gantry_last_error();
  const std::string text = gantry_last_error();
  for (const char* fragment : fragments) {
    EXPECT_NE(text.find(fragment), std::string::npos) << "\"" << fragment << "\" is not in: " << text;
  }
}

// malloc that records every call, and can fail or lie at the k-th allocation.
class Recorder {
 public:
  enum class Fault { none, fail, no_status, null_block, too_few_bytes, misaligned };

  Recorder() {
    environment.struct_size = sizeof environment;
    environment.user = this;
    environment.allocate = &allocate;
    environment.deallocate = &deallocate;
  }
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  gantry_environment environment{};
  int fault_at = -1;
  Fault fault = Fault::none;
  int calls = 0;                            // of allocate
  std::vector<gantry_allocation> requests;  // of all allocations that returned GANTRY_OK
  std::vector<void*> held;                  // blocks that are out, the newest last
  uint64_t bytes = 0;                       // asked for, all together
  int out_of_order = 0;
  int given_back = 0;

 private:
  static gantry_status allocate(void* user, const gantry_allocation* request, gantry_block* block) {
    Recorder& self = *static_cast<Recorder*>(user);
    const bool is_faulty = self.calls++ == self.fault_at;
    const Fault fault = is_faulty ? self.fault : Fault::none;
    if (fault == Fault::fail) return GANTRY_ERROR_OUT_OF_MEMORY;
    if (fault == Fault::no_status) return 4711;
    char* const memory = static_cast<char*>(std::malloc(request->bytes + 2 * request->alignment));
    std::memset(memory, 0xcd, request->bytes + 2 * request->alignment);
    const uint64_t misfit = reinterpret_cast<uint64_t>(memory) & (request->alignment - 1);
    char* data = memory + (misfit != 0 ? request->alignment - misfit : 0);
    if (fault == Fault::misaligned) data += request->alignment / 2;
    block->data = fault == Fault::null_block ? nullptr : data;
    block->bytes = fault == Fault::too_few_bytes ? request->bytes - 1 : request->bytes;
    block->opaque = memory;
    self.requests.push_back(*request);
    self.held.push_back(memory);
    self.bytes += request->bytes;
    return GANTRY_OK;
  }
  static void deallocate(void* user, const gantry_allocation* request, gantry_block* block) {
    Recorder& self = *static_cast<Recorder*>(user);
    EXPECT_EQ(request->struct_size, sizeof *request);
    if (self.held.empty() || self.held.back() != block->opaque) ++self.out_of_order;
    self.held.pop_back();
    ++self.given_back;
    std::free(block->opaque);
  }
};

}  // namespace gantry_test

#endif
