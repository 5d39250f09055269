#include <cinttypes>
#include <memory>

#include "core/cache.h"
#include "core/entry.h"
#include "core/environment.h"
#include "core/first_release.h"
#include "core/memory_limit.h"
#include "core/struct_size.h"

namespace gantry {
namespace {

// The environment is the first member, so that its address is the object's.
struct CachedEnvironment {
  gantry_environment environment{};
  Cache cache;

  explicit CachedEnvironment(uint64_t limit_bytes) : cache(limit_bytes) {}
};

gantry_status cached_allocate(void* user, const gantry_allocation* request, gantry_block* block) {
  if (request->device.type != GANTRY_DEVICE_HOST) {
    return fail(GANTRY_ERROR_UNSUPPORTED,
                "the cached environment has host memory only; %" PRIu64
                " bytes were asked for on device type %d, id %d",
                request->bytes, request->device.type, request->device.id);
  }
  return static_cast<CachedEnvironment*>(user)->cache.allocate(*request, block);
}

void cached_deallocate(void* user, const gantry_allocation*, gantry_block* block) {
  static_cast<CachedEnvironment*>(user)->cache.deallocate(*block);
}

gantry_status cached_allocate_output(void* user, const gantry_allocation* request, void* slot, gantry_tensor* output) {
  return allocate_storage(static_cast<CachedEnvironment*>(user)->environment, *request, slot, output);
}

gantry_status find_cached(const gantry_environment* environment, CachedEnvironment** out) {
  if (environment == nullptr || environment->allocate != &cached_allocate) {
    return fail(GANTRY_ERROR_INVALID_ARGUMENT, "the environment is %s, and none of gantry_environment_cached_create",
                environment == nullptr ? "null" : "another");
  }
  *out = static_cast<CachedEnvironment*>(environment->user);
  return GANTRY_OK;
}

}  // namespace
}  // namespace gantry

using gantry::CachedEnvironment;
using gantry::fail;

extern "C" {

gantry_status gantry_environment_cached_create(const gantry_cache_options* options, gantry_environment** out) {
  return gantry::guarded([&]() -> gantry_status {
    if (out == nullptr) return fail(GANTRY_ERROR_INVALID_ARGUMENT, "the place for the environment is null");
    *out = nullptr;
    gantry_cache_options own{};
    if (options != nullptr) {
      if (const gantry_status status =
              gantry::read_struct(options, &own, gantry::kFirstCacheOptions, "the options of the cached environment")) {
        return status;
      }
    }
    const uint64_t limit = own.limit_bytes != 0 ? own.limit_bytes : gantry::memory_limit() / 4;
    auto cached = std::make_unique<CachedEnvironment>(limit);
    cached->environment = {
        sizeof(gantry_environment),     0,      cached.get(), gantry::cached_allocate, gantry::cached_deallocate,
        gantry::cached_allocate_output, nullptr};
    *out = &cached.release()->environment;
    return GANTRY_OK;
  });
}

gantry_status gantry_environment_cached_trim(gantry_environment* environment, uint64_t keep_bytes) {
  return gantry::guarded([&]() -> gantry_status {
    CachedEnvironment* cached = nullptr;
    if (const gantry_status status = gantry::find_cached(environment, &cached)) return status;
    cached->cache.trim(keep_bytes);
    return GANTRY_OK;
  });
}

gantry_status gantry_environment_cached_statistics(const gantry_environment* environment,
                                                   gantry_cache_statistics* out) {
  return gantry::guarded([&]() -> gantry_status {
    CachedEnvironment* cached = nullptr;
    if (const gantry_status status = gantry::find_cached(environment, &cached)) return status;
    gantry_cache_statistics checked;
    if (const gantry_status status =
            gantry::read_struct(out, &checked, gantry::kFirstCacheStatistics, "the place for the statistics")) {
      return status;
    }
    gantry::write_struct(cached->cache.statistics(), out);
    return GANTRY_OK;
  });
}

gantry_status gantry_environment_cached_destroy(gantry_environment* environment) {
  return gantry::guarded([&]() -> gantry_status {
    if (environment == nullptr) return GANTRY_OK;
    CachedEnvironment* cached = nullptr;
    if (const gantry_status status = gantry::find_cached(environment, &cached)) return status;
    const uint64_t in_use = cached->cache.statistics().bytes_in_use;
    if (in_use != 0) {
      return fail(GANTRY_ERROR_INVALID_ARGUMENT,
                  "the cached environment still has %" PRIu64 " bytes in use and cannot be destroyed", in_use);
    }
    delete cached;
    return GANTRY_OK;
  });
}

}  // extern "C"
