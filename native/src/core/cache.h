// Freed blocks of host memory, kept for the next one that asks: what the cached environment is made of.
#ifndef GANTRY_CORE_CACHE_H
#define GANTRY_CORE_CACHE_H

#include <cstdint>
#include <mutex>

#include "gantry/gantry.h"

namespace gantry {

// Size classes: four between neighbouring powers of two, from 256 B to 1 GiB. What is larger, or aligned more strictly
// than its class, is not kept.
struct SizeClass {
  static constexpr uint32_t kCount = 89;
  static constexpr uint64_t kLeast = uint64_t{1} << 8;
  static constexpr uint64_t kMost = uint64_t{1} << 30;

  // The least class that holds `bytes`, 1 to kMost.
  static uint32_t index_of(uint64_t bytes);
  static uint64_t bytes_of(uint32_t index);
  static uint64_t alignment_of(uint32_t index);
};

// Thread-safe, and usable in the child of a fork whatever other threads were doing. When more than the limit is kept,
// the blocks that were freed first leave.
class Cache {
 public:
  explicit Cache(uint64_t limit_bytes);
  ~Cache();
  Cache(const Cache&) = delete;
  Cache& operator=(const Cache&) = delete;

  gantry_status allocate(const gantry_allocation& request, gantry_block* block);
  void deallocate(const gantry_block& block);
  void trim(uint64_t keep_bytes);
  gantry_cache_statistics statistics() const;

  // Blocks of this size and more begin at a huge page and are advised as such.
  static constexpr uint64_t kHugeFrom = uint64_t{4} << 20;

 private:
  friend struct CacheRegistry;

  // Lies at the begin of the block that it describes.
  struct Kept {
    Kept* newer;
    Kept* older;
    Kept* next_of_class;
    Kept* previous_of_class;
    uint64_t index;
  };

  void keep(Kept* block);
  void take_out(Kept* block);
  // Takes the oldest out until no more than `keep_bytes` are kept; a chain by `older`.
  Kept* take_out_surplus(uint64_t keep_bytes);
  static void release(Kept* chain);

  mutable std::mutex mutex_;
  const uint64_t limit_bytes_;
  gantry_cache_statistics statistics_{};
  Kept* newest_ = nullptr;
  Kept* oldest_ = nullptr;
  Kept* first_of_class_[SizeClass::kCount] = {};
  Cache* next_in_registry_ = nullptr;
};

}  // namespace gantry

#endif
