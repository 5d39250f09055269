#include "core/cache.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdlib>

#include "core/environment.h"
#include "core/error.h"

namespace gantry {

// All caches of the process, so that a fork finds their locks free: a child would wait for ever for a thread that it
// does not have.
struct CacheRegistry {
  std::mutex mutex;
  Cache* first = nullptr;

  static CacheRegistry& get() {
    // Never destroyed: caches may live longer than static objects.
    static CacheRegistry* const registry = [] {
      auto* const made = new CacheRegistry;
      pthread_atfork([] { get().lock_all(); }, [] { get().unlock_all(); }, [] { get().unlock_all(); });
      return made;
    }();
    return *registry;
  }

  void add(Cache* cache) {
    const std::lock_guard<std::mutex> lock(mutex);
    cache->next_in_registry_ = first;
    first = cache;
  }

  void remove(Cache* cache) {
    const std::lock_guard<std::mutex> lock(mutex);
    Cache** place = &first;
    while (*place != cache) place = &(*place)->next_in_registry_;
    *place = cache->next_in_registry_;
  }

  void lock_all() {
    mutex.lock();
    for (Cache* cache = first; cache != nullptr; cache = cache->next_in_registry_) cache->mutex_.lock();
  }

  void unlock_all() {
    for (Cache* cache = first; cache != nullptr; cache = cache->next_in_registry_) cache->mutex_.unlock();
    mutex.unlock();
  }
};

namespace {

constexpr uint64_t kHugePage = uint64_t{2} << 20;
// A multiple of the page size on every platform.
constexpr uint64_t kPages = uint64_t{64} << 10;
// In gantry_block.opaque: a class is its index + 1.
constexpr uintptr_t kUnclassed = ~uintptr_t{0};

uint64_t round_up(uint64_t value, uint64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

// Whole pages at a multiple of `alignment`: mapped with room to spare, of which the ends are given back.
void* map_pages(uint64_t bytes, uint64_t alignment) {
  uint64_t mapped_bytes = 0;
  if (__builtin_add_overflow(bytes, alignment, &mapped_bytes)) return nullptr;
  void* const mapped = mmap(nullptr, mapped_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  char* const begin = static_cast<char*>(mapped);
  const uint64_t before = round_up(reinterpret_cast<uint64_t>(begin), alignment) - reinterpret_cast<uint64_t>(begin);
  if (before > 0) munmap(begin, before);
  if (alignment > before) munmap(begin + before + bytes, alignment - before);
  // Advice: without huge pages the block is as good, only slower at first use.
  madvise(begin + before, bytes, MADV_HUGEPAGE);
  return begin + before;
}

uint64_t unclassed_bytes(uint64_t bytes) { return bytes >= Cache::kHugeFrom ? round_up(bytes, kPages) : bytes; }

void* system_allocate(uint64_t bytes, uint64_t alignment) {
  if (bytes >= Cache::kHugeFrom) return map_pages(bytes, std::max(alignment, kHugePage));
  void* data = nullptr;
  return posix_memalign(&data, alignment, bytes) == 0 ? data : nullptr;
}

void system_free(void* data, uint64_t bytes) {
  if (bytes >= Cache::kHugeFrom) {
    munmap(data, bytes);
  } else {
    std::free(data);
  }
}

}  // namespace

uint32_t SizeClass::index_of(uint64_t bytes) {
  if (bytes <= kLeast) return 0;
  const uint64_t last = bytes - 1;
  const uint32_t power = 63 - static_cast<uint32_t>(__builtin_clzll(last));
  const uint32_t quarter = static_cast<uint32_t>(last >> (power - 2)) & 3;
  return (power - 8) * 4 + quarter + 1;
}

uint64_t SizeClass::bytes_of(uint32_t index) { return (kLeast << (index / 4)) / 4 * (4 + index % 4); }

uint64_t SizeClass::alignment_of(uint32_t index) {
  const uint64_t bytes = bytes_of(index);
  if (bytes >= Cache::kHugeFrom) return kHugePage;
  return bytes >= kPages ? 4096 : kDefaultAlignment;
}

Cache::Cache(uint64_t limit_bytes) : limit_bytes_(limit_bytes) {
  statistics_.struct_size = sizeof statistics_;
  CacheRegistry::get().add(this);
}

Cache::~Cache() {
  CacheRegistry::get().remove(this);
  release(take_out_surplus(0));
}

gantry_status Cache::allocate(const gantry_allocation& request, gantry_block* block) {
  if (request.bytes == 0 || request.bytes > INT64_MAX || (request.alignment & (request.alignment - 1)) != 0) {
    return fail(GANTRY_ERROR_INVALID_ARGUMENT,
                "the cached environment was asked for %" PRIu64 " bytes with an alignment of %" PRIu64
                "; the size lies between 1 and 2^63-1, the alignment is a power of two",
                request.bytes, request.alignment);
  }
  const bool has_class = request.bytes <= SizeClass::kMost &&
                         request.alignment <= SizeClass::alignment_of(SizeClass::index_of(request.bytes));
  const uint32_t index = has_class ? SizeClass::index_of(request.bytes) : 0;
  const uint64_t bytes = has_class ? SizeClass::bytes_of(index) : unclassed_bytes(request.bytes);
  void* data = nullptr;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    Kept* const kept = has_class ? first_of_class_[index] : nullptr;
    if (kept != nullptr) {
      take_out(kept);
      ++statistics_.reused;
      data = kept;
    }
    // Counted before the system is asked: what is in use is never less than what others hold.
    ++statistics_.allocations;
    statistics_.bytes_in_use += bytes;
    statistics_.bytes_in_use_peak = std::max(statistics_.bytes_in_use_peak, statistics_.bytes_in_use);
  }
  if (data == nullptr) {
    const uint64_t alignment =
        has_class ? SizeClass::alignment_of(index) : std::max(request.alignment, kDefaultAlignment);
    data = system_allocate(bytes, alignment);
    if (data == nullptr) {
      trim(0);
      data = system_allocate(bytes, alignment);
    }
    if (data == nullptr) {
      const std::lock_guard<std::mutex> lock(mutex_);
      --statistics_.allocations;
      statistics_.bytes_in_use -= bytes;
      return fail(GANTRY_ERROR_OUT_OF_MEMORY,
                  "the cached environment could not get %" PRIu64 " bytes; %" PRIu64 " are in use", bytes,
                  statistics_.bytes_in_use);
    }
  }
  block->data = data;
  block->bytes = bytes;
  block->opaque = reinterpret_cast<void*>(has_class ? uintptr_t{index} + 1 : kUnclassed);
  return GANTRY_OK;
}

void Cache::deallocate(const gantry_block& block) {
  const uintptr_t mark = reinterpret_cast<uintptr_t>(block.opaque);
  const bool has_class = mark != kUnclassed;
  Kept* surplus = nullptr;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    statistics_.bytes_in_use -= block.bytes;
    if (has_class) {
      Kept* const kept = static_cast<Kept*>(block.data);
      kept->index = mark - 1;
      keep(kept);
      surplus = take_out_surplus(limit_bytes_);
    }
  }
  if (!has_class) system_free(block.data, block.bytes);
  release(surplus);
}

void Cache::trim(uint64_t keep_bytes) {
  Kept* surplus = nullptr;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    surplus = take_out_surplus(keep_bytes);
  }
  release(surplus);
}

