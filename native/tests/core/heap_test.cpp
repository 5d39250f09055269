// Ops get their memory from the environment and from nowhere else: the linker leads every allocation of the library's
// objects through the counters here (-Wl,--wrap).
#include <sys/mman.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "support.h"

using namespace gantry_test;

namespace {
std::atomic<int> heap_calls{0};
}  // namespace

extern "C" {
void* __real_malloc(size_t bytes);
void* __real_calloc(size_t count, size_t bytes);
void* __real_realloc(void* data, size_t bytes);
int __real_posix_memalign(void** out, size_t alignment, size_t bytes);
void* __real_aligned_alloc(size_t alignment, size_t bytes);
void* __real_mmap(void* address, size_t bytes, int protection, int flags, int fd, off_t offset);

void* __wrap_malloc(size_t bytes) {
  ++heap_calls;
  return __real_malloc(bytes);
}
void* __wrap_calloc(size_t count, size_t bytes) {
  ++heap_calls;
  return __real_calloc(count, bytes);
}
void* __wrap_realloc(void* data, size_t bytes) {
  ++heap_calls;
  return __real_realloc(data, bytes);
}
int __wrap_posix_memalign(void** out, size_t alignment, size_t bytes) {
  ++heap_calls;
  return __real_posix_memalign(out, alignment, bytes);
}
void* __wrap_aligned_alloc(size_t alignment, size_t bytes) {
  ++heap_calls;
  return __real_aligned_alloc(alignment, bytes);
}
void* __wrap_mmap(void* address, size_t bytes, int protection, int flags, int fd, off_t offset) {
  ++heap_calls;
  return __real_mmap(address, bytes, protection, flags, fd, offset);
}
}

// All forms, so that what one of them gives another one takes back.
void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  ++heap_calls;
  return __real_malloc(bytes != 0 ? bytes : 1);
}
void* operator new(size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  ++heap_calls;
  void* data = nullptr;
  return __real_posix_memalign(&data, static_cast<size_t>(alignment), bytes) == 0 ? data : nullptr;
}
void* operator new(size_t bytes) {
  if (void* const data = operator new(bytes, std::nothrow)) return data;
  throw std::bad_alloc();
}
void* operator new(size_t bytes, std::align_val_t alignment) {
  if (void* const data = operator new(bytes, alignment, std::nothrow)) return data;
  throw std::bad_alloc();
}
void* operator new[](size_t bytes) { return operator new(bytes); }
void* operator new[](size_t bytes, const std::nothrow_t& tag) noexcept { return operator new(bytes, tag); }
void* operator new[](size_t bytes, std::align_val_t alignment) { return operator new(bytes, alignment); }
void* operator new[](size_t bytes, std::align_val_t alignment, const std::nothrow_t& tag) noexcept {
  return operator new(bytes, alignment, tag);
}
void operator delete(void* data) noexcept { std::free(data); }
void operator delete(void* data, size_t) noexcept { std::free(data); }
void operator delete(void* data, const std::nothrow_t&) noexcept { std::free(data); }
void operator delete(void* data, std::align_val_t) noexcept { std::free(data); }
void operator delete(void* data, size_t, std::align_val_t) noexcept { std::free(data); }
void operator delete(void* data, std::align_val_t, const std::nothrow_t&) noexcept { std::free(data); }
void operator delete[](void* data) noexcept { std::free(data); }
void operator delete[](void* data, size_t) noexcept { std::free(data); }
void operator delete[](void* data, const std::nothrow_t&) noexcept { std::free(data); }
void operator delete[](void* data, std::align_val_t) noexcept { std::free(data); }
void operator delete[](void* data, size_t, std::align_val_t) noexcept { std::free(data); }
void operator delete[](void* data, std::align_val_t, const std::nothrow_t&) noexcept { std::free(data); }

namespace {

// Memory that was there before.
struct Arena {
  gantry_environment environment{};
  std::vector<char> memory = std::vector<char>(64 << 20);
  size_t used = 0;
  int calls = 0;