gantry_cache_statistics Cache::statistics() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return statistics_;
}

void Cache::keep(Kept* block) {
  block->newer = nullptr;
  block->older = newest_;
  (newest_ != nullptr ? newest_->newer : oldest_) = block;
  newest_ = block;
  Kept*& first = first_of_class_[block->index];
  block->previous_of_class = nullptr;
  block->next_of_class = first;
  if (first != nullptr) first->previous_of_class = block;
  first = block;
  statistics_.bytes_kept += SizeClass::bytes_of(static_cast<uint32_t>(block->index));
}

void Cache::take_out(Kept* block) {
  (block->newer != nullptr ? block->newer->older : newest_) = block->older;
  (block->older != nullptr ? block->older->newer : oldest_) = block->newer;
  (block->previous_of_class != nullptr ? block->previous_of_class->next_of_class : first_of_class_[block->index]) =
      block->next_of_class;
  if (block->next_of_class != nullptr) block->next_of_class->previous_of_class = block->previous_of_class;
  statistics_.bytes_kept -= SizeClass::bytes_of(static_cast<uint32_t>(block->index));
}

Cache::Kept* Cache::take_out_surplus(uint64_t keep_bytes) {
  Kept* chain = nullptr;
  while (statistics_.bytes_kept > keep_bytes) {
    Kept* const block = oldest_;
    take_out(block);
    block->older = chain;
    chain = block;
  }
  return chain;
}

void Cache::release(Kept* chain) {
  while (chain != nullptr) {
    Kept* const rest = chain->older;
    system_free(chain, SizeClass::bytes_of(static_cast<uint32_t>(chain->index)));
    chain = rest;
  }
}

}  // namespace gantry