  Arena() {
    environment.struct_size = sizeof environment;
    environment.user = this;
    environment.allocate = [](void* user, const gantry_allocation* request, gantry_block* block) -> gantry_status {
      Arena& self = *static_cast<Arena*>(user);
      ++self.calls;
      const uint64_t begin = reinterpret_cast<uint64_t>(self.memory.data());
      const uint64_t at =
          (begin + self.used + request->alignment - 1) / request->alignment * request->alignment - begin;
      if (at + request->bytes > self.memory.size()) return GANTRY_ERROR_OUT_OF_MEMORY;
      self.used = at + request->bytes;
      block->data = self.memory.data() + at;
      block->bytes = request->bytes;
      return GANTRY_OK;
    };
    environment.deallocate = [](void*, const gantry_allocation*, gantry_block*) {};
  }
};

}  // namespace

TEST(Heap, TheCountersCount) {
  heap_calls = 0;
  gantry_storage* storage = nullptr;
  ASSERT_EQ(gantry_storage_create(nullptr, 100, 0, {GANTRY_DEVICE_HOST, 0}, nullptr, 0, &storage), GANTRY_OK);
  EXPECT_EQ(heap_calls, 3);  // the storage, its owner, its memory
  gantry_storage_release(storage);
}

TEST(Heap, NoOpUsesIt) {
  constexpr int64_t kRows = 5000;
  constexpr int64_t kCount = 100000;
  constexpr uint32_t kChunks = 20;
  gantry_open_options open{};
  open.struct_size = sizeof open;
  open.threads = 3;
  gantry_context* context = nullptr;
  ASSERT_EQ(gantry_open(GANTRY_ABI_VERSION, &open, &context), GANTRY_OK);
  std::vector<float> rows(kRows * 4 * kChunks, 1.0f);
  std::vector<float> side(kCount * 4, 2.0f);
  std::vector<double> wide(kCount * 4);
  std::vector<int64_t> numbers(kCount);
  for (int64_t i = 0; i < kCount; ++i) numbers[static_cast<size_t>(i)] = i * 31 % (kRows * kChunks);
  const int64_t shape[] = {kRows, 4};
  std::vector<gantry_tensor> chunks;
  for (uint32_t i = 0; i < kChunks; ++i) {
    chunks.push_back(View(rows.data() + i * kRows * 4, kFloat32, {0, 0}).tensor);
    chunks.back().shape = shape;
  }
  const gantry_table table = table_of(chunks.data(), kChunks);
  View indices(numbers, {kCount});
  View output(side, {kCount, 4});
  View doubles(wide, {kCount, 4});
  gantry_stats stats = empty_stats();
  const gantry_options options = options_with(GANTRY_BOUNDS_ERROR, &stats);
  Arena arena;
  const auto ops = [&] {
    gantry_status status = gantry_gather(context, &table, &indices, &output, &options, &arena.environment, nullptr);
    if (status != GANTRY_OK) return status;
    status = gantry_gather(context, &table, &indices, &doubles, &options, &arena.environment, nullptr);
    if (status != GANTRY_OK) return status;
    status = gantry_scatter(context, &output, &indices, &table, &options, &arena.environment, nullptr);
    if (status != GANTRY_OK) return status;
    status = gantry_scatter_add(context, &output, &indices, &table, &options, &arena.environment, nullptr);
    if (status != GANTRY_OK) return status;
    status = gantry_convert(context, &output, &doubles, &options, &arena.environment, nullptr);
    if (status != GANTRY_OK) return status;
    return gantry_copy(context, &doubles, &doubles, &options, &arena.environment, nullptr);
  };
  // The first time the threads of the pool begin; the failing copy is there because texts are no reason to allocate
  // either.
  EXPECT_EQ(ops(), GANTRY_ERROR_OVERLAP) << gantry_last_error();
  arena.used = 0;
  arena.calls = 0;
  heap_calls = 0;
  const gantry_status status = ops();
  EXPECT_EQ(heap_calls, 0);
  EXPECT_EQ(status, GANTRY_ERROR_OVERLAP) << gantry_last_error();
  EXPECT_GE(arena.calls, 5);
  EXPECT_EQ(gantry_close(context), GANTRY_OK);
}
